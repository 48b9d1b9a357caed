//! `#pragma clang diagnostic` for our warnings, which clang does not know. Source: DESIGN §2, control of diagnostics.

#ifndef ASPEN_CLANG_PRAGMAS_H
#define ASPEN_CLANG_PRAGMAS_H

#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <memory>

namespace aspen {

/// From where on which severity holds, for each of our groups that the plugin finds something for.
class PragmaLog {
public:
  static constexpr llvm::StringLiteral Groups[] = {"sycl-aspects", "sycl-strict", "sycl-external"};
  /// Those of the link, whose findings are of no place in a unit.
  static constexpr llvm::StringLiteral LinkGroups[] = {"sycl-left-out", "sycl-fixed-targets"};

private:
  struct Entry {
    clang::SourceLocation Location;
    size_t Group;
    clang::diag::Severity Severity;
  };
  using Severities = std::array<clang::diag::Severity, std::size(Groups)>;
  std::vector<Entry> Entries;
  std::vector<Severities> Stack;
  /// As the command line has it.
  static constexpr clang::diag::Severity Unset = clang::diag::Severity();
  Severities Current = {Unset, Unset, Unset};

public:
  void set(clang::SourceLocation Location, size_t Group, clang::diag::Severity Severity);
  void push() { Stack.push_back(Current); }
  void pop(clang::SourceLocation Location);
  /// A file is entered or left: the severity goes on there.
  void moved(clang::SourceLocation Location);
  /// `[{"file","line","column","group","severity"}]` in the order of the translation unit; empty if no pragma names one of the groups.
  llvm::json::Array toJson(const clang::SourceManager &SM) const;
};

/// Replaces clang's handlers of `#pragma clang diagnostic` and `#pragma GCC diagnostic` by ones that know our warnings too.
void watchDiagnosticPragmas(clang::CompilerInstance &CI, std::shared_ptr<PragmaLog> Log);

} // namespace aspen

#endif
