// Items that go through memory in steps: `for (i = item.get_global_id(0); i < n; i += item.get_global_range(0))`.
//
// Such a loop ends after another number of turns in each item, so it is not cut (docs/decisions/0012), and the loop over items is outside of it: an item
// runs through all of its turns by itself, and nothing becomes a vector. If a turn keeps nothing for the next one but the number, and items that follow each
// other begin with numbers that do, both loops change places: turn after turn, all items that are still below the end.
//
//   for each lane: for (i = begin + lane; i < end; i += step) body     for (base = begin; base < end; base += step)
//                                                                  →     for each lane with base + lane < end: body
//
// What an item computes before is computed again in each turn; it must be arithmetic. Numbers that may wrap around keep their loop: whether they do is
// asked once, and the loops as they were are behind that question.
// The way is known as loop interchange (Allen and Kennedy, "Automatic loop interchange", 1984).

#include "turns.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Instructions of a nest that exists twice.
constexpr size_t MaxTwice = 400;

// By smaller steps an item goes through neighbours itself.
constexpr int64_t LeastStep = 8;

// What the first numbers of neighbouring items may differ by, and how many items may then be.
constexpr int64_t MaxApart = 8;
constexpr uint64_t MaxItems = uint64_t(1) << 40;

// What is kept from turn to turn, for each item.
constexpr size_t MaxStates = 4;

// Bytes between neighbouring items' places that are still neighbours.
constexpr int64_t MaxStride = 16;

// What is exempt in doesNothing has side effects by name only.
bool isArithmetic(const Instruction &I) { return doesNothing(I) && (I.mayHaveSideEffects() || !I.mayReadFromMemory()); }

// Whether one comes from the block to the inner loop, by blocks with one way in.
bool leadsStraight(BasicBlock *Block, const Nest &N) {
  for (BasicBlock *On = N.Turns->getLoopPreheader(); On; On = On->getSinglePredecessor())
    if (On == Block)
      return true;
  return false;
}

// Whether turns change no memory: then what an item reads before it is the same in each.
bool onlyReads(const Loop &M) {
  return all_of(M.blocks(), [](const BasicBlock *Block) { return all_of(*Block, doesNothing); });
}

// Whether all that is made of it on the way to the inner loop is for that loop.
bool isForTurns(const Instruction &I, const Nest &N) {
  return all_of(I.users(), [&](const User *U) {
    const auto *User = cast<Instruction>(U);
    if (N.Turns->contains(User))
      return true;
    return isa<GetElementPtrInst, CastInst>(User) && User->getParent() == N.Turns->getLoopPreheader() && isForTurns(*User, N);
  });
}

// Whether a place may be one that is another's in each item.
bool isPrivate(const Value *Pointer) { return isa<AllocaInst, PHINode, SelectInst>(getUnderlyingObject(Pointer, /*MaxLookup=*/0)); }

// Whether the way from the item's beginning to its loop is arithmetic, or reads what turns leave as it is. Where nothing else is done, what leaves the way must
// end the item. In strips it may write, which is done once, and then lead to what is behind the loop.
bool comesStraight(Nest &N, AAResults &AA) {
  BasicBlock *Latch = N.Items->getLoopLatch();
  const MDNode *Independent = findOptionMDForLoop(N.Items, "llvm.loop.parallel_accesses");
  const bool OnlyReads = onlyReads(*N.Turns);
  bool Asked = false, Writes = false, Reads = false;
  for (BasicBlock *Block = N.Items->getHeader(); Block != N.Turns->getHeader();) {
    auto *Way = dyn_cast<BranchInst>(Block->getTerminator());
    if (!Way)
      return false;
    for (Instruction &I : *Block) {
      auto *Load = dyn_cast<LoadInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      if (isArithmetic(I))
        continue;
      if (Load && Load->isSimple() && !Asked && N.Items->hasLoopInvariantOperands(Load) && Load->getMetadata(LLVMContext::MD_access_group) == Independent->getOperand(1) &&
          !isPrivate(Load->getPointerOperand()) && isForTurns(*Load, N))
        N.Alike.push_back(Load);
      else if (N.InStrips && Load && Load->isSimple() && OnlyReads)
        Reads = true;
      // What an item has read it may write over: the read would come behind that.
      else if (N.InStrips && Store && Store->isSimple() && !isPrivate(Store->getPointerOperand()) &&
               all_of(N.Alike, [&](LoadInst *Read) { return AA.isNoAlias(MemoryLocation::get(Read), MemoryLocation::get(Store)); }))
        Writes = true;
      else
        return false;
    }
    BasicBlock *On = Way->getSuccessor(0);
    if (Way->isConditional()) {
      Asked |= Block != N.Guard;
      // In strips, who has no turns may do something behind them.
      const bool First = N.InStrips ? !leadsStraight(On, N) : isEnd(On, Latch);
      if (First)
        On = Way->getSuccessor(1);
      else if (!N.InStrips && !isEnd(Way->getSuccessor(1), Latch))
        return false;
    }
    if (On != N.Turns->getHeader() && On->getSinglePredecessor() != Block)
      return false;
    Block = On;
  }
  return !(Writes && Reads) && (N.InStrips || isEnd(N.Turns->getExitBlock(), Latch));
}

