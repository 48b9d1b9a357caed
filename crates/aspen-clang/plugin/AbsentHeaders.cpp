//! Which extension a header belongs to is told by its path, which DPC++ documents for some and programs agree on for all.

#include "AbsentHeaders.h"

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

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
    {"oneapi/experimental/cuda", "CUDA's extensions (sycl_ext_oneapi_cuda_…); use those of SYCL 2020"},
    {"oneapi/backend", "backends other than OpenCL (sycl/backend/opencl.hpp) and CUDA (sycl/backend/cuda.hpp)"},
    {"oneapi/experimental/backend", "this way to the objects of backends; include sycl/backend/opencl.hpp or sycl/backend/cuda.hpp"},
};

/// Whether a name ends with one of those that all implementations have for the header of everything.
bool isOfEverything(StringRef Name) {
  const StringRef Folder = Name.consume_back("/sycl.hpp") ? llvm::sys::path::filename(Name, llvm::sys::path::Style::posix) : "";
  return Folder == "sycl" || Folder == "CL";
}

/// Whether it leads to another header of everything, which may be ours: a wrapper, or an older name.
bool leadsOn(StringRef Text) {
  return Text.contains("include_next") || Text.contains("sycl.hpp>") || Text.contains("sycl.hpp\"");
}

class Watch : public PPCallbacks {
  DiagnosticsEngine &Diags;
  SourceManager &SM;
  FileManager &Files;

  /// The header's folder's folder has what no other implementation has.
  bool isOurs(FileEntryRef File) {
    SmallString<128> Beside(llvm::sys::path::parent_path(llvm::sys::path::parent_path(File.getName())));
    llvm::sys::path::append(Beside, "aspen", "aspen.h");
    return bool(Files.getOptionalFileRef(Beside));
  }

public:
  explicit Watch(CompilerInstance &CI) : Diags(CI.getDiagnostics()), SM(CI.getSourceManager()), Files(CI.getFileManager()) {}

  bool FileNotFound(StringRef Name) override { return Name.starts_with(Extensions); } // told below, where the place is known

  void InclusionDirective(SourceLocation, const Token &, StringRef Name, bool, CharSourceRange Where, OptionalFileEntryRef File, StringRef,
                          StringRef, const Module *, bool, SrcMgr::CharacteristicKind) override {
    if (File) {
      if (isOfEverything(Name) && !isOurs(*File) && !leadsOn(SM.getMemoryBufferForFileOrFake(*File).getBuffer()))
        // The next hundred errors would be of its insides.
        Diags.Report(Where.getBegin(),
                     Diags.getCustomDiagID(DiagnosticsEngine::Fatal, "'%0' is '%1', a header of another SYCL implementation: "
                                                                     "leave its folder out of '-I', '-isystem' and what else leads there"))
            << Name << File->getName();
      return;
    }
    if (!Name.starts_with(Extensions))
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

void nameAbsentHeaders(CompilerInstance &CI) { CI.getPreprocessor().addPPCallbacks(std::make_unique<Watch>(CI)); }

} // namespace aspen
