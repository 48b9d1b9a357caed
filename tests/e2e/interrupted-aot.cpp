// A link that is ended while a target's compiler runs leaves no folder behind.
//# sh: printf '#!/bin/sh\n: > "$STARTED"\nsleep 30\n' > slow; chmod +x slow; printf 'slow_one: {aspects: [gpu], aot-toolchain: ./slow}\n' > slow.yaml; mkdir temporary
//# sh: STARTED=$PWD/started TMPDIR=$PWD/temporary ASPEN_CACHE=0 aspen++ -fsycl-device-config-file=slow.yaml -fsycl-targets=slow_one {self} -o a.out & for i in $(seq 300); do test -e started && break; sleep 0.1; done; kill -TERM $!; wait $!; for i in $(seq 100); do test -z "$(ls -A temporary)" && break; sleep 0.1; done; ls -A temporary; pkill -f "$PWD/slow"; test $i -lt 100
//# absent: a.out
#include <sycl/sycl.hpp>

int main() { sycl::queue().single_task([] {}); }
