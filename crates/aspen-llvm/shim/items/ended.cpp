// Items that have ended while others go on: who they are, how many are left, and where those go. And the one item that does something for
// all.

#include "builder.h"

using namespace llvm;

namespace aspen::items {

// One flag for each item: whether it has ended. They mean something from when the first has; if items run by sub-groups, from the beginning,
// since others of the group may ask.
Value *Builder::flagOf(IRBuilder<> &B, Value *Linear) {
  if (!Flags) {
    IRBuilder<> E = atEntry();
    Flags = E.CreateGEP(E.getInt8Ty(), G->getArg(2), E.CreateNUWMul(Items, E.getInt64(AfterPlaces)), "ended");
    if (From.BySubGroups)
      E.CreateMemSet(Flags, E.getInt8(0), Items, Align(1));
  }
  return B.CreateInBoundsGEP(B.getInt8Ty(), Flags, Linear);
}

AllocaInst *Builder::running() {
  if (!Running)
    Running = atEntry().CreateAlloca(Type::getInt32Ty(C), nullptr, "running");
  return Running;
}

// Whose value was asked for though it had ended, as it is told; 0 if nobody's.
AllocaInst *Builder::asked() {
  if (!Asked) {
    IRBuilder<> E = atEntry();
    Asked = E.CreateAlloca(E.getInt32Ty(), nullptr, "asked");
    E.CreateStore(E.getInt32(0), Asked);
  }
  return Asked;
}

AllocaInst *Builder::falseAtEntry(const char *Name) {
  IRBuilder<> E = atEntry();
  AllocaInst *Flag = E.CreateAlloca(E.getInt1Ty(), nullptr, Name);
  E.CreateStore(E.getFalse(), Flag);
  return Flag;
}

// Whether a piece begins with the question who does something for all, and the others do nothing that is seen.
bool Builder::isDoneOnce(BasicBlock *Start, const SmallSetVector<BasicBlock *, 16> &Blocks) const {
  auto *Branch = dyn_cast<BranchInst>(Start->getTerminator());
  auto *Question = Branch && Branch->isConditional() ? dyn_cast<CallInst>(Branch->getCondition()) : nullptr;
  if (!Question || !asksWhoIsOne(Question) || Question->getParent() != Start || !Question->hasOneUse())
    return false;
  // What the others do, until they meet again.
  SmallSetVector<BasicBlock *, 8> Idle;
  Idle.insert(Start);
  if (!P.Starts.contains(Branch->getSuccessor(1)))
    Idle.insert(Branch->getSuccessor(1));
  for (size_t Index = 1; Index < Idle.size(); ++Index)
    for (BasicBlock *Next : successors(Idle[Index]))
      if (!P.Starts.contains(Next))
        Idle.insert(Next);
  for (BasicBlock *Block : Idle)
    for (Instruction &I : *Block)
      if (I.mayHaveSideEffects() && &I != Question)
        return false;
  SmallPtrSet<BasicBlock *, 2> Leads;
  for (BasicBlock *Block : Blocks) {
    if (isa<ReturnInst>(Block->getTerminator()))
      return false;
    for (BasicBlock *Next : successors(Block))
      if (P.Starts.contains(Next))
        Leads.insert(Next);
    // What is kept for each item must be made by each.
    for (Instruction &I : *Block)
      if (auto *Store = dyn_cast<StoreInst>(&I))
        if (auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand()); Variable && Now.count(Variable) && !Between.count(Variable))
          return false;
  }
  return Leads.size() == 1;
}

