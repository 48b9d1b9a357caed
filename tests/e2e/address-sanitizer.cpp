// AddressSanitizer finds what a kernel on the embedded CPU device does wrong, and names its line; a kernel that does nothing wrong runs.
//# run: aspen++ -std=c++17 -g -O1 -fsanitize=address -fsycl-targets=native_cpu {self} -o program
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 3
//# stdout: 4 3
// Nor do OpenCL drivers, which load libraries in a way that AddressSanitizer does not allow.
//# run: ./program 3
//# stdout: 4 3
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 9
//# exit: 1
//# stderr~: ERROR: AddressSanitizer: stack-buffer-overflow
//# stderr~: READ of size 4 .*
//# stderr~: #0 .* in .*address-sanitizer\.cpp:29
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 64
//# exit: 1
//# stderr~: ERROR: AddressSanitizer: heap-buffer-overflow
//# stderr~: WRITE of size 4
//# stderr~: #0 .* in .*address-sanitizer\.cpp:31
#include <cstdio>
#include <cstdlib>
#include <sycl/sycl.hpp>

int main(int, char **arguments) {
  const int at = std::atoi(arguments[1]);
  sycl::queue q;
  int *heap = new int[64]();
  q.single_task([=] {
     volatile int own[8] = {1, 2, 3, 4, 5, 6, 7, 8};
     if (at < 16)
       heap[0] = own[at];
     else
       heap[at] = 1;
     heap[1] = at;
   }).wait();
  std::printf("%d %d\n", heap[0], heap[1]);
  delete[] heap;
}
