// Coverage counts host code, and whatever of the token stage's business stands in blocks that are skipped: clang has its own watcher there.
//# sh: aspen++ -O0 -fprofile-instr-generate -fcoverage-mapping -fsycl-targets=native_cpu {self} -o program 2>&1 | wc -l
//# stdout: 0
//# sh: LLVM_PROFILE_FILE=raw ./program && llvm-profdata-22 merge raw -o data && llvm-cov-22 show program -instr-profile=data {self} > shown
//# sh: grep -o '[0-9]*|.*twice' shown
//# stdout~: 2\|.*twice
//# sh: grep -o '[0-9]*|.*never' shown
//# stdout~: 0\|.*never
#include <regex>
#include <sycl/sycl.hpp>

#if defined(NOT_DEFINED) && __has_cpp_attribute(sycl::device_has)
[[sycl::device_has(sycl::aspect::cpu)]] int skipped [[sycl::reqd_work_group_size(1)]];
#elif !defined __ASPEN__
#error another compiler
#endif

int counted(int value) {
  if (value < 0)
    return -1; // never
  return value + 1; // twice
}

[[sycl::device_has()]] void declared(int *p) { *p += 1; }

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = counted(1) + counted(2);
#ifdef NOT_DEFINED
  *p = [[sycl::device_has()]] 0;
#endif
  q.single_task([=] { declared(p); }).wait();
  return *p == 6 ? 0 : 1;
}
