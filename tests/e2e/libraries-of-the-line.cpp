// Shared libraries of a link's line are looked into: what they export is defined, and what it needs counts. Source: DESIGN §4, §7.7.
//# run: mkdir deep lib alone
//# run: aspen++ -O2 -fPIC -shared deep.cpp -o deep/libdeep.so
//# run: aspen++ -O2 -fPIC -shared lib.cpp -Ldeep -ldeep '-Wl,-rpath,$ORIGIN/../deep' -o lib/liblib.so
//# stderr!~: .
//# run: aspen++ -O2 -fPIC -shared other.cpp -o lib/other.so
//# run: aspen++ -O2 main.cpp -Llib -llib lib/other.so -Wl,-rpath,lib -o a.out
//# stderr!~: .
//# run: ./a.out
//# stdout: plain 21 dbl 5 other 13
// By other names, in other ways.
//# sh: printf 'INPUT(lib/liblib.so lib/other.so)\n' > alone/libscript.so
//# run: aspen++ -O2 main.cpp -Lalone -lscript -o b.out
//# stderr!~: .
//# run: aspen++ -O2 -c main.cpp -o main.o
//# run: aspen++ main.o -Llib -l:liblib.so -l:other.so -Wl,-rpath=lib -o c.out
//# stderr!~: .
//# deep: libraries that are lost, half or not needed
// What a library needs and does not say where it is, the linker finds in folders that the line names.
//# run: aspen++ -O2 -fPIC -shared lib.cpp -Ldeep -ldeep -o alone/liblost.so
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1 main.o -Lalone -llost lib/other.so -Wl,-rpath-link,deep -o d.out
//# stderr~: kernel 'dbl' cannot run on fixed target 'intel_gpu_dg1'
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1 main.o -Lalone -llost lib/other.so -Xlinker --rpath=deep -o d.out
//# stderr~: kernel 'dbl' cannot run on fixed target 'intel_gpu_dg1'
// What only device code needs is kept, although the linker sees no use of it.
//# run: aspen++ main.o -Llib -Wl,--as-needed -llib lib/other.so -Wl,-rpath,lib -o needed.out
//# stderr!~: .
//# run: ./needed.out
//# stdout: plain 21 dbl 5 other 13
// A library that is not on the line, and one that was built for another target only.
//# run: aspen++ main.o -Llib -llib -Wl,-rpath,lib -o none.out
//# stderr~: ^main.cpp:11:\d+: warning: device function 'other' is not defined in any object of this link; a library must provide it at run time \[-Wsycl-external\]$
//# count: 1 stderr warning:
//# run: aspen++ -O2 -fPIC -shared -fsycl-targets=spir64 other.cpp -o alone/other.so
//# run: aspen++ main.o -Llib -llib alone/other.so -Wl,-rpath,lib -o half.out
//# stderr~: ^main.cpp:11:\d+: warning: device function 'other' is defined in 'alone/other.so' for 'spir64', but not for target 'native_cpu'; build that library for it, too \[-Wsycl-external\]$
//# count: 1 stderr warning:
// What libraries need counts for the targets that the program is meant for.
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1,intel_gpu_skl main.o -Llib -llib lib/other.so -Wl,-rpath,lib -o fixed.out
//# stderr~: ^deep.cpp:3:\d+: warning: kernel 'dbl' cannot run on fixed target 'intel_gpu_dg1': needs aspect fp64 \[-Wsycl-fixed-targets\]$
//# count: 1 stderr warning:
//# count: 1 stderr ^  dbl\(\)\n  through\(\) main.cpp:10:\d+\n  lib_dbl\(\) main.cpp:6:\d+
//# run: aspen check a.out --device intel_gpu_dg1 --device intel_gpu_skl
//# exit: 1
//# stdout: intel_gpu_dg1:
//# stdout~: ^  dbl +no: lacks aspect fp64$
//# count: 5 stdout (plain|other_one|dbl) +yes$
//# run: aspen check c.out --device intel_gpu_dg1 --format json
//# exit: 1
//# stdout~: "function": "lib_dbl"
// The program finds its libraries as the loader does.
//# run: aspen++ main.o -Llib -llib -l:other.so -o e.out
//# run: aspen check e.out --device intel_gpu_skl
//# count: 3 stdout ^  (dbl|other_one|plain) +maybe: if a library that is loaded later defines what is missing$
//# count: 3 stdout without '(lib_plain|lib_dbl|other)', which none of the program's libraries defines
//# run: env LD_LIBRARY_PATH=lib aspen check e.out --device intel_gpu_dg1
//# exit: 1
//# stdout~: ^  dbl +no: lacks aspect fp64$
//# stdout!~: without|maybe
//# file: deep.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int deeper(int x) {
  double d = x;
  return int(d * 0.5);
}
//# file: lib.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int deeper(int);
SYCL_EXTERNAL int lib_plain(int x) { return 2 * x + 1; }
SYCL_EXTERNAL int lib_dbl(int x) { return deeper(x); }
//# file: other.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int other(int x) { return x + 3; }
//# file: main.cpp
#include <cstdio>
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int lib_plain(int);
SYCL_EXTERNAL int lib_dbl(int);
SYCL_EXTERNAL int other(int);
int through(int x) { return lib_dbl(x); }
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(3, q);
  q.single_task<class dbl>([=] { out[1] = through(10); }).wait();
  q.single_task<class other_one>([=] { out[2] = other(10); }).wait();
  q.single_task<class plain>([=] { out[0] = lib_plain(10); }).wait();
  std::printf("plain %d dbl %d other %d\n", out[0], out[1], out[2]);
  sycl::free(out, q);
}
