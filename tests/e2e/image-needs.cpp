// A kernel that holds an accessor of an image needs aspect image: the warning, the split, `aspen check` and a device without the aspect say so.
// Images, and accessors of host tasks and of the host, are there on every device.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o program
//# stderr~: image-needs.cpp:\d+:\d+: warning: function '.*declared.*' uses aspect 'image' not listed in 'sycl::device_has'
//# sh: aspen inspect program | grep -E 'needs|kernel'
//# stdout~: needs aspect cpu, aspect image$
//# stdout~: needs nothing$
//# run: ./program
//# stdout: plain 5, device 3, host task 2, host 1
//# run: ASPEN_DEVICE_CONFIG_FILE=blind.yaml ASPEN_DEVICE_PROFILE=blind ./program
//# stdout~: errc 12: an image accessor needs aspect image, which .* does not have: use a buffer, or image_target::host_task and a host task
//# stdout: plain 5, device 0, host task 2, host 1
//# run: aspen check program --device intel_gpu_pvc
//# exit: 1
//# stdout~: declared.*no: lacks aspect cpu, aspect image
//# stdout~: plain.*yes
#include <cstdio>
#include <sycl/sycl.hpp>

using sycl::access_mode, sycl::image_target;
using reader = sycl::unsampled_image_accessor<sycl::int4, 1, access_mode::read>;

class plain;
class declared;

int main() {
  sycl::queue q;
  int *got = sycl::malloc_shared<int>(3, q);
  std::fill(got, got + 3, 0);
  sycl::unsampled_image<1> image(sycl::image_format::r8g8b8a8_sint, sycl::range<1>(4));
  image.get_host_access<sycl::int4>().write(1, sycl::int4(3));
  q.single_task<plain>([=] { got[2] = 5; }).wait();
  try {
    q.submit([&](sycl::handler &h) {
       const reader from(image, h);
       h.single_task<declared>([=]() [[sycl::device_has(sycl::aspect::cpu)]] { got[0] = from.read(1)[0]; });
     }).wait();
  } catch (const sycl::exception &e) {
    std::printf("errc %d: %s\n", e.code().value(), e.what());
  }
  q.submit([&](sycl::handler &h) {
     auto both = image.get_access<sycl::int4, access_mode::read_write, image_target::host_task>(h);
     h.host_task([=] {
       got[1] = both.read(1)[0] - 1;
       both.write(1, sycl::int4(1));
     });
   }).wait();
  std::printf("plain %d, device %d, host task %d, host %d\n", got[2], got[0], got[1], image.get_host_access<const sycl::int4>().read(1)[0]);
}
//# file: blind.yaml
blind:
  aspects: [cpu, fp16, fp64, usm_shared_allocations]
  sub-group-sizes: [8]
