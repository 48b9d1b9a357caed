// Nothing is written through a swizzle of a const vec, where it would be lost, nor through one that names an element twice; the fourth of three
// elements is none, so that halves of three are assigned to.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 -DSYCL_SIMPLE_SWIZZLES {self}
//# exit: 1
//# count: 10 stderr error:
//# stderr~: swizzles-not-written\.cpp:19:21: error: no viable overloaded '='
//# stderr~: swizzles-not-written\.cpp:20:21: error: no viable overloaded '\+='
//# stderr~: swizzles-not-written\.cpp:21:3: error: cannot increment value of type
//# stderr~: swizzles-not-written\.cpp:22:11: error: no viable overloaded '='
//# stderr~: swizzles-not-written\.cpp:23:10: error: no viable overloaded '\*='
//# stderr~: swizzles-not-written\.cpp:28:24: error: no viable overloaded '\+='
//# stderr~: swizzles-not-written\.cpp:29:3: error: cannot increment value of type
//# stderr~: swizzles-not-written\.cpp:30:11: error: no viable overloaded '='
//# stderr~: swizzles-not-written\.cpp:31:10: error: .*elements of a const vec, or those that a swizzle names twice, cannot be assigned to
//# stderr~: swizzles-not-written\.cpp:32:16: error: no viable overloaded '='
#include <sycl/sycl.hpp>

void of_const(const sycl::vec<int, 4> &v) {
  v.swizzle<0, 2>() = sycl::vec<int, 2>(1);
  v.swizzle<0, 1>() += 1;
  ++v.swizzle<1>();
  v.yzw() = sycl::vec<int, 3>(1);
  v.lo() *= 2;
  const auto read = v.swizzle<3, 2, 1, 0>() + v.xxyy().swizzle<1, 0, 3, 2>() * v.hi().xxxx() - v;
}

void twice(sycl::vec<int, 4> &v, sycl::vec<int, 3> &three) {
  v.swizzle<0, 0, 1>() += 1;
  ++v.swizzle<1, 1>();
  v.xyx() = 5;
  v.yy() = v.yy();
  v.lo().xyx() = sycl::vec<int, 3>(1);
  three.hi() = sycl::vec<int, 2>(1, 2);
  three.odd() += 1;
  v.wzyx() = v.xxyy() + v.swizzle<0, 0, 0, 0>();
}
