//! Which extension a header belongs to is told by its path, which DPC++ documents for some and programs agree on for all.

#include "AbsentHeaders.h"

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace aspen {
namespace {

constexpr StringRef Extensions = "sycl/ext/";

struct Absent {
  StringRef Path; ///< how the header's name goes on behind `sycl/ext/`
  const char *What;
};

/// The first that fits.
constexpr Absent Known[] = {
    {"intel/fpga", "this part of Intel's FPGA extensions, since it has no FPGA target; guard them by a macro of the FPGA flow"},
    {"intel/experimental/fpga", "Intel's FPGA extensions, since it has no FPGA target; guard them by a macro of the FPGA flow"},
    {"intel/experimental/pipe", "Intel's FPGA extensions, since it has no FPGA target; guard them by a macro of the FPGA flow"},
    {"intel/ac_types", "Intel's FPGA extensions (ac_types), since it has no FPGA target; use the integers of C++"},
    {"intel/esimd", "sycl_ext_intel_esimd; write the kernel with sub-groups"},
    {"intel/experimental/esimd", "sycl_ext_intel_esimd; write the kernel with sub-groups"},
    {"oneapi/experimental/invoke_simd", "sycl_ext_oneapi_invoke_simd; write the kernel with sub-groups"},
    {"oneapi/bindless_images", "sycl_ext_oneapi_bindless_images; use a buffer or unified shared memory"},
    {"oneapi/matrix", "sycl_ext_oneapi_matrix; multiply with the group algorithms of SYCL"},
    {"oneapi/experimental/cuda", "CUDA's extensions (sycl_ext_oneapi_cuda_…); use those of SYCL 2020"},
    {"oneapi/backend", "backends other than OpenCL (sycl/backend/opencl.hpp) and CUDA (sycl/backend/cuda.hpp)"},
    {"oneapi/experimental/backend", "this way to the objects of backends; include sycl/backend/opencl.hpp or sycl/backend/cuda.hpp"},
};

class Watch : public PPCallbacks {
  DiagnosticsEngine &Diags;

public:
  explicit Watch(DiagnosticsEngine &Diags) : Diags(Diags) {}

  bool FileNotFound(StringRef Name) override { return Name.starts_with(Extensions); } // told below, where the place is known

  void InclusionDirective(SourceLocation, const Token &, StringRef Name, bool, CharSourceRange Where, OptionalFileEntryRef File, StringRef,
                          StringRef, const Module *, bool, SrcMgr::CharacteristicKind) override {
    if (File || !Name.starts_with(Extensions))
      return;
    const auto *Found = llvm::find_if(Known, [&](const Absent &A) { return Name.drop_front(Extensions.size()).starts_with(A.Path); });
    const char *What = Found == std::end(Known) ? "this extension of DPC++" : Found->What;
    // As clang's error: what follows would complain of the names that are missing.
    Diags.Report(Where.getBegin(),
                 Diags.getCustomDiagID(DiagnosticsEngine::Fatal, "Aspen does not have %0 (no header '%1'; docs/SYCL.md lists the extensions it has)"))
        << What << Name;
  }
};

} // namespace

void nameAbsentHeaders(CompilerInstance &CI) { CI.getPreprocessor().addPPCallbacks(std::make_unique<Watch>(CI.getDiagnostics())); }

} // namespace aspen
