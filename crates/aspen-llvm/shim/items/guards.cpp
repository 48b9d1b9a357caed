// Items that do nothing because of a guard: `if (i >= n) return;`, `if (lane < step) …`, `if (lane == 0) …`.
//
// As a condition in a loop over items it becomes a mask for each access and each turn, for groups too in which all items pass; a masked access may
// take several times as long. Items in a row that pass a guard by comparing a number that grows by one an item with one that is the same for all:
// so the loop gets other bounds instead, and nothing asks any more.
//
// The number may wrap around where nothing says that it does not (`int i = item.get_global_id(0)` in a launch of 2^31 items). Whether it
// does is asked once a loop. If so, items run one by one, each after its guard was asked; by the same loop, so that there is no second one.
// The way is known as index set splitting (Wolfe, "High Performance Compilers for Parallel Computing", 1996).

#include "item_loop.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace aspen::items {
namespace {

// Loops of fewer items become few vectors, best without anything left over.
constexpr uint64_t MinItems = 64;

// Conditions of one loop.
constexpr size_t MaxConditions = 8;

// What must hold for an item that does anything.
struct Condition {
  Value *Is;
  bool Wanted;                            // what it must be
  Walk Number{};                          // what is compared; none if the condition is the same for all items
  const SCEV *Bound = nullptr;            // what it is compared with
  CmpInst::Predicate Compares{};          // it on the left, true where wanted
};

struct Guarded {
  Loop *L;
  PHINode *Column;
  SmallVector<Condition, 4> Conditions;
};

class Reader {
public:
  Reader(Loop &L, ScalarEvolution &SE, SmallVectorImpl<Condition> &Out) : L(L), SE(SE), Out(Out) {}

  // Keeps what `C == Wanted` needs, as far as it is known how to.
  void read(Value *C, bool Wanted) {
    readConditions(C, Wanted, [&](Value *C, bool Wanted) {
      if (Out.size() == MaxConditions)
        return true;
      if (L.isLoopInvariant(C)) {
        if (!isa<Constant>(C))
          Out.push_back({C, Wanted});
        return true;
      }
      auto *Compare = dyn_cast<ICmpInst>(C);
      if (Compare && Compare->getOperand(0)->getType()->isIntegerTy()) {
        const auto Compares = Wanted ? Compare->getPredicate() : Compare->getInversePredicate();
        const SCEV *Left = SE.getSCEV(Compare->getOperand(0)), *Right = SE.getSCEV(Compare->getOperand(1));
        if (!compared(Compare, Wanted, Left, Right, Compares))
          compared(Compare, Wanted, Right, Left, CmpInst::getSwappedPredicate(Compares));
      }
      return Compare != nullptr;
    });
  }

private:
  bool compared(ICmpInst *Is, bool Wanted, const SCEV *Walks, const SCEV *Bound, CmpInst::Predicate Compares) {
    Condition C{Is, Wanted};
    C.Bound = Bound;
    C.Compares = Compares;
    C.Number = walkOf(Walks, L);
    // Compared in 64 bits below, where what is negative would be another number than in 32.
    if (C.Number.ExtendsSign && !CmpInst::isSigned(Compares) && SE.getTypeSizeInBits(Bound->getType()) != 64)
      return false;
    if (!C.Number.Is || !C.Number.Is->getStepRecurrence(SE)->isOne() || Compares == CmpInst::ICMP_NE ||
        SE.getTypeSizeInBits(Bound->getType()) > 64 || !SE.isLoopInvariant(Bound, &L))
      return false;
    Out.push_back(C);
    return true;
  }

  Loop &L;
  ScalarEvolution &SE;
  SmallVectorImpl<Condition> &Out;
};

// Whether it is a loop over items whose bounds may be others, and by what conditions.
bool readGuards(Loop &L, ScalarEvolution &SE, Guarded &Out) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  if (!isItemLoop(L))
    return false;
  Out.L = &L;
  Out.Column = &*Header->phis().begin();
  const auto *Column = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Out.Column));
  const SCEV *Last = SE.getBackedgeTakenCount(&L);
  if (!Column || !Out.Column->getType()->isIntegerTy(64) || !Column->isAffine() || !Column->getStepRecurrence(SE)->isOne() ||
      isa<SCEVCouldNotCompute>(Last) || SE.getTypeSizeInBits(Last->getType()) > 64)
    return false;
  if (const auto *Known = dyn_cast<SCEVConstant>(Last); Known && Known->getAPInt().ult(MinItems - 1))
    return false;
  Reader Read(L, SE, Out.Conditions);
  for (BasicBlock *Block = Header; Block && Block != Latch && all_of(*Block, doesNothing);) {
    auto *Parts = dyn_cast<BranchInst>(Block->getTerminator());
    if (!Parts)
      break;
    BasicBlock *Next = Parts->getSuccessor(0);
    if (Parts->isConditional()) {
      const bool First = isEnd(Next, Latch);
      if (First)
        Next = Parts->getSuccessor(1);
      else if (!isEnd(Parts->getSuccessor(1), Latch))
        break;
      if (Next != Latch)
        Read.read(Parts->getCondition(), !First);
    }
    Block = Next->getSinglePredecessor() == Block ? Next : nullptr;
  }
  return any_of(Out.Conditions, [](const Condition &C) { return C.Number.Is != nullptr; });
}

