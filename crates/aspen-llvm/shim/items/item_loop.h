// What passes before the vectoriser ask of a loop over items, and how they change such loops one by one.
#pragma once

#include "items.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace aspen::items {

// What tells something and does nothing, and has effects by name only: `__restrict` of a function that was inlined, assumptions.
inline bool isRemark(const llvm::Instruction &I) {
  const auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(&I);
  return Call && (Call->isAssumeLikeIntrinsic() || Call->getIntrinsicID() == llvm::Intrinsic::experimental_noalias_scope_decl);
}

// Whether nobody would miss it.
inline bool doesNothing(const llvm::Instruction &I) { return !I.mayHaveSideEffects() || isRemark(I); }

// Whether an item that comes there has done all that it does.
inline bool isEnd(const llvm::BasicBlock *Block, const llvm::BasicBlock *Latch) {
  for (unsigned Length = 0; Block != Latch; ++Length) {
    const auto *Only = llvm::dyn_cast<llvm::BranchInst>(Block->getTerminator());
    if (Length == 4 || !Only || Only->isConditional() || !llvm::all_of(*Block, doesNothing))
      return false;
    Block = Only->getSuccessor(0);
  }
  return llvm::all_of(*Latch, doesNothing);
}

// Whether a loop ends behind its last block alone and has one variable, and nothing else of it is asked for elsewhere.
inline bool isByItself(const llvm::Loop &L) {
  llvm::BasicBlock *Latch = L.getLoopLatch();
  return L.getLoopPreheader() && Latch && L.getExitingBlock() == Latch && L.getExitBlock() && llvm::hasSingleElement(L.getHeader()->phis()) &&
         llvm::all_of(L.blocks(), [&](llvm::BasicBlock *Block) {
           return llvm::all_of(*Block, [&](llvm::Instruction &I) {
             return llvm::all_of(I.users(), [&](llvm::User *U) { return L.contains(llvm::cast<llvm::Instruction>(U)); });
           });
         });
}

// Such a loop over items.
inline bool isItemLoop(const llvm::Loop &L) {
  return llvm::findOptionMDForLoop(&L, "llvm.loop.parallel_accesses") && isByItself(L);
}

inline size_t lengthOf(const llvm::Loop &L) {
  size_t Length = 0;
  for (const llvm::BasicBlock *Block : L.blocks())
    Length += Block->size();
  return Length;
}

// Calls `Take` with the conditions that must be as told for `C` to be `Wanted`: it, or if that is not taken what it is made of by `!`, `&&` and `||`.
template <class Taker> void readConditions(llvm::Value *C, bool Wanted, Taker Take, unsigned Depth = 0) {
  using namespace llvm::PatternMatch;
  llvm::Value *A, *B;
  if (Depth == 6 || Take(C, Wanted))
    return;
  if (match(C, m_Not(m_Value(A)))) {
    readConditions(A, !Wanted, Take, Depth + 1);
  } else if (Wanted ? match(C, m_LogicalAnd(m_Value(A), m_Value(B))) : match(C, m_LogicalOr(m_Value(A), m_Value(B)))) {
    readConditions(A, Wanted, Take, Depth + 1);
    readConditions(B, Wanted, Take, Depth + 1);
  }
}

// A number that grows from item to item by what all have in common, before it is extended, if it is.
struct Walk {
  const llvm::SCEVAddRecExpr *Is = nullptr; // null if it is none
  bool Extends = false, ExtendsSign = false;
};

inline Walk walkOf(const llvm::SCEV *S, const llvm::Loop &L) {
  Walk Found;
  if (auto *Extended = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(S); Extended && !llvm::isa<llvm::SCEVTruncateExpr>(S)) {
    Found.Extends = true;
    Found.ExtendsSign = llvm::isa<llvm::SCEVSignExtendExpr>(S);
    S = Extended->getOperand();
  }
  const auto *Grows = llvm::dyn_cast<llvm::SCEVAddRecExpr>(S);
  if (Grows && Grows->getLoop() == &L && Grows->isAffine())
    Found.Is = Grows;
  return Found;
}

// Whether a variable of the loop is a number of 64 bits that grows by one.
inline bool countsByOne(llvm::PHINode &Column, llvm::Loop &L, llvm::ScalarEvolution &SE) {
  const auto *Grows = Column.getType()->isIntegerTy(64) ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(SE.getSCEV(&Column)) : nullptr;
  return Grows && Grows->getLoop() == &L && Grows->isAffine() && Grows->getStepRecurrence(SE)->isOne();
}
// The same of a loop with one variable.
inline bool countsByOne(llvm::Loop &L, llvm::ScalarEvolution &SE) { return countsByOne(*L.getHeader()->phis().begin(), L, SE); }

// What is still known of a function whose instructions may have changed, and whose blocks did not.
inline llvm::PreservedAnalyses knownOfBlocks(bool Changed) {
  auto Kept = Changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  Kept.preserveSet<llvm::CFGAnalyses>();
  return Kept;
}

// Changes loops until none changes any more; what is known of all of them changes with each. `Tried` are the headers of those that are not asked again.
template <class Change> llvm::PreservedAnalyses changeEach(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, Change Try) {
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> Tried;
  auto Next = [&] {
    auto &LI = FAM.getResult<llvm::LoopAnalysis>(F);
    for (llvm::Loop *L : LI.getLoopsInPreorder())
      if (Tried.insert(L->getHeader()).second && Try(*L, LI, Tried))
        return true;
    return false;
  };
  bool Changed = false;
  while (Next()) {
    Changed = true;
    FAM.invalidate(F, llvm::PreservedAnalyses::none());
  }
  return Changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace aspen::items
