// Lanes in step, where programs count on it.
//
// One place of an array that lanes write or read by their own numbers is accessed for all, or by one of them, without a barrier between:
// `t[lane] = x; if (lane == 0) t[31] = sum;`. On GPUs and in vectors all lanes do the first before one does the second. Here a lane would do both
// before the next one does either, so the item is cut between them. The same goes for one place that some lanes write, and what others do there, and for
// what lanes read of others a step away: `t[lane] = x; y = t[lane + 16];`, `t[lane] += t[lane - 1];`.
// It is a race in SYCL; oneDPL's scans have it, and programs that were written for warps. Only kernels that use their sub-groups count on such
// steps. docs/decisions/0066.

#include "lane_places.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Accesses of a piece that are compared with each other.
constexpr size_t MaxStepped = 256;

// Whether there is a way in a piece.
bool leadsTo(BasicBlock *From, const BasicBlock *To, const Blocks &Piece) {
  SmallPtrSet<BasicBlock *, 16> Seen;
  SmallVector<BasicBlock *, 16> Open{From};
  while (!Open.empty())
    for (BasicBlock *Next : successors(Open.pop_back_val())) {
      if (Next == To)
        return true;
      if (Piece.contains(Next) && Seen.insert(Next).second)
        Open.push_back(Next);
    }
  return false;
}

} // namespace

bool cutAtSteps(const View &V, Pieces &Out) {
  struct Access {
    Instruction *At;
    const Value *Object;
    bool One, Writes, ByAll; // one place for all; whether all lanes come there
  };
  const LanePlaces Places(*Out.Starts.front()->getParent(), V);
  for (BasicBlock *Start : Out.Starts) {
    const Blocks Piece = blocksOf(Start, Out);
    SmallVector<Access, 16> All;
    for (BasicBlock *B : Piece)
      for (Instruction &I : *B)
        if (Value *Pointer = getLoadStorePointerOperand(&I)) {
          const Value *Object = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
          if (!isa<AllocaInst>(Object) && All.size() < MaxStepped)
            All.push_back({&I, Object, V.Uniform->isUniform(Pointer), isa<StoreInst>(I), V.together(B)});
        }
    for (const Access &Then : All) {
      BasicBlock *const Last = Then.At->getParent();
      // The last block on the way to it to which all lanes come.
      BasicBlock *Meet = Last;
      while (Meet && !V.together(Meet)) {
        const DomTreeNode *Node = V.Before.getNode(Meet);
        Meet = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
      }
      if (!Meet || !Piece.contains(Meet) || inWholeLoop(Meet, V, Out))
        continue;
      for (const Access &First : All) {
        BasicBlock *const From = First.At->getParent();
        if (First.Object != Then.Object || !(First.Writes || Then.Writes))
          continue;
        // Of one place what some lanes write; else of lanes' places and one place; of lanes' places what one writes behind it, or has written in front. Lanes go
        // in order, so that nobody finds what one behind it is to write.
        if (First.One && Then.One) {
          if (!((First.Writes && !First.ByAll) || (Then.Writes && !Then.ByAll)))
            continue;
        } else if (First.One == Then.One) {
          if (First.Writes == Then.Writes || !Places.isBehind(getLoadStorePointerOperand(First.At), getLoadStorePointerOperand(Then.At)))
            continue;
        }
        const bool Comes = From != Meet ? !Out.Starts.contains(Meet) && !V.Before.dominates(Meet, From) && leadsTo(From, Meet, Piece)
                                        : Meet != Last || First.At->comesBefore(Then.At);
        if (!Comes)
          continue;
        if (!mayCut(Out))
          return false;
        Instruction *const Where = Meet == Last ? Then.At : Meet->getTerminator();
        Out.Starts.insert(SplitBlock(Meet, Where->getIterator()));
        return true;
      }
    }
  }
  return false;
}

} // namespace aspen::items
