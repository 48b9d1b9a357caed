// Functions of <cmath> that are no instructions of SPIR-V give what the host's library gives.
//# run: aspen++ -O2 -fsycl-targets=spir64 {self} -o a.out
//# run: ./a.out
//# stdout: float 25 of 25
//# run: aspen++ -O1 -fsycl-targets=spir64 -DWIDE {self} -o b.out
//# run: ./b.out
//# stdout: double 25 of 25
#include <sycl/sycl.hpp>
#include <cmath>
#include <cstdio>

#ifdef WIDE
using real = double;
#else
using real = float;
#endif

static inline void all(real x, real y, real *out) {
  real *p = out;
  int quotient = 0;
  for (real r : {std::acosh(x + 2), std::asinh(x), std::atanh(x), std::cbrt(x), std::erf(x), std::erfc(x), std::expm1(x), std::lgamma(x),
                 std::log1p(x), std::logb(y), std::tgamma(x), std::fdim(y, x), std::hypot(x, y), std::nextafter(x, y), std::remainder(y, x),
                 real(std::ilogb(y)), std::ldexp(x, 3), std::scalbn(x, 3), std::scalbln(x, -2l), std::remquo(y, x, &quotient),
                 real(std::lround(y)), real(std::llround(-y)), real(std::lrint(y)), real(std::llrint(-y)), real(std::isnan(std::nan("")))})
    *p++ = r;
}

int main() {
  sycl::queue q;
  real *device = sycl::malloc_shared<real>(27, q), host[25];
  device[25] = real(0.5625), device[26] = real(9.25);
  q.single_task([=] { all(device[25], device[26], device); }).wait();
  all(device[25], device[26], host);
  int right = 0;
  for (int i = 0; i < 25; ++i)
    if (std::fabs(device[i] - host[i]) <= std::fabs(host[i]) * real(sizeof(real) == 4 ? 4e-6 : 1e-13))
      ++right;
    else
      std::printf("%d: %g, not %g\n", i, double(device[i]), double(host[i]));
  std::printf("%s %d of 25\n", sizeof(real) == 4 ? "float" : "double", right);
  sycl::free(device, q);
}
