// What is known of an item while it is cut, for the steps that cut it.
#pragma once

#include "items.h"

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Support/GenericDomTreeConstruction.h" // updates of post-dominators, which libLLVM does not hold

namespace aspen::items {

using namespace llvm;

// Pieces that a kernel may be cut into for speed alone; each is a copy of some of its blocks.
constexpr size_t MaxPieces = 64;
// And the instructions that all pieces may have together for that: what follows two cuts is in both pieces.
constexpr size_t MaxLength = 20000;

// What makes values differ between items. Loads from one address give one value: if another item wrote there since the last barrier, the
// program has a data race. Private variables have an address for each item.
struct Sources final : TargetTransformInfoImplBase {
  explicit Sources(const DataLayout &Layout) : TargetTransformInfoImplBase(Layout) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *V) const override {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return InstructionUniformity::Default;
    if (asksAny(I))
      return InstructionUniformity::AlwaysUniform;
    const auto Which = idOf(I);
    if (isa<AllocaInst>(I) || I->isAtomic() || I->isVolatile() || (Which && !isOfSubGroup(*Which)))
      return InstructionUniformity::NeverUniform;
    if (Which || aboutEnded(I) || isCommonTaken(I))
      return InstructionUniformity::Default;
    if (const auto *Call = dyn_cast<CallBase>(I); Call && !(isa<IntrinsicInst>(Call) && Call->doesNotAccessMemory()))
      return InstructionUniformity::NeverUniform;
    return InstructionUniformity::Default;
  }
};

using Blocks = SmallSetVector<BasicBlock *, 16>;

// The ways out of a piece that can be taken from a block of it: other starts, and null for the end of the item.
inline SmallPtrSet<BasicBlock *, 4> waysFrom(BasicBlock *From, const Pieces &P, const BasicBlock *Join = nullptr) {
  SmallPtrSet<BasicBlock *, 4> Out;
  SmallPtrSet<BasicBlock *, 16> Seen;
  SmallVector<BasicBlock *, 16> Open{From};
  while (!Open.empty()) {
    BasicBlock *B = Open.pop_back_val();
    if (isa<ReturnInst>(B->getTerminator()))
      Out.insert(nullptr);
    for (BasicBlock *Next : successors(B))
      if (P.Starts.contains(Next))
        Out.insert(Next);
      else if (Next != Join && Seen.insert(Next).second)
        Open.push_back(Next);
  }
  return Out;
}

// What is known of an item as long as neither its blocks change nor where it is cut.
//
// An item that ends counts as arrived wherever the others go, so it is left out of what is said about all items: a branch that ends some of
// them parts nobody. For that, the ways from such a branch to an end without another piece between are taken for not there.
struct View {
  View(Function &F, const Pieces &P) : P(P), Before(F), Loops(Before) {
    Analyses.registerPass([] { return PassInstrumentationAnalysis(); });
    Analyses.registerPass([] { return DominatorTreeAnalysis(); });
    Analyses.registerPass([] { return CycleAnalysis(); });
    Analyses.registerPass([] {
      return TargetIRAnalysis([](const Function &F) { return TargetTransformInfo(std::make_unique<Sources>(F.getDataLayout())); });
    });
    Analyses.registerPass([] { return UniformityInfoAnalysis(); });
    Uniform = &Analyses.getResult<UniformityInfoAnalysis>(F);
    findWhatGoesOn(F);
    SmallVector<PostDominatorTree::UpdateType, 8> Ends;
    for (BasicBlock &B : F)
      for (BasicBlock *Next : SmallPtrSet<BasicBlock *, 4>(succ_begin(&B), succ_end(&B)))
        if (ends(&B, Next))
          Ends.push_back({PostDominatorTree::Delete, &B, Next});
    After.recalculate(F, Ends);
    for (BasicBlock &B : F)
      if (differs(B))
        for (BasicBlock *Next : successors(&B))
          if (ends(&B, Next) || !onlyWayOn(B))
            apart(Next, ends(&B, Next) ? nullptr : joinOf(B));
  }

  // Whether items take different ways from here.
  bool differs(const BasicBlock &B) const { return Uniform->hasDivergentTerminator(B); }

