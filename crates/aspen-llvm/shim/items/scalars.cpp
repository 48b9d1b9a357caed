// Vectors of the source (`sycl::float4`) become the numbers that they are of.
//
// LLVM's vectoriser leaves alone what is a vector already, so that a kernel with one ran item by item, with a quarter of a register or an eighth. Apart, the
// numbers of many items become vectors as if the kernel had been written with numbers; what comes from memory in fours is sorted on the way. In what
// stays a loop within one item, the SLP vectoriser puts together again what pays. OpenCL's drivers for processors do the same.

#include "items.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

namespace aspen::items {

void takeVectorsApart(Function &F, FunctionAnalysisManager &Analyses) {
  if (none_of(instructions(F), [](const Instruction &I) { return I.getType()->isVectorTy(); }))
    return;
  ScalarizerPassOptions All;
  All.ScalarizeMinBits = 0;
  All.ScalarizeLoadStore = true;
  FunctionPassManager Passes;
  Passes.addPass(ScalarizerPass(All));
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(InstCombinePass());
  Analyses.invalidate(F, Passes.run(F, Analyses));
}

void chooseHalvesByBits(Function &F) {
  if (F.getFnAttribute("target-features").getValueAsString().contains("+avx512fp16"))
    return;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Select = dyn_cast<SelectInst>(&I);
    if (!Select || !(I.getType()->isHalfTy() || I.getType()->isBFloatTy()))
      continue;
    IRBuilder<> B(Select);
    auto Bits = [&](Value *V) { return B.CreateBitCast(V, B.getInt16Ty()); };
    Value *Chosen = B.CreateSelect(Select->getCondition(), Bits(Select->getTrueValue()), Bits(Select->getFalseValue()));
    Select->replaceAllUsesWith(B.CreateBitCast(Chosen, Select->getType()));
    Select->eraseFromParent();
  }
}

} // namespace aspen::items
