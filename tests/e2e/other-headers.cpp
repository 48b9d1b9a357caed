// A header of another SYCL implementation that is found before ours is one error that names it, in place of the hundred that its insides make.
// Headers that lead to ours in the end are no mistake.
//# sh: mkdir -p oneapi/sycl oneapi/CL acpp/sycl acpp/hipSYCL/sycl shim/CL next/sycl
//# sh: printf '#include <sycl/detail/of_another.hpp>\nnamespace sycl { inline namespace _V1 { class queue; } }\n' > oneapi/sycl/sycl.hpp
//# sh: printf '#include <sycl/sycl.hpp>\n' > oneapi/CL/sycl.hpp
//# sh: printf '#include "hipSYCL/sycl/sycl.hpp"\n' > acpp/sycl/sycl.hpp
//# sh: printf '#include "libkernel/backend.hpp"\n' > acpp/hipSYCL/sycl/sycl.hpp
//# sh: printf '#include <sycl/sycl.hpp>\nnamespace cl { namespace sycl = ::sycl; }\n' > shim/CL/sycl.hpp
//# sh: printf '#include_next <sycl/sycl.hpp>\n' > next/sycl/sycl.hpp
//# run: aspen++ -fsycl-targets=native_cpu -Ioneapi -c {self} -o program.o
//# exit: 1
//# count: 1 stderr error:
//# stderr~: other-headers\.cpp:32:10: fatal error: 'sycl/sycl\.hpp' is '.*oneapi/sycl/sycl\.hpp', a header of another SYCL implementation
//# run: aspen++ -fsycl-targets=native_cpu -isystem oneapi -DHEADER=<CL/sycl.hpp> -fsyntax-only {self}
//# exit: 1
//# count: 1 stderr error:
//# stderr~: oneapi/CL/sycl\.hpp:1:10: fatal error: 'sycl/sycl\.hpp' is '.*oneapi/sycl/sycl\.hpp', a header
//# run: aspen++ -fsycl-targets=spir64 -Iacpp -fsyntax-only {self}
//# exit: 1
//# count: 1 stderr error:
//# stderr~: acpp/sycl/sycl\.hpp:1:10: fatal error: 'hipSYCL/sycl/sycl\.hpp' is '.*acpp/hipSYCL/sycl/sycl\.hpp', a header
//# run: aspen++ -fsycl-targets=native_cpu -Ishim -DHEADER=<CL/sycl.hpp> -fsyntax-only {self}
//# run: aspen++ -fsycl-targets=native_cpu -Inext {self} -o program
//# run: ./program
//# stdout: 42
#include <cstdio>
#ifndef HEADER
#define HEADER <sycl/sycl.hpp>
#endif
// The next line is the one that errors name.

#include HEADER
int main() {
  int *out = sycl::malloc_shared<int>(1, sycl::queue());
  sycl::queue().single_task([=] { *out = 42; }).wait();
  std::printf("%d\n", *out);
}
