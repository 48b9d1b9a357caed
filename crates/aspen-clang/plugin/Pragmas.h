//! `#pragma clang diagnostic` for `-Wsycl-aspects`, a warning that clang does not know. Source: DESIGN §2, control of diagnostics.

#ifndef ASPEN_CLANG_PRAGMAS_H
#define ASPEN_CLANG_PRAGMAS_H

#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Support/JSON.h"
#include <memory>

namespace aspen {

/// From where on which severity holds.
class PragmaLog {
  struct Entry {
    clang::SourceLocation Location;
    clang::diag::Severity Severity;
  };
  std::vector<Entry> Entries;
  std::vector<clang::diag::Severity> Stack;
  clang::diag::Severity Current = clang::diag::Severity::Warning;

public:
  void set(clang::SourceLocation Location, clang::diag::Severity Severity);
  void push() { Stack.push_back(Current); }
  void pop(clang::SourceLocation Location);
  /// A file is entered or left: the severity goes on there.
  void moved(clang::SourceLocation Location);
  /// `[{"file","line","column","severity"}]` in the order of the translation unit; empty if no pragma names the warning.
  llvm::json::Array toJson(const clang::SourceManager &SM) const;
};

/// Replaces clang's handlers of `#pragma clang diagnostic` and `#pragma GCC diagnostic` by ones that know our warning too.
void watchDiagnosticPragmas(clang::CompilerInstance &CI, std::shared_ptr<PragmaLog> Log);

} // namespace aspen

#endif
