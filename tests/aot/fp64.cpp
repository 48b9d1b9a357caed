// Computes with double.
#include <sycl/sycl.hpp>
class kernel;
void launch(sycl::queue &q, double *p) { q.single_task<kernel>([=] { p[0] = p[1] / p[2]; }); }
