#include "WholeLoops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace aspen {
namespace {

constexpr const char *Count = "llvm.loop.unroll.count";

// Instructions that a condition is looked through.
constexpr size_t MaxOfCondition = 32;

// Whether what ends the loop began at no number that is known, as what counts up from a work-item's number does.
bool beginsAnywhere(const Loop &L) {
  SmallVector<BasicBlock *, 4> Ends;
  L.getExitingBlocks(Ends);
  SmallSetVector<const Value *, MaxOfCondition> Of;
  for (const BasicBlock *End : Ends)
    if (const auto *Branch = dyn_cast<BranchInst>(End->getTerminator()))
      Of.insert(Branch->getCondition());
  const BasicBlock *Before = L.getLoopPredecessor();
  for (size_t Next = 0; Before && Next < Of.size() && Next < MaxOfCondition; Next++) {
    const auto *I = dyn_cast<Instruction>(Of[Next]);
    if (!I || !L.contains(I))
      continue;
    const auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && Phi->getParent() == L.getHeader()) {
      if (!isa<Constant>(Phi->getIncomingValueForBlock(Before)))
        return true;
    } else if (!isa<LoadInst, CallBase>(I)) {
      Of.insert(I->op_begin(), I->op_end());
    }
  }
  return false;
}

// `addStringMetadataToLoop` only adds.
void forgetCount(Loop &L) {
  SmallVector<Metadata *, 4> Kept{nullptr};
  for (const MDOperand &Operand : drop_begin(L.getLoopID()->operands())) {
    const auto *Node = dyn_cast<MDNode>(Operand);
    const auto *Name = Node && Node->getNumOperands() ? dyn_cast<MDString>(Node->getOperand(0)) : nullptr;
    if (!Name || Name->getString() != Count)
      Kept.push_back(Operand);
  }
  MDNode *Id = MDNode::getDistinct(L.getHeader()->getContext(), Kept);
  Id->replaceOperandWith(0, Id);
  L.setLoopID(Id);
}

} // namespace

PreservedAnalyses KeepLoopsWhole::run(Function &F, FunctionAnalysisManager &AM) {
  for (Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (findStringMetadataForLoop(L, Count) && !AM.getResult<ScalarEvolutionAnalysis>(F).getSmallConstantTripCount(L) && beginsAnywhere(*L))
      forgetCount(*L);
  return PreservedAnalyses::all();
}

} // namespace aspen
