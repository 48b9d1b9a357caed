// What ends a program inside of a kernel on the embedded CPU device names the kernel, what it did and the line, and ends as it would have.
//# run: aspen++ -O2 -g -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out fine
//# stdout: 5
//# sh: ./a.out divide 2> said; test $? = 136 && cat said
//# stdout~: ^aspen: kernel 'divides' divides an integer by zero, or the smallest one by -1 at .*kernel-signals\.cpp:51:\d+: check the divisor$
//# sh: ./a.out null 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'reads_null' reads at 0xc, where it has no memory \(a null pointer\) at .*kernel-signals\.cpp:54:\d+: pointers must be
//# sh: ./a.out wild 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'wild' writes at 0x1234567890[0-9a-f]{2}, where it has no memory at .*kernel-signals\.cpp:56:\d+: pointers must be
//# sh: ./a.out group 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'in_groups' reads at 0x[0-9a-f]+, where it has no memory \(a null pointer\) at .*kernel-signals\.cpp:60:\d+: pointers must be
//# sh: ASPEN_CPU_GROUPS=items ./a.out group 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'in_groups' reads at 0x
//# sh: ./a.out abort 2> said; test $? = 132 && cat said
//# stdout~: ^aspen: kernel 'aborts' comes to a trap at .*kernel-signals\.cpp:66:\d+: that is std::abort, __builtin_trap, a check of the library
//# sh: ./a.out optional 2> said; test $? = 132 && cat said
//# stdout~: ^aspen: kernel 'is_empty' comes to a trap at .*kernel-signals\.cpp:74:\d+: that is std::abort
//# sh: ./a.out assert 2> said; test $? = 134 && cat said
//# stdout~: (?s)Assertion `z == 1' failed\.\naspen: kernel 'asserts' aborts: what it or the library has said stands above$
//# sh: ./a.out copy 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: a copy reads at 0x10, where it has no memory \(a null pointer\): pointers must be
//# sh: ./a.out host 2> said; test $? = 139 && ! grep -q aspen: said
//# sh: ./a.out own 2> said; test $? = 3 && cat said
//# stdout: the program's own
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o plain.out
//# sh: ./plain.out divide 2> said; test $? = 136 && cat said
//# stdout~: ^aspen: kernel 'divides' divides an integer by zero, or the smallest one by -1: check the divisor; -g tells the line$
#include <sycl/sycl.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <unistd.h>

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "fine";
  const int z = argc - 2;
  if (what == "own")
    std::signal(SIGFPE, [](int) {
      [[maybe_unused]] auto written = write(2, "the program's own\n", 18);
      _exit(3);
    });
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q), *null = nullptr;
  std::memset(p, 0, 4 * sizeof(int));
  p[0] = 5;
  if (what == "divide" || what == "own")
    q.single_task<class divides>([=] {
      p[0] = 5 / z; //
    });
  if (what == "null")
    q.single_task<class reads_null>([=] { p[0] = null[3]; });
  if (what == "wild")
    q.parallel_for<class wild>(10, [=](sycl::item<1> i) { *reinterpret_cast<int *>(0x123456789000 + i * 4) = z; });
  if (what == "group")
    q.parallel_for<class in_groups>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
      sycl::group_barrier(i.get_group());
      p[i.get_local_id(0) & 3] = null[i.get_global_id(0)];
      sycl::group_barrier(i.get_group());
    });
  if (what == "abort")
    q.single_task<class aborts>([=] {
      if (z == 0)
        std::abort();
      p[0] = 1;
    });
  if (what == "optional")
    q.single_task<class is_empty>([=] {
      std::optional<int> empty;
      if (z)
        empty = 1;
      p[0] = empty.value();
    });
  if (what == "assert")
    q.single_task<class asserts>([=] {
      assert(z == 1);
      p[0] = 1;
    });
  if (what == "copy")
    q.memcpy(p, reinterpret_cast<void *>(16), 4);
  if (what == "literal") {
    char *literal = const_cast<char *>("abc");
    q.single_task<class writes_literal>([=] { literal[0] = 'x'; });
  }
  if (what == "call")
    q.single_task<class calls_nothing>([=] {
      reinterpret_cast<void (*)()>(static_cast<long>(p[0]))(); // 5
      p[0] = 1;
    });
  if (what == "scratch") // of which the launch has none
    q.parallel_for<class scratches>(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> i) {
      int *scratch = static_cast<int *>(sycl::ext::oneapi::experimental::get_work_group_scratch_memory());
      scratch[i.get_local_id(0)] = z;
      sycl::group_barrier(i.get_group());
      p[i.get_local_id(0) & 3] = scratch[(i.get_local_id(0) + 1) % 32];
    });
  q.wait();
  if (what == "host")
    p[0] = static_cast<volatile int *>(null)[0];
  std::printf("%d\n", p[0]);
}
//# sh: ./a.out literal 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'writes_literal' writes at 0x[0-9a-f]+, where memory is for reading only at .*kernel-signals\.cpp:85:\d+: literals
//# sh: ./a.out call 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'calls_nothing' calls a function at 0x5, where there is none \(a null pointer\) at .*kernel-signals\.cpp:89:\d+: check where
//# sh: ./a.out scratch 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'scratches' (reads|writes) at 0x[0-9a-f]+, where it has no memory \(a null pointer\) at
//# sh: ASPEN_CPU_GROUPS=items ./a.out scratch 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'scratches' writes at 0x0, where it has no memory
