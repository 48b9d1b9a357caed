//! Programs that define functions of names that <cmath> has, as old code does where a C library lacked them: what they define is no second
//! definition beside the headers' in any pass, kernels call it, and the others are still the library's. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>
#include <cmath>

double erf(double x) { return x + 100; }
float hypotf(float x, float y) { return x - y; }
int ilogb(double x) { return static_cast<int>(x) + 7; }
double scalbln(double x, long n) { return x * static_cast<double>(n); }

int main() {
  sycl::queue q;
  double *const values = sycl::malloc_shared<double>(8, q);
  values[0] = 8;
  q.single_task([=] {
     const double x = values[0];
     values[1] = erf(x);
     values[2] = hypotf(static_cast<float>(x), 1);
     values[3] = ilogb(x);
     values[4] = scalbln(x, static_cast<long>(x));
     values[5] = std::cbrt(x);
     values[6] = std::hypot(x, 6.0);
   }).wait();
  CHECK(values[1] == 108 && values[2] == 7 && values[3] == 15 && values[4] == 64);
  CHECK(std::fabs(values[5] - 2) < 1e-12 && values[6] == 10);
  CHECK(erf(values[0]) == 108);
  sycl::free(values, q);
  return failures != 0;
}
