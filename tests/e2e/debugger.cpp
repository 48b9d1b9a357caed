// A debugger stops in a kernel on the embedded CPU device: at its line, with its variables, and steps into what it calls.
//# run: aspen++ -std=c++17 -g -O0 -fsycl-targets=native_cpu {self} -o program
//# sh: DEBUGINFOD_URLS= ASPEN_DEVICE_SELECTOR=native_cpu timeout -k 2 100 gdb -nx -batch -x commands ./program < /dev/null
//# stdout~: operator\(\).* at .*debugger\.cpp:23
//# stdout~: ^23\s+int mine = first \+ 40;
//# stdout~: ^#0 .*operator\(\)
//# stdout~: ^\$1 = 43$
//# stdout~: ^twice \(value=43\) at .*debugger\.cpp:15
//# stdout~: ^\$2 = 86$
#include <cstdio>
#include <sycl/sycl.hpp>

// Marks the line that the debugger must name.
int twice(int value) {
  int result = value * 2;
  return result;
}
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  q.single_task([=] {
     int first = 3;
     int mine = first + 40;
     out[0] = twice(mine);
   }).wait();
  std::printf("%d\n", out[0]);
}
//# file: commands
set pagination off
set breakpoint pending on
break debugger.cpp:23
run
bt 1
next
print mine
step
next
print result