// Puts the answer in place of a question about other items; what stands there afterwards, if anything. `Once`: one item asks.
Instruction *Builder::answer(Instruction &I, bool OfAll, bool Once, BasicBlock *Head) {
  if (asksWhoIsOne(&I)) {
    IRBuilder<> B(&I);
    const bool OfSubGroup = cast<ConstantInt>(cast<CallInst>(I).getArgOperand(0))->isOne();
    Value *IsOne = B.getTrue();
    if (From.BySubGroups && !OfSubGroup) {
      if (!Taken)
        Taken = falseAtEntry("taken");
      IsOne = B.CreateNot(B.CreateLoad(B.getInt1Ty(), Taken));
      B.CreateStore(B.getTrue(), Taken);
    } else if (!Once) {
      AllocaInst *Others = falseAtEntry("others");
      IRBuilder<> H(Head->getTerminator());
      H.CreateStore(H.getFalse(), Others);
      IsOne = B.CreateNot(B.CreateLoad(B.getInt1Ty(), Others));
      B.CreateStore(B.getTrue(), Others);
    }
    I.replaceAllUsesWith(IsOne);
    I.eraseFromParent();
    return nullptr;
  }
  if (asksAny(&I)) { // what it comes to is known behind the loop
    I.replaceAllUsesWith(cast<CallInst>(I).getArgOperand(0));
    I.eraseFromParent();
    return nullptr;
  }
  const auto What = aboutEnded(&I);
  if (!What)
    return &I;
  IRBuilder<> B(&I);
  Instruction *Kept = nullptr;
  Value *Whom = cast<CallInst>(I).getArgOperand(0);
  // That none has ended is known of those that run together only.
  if (From.BySubGroups && What == AboutEnded::Has) {
    const auto *InSubGroup = dyn_cast<ConstantInt>(cast<CallInst>(I).getArgOperand(1));
    OfAll &= InSubGroup && InSubGroup->isOne();
  }
  if (What == AboutEnded::Has && OfAll) {
    I.replaceAllUsesWith(B.getFalse());
  } else if (What == AboutEnded::Has) {
    auto *Flag = B.CreateLoad(B.getInt8Ty(), flagOf(B, B.CreateZExt(Whom, Word)));
    I.replaceAllUsesWith(B.CreateICmpNE(Flag, B.getInt8(0)));
    Kept = Flag;
  } else if (!OfAll || From.BySubGroups) {
    Kept = B.CreateStore(B.CreateOr(Whom, B.getInt32(layout::AskedEnded)), asked());
  }
  I.eraseFromParent();
  return Kept;
}

static Value *goes(IRBuilder<> &B, unsigned Way, Value *Next) { return B.CreateICmpEQ(Next, B.getInt32(Way)); }

Value *Builder::endsHere(IRBuilder<> &B, const Ways &Ways, Value *Next) { return goes(B, find(Ways, nullptr) - Ways.begin(), Next); }

// How many items go each way, but for the last that leads on: that one has the others.
SmallVector<AllocaInst *, 4> Builder::count(IRBuilder<> &B, BasicBlock &Head, const Ways &Ways, Value *Next) {
  SmallVector<AllocaInst *, 4> Counts(Ways.size());
  IRBuilder<> E = atEntry(), H(Head.getTerminator());
  const unsigned Rest = Ways.back() ? Ways.size() - 1 : Ways.size() - 2;
  for (unsigned Way = 0; Way < Ways.size(); ++Way) {
    if (Way == Rest)
      continue;
    Counts[Way] = E.CreateAlloca(E.getInt32Ty(), nullptr, "count");
    H.CreateStore(H.getInt32(0), Counts[Way]);
    Value *Before = B.CreateLoad(B.getInt32Ty(), Counts[Way]);
    B.CreateStore(B.CreateAdd(Before, B.CreateZExt(goes(B, Way, Next), B.getInt32Ty())), Counts[Way]);
  }
  return Counts;
}

