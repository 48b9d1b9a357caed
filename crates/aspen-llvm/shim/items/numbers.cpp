// The number of a loop in steps (turns.cpp): LLVM's form has it more than once, wider, or by a number more; there is one.

#include "turns.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace aspen::items {
namespace {

// Instructions between a loop's number and what is asked of it.
constexpr unsigned MaxAsked = 6;

// The lower half of a number, where one comes from a block.
Value *lowOf(Value *Of, BasicBlock *From, const DominatorTree &DT) {
  Type *Half = Type::getInt32Ty(Of->getContext());
  if (!isa<Constant>(Of))
    for (User *U : Of->users())
      if (isa<TruncInst>(U) && U->getType() == Half && DT.dominates(cast<Instruction>(U), From->getTerminator()))
        return U;
  return IRBuilder<>(From->getTerminator()).CreateTrunc(Of, Half);
}

// Of what a number is the lower half with its sign, on the way from a block; null if it is nothing's.
Value *extendedFrom(Value *Of, BasicBlock *From, const DominatorTree &DT) {
  Value *Low = nullptr;
  if (match(Of, m_AShr(m_Shl(m_Value(Low), m_SpecificInt(32)), m_SpecificInt(32))))
    return lowOf(Low, From, DT);
  const bool IsExtended = match(Of, m_SExt(m_Value(Low))) && Low->getType()->isIntegerTy(32);
  return IsExtended ? Low : nullptr;
}

// `i += item.get_local_range(0)` with an `int` adds in 64 bits what is cut to 32: LLVM makes a number of 64 bits of it, beside the one of 32 or alone, of
// which only the lower half counts, or which is that half with its sign. Whether there is one number less.
bool narrowNumbers(BasicBlock &Block, const DominatorTree &DT) {
  bool Changed = false;
  for (PHINode &Phi : make_early_inc_range(Block.phis())) {
    auto IsCut = [](const User *U) {
      const auto *I = cast<Instruction>(U);
      const auto *By = isa<BinaryOperator>(I) ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
      return (By && I->getOpcode() == Instruction::Shl && By->getValue().uge(32)) || (By && I->getOpcode() == Instruction::And && By->getValue().isIntN(32)) ||
             (isa<TruncInst>(I) && I->getType()->getIntegerBitWidth() <= 32);
    };
    if (!Phi.getType()->isIntegerTy(64) || Phi.use_empty())
      continue;
    const bool OnlyLow = all_of(Phi.users(), IsCut);
    auto IsExtended = [&](Value *Of) { return match(Of, m_AShr(m_Shl(m_Value(), m_SpecificInt(32)), m_SpecificInt(32))) || match(Of, m_SExt(m_Value())); };
    if (!OnlyLow && !all_of(Phi.incoming_values(), IsExtended))
      continue;
    SmallVector<Value *, 4> Lows;
    for (auto [In, From] : enumerate(Phi.blocks())) {
      Value *Of = Phi.getIncomingValue(In), *Low = extendedFrom(Of, From, DT);
      if (!Low && !OnlyLow)
        break;
      Lows.push_back(Low ? Low : lowOf(Of, From, DT));
    }
    if (Lows.size() != Phi.getNumIncomingValues())
      continue;
    auto *Low = PHINode::Create(Type::getInt32Ty(Block.getContext()), Phi.getNumIncomingValues(), Phi.getName(), Phi.getIterator());
    for (auto [Of, From] : zip(Lows, Phi.blocks()))
      Low->addIncoming(Of, From);
    Phi.replaceAllUsesWith(IRBuilder<>(&Block, Block.getFirstInsertionPt()).CreateIntCast(Low, Phi.getType(), /*isSigned=*/!OnlyLow));
    Phi.eraseFromParent();
    Changed = true;
  }
  return Changed && (EliminateDuplicatePHINodes(&Block), true);
}

// What another of the loop's numbers is on each way into the loop: itself, extended or not, and what is added to that, which does not change.
struct Likeness {
  enum { None, Itself, ExtendsSign, ExtendsZero } Kind = None;
  Value *More = nullptr;
};
bool operator==(const Likeness &A, const Likeness &B) { return A.Kind == B.Kind && A.More == B.More; }

Likeness likenessOf(Value *Of, Value *To) {
  Value *Whole = nullptr;
  if (Of == To)
    return {Likeness::Itself};
  if (match(Of, m_SExt(m_Specific(To))))
    return {Likeness::ExtendsSign};
  if (match(Of, m_ZExt(m_Specific(To))))
    return {Likeness::ExtendsZero};
  if (const auto *Cut = dyn_cast<TruncInst>(To); Cut && Cut->hasNoSignedWrap() && Cut->getOperand(0) == Of)
    return {Likeness::ExtendsSign};
  if (match(To, m_Trunc(m_Value(Whole))) && Of->getType() == Whole->getType()) {
    const unsigned Cut = Of->getType()->getIntegerBitWidth() - To->getType()->getIntegerBitWidth();
    if (match(Of, m_AShr(m_Shl(m_Specific(Whole), m_SpecificInt(Cut)), m_SpecificInt(Cut))))
      return {Likeness::ExtendsSign};
  }
  return {};
}

Likeness likenessOf(Value *Of, Value *To, const Loop &L) {
  auto *Sum = dyn_cast<BinaryOperator>(Of);
  if (const Likeness Is = likenessOf(Of, To); Is.Kind != Likeness::None || !Sum || Sum->getOpcode() != Instruction::Add)
    return Is;
  for (unsigned More : {0, 1})
    if (Likeness Is = likenessOf(Sum->getOperand(1 - More), To); Is.Kind != Likeness::None && L.isLoopInvariant(Sum->getOperand(More))) {
      Is.More = Sum->getOperand(More);
      return Is;
    }
  return {};
}

// Whether the one is no longer there, since it is made of the other.
bool isMerged(PHINode &One, PHINode &Other, Loop &L) {
  Likeness Is;
  SmallVector<TruncInst *, 2> MayLose; // of which the upper half did not count
  for (auto [In, From] : enumerate(One.blocks())) {
    Value *To = Other.getIncomingValueForBlock(From);
    const Likeness Here = likenessOf(One.getIncomingValue(In), To, L);
    if (auto *Cut = dyn_cast<TruncInst>(To); Cut && Cut->getOperand(0) != One.getIncomingValue(In))
      MayLose.push_back(Cut);
    if (Here.Kind == Likeness::None || (Here.Kind == Likeness::Itself && !Here.More) || (In != 0 && !(Here == Is)))
      return false;
    Is = Here;
  }
  for (TruncInst *Cut : MayLose)
    Cut->dropPoisonGeneratingFlags();
  IRBuilder<> B(L.getHeader(), L.getHeader()->getFirstInsertionPt());
  Value *Made = Is.Kind == Likeness::Itself ? &Other : B.CreateIntCast(&Other, One.getType(), Is.Kind == Likeness::ExtendsSign);
  One.replaceAllUsesWith(Is.More ? B.CreateAdd(Made, Is.More) : Made);
  One.eraseFromParent();
  return true;
}

// `i + 3 * step < n` with an `int` is a number of 64 bits, with the sum; `i` is one, and so is what `i` is in 64 bits.
bool mergeNumbers(Loop &L) {
  auto Merge = [&] {
    for (PHINode &One : L.getHeader()->phis())
      for (PHINode &Other : L.getHeader()->phis())
        if (&One != &Other && One.getType()->isIntegerTy() && Other.getType()->isIntegerTy() && isMerged(One, Other, L))
          return true;
    return false;
  };
  bool Changed = false;
  while (Merge())
    Changed = true;
  return Changed;
}

// A loop's next number that is asked for behind the loop is a state, too: what the last turn leaves.
bool keepLast(Loop &M) {
  BasicBlock *Latch = M.getLoopLatch(), *Before = M.getLoopPreheader();
  auto *Back = Latch && Before ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Compare = Back && Back->isConditional() ? dyn_cast<ICmpInst>(Back->getCondition()) : nullptr;
  PHINode *Number = Compare ? askedNumber(M, *Compare) : nullptr;
  auto *Next = Number ? dyn_cast<Instruction>(Number->getIncomingValueForBlock(Latch)) : nullptr;
  if (!Next || none_of(Next->users(), [&](User *U) { return !M.contains(cast<Instruction>(U)); }))
    return false;
  if (any_of(M.getHeader()->phis(), [&](PHINode &Phi) { return &Phi != Number && Phi.getIncomingValueForBlock(Latch) == Next; }))
    return false; // there is one that keeps it
  PHINode *Kept = PHINode::Create(Number->getType(), 2, "last", std::next(Number->getIterator()));
  Kept->addIncoming(Number->getIncomingValueForBlock(Before), Before);
  Kept->addIncoming(Next, Latch);
  return true;
}

bool isMadeOf(const Value *Asked, const PHINode &Number, const Value *Next, unsigned Depth = 0) {
  if (Asked == &Number || Asked == Next)
    return true;
  const auto *I = dyn_cast<Instruction>(Asked);
  if (!I || Depth > MaxAsked)
    return false;
  const bool IsPlain = I->getOpcode() == Instruction::Add || (I->isShift() && isa<Constant>(I->getOperand(1))) || isa<SExtInst, ZExtInst, TruncInst>(I);
  return IsPlain && any_of(I->operands(), [&](const Value *Of) { return isMadeOf(Of, Number, Next, Depth + 1); });
}

} // namespace