class Bounds {
public:
  Bounds(Guarded &Of, ScalarEvolution &SE) : Of(Of), L(*Of.L), SE(SE), Expand(SE, "guard"), Before(L.getLoopPreheader()), B(Before->getTerminator()) {}

  bool set() {
    const SCEV *LastCount = SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(&L), B.getInt64Ty());
    const SCEV *Start = cast<SCEVAddRecExpr>(SE.getSCEV(Of.Column))->getStart();
    for (const SCEV *S : {LastCount, Start})
      if (!Expand.isSafeToExpandAt(S, Before->getTerminator()))
        return false;
    erase_if(Of.Conditions, [&](const Condition &C) {
      return C.Number.Is && !(Expand.isSafeToExpandAt(C.Number.Is->getStart(), Before->getTerminator()) && Expand.isSafeToExpandAt(C.Bound, Before->getTerminator()));
    });
    if (Of.Conditions.empty())
      return false;
    Last = expand(LastCount);
    First = expand(Start);
    Low = B.getInt64(0);
    High = B.CreateAdd(Last, B.getInt64(1));
    Fits = B.getTrue();
    Same = B.getTrue();
    for (const Condition &C : Of.Conditions) {
      if (C.Number.Is) {
        narrow(C);
        continue;
      }
      Value *Is = B.CreateFreeze(C.Is);
      Same = B.CreateAnd(Same, C.Wanted ? Is : B.CreateNot(Is));
    }
    connect();
    return true;
  }

