// Guards in front of loops that all items run alike: `if (id < n) { …; for (k = 0; k < m; ++k) …; … }` with something behind it.
//
// Not all items come to such a loop, so it is not cut (docs/decisions/0012), and each item runs through it by itself. Here the guard goes into what it
// guards: as soon as one item of the group passes it all go that way, and what only those may do that pass asks again. Control is computed by
// all, since it is the same for all; so is what has no effects. Who does not pass computes nonsense, which nobody asks for.
//
//   if (id < n) {          if any item has id < n:
//     a = in[id];            if (id < n) a = in[id];
//     for (k…) a += x[k];    for (k…) a += x[k];
//     out[id] = a; }         if (id < n) out[id] = a;
//
// Guards that let few items pass stay: `if (id == 0)`. The way is known as loop unswitching, which clang does, backwards.

#include "view.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace aspen::items {
namespace {

// Items that a guard lets pass at least, where that is known.
constexpr uint64_t MinPassing = 16;

// Blocks behind a guard, and instructions that a guard is computed from.
constexpr size_t MaxGuarded = 64, MaxOfGuard = 16;

class Sink {
public:
  Sink(BasicBlock &Guard, const Loop &L, const View &V, const Pieces &P) : Guard(&Guard), V(V), P(P), Way(cast<BranchInst>(Guard.getTerminator())) {
    SmallVector<BasicBlock *, 4> Exits;
    L.getUniqueExitBlocks(Exits);
    Cuts.insert(L.getHeader());
    Cuts.insert_range(Exits);
  }

  // Whether it can go in; nothing has changed then.
  bool reads() {
    Join = V.joinOf(*Guard);
    if (!Join || Way->isUnconditional() || Way->getSuccessor(0) == Way->getSuccessor(1) || !is_contained(successors(Guard), Join))
      return false;
    // Where nothing else comes, who does not pass has ended (cutAtGuardedLoops); in a loop all come again.
    const auto Ways = waysFrom(Join, P);
    if (!P.Starts.contains(Join) && !V.Loops.getLoopFor(Join) && none_of(Ways, [](BasicBlock *To) { return To; }))
      return false;
    Passes = Way->getSuccessor(1) == Join;
    Begin = Way->getSuccessor(!Passes);
    return Begin->getSinglePredecessor() == Guard && mayPassMany(Way->getCondition(), Passes) && canCopy(Way->getCondition()) && findBlocks() && findApart() &&
           findControl();
  }
  BasicBlock *join() const { return Join; }
  // Whether all go through a loop that do not stay in front of the guard.
  bool isRunByAll(const Loop &L) const {
    SmallVector<BasicBlock *, 4> Exits;
    L.getUniqueExitBlocks(Exits);
    auto IsMet = [&](BasicBlock *B) { return B && Inside.contains(B) && !Apart.contains(B); };
    auto IsAlike = [&](BasicBlock *B) { return !V.differs(*B); };
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    return IsMet(L.getHeader()) && IsMet(L.getLoopLatch()) && IsAlike(L.getLoopLatch()) && all_of(Exits, IsMet) && all_of(Exiting, IsMet) && all_of(Exiting, IsAlike);
  }

  // Where all go of whom one passes, and where the question is asked.
  std::pair<BasicBlock *, BasicBlock *> put() {
    BasicBlock *const Last = lastOne();
    for (auto &Area : Areas)
      Area.second = Area.second == Join ? Last : Area.second;
    for (BasicBlock *B : Inside)
      if (!Apart.contains(B))
        guard(*B);
    // It may be in two by now.
    BasicBlock *const Leads = *find_if(predecessors(Join), [&](BasicBlock *From) { return From != Guard; });
    IRBuilder<> Out(Leads->getTerminator());
    for (PHINode &Phi : Join->phis()) {
      Value *Own = Phi.getIncomingValueForBlock(Leads), *Others = Phi.getIncomingValueForBlock(Guard);
      if (Own != Others)
        Phi.setIncomingValueForBlock(Leads, Out.CreateSelect(passing(Out), Own, Others));
    }
    BasicBlock *Asks = SplitBlock(Guard, Way->getIterator());
    IRBuilder<> B(Way);
    Value *Any = askAny(B, passing(B));
    Way->setCondition(Passes ? Any : B.CreateNot(Any));
    return {Begin, Asks};
  }

private:
  // Comparisons that may hold for many items, by what is the same for all and by numbers.
  bool mayPassMany(Value *C, bool Wanted, unsigned Depth = 0) const {
    Value *A, *B;
    if (Depth == 6)
      return false;
    if (V.Uniform->isUniform(C))
      return true;
    if (match(C, m_Not(m_Value(A))))
      return mayPassMany(A, !Wanted, Depth + 1);
    if (Wanted ? match(C, m_LogicalAnd(m_Value(A), m_Value(B))) : match(C, m_LogicalOr(m_Value(A), m_Value(B))))
      return mayPassMany(A, Wanted, Depth + 1) && mayPassMany(B, Wanted, Depth + 1);
    const auto *Compare = dyn_cast<ICmpInst>(C);
    if (!Compare || !Compare->isRelational())
      return false;
    Value *Left = Compare->getOperand(0), *Right = Compare->getOperand(1);
    CmpInst::Predicate Goes = Wanted ? Compare->getPredicate() : Compare->getInversePredicate();
    if (V.Uniform->isUniform(Left)) {
      std::swap(Left, Right);
      Goes = CmpInst::getSwappedPredicate(Goes);
    }
    const auto *Bound = dyn_cast<ConstantInt>(Right);
    return V.Uniform->isUniform(Right) && (!Bound || ICmpInst::isGT(Goes) || ICmpInst::isGE(Goes) || Bound->getValue().uge(MinPassing));
  }

