// Items and their partners: `a[i]` beside `a[i ^ step]`, as in bitonic sorts and in the butterflies of Fourier's and Walsh's transforms.
//
// A place made by exclusive or is any place to the vectoriser. But if the step is a power of two, all items up to its next multiple have their partners
// at the same distance, on the same side: they run as a loop of their own, in which partners are neighbours of each other. Where that is shorter than
// a vector, the items of two runs are one turn of a loop, whose accesses lie at constant distances from each other. And who of two is asked for
// (`if (other > i)`) is known, so that half of the loops do nothing and are not made.
//
// What such an item writes behind a condition (`if (a > b) swap`), having read it, is written in any case: what it was, or something new. Nobody else
// may write there meanwhile, and conditions that are as good as random cost more than stores.

#include "item_loop.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Instructions of a loop that becomes two for long steps; of one that also has code for each short step that is not known before it runs.
constexpr size_t MaxLength = 120, MaxForAny = 40;
// Steps that are shorter than vectors: items of two runs are one turn, or a run is one vector.
constexpr uint64_t MaxTogether = 4, MaxShort = 8;
// Instructions between a load and the condition on which it is written.
constexpr unsigned MaxBetween = 64;

// What a loop's items are combined with by exclusive or, and all that is combined so.
struct Partners {
  Value *Step = nullptr;
  const SCEV *Number = nullptr; // the item's, which grows by one
  SmallVector<BinaryOperator *, 4> Others;
  SmallVector<BinaryOperator *, 4> Sides; // `number & step`
};

// Whether it makes the address of an access.
bool isOfAddress(const Instruction &I, const Loop &L, unsigned Depth = 0) {
  return any_of(I.users(), [&](const User *U) {
    const auto *By = cast<Instruction>(U);
    if (!L.contains(By))
      return false;
    if (isa<LoadInst, StoreInst>(By))
      return getLoadStorePointerOperand(By) == &I;
    return Depth < 12 && isa<BinaryOperator, CastInst, GetElementPtrInst>(By) && isOfAddress(*By, L, Depth + 1);
  });
}

// The operand that is the item's number, if the other one is the step.
Value *numberIn(const BinaryOperator &I, const Loop &L, ScalarEvolution &SE, Value *&Step) {
  for (unsigned N : {0u, 1u}) {
    Value *Number = I.getOperand(N), *Other = I.getOperand(1 - N);
    if (!L.isLoopInvariant(Other) || (Step && Step != Other))
      continue;
    const Walk Of = walkOf(SE.getSCEV(Number), L);
    if (!Of.Is || Of.Extends || !Of.Is->getStepRecurrence(SE)->isOne())
      continue;
    Step = Other;
    return Number;
  }
  return nullptr;
}

Partners partnersIn(const Loop &L, ScalarEvolution &SE) {
  Partners Out;
  for (auto Opcode : {Instruction::Xor, Instruction::And})
    for (BasicBlock *Block : L.blocks())
      for (Instruction &I : *Block) {
        auto *Of = dyn_cast<BinaryOperator>(&I);
        if (!Of || Of->getOpcode() != Opcode || !I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() > 64 ||
            I.getType()->getIntegerBitWidth() < 16 || (Opcode == Instruction::Xor ? !isOfAddress(I, L) : !Out.Step))
          continue;
        Value *Step = Out.Step, *Number = numberIn(*Of, L, SE, Step);
        if (!Number || (Out.Number && Out.Number != SE.getSCEV(Number)))
          continue;
        Out.Step = Step;
        Out.Number = SE.getSCEV(Number);
        (Opcode == Instruction::Xor ? Out.Others : Out.Sides).push_back(Of);
      }
  return Out;
}

// A number extended: without a cast where it was cut from one that is as long, losing nothing.
Value *extended(IRBuilder<> &B, Value *V, const CastInst &As) {
  const bool Sign = isa<SExtInst>(As);
  if (auto *Cut = dyn_cast<TruncInst>(V))
    if (Cut->getOperand(0)->getType() == As.getType() && (Sign ? Cut->hasNoSignedWrap() : Cut->hasNoUnsignedWrap()))
      return Cut->getOperand(0);
  return Sign ? B.CreateSExt(V, As.getType()) : B.CreateZExt(V, As.getType());
}