private:
  struct Ends {
    Value *Begin, *Bound; // as they are compared
    const Condition *C;
  };

  Value *expand(const SCEV *S) { return B.CreateFreeze(Expand.expandCodeFor(S, S->getType(), Before->getTerminator())); }

  // In 64 bits, as the comparison extends both.
  static bool isSigned(const Condition &C) { return CmpInst::isSigned(C.Compares); }
  Value *wide(Value *V, bool Sign) { return Sign ? B.CreateSExtOrTrunc(V, B.getInt64Ty()) : B.CreateZExtOrTrunc(V, B.getInt64Ty()); }

  // The items that the condition leaves, and whether what it compares may be told from its first value.
  void narrow(const Condition &C) {
    const unsigned Bits = SE.getTypeSizeInBits(C.Number.Is->getType());
    const bool Sign = isSigned(C), InnerSign = C.Number.Extends ? C.Number.ExtendsSign : Sign;
    Value *Begin = wide(expand(C.Number.Is->getStart()), InnerSign), *Bound = wide(expand(C.Bound), Sign);
    Known.push_back({Begin, Bound, &C});
    auto Leaves = [&](const APInt &Greatest) {
      Value *Left = B.CreateSub(B.getInt(Greatest.zextOrTrunc(64)), Begin);
      Fits = B.CreateAnd(Fits, B.CreateICmpUGE(Left, Last));
    };
    if (!(InnerSign ? C.Number.Is->hasNoSignedWrap() : C.Number.Is->hasNoUnsignedWrap()))
      Leaves(InnerSign ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits));
    if (C.Number.Extends && InnerSign && !Sign)
      Leaves(APInt::getMaxValue(64));
    Value *One = B.getInt64(1), *Zero = B.getInt64(0);
    // How many come before the first one that is not less, or not less or equal.
    auto Until = [&](bool OrEqual) {
      const auto Greater = Sign ? (OrEqual ? CmpInst::ICMP_SGE : CmpInst::ICMP_SGT) : (OrEqual ? CmpInst::ICMP_UGE : CmpInst::ICMP_UGT);
      Value *Distance = B.CreateSub(Bound, Begin);
      if (!OrEqual)
        Distance = B.CreateSub(Distance, One);
      Value *Count = B.CreateAdd(B.CreateBinaryIntrinsic(Intrinsic::umin, Last, Distance), One);
      return B.CreateSelect(B.CreateICmp(Greater, Bound, Begin), Count, Zero);
    };
    auto AtMost = [&](Value *V) { High = B.CreateBinaryIntrinsic(Intrinsic::umin, High, V); };
    auto AtLeast = [&](Value *V) { Low = B.CreateBinaryIntrinsic(Intrinsic::umax, Low, V); };
    const bool OrEqual = CmpInst::isNonStrictPredicate(C.Compares);
    if (C.Compares == CmpInst::ICMP_EQ) {
      AtLeast(Until(false));
      AtMost(Until(true));
    } else if (ICmpInst::isLT(C.Compares) || ICmpInst::isLE(C.Compares)) {
      AtMost(Until(OrEqual));
    } else {
      AtLeast(Until(!OrEqual));
    }
  }

  // Whether the item of that number passes, where nothing is known of its neighbours.
  Value *passes(Value *Item) {
    Value *All = B.getTrue();
    for (const Ends &E : Known) {
      const Condition &C = *E.C;
      const bool Sign = isSigned(C), InnerSign = C.Number.Extends ? C.Number.ExtendsSign : Sign;
      Value *Own = wide(B.CreateTrunc(B.CreateAdd(E.Begin, Item), C.Number.Is->getType()), InnerSign);
      All = B.CreateAnd(All, B.CreateICmp(C.Compares, Own, E.Bound));
    }
    return All;
  }

  // Has the loop run the items from Low to High, if there are any.
  void connect() {
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    LLVMContext &C = Header->getContext();
    Function *F = Header->getParent();
    auto *After = BasicBlock::Create(C, "guard.end", F, Exit), *From = BasicBlock::Create(C, "guard", F, Header);
    Before->getTerminator()->replaceSuccessorWith(Header, From);
    Exit->replacePhiUsesWith(Latch, After);
    B.SetInsertPoint(From);
    Value *One = B.getInt64(1);
    if (match(Fits, m_One())) {
      IRBuilder<>(After).CreateBr(Exit);
    } else {
      PHINode *Item = B.CreatePHI(B.getInt64Ty(), 2, "one");
      Item->addIncoming(B.getInt64(0), Before);
      IRBuilder<> A(After);
      Item->addIncoming(A.CreateAdd(Item, One), After);
      A.CreateCondBr(A.CreateOr(Fits, A.CreateICmpEQ(Item, Last)), Exit, From);
      Low = B.CreateSelect(Fits, Low, Item);
      High = B.CreateSelect(Fits, High, B.CreateAdd(Item, B.CreateZExt(passes(Item), B.getInt64Ty())));
    }
    Value *Begin = B.CreateAdd(First, Low), *End = B.CreateAdd(First, High);
    B.CreateCondBr(B.CreateAnd(Same, B.CreateICmpULT(Low, High)), Header, After);
    Value *Next = Of.Column->getIncomingValueForBlock(Latch);
    Of.Column->setIncomingValueForBlock(Before, Begin);
    Of.Column->replaceIncomingBlockWith(Before, From);
    auto *Turn = cast<BranchInst>(Latch->getTerminator());
    B.SetInsertPoint(Turn);
    const bool Again = Turn->getSuccessor(0) == Header;
    Turn->setCondition(B.CreateICmp(Again ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ, Next, End));
    Turn->setSuccessor(Again ? 1 : 0, After);
    for (const Condition &Of : this->Of.Conditions) {
      Value *Holds = B.getInt1(Of.Wanted);
      Of.Is->replaceUsesWithIf(Holds, [&](Use &U) { return L.contains(cast<Instruction>(U.getUser())); });
    }
  }

  Guarded &Of;
  Loop &L;
  ScalarEvolution &SE;
  SCEVExpander Expand;
  BasicBlock *Before;
  IRBuilder<> B;
  // The number of the last item; of the first that passes, of the one behind the last that does; what the loop's variable is for the first one.
  Value *Last = nullptr, *Low = nullptr, *High = nullptr, *First = nullptr;
  Value *Fits = nullptr, *Same = nullptr; // whether nothing wraps; whether what is the same for all holds
  SmallVector<Ends, 4> Known;
};

} // namespace

PreservedAnalyses GuardedItems::run(Function &F, FunctionAnalysisManager &FAM) {
  return changeEach(F, FAM, [&](Loop &L, LoopInfo &, SmallPtrSetImpl<BasicBlock *> &) {
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    Guarded Of;
    return readGuards(L, SE, Of) && Bounds(Of, SE).set();
  });
}

} // namespace aspen::items
