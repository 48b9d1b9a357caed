// Modules that make one image together, each with some of its entry points: code is made of them in several processes.
//
// A part is the closure of its entry points, so constants and functions that several parts reach are in each of them. Variables that change are one
// for all: weak definitions, of which the linker takes the first.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {
bool isShared(const GlobalVariable &V) {
  return V.hasInitializer() && !V.getName().starts_with("llvm.") && (!V.isConstant() || V.isExternallyInitialized() || !V.hasLocalLinkage());
}
} // namespace

// How many instructions the module has; none if parts of it would not do what it does. Variables that have no name have one afterwards.
extern "C" size_t aspen_llvm_size_for_parts(LLVMModuleRef Whole) {
  Module &M = *unwrap(Whole);
  // Assembly defines symbols; constructors are run by the module that has them.
  if (!M.getModuleInlineAsm().empty() || !M.aliases().empty() || !M.ifuncs().empty())
    return 0;
  for (GlobalVariable &V : M.globals()) {
    if (V.hasAppendingLinkage() && V.getName() != "llvm.used" && V.getName() != "llvm.compiler.used")
      return 0;
    if (isShared(V) && !V.hasName())
      V.setName("aspen.shared");
  }
  return M.getInstructionCount();
}

extern "C" void aspen_llvm_share_variables(LLVMModuleRef Part, LLVMModuleRef Whole) {
  for (GlobalVariable &V : unwrap(Part)->globals()) {
    const GlobalVariable *Of = V.hasInitializer() ? unwrap(Whole)->getGlobalVariable(V.getName(), /*AllowInternal=*/true) : nullptr;
    if (!Of || !isShared(*Of))
      continue;
    V.setComdat(nullptr);
    V.setLinkage(GlobalValue::WeakAnyLinkage);
    V.setVisibility(Of->hasLocalLinkage() ? GlobalValue::HiddenVisibility : Of->getVisibility());
  }
}
