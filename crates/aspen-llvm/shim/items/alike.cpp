// Two variables of a loop that always hold the same.
//
// What a function keeps in a variable of its caller's (`total += …` through a reference) is in memory while the function is simplified by itself. Loads
// go to one variable of the loop then, and what is left of the memory, once the caller is known, to another. Nothing that LLVM does finds out that
// both are one, since each is asked for by way of the other's next value; and of two sums that depend on each other there is no vector.

#include "item_loop.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace aspen::items {
namespace {

// From an assumption to what it follows from.
constexpr unsigned MaxDepth = 8;

class Alike {
public:
  Alike(const Loop &L, const PHINode &A, const PHINode &B) : L(L), A(A), B(B) {}

  // Whether both are the same in each turn: if they are in one, they are in the next.
  bool holds() const {
    return A.getType() == B.getType() && all_of(A.blocks(), [&](BasicBlock *From) {
             Value *Of = A.getIncomingValueForBlock(From), *Other = B.getIncomingValueForBlock(From);
             return L.contains(From) ? isSame(Of, Other, 0) : Of == Other;
           });
  }

private:
  bool isSame(const Value *One, const Value *Other, unsigned Depth) const {
    if (One == Other || (One == &A && Other == &B) || (One == &B && Other == &A))
      return true;
    const auto *I = dyn_cast<Instruction>(One), *J = dyn_cast<Instruction>(Other);
    if (Depth == MaxDepth || !I || !J || !L.contains(I) || !L.contains(J) || isa<AllocaInst, FreezeInst>(I) || I->mayReadOrWriteMemory() ||
        I->mayHaveSideEffects() || !I->isSameOperationAs(J) || !I->hasSameSubclassOptionalData(J))
      return false;
    if (const auto *Phi = dyn_cast<PHINode>(I); Phi && (Phi->getParent() != J->getParent() || Phi->getParent() == L.getHeader() ||
                                                        !equal(Phi->blocks(), cast<PHINode>(J)->blocks())))
      return false;
    return all_of(zip(I->operands(), J->operands()), [&](auto Both) { return isSame(std::get<0>(Both), std::get<1>(Both), Depth + 1); });
  }

  const Loop &L;
  const PHINode &A, &B;
};

bool merge(Loop &L) {
  SmallVector<WeakTrackingVH, 4> Dead;
  SmallVector<PHINode *, 8> Kept;
  for (PHINode &Phi : L.getHeader()->phis()) {
    auto Same = find_if(Kept, [&](PHINode *Other) { return Alike(L, *Other, Phi).holds(); });
    if (Same == Kept.end()) {
      Kept.push_back(&Phi);
      continue;
    }
    // What each comes from is the same, too, and asked for behind the loop.
    Phi.replaceAllUsesWith(*Same);
    Dead.push_back(&Phi);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  return !Dead.empty();
}

} // namespace

PreservedAnalyses AlikeStates::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    Changed |= merge(*L);
  return knownOfBlocks(Changed);
}

} // namespace aspen::items
