// Pragmas know all warnings that `aspen++ --help` lists. What they say of calls of functions that no object defines, the link keeps to; other
// warnings of links have nothing to do in a unit.
//# run: aspen++ -fsycl-targets=native_cpu -Wall -Werror {self} -o a.out
//# run: ./a.out
//# run: aspen++ -fsycl-targets=native_cpu -ffile-prefix-map=pr=x -c calls.cpp -o calls.o
//# run: aspen++ calls.o -o calls
//# exit: 1
//# stderr~: ^calls.cpp:11:\d+: error: device function 'missed' is not defined in any object of this link; .* \[-Werror,-Wsycl-external\]$
//# stderr~: ^calls.cpp:13:\d+: warning: device function 'lost' is not defined in any object of this link; .* \[-Wsycl-external\]$
//# count: 2 stderr : (warning|error): device function
#pragma clang diagnostic ignored "-Wsycl-external"
#pragma clang diagnostic warning "-Wsycl-left-out"
#pragma GCC diagnostic error "-Wsycl-fixed-targets"
#pragma clang diagnostic ignored "-Wsycl-strict"
#include <sycl/sycl.hpp>

int main() { sycl::queue().single_task([] {}); }
//# file: calls.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int gone(int), missed(int), lost(int);
int main() {
  sycl::queue q;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsycl-external"
  q.single_task([=] { gone(1); });
#pragma clang diagnostic pop
#pragma clang diagnostic push
#pragma clang diagnostic error "-Wsycl-external"
  q.single_task([=] { missed(1); });
#pragma clang diagnostic pop
  q.single_task([=] { lost(1); });
}
