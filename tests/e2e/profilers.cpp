// Debug information changes no code, and profilers find kernels by the names and lines of files that they can still read afterwards.
//# run: aspen++ -O2 -g -fsycl-targets=native_cpu -Rpass-missed=aspen-items {self} -o program
//# stderr!~: .
//# sh: ASPEN_CPU_IMAGE_DIR=images ./program && ASPEN_CPU_IMAGE_DIR=images ./program && ls images
//# count: 2 stdout ^sums 496 and 32640$
//# count: 1 stdout \.so$
//# sh: nm -C images/*.so
//# stdout~: t .*over_range.*\.boxes
//# stdout~: t .*over_groups.*\.group
//# stdout~: t .*over_groups.*\.group.*\.v3
//# sh: addr2line -f -i -e images/*.so $(objdump -d images/*.so | awk '/<.*over_range.boxes>:/ {on = 1} on && $1 ~ /:$/ {sub(":", "", $1); print $1} /^$/ {on = 0}') | sort -u
//# stdout~: profilers\.cpp:38
//# sh: addr2line -f -i -e images/*.so $(objdump -d images/*.so | awk '/<.*over_groups.group.v3>:/ {on = 1} on && $1 ~ /:$/ {sub(":", "", $1); print $1} /^$/ {on = 0}') | sort -u
//# stdout~: profilers\.cpp:44
//# stdout~: profilers\.cpp:48
//# run: ASPEN_CPU_IMAGE_DIR=/dev/null/images ./program
//# stdout: sums 496 and 32640
//# stderr~: ASPEN_CPU_IMAGE_DIR=/dev/null/images: image 'program_0'.* is not loaded from there: Not a directory
// While a debugger watches, one item is one call.
//# sh: DEBUGINFOD_URLS= ASPEN_CPU_THREADS=1 timeout -k 2 100 gdb -nx -batch -x commands ./program < /dev/null
//# stdout~: ^\$1 = 0$
//# stdout~: ^\$2 = 1$
//# stdout~: profilers\.cpp:44
#include <sycl/sycl.hpp>

#include <cstdio>

class over_range;
class over_groups;

int main() {
  sycl::queue q;
  int *sums = sycl::malloc_shared<int>(2, q);
  int *values = sycl::malloc_shared<int>(256, q);
  sums[0] = sums[1] = 0;
  q.parallel_for<over_range>(32, [=](sycl::id<1> i) {
     // The line that a profiler shows.
     values[i] = int(i) * (sums[0] + 1);
   }).wait();
  for (int i = 0; i < 32; ++i)
    sums[0] += values[i];
  q.parallel_for<over_groups>(sycl::nd_range<1>(256, 64), [=](sycl::nd_item<1> item) {
     const int at = int(item.get_global_id(0));
     values[at] = at * item.get_local_range(0) / 64;
     sycl::group_barrier(item.get_group());
     if (at % 64 == 0)
       for (int i = 0; i < 64; ++i)
         sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(sums[1]) += values[at + i];
   }).wait();
  std::printf("sums %d and %d\n", sums[0], sums[1]);
}
//# file: commands
set pagination off
set breakpoint pending on
break profilers.cpp:44
run
bt 1
print at
continue
print at
