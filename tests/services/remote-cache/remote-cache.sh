#!/bin/sh
# Links on two machines, which are folders with caches of their own, with a store between them: Redis, S3 (moto's server) and WebDAV
# (lighttpd), each started here on 127.0.0.1. Says how often the compiler ran.
set -eu
export PATH="$PATH:/usr/sbin" # lighttpd is for administrators
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test
redis=27411 s3=27412 dav=27413
started=
trap 'kill $started 2> /dev/null || true' EXIT

# answers PORT: waits until somebody listens there.
answers() {
  for _ in $(seq 300); do
    if python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1" 2> /dev/null; then return; fi
    sleep 0.1
  done
  echo "nobody answers on port $1"
  cat ./*.log
  exit 1
}

redis-server --port $redis --bind 127.0.0.1 --save '' > redis.log 2>&1 &
started="$started $!"
PYTHONPATH=$MOTO python3 -m moto.server -H 127.0.0.1 -p $s3 > s3.log 2>&1 &
started="$started $!"
mkdir dav
cat > dav.conf << END
server.modules = ("mod_webdav")
server.document-root = "$PWD/dav"
server.port = $dav
server.bind = "127.0.0.1"
webdav.activate = "enable"
END
lighttpd -D -f dav.conf > dav.log 2>&1 &
started="$started $!"
for port in $redis $s3 $dav; do answers $port; done
python3 -c 'import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method="PUT"))' "http://127.0.0.1:$s3/bucket"

head -c 32 /dev/urandom | base64 > key
chmod 600 key
for machine in one two; do
  mkdir $machine
  printf '%s\n' '#!/bin/sh' 'while [ $# -gt 0 ]; do case "$1" in -file) in=$2; shift;; -output) out=$2; shift;; esac; shift; done' \
    'echo run >> "$(dirname "$0")/runs"' 'cat "$in" > "$out"' > $machine/fake
  chmod +x $machine/fake
  echo 'a: {aspects: [gpu, fp64], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device a}' > $machine/own.yaml
done
(cd one && aspen++ -w -fsycl-targets=a -fsycl-device-config-file=own.yaml -c ../remote-cache.cpp -o ../p.o)

# link WHAT MACHINE URL: from an empty cache.
link() {
  rm -rf "$2/cache" "$2/runs"
  (cd "$2" && ASPEN_CACHE_DIR=$PWD/cache ASPEN_CACHE_REMOTE=$3 aspen++ -w -fsycl-targets=a -fsycl-device-config-file=own.yaml \
    -fsycl-device-code-split=per_kernel ../p.o -o a.out 2> words) || { cat "$2/words"; exit 1; }
  runs=0
  if [ -e "$2/runs" ]; then runs=$(wc -l < "$2/runs"); fi
  echo "$1 on $2: $runs runs"
  sed 's/^/  /' "$2/words"
}

for store in "redis redis://127.0.0.1:$redis/3" "s3 s3://bucket/team/a?endpoint=http://127.0.0.1:$s3" "webdav webdav://127.0.0.1:$dav/a/b"; do
  name=${store%% *} url=${store#* }
  ASPEN_CACHE_REMOTE=$url aspen-cache-remote --try
  link "$name" one "$url"
  link "$name" two "$url"
  cmp one/a.out two/a.out
  export ASPEN_CACHE_KEY_FILE="$PWD/key"
  link "$name sealed" two "$url"
  link "$name sealed" one "$url"
  unset ASPEN_CACHE_KEY_FILE
done

# Full, and only to be read.
redis-cli -p $redis flushall > said
redis-cli -p $redis config set maxmemory 1 > said
link 'full redis' one "redis://127.0.0.1:$redis/3"
redis-cli -p $redis config set maxmemory 0 > said
redis-cli -p $redis config set requirepass word > said
link 'redis without password' one "redis://127.0.0.1:$redis/3"
link 'redis with password' one "redis://:word@127.0.0.1:$redis/3"
link 'redis with password' two "redis://:word@127.0.0.1:$redis/3"
link 'no bucket' one "s3://none/?endpoint=http://127.0.0.1:$s3"
