//! Square roots: OpenCL C allows single precision 3 units in the last place, and NVIDIA's GPUs have an instruction with one (docs/MATH.md) beside
//! a sequence of ten that rounds to nearest. What says so is `afn` at the call, set before any pass: roots that passes make of double's
//! (`float(sqrt(double(x)))`) were asked for in double and stay exact. docs/decisions/0059.
//!
//! Counters: `for (int i = item.get_local_id(0); i < n; i += item.get_local_range(0))` adds `size_t` to an `int`. instcombine makes of it a
//! counter of 64 bits whose low half is extended in each turn, which it takes for free; on GPUs of 32-bit registers it costs three
//! instructions, and no pass knows how often such a loop runs.

#include "DeviceArithmetic.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace aspen {
namespace {

constexpr unsigned Half = 32;

/// What takes no more than the low half of a value, as that half's user: `trunc`, or `shl` and `and` by such a constant.
bool takesLowHalf(const User &By, const Value &Used) {
  if (const auto *Cut = dyn_cast<TruncInst>(&By))
    return Cut->getType()->isIntegerTy() && Cut->getType()->getIntegerBitWidth() <= Half;
  const APInt *Number;
  if (match(&By, m_Shl(m_Specific(&Used), m_APInt(Number))))
    return Number->uge(Half);
  return match(&By, m_And(m_Specific(&Used), m_APInt(Number))) && Number->isIntN(Half);
}

/// The largest set of 64-bit phis of which all that is used, but by each other, is the low half.
SmallPtrSet<const PHINode *, 8> narrowPhis(Function &F, SmallVectorImpl<PHINode *> &InOrder) {
  SmallPtrSet<const PHINode *, 8> Narrow;
  for (BasicBlock &Block : F)
    for (PHINode &Phi : Block.phis())
      if (Phi.getType()->isIntegerTy(2 * Half)) {
        InOrder.push_back(&Phi);
        Narrow.insert(&Phi);
      }
  const auto Stays = [&](const PHINode &Phi) {
    const auto Fits = [&](const User *By) {
      const auto *Other = dyn_cast<PHINode>(By);
      return Other ? Narrow.contains(Other) : takesLowHalf(*By, Phi);
    };
    return all_of(Phi.users(), Fits);
  };
  while (!Narrow.empty()) {
    const size_t Before = Narrow.size();
    for (const PHINode *Phi : InOrder)
      if (Narrow.contains(Phi) && !Stays(*Phi))
        Narrow.erase(Phi);
    if (Narrow.size() == Before)
      break;
  }
  erase_if(InOrder, [&](const PHINode *Phi) { return !Narrow.contains(Phi); });
  return Narrow;
}

/// The low half of a value, at the end of the block that it comes from.
Value *lowHalf(Value &Of, BasicBlock &Block) {
  IRBuilder<> Builder(Block.getTerminator());
  Value *Inner;
  Type *Narrow = Builder.getInt32Ty();
  if (match(&Of, m_ZExtOrSExt(m_Value(Inner))) && Inner->getType() == Narrow)
    return Inner;
  return Builder.CreateTrunc(&Of, Narrow);
}

void narrow(ArrayRef<PHINode *> Phis) {
  DenseMap<const Value *, PHINode *> New;
  for (PHINode *Phi : Phis) {
    IRBuilder<> Builder(Phi);
    New[Phi] = Builder.CreatePHI(Builder.getInt32Ty(), Phi->getNumIncomingValues(), Phi->getName());
  }
  for (PHINode *Phi : Phis) {
    // A block that comes in twice does so with one value.
    SmallDenseMap<BasicBlock *, Value *, 4> Incoming;
    for (const auto [Value, Block] : zip_equal(Phi->incoming_values(), Phi->blocks())) {
      llvm::Value *&Low = Incoming[Block];
      if (!Low)
        Low = New.contains(Value) ? New[Value] : lowHalf(*Value, *Block);
      New[Phi]->addIncoming(Low, Block);
    }
  }
  for (PHINode *Phi : Phis)
    for (User *By : make_early_inc_range(Phi->users())) {
      if (isa<PHINode>(By))
        continue;
      auto *At = cast<Instruction>(By);
      IRBuilder<> Builder(At);
      // What users promised of the value's high half (nuw, nsw) is not true of another one.
      const auto *Binary = dyn_cast<BinaryOperator>(At);
      Value *Low = Binary ? Builder.CreateBinOp(Binary->getOpcode(), Builder.CreateZExt(New[Phi], At->getType()), At->getOperand(1))
                          : Builder.CreateTrunc(New[Phi], At->getType());
      At->replaceAllUsesWith(Low);
      At->eraseFromParent();
    }
  for (PHINode *Phi : Phis)
    Phi->replaceAllUsesWith(PoisonValue::get(Phi->getType()));
  for (PHINode *Phi : Phis)
    Phi->eraseFromParent();
}

} // namespace

void approximateSquareRoots(Module &Module) {
  for (Function &F : Module)
    for (Instruction &I : instructions(F))
      if (auto *Root = dyn_cast<IntrinsicInst>(&I); Root && Root->getIntrinsicID() == Intrinsic::sqrt && Root->getType()->isFloatTy())
        Root->setHasApproxFunc(true);
}

PreservedAnalyses NarrowCounters::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<PHINode *, 8> InOrder;
  if (narrowPhis(F, InOrder).empty())
    return PreservedAnalyses::all();
  narrow(InOrder);
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace aspen