// The same, in strips if not without.
bool findWay(Nest &N, AAResults &AA) {
  N.InStrips = !N.States.empty();
  if (comesStraight(N, AA))
    return true;
  N.Alike.clear();
  return !std::exchange(N.InStrips, true) && comesStraight(N, AA);
}

// Whether items meet other items' memory by taking turns: private memory, which all have in one place, and what they may wait for.
bool mayMeet(const Nest &N) {
  for (BasicBlock *Block : N.InStrips ? N.Turns->blocks() : N.Items->blocks())
    for (Instruction &I : *Block) {
      if (I.isAtomic() || I.isVolatile())
        return true;
      for (Value *Of : I.operands())
        if (Of->getType()->isPointerTy() && isPrivate(Of))
          return true;
    }
  return false;
}

// By how much a value differs between neighbouring items in a turn, if nothing wraps around.
std::optional<int64_t> strideOf(const SCEV *S, const Nest &N, ScalarEvolution &SE, unsigned Depth = 0) {
  if (SE.isLoopInvariant(S, N.Items))
    return 0;
  if (Depth > 8)
    return std::nullopt;
  auto Of = [&](const SCEV *Part) { return strideOf(Part, N, SE, Depth + 1); };
  if (const auto *Walk = dyn_cast<SCEVAddRecExpr>(S); Walk && Walk->isAffine()) {
    if (Walk->getLoop() == N.Turns)
      return SE.isLoopInvariant(Walk->getStepRecurrence(SE), N.Items) ? Of(Walk->getStart()) : std::nullopt;
    const auto *Step = dyn_cast<SCEVConstant>(Walk->getStepRecurrence(SE));
    if (Walk->getLoop() == N.Items && Step && Step->getAPInt().getSignificantBits() <= 32 && SE.isLoopInvariant(Walk->getStart(), N.Items))
      return Step->getAPInt().getSExtValue();
    return std::nullopt;
  }
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
    return Of(Cast->getOperand());
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    int64_t All = 0;
    for (const SCEV *Part : Sum->operands()) {
      const auto One = Of(Part);
      if (!One)
        return std::nullopt;
      All += *One;
    }
    return All;
  }
  // What turns do to shifted numbers; so two numbers an item are neighbours of its neighbour's.
  if (const auto *Opaque = dyn_cast<SCEVUnknown>(S)) {
    if (is_contained(N.Alike, Opaque->getValue()))
      return 0;
    const auto *Shift = dyn_cast<Instruction>(Opaque->getValue());
    const unsigned By = Shift ? shiftsNumber(N, *Shift) : 0;
    return By ? std::optional<int64_t>(N.Apart >> By) : std::nullopt;
  }
  const auto *Product = dyn_cast<SCEVMulExpr>(S);
  const auto *By = Product && Product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
  const auto One = By && By->getAPInt().getSignificantBits() <= 16 ? Of(Product->getOperand(1)) : std::nullopt;
  return One ? std::optional(*One * By->getAPInt().getSExtValue()) : std::nullopt;
}

// Whether neighbouring items use neighbouring memory in a turn.
bool gains(const Nest &N, ScalarEvolution &SE) {
  for (BasicBlock *Block : N.Turns->blocks())
    for (Instruction &I : *Block)
      if (Value *Pointer = getLoadStorePointerOperand(&I)) {
        const auto Stride = strideOf(SE.getSCEV(Pointer), N, SE);
        if (Stride && *Stride != 0 && std::abs(*Stride) <= MaxStride)
          return true;
      }
  return false;
}

