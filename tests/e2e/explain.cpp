// `aspen explain` on everything that holds device code: an object, an archive, a shared library, an executable, LLVM modules. It says what
// a place does not: floats that a variadic call makes double, calls through pointers, what is only declared, what another file defines.
//# run: aspen++ -Wno-sycl-strict -c main.cpp -o main.o
//# run: aspen++ -c parts.cpp -o parts.o
//# sh: ar rcs libparts.a parts.o
//# run: aspen explain main.o
//# stdout: printing   aspect fp64
//# stdout: pointing   aspect fp64
//# stdout: declaring  aspect gpu
//# stdout: calling    aspect fp16
//# stdout: sized      sub-group size 4, work-group size 8
//# run: aspen explain main.o printing
//# stdout: kernel 'printing' needs aspect fp64
//# stdout~: ^  main\.cpp:13:3: used in 'print', a float becomes double in the call of 'log_line', which is variadic$
//# stdout~: ^   13 \|   log_line\("f", x\);$
//# stdout~: ^      \|   \^$
//# stdout~: ^  main\.cpp:18:33: called from 'printing'$
//# stdout!~: it may call
//# run: aspen explain main.o pointing fp64
//# stdout~: main\.cpp:7:34: used in 'halve'$
//# stdout~: main\.cpp:16:50: called from 'choose', through a function pointer \(one of 2 targets\)$
//# stdout~: main\.cpp:19:34: called from 'pointing'$
//# run: aspen explain main.o declaring
//# stdout: kernel 'declaring' needs aspect gpu, which is only declared
//# stdout~: ^  main\.cpp:9:3: declared by 'promise'$
//# run: aspen explain main.o calling
//# stdout~: ^  main\.cpp:21:48: used in 'parts::marked', which is defined in another object or image$
//# stdout: it may call 'parts::dbl', which is defined in another file: what that needs is added when both come together
//# run: aspen explain main.o sized
//# stdout: kernel 'sized' needs work-group size 8
//# stdout~: main\.cpp:22:74: declared by 'sized'$
//# stdout: kernel 'sized' needs sub-group size 4
//# run: aspen explain libparts.a parts::dbl
//# stdout: function 'parts::dbl' needs aspect fp64
//# stdout~: ^  parts\.cpp:2:57: used in 'parts::dbl'$
//# run: aspen++ main.o -L. -lparts -o a.out
//# run: aspen explain a.out calling
//# stdout: kernel 'calling' needs aspect fp64
//# stdout~: ^  parts\.cpp:2:57: used in 'parts::dbl'$
//# stdout~: ^  main\.cpp:21:33: called from 'calling'$
//# stdout!~: another (file|object)
//# run: aspen explain a.out calling fp16
//# stdout~: main\.cpp:21:48: used in 'parts::marked'$
//# run: aspen explain a.out pointing
//# stdout~: called from 'choose', through a function pointer \(one of 2 targets\)$
//# run: aspen++ -fPIC -shared parts.cpp -o libparts.so
//# run: aspen explain libparts.so parts::dbl
//# stdout~: ^  parts\.cpp:2:57: used in 'parts::dbl'$
//# run: aspen explain libparts.so _ZN5parts6markedEPi fp16
//# stdout: function 'parts::marked' needs aspect fp16
//# run: aspen++ -fsycl-targets=spir64 main.o -Wno-sycl-external -L. -Wl,-Bdynamic -l:libparts.so -Wl,-rpath,. -o b.out
//# run: aspen explain b.out calling
//# stdout: kernel 'calling' needs aspect fp16
//# stdout~: ^  parts\.cpp:2:57: used in 'parts::dbl'$
//# run: aspen++ -fsycl-device-only -emit-llvm -c parts.cpp -o parts.bc
//# run: aspen explain parts.bc parts::dbl fp64
//# stdout: function 'parts::dbl' needs aspect fp64
//# run: aspen++ -Wno-sycl-strict -fsycl-device-only -emit-llvm -S main.cpp -o main.ll
//# run: aspen explain main.ll
//# stdout: printing   aspect fp64
//# stdout: declaring  aspect gpu
//# run: aspen explain main.ll pointing
//# stdout: kernel 'pointing' needs aspect fp64
//# stdout~: called from 'choose', through a function pointer \(one of 2 targets\)$
//# stdout~: called from 'pointing'$
//# stdout!~: sycl/detail
//# run: aspen explain a.out parts::dbbl
//# exit: 1
//# stderr~: holds no kernel 'parts::dbbl'
// Optimised code: what is gone is said.
//# run: aspen++ -Wno-sycl-strict -fsycl-requirements=optimized main.cpp parts.cpp -o c.out
//# run: aspen explain c.out vanishing
//# stdout: kernel 'vanishing' needs nothing
//# stdout: fp64: in the source at main.cpp:23:41, gone after optimisation
//# run: aspen explain a.out vanishing
//# stdout~: ^  main\.cpp:23:41: used in 'vanishing'$
//# file: main.cpp
#include <sycl/sycl.hpp>
using sycl::aspect;
namespace parts {
SYCL_EXTERNAL void dbl(int *p);
[[sycl_detail::uses_aspects(aspect::fp16)]] SYCL_EXTERNAL void marked(int *p);
}
static void halve(int *p) { *p = *p * 0.5 * 2.0; }
static void negate(int *p) { *p = -*p; }
[[sycl::device_has(aspect::gpu)]] static void promise(int *p) { *p = 1; }
static void log_line(const char *format, ...) { (void)format; }
class printing; class pointing; class declaring; class calling; class sized; class vanishing;
static void print(float x) {
  log_line("f", x);
}
typedef void function(int *);
static void choose(function *f, int *p) { if (f) f(p); }
static void host(sycl::queue q, int *p, float *f) {
  q.single_task<printing>([=] { print(*f); });
  q.single_task<pointing>([=] {  choose(*p > 1 ? halve : negate, p); });
  q.single_task<declaring>([=] { promise(p); });
  q.single_task<calling>([=] {  parts::dbl(p); parts::marked(p); });
  q.parallel_for<sized>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8), sycl::reqd_sub_group_size(4)]] { *p = 1; });
  q.single_task<vanishing>([=] { f[0] = f[1] * 3.0; });
}
int main(int n, char **) { if (n > 9) host(sycl::queue(), nullptr, nullptr); }
//# file: parts.cpp
#include <sycl/sycl.hpp>
namespace parts { SYCL_EXTERNAL void dbl(int *p) { *p = *p * 0.5 * 2.0; } }
namespace parts { [[sycl_detail::uses_aspects(sycl::aspect::fp16)]] SYCL_EXTERNAL void marked(int *p) { *p = 1; } }
