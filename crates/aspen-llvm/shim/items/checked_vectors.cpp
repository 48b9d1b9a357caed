// LLVM's vectoriser, and what it made looked at.
//
// Where a call gives several values at once, a function of vectors gives a structure of vectors. LLVM 22 hands such a vector to what each lane does alone
// behind a condition, where it should take the lane's element: the code is none, and the code generator crashes. No form of the values before is safe
// from it. So functions with such calls are copied before, verified, and made again without the functions of vectors if need be. Source:
// docs/decisions/0042.

#include "items.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Whether the vectoriser is told of functions of vectors that give several values.
bool givesSeveral(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->getType()->isStructTy() && Call->hasFnAttr(VFABI::MappingsAttrName);
}

} // namespace

PreservedAnalyses CheckedVectors::run(Function &F, FunctionAnalysisManager &FAM) {
  LoopVectorizePass Vectorize;
  if (none_of(instructions(F), givesSeveral))
    return Vectorize.run(F, FAM);
  ValueToValueMapTy To;
  Function *Before = CloneFunction(&F, To);
  const PreservedAnalyses Kept = Vectorize.run(F, FAM);
  const bool IsBroken = verifyFunction(F);
  if (IsBroken) {
    FAM.invalidate(F, PreservedAnalyses::none());
    F.deleteBody();
    ValueToValueMapTy Back;
    for (auto [Of, In] : zip_equal(Before->args(), F.args()))
      Back[&Of] = &In;
    SmallVector<ReturnInst *, 4> Returns;
    F.setLinkage(Before->getLinkage()); // without a body it was a declaration
    CloneFunctionInto(&F, Before, Back, CloneFunctionChangeType::LocalChangesOnly, Returns);
    for (Instruction &I : instructions(F))
      if (givesSeveral(I))
        cast<CallInst>(I).removeFnAttr(VFABI::MappingsAttrName);
    Vectorize.run(F, FAM);
  }
  FAM.clear(*Before, Before->getName());
  Before->eraseFromParent();
  return IsBroken ? PreservedAnalyses::none() : Kept;
}

} // namespace aspen::items
