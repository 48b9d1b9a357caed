// Recursion, virtual calls and function pointers in device code: an error where code is made for SPIR-V, a warning elsewhere. DESIGN §7.28.
//# run: aspen++ -c {self} -o a.o
//# exit: 1
//# stderr~: ^strict\.cpp:52:26: error: 'fact' calls itself, but SYCL 2020 allows no recursion in device code \[-Wsycl-strict\]$
//# stderr~: ^  fact\(\) strict\.cpp:70:12$
//# stderr~: ^strict\.cpp:56:48: error: 'even' calls itself through 'odd', but SYCL 2020 allows no recursion in device code
//# stderr~: ^strict\.cpp:59:43: error: 'ask' makes a virtual call, which SYCL 2020 does not allow in device code
//# stderr~: ^strict\.cpp:60:48: error: 'call' calls through a function pointer, which SYCL 2020 does not allow in device code
//# stderr~: ^  call\(\) strict\.cpp:75:12$
//# stderr~: ^strict\.cpp:78:14: error: .* calls through a function pointer
//# count: 5 stderr error:
//# absent: a.o
//# run: aspen++ -fsycl-targets=native_cpu {self} -o a.out
//# count: 5 stderr warning: .* \[-Wsycl-strict\]
//# run: ./a.out
//# stdout: 120 1 4 6 8
//# run: aspen++ -fsycl-targets=nvidia_gpu_sm_90 -c {self} -o a.o
//# count: 5 stderr warning:
//# run: aspen++ -Wno-error=sycl-strict -c {self} -o a.o
//# count: 5 stderr warning: .* \[-Wsycl-strict\]
//# run: aspen++ -fsycl-targets=native_cpu -Werror=sycl-strict -c {self} -o no.o
//# exit: 1
//# count: 5 stderr error: .* \[-Werror,-Wsycl-strict\]
//# deep: further warnings and units
//# run: aspen++ -fsycl-targets=native_cpu -Wno-sycl-strict -c {self} -o a.o
//# count: 0 stderr .
//# run: aspen++ -fsycl-targets=native_cpu -w -c {self} -o a.o
//# count: 0 stderr .
//# run: aspen++ -DSILENT -c {self} -o a.o
//# count: 0 stderr .
//# run: aspen++ -fdiagnostics-format=sarif -Wno-error=sycl-strict -c {self} -o a.o
//# stderr~: "ruleId":"sycl-strict"
//# run: aspen++ -fsycl-requirements=optimized -O2 -c {self} -o a.o
//# exit: 1
//# count: 1 stderr error:
//# stderr~: ^strict\.cpp:78:14: error: .* calls through a function pointer
//# run: aspen++ -c first.cpp -o first.o
//# run: aspen++ -c second.cpp -o second.o
//# run: aspen++ first.o second.o -o units
//# exit: 1
//# stderr~: ^second\.cpp:3:56: error: 'up' calls itself through 'down', but SYCL 2020 allows no recursion in device code \[-Wsycl-strict\]
//# count: 1 stderr error:
//# run: aspen++ -Wno-error=sycl-strict first.o second.o -o units
#include <sycl/sycl.hpp>
#include <cstdio>
#ifdef SILENT
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsycl-strict"
#endif

static int fact(int n) {
  return n < 2 ? 1 : n * fact(n - 1);
}
static bool odd(unsigned n);
static bool even(unsigned n) { return n == 0 || odd(n - 1); }
static bool odd(unsigned n) { return n != 0 && even(n - 1); }
struct Shape { virtual int area() const { return 1; } };
struct Square final : Shape { int area() const override { return 4; } };
static int ask(const Shape &s) { return s.area(); }
static int call(int (*f)(int), int x) { return f(x); }
template <int N> static int tower(int x) { if constexpr (N > 0) return tower<N - 1>(x) + 1; else return x; }
constexpr int slow(int n) { return n < 2 ? n : slow(n - 1) + slow(n - 2); }
template <class F> static int apply(const F &f, int x) { return f(x); }
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(8, q);
  auto *pointers = sycl::malloc_shared<int (*)(int)>(1, q);
  p[0] = 5;
  q.single_task<class k>([=] {
    p[1] = fact(p[0]);
    p[2] = even(4);
    Square s;
    p[3] = ask(s);
    constexpr int c = slow(9);
    p[4] = call([](int x) { return x + 1; }, p[0]);
    p[5] = tower<3>(p[0]) + s.area() - 4 + c - 34 + apply([](int) { return 0; }, 1);
    if (p[0] == 6)
      p[6] = pointers[0](3);
  }).wait();
  std::printf("%d %d %d %d %d\n", p[1], p[2], p[3], p[4], p[5]);
}
#ifdef SILENT
#pragma clang diagnostic pop
#endif
static int unused(int n) { return n ? unused(n - 1) : 0; }
int host(const Shape &s) { return unused(3) + s.area(); }
//# file: first.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int down(int n);
SYCL_EXTERNAL int up(int n) { return n > 9 ? n : down(n + 3); }
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class k>([=] { *p = up(1); }).wait();
}
//# file: second.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int up(int n);
SYCL_EXTERNAL int down(int n) { return n < 0 ? n : 1 + up(n - 2); }