  // Whether who goes this way ends without coming to another piece, which others from the same block do.
  bool ends(const BasicBlock *B, const BasicBlock *Next) const { return GoesOn.contains(B) && !GoesOn.contains(Next) && !isStart(Next); }

  // Where all go from a block who do not end; null if there are several such places.
  BasicBlock *onlyWayOn(BasicBlock &B) const {
    SmallPtrSet<BasicBlock *, 4> Found;
    for (BasicBlock *Next : successors(&B))
      if (!ends(&B, Next))
        Found.insert(Next);
    return Found.size() == 1 ? *Found.begin() : nullptr;
  }

  // Where all ways from a branch have come together again; null if only at the end.
  BasicBlock *joinOf(BasicBlock &B) const {
    auto *Node = After.getNode(&B);
    return Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  }

  // Whether all items come here that have not ended, or none.
  bool together(const BasicBlock *B) const { return !Apart.contains(B); }

  const Pieces &P;
  FunctionAnalysisManager Analyses;
  DominatorTree Before;
  PostDominatorTree After;
  LoopInfo Loops;
  UniformityInfo *Uniform;

private:
  bool isStart(const BasicBlock *B) const { return P.Starts.contains(const_cast<BasicBlock *>(B)); }

  // The blocks from which another piece can be reached.
  void findWhatGoesOn(Function &F) {
    SmallVector<const BasicBlock *, 16> Open;
    for (BasicBlock &B : F)
      if (any_of(successors(&B), [&](BasicBlock *Next) { return isStart(Next); }))
        Open.push_back(&B);
    while (!Open.empty()) {
      const BasicBlock *B = Open.pop_back_val();
      if (GoesOn.insert(B).second && !isStart(B))
        append_range(Open, predecessors(B));
    }
  }

  void apart(BasicBlock *From, BasicBlock *Join) {
    SmallVector<BasicBlock *, 16> Open{From};
    SmallPtrSet<BasicBlock *, 16> Seen;
    while (!Open.empty()) {
      BasicBlock *B = Open.pop_back_val();
      if (B == Join || !Seen.insert(B).second)
        continue;
      Apart.insert(B);
      append_range(Open, successors(B));
    }
  }

  SmallPtrSet<const BasicBlock *, 16> GoesOn, Apart;
};

// Whether cuts for speed may go on.
inline bool mayCut(Pieces &P, size_t More = 1) {
  if (P.Starts.size() + More > MaxPieces || lengthOf(P) > MaxLength)
    P.Bounded = true;
  return !P.Bounded;
}

// Whether a loop around the block is in one piece.
inline bool inWholeLoop(const BasicBlock *B, const View &V, const Pieces &P) {
  for (const Loop *L = V.Loops.getLoopFor(B); L; L = L->getParentLoop())
    if (none_of(L->blocks(), [&](BasicBlock *Inside) { return P.Starts.contains(Inside); }))
      return true;
  return false;
}

// Has pieces make anew what else would be kept for each item, where they can. Source: remade.cpp.
void makeAgain(Function &F, const View &V, const Pieces &P);

// Has a guard of a loop that is wanted go into what it guards, and cuts around the loop; whether there was one. Source: sunk_guards.cpp.
bool sinkGuard(const View &V, Pieces &Out, function_ref<bool(const Loop &)> IsWanted);

// Whether guards around a block, up to where all come together, can be asked again in it, one after the other. Source: split_guards.cpp.
bool canSplitGuards(BasicBlock &At, const View &V, const Pieces &P);

// Has a guard end in front of an instruction that it guards, and asks again; the instruction that asks, to which all come who come to the guard, or null if it cannot be.
// Source: split_guards.cpp.
Instruction *splitGuard(Instruction &Where, const View &V, const Pieces &P);

// The same for a place to which no such guards lead. All that are between where all were together last and where they are again wait in front of it, or of what may follow it.
// Null where that is not in one piece, or a loop is around the place. Source: split_ways.cpp.
Instruction *splitWays(Instruction &Where, const View &V, const Pieces &P);

// What some brought to a place where all came together, if it is that; else the value itself. Source: split_guards.cpp.
const Value *broughtBy(const Value *V);

// Where lanes are to be in step; whether the item was changed. Source: steps.cpp.
bool cutAtSteps(const View &V, Pieces &Out, bool BySubGroups);

} // namespace aspen::items
