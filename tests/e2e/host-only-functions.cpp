// What only the host can do is refused at build time, with the way that leads to it.
//# run: aspen++ throws.cpp -o a.out
//# exit: 1
//# stderr~: error: throws\.cpp:4:5: device code cannot throw exceptions
//# count: 1 stderr error:
//# stderr~: ^  check\(\) throws\.cpp:9:43$
//# absent: a.out
//# run: aspen++ calls.cpp -o a.out
//# exit: 1
//# stderr~: error: device function 'puts' is not defined in any object of this link
//# stderr~: ^  puts\(\) calls\.cpp:6:44$
//# absent: a.out
//# file: throws.cpp
#include <sycl/sycl.hpp>
static void check(int x) {
  if (x)
    throw x;
}
class k;
int main() {
  sycl::queue q;
  q.single_task<k>([p = (int *)nullptr] { check(*p); });
}
//# file: calls.cpp
#include <sycl/sycl.hpp>
extern "C" int puts(const char *);
class k;
int main() {
  sycl::queue q;
  q.single_task<k>([p = (char *)nullptr] { puts(p); });
}
