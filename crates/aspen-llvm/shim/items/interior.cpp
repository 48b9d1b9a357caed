// Items away from the edges: `a[clamp(x + 1, 0, width - 1)]`, `if (x + 1 < width) …`, `x == 0 ? width - 1 : x - 1`, and `i / width` with `i % width`.
//
// Places that depend on a comparison, or on a quotient, are any places to the vectoriser: it gathers them, or computes one item at a time. But of
// numbers that grow from item to item, all are within bounds if the first and the last one are, and have one quotient if those have. That is asked once a
// loop; if it holds, a copy runs in which the comparisons are known, remainders are differences, and neighbouring items take neighbours. Where it does
// not hold, at the edges, the loop runs as it was. Other loops are asked if they divide by what is no constant, as those of a reduction do whose kernel makes rows
// and columns of one number. The way is loop versioning, and the ranges of Gupta, "Optimizing array bound checks using flow analysis" (1993).

#include "item_loop.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Loops that are longer have no copy, nor those with more questions.
constexpr size_t MaxLength = 600, MaxQuestions = 40;

// Rows that are shorter are no reason to end there: vectors would be too short. To divide by what only the launch knows takes as long as several
// items, by a constant as one.
constexpr uint64_t MinRow = 6, MinKnownRow = 16;

// Questions about what is known by others only: `(i % width + 1) % width`. Each round has a copy.
constexpr unsigned MaxRounds = 3;

// What must be the same for all items: that `Number` compares with `Bound` so, or, without a comparison, its quotient by the bound.
struct Question {
  Instruction *Asked;
  Walk Number;
  const SCEV *Bound;
  std::optional<CmpInst::Predicate> Holds; // where nothing is at an edge
  bool IsRemainder = false;
  bool IsSigned = false;          // of a quotient
  WeakTrackingVH Instead;         // what it is then, which may be asked itself; null: true, or false, or what comes of the quotient
  bool IsTrue = true;
};

class Reader {
public:
  Reader(Loop &L, ScalarEvolution &SE) : L(L), SE(SE) {}

  SmallVector<Question, 8> read() {
    for (BasicBlock *Block : L.blocks())
      for (Instruction &I : *Block)
        if (auto *Limited = dyn_cast<MinMaxIntrinsic>(&I))
          limited(*Limited);
        else if (auto *Choice = dyn_cast<SelectInst>(&I))
          chosen(*Choice);
        else if (auto *Ways = dyn_cast<BranchInst>(&I))
          parted(*Ways);
        else if (auto *Quotient = dyn_cast<BinaryOperator>(&I))
          divided(*Quotient);
    return std::move(Out);
  }

private:
  // What of it is a question: it grows by a small number.
  Walk walk(Value *V) {
    if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
      return {};
    const Walk Found = walkOf(SE.getSCEV(V), L);
    const auto *Step = Found.Is ? dyn_cast<SCEVConstant>(Found.Is->getStepRecurrence(SE)) : nullptr;
    return Step && Step->getAPInt().isStrictlyPositive() && Step->getAPInt().ult(1 << 16) ? Found : Walk();
  }

  // Whether it makes the address of an access, or decides what does.
  bool isOfAddress(Instruction &I, unsigned Depth = 0) {
    return any_of(I.users(), [&](User *U) {
      auto *By = cast<Instruction>(U);
      if (!L.contains(By))
        return false;
      if (isa<LoadInst, StoreInst>(By))
        return getLoadStorePointerOperand(By) == &I;
      return Depth < 12 && isa<BinaryOperator, CastInst, GetElementPtrInst, SelectInst, MinMaxIntrinsic>(By) && isOfAddress(*By, Depth + 1);
    });
  }

