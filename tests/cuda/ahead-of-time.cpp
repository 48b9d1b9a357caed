// Machine code by ptxas with the PTX beside it: what a target cannot run is skipped, required sizes are stated, results are kept, failures
// and missing parts of CUDA say what they are.
//# run: aspen++ -v -O2 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=stages {self} -o a.out
//# stderr~: image 'a_\d' is skipped for target 'nvidia_gpu_sm_90', which lacks sub-group size 8; kernels: eight
//# stderr~: warning: kernel 'eight' has no image for any target: 'nvidia_gpu_sm_90' lacks sub-group size 8
//# run: aspen inspect a.out
//# stdout~: nvidia_gpu_sm_90  native
//# stdout~: nvidia_gpu_sm_90  ptx
//# stdout~: needs aspect fp64
//# count: 6 stdout nvidia_gpu_sm_90
//# sh: cat stages/*.ptx
//# stdout~: \.reqntid 8, 4, 2
//# count: 1 stdout reqntid
//# stdout~: ^\.version 8\.1
//# stdout~: ^\.target sm_90
//# sh: ls stages
//# stdout~: \.cubin$
// Kept by content: a compiler that only counts its runs is not run again.
//# sh: printf '#!/bin/sh\necho run >> count\nexec "$CUDA_PATH/bin/ptxas" "$@"\n' > "$PWD/counting"; chmod +x counting; sed "s,HERE,$PWD," devices.yaml > here.yaml; sed -i "s,>> count,>> $PWD/count," counting
//# sh: ASPEN_CACHE_DIR=$PWD/cache aspen++ -w -O2 -fsycl-targets=nvidia_gpu_sm_90 -fsycl-device-config-file=here.yaml {self} -o b.out; wc -l < count
//# stdout: 3
//# sh: ASPEN_CACHE_DIR=$PWD/cache aspen++ -w -O2 -fsycl-targets=nvidia_gpu_sm_90 -fsycl-device-config-file=here.yaml {self} -o c.out; wc -l < count
//# stdout: 3
//# sh: ASPEN_CACHE_DIR=$PWD/cache aspen++ -w -DCHANGED -O2 -fsycl-targets=nvidia_gpu_sm_90 -fsycl-device-config-file=here.yaml {self} -o c.out; wc -l < count
//# stdout: 4
// A work-group that no block can be is not stated, since ptxas ends by a signal where it meets one.
//# run: aspen++ -O1 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=huge huge.cpp -o huge.out
//# sh: cat huge/*.ptx
//# stdout!~: reqntid
// What ptxas says of a failure.
//# run: aspen++ -w -O2 -fsycl-targets=nvidia_gpu_sm_90 -Xs --no-such-option {self} -o d.out
//# exit: 1
//# stderr~: cannot make image 'd_0': .*ptxas -arch=sm_90 -O2 --no-such-option image0\.ptx -o image0\.cubin
//# stderr~: Unknown option
//# stderr~: kernels of the image: 'plain'
//# absent: d.out
//# sh: driver=$(command -v aspen++); CUDA_PATH= CUDA_HOME= PATH=/usr/bin:/bin $driver -w -fsycl-targets=nvidia_gpu_sm_90 none.cpp -o d.out
//# exit: 1
//# stderr~: cannot run 'ptxas' \(NVIDIA's Python package nvidia-cuda-nvcc, or a CUDA toolkit brings it\)
//# sh: mkdir -p cuda/bin && cp $CUDA_PATH/bin/ptxas cuda/bin
//# run: env CUDA_PATH=cuda aspen++ -w -fsycl-targets=nvidia_gpu_sm_90 {self} -o d.out
//# exit: 1
//# stderr~: cannot generate code for image 'd_\d': it calls '__nv_sinf' of CUDA's libdevice, which was not found: CUDA_PATH is to name a CUDA toolkit
// Compiling needs nothing of CUDA.
//# sh: driver=$(command -v aspen++); CUDA_PATH= CUDA_HOME= PATH=/usr/bin:/bin $driver -w -O2 -fsycl-targets=nvidia_gpu_sm_90 -c {self} -o e.o
//# run: aspen++ -w e.o -o e.out
#include <cmath>
#include <sycl/sycl.hpp>

class plain;
class eight;
class shaped;
class precise;

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(1024, q);
  q.single_task<plain>([=] { p[0] = std::sin(p[1]); });
  q.parallel_for<eight>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) [[sycl::reqd_sub_group_size(8)]] { p[at.get_global_id(0)] = 1; });
  q.parallel_for<shaped>(sycl::nd_range<3>({2, 4, 8}, {2, 4, 8}),
                         [=](sycl::nd_item<3> at) [[sycl::reqd_work_group_size(2, 4, 8)]] { p[at.get_global_linear_id()] = 1; });
#ifdef CHANGED
  q.single_task<precise>([=] { p[0] = static_cast<float>(static_cast<double>(p[1]) / 5); });
#else
  q.single_task<precise>([=] { p[0] = static_cast<float>(static_cast<double>(p[1]) / 3); });
#endif
}
//# file: none.cpp
#include <sycl/sycl.hpp>
class none;
int main() {
  sycl::queue q;
  q.single_task<none>([] {});
}
//# file: huge.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  q.parallel_for<class huge>(sycl::nd_range<1>(4294967295, 4294967295), [](sycl::nd_item<1>) [[sycl::reqd_work_group_size(4294967295)]] {});
  q.parallel_for<class deep>(sycl::nd_range<3>({65, 1, 1}, {65, 1, 1}), [](sycl::nd_item<3>) [[sycl::reqd_work_group_size(65, 1, 1)]] {});
}
//# file: devices.yaml
nvidia_gpu_sm_90:
  aot-toolchain: HERE/counting
