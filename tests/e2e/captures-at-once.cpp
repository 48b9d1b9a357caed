// All errors of what kernels capture come at once: those of captures by reference, which the host's pass finds, and those of what cannot be
// copied, which device passes find.
//# run: aspen++ -c {self} -o a.o
//# exit: 1
//# stderr~: captures-at-once.cpp:18:\d+: error: the kernel captures 'r' by reference, but a device cannot reach it
//# stderr~: captures-at-once.cpp:19:\d+: error: the kernel captures 's' of type 'std::.*, which is not device-copyable
//# count: 2 stderr error:
//# stderr~: ^2 errors generated\.$
//# run: aspen++ -fdiagnostics-format=json -fsyntax-only {self}
//# exit: 1
//# stderr~: by reference.*not device-copyable
#include <sycl/sycl.hpp>
#include <string>

int main() {
  sycl::queue q;
  int r = 0; std::string s;
  q.single_task<class by_reference>([&] { r = 1; });
  q.single_task<class not_copyable>([=] { (void)s.size(); });
}
