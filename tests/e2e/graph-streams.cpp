// What a stream of a graph's command prints is printed by each execution, once.
//# run: aspen++ -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: x
//# stdout: y
//# stdout: x
//# stdout: y
#include <sycl/sycl.hpp>

namespace se = sycl::ext::oneapi::experimental;

int main() {
  sycl::queue q;
  se::command_graph graph(q.get_context(), q.get_device());
  graph.add([&](sycl::handler &h) {
    sycl::stream out(64, 32, h);
    h.single_task([=] { out << "x\n" << "y\n"; });
  });
  auto made = graph.finalize();
  q.ext_oneapi_graph(made).wait();
  q.ext_oneapi_graph(made).wait();
}
