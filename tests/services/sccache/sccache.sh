#!/bin/sh
# Compiles sccache.cpp again and again, each time with one thing changed, and says what sccache counted.
set -eu
export SCCACHE_DIR="$PWD/cache" SCCACHE_SERVER_PORT=27399 SCCACHE_IDLE_TIMEOUT=300
# A copy, of which parts can be changed.
cp -r "$(dirname "$(command -v aspen++)")/.." tool
export PATH="$PWD/changed:$PWD/tool/bin:$PATH"
mkdir changed
trap 'sccache --stop-server > stopped 2>&1 || true' EXIT
sccache --start-server > started 2>&1 || { cat started; exit 1; }
printf 'intel_gpu_mine:\n  aspects: [fp16, fp64, gpu]\n' > dev.yaml
echo 'constexpr int value = 42;' > device.hpp
words='-O1 -fsycl-targets=native_cpu,intel_gpu_mine -fsycl-device-config-file=dev.yaml'

# count NAME: the sum of what the statistics have under a name.
count() {
  sccache --show-stats --stats-format json > stats.json
  python3 -c '
import json, sys
value = json.load(open("stats.json"))["stats"][sys.argv[1]]
print(sum(value.get("counts", value).values()) if isinstance(value, dict) else value)' "$1"
}

# compile WHAT WORDS…: makes new.o, which becomes old.o.
compile() {
  what=$1
  shift
  sccache aspen++ $words "$@" -o new.o 2> words || { cat words; exit 1; }
  said=
  if grep -q "sccache.cpp:.*warning: .*fp64" words; then said=', warned'; fi
  same=', another object'
  if cmp -s new.o old.o; then same=', same object'; fi
  echo "$what: hits $(count cache_hits), misses $(count cache_misses)$same$said"
  mv new.o old.o
}

compile first -c sccache.cpp
compile 'the same again' -c sccache.cpp
cp old.o first.o
compile 'with dependencies' -MD -MF made.d -c sccache.cpp
grep -q device.hpp made.d
grep -q dev.yaml made.d
printf 'intel_gpu_mine:\n  aspects: [fp16, gpu]\n' > dev.yaml
compile 'device file' -c sccache.cpp
printf 'intel_gpu_mine:\n  aspects: [fp16, fp64, gpu]\n' > dev.yaml
cp first.o old.o
compile 'device file as before' -c sccache.cpp
echo 'constexpr int value = 43;' > device.hpp
compile 'header of device code' -c sccache.cpp
cp old.o second.o
# Loaders pass by what stands behind the end.
echo >> tool/lib/libaspen_clang.so
compile plugin -c sccache.cpp
echo >> tool/bin/aspen++
compile driver -c sccache.cpp
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v clang++-22)" > changed/clang++-22
chmod +x changed/clang++-22
compile clang -c sccache.cpp
compile options -DOTHER -c sccache.cpp
compile 'without SYCL' -c plain.cpp
compile 'without SYCL again' -c plain.cpp
echo "errors $(count cache_errors), not cached $(count not_cached), unsupported $(count requests_unsupported_compiler)"
aspen++ -fsycl-targets=native_cpu first.o -o first
aspen++ -fsycl-targets=native_cpu second.o -o second
echo "$(./first) $(./second)"
