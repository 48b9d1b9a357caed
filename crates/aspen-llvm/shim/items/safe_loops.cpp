// What LLVM's vectoriser takes for granted and kernels do not keep, mended just before it runs.
//
// Loops over items promise that items are independent, and nothing is said of the order within one. The vectoriser then looks at no
// dependence at all: a group of interleaved loads is read where the first one stands and a group of stores written where the last one does,
// past what the same item stores or reads in between through another pointer. Such accesses get pointers that it cannot see through, and
// stay where they are.
//
// A division whose operands are the same for all items, or are made of what is, behind a condition, is done once, if the first lane's condition holds; the other
// lanes then go on with whatever is in the register. Such divisions are done ahead of the loop, by one where they would trap. The same goes for divisions by
// what the lanes of a vector have in common (`lane / 8`), which are hidden from it.
//
// All of this is so in LLVM 22 without any of Aspen's passes, too. Source: docs/decisions/0042.

#include "item_loop.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Where a loop's loads or stores of one kind of stride begin: members of a group have the same.
using Base = PointerIntPair<const SCEV *, 1, bool>; // and whether they are stores

// What an access could share a group with; null for neighbours of neighbouring items, what is the same for all, and what has no stride.
Base baseOf(Instruction &I, Loop &L, ScalarEvolution &SE) {
  Value *Pointer = getLoadStorePointerOperand(&I);
  const SCEV *Address = Pointer ? SE.getSCEV(Pointer) : nullptr;
  if (!Address || !SE.hasComputableLoopEvolution(Address, &L))
    return {};
  const auto *Walk = dyn_cast<SCEVAddRecExpr>(Address);
  const auto *Step = Walk && Walk->getLoop() == &L && Walk->isAffine() ? dyn_cast<SCEVConstant>(Walk->getStepRecurrence(SE)) : nullptr;
  const uint64_t Size = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  if (Step && Step->getAPInt().abs().ult(2 * Size))
    return {};
  return {SE.getPointerBase(Address), isa<StoreInst>(I)};
}

bool keepOrder(Loop &L, LoopInfo &LI, ScalarEvolution &SE, AAResults &AA) {
  LoopBlocksDFS Order(&L);
  Order.perform(&LI);
  SmallVector<Instruction *, 32> Accesses;
  for (BasicBlock *Block : make_range(Order.beginRPO(), Order.endRPO()))
    for (Instruction &I : *Block)
      if (I.mayReadOrWriteMemory())
        Accesses.push_back(&I);
  MapVector<Base, SmallVector<size_t, 4>> Groups;
  for (auto [Place, I] : enumerate(Accesses))
    if (Base Of = baseOf(*I, L, SE); Of.getPointer())
      Groups[Of].push_back(Place);
  SmallVector<Instruction *, 8> Moved;
  for (const auto &[Of, Members] : Groups)
    for (size_t Member : Members) {
      // A load goes up to the first one, a store down to the last.
      const bool IsStore = Of.getInt();
      const size_t From = IsStore ? Member + 1 : Members.front() + 1, To = IsStore ? Members.back() : Member;
      const MemoryLocation Own = MemoryLocation::get(Accesses[Member]);
      auto Meets = [&](Instruction *Other) {
        if (!IsStore && !Other->mayWriteToMemory())
          return false;
        const ModRefInfo Info = AA.getModRefInfo(Other, Own);
        return IsStore ? isModOrRefSet(Info) : isModSet(Info);
      };
      if (From < To && any_of(ArrayRef(Accesses).slice(From, To - From), Meets))
        Moved.push_back(Accesses[Member]);
    }
  for (Instruction *I : Moved) {
    const unsigned Operand = isa<StoreInst>(I) ? StoreInst::getPointerOperandIndex() : LoadInst::getPointerOperandIndex();
    I->setOperand(Operand, new FreezeInst(I->getOperand(Operand), "in.order", I->getIterator()));
  }
  return !Moved.empty();
}

// The division where it may always be done: by one where it would trap, which nobody looks at.
Value *harmless(BinaryOperator &Division, Instruction *Before) {
  IRBuilder<> B(Before);
  Value *Number = B.CreateFreeze(Division.getOperand(0)), *By = B.CreateFreeze(Division.getOperand(1));
  Type *T = Division.getType();
  Value *Traps = B.CreateICmpEQ(By, ConstantInt::get(T, 0));
  if (Division.getOpcode() == Instruction::SDiv || Division.getOpcode() == Instruction::SRem) {
    Value *Least = ConstantInt::get(T, APInt::getSignedMinValue(T->getScalarSizeInBits()));
    Traps = B.CreateOr(Traps, B.CreateAnd(B.CreateICmpEQ(By, ConstantInt::getAllOnesValue(T)), B.CreateICmpEQ(Number, Least)));
  }
  return B.CreateBinOp(Division.getOpcode(), Number, B.CreateSelect(Traps, ConstantInt::get(T, 1), By));
}

// Whether both operands are the same for all turns; what they are made of goes ahead of the loop for that.
bool isOfWhatStays(BinaryOperator &Division, Loop &L, ScalarEvolution &SE, bool &Moved) {
  return all_of(Division.operands(), [&](Value *Of) { return L.makeLoopInvariant(Of, Moved, /*InsertPt=*/nullptr, /*MSSAU=*/nullptr, &SE); });
}

// Divisions behind a condition that may trap.
SmallVector<BinaryOperator *, 4> conditionalDivisions(const Loop &L, const DominatorTree &DT) {
  SmallVector<BinaryOperator *, 4> Found;
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return Found;
  for (BasicBlock *Block : L.blocks())
    if (!DT.dominates(Block, Latch))
      for (Instruction &I : *Block)
        if (auto *Division = dyn_cast<BinaryOperator>(&I); Division && Division->isIntDivRem() && !isSafeToSpeculativelyExecute(Division))
          Found.push_back(Division);
  return Found;
}

bool liftDivisions(Loop &L, const DominatorTree &DT, ScalarEvolution &SE) {
  BasicBlock *Before = L.getLoopPreheader();
  if (!Before)
    return false;
  SmallVector<BinaryOperator *, 4> Found = conditionalDivisions(L, DT);
  bool Moved = false;
  erase_if(Found, [&](BinaryOperator *Division) { return !isOfWhatStays(*Division, L, SE, Moved); });
  for (BinaryOperator *Division : Found) {
    Division->replaceAllUsesWith(harmless(*Division, Before->getTerminator()));
    Division->eraseFromParent();
  }
  return Moved || !Found.empty();
}

// What neighbouring lanes have in common, as `lane / 8`, LLVM takes from the first of them, whose condition may not hold: it shall not see that.
bool hideDivisors(Loop &L, const DominatorTree &DT, ScalarEvolution &SE) {
  bool Changed = false;
  for (BinaryOperator *Division : conditionalDivisions(L, DT)) {
    Value *By = Division->getOperand(1);
    if (isa<FreezeInst>(By))
      continue;
    Division->setOperand(1, new FreezeInst(By, "of.lane", Division->getIterator()));
    Changed = true;
  }
  if (Changed)
    SE.forgetLoop(&L);
  return Changed;
}

} // namespace

PreservedAnalyses SafeLoops::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost())
      continue;
    // What is lifted is the operand of the next: a remainder's quotient.
    while (liftDivisions(*L, DT, SE))
      Changed = true;
    Changed |= hideDivisors(*L, DT, SE);
    Changed |= L->isAnnotatedParallel() && keepOrder(*L, LI, SE, AA);
  }
  return knownOfBlocks(Changed);
}

} // namespace aspen::items
