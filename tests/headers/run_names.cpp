//! Kernel names of every kind of type: SYCL 2020 asks only that the type could be declared in namespace scope. Exit status 0: all right.
#include <cstdio>
#include <sycl/sycl.hpp>

enum plain { p0 };
enum class scoped { s0 };
namespace {
enum hidden { h0 };
}
union both;
struct not_defined;
template <class> struct named;

static int failures = 0;

template <class Name> static void run(sycl::queue &q, int *result, const char *name) {
  *result = 0;
  try {
    q.single_task<Name>([=] { *result += 1; }).wait();
    q.parallel_for<named<Name>>(sycl::range<1>(1), [=](sycl::id<1>) { *result += 2; }).wait();
    const bool known = sycl::has_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {sycl::get_kernel_id<Name>()});
    if (*result == 3 && known)
      return;
    std::printf("%s: %d\n", name, *result);
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", name, e.what());
  }
  ++failures;
}

int main() {
  sycl::queue q;
  int *result = sycl::malloc_shared<int>(1, q);
#define RUN(...) run<__VA_ARGS__>(q, result, #__VA_ARGS__)
  RUN(int);
  RUN(float);
  RUN(double);
  RUN(bool);
  RUN(char);
  RUN(signed char);
  RUN(unsigned long);
  RUN(void);
  RUN(decltype(nullptr));
  RUN(wchar_t);
  RUN(const int);
  RUN(volatile int);
  RUN(int *);
  RUN(const int *);
  RUN(int *const);
  RUN(int &);
  RUN(int[3]);
  RUN(int());
  RUN(void (*)(int));
  RUN(int not_defined::*);
  RUN(plain);
  RUN(scoped);
  RUN(hidden);
  RUN(hidden *);
  RUN(both);
  RUN(not_defined);
  RUN(not_defined *);
  RUN(named<float *>);
  RUN(class in_main);
  RUN(class in_main *);
  sycl::free(result, q);
  return failures;
}
