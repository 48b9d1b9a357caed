// Ways in two, where all items are to come together between and no guard can be asked again (split_guards.cpp): `switch (lane) { case 0: A; default: B; here; C; case 31: }`.
//
// Who comes to that place waits there, and all others where they would come to what may follow it, or to the end of what parts them. Each brings a number that says
// where it goes on, and what it made and wants there. So nothing is done twice, and what follows one place is done by all of its items at once again.

#include "view.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

// What parts items on their way to a block.
struct Parted {
  BasicBlock *Begin, *Join; // where all were together last, and are again
  Blocks Inside;
};

std::optional<Parted> findParted(BasicBlock &At, const View &V, const Pieces &P) {
  Parted Found{&At, nullptr, {}};
  while (!V.together(Found.Begin)) {
    const DomTreeNode *Node = P.Starts.contains(Found.Begin) ? nullptr : V.Before.getNode(Found.Begin);
    if (!Node || !Node->getIDom())
      return std::nullopt;
    Found.Begin = Node->getIDom()->getBlock();
  }
  Found.Join = V.joinOf(*Found.Begin);
  if (!Found.Join || Found.Join == Found.Begin || V.Loops.getLoopFor(&At) != V.Loops.getLoopFor(Found.Begin))
    return std::nullopt;
  auto Enter = [&](BasicBlock *From) {
    for (BasicBlock *Next : successors(From))
      if (Next != Found.Join)
        Found.Inside.insert(Next);
  };
  Enter(Found.Begin);
  for (size_t Index = 0; Index < Found.Inside.size(); ++Index)
    Enter(Found.Inside[Index]);
  // Nobody comes in from elsewhere, and it is in one piece.
  auto IsOwn = [&](BasicBlock *From) { return From == Found.Begin || Found.Inside.contains(From); };
  if (!Found.Inside.contains(&At) || Found.Inside.contains(Found.Begin) ||
      any_of(Found.Inside, [&](BasicBlock *B) { return P.Starts.contains(B) || !isa<BranchInst, SwitchInst, ReturnInst>(B->getTerminator()) || !all_of(predecessors(B), IsOwn); }))
    return std::nullopt;
  return Found;
}

} // namespace

Instruction *splitWays(Instruction &Where, const View &V, const Pieces &P) {
  BasicBlock *const At = Where.getParent();
  const std::optional<Parted> Of = findParted(*At, V, P);
  if (!Of || !isa<BranchInst, SwitchInst>(Of->Begin->getTerminator()))
    return nullptr;
  // What may come behind it.
  Blocks Then;
  auto Follow = [&](BasicBlock *From) {
    for (BasicBlock *Next : successors(From))
      if (Next != Of->Join)
        Then.insert(Next);
  };
  Follow(At);
  for (size_t Index = 0; Index < Then.size(); ++Index)
    Follow(Then[Index]);
  if (Then.contains(At))
    return nullptr;

  LLVMContext &C = At->getContext();
  BasicBlock *const Behind = SplitBlock(At, Where.getIterator());
  Then.insert(Behind);
  SmallVector<BasicBlock *, 16> First{Of->Begin};
  for (BasicBlock *B : Of->Inside)
    if (!Then.contains(B))
      First.push_back(B);

  // Each way out of what comes first, and where it goes on.
  struct Way {
    BasicBlock *From, *Edge;
    unsigned To;
  };
  SmallVector<Way, 16> Ways;
  SmallVector<BasicBlock *, 8> Targets;
  BasicBlock *const Again = BasicBlock::Create(C, "met", At->getParent(), Behind);
  for (BasicBlock *From : First)
    for (unsigned Index = 0, End = From->getTerminator()->getNumSuccessors(); Index < End; ++Index) {
      BasicBlock *const Target = From->getTerminator()->getSuccessor(Index);
      if (Target != Of->Join && !Then.contains(Target))
        continue;
      const auto *Known = find(Targets, Target);
      const unsigned To = Known - Targets.begin();
      if (Known == Targets.end())
        Targets.push_back(Target);
      Ways.push_back({From, BasicBlock::Create(C, "waits", At->getParent(), Again), To});
      BranchInst::Create(Again, Ways.back().Edge)->setDebugLoc(From->getTerminator()->getDebugLoc());
      From->getTerminator()->setSuccessor(Index, Ways.back().Edge);
    }

  IRBuilder<> B(Again);
  const Instruction *const Parts = Of->Begin->getTerminator();
  auto Nothing = [&](Type *T) { return IRBuilder<>(Of->Begin->getTerminator()).CreateFreeze(PoisonValue::get(T), "undefined"); };
  // What those that have it bring.
  auto Brought = [&](Type *T, const Twine &Name, function_ref<Value *(const Way &)> Of) {
    PHINode *const Kept = PHINode::Create(T, Ways.size(), Name, Again->begin());
    Value *None = nullptr;
    for (const Way &W : Ways) {
      Value *Own = Of(W);
      Kept->addIncoming(Own ? Own : None ? None : (None = Nothing(T)), W.Edge);
    }
    return Kept;
  };
  PHINode *const Going = Brought(B.getInt32Ty(), "way", [&](const Way &W) { return B.getInt32(W.To); });
  for (unsigned To = 0; To < Targets.size(); ++To)
    for (PHINode &Phi : Targets[To]->phis()) {
      PHINode *const Kept = Brought(Phi.getType(), Phi.getName(), [&](const Way &W) { return W.To == To ? Phi.getIncomingValueForBlock(W.From) : nullptr; });
      for (const Way &W : Ways)
        if (W.To == To)
          Phi.removeIncomingValue(W.From, /*DeletePHIIfEmpty=*/false);
      Phi.addIncoming(Kept, Again);
    }
  for (BasicBlock *From : drop_begin(First))
    for (Instruction &I : *From) {
      PHINode *Kept = nullptr;
      for (Use &U : make_early_inc_range(I.uses())) {
        auto *User = cast<Instruction>(U.getUser());
        const auto *Phi = dyn_cast<PHINode>(User);
        BasicBlock *const In = Phi ? Phi->getIncomingBlock(U) : User->getParent();
        if (!Then.contains(In))
          continue;
        if (!Kept)
          Kept = Brought(I.getType(), I.getName(), [&](const Way &W) { return V.Before.dominates(From, W.From) ? &I : nullptr; });
        U.set(Kept);
      }
    }
  Instruction *Asks;
  if (Targets.size() == 2) {
    Asks = B.CreateCondBr(B.CreateICmpEQ(Going, B.getInt32(0)), Targets[0], Targets[1]);
  } else {
    SwitchInst *const Switch = B.CreateSwitch(Going, Targets[0], Targets.size());
    for (unsigned To = 1; To < Targets.size(); ++To)
      Switch->addCase(B.getInt32(To), Targets[To]);
    Asks = Switch;
  }
  Asks->setDebugLoc(Parts->getDebugLoc());
  return Asks;
}

} // namespace aspen::items
