// The store behind the JIT cache: another machine (another cache folder) takes what a driver compiled here, if it knows the secret; nothing is
// taken without one, and what cannot be trusted is compiled. The program does not wait for what is kept: `kept` does, and shows the entry's
// inode, which another one would replace.
//# also: cache-folders.cpp
//# deep: it needs the program for shared stores
//# run: aspen++ -fsycl-targets=spir64 cache-folders.cpp -o a.out
//# sh: printf '%s\n' 'for t in $(seq 100); do ls store/jit 2>/dev/null | grep -q . && break; sleep 0.1; done; stat -c %i store/jit/*' > kept
//# sh: head -c 32 /dev/urandom > key; head -c 32 /dev/urandom > other; chmod 600 key other
// A machine with too much to do may start the program that asks too late; that is told, and what is tested here is tried again.
//# sh: echo 'export ASPEN_CACHE_REMOTE=file://$PWD/store ASPEN_CACHE_DIR=$1 ASPEN_CACHE_KEY_FILE=$2; for t in 1 2 3 4 5; do rm -rf "$1"; ./a.out > out 2> err; grep -q "takes longer" err || break; done; cat out; cat err >&2' > on
//
// Without a secret.
//# sh: sh on one ''; ls store
//# stdout: ran 7
//# count: 1 stderr aspen: ASPEN_CACHE_REMOTE=file:///.*/store: machine code is not taken from there: ASPEN_CACHE_KEY_FILE names no file with a secret
//# exit: 2
//
// With it.
//# sh: rm -r one; sh on one key && sh kept > first && ls store/jit one/jit
//# stdout: ran 7
//# count: 2 stdout ^[0-9a-f]{64}$
//# count: 0 stderr aspen:
//# sh: sh on two key && cmp one/jit/* two/jit/* && sleep 1 && sh kept | cmp - first
//# stdout: ran 7
//# count: 0 stderr aspen:
//
// Another secret, and damage.
//# sh: sh on three other
//# stdout: ran 7
//# stderr~: the entry jit/[0-9a-f]{64} was made with another secret than that of ASPEN_CACHE_KEY_FILE; it is made anew
//# sh: for t in $(seq 300); do sh kept | cmp -s - first || break; sleep 0.1; done; sleep 1; for entry in store/jit/*; do printf x | dd of=$entry bs=1 seek=100 conv=notrunc 2>&1; done; sh on four other
//# stdout: ran 7
//# stderr~: the entry jit/[0-9a-f]{64} is not what was kept there; it is made anew
//
// A server that takes connections and says nothing, one that is not there, and no program that would ask.
//# sh: python3 -c 'import socket,time; s=socket.socket(); s.bind(("127.0.0.1",0)); s.listen(); print(s.getsockname()[1],flush=True); time.sleep(300)' > port & pid=$!; until test -s port; do sleep 0.1; done; a=$(date +%s%N); ASPEN_CACHE_DIR=five ./a.out; b=$(date +%s%N); ASPEN_CACHE_DIR=six ASPEN_CACHE_KEY_FILE=key ASPEN_CACHE_REMOTE=redis://127.0.0.1:$(cat port) ./a.out; c=$(date +%s%N); kill $pid; test $((c - b)) -lt $(((b - a) * 3 + 60000000000)) && echo in time
//# count: 2 stdout ran 7
//# stdout: in time
//# stderr~: redis://127.*: (nobody answers|it takes longer than the 1\.8 seconds that a process waits for it); this process goes on without it
//# sh: ASPEN_CACHE_DIR=seven ASPEN_CACHE_KEY_FILE=key ASPEN_CACHE_REMOTE=redis://127.0.0.1:1 ./a.out
//# stdout: ran 7
//# stderr~: (nobody answers: Connection refused|it takes longer than the 1\.8 seconds)