// Whether the inner loop has a number that it ends by, and besides that states which are all that is asked for behind it.
bool findStates(Loop &M, Nest &N) {
  BasicBlock *Latch = M.getLoopLatch();
  auto *Back = Latch && M.getLoopPreheader() && M.getExitingBlock() == Latch && M.getExitBlock() ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Compare = Back && Back->isConditional() ? dyn_cast<ICmpInst>(Back->getCondition()) : nullptr;
  if (!Compare)
    return false;
  SmallPtrSet<const Value *, 4> Kept;
  N.Number = askedNumber(M, *Compare);
  if (!N.Number)
    return false;
  for (PHINode &Phi : M.getHeader()->phis()) {
    Value *Next = Phi.getIncomingValueForBlock(Latch);
    if (&Phi == N.Number)
      continue;
    Type *T = Phi.getType();
    if (isa<Constant>(Next) || (!T->isIntegerTy() && !T->isFloatingPointTy()) || T->getPrimitiveSizeInBits() % 8 != 0 || N.States.size() == MaxStates)
      return false;
    N.States.push_back(&Phi);
    Kept.insert(Next);
  }
  for (BasicBlock *Block : M.blocks())
    for (Instruction &I : *Block)
      if (!Kept.contains(&I) && any_of(I.users(), [&](User *U) { return !M.contains(cast<Instruction>(U)); }))
        return false;
  return true;
}

// Where an item asks whether it has turns at all.
void findGuard(Nest &N, ScalarEvolution &SE) {
  const SCEV *Start = SE.getSCEV(N.Number->getIncomingValueForBlock(N.Turns->getLoopPreheader()));
  for (BasicBlock *Block = N.Turns->getLoopPreheader(); Block && N.Items->contains(Block); Block = Block->getSinglePredecessor()) {
    BasicBlock *Asks = Block->getSinglePredecessor();
    auto *Way = Asks ? dyn_cast<BranchInst>(Asks->getTerminator()) : nullptr;
    auto *Compare = Way && Way->isConditional() ? dyn_cast<ICmpInst>(Way->getCondition()) : nullptr;
    if (!Compare || !N.Items->contains(Asks))
      continue;
    const CmpInst::Predicate Enters = Way->getSuccessor(0) == Block ? Compare->getPredicate() : Compare->getInversePredicate();
    auto Is = [&](CmpInst::Predicate Goes, Value *Left, Value *Right) {
      if (N.Asked.More)
        return Goes == N.Asked.Goes && SE.getSCEV(Right) == N.Asked.Bound &&
               SE.getSCEV(Left) == SE.getAddExpr(N.Asked.More, SE.getNoopOrSignExtend(Start, N.Asked.More->getType()));
      const bool Sign = CmpInst::isSigned(Goes);
      const SCEV *Bound = SE.getSCEV(Right);
      // Of a number of 64 bits that fits into 32.
      if (auto *Cut = dyn_cast<TruncInst>(Left); Cut && (Sign ? Cut->hasNoSignedWrap() : Cut->hasNoUnsignedWrap()) && Cut->getSrcTy() == N.Bound->getType())
        return Goes == N.Goes && SE.getSCEV(Cut->getOperand(0)) == Start &&
               (Sign ? SE.getSignExtendExpr(Bound, N.Bound->getType()) : SE.getZeroExtendExpr(Bound, N.Bound->getType())) == N.Bound;
      const SCEV *Number = SE.getSCEV(Left);
      if (N.Firsts.Extends && Number == N.Firsts.Is && Number->getType() != N.Bound->getType())
        return Goes == N.Goes && Bound->getType() == Number->getType() && Sign == N.Firsts.ExtendsSign &&
               (N.Firsts.ExtendsSign ? SE.getSignExtendExpr(Bound, N.Bound->getType()) : SE.getZeroExtendExpr(Bound, N.Bound->getType())) == N.Bound;
      return Goes == N.Goes && Number == Start && Bound == N.Bound;
    };
    if (Is(Enters, Compare->getOperand(0), Compare->getOperand(1)) || Is(CmpInst::getSwappedPredicate(Enters), Compare->getOperand(1), Compare->getOperand(0))) {
      N.Guard = Asks;
      return;
    }
  }
}

