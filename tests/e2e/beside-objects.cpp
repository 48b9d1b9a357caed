// What clang writes beside objects lies where clang puts it: notes and counts for coverage, traces, split debug information, remarks. Links
// that cannot be are refused before anything is compiled.
//# sh: mkdir out && aspen++ --coverage -O0 -fsycl-targets=native_cpu -c {self} -o out/own.o && aspen++ --coverage -fsycl-targets=native_cpu out/own.o -o program
//# exists: out/own.gcno
//# sh: ./program && llvm-cov-22 gcov -t out/own.gcda 2>&1 | grep -E "// (twice|never)"
//# stdout~: ^ +2: +\d+:.*// twice$
//# stdout~: ^ +#+: +\d+:.*// never$
//# sh: aspen++ --coverage -fsycl-targets=native_cpu {self} -o out/program && out/program
//# exists: out/program-beside-objects.gcno
//# exists: out/program-beside-objects.gcda
//# sh: aspen++ -g -gsplit-dwarf -ftime-trace -fsave-optimization-record -fsycl-targets=native_cpu -c {self} -o out/more.o
//# exists: out/more.dwo
//# exists: out/more.opt.yaml
//# sh: grep -c traceEvents out/more.json && llvm-dwarfdump-22 out/more.o | grep dwo_name
//# stdout: 1
//# stdout~: "out/more.dwo"
//# sh: aspen++ -ftime-trace=out -fsycl-targets=native_cpu -c {self}
//# exists: out/beside-objects.json
//# run: aspen++ -static -fsycl-targets=native_cpu {self} -o static
//# exit: 1
//# stderr: aspen++: error: '-static': programs load libaspen.so, and it the drivers of devices, when they start; '-static-libstdc++ -static-libgcc' puts the other libraries into the program
//# absent: static
//# run: aspen++ -static-libstdc++ -static-libgcc -fsycl-targets=native_cpu {self} -o static
//# run: ./static
#include <sycl/sycl.hpp>

int counted(int value) {
  if (value < 0)
    return -1; // never
  return value + 1; // twice
}

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = counted(1) + counted(2);
  q.single_task([=] { *p += 1; }).wait();
  return *p == 6 ? 0 : 1;
}
