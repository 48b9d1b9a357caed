// Functions of clang for vectors, as code for AMD's GPUs.
//# also: ../cuda/vectors-of-clang.cpp
//# run: aspen++ -O2 -fsycl-targets=amd_gpu_gfx90a vectors-of-clang.cpp -o a.out
//# deep: another processor
//# run: aspen++ -O0 -fsycl-targets=amd_gpu_gfx1101 vectors-of-clang.cpp -o b.out