// `i + 3 * step < n`, of a number that is extended or not: what is more than the number. Null if it is something else, or nothing.
const SCEV *moreThanNumber(const SCEV *Asked, const SCEV *Next, const Nest &N, ScalarEvolution &SE) {
  if (!Asked->getType()->isIntegerTy() || SE.getTypeSizeInBits(Asked->getType()) < SE.getTypeSizeInBits(Next->getType()))
    return nullptr;
  const SCEV *More = SE.getMinusSCEV(Asked, SE.getNoopOrSignExtend(Next, Asked->getType()));
  return SE.isLoopInvariant(More, N.Items) && !More->isZero() ? More : nullptr;
}

// What ends the turns, of the next one's number.
bool readEnd(Nest &N, const ICmpInst &Compare, ScalarEvolution &SE) {
  const SCEV *Next = SE.getSCEV(N.Next);
  auto AsksWithMore = [&](const Value *Asked) { return moreThanNumber(SE.getSCEV(const_cast<Value *>(Asked)), Next, N, SE); };
  const bool IsRight = is_contained(ArrayRef<const Value *>{N.Next, N.Number}, Compare.getOperand(1)) || AsksWithMore(Compare.getOperand(1));
  const Value *Asked = Compare.getOperand(IsRight);
  if (IsRight)
    N.Goes = CmpInst::getSwappedPredicate(N.Goes);
  N.Bound = SE.getSCEV(Compare.getOperand(!IsRight));
  const bool IsPlain = Asked == N.Next || Asked == N.Number;
  if (const SCEV *More = IsPlain ? nullptr : AsksWithMore(Asked); More && SE.isLoopInvariant(N.Bound, N.Items)) {
    // Of numbers that are not negative it is the same without a sign and with one, of the number itself and a bound that may be negative.
    N.Asked = {More, N.Bound, N.Goes};
    N.Goes = ICmpInst::getSignedPredicate(N.Goes);
    N.Bound = SE.getTruncateOrNoop(SE.getMinusSCEV(N.Bound, More), N.Number->getType());
    return true;
  }
  if (Asked != N.Number)
    return IsPlain;
  const auto *Bound = dyn_cast<SCEVConstant>(N.Bound), *Step = dyn_cast<SCEVConstant>(N.Step);
  bool Wraps = true;
  if (Bound && Step && Step->getAPInt().isStrictlyPositive()) {
    const APInt End = CmpInst::isSigned(N.Goes) ? Bound->getAPInt().sadd_ov(Step->getAPInt(), Wraps) : Bound->getAPInt().uadd_ov(Step->getAPInt(), Wraps);
    N.Bound = SE.getConstant(End);
  }
  return !Wraps;
}

// That end, taken apart: what all items have in common, what differs as their first numbers do, or the less of these.
bool readBound(Nest &N, ScalarEvolution &SE) {
  const auto *Least = dyn_cast<SCEVMinMaxExpr>(N.Bound);
  if (Least && Least->getSCEVType() != (CmpInst::isSigned(N.Goes) ? scSMinExpr : scUMinExpr))
    Least = nullptr;
  SmallVector<const SCEV *, 2> Common;
  for (const SCEV *Part : Least ? Least->operands() : ArrayRef(N.Bound))
    if (SE.isLoopInvariant(Part, N.Items))
      Common.push_back(Part);
    else if (N.Lasts.Is || !(N.Lasts = walkOf(Part, *N.Items)).Is)
      return false;
  if (!Common.empty())
    N.End = Common.size() == 1 ? Common.front() : SE.getMinMaxExpr(Least->getSCEVType(), Common);
  return true;
}

// The first item's number of a walk, as turns have it.
const SCEV *startOf(const Walk &Of, Type *T, ScalarEvolution &SE) {
  const SCEV *Start = Of.Is->getStart();
  return !Of.Extends ? Start : Of.ExtendsSign ? SE.getSignExtendExpr(Start, T) : SE.getZeroExtendExpr(Start, T);
}

