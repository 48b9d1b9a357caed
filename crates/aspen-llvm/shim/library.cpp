// Vendors' libraries of device functions (libdevice): what is needed of them is linked into a module, private to it, and they have no functions
// of vectors.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

#include <memory>

using namespace llvm;

// Links what Destination lacks and Source defines; consumes Source. What comes in is internal and for the same processor as Destination's
// own code, so that it can be inlined. Null when it went well, else a message. *Lost: LLVM crashed, the context must be leaked.
extern "C" char *aspen_llvm_link_library(LLVMModuleRef Destination, LLVMModuleRef Source, const char *Processor, const char *Features,
                                         bool *Lost) {
  Module &Into = *unwrap(Destination);
  std::unique_ptr<Module> Library(unwrap(Source));
  // Libraries name a triple of their own, and an old data layout.
  Library->setTargetTriple(Into.getTargetTriple());
  Library->setDataLayout(Into.getDataLayout());
  for (auto &F : *Library)
    if (!F.isDeclaration()) {
      F.addFnAttr("target-cpu", Processor);
      F.addFnAttr("target-features", Features);
    }
  auto Internalize = [](Module &M, const StringSet<> &Came) {
    internalizeModule(M, [&](const GlobalValue &G) { return !G.hasName() || !Came.contains(G.getName()); });
  };
  bool Failed = false;
  std::string Errors;
  *Lost = !aspen::guarded([&] { Failed = Linker::linkModules(Into, std::move(Library), Linker::LinkOnlyNeeded, Internalize); }, Errors);
  if (*Lost)
    return aspen::copy(Errors);
  return Failed ? aspen::copy("the library does not fit the module") : nullptr;
}

// Takes the arithmetic and the intrinsics of a function apart where they are of vectors. Null or a message.
extern "C" char *aspen_llvm_scalarise(LLVMValueRef Function) {
  std::string Errors;
  const bool Fine = aspen::guarded(
      [&] {
        LoopAnalysisManager Loops;
        FunctionAnalysisManager Functions;
        CGSCCAnalysisManager Graphs;
        ModuleAnalysisManager Modules;
        PassBuilder Builder;
        Builder.registerModuleAnalyses(Modules);
        Builder.registerCGSCCAnalyses(Graphs);
        Builder.registerFunctionAnalyses(Functions);
        Builder.registerLoopAnalyses(Loops);
        Builder.crossRegisterProxies(Loops, Functions, Graphs, Modules);
        ScalarizerPass().run(*unwrap<llvm::Function>(Function), Functions);
      },
      Errors);
  return Fine ? nullptr : aspen::copy(Errors);
}
