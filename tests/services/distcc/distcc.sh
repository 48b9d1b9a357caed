#!/bin/sh
# Builds the project through two distccd on 127.0.0.1, with ports and a list of allowed compilers of their own.
set -eu
here=$(mktemp -d)
chmod 777 "$here"
stop() {
  for port in 27401 27402; do
    if [ -f "$here/$port.pid" ]; then kill "$(cat "$here/$port.pid")" || true; fi
  done
  sleep 1
  rm -rf "$here"
}
trap stop EXIT
command -v aspen++ > "$here/allowed"
for port in 27401 27402; do
  TMPDIR="$here" DISTCC_CMDLIST="$here/allowed" distccd --daemon --user nobody --listen 127.0.0.1 --port $port --allow 127.0.0.1 --jobs 2 \
    --pid-file "$here/$port.pid" --log-file "$here/$port.log" --log-level info
done
for try in 1 2 3 4 5 6 7 8 9 10; do
  if [ "$(cat "$here"/*.log | grep -c 'listening on')" = 2 ]; then break; fi
  sleep 0.5
done
mkdir "$here/state"
export DISTCC_DIR="$here/state" DISTCC_FALLBACK=0 DISTCC_HOSTS='127.0.0.1:27401/1 127.0.0.1:27402/1'
flags='-O1 -Wall -fsycl-targets=native_cpu'
make -s -j4 FLAGS="$flags" LAUNCHER=distcc || { cat "$here"/*.log; exit 1; }
first=$(grep -c COMPILE_OK "$here/27401.log") second=$(grep -c COMPILE_OK "$here/27402.log")
some='each had some'
if [ "$first" = 0 ] || [ "$second" = 0 ]; then some="one had $first, the other $second"; fi
grep -q '^  *unit.hpp' unit1.d
echo "20 units: $((first + second)) compiled by servers, $some"
./program
printf '#include <sycl/sycl.hpp>\nint wrong = none;\n' > bad.cpp
if distcc aspen++ $flags -c bad.cpp -o bad.o 2> words; then exit 1; fi
echo "a unit of bad code: $(tr '\n' ' ' < words)"
# A compiler that the list does not name.
cp "$(command -v aspen++)" aspen++-other
if PATH="$PWD:$PATH" distcc aspen++-other -c main.cpp -o main.o 2> words; then exit 1; fi
echo "not allowed: $(grep -h 'not in' "$here"/*.log words | head -n 1)"
