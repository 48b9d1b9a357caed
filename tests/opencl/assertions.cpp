// A failed assertion in a kernel ends the program, as one in the host's code does, also if nobody waits for the kernel. It is printed, as what
// kernels print themselves, also by drivers that want formats in constant memory.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out holds
//# stdout: checked 4 of 4
//# stdout: 10 %
//# stdout: sum 6
//# sh: ./a.out fails 2>&1; test $? = 134
//# stdout~: assertions.cpp:\d+: .*Assertion `a\[i\] < most' failed\.
//# stdout~: ^aspen: an assertion failed in kernel 'checks' on '.*'; the program ends$
//# sh: ./a.out unobserved 2>&1; test $? = 134
//# stdout~: ^aspen: an assertion failed in kernel 'checks' on '.*'; the program ends$
//# run: aspen++ -O2 -DNDEBUG {self} -o a.out
//# run: ./a.out fails
//# stdout: checked 3 of 4
//# stdout: sum 6
#include <sycl/sycl.hpp>
#include <cassert>
#include <cstdio>
#include <cstring>

class checks;

int main(int, char **arguments) {
  const int most = std::strcmp(arguments[1], "holds") ? 3 : 4;
  sycl::queue q;
  int *a = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i)
    a[i] = i;
  sycl::event checked = q.parallel_for<checks>(4, [=](sycl::id<1> i) { assert(a[i] < most); });
  if (!std::strcmp(arguments[1], "unobserved"))
    return 0;
  checked.wait();
  q.single_task([=] { printf("checked %d of %s\n", most, "4"); }).wait();
  q.single_task([=] { sycl::ext::oneapi::experimental::printf("%d %%\n", 10); }).wait();
  std::printf("sum %d\n", a[0] + a[1] + a[2] + a[3]);
}
