// Options that clang offers to each target go to the host's code alone, and nobody warns of them. Source: DESIGN §2.
//# run: aspen++ -O1 -Wall -Werror -fsycl-targets=native_cpu,spir64 -fcf-protection -ftest-coverage -fprofile-arcs -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2 -c main.cpp -o main.o
//# run: aspen++ -O1 -Wall -Werror -fcf-protection=branch -S main.cpp -o -
//# stdout~: endbr64
//# file: main.cpp
#include <sycl/sycl.hpp>
void run(sycl::queue &q) {
  q.single_task([=] {});
}
