// Every one of AMD's processors that the database knows: LLVM makes code for it, or it is refused with the reason.
//# sh: aspen targets | grep -o 'amd_gpu_gfx[0-9a-f]*' | sort -u > all; wc -l < all
//# stdout: 41
// One of each generation; a deep run takes all.
//# sh: aspen++ -O2 -fsycl-targets=$(printf 'amd_gpu_%s,' gfx700 gfx942 gfx1030)amd_gpu_gfx1201 -save-temps=few {self} -o a.out
//# run: aspen inspect a.out
//# count: 4 stdout  native
//# sh: for f in $(ls few/*.hsaco | grep -v gfx7); do name=$(echo $f | grep -o 'gfx[0-9a-f]*'); llvm-objdump-22 -d --mcpu=$name $f > text && grep -q s_endpgm text && ! grep -q "<unknown>" text || echo bad $f; done
//# stdout!~: .
//# sh: for f in few/*.hsaco; do echo $(echo $f | grep -o 'gfx[0-9a-f]*') $(llvm-readelf-22 --notes $f | grep wavefront_size); done
//# count: 2 stdout ^gfx[789].*wavefront_size: 64$
//# count: 2 stdout ^gfx1.*wavefront_size: 32$
//# run: aspen++ -fsycl-targets=amd_gpu_gfx940 {self} -o b.out
//# exit: 1
//# stderr~: no code can be made for 'amd_gpu_gfx940': LLVM 22 has no code generator for it \('amd_gpu_gfx942' is what came of it\)
//# run: aspen++ -fsycl-targets=amd_gpu_gfx9999 {self} -o b.out
//# exit: 1
//# stderr~: unknown target 'amd_gpu_gfx9999'
//# run: aspen++ -DSIZE=16 -fsycl-targets=amd_gpu_gfx906,amd_gpu_gfx1030 {self} -o c.out
//# stderr~: has no image for any target: 'amd_gpu_gfx906' lacks sub-group size 16; 'amd_gpu_gfx1030' lacks sub-group size 16
// The database says nothing of gfx1200's sub-groups, and of gfx803's what they do not have; the code generator knows them.
//# run: aspen++ -w -DSIZE=16 -fsycl-targets=amd_gpu_gfx1200 {self} -o c.out
//# exit: 1
//# stderr~: its kernels require sub-groups of 16 work-items, and those of gfx1200 have 32
//# run: aspen++ -w -DSIZE=16 -fsycl-targets=amd_gpu_gfx803 {self} -o c.out
//# exit: 1
//# stderr~: its kernels require sub-groups of 16 work-items, and those of gfx803 have 64
//# deep: each of them
//# sh: grep -v -x -e amd_gpu_gfx940 -e amd_gpu_gfx941 all | paste -sd, > names; wc -c < names
//# sh: aspen++ -O2 -fsycl-targets=$(cat names) -save-temps=stages {self} -o a.out
//# run: aspen inspect a.out
//# count: 39 stdout  native
// LLVM disassembles from gfx8 on.
//# sh: for f in $(ls stages/*.hsaco | grep -v gfx7); do name=$(echo $f | grep -o 'gfx[0-9a-f]*'); llvm-objdump-22 -d --mcpu=$name $f > text && grep -q s_endpgm text && ! grep -q "<unknown>" text || echo bad $f; done
//# stdout!~: .
// Wavefronts have 64 lanes before gfx10, and 32 from there on.
//# sh: for f in stages/*.hsaco; do echo $(echo $f | grep -o 'gfx[0-9a-f]*') $(llvm-readelf-22 --notes $f | grep wavefront_size); done
//# count: 20 stdout ^gfx[789].*wavefront_size: 64$
//# count: 19 stdout ^gfx1.*wavefront_size: 32$
#include <sycl/sycl.hpp>
#ifdef SIZE
#define REQUIRED [[sycl::reqd_sub_group_size(SIZE)]]
#else
#define REQUIRED
#endif
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  q.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) REQUIRED {
    p[at.get_global_id(0)] = sycl::reduce_over_group(at.get_sub_group(), 1, sycl::plus<>());
  });
  q.wait();
}
