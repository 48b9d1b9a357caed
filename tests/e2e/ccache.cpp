// ccache before aspen++: a hit gives the same object, and a device file that has changed is a miss, by the list of files (direct mode) and by
// the preprocessed text alone. The text it hashes is that of all passes.
//# deep: it compiles eight times
//# sh: printf 'intel_gpu_mine:\n  aspects: [fp16, gpu]\n' > dev.yaml; sh compile.sh first.o
//# stdout~: cache_miss 1, direct_cache_hit 0, preprocessed_cache_hit 0
//# sh: sh compile.sh second.o && cmp first.o second.o
//# stdout~: cache_miss 1, direct_cache_hit 1, preprocessed_cache_hit 0
//# run: aspen++ -fsycl-targets=native_cpu second.o -o program
//# run: ./program
//# stdout: 42
//# sh: echo '  sub-group-sizes: [16]' >> dev.yaml; sh compile.sh third.o
//# stdout~: cache_miss 2, direct_cache_hit 1, preprocessed_cache_hit 0
//# sh: export CCACHE_NODIRECT=1; sh compile.sh fourth.o && cmp third.o fourth.o
//# stdout~: cache_miss 2, direct_cache_hit 1, preprocessed_cache_hit 1
//# sh: export CCACHE_NODIRECT=1; echo '# the text counts' >> dev.yaml; sh compile.sh fifth.o
//# stdout~: cache_miss 3, direct_cache_hit 1, preprocessed_cache_hit 1
//# sh: export CCACHE_NODIRECT=1; echo 'constexpr int value = 43;' > device.hpp; sh compile.sh sixth.o
//# stdout~: cache_miss 4, direct_cache_hit 1, preprocessed_cache_hit 1
//# run: aspen++ -fsycl-targets=native_cpu sixth.o -o program
//# run: ./program
//# stdout: 43
//# file: program.cpp
#include <cstdio>
#include <sycl/sycl.hpp>
#ifdef __SYCL_DEVICE_ONLY__
#include "device.hpp"
#endif
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] {
#ifdef __SYCL_DEVICE_ONLY__
    *p = value;
#else
    *p = 0;
#endif
  }).wait();
  std::printf("%d\n", *p);
}
//# file: device.hpp
constexpr int value = 42;
//# file: compile.sh
export CCACHE_DIR=$PWD/cache
ccache aspen++ -O1 -fsycl-targets=native_cpu,intel_gpu_mine -fsycl-device-config-file=dev.yaml -c program.cpp -o $1 || exit
ccache --print-stats | awk '/^(direct_cache_hit|preprocessed_cache_hit|cache_miss)/ { printf "%s %s, ", $1, $2 }'