// Writes in any case what a block writes that only some come through, and what was read just before.
void writeAlways(BasicBlock &Block) {
  auto *Asks = dyn_cast<BranchInst>(Block.getTerminator());
  if (!Asks || !Asks->isConditional())
    return;
  for (bool Wanted : {true, false}) {
    BasicBlock *Then = Asks->getSuccessor(Wanted ? 0 : 1), *After = Asks->getSuccessor(Wanted ? 1 : 0);
    if (Then->getSinglePredecessor() != &Block || Then->getSingleSuccessor() != After || Then == After)
      continue;
    SmallVector<std::pair<StoreInst *, LoadInst *>, 4> Writes;
    const bool May = all_of(*Then, [&](Instruction &I) {
      auto *Write = dyn_cast<StoreInst>(&I);
      if (!Write)
        return I.isTerminator() || (!isa<PHINode>(I) && isSafeToSpeculativelyExecute(&I) && !I.mayReadOrWriteMemory());
      unsigned Passed = 0;
      for (BasicBlock *At = &Block; At && Write->isSimple(); At = At->getSinglePredecessor())
        for (Instruction &Before : reverse(*At)) {
          if (++Passed > MaxBetween || Before.mayWriteToMemory())
            return false;
          auto *Load = dyn_cast<LoadInst>(&Before);
          if (Load && Load->isSimple() && Load->getPointerOperand() == Write->getPointerOperand() && Load->getType() == Write->getValueOperand()->getType()) {
            Writes.push_back({Write, Load});
            return true;
          }
        }
      return false;
    });
    if (!May || Writes.empty())
      continue;
    for (Instruction &I : make_early_inc_range(*Then))
      if (!I.isTerminator())
        I.moveBefore(Asks->getIterator());
    for (auto [Write, Load] : Writes) {
      IRBuilder<> B(Write);
      Value *New = Write->getValueOperand(), *Was = Load;
      Write->setOperand(0, Wanted ? B.CreateSelect(Asks->getCondition(), New, Was) : B.CreateSelect(Asks->getCondition(), Was, New));
    }
    return;
  }
}

// Makes a loop's versions.
class Versions {
public:
  Versions(Loop &L, ScalarEvolution &SE, const Partners &Of)
      : L(L), SE(SE), Of(Of), Expand(SE, "partners"), Before(L.getLoopPreheader()), Header(L.getHeader()), Latch(L.getLoopLatch()),
        Column(&*L.getHeader()->phis().begin()), F(Header->getParent()), B(Before->getTerminator()) {}

