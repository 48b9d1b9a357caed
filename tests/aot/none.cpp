// Needs nothing.
#include <sycl/sycl.hpp>
class kernel;
void launch(sycl::queue &q, int *p) { q.single_task<kernel>([=] { p[0] = p[1] + 1; }); }