  void ask(Instruction &I, CmpInst::Predicate Holds, Value *Left, Value *Right, Value *Instead, bool IsTrue) {
    for (bool Swapped : {false, true}) {
      Walk Number = walk(Swapped ? Right : Left);
      Value *Bound = Swapped ? Left : Right;
      if (!Number.Is || !SE.isSCEVable(Bound->getType()) || !SE.isLoopInvariant(SE.getSCEV(Bound), &L))
        continue;
      const auto As = Swapped ? CmpInst::getSwappedPredicate(Holds) : Holds;
      if (As == CmpInst::ICMP_EQ || any_of(Out, [&](const Question &Q) { return Q.Asked == &I; }))
        return;
      Out.push_back({&I, Number, SE.getSCEV(Bound), As, false, false, Instead, IsTrue});
      return;
    }
  }

  void limited(MinMaxIntrinsic &I) {
    if (!I.getType()->isIntegerTy() || !isOfAddress(I))
      return;
    for (unsigned N : {0u, 1u})
      if (Value *Own = I.getArgOperand(N); walk(Own).Is) {
        // Whatever is not beyond the other one is what it was.
        ask(I, CmpInst::getNonStrictPredicate(I.getPredicate()), Own, I.getArgOperand(1 - N), Own, true);
        return;
      }
  }

  void chosen(SelectInst &I) {
    auto *Compare = dyn_cast<ICmpInst>(I.getCondition());
    if (!Compare || !L.contains(Compare) || !I.getType()->isIntegerTy() || !isOfAddress(I))
      return;
    Value *Compared = walk(Compare->getOperand(0)).Is ? Compare->getOperand(0) : Compare->getOperand(1);
    // The side that grows; of two that of the number that is compared, or that is no further from it.
    const SCEV *True = SE.getSCEV(I.getTrueValue()), *False = SE.getSCEV(I.getFalseValue());
    auto Grows = [&](const SCEV *S) { return !SE.isLoopInvariant(S, &L); };
    auto IsNear = [&](const SCEV *S) {
      const SCEV *To = SE.getSCEV(Compared);
      return S == To || (S->getType() == To->getType() && isa<SCEVConstant>(SE.getMinusSCEV(S, To)));
    };
    if (Grows(True) == Grows(False) && IsNear(True) == IsNear(False))
      return;
    const bool IsTrue = Grows(True) == Grows(False) ? IsNear(True) : Grows(True);
    ask(*Compare, IsTrue ? Compare->getPredicate() : Compare->getInversePredicate(), Compare->getOperand(0), Compare->getOperand(1), nullptr, IsTrue);
  }

  // The way on which something is read or written is that of most items.
  void parted(BranchInst &I) {
    if (!I.isConditional() || !L.contains(I.getSuccessor(0)) || !L.contains(I.getSuccessor(1)))
      return;
    auto Accesses = [&](BasicBlock *To) {
      return To->getSinglePredecessor() == I.getParent() && any_of(*To, [](Instruction &Of) { return isa<LoadInst, StoreInst>(Of); });
    };
    const bool First = Accesses(I.getSuccessor(0));
    if (First == Accesses(I.getSuccessor(1)))
      return;
    readConditions(I.getCondition(), First, [&](Value *C, bool Wanted) {
      auto *Compare = dyn_cast<ICmpInst>(C);
      if (Compare && L.contains(Compare))
        ask(*Compare, Wanted ? Compare->getPredicate() : Compare->getInversePredicate(), Compare->getOperand(0), Compare->getOperand(1), nullptr, Wanted);
      return Compare != nullptr;
    });
  }

  void divided(BinaryOperator &I) {
    const bool Signed = I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem;
    const bool Rest = I.getOpcode() == Instruction::SRem || I.getOpcode() == Instruction::URem;
    if (!Signed && !Rest && I.getOpcode() != Instruction::UDiv)
      return;
    const Walk Number = walk(I.getOperand(0));
    if (!Number.Is)
      return;
    const SCEV *Bound = SE.getSCEV(I.getOperand(1));
    // Rows of less are short for vectors, and constants are no divisions.
    if (auto *Known = dyn_cast<SCEVConstant>(Bound); Known && (Signed ? Known->getAPInt().abs() : Known->getAPInt()).ult(MinKnownRow))
      return;
    if (SE.isLoopInvariant(Bound, &L) && I.getType()->getIntegerBitWidth() >= 16)
      Out.push_back({&I, Number, Bound, std::nullopt, Rest, Signed, nullptr, true});
  }

