// What all items add to one place atomically, and nobody asks what was there: summed in the loop over items, and added once.
//
// A counter of what fits (`if (fits) atomic_ref(count)++`) or a sum to which every item adds is how many kernels end. One after the other, each waits for
// what is atomic, and the loop is no vector. Items are in no order, so that all of them may come in a row; but of floating point the sum of the items is
// another rounding than adding each of them would be, in an order that no kernel can count on either, and may be infinite. LLVM does the same for AMD's GPUs
// (AMDGPUAtomicOptimizer). An item must not look there afterwards, nor may anything else in the loop be atomic, which could wait for it.

#include "item_loop.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace aspen::items {
namespace {

// What changes nothing of a sum; null for operations that make none.
Constant *neutral(const AtomicRMWInst &Add) {
  Type *T = Add.getType();
  switch (Add.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
    return Constant::getNullValue(T);
  case AtomicRMWInst::And:
    return Constant::getAllOnesValue(T);
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
    return ConstantFP::getZero(T, /*Negative=*/true);
  default:
    return nullptr;
  }
}

Value *joined(IRBuilder<> &B, AtomicRMWInst::BinOp Of, Value *Sum, Value *Own) {
  switch (Of) {
  case AtomicRMWInst::Or:
    return B.CreateOr(Sum, Own);
  case AtomicRMWInst::Xor:
    return B.CreateXor(Sum, Own);
  case AtomicRMWInst::And:
    return B.CreateAnd(Sum, Own);
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub: { // of what is subtracted there is a sum, too
    FastMathFlags AnyOrder;
    AnyOrder.setAllowReassoc();
    IRBuilder<>::FastMathFlagGuard Guard(B);
    B.setFastMathFlags(AnyOrder);
    return B.CreateFAdd(Sum, Own);
  }
  default:
    return B.CreateAdd(Sum, Own);
  }
}

bool isSum(const AtomicRMWInst &Add, const Loop &L) {
  return Add.use_empty() && !Add.isVolatile() && !isStrongerThanMonotonic(Add.getOrdering()) && neutral(Add) && !Add.getType()->isVectorTy() &&
         L.isLoopInvariant(Add.getPointerOperand());
}

// What an item may do after it comes to `At`.
template <class Ask> bool anyAfter(Instruction &At, const Loop &L, Ask Is) {
  if (any_of(make_range(std::next(At.getIterator()), At.getParent()->end()), Is))
    return true;
  SmallSetVector<BasicBlock *, 16> Blocks;
  auto Follow = [&](BasicBlock *From) {
    for (BasicBlock *Next : successors(From))
      if (L.contains(Next) && Next != L.getHeader())
        Blocks.insert(Next);
  };
  Follow(At.getParent());
  for (size_t Place = 0; Place < Blocks.size(); ++Place) {
    if (any_of(*Blocks[Place], Is))
      return true;
    Follow(Blocks[Place]);
  }
  return false;
}

bool readSums(Loop &L, AAResults &AA, SmallVectorImpl<AtomicRMWInst *> &Sums) {
  if (!isItemLoop(L))
    return false;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (auto *Add = dyn_cast<AtomicRMWInst>(&I); Add && isSum(*Add, L))
        Sums.push_back(Add);
      else if (I.mayReadOrWriteMemory() && !isRemark(I) && (I.isAtomic() || I.isVolatile() || !isa<LoadInst, StoreInst>(I)))
        return false;
    }
  return !Sums.empty() && none_of(Sums, [&](AtomicRMWInst *Add) {
    const MemoryLocation Place = MemoryLocation::get(Add);
    return anyAfter(*Add, L, [&](Instruction &Later) {
      if (const auto *Other = dyn_cast<AtomicRMWInst>(&Later))
        return Other->getOperation() != Add->getOperation() && !AA.isNoAlias(MemoryLocation::get(Other), Place);
      return isa<LoadInst, StoreInst>(Later) && isModOrRefSet(AA.getModRefInfo(&Later, Place));
    });
  });
}

void sum(Loop &L, ArrayRef<AtomicRMWInst *> Sums) {
  BasicBlock *Before = L.getLoopPreheader();
  Function &F = *Before->getParent();
  SmallVector<AllocaInst *, 4> Places;
  for (AtomicRMWInst *Add : Sums) {
    auto *Place = new AllocaInst(Add->getType(), F.getDataLayout().getAllocaAddrSpace(), "sum", F.getEntryBlock().begin());
    Constant *Nothing = neutral(*Add);
    IRBuilder<>(Before->getTerminator()).CreateStore(Nothing, Place);
    IRBuilder<> B(Add);
    B.CreateStore(joined(B, Add->getOperation(), B.CreateLoad(Add->getType(), Place), Add->getValOperand()), Place);
    // Behind the loop, if any item came there: the address need not be one otherwise.
    BasicBlock *After = SplitEdge(L.getLoopLatch(), L.getExitBlock());
    B.SetInsertPoint(After->getTerminator());
    B.SetCurrentDebugLocation(Add->getDebugLoc());
    Value *All = B.CreateLoad(Add->getType(), Place);
    Type *Bits = B.getIntNTy(Add->getType()->getPrimitiveSizeInBits());
    Value *Any = B.CreateICmpNE(B.CreateBitCast(All, Bits), B.CreateBitCast(Nothing, Bits));
    Instruction *Then = SplitBlockAndInsertIfThen(Any, After->getTerminator()->getIterator(), /*Unreachable=*/false);
    Add->setOperand(1, All);
    Add->moveBefore(Then->getIterator());
    Places.push_back(Place);
  }
  DominatorTree DT(F);
  PromoteMemToReg(Places, DT);
}

} // namespace

PreservedAnalyses CommonSums::run(Function &F, FunctionAnalysisManager &FAM) {
  return changeEach(F, FAM, [&](Loop &L, LoopInfo &, SmallPtrSetImpl<BasicBlock *> &) {
    SmallVector<AtomicRMWInst *, 4> Sums;
    if (!readSums(L, FAM.getResult<AAManager>(F), Sums))
      return false;
    sum(L, Sums);
    return true;
  });
}

} // namespace aspen::items