  bool isInPrelude(const Instruction &I) const { return I.getParent()->isEntryBlock(); }

  // Whether the guard is arithmetic of ids and of what all have in common: then each piece can make it anew, and it may become a bound.
  bool canCopy(Value *C) {
    SmallSetVector<Value *, 16> Open;
    Open.insert(C);
    for (size_t Place = 0; Place < Open.size(); ++Place) {
      auto *I = dyn_cast<Instruction>(Open[Place]);
      if (!I || isInPrelude(*I) || V.Uniform->isUniform(I))
        continue;
      if (!isa<BinaryOperator, CastInst, CmpInst, SelectInst, MinMaxIntrinsic>(I) || Open.size() > MaxOfGuard)
        return false;
      for (Value *Of : I->operands())
        if (!isa<Function>(Of))
          Open.insert(Of);
    }
    return true;
  }

  Value *copied(IRBuilder<> &B, Value *C, SmallDenseMap<Instruction *, Value *> &Copies) {
    auto *I = dyn_cast<Instruction>(C);
    if (!I || isInPrelude(*I) || Common.contains(I))
      return C;
    if (Value *Copy = Copies.lookup(I))
      return Copy;
    Instruction *Copy = I->clone();
    for (Use &U : Copy->operands())
      if (!isa<Function>(U.get()))
        U.set(copied(B, U.get(), Copies));
    return Copies[I] = B.Insert(Copy);
  }

  // Whether the item that asks passes.
  Value *passing(IRBuilder<> &B) {
    SmallDenseMap<Instruction *, Value *> Copies;
    Value *Is = copied(B, Condition, Copies);
    return Passes ? Is : B.CreateNot(Is);
  }

  // What is behind the guard, up to where all meet again: nobody waits there, ends there or comes from elsewhere.
  bool findBlocks() {
    Condition = Way->getCondition();
    for (BasicBlock &B : *Guard->getParent())
      for (Instruction &I : B)
        if (V.Uniform->isUniform(&I))
          Common.insert(&I);
    Inside.insert(Begin);
    for (size_t Place = 0; Place < Inside.size(); ++Place) {
      BasicBlock *B = Inside[Place];
      if (P.Starts.contains(B) || B == Guard || Inside.size() > MaxGuarded || !isa<BranchInst, SwitchInst>(B->getTerminator()))
        return false;
      for (BasicBlock *Next : successors(B))
        if (Next != Join)
          Inside.insert(Next);
    }
    return all_of(Inside, [&](BasicBlock *B) { return all_of(predecessors(B), [&](BasicBlock *From) { return From == Guard || Inside.contains(From); }); }) &&
           all_of(predecessors(Join), [&](BasicBlock *From) { return From == Guard || Inside.contains(From); });
  }

  // Blocks between a branch by which those who pass part, and where they meet: they are left alone, as who does not pass never comes there.
  bool findApart() {
    for (BasicBlock *B : Inside) {
      if (!V.differs(*B) || Apart.contains(B))
        continue;
      BasicBlock *Meet = V.joinOf(*B);
      if (!Meet || (Meet != Join && !Inside.contains(Meet)))
        return false;
      Blocks Area;
      auto Follow = [&](BasicBlock *From) {
        for (BasicBlock *Next : successors(From))
          if (Next != Meet)
            Area.insert(Next);
      };
      Follow(B);
      for (size_t Place = 0; Place < Area.size(); ++Place)
        Follow(Area[Place]);
      if (Area.contains(B) || Area.contains(Join))
        return false;
      for (BasicBlock *Of : Area)
        Apart[Of] = B;
      Areas[B] = Meet;
    }
    // Those that were found before an area around them.
    for (BasicBlock *B : Inside)
      if (Apart.contains(B))
        Areas.erase(B);
    return none_of(Areas, [&](auto &Area) { return Apart.contains(Area.second); });
  }

