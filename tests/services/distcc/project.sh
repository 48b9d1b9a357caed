#!/bin/sh
# project.sh: writes a project of twenty units, of which nineteen have a kernel each; what a kernel computes depends on the pass.
# project.sh equal UNIT…: compiles some of them in a folder of their own, without a launcher, and says how many objects are
# equal to ours.
set -eu
if [ "${1-}" = equal ]; then
  shift
  mkdir -p direct
  cp ./*.cpp ./*.hpp Makefile direct
  equal=0
  objects=$(printf '%s.o ' "$@")
  make -s -j2 -C direct FLAGS="$FLAGS -w" $objects
  for object in $objects; do
    # What has no kernels is clang's alone.
    if cmp -s "direct/$object" "$object" || aspen diff "direct/$object" "$object"; then equal=$((equal + 1)); fi
  done
  echo "$equal equal"
  exit
fi
cat > unit.hpp <<'END'
#include <sycl/sycl.hpp>
#ifdef __SYCL_DEVICE_ONLY__
constexpr int side = 1;
#else
constexpr int side = 0;
#endif
#define JOIN(a, b) a##b
#define JOB(number) JOIN(job, number)
template <int> class kernel;
[[sycl::device_has(sycl::aspect::fp16)]] inline void less(double *p) { *p = *p * 2; }
void JOB(UNIT)(sycl::queue &q, double *p) {
  q.single_task<kernel<UNIT>>([=] { *p = side * (UNIT + 0.5); less(p); }).wait();
}
END
units=$(seq 1 19)
for unit in $units; do printf '#define UNIT %s\n#include "unit.hpp"\n' "$unit" > "unit$unit.cpp"; done
{
  printf '#include <cstdio>\n#include <sycl/sycl.hpp>\nstatic void unused() { int none; }\n'
  for unit in $units; do echo "void job$unit(sycl::queue &, double *);"; done
  echo 'int main() { sycl::queue q; double *p = sycl::malloc_shared<double>(1, q), sum = 0;'
  for unit in $units; do echo "  job$unit(q, p); sum += *p;"; done
  echo '  std::printf("sum %g", sum), std::puts(""); return sum == 0 ? (unused(), 1) : 0; }'
} > main.cpp
{
  echo 'COMPILER = aspen++'
  echo 'program: $(patsubst %.cpp,%.o,$(wildcard unit*.cpp)) main.o'
  echo '	aspen++ $(FLAGS) $^ -o $@'
  echo '%.o: %.cpp'
  echo '	$(LAUNCHER) $(COMPILER) $(FLAGS) -MD -c $< -o $@'
} > Makefile
