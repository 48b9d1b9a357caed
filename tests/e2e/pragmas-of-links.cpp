// Pragmas know all warnings that `aspen++ --help` lists; those of the link have nothing to do in a unit.
//# run: aspen++ -fsycl-targets=native_cpu -Wall -Werror {self} -o a.out
//# run: ./a.out
#pragma clang diagnostic ignored "-Wsycl-external"
#pragma clang diagnostic warning "-Wsycl-left-out"
#pragma GCC diagnostic error "-Wsycl-fixed-targets"
#pragma clang diagnostic ignored "-Wsycl-strict"
#include <sycl/sycl.hpp>

int main() { sycl::queue().single_task([] {}); }
