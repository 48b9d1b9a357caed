//! The facts: what the AST knows about a module's functions, types and kernels. Bytes of `aspen_llvm::Facts`, member by member.

#ifndef ASPEN_CLANG_FACTS_H
#define ASPEN_CLANG_FACTS_H

#include "Kernels.h"

#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <string>

namespace aspen {

/// The kernels alone: all that host passes and code passes report.
std::string launchFacts(clang::ASTContext &Context, llvm::StringRef Unit, const std::vector<Kernel> &Kernels);

/// Everything about a device module, as clang emitted it. Kernels that name no sub-group size have the given one; 0: the device chooses.
std::string moduleFacts(clang::ASTContext &Context, llvm::StringRef Unit, clang::CodeGenerator &Generator, const std::vector<Kernel> &Kernels,
                        uint32_t SubGroupSize);

} // namespace aspen

#endif