  // What control is made of, which is the same for all, and where all read one place: everyone computes it.
  bool findControl() {
    for (BasicBlock *B : Inside)
      if (!Apart.contains(B) && !Areas.contains(B) && B->getTerminator()->getNumSuccessors() > 1) {
        auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
        if (!isComputedByAll(Branch ? Branch->getCondition() : cast<SwitchInst>(B->getTerminator())->getCondition()))
          return false;
      }
    for (BasicBlock *B : Inside)
      for (Instruction &I : *B)
        if (auto *Load = dyn_cast<LoadInst>(&I);
            Load && Load->isSimple() && !Apart.contains(B) && Common.contains(Load) && !mayBeOverwritten(*Load) && isComputedByAll(Load->getPointerOperand()))
          Harmless.insert(Load);
    return true;
  }

  // Whether the one item that passes, if it is one, may write in this piece where it has read, and keep what it has read for the next: who does not pass reads
  // there afterwards, and of what is the same for all the last item's is kept.
  bool mayBeOverwritten(const LoadInst &Load) const {
    const BasicBlock *Own = Load.getParent();
    // What one comes to from there without a cut, and through what may be one; other loops than the one in question may be cut, or not.
    SmallSetVector<const BasicBlock *, 16> Piece, Others;
    auto MayBeCut = [&](const BasicBlock *From, const BasicBlock *To) {
      const Loop *L = V.Loops.getLoopFor(From);
      return V.Loops.isLoopHeader(To) || (L && !L->contains(To));
    };
    auto Follow = [&](const BasicBlock *From, bool Cut) {
      for (const BasicBlock *Next : successors(From)) {
        if (!Inside.contains(const_cast<BasicBlock *>(Next)) || Next == Own)
          continue;
        if (!Cut && !Cuts.contains(Next))
          Piece.insert(Next);
        if (Cut || MayBeCut(From, Next))
          Others.insert(Next);
      }
    };
    const bool IsPrivate = isa<AllocaInst>(getUnderlyingObject(Load.getPointerOperand()));
    auto Writes = [&](const Instruction &I) {
      const auto *Store = dyn_cast<StoreInst>(&I);
      return I.mayWriteToMemory() && (!Store || IsPrivate || !isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand())));
    };
    Follow(Own, false);
    for (size_t Place = 0; Place < Piece.size(); ++Place)
      Follow(Piece[Place], false);
    if (none_of(make_range(std::next(Load.getIterator()), Own->end()), Writes) && none_of(Piece, [&](const BasicBlock *B) { return any_of(*B, Writes); }))
      return false;
    for (size_t Place = 0; Place < Others.size(); ++Place)
      Follow(Others[Place], true);
    SmallSetVector<const Instruction *, 16> Made;
    Made.insert(&Load);
    for (size_t Place = 0; Place < Made.size(); ++Place)
      for (const User *U : Made[Place]->users()) {
        const auto *I = cast<Instruction>(U);
        if (I->getParent() == Join || Others.contains(I->getParent()))
          return true;
        Made.insert(I);
      }
    return false;
  }

  // Whether everyone can make a value: by arithmetic of what is the same for all, no read; what it takes becomes part of control then.
  bool isComputedByAll(Value *V) {
    SmallSetVector<Instruction *, 16> Needed;
    auto Need = [&](Value *Of) {
      if (auto *I = dyn_cast<Instruction>(Of); I && Inside.contains(I->getParent()) && !Control.contains(I))
        Needed.insert(I);
    };
    Need(V);
    for (size_t Place = 0; Place < Needed.size(); ++Place) {
      Instruction *I = Needed[Place];
      if (Apart.contains(I->getParent()) || !Common.contains(I))
        return false;
      if (const auto *Phi = dyn_cast<PHINode>(I)) {
        if (any_of(Phi->blocks(), [&](BasicBlock *From) { return Apart.contains(From) || Areas.contains(From); }))
          return false;
      } else if (!isSafeToSpeculativelyExecute(I) || I->mayReadFromMemory()) {
        return false;
      }
      for (Value *Of : I->operands())
        Need(Of);
    }
    Control.insert(Needed.begin(), Needed.end());
    return true;
  }

  // The one block behind the guard from which one comes to where all meet.
  BasicBlock *lastOne() {
    SmallVector<BasicBlock *, 4> From;
    for (BasicBlock *B : predecessors(Join))
      if (B != Guard && !is_contained(From, B))
        From.push_back(B);
    if (From.size() == 1 && From.front()->getSingleSuccessor() == Join && !Apart.contains(From.front()))
      return From.front();
    return SplitBlockPredecessors(Join, From, ".guarded");
  }

  // Whether an item that does not pass may do it, too. One place is read by somebody who passes; where that is, is no nonsense.
  bool isHarmless(const Instruction &I) const {
    return isa<PHINode>(I) || Control.contains(&I) || Harmless.contains(&I) || (isSafeToSpeculativelyExecute(&I) && !I.mayReadFromMemory());
  }

  // Puts a block's own part behind the guard, with what lies apart behind it.
  void guard(BasicBlock &B) {
    BasicBlock *Meet = Areas.lookup(&B);
    Instruction *First = nullptr;
    for (Instruction &I : B)
      if (!I.isTerminator() && !isHarmless(I)) {
        First = &I;
        break;
      }
    if (!Meet && !First)
      return;
    if (!First)
      First = B.getTerminator();
    for (Instruction &I : make_early_inc_range(make_range(First->getIterator(), B.getTerminator()->getIterator())))
      if (Control.contains(&I))
        I.moveBefore(First->getIterator());
    BasicBlock *Own = SplitBlock(&B, First->getIterator());
    BasicBlock *To = Meet ? Meet : SplitBlock(Own, Own->getTerminator()->getIterator());
    SmallPtrSet<BasicBlock *, 8> Behind{Own};
    for (auto [Of, From] : Apart)
      if (From == &B)
        Behind.insert(Of);
    IRBuilder<> H(B.getTerminator());
    H.CreateCondBr(passing(H), Own, To);
    B.getTerminator()->eraseFromParent();
    auto Nothing = [&](Type *T) { return new FreezeInst(PoisonValue::get(T), "undefined", B.getTerminator()->getIterator()); };
    if (Meet)
      for (PHINode &Phi : To->phis())
        Phi.addIncoming(Nothing(Phi.getType()), &B);
    SmallVector<Instruction *, 16> Made;
    for (BasicBlock *Of : Behind)
      for (Instruction &I : *Of)
        if (!I.isTerminator())
          Made.push_back(&I);
    for (Instruction *I : Made) {
      SmallVector<Use *, 8> Outside;
      for (Use &U : I->uses()) {
        auto *User = cast<Instruction>(U.getUser());
        auto *Phi = dyn_cast<PHINode>(User);
        if (!Behind.contains(Phi ? Phi->getIncomingBlock(U) : User->getParent()))
          Outside.push_back(&U);
      }
      if (Outside.empty())
        continue;
      PHINode *Phi = PHINode::Create(I->getType(), 2, I->getName(), To->begin());
      for (BasicBlock *From : predecessors(To))
        Phi->addIncoming(From == &B ? static_cast<Value *>(Nothing(I->getType())) : I, From);
      for (Use *U : Outside)
        U->set(Phi);
    }
  }

  BasicBlock *Guard;
  const View &V;
  const Pieces &P;
  BranchInst *Way;
  BasicBlock *Join = nullptr, *Begin = nullptr;
  bool Passes = true; // what the condition is for who passes
  Value *Condition = nullptr;
  SmallPtrSet<const BasicBlock *, 4> Cuts; // the loop's, when it is cut
  Blocks Inside;
  DenseMap<BasicBlock *, BasicBlock *> Apart; // and the branch before
  MapVector<BasicBlock *, BasicBlock *> Areas; // such branches, and where all meet again
  SmallPtrSet<const Instruction *, 16> Control, Harmless;
  DenseSet<const Instruction *> Common; // the same for all items
};

} // namespace

bool sinkGuard(const View &V, Pieces &Out, function_ref<bool(const Loop &)> IsWanted) {
  for (const Loop *L : V.Loops.getLoopsInPreorder()) {
    if (V.together(L->getHeader()) || !IsWanted(*L))
      continue;
    SmallVector<BasicBlock *, 4> Exits;
    L->getUniqueExitBlocks(Exits);
    // The guard that all come to.
    BasicBlock *Guard = L->getHeader();
    while (Guard && !V.together(Guard)) {
      const DomTreeNode *Node = V.Before.getNode(Guard);
      Guard = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    }
    if (!Guard || !V.differs(*Guard) || !isa<BranchInst>(Guard->getTerminator()) || !mayCut(Out, 4 + Exits.size()))
      continue;
    Sink S(*Guard, *L, V, Out);
    if (!S.reads() || !S.isRunByAll(*L))
      continue;
    BasicBlock *const Header = L->getHeader(), *const Join = S.join();
    const auto [Begin, Asks] = S.put();
    for (BasicBlock *Start : {Asks, Begin, Join, Header})
      Out.Starts.insert(Start);
    Out.Starts.insert_range(Exits);
    Out.ForAny.insert(Begin);
    return true;
  }
  return false;
}

} // namespace aspen::items
