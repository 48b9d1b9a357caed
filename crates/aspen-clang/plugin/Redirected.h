//! Functions that device code means otherwise than their declarations say.

#ifndef ASPEN_CLANG_REDIRECTED_H
#define ASPEN_CLANG_REDIRECTED_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include "clang/CodeGen/ModuleBuilder.h"

namespace aspen {

/// glibc's `__assert_fail`, in the pass of a device that is no part of the host: the name of SYCL's header's (sycl/printf.hpp), which
/// returns where a device cannot end the program. That header's macro reaches only what comes after it.
void redirectAsserts(clang::ASTContext &Context, clang::DeclGroupRef Group);

/// What else declares a function that is a kernel, has the mark (`enable_if`) of what declared it as one: specialisations of a template, whose
/// definitions clang mangles without it and uses with it; and later declarations, which clang takes for other functions. Source:
/// sycl_ext_oneapi_free_function_kernels; docs/decisions/0047.
void markAsDeclared(clang::ASTContext &Context, clang::Decl *D);

/// Whether a function was declared as a kernel.
bool isKernelFunction(const clang::FunctionDecl &Function);

/// Makes functions `SYCL_EXTERNAL`, and has clang generate code for them: a kernel may be defined in another unit than that which launches
/// it. Source: sycl_ext_oneapi_free_function_kernels; docs/decisions/0047.
void exportFunctions(clang::ASTContext &Context, clang::CodeGenerator *Generator, llvm::ArrayRef<clang::FunctionDecl *> Functions);

/// Whether a virtual function was declared with the property `indirectly_callable`. Source: sycl_ext_oneapi_virtual_functions.
bool isIndirectlyCallable(const clang::CXXMethodDecl &Method);

} // namespace aspen

#endif
