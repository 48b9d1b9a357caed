//! The facts document: what the AST knows about a module's functions, types and kernels. Its reader is `aspen_llvm::facts`.

#ifndef ASPEN_CLANG_FACTS_H
#define ASPEN_CLANG_FACTS_H

#include "Kernels.h"

#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"

namespace aspen {

/// The kernels alone: all that host passes and code passes report.
llvm::json::Object launchFacts(clang::ASTContext &Context, llvm::StringRef Unit, const std::vector<Kernel> &Kernels);

/// Everything about a device module, as clang emitted it.
llvm::json::Object moduleFacts(clang::ASTContext &Context, llvm::StringRef Unit, clang::CodeGenerator &Generator, const std::vector<Kernel> &Kernels);

} // namespace aspen

#endif
