// Device code of archives, thin archives and linker scripts, by each linker: each tells in words of its own what it takes.
//# sh: mkdir parts
//# run: aspen++ -O1 -c main.cpp -o main.o
//# run: aspen++ -O1 -fPIC -c one.cpp -o parts/one.o
//# run: aspen++ -O1 -fPIC -c two.cpp -o parts/two.o
//# sh: ar qc libplain.a parts/one.o parts/two.o && ar qcT libthin.a parts/one.o parts/two.o && echo 'INPUT(parts/one.o)' >one.ld
//# sh: for by in bfd gold lld; do for of in libplain.a libthin.a one.ld; do aspen++ -fuse-ld=$by main.o $of -o a.out && ./a.out || echo "$by $of"; done; done
//# stdout!~: .
//# sh: for by in bfd gold lld; do aspen++ -fuse-ld=$by -shared -Wl,--whole-archive libthin.a -Wl,--no-whole-archive -o liball.so && aspen++ main.o ./liball.so -o a.out && ./a.out || echo "$by, shared"; done
//# stdout!~: .
// Objects for link-time optimisation, put together.
//# sh: aspen++ -O1 -flto -c one.cpp -o lto.o && aspen++ -flto -r lto.o -o all.o && aspen++ -flto main.o all.o -o c.out && ./c.out
//# stderr!~: .
//# sh: ar qc liblto.a lto.o; for by in bfd gold lld; do aspen++ -flto -fuse-ld=$by main.o liblto.a -o f.out && ./f.out || echo "$by, lto"; done
//# stdout!~: .
// What the linker alone reads.
//# sh: echo '-L. -lplain' >words.rsp && aspen++ main.o -Wl,@words.rsp -o d.out && ./d.out
//# stderr!~: .
// No input of its own.
//# sh: ar qc libmain.a main.o && aspen++ -L. -lmain -lplain -o e.out && ./e.out && aspen++ -Wl,main.o -Xlinker libplain.a -o e.out && ./e.out
//# stderr!~: .
// A linker that keeps to itself what it takes.
//# sh: printf '#!/bin/sh\nexec ld.bfd "$@" >quiet.txt\n' >quiet && chmod +x quiet
//# run: aspen++ --ld-path=./quiet main.o libplain.a -o b.out
//# exit: 1
//# stderr~: the linker does not tell by '--trace' which files it takes
//# absent: b.out
//# file: main.cpp
int one();
int main() { return one() - 1; }
//# file: one.cpp
#include <sycl/sycl.hpp>
int one() {
  sycl::queue q;
  int *const p = sycl::malloc_shared<int>(1, q);
  q.single_task<class first>([=] { *p = 1; }).wait();
  return *p;
}
//# file: two.cpp
#include <sycl/sycl.hpp>
int two() {
  sycl::queue q;
  int *const p = sycl::malloc_shared<int>(1, q);
  q.single_task<class second>([=] { *p = 2; }).wait();
  return *p;
}
