// clang's options of how diagnostics look hold for the driver's own as well: line by line as clang shows a warning of its own at the same place.
//# sh: sh look.sh
//# stdout: same
//# sh: sh look.sh -fno-caret-diagnostics
//# stdout: same
//# sh: sh look.sh -fno-show-column
//# stdout: same
//# sh: sh look.sh -fno-show-source-location
//# stdout: same
//# sh: sh look.sh -fdiagnostics-absolute-paths
//# stdout: same
//# sh: sh look.sh -fno-diagnostics-show-line-numbers
//# stdout: same
//# sh: sh look.sh -fno-diagnostics-show-option
//# stdout: same
//# sh: sh look.sh -fdiagnostics-format=msvc
//# stdout: same
//# sh: sh look.sh -fdiagnostics-format=vi -fno-show-column
//# stdout: same
//# sh: sh look.sh -fdiagnostics-format=msvc -fcolor-diagnostics -fno-caret-diagnostics
//# stdout: same
//# sh: sh look.sh -fcolor-diagnostics -fno-color-diagnostics -fansi-escape-codes
//# stdout: same
//# sh: sh look.sh -fmessage-length=48
//# stdout: same
//# sh: sh look.sh -fmessage-length=70 -fno-show-column
//# stdout: same
//# run: aspen++ -fsyntax-only -fsycl-targets=native_cpu -fdiagnostics-parseable-fixits {self}
//# stderr~: ^fix-it:"diagnostics-look.cpp":\{55:42-55:42\}:", sycl::aspect::fp64"$
//# run: aspen++ -fsyntax-only -fsycl-targets=native_cpu -fno-diagnostics-fixit-info {self}
//# stderr~: ^diagnostics-look.cpp:55:7: note: aspects of 'half' are declared here$
//# count: 0 stderr sycl::aspect::fp64
//# run: aspen++ -fsyntax-only -fsycl-targets=native_cpu -fno-diagnostics-fixit-info -fdiagnostics-parseable-fixits -fno-caret-diagnostics {self}
//# count: 0 stderr fix-it
//# run: aspen++ -fsyntax-only -Wall -fsycl-targets=native_cpu -fno-show-column -fno-show-source-location -fno-diagnostics-show-option -fmessage-length=30 -fdiagnostics-format=json {self}
//# stderr~: "group":"unused-variable".*"place":\{"column":7,.*"group":"sycl-aspects"
//# run: aspen++ -fsyntax-only -fdiagnostics-format=xml {self}
//# exit: 1
//# stderr~: 'xml' is no value of '-fdiagnostics-format'; choose one of 'text', 'clang', 'msvc', 'vi', 'json', 'sarif'
//# run: aspen++ -fsyntax-only -fmessage-length=wide {self}
//# exit: 1
//# stderr~: error: invalid argument 'wide' to -fmessage-length=
#ifdef CLANG
#define EXTERNAL
void use(float)
    __attribute__((diagnose_if(true, "function 'half' uses aspect 'fp64' not listed in 'sycl::device_has'", "warning", "unused-label")));
#else
#define EXTERNAL __attribute__((sycl_external)) // as the headers have them, which take long to read
namespace sycl { enum class aspect { fp16 = 5, fp64 = 6 }; }
EXTERNAL [[sycl::device_has(sycl::aspect::fp64)]] void use(float);
#endif

/* a tab */	EXTERNAL
#ifndef CLANG
    [[sycl::device_has(sycl::aspect::fp16)]]
#endif
    void half(float x) {
  int unused;
  /* a tab */	use(x);
}
//# file: look.sh
# How clang shows its own, with the group's name replaced, what it underlines left out, and how many there were.
clang++-22 -DCLANG -fsyntax-only "$@" diagnostics-look.cpp 2>&1 | sed 's/unused-label/sycl-aspects/; s/~//g; / generated\.$/d' > clang.txt
aspen++ -fsyntax-only -fsycl-targets=native_cpu "$@" diagnostics-look.cpp 2>&1 | sed '/^use is from/,$d' > aspen.txt
diff clang.txt aspen.txt && test -s clang.txt && echo same