  // False if they cannot be made.
  bool make() {
    const SCEV *Turns = SE.getBackedgeTakenCount(&L);
    const SCEV *Start = cast<SCEVAddRecExpr>(Of.Number)->getStart();
    auto *Known = dyn_cast<ConstantInt>(Of.Step);
    const APInt *Constant = Known ? &Known->getValue() : nullptr;
    if (isa<SCEVCouldNotCompute>(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64 || !safe(Turns) || !safe(Start) ||
        (Constant && (!Constant->isPowerOf2() || Constant->isSignMask())))
      return false;
    findCompared();
    T = cast<IntegerType>(Of.Number->getType());
    FirstColumn = Column->getIncomingValueForBlock(Before);
    Count = B.CreateAdd(B.CreateZExtOrTrunc(expand(Turns), B.getInt64Ty()), B.getInt64(1));
    First = expand(Start);
    Step = Constant ? Of.Step : B.CreateFreeze(Of.Step);

    BasicBlock *Exit = L.getExitBlock();
    After = BasicBlock::Create(F->getContext(), "partners.end", F, Exit);
    Exit->replacePhiUsesWith(Latch, After);
    Latch->getTerminator()->replaceSuccessorWith(Exit, After);
    BranchInst::Create(Exit, After);
    Before->getTerminator()->eraseFromParent();
    Plain = block("partners.any");
    BranchInst::Create(Header, Plain);
    Column->replaceIncomingBlockWith(Before, Plain);
    B.SetInsertPoint(Before);
    if (!Constant) {
      // A power of two, and not that which is a sign.
      Value *IsPower = B.CreateICmpEQ(B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateUnaryIntrinsic(Intrinsic::ctpop, Step), ConstantInt::get(T, 2)), ConstantInt::get(T, 1));
      BasicBlock *Powers = block("partners");
      B.CreateCondBr(B.CreateAnd(IsPower, B.CreateICmpSGT(Step, ConstantInt::get(T, 0))), Powers, Plain);
      B.SetInsertPoint(Powers);
    }
    const bool ForAny = !Constant && lengthOf(L) <= MaxForAny;
    for (uint64_t Short = 1; Short <= MaxShort; Short *= 2) {
      if (Constant ? *Constant != Short : !ForAny)
        continue;
      BasicBlock *Own = block("partners.near"), *Next = Constant ? Plain : block("partners");
      Value *Rest = B.CreateOr(B.CreateZExtOrTrunc(First, B.getInt64Ty()), Count);
      Value *IsWhole = B.CreateICmpEQ(B.CreateAnd(Rest, B.getInt64(2 * Short - 1)), B.getInt64(0));
      B.CreateCondBr(Constant ? IsWhole : B.CreateAnd(IsWhole, B.CreateICmpEQ(Step, ConstantInt::get(T, Short))), Own, Next);
      B.SetInsertPoint(Own);
      Value *Any = std::exchange(Step, ConstantInt::get(T, Short));
      Short <= MaxTogether ? together(Short) : runs(Short);
      Step = Any;
      B.SetInsertPoint(Next);
    }
    if (!Constant) {
      BasicBlock *Far = block("partners.far");
      B.CreateCondBr(B.CreateICmpUGT(Step, ConstantInt::get(T, MaxShort)), Far, Plain);
      B.SetInsertPoint(Far);
      runs(0);
    } else if (Constant->ugt(MaxShort)) {
      runs(0);
    }
    return true;
  }

private:
  bool safe(const SCEV *S) { return Expand.isSafeToExpandAt(S, Before->getTerminator()); }
  Value *expand(const SCEV *S) { return B.CreateFreeze(Expand.expandCodeFor(S, S->getType(), Before->getTerminator())); }
  BasicBlock *block(const char *Name) { return BasicBlock::Create(F->getContext(), Name, F, Header); }

  // The loop's blocks once more, for items above or below their partners. False, and nothing is left, if such items do nothing.
  bool copy(bool Above, ValueToValueMapTy &Map) {
    SmallVector<BasicBlock *, 16> Blocks;
    for (BasicBlock *Block : L.getBlocks()) {
      BasicBlock *Copy = CloneBasicBlock(Block, Map, Above ? ".above" : ".below", F);
      Map[Block] = Copy;
      Blocks.push_back(Copy);
    }
    remapInstructionsInBlocks(Blocks, Map);
    settle(Above, Map);
    SmallPtrSet<BasicBlock *, 16> Reached;
    if (hasEffects(cast<BasicBlock>(Map[Header]), cast<BasicBlock>(Map[Latch]), Reached)) {
      for (BasicBlock *Block : Blocks)
        if (Reached.contains(Block))
          writeAlways(*Block);
      return true;
    }
    for (BasicBlock *Block : Blocks)
      Block->dropAllReferences();
    for (BasicBlock *Block : Blocks)
      Block->eraseFromParent();
    return false;
  }

  // Whether something is written on a way from a block to the latch.
  static bool hasEffects(BasicBlock *From, BasicBlock *Latch, SmallPtrSetImpl<BasicBlock *> &Reached) {
    SmallVector<BasicBlock *, 16> Open{From};
    bool Found = false;
    while (!Open.empty()) {
      BasicBlock *Block = Open.pop_back_val();
      if (!Reached.insert(Block).second)
        continue;
      Found |= !all_of(*Block, doesNothing);
      auto *Ways = dyn_cast<BranchInst>(Block->getTerminator());
      if (Block == Latch)
        continue;
      auto *Known = Ways && Ways->isConditional() ? dyn_cast<ConstantInt>(Ways->getCondition()) : nullptr;
      if (Known)
        Open.push_back(Ways->getSuccessor(Known->isOne() ? 0 : 1));
      else
        append_range(Open, successors(Block));
    }
    return Found;
  }