PHINode *askedNumber(const Loop &M, const ICmpInst &Compare) {
  auto Find = [&](auto Asks) -> PHINode * {
    for (PHINode &Phi : M.getHeader()->phis())
      if (any_of(Compare.operands(), [&](const Value *Asked) { return Asks(Asked, Phi, Phi.getIncomingValueForBlock(M.getLoopLatch())); }))
        return &Phi;
    return nullptr;
  };
  PHINode *Itself = Find([](const Value *Asked, const PHINode &Phi, const Value *Next) { return Asked == &Phi || Asked == Next; });
  return Itself ? Itself : Find([](const Value *Asked, const PHINode &Phi, const Value *Next) { return isMadeOf(Asked, Phi, Next); });
}

bool oneNumber(Loop &L, const DominatorTree &DT) {
  bool Changed = false;
  auto Narrow = [&](auto Blocks) {
    for (BasicBlock *Block : Blocks)
      Changed |= narrowNumbers(*Block, DT);
  };
  if (!isItemLoop(L)) {
    Narrow(ArrayRef{L.getHeader()});
    return Changed;
  }
  for (Loop *M : L.getSubLoops())
    Narrow(ArrayRef{M->getHeader()});
  Narrow(reverse(L.blocks())); // what is behind a loop, then what that needs of the loop's number
  for (Loop *M : L.getSubLoops()) {
    Changed |= mergeNumbers(*M);
    Changed |= keepLast(*M);
  }
  return Changed;
}

} // namespace aspen::items
