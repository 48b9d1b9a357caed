// Every bad input is a clear error that names what is wrong, and leaves nothing half-written behind.
//# run: aspen++ unknown-aspect.cpp -c -o x.o
//# exit: 1
//# stderr~: unknown-aspect\.cpp:2:34: error: no member named 'fp65'
//# count: 1 stderr error:
//# absent: x.o
//# run: aspen++ not-constant.cpp -c -o x.o
//# exit: 1
//# stderr~: not-constant\.cpp:3:\d+: error: .*constant
//# absent: x.o
//# run: aspen++ variable.cpp -c -o x.o
//# exit: 1
//# stderr~: variable\.cpp:2:3: error: .*function
//# absent: x.o
//# run: aspen++ -fsycl-targets=intel_gpu_dq1 good.cpp -o x
//# exit: 1
//# stderr~: intel_gpu_dq1.*intel_gpu_dg1
//# absent: x
//# run: aspen++ good.cpp -o good
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_sk1 ./good
//# exit: 3
//# stdout~: intel_gpu_sk1.*intel_gpu_skl
//# deep: what cannot be written
//# run: aspen++ -c good.cpp -o good.o
//# run: aspen++ -c twice.cpp -o twice.o
//# run: aspen++ good.o twice.o -o both
//# exit: 1
//# stderr~: 'k'.*good\.o.*twice\.o
//# absent: both
//# copy: good.o damaged.o
//# zero: damaged.o .aspen.device
//# run: aspen++ damaged.o -o d.out
//# exit: 1
//# stderr~: damaged\.o
//# absent: d.out
//# sh: mkdir closed && chmod 555 closed
//# run: aspen++ good.cpp -o nofolder/x
//# exit: 1
//# stderr~: nofolder
//# sh: cp good old && aspen++ broken.cpp -o old; test $? = 1 && cmp good old
//# run: aspen++ missing.cpp -o x
//# exit: 1
//# stderr~: missing\.cpp
//# file: good.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
class k;
int main() {
  try {
    sycl::queue q;
    q.single_task<k>([] {}).wait();
  } catch (const sycl::exception &e) {
    std::puts(e.what());
    return 3;
  }
}
//# file: twice.cpp
#include <sycl/sycl.hpp>
class k;
void other(sycl::queue &q, int *p) { q.single_task<k>([=] { *p = 1; }).wait(); }
//# file: broken.cpp
int main() { return undeclared; }
//# file: unknown-aspect.cpp
#include <sycl/sycl.hpp>
[[sycl::device_has(sycl::aspect::fp65)]] void f() {}
int main() {}
//# file: not-constant.cpp
#include <sycl/sycl.hpp>
sycl::aspect a = sycl::aspect::fp16;
[[sycl::device_has(a)]] void f() {}
int main() {}
//# file: variable.cpp
#include <sycl/sycl.hpp>
[[sycl::device_has(sycl::aspect::fp16)]] int v;
int main() {}
