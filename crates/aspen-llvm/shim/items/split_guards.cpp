// Guards in two, where all items are to come together between: `if (lane < 16) { A; B; }` becomes `if (lane < 16) A; here; if (lane < 16) B;`.
//
// An item is cut only where all come. Here the guard is asked again behind that place, by the same value; what is made in front and wanted behind is nothing to
// those that did not pass. Where guards are in guards, one goes after the other.

#include "view.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

// The guard that parts items on their way to a block, which all come to who pass it; null if it is none that can be asked again.
BranchInst *guardOf(BasicBlock &B, const View &V, const Pieces &P) {
  for (BasicBlock *At = &B; !P.Starts.contains(At);) {
    const DomTreeNode *Node = V.Before.getNode(At);
    if (!Node || !Node->getIDom())
      return nullptr;
    At = Node->getIDom()->getBlock();
    if (V.differs(*At) && !V.After.dominates(&B, At))
      return dyn_cast<BranchInst>(At->getTerminator());
  }
  return nullptr;
}

// What a guard parts from the others on their way to a block, if it can be asked again there.
struct Guarded {
  BranchInst *Way;
  bool Passes; // by its first way out
  BasicBlock *Others;
  SmallPtrSet<const BasicBlock *, 16> Front; // from the guard up to the block

  BasicBlock *guard() const { return Way->getParent(); }
};

std::optional<Guarded> findGuarded(BasicBlock &At, const View &V, const Pieces &P) {
  BranchInst *const Way = guardOf(At, V, P);
  if (!Way || Way->isUnconditional() || Way->getSuccessor(0) == Way->getSuccessor(1))
    return std::nullopt;
  BasicBlock *const Guard = Way->getParent(), *const Join = V.joinOf(*Guard);
  const bool Passes = V.Before.dominates(BasicBlockEdge(Guard, Way->getSuccessor(0)), &At);
  BasicBlock *const Begin = Way->getSuccessor(!Passes);
  if (!Join || !V.Before.dominates(BasicBlockEdge(Guard, Begin), &At) || !V.After.dominates(&At, Begin) || V.Loops.getLoopFor(&At) != V.Loops.getLoopFor(Guard))
    return std::nullopt;
  // What is guarded: nobody comes in from elsewhere, and it is in one piece.
  Blocks Inside;
  Inside.insert(Begin);
  for (size_t Index = 0; Index < Inside.size(); ++Index)
    for (BasicBlock *Next : successors(Inside[Index]))
      if (Next != Join)
        Inside.insert(Next);
  for (BasicBlock *B : Inside)
    if (P.Starts.contains(B) || !all_of(predecessors(B), [&](BasicBlock *From) { return Inside.contains(From) || (From == Guard && B == Begin); }))
      return std::nullopt;
  Guarded Found{Way, Passes, Way->getSuccessor(Passes), {Begin}};
  SmallVector<BasicBlock *, 16> Open{Begin};
  while (!Open.empty())
    if (BasicBlock *B = Open.pop_back_val(); B != &At)
      for (BasicBlock *Next : successors(B)) {
        if (!Inside.contains(Next))
          return std::nullopt;
        if (Found.Front.insert(Next).second)
          Open.push_back(Next);
      }
  return Found;
}

bool isNothing(const Value *V) {
  const auto *Freeze = dyn_cast<FreezeInst>(V);
  return Freeze && isa<PoisonValue>(Freeze->getOperand(0));
}

} // namespace

const Value *broughtBy(const Value *V) {
  while (const auto *Phi = dyn_cast<PHINode>(V)) {
    const Value *Brought = nullptr;
    bool SomeHaveNone = false;
    for (const Value *Of : Phi->incoming_values()) {
      if (isNothing(Of))
        SomeHaveNone = true;
      else if (Brought && Of != Brought)
        return V;
      else
        Brought = Of;
    }
    if (!SomeHaveNone || !Brought)
      break;
    V = Brought;
  }
  return V;
}

bool canSplitGuards(BasicBlock &At, const View &V, const Pieces &P) {
  // Where a guard is asked again, all come who came to it.
  for (BasicBlock *Place = &At; !V.together(Place);) {
    const std::optional<Guarded> Of = findGuarded(*Place, V, P);
    if (!Of)
      return false;
    Place = Of->guard();
  }
  return true;
}

Instruction *splitGuard(Instruction &Where, const View &V, const Pieces &P) {
  BasicBlock *const At = Where.getParent();
  const std::optional<Guarded> Of = findGuarded(*At, V, P);
  if (!Of)
    return nullptr;
  const auto &[Way, Passes, Others, Front] = *Of;
  BasicBlock *const Guard = Of->guard();

  BasicBlock *const Behind = SplitBlock(At, Where.getIterator());
  BasicBlock *const Again = BasicBlock::Create(At->getContext(), "met", At->getParent(), Behind);
  At->getTerminator()->setSuccessor(0, Again);
  Way->setSuccessor(Passes, Again);
  Others->replacePhiUsesWith(Guard, Again);
  BranchInst *const Asks = BranchInst::Create(Passes ? Behind : Others, Passes ? Others : Behind, Way->getCondition(), Again);
  Asks->setDebugLoc(Way->getDebugLoc());
  for (const BasicBlock *From : Front)
    for (Instruction &I : *const_cast<BasicBlock *>(From)) {
      PHINode *Kept = nullptr;
      for (Use &U : make_early_inc_range(I.uses())) {
        auto *User = cast<Instruction>(U.getUser());
        const auto *Phi = dyn_cast<PHINode>(User);
        if (Front.contains(Phi ? Phi->getIncomingBlock(U) : User->getParent()) || User == Kept)
          continue;
        if (!Kept) {
          Kept = PHINode::Create(I.getType(), 2, I.getName(), Asks->getIterator());
          Kept->addIncoming(&I, At);
          Kept->addIncoming(new FreezeInst(PoisonValue::get(I.getType()), "undefined", Way->getIterator()), Guard);
        }
        U.set(Kept);
      }
    }
  return Asks;
}

} // namespace aspen::items
