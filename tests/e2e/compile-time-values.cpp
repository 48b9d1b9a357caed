// What the compiler computes is a number in the code and needs nothing; what only the host computes has no value on a device. Source: DESIGN
// §7.2, §7.3; SYCL 2020 §5.4.
//# run: aspen++ -std=c++20 -fsycl-targets=native_cpu main.cpp -o a.out
//# run: aspen explain a.out
//# count: 9 stdout ^no_\w+ +nothing$
//# count: 3 stdout ^yes_\w+ +aspect fp16$
//# run: aspen++ -std=c++20 -fsycl-targets=native_cpu host.cpp -o host
//# exit: 1
//# stderr~: ^host.cpp:8:\d+: error: device code uses the variable 'root', whose value only the host computes when the program starts: make it constexpr, or capture a copy$
//# stderr~: ^host.cpp:8:\d+: error: device code uses the variable 'pair', whose value only the host computes
//# stderr~: ^host.cpp:11:\d+: error: device code uses the variable 'changes', which is neither const nor constexpr
//# count: 3 stderr error:
//# run: aspen++ -std=c++23 -Wno-sycl-strict -fsycl-targets=native_cpu lists.cpp -o lists
//# stderr~: ^lists.cpp:4:\d+: warning: function 'checked<float>' uses aspect 'fp64' not listed in 'sycl::device_has'
//# stderr~: ^lists.cpp:4:\d+: warning: function 'either<float>' uses aspect 'fp64' not listed in 'sycl::device_has'
//# run: aspen explain lists Lambda
//# stdout~: needs aspect fp16
//# file: main.cpp
#include <sycl/sycl.hpp>
struct [[sycl_detail::uses_aspects(sycl::aspect::fp16)]] marked { int v = 0; };
union either { marked m; int i; };
struct holder { either u; constexpr holder(int i) : u{.i = i} {} };
constexpr marked global{4};
constexpr holder held{4};
#define KERNEL(name, ...) q.single_task<class name>([=] { __VA_ARGS__; });
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  KERNEL(no_assert, static_assert(marked{1}.v == 1))
  KERNEL(no_constexpr, constexpr int n = marked{3}.v; p[0] = n)
  KERNEL(no_static, static constexpr int n = marked{3}.v; p[0] = n)
  KERNEL(no_constinit, static constinit const int n = marked{7}.v; p[0] = n)
  KERNEL(no_const, const int n = marked{3}.v; p[0] = n)
  KERNEL(no_if, if constexpr (marked{3}.v == 3) p[0] = 1)
  KERNEL(no_member, p[0] = global.v)
  KERNEL(no_alternative, p[0] = held.u.i)
  KERNEL(no_table, constexpr int t[2] = {marked{1}.v, marked{2}.v}; p[0] = t[p[1]])
  KERNEL(yes_member, p[0] = reinterpret_cast<marked *>(p)->v)
  KERNEL(yes_alternative, p[0] = reinterpret_cast<holder *>(p)->u.i)
  KERNEL(yes_pointer, int marked::*m = &marked::v; reinterpret_cast<marked *>(p)->*m = 1)
}
//# file: host.cpp
#include <cstdlib>
#include <sycl/sycl.hpp>
const float root = float(std::atoi("2"));
const int pair[2] = {std::atoi("15"), 16};
const int known = 5, zero{};
inline const float half_of = 1.5f / 2;
int main() { sycl::queue q; float *p = sycl::malloc_shared<float>(64, q);
  q.single_task([=] { p[1] = root; p[2] = pair[int(p[0])]; p[3] = known + zero + half_of; const int *k = &known; p[4] = float(*k); });
  static int changes = 1;
  static const struct { int *to; } constant = {&changes};
  q.single_task([=] { p[5] = float(*constant.to); }); }
//# file: lists.cpp
#include <sycl/sycl.hpp>
#define NONE [[sycl::device_has()]]
template <class T> concept any = sizeof(T) == 4;
inline float twice(float x) { return x * 2.0; }
template <class T> requires any<T> && (sizeof(T) == 4) NONE float checked(T x) { return twice(x); }
template <class T> requires (any<T>) || (sizeof(T) == 8) NONE float either(T x) { return twice(x); }
class Lambda;
int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(64, q);
  q.single_task([=] { p[0] = checked(p[0]) + either(p[1]); });
  auto l = [=] noexcept [[sycl::device_has(sycl::aspect::fp16)]] { return p[0]; };
  q.single_task<Lambda>([=] { auto own = l; p[1] = own(); });
}
