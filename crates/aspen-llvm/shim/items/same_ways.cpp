// Values that are computed alike on each way to a block.
//
// `if (lid == 0) shared = in[row * n]; barrier; … row * n …`: LLVM puts what is computed behind the barrier into the way that has not computed it yet, and a phi
// in the place of the value (GVN's partial redundancies). Then it is a value of each item's, which is kept for each, although all have the same. It is
// computed once, in front of the ways. The way is known as code hoisting (Briggs and Cooper, 1994).

#include "items.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Whether the value is an instruction that may be computed anywhere where its operands are.
Instruction *computed(Value *V, const DominatorTree &Tree) {
  auto *I = dyn_cast<Instruction>(V);
  return I && isCheap(*I) && Tree.isReachableFromEntry(I->getParent()) ? I : nullptr;
}

// The instruction that all ways have, in front of them, if they have one.
Instruction *inFront(const PHINode &Phi, const DominatorTree &Tree) {
  Instruction *Front = computed(Phi.getIncomingValue(0), Tree);
  BasicBlock *Common = Front ? Front->getParent() : nullptr;
  SmallVector<Instruction *, 4> Ways;
  for (Value *V : Phi.incoming_values()) {
    Instruction *I = computed(V, Tree);
    if (!Front || !I || !I->isIdenticalToWhenDefined(Front))
      return nullptr;
    Common = Tree.findNearestCommonDominator(Common, I->getParent());
    Ways.push_back(I);
  }
  // One that lies in front of the others stays where it is.
  for (Instruction *I : Ways)
    if (I->getParent() == Common && (Front->getParent() != Common || Tree.dominates(I, Front)))
      Front = I;
  Instruction *At = Common->getTerminator();
  if (Front->getParent() != Common) {
    if (!all_of(Front->operands(), [&](const Use &Of) { return Tree.dominates(Of.get(), At); }))
      return nullptr;
    Front->moveBefore(At->getIterator());
  }
  for (Instruction *I : Ways)
    Front->andIRFlags(I);
  Front->dropUBImplyingAttrsAndMetadata();
  return Front;
}

} // namespace

void computeOnce(Function &F) {
  const DominatorTree Tree(F);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock &Block : F)
      for (PHINode &Phi : make_early_inc_range(Block.phis()))
        if (Instruction *Front = inFront(Phi, Tree)) {
          const SmallSetVector<Value *, 4> Ways(Phi.op_begin(), Phi.op_end());
          Phi.replaceAllUsesWith(Front);
          Phi.eraseFromParent();
          for (Value *V : Ways)
            if (V != Front) {
              V->replaceAllUsesWith(Front);
              cast<Instruction>(V)->eraseFromParent();
            }
          Changed = true;
        }
  }
}

} // namespace aspen::items
