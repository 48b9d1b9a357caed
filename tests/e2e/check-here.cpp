// `aspen check --here`: devices that the file has no code for do not count, unless it has some for none of them.
//# run: aspen++ -fsycl-targets=spir64 {self} -o a.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu:* aspen check a.out --here
//# exit: 1
//# stdout~: the file has no code for it
//# run: aspen++ -fsycl-targets=native_cpu,spir64 {self} -o a.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu:* aspen check a.out --here
//# stdout~: nothing_special +yes
#include <sycl/queue.hpp>

int main() { sycl::queue().single_task<class nothing_special>([] {}).wait(); }