  Loop &L;
  ScalarEvolution &SE;
  SmallVector<Question, 8> Out;
};

class Copier {
public:
  Copier(Loop &L, PHINode &Column, ScalarEvolution &SE, LoopInfo &LI, DominatorTree &DT)
      : L(L), Column(Column), SE(SE), LI(LI), DT(DT), Expand(SE, "interior"), Before(L.getLoopPreheader()), B(Before->getTerminator()) {}

  // False if it cannot be asked.
  bool copy(SmallVectorImpl<Question> &Questions, SmallPtrSetImpl<BasicBlock *> &Tried) {
    const SCEV *Count = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Count) || SE.getTypeSizeInBits(Count->getType()) > 64 || !safe(Count))
      return false;
    erase_if(Questions, [&](const Question &Q) { return !safe(Q.Number.Is->getStart()) || !safe(Q.Bound); });
    if (Questions.empty())
      return false;
    BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    Last = B.CreateZExtOrTrunc(expand(Count), B.getInt64Ty());
    Value *All = B.CreateICmpULT(Last, B.getInt64(uint64_t(1) << 40));
    SmallVector<Divided, 8> Quotients;
    for (Question &Q : Questions)
      All = B.CreateAnd(All, Q.Holds ? holds(Q) : hasOneQuotient(Q, Quotients.emplace_back()));
    Value *FirstColumn = Column.getIncomingValueForBlock(Before);

    BasicBlock *Asks = Before, *Own = SplitBlock(Asks, Asks->getTerminator()->getIterator(), &DT, &LI);
    ValueToValueMapTy Map;
    SmallVector<BasicBlock *, 16> Copies;
    Loop *Was = cloneLoopWithPreheader(Exit, Asks, &L, Map, ".edge", &LI, &DT, Copies);
    remapInstructionsInBlocks(Copies, Map);
    Tried.insert(Was->getHeader());
    for (PHINode &Phi : Exit->phis()) {
      Value *Comes = Phi.getIncomingValueForBlock(Latch), *Copied = Map.lookup(Comes);
      Phi.addIncoming(Copied ? Copied : Comes, cast<BasicBlock>(Map[Latch]));
    }
    B.SetInsertPoint(Asks->getTerminator());
    B.CreateCondBr(All, Own, cast<BasicBlock>(Map[Own]));
    Asks->getTerminator()->eraseFromParent();
    for (Loop *Of : {&L, Was})
      formDedicatedExitBlocks(Of, &DT, &LI, nullptr, /*PreserveLCSSA=*/false);

    auto Quotient = Quotients.begin();
    for (Question &Q : Questions) {
      Instruction &I = *Q.Asked;
      Value *Instead = Q.Instead;
      B.SetInsertPoint(&I);
      if (!Q.Holds) {
        const Divided &Known = *Quotient++;
        Instead = Q.IsRemainder ? B.CreateAdd(Known.Rest, B.CreateMul(B.CreateZExtOrTrunc(B.CreateSub(&Column, FirstColumn), I.getType()), Known.Step)) : Known.Quotient;
      } else if (!Instead) {
        Instead = B.getInt1(Q.IsTrue);
      }
      I.replaceAllUsesWith(Instead); // in the loop, which nothing leaves
      I.eraseFromParent();
    }
    return true;
  }