// Whether a loop in that over items is such; others may be behind it.
bool readNest(Loop &L, Loop &M, ScalarEvolution &SE, AAResults &AA, Nest &N) {
  N.Items = &L, N.Turns = &M;
  N.Column = &*L.getHeader()->phis().begin();
  N.Last = SE.getBackedgeTakenCount(&L);
  BasicBlock *End = M.getLoopLatch();
  if (isa<SCEVCouldNotCompute>(N.Last) || SE.getTypeSizeInBits(N.Last->getType()) > 64 || !findStates(M, N) || !M.hasDedicatedExits())
    return false;
  const unsigned Bits = N.Number->getType()->isIntegerTy() ? N.Number->getType()->getIntegerBitWidth() : 0;
  N.Next = N.Number->getIncomingValueForBlock(End);
  auto *Back = dyn_cast<BranchInst>(End->getTerminator());
  auto *Compare = Back && Back->isConditional() ? dyn_cast<ICmpInst>(Back->getCondition()) : nullptr;
  const auto *Turns = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(N.Number));
  if ((Bits != 32 && Bits != 64) || !Compare || !Turns || Turns->getLoop() != &M || !Turns->isAffine())
    return false;
  N.Step = Turns->getStepRecurrence(SE);
  N.Goes = Back->getSuccessor(0) == M.getHeader() ? Compare->getPredicate() : Compare->getInversePredicate();
  if (!readEnd(N, *Compare, SE))
    return false;
  if (!(ICmpInst::isLT(N.Goes) || ICmpInst::isLE(N.Goes)) || !readBound(N, SE) || !SE.isLoopInvariant(N.Step, &L))
    return false;
  const SCEV *const First = Turns->getStart();
  N.Firsts = walkOf(First, L);
  const auto *Apart = N.Firsts.Is ? dyn_cast<SCEVConstant>(N.Firsts.Is->getStepRecurrence(SE)) : nullptr;
  if (!Apart || Apart->getAPInt().slt(1) || Apart->getAPInt().sgt(MaxApart))
    return false;
  N.Apart = Apart->getAPInt().getZExtValue();
  if (const auto *Known = dyn_cast<SCEVConstant>(N.Step); Known && Known->getAPInt().slt(LeastStep * int64_t(N.Apart)))
    return false;
  if (N.Lasts.Is) {
    const auto *By = dyn_cast<SCEVConstant>(N.Lasts.Is->getStepRecurrence(SE));
    if (!By || By->getAPInt() != N.Apart)
      return false;
    N.Until = startOf(N.Lasts, N.Number->getType(), SE);
  }
  N.Begin = startOf(N.Firsts, N.Number->getType(), SE);
  findGuard(N, SE);
  if (!N.Guard && !SE.isLoopEntryGuardedByCond(&M, N.Goes, First, N.Bound))
    return false;
  N.Zeros = std::min({SE.getMinTrailingZeros(N.Begin), SE.getMinTrailingZeros(N.Step), static_cast<uint32_t>(llvm::countr_zero(N.Apart))});
  N.IsPositive = SE.isKnownNonNegative(N.Begin);
  return lengthOf(L) <= MaxTwice && findWay(N, AA) && !mayMeet(N) && gains(N, SE);
}

