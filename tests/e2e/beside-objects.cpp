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
//# deep: further kinds of files
//# sh: aspen++ -g -gsplit-dwarf -ftime-trace -fsave-optimization-record -fsycl-targets=native_cpu -c {self} -o out/more.o
//# exists: out/more.dwo
//# exists: out/more.opt.yaml
//# sh: grep -c traceEvents out/more.json && llvm-dwarfdump-22 out/more.o | grep dwo_name
//# stdout: 1
//# stdout~: "out/more.dwo"
//# sh: aspen++ -ftime-trace=out -fsycl-targets=native_cpu -c {self}
//# exists: out/beside-objects.json
//# sh: aspen++ -MJ entry.json -fsycl-targets=native_cpu,spir64 -c {self} -o out/own.o && { echo '['; cat entry.json; } | sed '$s/,$/]/' | python3 -c 'import json,sys; [one] = json.load(sys.stdin); print(one["file"], one["output"], one["arguments"][-1])'
//# stdout: beside-objects.cpp out/own.o out/own.o
//# sh: aspen++ -gen-cdb-fragment-path parts --serialize-diagnostics out/said.dia -mfpmath=sse -fzero-call-used-regs=used-gpr -c {self} -o out/own.o && cat parts/*.json | grep -c '"output":"out/own.o"'
//# stdout: 1
//# exists: out/said.dia
//# sh: aspen++ -fsyntax-only -MMD -MF out/syntax.d {self} && cat out/syntax.d
//# stdout~: ^beside-objects.o:
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
