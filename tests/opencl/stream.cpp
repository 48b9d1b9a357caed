// sycl::stream on OpenCL drivers; and loops that count down, for which LLVM would use additions with carry that older drivers do not know.
//# also: ../headers/run_stream.cpp
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# stdout: 45
//# stdout: ok
#define main stream_main
#include "run_stream.cpp"
#undef main

int main() {
  sycl::queue q;
  unsigned *count = sycl::malloc_shared<unsigned>(2, q);
  count[0] = 10;
  count[1] = 0;
  q.single_task<class counts_down>([=] {
     unsigned n = count[0];
     while (n-- > 0)
       count[1] += n;
   }).wait();
  std::printf("%u\n", count[1]);
  sycl::free(count, q);
  return stream_main();
}