// The nest as it was is known as tried.
bool change(Nest &N, ScalarEvolution &SE, LoopInfo &LI, DominatorTree &DT, SmallPtrSetImpl<BasicBlock *> &Tried) {
  Loop &L = *N.Items, &M = *N.Turns;
  BasicBlock *Asks = L.getLoopPreheader(), *Exit = L.getExitBlock(), *Latch = L.getLoopLatch();
  SCEVExpander Expand(SE, "turns");
  const SCEV *const Needed[] = {N.Begin, N.Step, N.End, N.Until, N.Firsts.Is->getStart(), N.Lasts.Is ? N.Lasts.Is->getStart() : nullptr, N.Last, N.Asked.More, N.Asked.Bound};
  if (!all_of(Needed, [&](const SCEV *S) { return !S || Expand.isSafeToExpandAt(S, Asks->getTerminator()); }))
    return false;
  IRBuilder<> B(Asks->getTerminator());
  auto Made = [&](const SCEV *S) { return S ? B.CreateFreeze(Expand.expandCodeFor(S, S->getType(), Asks->getTerminator())) : nullptr; };
  Value *Begin = Made(N.Begin), *Step = Made(N.Step), *End = Made(N.End), *Until = Made(N.Until), *Last = Made(N.Last);
  const bool Sign = CmpInst::isSigned(N.Goes);
  Type *Word = B.getInt64Ty();
  auto Wide = [&](Value *V, bool Sign) { return Sign ? B.CreateSExt(V, Word) : B.CreateZExt(V, Word); };
  auto Greatest = [&](Type *T, bool Sign) {
    const unsigned Bits = T->getIntegerBitWidth();
    return B.getInt((Sign ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits)).zext(64));
  };
  // Neither the items' first numbers wrap around, nor those behind the end.
  Last = B.CreateZExtOrTrunc(Last, Word);
  Value *const LastItem = Last;
  auto Leaves = [&](Value *From, bool Sign, Value *Room) { return B.CreateICmpUGE(B.CreateSub(Greatest(From->getType(), Sign), Wide(From, Sign)), Room); };
  Value *Known = B.getTrue();
  if (N.Apart != 1) {
    Known = B.CreateICmpULT(Last, B.getInt64(MaxItems));
    Last = B.CreateMul(Last, B.getInt64(N.Apart));
  }
  Value *Fits = B.CreateAnd(Known, Leaves(Begin, Sign, Last));
  for (const Walk &Of : {N.Firsts, N.Lasts})
    if (Of.Extends) // neither do they before
      Fits = B.CreateAnd(Fits, Leaves(Made(Of.Is->getStart()), Of.ExtendsSign, Last));
  Measured Is{Begin, Step, LastItem, End, nullptr, nullptr};
  if (End) {
    Fits = B.CreateAnd(Fits, Leaves(End, Sign, Wide(Step, Sign)));
    Fits = B.CreateAnd(Fits, Leaves(End, Sign, Last)); // of items behind the first one, in its last turn
  }
  if (Until) {
    Is.Begins = B.CreateICmp(N.Goes, Begin, Until);
    Is.Room = B.CreateSub(Until, Begin);
    Fits = B.CreateAnd(Fits, Leaves(Until, Sign, Last));
    // What is far is so without a sign; the numbers up to there are in reach.
    Fits = B.CreateAnd(Fits, B.CreateOr(B.CreateNot(Is.Begins), Leaves(Is.Room, false, Wide(Step, false))));
  }
  if (N.Asked.More)
    for (Value *Part : {Begin, Made(N.Asked.More), Made(N.Asked.Bound)})
      Fits = B.CreateAnd(Fits, B.CreateICmpULE(B.CreateZExt(Part, Word), Greatest(Begin->getType(), /*Sign=*/true)));
  Value *Zero = ConstantInt::get(Step->getType(), 0);
  Fits = B.CreateAnd(Fits, Sign ? B.CreateICmpSGT(Step, Zero) : B.CreateICmpNE(Step, Zero));

  // The nest as it was.
  BasicBlock *Before = SplitBlock(Asks, Asks->getTerminator()->getIterator(), &DT, &LI);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Copies;
  Loop *Was = cloneLoopWithPreheader(Exit, Asks, &L, Map, ".as.was", &LI, &DT, Copies);
  remapInstructionsInBlocks(Copies, Map);
  Tried.insert(Was->getHeader());
  // Hardly ever run.
  for (Loop *Inner : Was->getSubLoops())
    addStringMetadataToLoop(Inner, "llvm.loop.vectorize.enable", 0);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Latch), cast<BasicBlock>(Map[Latch]));
  B.SetInsertPoint(Asks->getTerminator());
  B.CreateCondBr(Fits, Before, cast<BasicBlock>(Map[Before]));
  Asks->getTerminator()->eraseFromParent();

  if (N.InStrips) {
    takeTurnsInStrips(N, Is, Before);
    return true;
  }
  // Turn after turn, as long as the first item has one.
  LLVMContext &C = Exit->getContext();
  Function *F = Exit->getParent();
  Type *T = N.Number->getType();
  auto *First = BasicBlock::Create(C, "turns", F, L.getHeader()), *Turn = BasicBlock::Create(C, "turn", F, L.getHeader()),
       *After = BasicBlock::Create(C, "turn.end", F, Exit);
  for (PHINode &Phi : Exit->phis()) {
    Value *Of = Phi.getIncomingValueForBlock(Latch);
    Phi.replaceIncomingBlockWith(Latch, After);
    Phi.addIncoming(Of, Before);
  }
  Latch->getTerminator()->replaceSuccessorWith(Exit, After);
  N.Column->replaceIncomingBlockWith(Before, Turn);
  B.SetInsertPoint(Before->getTerminator());
  B.CreateCondBr(Is.has(B, N.Goes, Begin, nullptr), First, Exit);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(First);
  B.CreateBr(Turn);
  for (LoadInst *Load : N.Alike)
    Load->moveBefore(First->getTerminator()->getIterator());
  B.SetInsertPoint(Turn);
  PHINode *By = B.CreatePHI(T, 2, "by");
  By->addIncoming(ConstantInt::get(T, 0), First);
  B.CreateBr(L.getHeader());
  B.SetInsertPoint(After);
  Value *ByNext = B.CreateAdd(By, Step);
  By->addIncoming(ByNext, After);
  B.CreateCondBr(Is.has(B, N.Goes, Begin, ByNext), Turn, Exit);

  // An item does what is in this turn, if it still has one.
  BasicBlock *Enters = M.getLoopPreheader(), *Header = M.getHeader(), *Back = M.getLoopLatch(), *Leave = M.getExitBlock();
  B.SetInsertPoint(Enters->getTerminator());
  Value *Number = B.CreateAdd(N.Number->getIncomingValueForBlock(Enters), By, "number");
  B.CreateCondBr(End ? B.CreateICmp(N.Goes, Number, End) : B.getTrue(), Header, Leave);
  Enters->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Back->getTerminator());
  B.CreateBr(Leave);
  Back->getTerminator()->eraseFromParent();
  for (BasicBlock *Block : M.blocks())
    for (Instruction &I : make_early_inc_range(*Block))
      if (const unsigned Shift = shiftsNumber(N, I)) {
        B.SetInsertPoint(&I);
        Value *Parts[] = {B.CreateAShr(N.Number->getIncomingValueForBlock(Enters), Shift, "", /*isExact=*/true), B.CreateAShr(By, Shift, "", /*isExact=*/true)};
        auto *Sum = dyn_cast<BinaryOperator>(I.getOperand(0));
        Value *Other = !Sum ? nullptr : Sum->getOperand(Sum->getOperand(0) == N.Number);
        I.replaceAllUsesWith(shiftedNumber(B, I, Other, B.CreateNSWAdd(Parts[0], Parts[1])));
      }
  N.Number->replaceAllUsesWith(Number);
  N.Number->eraseFromParent();
  return true;
}

} // namespace

