// Code objects by LLVM's amdgcn back end and lld: LLVM's own tools read kernels, metadata and instructions out of them. What a target cannot run is
// skipped; missing parts say which package brings them.
//# run: aspen++ -v -O2 -fsycl-targets=amd_gpu_gfx90a,amd_gpu_gfx1100,native_cpu -save-temps=stages {self} -o a.out
//# stderr~: image 'a_\d' is skipped for target 'amd_gpu_gfx90a', which lacks sub-group size 32; kernels: narrow
//# stderr~: image 'a_\d' is skipped for target 'amd_gpu_gfx1100', which lacks sub-group size 64; kernels: wide
//# stderr~: kernels: narrow
//# run: aspen inspect a.out
//# stdout~: amd_gpu_gfx90a  native
//# stdout~: amd_gpu_gfx1100  native
//# stdout~: needs aspect fp64
//# stdout~: needs sub-group size 64
//# run: aspen check --device amd_gpu_gfx90a a.out
//# exit: 1
//# stdout~: narrow .*sub-group size 32
//# run: aspen check --device amd_gpu_gfx1100 a.out
//# exit: 1
//# stdout~: wide .*sub-group size 64
// The program runs where there is no such GPU.
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout: 7.5 28 720 3
//# sh: ls stages
//# count: 8 stdout \.hsaco$
//# sh: for f in stages/*gfx90a*.hsaco; do llvm-readelf-22 --file-headers --symbols --notes $f; done
//# stdout~: EM_AMDGPU
//# stdout~: AMDGPU - HSA
//# stdout~: DYN \(Shared object file\)
//# stdout~: FUNC +(GLOBAL|WEAK) +PROTECTED .*saxpy
//# stdout~: OBJECT +(GLOBAL|WEAK) +(DEFAULT|PROTECTED) .*saxpy.*\.kd
//# stdout~: amdgcn-amd-amdhsa--gfx90a
//# stdout~: hidden_block_count_x
//# stdout~: hidden_group_size_x
//# stdout~: max_flat_workgroup_size: 1024
//# stdout~: max_flat_workgroup_size: 96
//# stdout~: wavefront_size: 64
//# stdout!~: wavefront_size: 32
//# sh: for f in stages/*gfx90a*.hsaco; do llvm-objdump-22 -d --mcpu=gfx90a $f; done
//# stdout~: v_fmac_f32
//# stdout~: s_barrier
//# stdout~: ds_(read|write)_b32
//# stdout~: ds_bpermute_b32
//# stdout~: global_atomic_add
//# stdout~: v_.*_f64
//# stdout!~: <unknown>
//# sh: for f in stages/*gfx1100*.hsaco; do llvm-readelf-22 --notes $f; llvm-objdump-22 -d --mcpu=gfx1100 $f; done
//# stdout~: wavefront_size: 32
//# stdout!~: wavefront_size: 64
//# stdout~: ds_bpermute_b32
//# stdout!~: <unknown>
// Code for one processor knows which.
//# run: aspen++ -O2 -fsycl-targets=amd_gpu_gfx90a,amd_gpu_gfx1100 -save-temps=which which.cpp -o which.out
//# sh: llvm-objdump-22 -d --mcpu=gfx90a which/*gfx90a.hsaco
//# stdout~: 0x2b67
//# stdout!~: 0x56ce
//# sh: llvm-objdump-22 -d --mcpu=gfx1100 which/*gfx1100.hsaco
//# stdout~: 0x56ce
//# stdout!~: 0x2b67
// As DPC++ spells it.
//# run: aspen++ -w -fsycl-targets=amdgcn-amd-amdhsa -Xsycl-target-backend=amdgcn-amd-amdhsa --offload-arch=gfx90a asks.cpp -o b.out
//# run: aspen inspect b.out
//# stdout~: amd_gpu_gfx90a  native
//# run: aspen++ -fsycl-targets=amdgcn-amd-amdhsa asks.cpp -o c.out
//# exit: 1
//# stderr~: 'amdgcn-amd-amdhsa' needs to know for which processor: -Xsycl-target-backend=amdgcn-amd-amdhsa --offload-arch=gfx90a
// A program for them alone says so where it runs.
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./b.out
//# exit: 1
//# stdout~: the program has no image of it for native_cpu, only for amd_gpu_gfx90a
// The linker's words, and what is missing.
//# run: aspen++ -w -fsycl-targets=amd_gpu_gfx90a -Xs --no-such-option asks.cpp -o c.out
//# exit: 1
//# stderr~: cannot make image 'c_\d': .*ld\.lld-22 -shared .*--no-such-option
//# stderr~: unknown argument
//# absent: c.out
//# sh: mkdir bin; for p in clang++-22 clang-22 sh ld objcopy as; do ln -s $(command -v $p) bin/$p; done; driver=$(command -v aspen++); PATH=$PWD/bin $driver -w -fsycl-targets=amd_gpu_gfx90a asks.cpp -o c.out
//# exit: 1
//# stderr~: cannot run 'ld\.lld-22' \(the package lld-22
//# sh: mkdir broken; echo no bitcode > broken/ocml.bc
//# run: env HIP_DEVICE_LIB_PATH=broken aspen++ -w -fsycl-targets=amd_gpu_gfx90a asks.cpp -o c.out
//# exit: 1
//# stderr~: cannot generate code for image 'c_0': .*broken/ocml\.bc
//# deep: libraries, and steps apart
// Images are not linked with those of libraries.
//# run: aspen++ -fPIC -shared -fsycl-targets=native_cpu library.cpp -o liblibrary.so
//# run: aspen++ -fsycl-targets=amd_gpu_gfx90a,native_cpu calls.cpp -L. -llibrary -Wl,-rpath,. -o f.out
//# stderr~: kernel 'calls' of image 'f_0' is left out for target 'amd_gpu_gfx90a': code made ahead of time cannot call device functions of other libraries
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./f.out
//# stdout: 42
// Compiling needs neither.
//# sh: driver=$(command -v aspen++); PATH=$PWD/bin $driver -w -O2 -fsycl-targets=amd_gpu_gfx90a -c asks.cpp -o e.o
//# run: aspen++ -w e.o -o e.out
#include <cmath>
#include <cstdio>
#include <sycl/sycl.hpp>

