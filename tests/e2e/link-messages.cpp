// What a link says begins with a place, is said once, and advises what can be done. Source: DESIGN §4, §7.6.
//# run: aspen++ undefined.cpp -o a.out
//# exit: 1
//# stderr~: ^undefined.cpp:6:28: error: device function 'missing' is not defined in any object of this link; define it as SYCL_EXTERNAL$
//# stderr~: ^  missing\(\) undefined.cpp:6:28$
//# count: 1 stderr error:
//# stderr!~: undefined reference|aspen\+\+:|image|_Z7missing
//# absent: a.out
//# run: aspen++ -fsycl-targets=spir64 library.cpp -o a.out
//# exit: 1
//# stderr~: ^library.cpp:6:\d+: error: '(atoi|strtol)' cannot be called in device code: it is a library's function, and there is none for the target$
//# count: 1 stderr error:
//# stderr!~: SYCL_EXTERNAL
//# deep: names twice, and by which object
//# run: aspen++ -c -DNAME=1 twice.cpp -o one.o
//# run: aspen++ -c -DNAME=2 twice.cpp -o two.o
//# run: aspen++ one.o two.o -DNAME=3 twice-main.cpp -o a.out
//# exit: 1
//# stderr~: ^twice.cpp:2:19: error: device function 'both' is defined in 'one.o' and in 'two.o'$
//# stderr~: ^twice.cpp:2:19: note: the function of 'one.o'$
//# count: 1 stderr error:
// Both places of a definition that needs more than was declared, although it has the declaration's attribute.
//# run: aspen++ -w -c more.cpp
//# run: aspen++ -c uses.cpp
//# run: aspen++ more.o uses.o -o a.out
//# stderr~: ^more.cpp:3:\d+: warning: the definition of 'far' needs aspect 'fp64', which a declaration of it does not list \[-Wsycl-aspects\]$
//# stderr~: ^  inner\(\) more.cpp:5:\d+$
//# stderr~: ^./more.hpp:2:\d+: note: 'far' is declared here$
//# count: 1 stderr warning:
//# file: undefined.cpp
#include <sycl/sycl.hpp>

int missing(int);
class k;

int helper(int x) { return missing(x); }
int main() {
  sycl::queue q;
  q.single_task<k>([p = (int *)nullptr] { *p = helper(*p); });
}
//# file: library.cpp
#include <cstdlib>
#include <sycl/sycl.hpp>
class k;
int main() {
  sycl::queue q;
  q.single_task<k>([p = (int *)nullptr] { *p = std::atoi((const char *)p); });
}
//# file: twice.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int both(int x) { return x + NAME; }
//# file: twice-main.cpp
int main() {}
//# file: more.hpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::fp16)]] int far(int x);
//# file: more.cpp
#include "more.hpp"
static int inner(int x) {
  double d = x;
  return int(d * 0.5); }
int far(int x) { return inner(x); }
//# file: uses.cpp
#include "more.hpp"
class k;
int main() {
  sycl::queue q;
  q.single_task<k>([p = (int *)nullptr] { *p = far(*p); });
}