unsigned shiftsNumber(const Nest &N, const Instruction &I) {
  const auto *By = I.getNumOperands() == 2 ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  const bool IsShift = I.getOpcode() == Instruction::AShr || (I.getOpcode() == Instruction::LShr && I.getOperand(0) == N.Number);
  // Then turns, lanes and their sums are what they are with a sign, too.
  const bool Adds = CmpInst::isSigned(N.Goes) && N.IsPositive;
  if (!By || !IsShift || !Adds || By->getValue().ugt(N.Zeros) || By->isZero() || !N.Turns->contains(&I))
    return 0;
  const auto *Sum = dyn_cast<BinaryOperator>(I.getOperand(0));
  const bool IsSum = Sum && Sum->getOpcode() == Instruction::Add && Sum->hasNoSignedWrap() && is_contained(Sum->operands(), N.Number) &&
                     N.Turns->isLoopInvariant(Sum->getOperand(Sum->getOperand(0) == N.Number));
  return IsSum || I.getOperand(0) == N.Number ? static_cast<unsigned>(By->getZExtValue()) : 0;
}

Value *Measured::has(IRBuilder<> &B, CmpInst::Predicate Goes, Value *First, Value *By) const {
  Value *Ends = End ? B.CreateICmp(Goes, By ? B.CreateAdd(First, By) : First, End) : B.getTrue();
  if (!Room)
    return Ends;
  return B.CreateAnd(Ends, By ? B.CreateICmp(ICmpInst::getUnsignedPredicate(Goes), By, Room) : Begins);
}

Value *shiftedNumber(IRBuilder<> &B, const Instruction &I, Value *Other, Value *Number) {
  return Other ? B.CreateNSWAdd(B.CreateAShr(Other, cast<ConstantInt>(I.getOperand(1))->getZExtValue()), Number) : Number;
}

PreservedAnalyses ItemsInTurns::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Prepared = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    Prepared |= oneNumber(*L, FAM.getResult<DominatorTreeAnalysis>(F));
  if (Prepared)
    FAM.invalidate(F, PreservedAnalyses::none());
  PreservedAnalyses Same = changeEach(F, FAM, [&](Loop &L, LoopInfo &LI, SmallPtrSetImpl<BasicBlock *> &Tried) {
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    return isItemLoop(L) && any_of(L.getSubLoops(), [&](Loop *M) {
      Nest N;
      return readNest(L, *M, SE, FAM.getResult<AAManager>(F), N) && change(N, SE, LI, FAM.getResult<DominatorTreeAnalysis>(F), Tried);
    });
  });
  return Prepared ? PreservedAnalyses::none() : Same;
}

} // namespace aspen::items