private:
  bool safe(const SCEV *S) { return Expand.isSafeToExpandAt(S, Before->getTerminator()); }
  Value *expand(const SCEV *S) { return B.CreateFreeze(Expand.expandCodeFor(S, S->getType(), Before->getTerminator())); }
  Value *wide(Value *V, bool Sign) { return Sign ? B.CreateSExtOrTrunc(V, B.getInt64Ty()) : B.CreateZExtOrTrunc(V, B.getInt64Ty()); }

  // The first and the last number in 64 bits, and whether none wraps around between.
  struct Ends {
    Value *First, *Last, *Fit;
  };
  Ends ends(const Walk &Number, bool Sign) {
    const bool InnerSign = Number.Extends ? Number.ExtendsSign : Sign;
    const unsigned Bits = SE.getTypeSizeInBits(Number.Is->getType());
    Value *First = wide(expand(Number.Is->getStart()), InnerSign);
    Value *Step = B.getInt64(cast<SCEVConstant>(Number.Is->getStepRecurrence(SE))->getAPInt().getZExtValue()), *Grown = B.CreateMul(Last, Step);
    const APInt Greatest = InnerSign ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
    Value *Left = B.CreateSub(B.getInt(Greatest.zextOrTrunc(64)), First), *Fit = B.CreateICmpUGE(Left, Grown);
    // What was extended by its sign and is compared, or divided, without.
    if (InnerSign && !Sign)
      Fit = B.CreateAnd(Fit, B.CreateICmpSGE(First, B.getInt64(0)));
    return {First, B.CreateAdd(First, Grown), Fit};
  }

  Value *holds(const Question &Q) {
    const bool Sign = CmpInst::isSigned(*Q.Holds);
    const Ends At = ends(Q.Number, Sign);
    Value *Bound = wide(expand(Q.Bound), Sign);
    // That none is equal: all are less, or all greater.
    Value *Is = *Q.Holds == CmpInst::ICMP_NE ? B.CreateOr(B.CreateICmpULT(Bound, At.First), B.CreateICmpUGT(Bound, At.Last))
                                             : B.CreateAnd(B.CreateICmp(*Q.Holds, At.First, Bound), B.CreateICmp(*Q.Holds, At.Last, Bound));
    return B.CreateAnd(At.Fit, Is);
  }

  // What all items have as their quotient, and the first one as its remainder; by how much that grows.
  struct Divided {
    Value *Quotient, *Rest, *Step;
  };

  // Of what is not negative, so that both kinds of division are one.
  Value *hasOneQuotient(const Question &Q, Divided &Out) {
    const Ends At = ends(Q.Number, Q.IsSigned);
    Value *Bound = wide(expand(Q.Bound), Q.IsSigned), *Zero = B.getInt64(0);
    Value *Fit = B.CreateAnd(At.Fit, B.CreateICmpSGT(Bound, Zero));
    Fit = B.CreateAnd(Fit, B.CreateICmpSGE(At.First, Zero));
    Fit = B.CreateAnd(Fit, B.CreateICmpSGE(At.Last, Zero));
    Value *By = B.CreateSelect(Fit, Bound, B.getInt64(1)), *Quotient = B.CreateFreeze(B.CreateUDiv(At.First, By));
    Value *Rest = B.CreateFreeze(B.CreateSub(At.First, B.CreateMul(Quotient, By))); // frozen: a division is no expression that may be made again
    Fit = B.CreateAnd(Fit, B.CreateICmpULT(B.CreateSub(At.Last, B.CreateMul(Quotient, By)), By));
    // Far from where it would wrap around, as can be seen.
    Type *T = Q.Asked->getType();
    Value *Most = B.getInt64(uint64_t(1) << (T->getIntegerBitWidth() - 2));
    Fit = B.CreateAnd(Fit, B.CreateICmpULT(Rest, Most));
    const APInt Step = cast<SCEVConstant>(Q.Number.Is->getStepRecurrence(SE))->getAPInt();
    Out = {B.CreateTrunc(Quotient, T), B.CreateTrunc(B.CreateBinaryIntrinsic(Intrinsic::umin, Rest, Most), T),
           ConstantInt::get(T, Step.zextOrTrunc(T->getIntegerBitWidth()))};
    return Fit;
  }

  Loop &L;
  PHINode &Column;
  ScalarEvolution &SE;
  LoopInfo &LI;
  DominatorTree &DT;
  SCEVExpander Expand;
  BasicBlock *Before;
  IRBuilder<> B;
  Value *Last = nullptr; // how many items come behind the first one
};

