//! Errors in clang's own voice: with caret, ranges and the user's flags for how to show them.

#ifndef ASPEN_CLANG_DIAGNOSE_H
#define ASPEN_CLANG_DIAGNOSE_H

#include "clang/Basic/Diagnostic.h"

namespace aspen {

/// Reports an error of ours; the arguments of the message are streamed into the result.
template <unsigned N>
clang::DiagnosticBuilder error(clang::DiagnosticsEngine &Diags, clang::SourceLocation Location, const char (&Format)[N]) {
  return Diags.Report(Location, Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, Format));
}

/// A note to the error before.
template <unsigned N>
clang::DiagnosticBuilder note(clang::DiagnosticsEngine &Diags, clang::SourceLocation Location, const char (&Format)[N]) {
  return Diags.Report(Location, Diags.getCustomDiagID(clang::DiagnosticsEngine::Note, Format));
}

} // namespace aspen

#endif
