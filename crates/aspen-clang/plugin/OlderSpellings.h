//! Attributes of DPC++ and OpenCL that mean what one of ours means, and those that mean nothing to Aspen. None of them may be dropped with
//! the words "unknown attribute" if it limits where or how a kernel runs.

#ifndef ASPEN_CLANG_OLDERSPELLINGS_H
#define ASPEN_CLANG_OLDERSPELLINGS_H

#include "llvm/ADT/StringRef.h"

namespace aspen {

/// An attribute without a meaning here: `intel::…`, or `vec_type_hint` alone.
struct IdleAttribute {
  const char *Name;
  /// What the user must know, or null.
  const char *Warning;
};

/// The attribute of that scope and name; both may be written with underscores around them.
const IdleAttribute *findIdleAttribute(llvm::StringRef Scope, llvm::StringRef Name);

/// An attribute in `__attribute__((…))`.
struct GnuAttribute {
  const char *Name;
  /// The annotation that it becomes; null: it is left out.
  const char *Annotation;
};

const GnuAttribute *findGnuAttribute(llvm::StringRef Name);

} // namespace aspen

#endif
