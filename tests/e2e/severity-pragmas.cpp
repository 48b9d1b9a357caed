// What a pragma makes of our warnings holds whatever the options say, as it does of clang's own. Source: DESIGN §2, §4.
//# run: aspen++ -w -fsycl-targets=spir64 -DSEVERE -c {self} -o a.o
//# exit: 1
//# stderr~: ^severity-pragmas\.cpp:17:\d+: error: function 'f' uses aspect 'fp64' not listed in 'sycl::device_has' \[-Werror,-Wsycl-aspects\]$
//# run: aspen++ -Wno-everything -fsycl-targets=spir64 -DSHOWN -c {self} -o a.o
//# count: 1 stderr warning: .* \[-Wsycl-aspects\]
//# run: aspen++ -Wno-everything -fsycl-targets=spir64 -c {self} -o a.o
//# count: 0 stderr .
#include <sycl/sycl.hpp>
#if defined(SEVERE)
#pragma clang diagnostic error "-Wsycl-aspects"
#elif defined(SHOWN)
#pragma clang diagnostic warning "-Wsycl-aspects"
#endif

[[sycl::device_has()]] SYCL_EXTERNAL int f(int x) {
  double d = x;
  return static_cast<int>(d * 2);
}
