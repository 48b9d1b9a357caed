// A disk that is full, for which a limit of the file size stands: the program runs, and nothing is left of what does not fit into the cache.
//# also: cache-folders.cpp
//# run: aspen++ -fsycl-targets=spir64 cache-folders.cpp -o a.out
//# sh: trap '' XFSZ; (ulimit -f 0; ASPEN_LOG=warn ASPEN_CACHE_DIR=full ./a.out 2>&1) | cat
//# stdout: ran 7
//# stdout~: the JIT cache cannot keep a program folder=full/jit error=.*File too large
//# sh: ls full/jit | wc -l
//# stdout: 0
