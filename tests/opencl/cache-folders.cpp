// Cache folders that cannot be used: the program runs all the same, says why once if the folder was named, and what is kept in a folder that
// can only be read is read. (From root, who may write everywhere, `bounded` takes that right.)
//# sh: test "$(id -u)" = 0 && drop='setpriv --bounding-set -dac_override'; printf '#!/bin/sh\nexec %s "$@"\n' "$drop" > bounded; chmod +x bounded
//# run: aspen++ -fsycl-targets=spir64 {self} -o a.out
//
// Read-only and empty, then read-only with a program inside.
//# sh: mkdir none && chmod 555 none && ./bounded env ASPEN_CACHE_DIR=none ./a.out
//# stdout: ran 7
//# stderr~: ^aspen: ASPEN_CACHE_DIR: programs are not kept in none/jit: .*Permission denied
//# count: 1 stderr aspen:
//# run: ASPEN_CACHE_DIR=kept ./a.out
//# stdout: ran 7
//# count: 0 stderr aspen:
//# sh: chmod -R a-w kept && ASPEN_LOG=aspen_backend_opencl=debug ./bounded env ASPEN_CACHE_DIR=kept ./a.out
//# stdout: ran 7
//# count: 0 stderr aspen: ASPEN
//# sh: ls kept/jit | wc -l; chmod -R u+w kept
//# stdout: 1
//
// A file.
//# sh: echo text > file
//# run: ASPEN_CACHE_DIR=file ./a.out
//# stdout: ran 7
//# stderr~: ^aspen: ASPEN_CACHE_DIR: programs are not kept in file/jit: .*Not a directory
//# sh: cat file
//# stdout: text
//# sh: mkdir inside && echo text > inside/jit
//# run: ASPEN_CACHE_DIR=inside ./a.out
//# stdout: ran 7
//# stderr~: ^aspen: ASPEN_CACHE_DIR: programs are not kept in inside/jit: .*(no folder|File exists)
//
// One that others may write to: what lies there would be run.
//# sh: mkdir -p open/jit && chmod 777 open/jit && ASPEN_CACHE_DIR=open ./a.out
//# stdout: ran 7
//# stderr~: ^aspen: ASPEN_CACHE_DIR: programs are not kept in open/jit: others may write to it \(mode 777\)
//# sh: ls open/jit | grep -c '^[0-9a-f]' || true
//# stdout: 0
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = 6;
  q.single_task([=] { *p += 1; }).wait();
  std::printf("ran %d\n", *p);
  sycl::free(p, q);
}
