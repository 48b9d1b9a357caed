// Legalisation for SPIR-V: rewrites what LLVM 22's back end writes wrongly or refuses, right before code generation.
//
// The back end hands types from instruction to instruction by itself, and LLVM's generic legaliser, which it uses, makes instructions that
// it gives no type or a wrong one: `zext (trunc i64)` becomes an OpBitwiseAnd of operands of two widths. Integers of other widths than
// SPIR-V's get the next one without regard to the bits above. So the module is brought into forms that need no legalising: only widths
// that SPIR-V has, and only instructions that have one counterpart.

#include "legalise.h"
#include "../guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

using namespace llvm;
using namespace aspen::spirv;

void Complaints::add(const Function &In, const Twine &What) {
  if (First.empty())
    First = ("in function '" + Twine(demangle(In.getName())) + "': " + What).str();
}

void Complaints::add(const Instruction &At, const Twine &What) {
  std::string Place;
  if (const DILocation *Location = At.getDebugLoc().get())
    Place = (" (" + Location->getFilename() + ":" + Twine(Location->getLine()) + ":" + Twine(Location->getColumn()) + ")").str();
  add(*At.getFunction(), What + Place);
}

namespace {

// LLVM's passes over functions, with what they ask for.
struct Analyses {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB;

  Analyses() {
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};

// What the steps before left over goes before the last step: it could hide what that looks for, and nothing may come after it.
void simplify(Module &M) {
  Analyses Known;
  FunctionPassManager Passes;
  Passes.addPass(EarlyCSEPass());
  for (Function &F : M)
    if (!F.isDeclaration()) {
      // Builders without a data layout leave casts of constants as expressions, which the back end crashes on.
      for (Instruction &I : instructions(F))
        for (Use &U : I.operands())
          if (auto *Known = dyn_cast<ConstantExpr>(U))
            U.set(ConstantFoldConstant(Known, M.getDataLayout()));
      Passes.run(F, Known.FAM);
    }
}

} // namespace

// Null, or what SPIR-V has no form for, with the function.
extern "C" char *aspen_llvm_legalise_for_spirv(LLVMModuleRef Ref) {
  Module &M = *unwrap(Ref);
  Complaints Complaints;
  std::string Errors;
  bool Ran = aspen::guarded(
      [&] {
        {
          Analyses Known;
          for (Function &F : M)
            if (!F.isDeclaration())
              takeApartOddVectors(F, Known.FAM, Complaints);
        }
        for (Function &F : M)
          if (!F.isDeclaration()) {
            expandIntrinsics(F, Complaints);
            splitWide(F, Complaints);
          }
        widenOdd(M, Complaints);
        if (!Complaints.any())
          simplify(M);
        for (Function &F : M)
          if (!F.isDeclaration())
            rewriteForms(F, Complaints);
        // The back end gives types to what is only declared, too.
        for (Function &F : make_early_inc_range(M))
          if (F.isIntrinsic() && F.use_empty())
            F.eraseFromParent();
        Errors = Complaints.text();
        raw_string_ostream Said(Errors);
        if (Errors.empty() && verifyModule(M, &Said))
          Said << " (after legalisation for SPIR-V)";
      },
      Errors);
  return Ran && Errors.empty() ? nullptr : aspen::copy(Errors);
}
