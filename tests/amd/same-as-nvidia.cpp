// What tests/cuda has of indices, sub-groups, group algorithms, atomic operations, local memory and mathematics, as code for AMD's GPUs of every
// kind: wavefronts of 64 and of 32 lanes, processors without ds_bpermute, with and without optimisation.
//# also: ../cuda/everything.cpp
//# run: aspen++ -w -O2 -fsycl-targets=amd_gpu_gfx90a,amd_gpu_gfx1201 everything.cpp -o a.out
//# deep: more processors, and code as it was written
//# run: aspen++ -w -O2 -fsycl-targets=amd_gpu_gfx700,amd_gpu_gfx803,amd_gpu_gfx908,amd_gpu_gfx1101 everything.cpp -o a.out
//# run: aspen++ -w -O0 -fsycl-targets=amd_gpu_gfx90a,amd_gpu_gfx1030 everything.cpp -o b.out
