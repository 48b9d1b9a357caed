// What distributions build with: checked copies are the host's, in kernels they are copies.
//# run: aspen++ -O2 -D_FORTIFY_SOURCE=2 -fsycl-targets=native_cpu,spir64 {self} -o a.out
//# run: ./a.out
//# stdout: ok abc
//# run: aspen++ -O2 -Wp,-D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fstack-clash-protection -fcf-protection -fPIE -pie -fsycl-targets=native_cpu,spir64 {self} -o b.out
//# run: ./b.out
//# stdout: ok abc
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  char *text = sycl::malloc_shared<char>(32, q);
  q.single_task([=] {
     char own[16];
     std::memset(own, 0, sizeof own);
     std::memcpy(own, "abcdef", 3);
     std::memmove(own + 4, own, 4);
     std::memcpy(text, own, sizeof own);
   }).wait();
  std::printf("%s %s\n", std::strcmp(text + 4, "abc") == 0 ? "ok" : "wrong", text);
}
