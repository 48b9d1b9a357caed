// Pointers that walk: `for (…) { *p = …; p = (float *)((char *)p + pitch); }`.
//
// From turn to turn an item keeps its pointer. Where pieces go on in another loop over items it would be kept in memory, and what it is loaded from there
// is any address to the vectoriser. So a pointer becomes what the item begins with, which every piece computes anew from ids, and how far it has come,
// which is one number for all items if they take the same steps.

#include "items.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Whether it is known where an item begins.
bool isOfEntry(const SCEV *S, const BasicBlock &Entry) {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    const auto *Of = dyn_cast<SCEVUnknown>(Part);
    const auto *I = Of ? dyn_cast<Instruction>(Of->getValue()) : nullptr;
    return isa<SCEVAddRecExpr, SCEVCouldNotCompute>(Part) || (I && I->getParent() != &Entry);
  });
}

// The parts of an address that are known where an item begins, and the others. False if what it is an address in is among the latter.
bool part(const SCEV *Address, const BasicBlock &Entry, ScalarEvolution &SE, const SCEV *&First, const SCEV *&Far) {
  SmallVector<const SCEV *, 8> Known, Other;
  const auto *Sum = dyn_cast<SCEVAddExpr>(Address);
  for (const SCEV *Term : Sum ? Sum->operands() : ArrayRef<const SCEV *>(Address))
    (isOfEntry(Term, Entry) ? Known : Other).push_back(Term);
  if (none_of(Known, [](const SCEV *Term) { return Term->getType()->isPointerTy(); }))
    return false;
  First = SE.getAddExpr(Known);
  Far = Other.empty() ? SE.getZero(SE.getEffectiveSCEVType(Address->getType())) : SE.getAddExpr(Other);
  return true;
}

bool walk(Loop &L, PHINode &Pointer, ScalarEvolution &SE) {
  SCEVExpander Expand(SE, "walk");
  BasicBlock &Entry = Pointer.getFunction()->getEntryBlock(), *Before = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Pointer));
  if (!Steps || Steps->getLoop() != &L || !Steps->isAffine())
    return false;
  const SCEV *First = nullptr, *Far = nullptr, *Step = Steps->getStepRecurrence(SE);
  Instruction *AtEntry = Entry.getTerminator(), *AtLoop = Before->getTerminator();
  if (!part(SE.getSCEVAtScope(Steps->getStart(), L.getParentLoop()), Entry, SE, First, Far) || !SE.isLoopInvariant(Far, &L) || !SE.isLoopInvariant(Step, &L) ||
      !Expand.isSafeToExpandAt(First, AtEntry) || !Expand.isSafeToExpandAt(Far, AtLoop) || !Expand.isSafeToExpandAt(Step, AtLoop))
    return false;
  Value *Base = Expand.expandCodeFor(First, Pointer.getType(), AtEntry), *Come = Expand.expandCodeFor(Far, Far->getType(), AtLoop),
        *By = Expand.expandCodeFor(Step, Step->getType(), AtLoop);
  PHINode *Offset = PHINode::Create(Come->getType(), 2, "far", Pointer.getIterator());
  Offset->addIncoming(Come, Before);
  IRBuilder<> B(Latch->getTerminator());
  Offset->addIncoming(B.CreateAdd(Offset, By), Latch);
  B.SetInsertPoint(L.getHeader(), L.getHeader()->getFirstInsertionPt());
  Value *Here = B.CreatePtrAdd(Base, Offset);
  Expand.clear();
  Pointer.replaceAllUsesWith(Here);
  Pointer.eraseFromParent();
  return true;
}

} // namespace

void measurePointers(Function &Body, FunctionAnalysisManager &Analyses) {
  // What comes later may begin where an earlier loop has ended, which is known as long as that is as it was: so the last ones first.
  auto WalkOne = [&] {
    Analyses.clear(Body, Body.getName());
    auto &SE = Analyses.getResult<ScalarEvolutionAnalysis>(Body);
    const auto Loops = Analyses.getResult<LoopAnalysis>(Body).getLoopsInPreorder();
    for (Loop *L : reverse(Loops))
      if (L->getLoopPreheader() && L->getLoopLatch())
        for (PHINode &Phi : L->getHeader()->phis())
          if (Phi.getType()->isPointerTy() && walk(*L, Phi, SE))
            return true;
    return false;
  };
  for (size_t Most = 16; Most > 0 && WalkOne(); --Most)
    ;
  Analyses.clear(Body, Body.getName());
}

} // namespace aspen::items