class saxpy;
class tree;
class sines;
class counted;
class wide;
class narrow;

int main() {
  try {
    sycl::queue q;
    std::vector<float> x(96, 1.5f), y(96, 3.0f);
    {
      sycl::buffer<float> bx(x), by(y);
      q.submit([&](sycl::handler &h) {
        sycl::accessor ax(bx, h, sycl::read_only);
        sycl::accessor ay(by, h);
        h.parallel_for<saxpy>(sycl::range<1>(96), [=](sycl::id<1> i) { ay[i] += 3.0f * ax[i]; });
      });
    }
    int *p = sycl::malloc_shared<int>(96, q);
    for (int i = 0; i < 96; ++i)
      p[i] = i % 8;
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<int> local(96, h);
      h.parallel_for<tree>(sycl::nd_range<1>(96, 96), [=](sycl::nd_item<1> at) [[sycl::reqd_work_group_size(96)]] {
        const size_t i = at.get_local_id(0);
        local[i] = p[95 - i];
        sycl::group_barrier(at.get_group());
        p[i] = sycl::reduce_over_group(at.get_group(), local[95 - i], sycl::plus<>()) / 12;
      });
    });
    q.wait();
    const int sum = p[5];
    double *d = sycl::malloc_shared<double>(1, q);
    *d = 6;
    q.single_task<sines>([=] { *d = std::tgamma(*d + 1) + std::sin(*d) - std::sin(*d); }).wait();
    q.parallel_for<counted>(sycl::range<1>(3), [=](sycl::id<1>) {
       sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(p[0]) += 1;
     }).wait();
    std::printf("%g %d %g %d\n", y[5], sum, *d, p[0] - sum);
    const auto run = [&](auto f) { (void)f; };
    run([&] {
      q.parallel_for<wide>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) [[sycl::reqd_sub_group_size(64)]] { p[at.get_global_id(0)] = 1; });
      q.parallel_for<narrow>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) [[sycl::reqd_sub_group_size(32)]] { p[at.get_global_id(0)] = 1; });
    });
    sycl::free(p, q);
    sycl::free(d, q);
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
//# file: library.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int twice(int x) { return 2 * x; }
//# file: calls.cpp
#include <cstdio>
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int twice(int x);
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = 21;
  q.single_task<class calls>([=] { *p = twice(*p); }).wait();
  std::printf("%d\n", *p);
}
//# file: which.cpp
#include <sycl/sycl.hpp>
namespace ex = sycl::ext::oneapi::experimental;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] {
    ex::if_architecture_is<ex::architecture::amd_gpu_gfx90a>([=] { *p = 0x2b67; }).otherwise([=] { *p = 0x56ce; });
  });
}
//# file: asks.cpp
#include <cstdio>
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(1, q);
  try {
    q.single_task([=] { *p = sycl::sin(*p); });
  } catch (const sycl::exception &e) {
    std::puts(e.what());
    return 1;
  }
}