// Goes where all go who have not ended. Lanes that go different ways wait for each other where they can (parted.cpp); else for ever, and the group ends.
void Builder::chooseByCounts(IRBuilder<> &B, Version V, const Ways &Ways, ArrayRef<AllocaInst *> Counts, bool SomeEnd,
                             AllocaInst *PassedBy) {
  const bool OfAll = V.second != NotEnded;
  auto Of = [&](unsigned Way) -> Value * { return B.CreateLoad(B.getInt32Ty(), Counts[Way]); };
  Value *Ended = Ways.contains(nullptr) ? Of(find(Ways, nullptr) - Ways.begin()) : B.getInt32(0);
  Value *Before = OfAll ? B.CreateTrunc(From.BySubGroups || From.ByStrips ? Size : Items, B.getInt32Ty()) : B.CreateLoad(B.getInt32Ty(), running());
  Value *Left = B.CreateSub(Before, Ended);
  if (SomeEnd) {
    B.CreateStore(Left, running());
    leaveAlive(B, Ended);
    keepSkip(B, PassedBy, Left);
  }
  auto Decide = [&](Value *Condition, BasicBlock *To) {
    auto *Otherwise = BasicBlock::Create(C, "otherwise", G);
    B.CreateCondBr(Condition, To, Otherwise);
    B.SetInsertPoint(Otherwise);
  };
  if (Ways.contains(nullptr))
    Decide(B.CreateICmpEQ(Left, B.getInt32(0)), targetOf(nullptr, V.second));
  Value *Others = B.getInt32(0);
  BasicBlock *Rest = nullptr;
  for (unsigned Way = 0; Way < Ways.size(); ++Way) {
    if (!Ways[Way])
      continue;
    BasicBlock *To;
    if (OfAll && SomeEnd) {
      To = BasicBlock::Create(C, "on", G);
      IRBuilder<> On(To);
      On.CreateCondBr(On.CreateICmpEQ(Ended, On.getInt32(0)), targetOf(Ways[Way], V.second),
                      V.second == Full ? leaveRegisters(V.first, targetOf(Ways[Way], NotEnded)) : targetOf(Ways[Way], NotEnded));
    } else {
      To = targetOf(Ways[Way], V.second);
    }
    if (!Counts[Way]) {
      Rest = To;
      continue;
    }
    Value *Here = Of(Way);
    Others = B.CreateAdd(Others, Here);
    Decide(B.CreateICmpEQ(Here, Left), To);
  }
  if (isa<ConstantInt>(Others)) {
    B.CreateBr(Rest);
    return;
  }
  Decide(B.CreateICmpEQ(Others, B.getInt32(0)), Rest);
  if (!Order.empty()) {
    for (BasicBlock *Way : Ways)
      if (Way)
        mayWaitAt(Way);
    B.CreateBr(V.second == Full ? leaveRegisters(V.first, settle()) : settle());
    return;
  }
  // Two of the barriers that some have come to.
  Value *One = B.getInt32(0), *Other = One;
  for (unsigned Way = 0; Way < Ways.size(); ++Way) {
    const unsigned Number = Ways[Way] ? P.numberOf(Ways[Way]) : 0;
    if (Number == 0)
      continue;
    Value *Comes = Counts[Way] ? B.CreateICmpNE(Of(Way), B.getInt32(0)) : B.CreateICmpNE(Others, Left);
    Value *IsFirst = B.CreateICmpEQ(One, B.getInt32(0));
    Other = B.CreateSelect(B.CreateAnd(Comes, B.CreateNot(IsFirst)), B.getInt32(Number), Other);
    One = B.CreateSelect(B.CreateAnd(Comes, IsFirst), B.getInt32(Number), One);
  }
  stuck(B, One, Other, From.BySubGroups ? B.CreateLoad(B.getInt32Ty(), Alive) : Left);
}

// The group ends with two numbers for who called. Source: native_cpu.h, aspen_cpu_group_entry.
void Builder::stuck(IRBuilder<> &B, Value *One, Value *Other, Value *Result) {
  Value *Frame = G->getArg(2);
  B.CreateAlignedStore(One, Frame, Align(4));
  B.CreateAlignedStore(Other, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Frame, 4), Align(4));
  B.CreateRet(Result);
}

} // namespace aspen::items
