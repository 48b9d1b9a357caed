// What all items of a loop read in one place before they write anything is read once.
//
// LLVM looks for a write of the loop that may change it; those of other items do not, nor do later ones of the same.

#include "item_loop.h"

using namespace llvm;

namespace aspen::items {
namespace {

bool readOnce(Loop &L) {
  const MDNode *Independent = findOptionMDForLoop(&L, "llvm.loop.parallel_accesses");
  BasicBlock *Before = L.getLoopPreheader();
  bool Changed = false;
  if (!Independent || !Before)
    return false;
  for (Instruction &I : make_early_inc_range(*L.getHeader())) {
    if (I.mayWriteToMemory())
      break;
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isSimple() || Load->getMetadata(LLVMContext::MD_access_group) != Independent->getOperand(1) || !L.hasLoopInvariantOperands(Load))
      continue;
    Load->moveBefore(Before->getTerminator()->getIterator());
    Changed = true;
  }
  return Changed;
}

} // namespace

PreservedAnalyses ReadOnce::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    Changed |= readOnce(*L);
  return knownOfBlocks(Changed);
}

} // namespace aspen::items
