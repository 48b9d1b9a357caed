//! Errors and warnings in clang's own voice: with caret, ranges and the user's flags for how to show them.

#ifndef ASPEN_CLANG_DIAGNOSE_H
#define ASPEN_CLANG_DIAGNOSE_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticCategories.h"
#include "clang/Basic/DiagnosticIDs.h"

namespace aspen {

/// Reports an error of ours; the arguments of the message are streamed into the result.
template <unsigned N>
clang::DiagnosticBuilder error(clang::DiagnosticsEngine &Diags, clang::SourceLocation Location, const char (&Format)[N]) {
  return Diags.Report(Location, Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, Format));
}

/// A warning of ours about an attribute, most often that it has no effect; `-Wno-ignored-attributes`, or what the group is called, silences it, and
/// device passes show none.
inline clang::DiagnosticBuilder warning(clang::DiagnosticsEngine &Diags, clang::SourceLocation Location, llvm::StringRef Format,
                                        clang::diag::Group Group = clang::diag::Group::IgnoredAttributes) {
  using namespace clang;
  const DiagnosticIDs::CustomDiagDesc Described(diag::Severity::Warning, Format.str(), DiagnosticIDs::CLASS_WARNING, /*ShowInSystemHeader=*/false,
                                                /*ShowInSystemMacro=*/false, Group);
  return Diags.Report(Location, Diags.getDiagnosticIDs()->getCustomDiagID(Described));
}

/// A note to the error before.
template <unsigned N>
clang::DiagnosticBuilder note(clang::DiagnosticsEngine &Diags, clang::SourceLocation Location, const char (&Format)[N]) {
  return Diags.Report(Location, Diags.getCustomDiagID(clang::DiagnosticsEngine::Note, Format));
}

} // namespace aspen

#endif