// Has such a loop run so many items at a time, or as many as there are until the first quotient changes. What it carries from one to the next goes on from
// one such row to the next.
bool runTogether(Loop &L, PHINode &Column, ArrayRef<Question> Questions, ScalarEvolution &SE) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Exit = L.getExitBlock(), *Before = L.getLoopPreheader();
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  SCEVExpander Expand(SE, "interior");
  if (isa<SCEVCouldNotCompute>(Count) || SE.getTypeSizeInBits(Count->getType()) > 64 || !Expand.isSafeToExpandAt(Count, Before->getTerminator()))
    return false;
  IRBuilder<> B(Before->getTerminator());
  Value *First = Column.getIncomingValueForBlock(Before);
  Value *Last = B.CreateZExtOrTrunc(Expand.expandCodeFor(Count, Count->getType(), Before->getTerminator()), B.getInt64Ty());
  // How far a number is from the next multiple of its bound is a hint, so nothing is asked of it but that it can be computed.
  Value *Number = nullptr, *Bound = nullptr;
  for (const Question &Q : Questions)
    if (!Number && !Q.Holds && Q.Number.Is->getStepRecurrence(SE)->isOne() && Expand.isSafeToExpandAt(Q.Number.Is->getStart(), Before->getTerminator()) &&
        Expand.isSafeToExpandAt(Q.Bound, Before->getTerminator())) {
      auto Wide = [&](const SCEV *Of) { return B.CreateSExtOrTrunc(B.CreateFreeze(Expand.expandCodeFor(Of, Of->getType(), Before->getTerminator())), B.getInt64Ty()); };
      Number = Wide(Q.Number.Is->getStart());
      Bound = Wide(Q.Bound);
      Bound = B.CreateSelect(B.CreateICmpUGE(Bound, B.getInt64(MinRow)), Bound, B.getInt64(ItemsTogether));
    }
  Function *F = Header->getParent();
  auto *Some = BasicBlock::Create(F->getContext(), "together", F, Header), *After = BasicBlock::Create(F->getContext(), "together.end", F, Exit);
  Before->getTerminator()->replaceSuccessorWith(Header, Some);
  Exit->replacePhiUsesWith(Latch, After);
  B.SetInsertPoint(Some);
  PHINode *Done = B.CreatePHI(B.getInt64Ty(), 2, "done");
  Done->addIncoming(B.getInt64(0), Before);
  for (PHINode &Phi : Header->phis())
    if (&Phi != &Column) {
      PHINode *Carried = B.CreatePHI(Phi.getType(), 2, Phi.getName());
      Carried->addIncoming(Phi.getIncomingValueForBlock(Before), Before);
      Carried->addIncoming(Phi.getIncomingValueForBlock(Latch), After);
      Phi.setIncomingValueForBlock(Before, Carried);
      Phi.replaceIncomingBlockWith(Before, Some);
    }
  Value *Left = B.CreateSub(Last, Done), *Most = B.CreateBinaryIntrinsic(Intrinsic::umin, Left, B.getInt64(ItemsTogether - 1));
  if (Number) {
    Value *Rest = B.CreateURem(B.CreateAdd(Number, Done), Bound);
    Most = B.CreateBinaryIntrinsic(Intrinsic::umin, Most, B.CreateFreeze(B.CreateSub(B.CreateSub(Bound, B.getInt64(1)), Rest)));
  }
  Value *Begin = B.CreateAdd(First, Done), *End = B.CreateAdd(Begin, Most);
  B.CreateBr(Header);
  Column.setIncomingValueForBlock(Before, Begin);
  Column.replaceIncomingBlockWith(Before, Some);
  auto *Turn = cast<BranchInst>(Latch->getTerminator());
  B.SetInsertPoint(Turn);
  const bool Again = Turn->getSuccessor(0) == Header;
  Turn->setCondition(B.CreateICmp(Again ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ, &Column, End));
  Turn->setSuccessor(Again ? 1 : 0, After);
  B.SetInsertPoint(After);
  Done->addIncoming(B.CreateAdd(Done, B.CreateAdd(Most, B.getInt64(1))), After);
  B.CreateCondBr(B.CreateICmpEQ(Left, Most), Exit, Some);
  return true;
}

