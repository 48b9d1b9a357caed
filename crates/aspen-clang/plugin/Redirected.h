//! Functions that device code means otherwise than their declarations say.

#ifndef ASPEN_CLANG_REDIRECTED_H
#define ASPEN_CLANG_REDIRECTED_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclGroup.h"

namespace aspen {

/// glibc's `__assert_fail`, in the pass of a device that is no part of the host: the name of SYCL's header's (sycl/printf.hpp), which
/// returns where a device cannot end the program. That header's macro reaches only what comes after it.
void redirectAsserts(clang::ASTContext &Context, clang::DeclGroupRef Group);

/// A specialisation of a function template that is a kernel is one, too: clang mangles its definition without the template's mark
/// (`enable_if`), and its uses with it. Source: sycl_ext_oneapi_free_function_kernels; docs/decisions/0047.
void markSpecialisation(clang::ASTContext &Context, clang::DeclGroupRef Group);

} // namespace aspen

#endif
