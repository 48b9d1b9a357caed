// What a kernel imports is its own: neither its neighbours in the unit nor those of the function in its library sink it. Source: DESIGN §7.11.
//# run: aspen++ -O2 -fPIC -shared deep.cpp -o libdeep.so
//# run: aspen++ -O2 -fPIC -shared lib.cpp -L. -ldeep -Wl,-rpath,. -o liblib.so
//# run: aspen++ -O2 main.cpp -L. -llib -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: plain 21
//# stdout: dbl 5
//# stdout: through 25
//# stdout: none 3
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: plain 21
//# stdout~: ^kernel 'dbl' cannot run on 'intel_gpu_dg1': +needs aspect fp64: deep.cpp:3:\d+ in 'deeper', called from 'lib_dbl' lib.cpp:4:\d+, called from the kernel main.cpp:\d+:\d+$
//# stdout~: ^kernel 'through' cannot run on 'intel_gpu_dg1': +needs aspect fp64: deep.cpp:3:\d+ in 'deeper', called from 'lib_dbl' lib.cpp:4:\d+, called from 'twice' main.cpp:\d+:\d+, called from the kernel main.cpp:\d+:\d+$
//# stdout: none 3
//# run: aspen inspect a.out
//# stdout~: ^    kernel none$
//# count: 4 stdout ^    imports _Z9lib_plaini$
//# count: 4 stdout ^    imports _Z7lib_dbli$
//# run: aspen inspect liblib.so
//# count: 2 stdout ^    imports _Z6deeperi$
//# deep: further splits
// Whatever the user asks of the split.
//# run: aspen++ -O2 -fsycl-device-code-split=off main.cpp -L. -llib -Wl,-rpath,. -o off.out
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./off.out
//# stdout: plain 21
//# stdout: none 3
//# run: aspen++ -O2 -fsycl-device-code-split=per_kernel main.cpp -L. -llib -Wl,-rpath,. -o each.out
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./each.out
//# stdout: plain 21
// Conditional images hold kernels of different needs, but of one set of imports.
//# run: aspen++ -O2 -fsycl-targets=spir64 -fsycl-optional-features=conditional -fsycl-device-code-split=off main.cpp -L. -llib -Wl,-rpath,. -o conditional.out
//# run: aspen inspect conditional.out
//# stdout: conditional.out: 4 device images
//# count: 2 stdout ^    imports _Z9lib_plaini$
//# count: 2 stdout ^    imports _Z7lib_dbli$
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
//# file: main.cpp
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int lib_plain(int);
SYCL_EXTERNAL int lib_dbl(int);

class plain;
class dbl;
class through;
class none;

[[gnu::noinline]] int twice(int x) { return lib_plain(x) + lib_dbl(8); }

template <class Name, class F> void attempt(const char *name, sycl::queue &q, int *out, F f) {
  try {
    q.single_task<Name>(f).wait();
    std::printf("%s %d\n", name, *out);
  } catch (const sycl::exception &e) {
    std::string text = e.what();
    for (size_t at; (at = text.find('\n')) != text.npos;)
      text.replace(at, 1, " ");
    std::printf("%s\n", text.c_str());
  }
}

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  attempt<plain>("plain", q, out, [=] { *out = lib_plain(10); });
  attempt<dbl>("dbl", q, out, [=] { *out = lib_dbl(10); });
  attempt<through>("through", q, out, [=] { *out = twice(10); });
  attempt<none>("none", q, out, [=] { *out = 3; });
  sycl::free(out, q);
}