// The variable of a loop that is a number of 64 bits and grows by one; null if there is none.
PHINode *columnOf(Loop &L, ScalarEvolution &SE) {
  auto All = L.getHeader()->phis();
  const auto Found = find_if(All, [&](PHINode &Phi) { return countsByOne(Phi, L, SE); });
  return Found == All.end() ? nullptr : &*Found;
}

// Makes numbers of where a loop begins and ends, whatever they were made of: a division is no expression that may be made again.
void freezeEnds(Loop &L, PHINode &Column, ScalarEvolution &SE) {
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  auto Freeze = [&](Use &U) {
    if (isa<Instruction>(U) && L.isLoopInvariant(U) && !isa<FreezeInst>(U))
      U.set(B.CreateFreeze(U));
  };
  Freeze(Column.getOperandUse(Column.getBasicBlockIndex(L.getLoopPreheader())));
  if (auto *Turn = dyn_cast<BranchInst>(L.getLoopLatch()->getTerminator()); Turn && Turn->isConditional())
    if (auto *Compare = dyn_cast<ICmpInst>(Turn->getCondition()); Compare && L.contains(Compare))
      for (Use &U : Compare->operands())
        Freeze(U);
  SE.forgetLoop(&L);
}

// Whether one of them tells where rows end.
bool endsRows(ArrayRef<Question> Questions, ScalarEvolution &SE) {
  return any_of(Questions, [&](const Question &Q) { return !Q.Holds && Q.Number.Is->getStepRecurrence(SE)->isOne(); });
}

// Whether a loop that is none over items gains by it: instructions divide by a number that only the run knows.
bool divides(ArrayRef<Question> Questions) {
  return any_of(Questions, [](const Question &Q) { return !Q.Holds && !isa<SCEVConstant>(Q.Bound); });
}

} // namespace

PreservedAnalyses InteriorItems::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallDenseMap<const BasicBlock *, unsigned, 8> Split, Rounds; // how often each loop was made rows, and copied
  bool Frozen = false;
  const PreservedAnalyses Known = changeEach(F, FAM, [&](Loop &L, LoopInfo &LI, SmallPtrSetImpl<BasicBlock *> &Tried) {
    if (!L.isInnermost() || !L.getLoopPreheader() || !L.getLoopLatch() || L.getExitingBlock() != L.getLoopLatch() || !L.getExitBlock() ||
        !L.hasDedicatedExits() || !L.isSafeToClone() || lengthOf(L) > MaxLength)
      return false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    PHINode *const Column = columnOf(L, SE);
    if (!Column)
      return false;
    auto Questions = Reader(L, SE).read();
    if (Questions.empty() || Questions.size() > MaxQuestions)
      return false;
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    if (!isItemLoop(L)) {
      if (!Rounds.contains(L.getHeader()) && !Split.contains(L.getHeader())) {
        if (!divides(Questions))
          return false;
        freezeEnds(L, *Column, SE);
        Frozen = true;
        Questions = Reader(L, SE).read();
      }
      formLCSSA(L, DT, &LI, &SE);
    }
    const unsigned Items = SE.getSmallConstantTripCount(&L);
    // Rows of rows: what a remainder is divided by.
    unsigned &Times = Split[L.getHeader()];
    const bool IsLong = Items == 0 || Items > ItemsTogether, IsFirst = Times == 0, OfRows = Times == 1 && Rounds.contains(L.getHeader()) && endsRows(Questions, SE);
    if (IsLong && (IsFirst || OfRows)) {
      ++Times;
      if (runTogether(L, *Column, Questions, SE)) {
        Tried.erase(L.getHeader()); // it is asked in what it has become
        return true;
      }
    }
    if (!Copier(L, *Column, SE, LI, DT).copy(Questions, Tried))
      return false;
    if (++Rounds[L.getHeader()] < MaxRounds)
      Tried.erase(L.getHeader());
    return true;
  });
  return Frozen ? PreservedAnalyses::none() : Known;
}

} // namespace aspen::items
