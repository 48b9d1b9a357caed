// A unit with kernels that plain clang++ compiled is refused, with or without our header's help.
//# sh: clang++-22 -std=c++17 -fsycl -fsycl-host-only -isystem $(dirname $(dirname $(command -v aspen++)))/include -c {self} -o plain.o
//# exit: 1
//# stderr~: __ASPEN_OBJECT_TAG__
//# absent: plain.o
//# run: aspen++ -c {self} -o ours.o
//# sh: clang++-22 ours.o -o a.out
//# exit: 1
//# stderr~: __aspen_link_with_aspenxx
//# absent: a.out
#include <sycl/sycl.hpp>
class k;
int main() {
  sycl::queue q;
  q.single_task<k>([] {}).wait();
}
