// clangd reads SYCL by the configuration that aspen prints, whatever options of aspen++ the command line has, and still sees mistakes; what is
// compiled by it links to nothing. Without an editor, aspen++ itself tells without writing anything.
//# also: ../../examples/tour.cpp
//# also: ../headers/run_groups.cpp
//# also: ../headers/run_ext_properties.cpp
//# also: ../headers/check.hpp
//# sh: aspen clangd-config > .clangd && sh check.sh editors.cpp
//# stdout~: All checks completed
//# count: 0 stdout ^E
//# sh: sh check.sh wrong.cpp
//# stdout~: ^E\[.*[Nn]o member named 'nobody' in 'sycl::queue'
// The database that aspen++ itself writes does, too.
//# sh: aspen++ -MJ entry -fsycl -fsycl-targets=native_cpu -Xs '-device pvc' -Wno-sycl-aspects -fp-model precise -c {self} -o a.o 2> /dev/null && mkdir own && { echo [; sed 's/,$/]/' entry; } > own/compile_commands.json && clangd-22 --compile-commands-dir=own --check={self} 2>&1 | grep -E '^E[^ ]+ \[|All checks'
//# stdout~: All checks completed
//# count: 0 stdout ^E
//# run: aspen++ -fsycl-targets=native_cpu -D__ASPEN_EDITOR__ {self} -o program
//# exit: 1
//# stderr~: __aspen_compiled_for_an_editor_by_ASPEN_EDITOR__
//# absent: program
//# run: aspen++ -fsyntax-only {self}
//# stderr~: ^editors.cpp:47:\d+: warning: function 'half' uses aspect 'fp64' not listed in 'sycl::device_has' \[-Wsycl-aspects\]
//# count: 1 stderr warning:
//# run: aspen++ -fsyntax-only -Werror=sycl-aspects {self}
//# exit: 1
//# run: aspen++ -fsyntax-only -Wno-sycl-aspects {self}
//# count: 0 stderr .
//# run: aspen++ -fsyntax-only -fsycl-targets=native_cpu -fdiagnostics-format=json {self}
//# stderr~: "group":"sycl-aspects"
//# run: aspen++ -fsyntax-only -fdiagnostics-format=sarif {self}
//# stderr~: "ruleId":"sycl-aspects"
//# absent: editors.o
//# deep: further programs
//# sh: sh check.sh tour.cpp
//# stdout~: All checks completed
//# count: 0 stdout ^E
//# sh: sh check.sh run_groups.cpp
//# stdout~: All checks completed
//# count: 0 stdout ^E
//# sh: sh check.sh run_ext_properties.cpp
//# stdout~: All checks completed
//# count: 0 stdout ^E
#include <sycl/sycl.hpp>

SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::fp16)]] float half(float x) {
  // Twice, so that it is fp64's in all passes.
  return static_cast<float>(
      static_cast<double>(x) * 0.5);
}

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(1, q);
  q.single_task([=] { *p = half(3); }).wait();
}
//# file: check.sh
# A file as a build describes it, with words that clang does not know.
mkdir -p database
printf '[{"directory":"%s","file":"%s","arguments":["aspen++","-O2","-fsycl","-fsycl-targets=native_cpu,spir64","-Wno-sycl-aspects","-c","%s"]}]\n' \
  "$PWD" "$1" "$1" > database/compile_commands.json
clangd-22 --compile-commands-dir=database --check="$1" 2>&1 | grep -E '^E[^ ]+ \[|All checks' # not what its refactorings cannot do
//# file: wrong.cpp
#include <sycl/sycl.hpp>
int main() { sycl::queue().nobody(); }
