// A cache folder that belongs to another user is not used: what lies there would be run.
//# needs-root: it gives a folder to another user
//# also: cache-folders.cpp
//# run: aspen++ -fsycl-targets=spir64 cache-folders.cpp -o a.out
//# sh: mkdir -p others/jit && chown 12345 others/jit && ASPEN_CACHE_DIR=others ./a.out
//# stdout: ran 7
//# stderr~: ^aspen: ASPEN_CACHE_DIR: programs are not kept in others/jit: it belongs to user 12345, and what lies there would be run
//# sh: ls others/jit | grep -c '^[0-9a-f]' || true
//# stdout: 0