  // What is known of items above, or below, their partners.
  void settle(bool Above, ValueToValueMapTy &Map) {
    SmallVector<std::pair<WeakVH, Value *>, 8> Instead;
    for (BinaryOperator *Side : Of.Sides)
      Instead.emplace_back(Map.lookup(Side), Above ? Step : ConstantInt::get(T, 0));
    for (BinaryOperator *Other : Of.Others) {
      auto *I = cast<BinaryOperator>(Map[Other]);
      Value *Own = I->getOperand(Other->getOperand(0) == Of.Step ? 1 : 0);
      IRBuilder<> B(I);
      // Within bounds: of the two numbers one has the step's bit and one has not, and it is no sign.
      auto Beside = [&](Value *Number, Value *By) { return Above ? B.CreateSub(Number, By, "", true, true) : B.CreateAdd(Number, By, "", true, true); };
      for (User *U : Other->users())
        if (auto *As = dyn_cast<CastInst>(U); As && isa<ZExtInst, SExtInst>(As)) {
          auto *Copy = cast<CastInst>(Map[As]);
          IRBuilder<> Here(Copy);
          Value *Number = extended(Here, Own, *As), *By = Here.CreateCast(As->getOpcode(), Step, As->getType());
          Instead.emplace_back(Copy, Above ? Here.CreateSub(Number, By, "", true, true) : Here.CreateAdd(Number, By, "", true, true));
        }
      Instead.emplace_back(I, Beside(Own, Step));
    }
    for (auto [Compare, Predicate] : Compared) {
      const bool Holds = Predicate == CmpInst::ICMP_NE || (Above ? ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate) : ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate));
      Instead.emplace_back(Map.lookup(Compare), ConstantInt::getBool(F->getContext(), Holds));
    }
    for (auto &[I, New] : Instead)
      if (auto *Is = dyn_cast_or_null<Instruction>(static_cast<Value *>(I)))
        replaceAndRecursivelySimplify(Is, New);
  }

  // Finds comparisons of partners' numbers, which may have been extended, with the item's own: as long as the loop is what the analysis knows.
  void findCompared() {
    auto Find = [&](Instruction &Other, const SCEV *Own) {
      for (User *U : Other.users()) {
        auto *Compare = dyn_cast<ICmpInst>(U);
        if (!Compare || !L.contains(Compare))
          continue;
        const bool IsFirst = Compare->getOperand(0) == &Other;
        if (SE.getSCEV(Compare->getOperand(IsFirst ? 1 : 0)) == Own)
          Compared.push_back({Compare, IsFirst ? Compare->getPredicate() : Compare->getSwappedPredicate()});
      }
    };
    for (BinaryOperator *Other : Of.Others) {
      Find(*Other, Of.Number);
      for (User *U : Other->users())
        if (auto *As = dyn_cast<CastInst>(U); As && isa<ZExtInst, SExtInst>(As))
          Find(*As, isa<SExtInst>(As) ? SE.getSignExtendExpr(Of.Number, As->getType()) : SE.getZeroExtendExpr(Of.Number, As->getType()));
    }
  }

  // Twice as many items as the step a turn.
  void together(uint64_t Short) {
    BasicBlock *Turn = block("together"), *End = block("together.end");
    B.CreateBr(Turn);
    BasicBlock *Enters = B.GetInsertBlock();
    B.SetInsertPoint(Turn);
    PHINode *Begin = B.CreatePHI(Column->getType(), 2, "column");
    Begin->addIncoming(FirstColumn, Enters);
    for (uint64_t Item = 0; Item < 2 * Short; ++Item) {
      ValueToValueMapTy Map;
      if (!copy(Item & Short, Map))
        continue;
      auto *Start = cast<BasicBlock>(Map[Header]), *Last = cast<BasicBlock>(Map[Latch]);
      auto *Own = cast<PHINode>(Map[Column]);
      Own->replaceAllUsesWith(B.CreateNUWAdd(Begin, B.getInt64(Item)));
      Own->eraseFromParent();
      B.CreateBr(Start);
      Last->getTerminator()->eraseFromParent();
      B.SetInsertPoint(Last);
    }
    B.CreateBr(End);
    B.SetInsertPoint(End);
    Value *Next = B.CreateNUWAdd(Begin, B.getInt64(2 * Short));
    Begin->addIncoming(Next, End);
    auto *Again = B.CreateCondBr(B.CreateICmpEQ(Next, B.CreateAdd(FirstColumn, Count)), After, Turn);
    Again->setMetadata(LLVMContext::MD_loop, L.getLoopID());
  }

  // Run by run of items up to the next multiple of the step: of as many as `Short`, if it is not 0.
  void runs(uint64_t Short) {
    BasicBlock *Run = block("run"), *End = block("run.end"), *Enters = B.GetInsertBlock();
    B.CreateBr(Run);
    B.SetInsertPoint(Run);
    PHINode *Done = B.CreatePHI(B.getInt64Ty(), 2, "done");
    Done->addIncoming(B.getInt64(0), Enters);
    Value *Number = B.CreateAdd(First, B.CreateZExtOrTrunc(Done, T)), *Length = B.getInt64(Short);
    if (!Short) {
      Value *Left = B.CreateSub(Step, B.CreateAnd(Number, B.CreateSub(Step, ConstantInt::get(T, 1))));
      Length = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateZExtOrTrunc(Left, B.getInt64Ty()), B.CreateSub(Count, Done));
    }
    Value *Begin = B.CreateAdd(FirstColumn, Done), *Last = B.CreateAdd(Begin, B.CreateSub(Length, B.getInt64(1)));
    Value *IsAbove = B.CreateICmpNE(B.CreateAnd(Number, Step), ConstantInt::get(T, 0));
    BasicBlock *Sides[2];
    for (bool Above : {false, true}) {
      ValueToValueMapTy Map;
      if (!copy(Above, Map)) {
        Sides[Above] = End;
        continue;
      }
      Sides[Above] = block(Above ? "above" : "below");
      auto *Own = cast<PHINode>(Map[Column]);
      Own->setIncomingValueForBlock(Plain, Begin);
      Own->replaceIncomingBlockWith(Plain, Sides[Above]);
      BranchInst::Create(cast<BasicBlock>(Map[Header]), Sides[Above]);
      auto *Turn = cast<BranchInst>(cast<BasicBlock>(Map[Latch])->getTerminator());
      const bool Again = Turn->getSuccessor(0) == Map[Header];
      Turn->setCondition(new ICmpInst(Turn->getIterator(), Again ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ, Own, Last));
      Turn->setSuccessor(Again ? 1 : 0, End);
    }
    B.CreateCondBr(IsAbove, Sides[1], Sides[0]);
    B.SetInsertPoint(End);
    Value *Next = B.CreateNUWAdd(Done, Length);
    Done->addIncoming(Next, End);
    B.CreateCondBr(B.CreateICmpULT(Next, Count), Run, After);
  }

  Loop &L;
  ScalarEvolution &SE;
  const Partners &Of;
  SCEVExpander Expand;
  BasicBlock *Before, *Header, *Latch;
  BasicBlock *Plain = nullptr, *After = nullptr; // where the loop begins as it was, and where all versions end
  PHINode *Column;
  Function *F;
  IRBuilder<> B;
  IntegerType *T = nullptr; // of numbers
  SmallVector<std::pair<ICmpInst *, CmpInst::Predicate>, 4> Compared; // the partner's number with the item's own
  Value *FirstColumn = nullptr, *First = nullptr, *Count = nullptr, *Step = nullptr; // the first item's column and number, how many there are
};

} // namespace

PreservedAnalyses PartnerItems::run(Function &F, FunctionAnalysisManager &FAM) {
  const PreservedAnalyses Known = changeEach(F, FAM, [&](Loop &L, LoopInfo &, SmallPtrSetImpl<BasicBlock *> &) {
    if (!L.isInnermost() || !isItemLoop(L) || !L.hasDedicatedExits() || !L.isSafeToClone() || lengthOf(L) > MaxLength)
      return false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    if (!countsByOne(L, SE))
      return false;
    // What `__restrict` says of one item's accesses it does not say of two items'.
    for (BasicBlock *Block : L.blocks())
      for (Instruction &I : *Block)
        if (isa<NoAliasScopeDeclInst>(I))
          return false;
    const Partners Of = partnersIn(L, SE);
    return Of.Step && Versions(L, SE, Of).make();
  });
  if (!Known.areAllPreserved())
    EliminateUnreachableBlocks(F);
  return Known;
}

} // namespace aspen::items
