// Lanes of a sub-group that part: `for (i = lane; i < n; i += 32) x = shift(…);`, or an operation in one side of a branch, or in both.
//
// Such code is outside SYCL's rules and runs where lanes share one program counter, as on Intel's devices: those that have gone on wait at the end
// of the loop or of the branch. So they do here: the item is cut there (`cutAtJoins`), and of lanes that are apart those go on which have the
// earliest place in the order of the program; loops come before what follows them. The flag of an item in the frame says where it waits, which for all others is as if it had ended. A barrier of
// the group is the last place of all: whoever has come there waits until no lane of its sub-group can go on any more. Lanes that are together
// again run as before. Source: docs/decisions/0084.

#include "builder.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace aspen::items {
namespace {

// What flags of items say: nothing, that it has ended, or at which place it waits.
constexpr unsigned Ended = 1, FirstPlace = 2, NoPlace = 255;

// All blocks, each loop before what follows it.
SmallVector<BasicBlock *, 64> inOrder(Function &F) {
  const DominatorTree Tree(F);
  const LoopInfo Loops(Tree);
  SmallPtrSet<BasicBlock *, 32> Seen;
  SmallVector<std::pair<BasicBlock *, SmallVector<BasicBlock *, 4>>, 32> Open;
  SmallVector<BasicBlock *, 64> Out;
  auto Enter = [&](BasicBlock *B) {
    if (!Seen.insert(B).second)
      return;
    SmallVector<BasicBlock *, 4> Next(successors(B));
    // The order is made from its end: what is behind the loop comes first.
    if (Loops.isLoopHeader(B)) {
      SmallVector<BasicBlock *, 4> Exits;
      Loops.getLoopFor(B)->getExitBlocks(Exits);
      append_range(Next, Exits);
    }
    Open.push_back({B, std::move(Next)});
  };
  Enter(&F.getEntryBlock());
  while (!Open.empty()) {
    if (auto &Next = Open.back().second; !Next.empty())
      Enter(Next.pop_back_val());
    else
      Out.push_back(Open.pop_back_val().first);
  }
  std::reverse(Out.begin(), Out.end());
  return Out;
}

} // namespace

// Numbers the places where lanes may wait, if there is a piece from which they go to several.
void Builder::findOrder() {
  const bool Part = any_of(P.MayPart, [&](BasicBlock *Start) {
    SmallPtrSet<BasicBlock *, 4> Next;
    for (BasicBlock *B : blocksOf(Start, P))
      for (BasicBlock *To : successors(B))
        if (P.Starts.contains(To))
          Next.insert(To);
    return Next.size() > 1;
  });
  if (!Part || P.Starts.size() >= NoPlace - FirstPlace)
    return;
  const auto Blocks = inOrder(*From.Body);
  for (bool AtGroup : {false, true})
    for (BasicBlock *B : Blocks)
      if (P.Starts.contains(B) && P.AtGroup.contains(B) == AtGroup)
        Order[B] = FirstPlace + Order.size();
}

StoreInst *Builder::keepWay(IRBuilder<> &B, const Ways &Ways, Value *Next, Value *Lane) {
  settle();
  Value *Way = B.getInt8(Ended);
  for (auto [Number, To] : enumerate(Ways))
    if (To)
      Way = B.CreateSelect(B.CreateICmpEQ(Next, B.getInt32(Number)), B.getInt8(placeIn(To)), Way);
  return B.CreateStore(Way, B.CreateInBoundsGEP(B.getInt8Ty(), Goes, Lane));
}

// Where those who run come to a place, while others may wait at it or at an earlier one.
BasicBlock *Builder::meet(BasicBlock *To) {
  if (BasicBlock *Known = Meets.lookup(To))
    return Known;
  settle();
  BasicBlock *Block = Meets[To] = BasicBlock::Create(C, "meets", G);
  if (To)
    mayWaitAt(To);
  auto *Waiting = BasicBlock::Create(C, "waits", G);
  IRBuilder<> B(Block);
  B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), Parked), B.getInt32(0)), entryOf(To, NotEnded), Waiting);
  B.SetInsertPoint(Waiting);
  if (!To)
    leaveAlive(B, B.CreateLoad(B.getInt32Ty(), running()));
  B.CreateMemSet(Goes, B.getInt8(To ? placeIn(To) : Ended), MaxLanes, Align(64));
  B.CreateBr(Settle);
  return Block;
}

// Has lanes that chose this place go on.
void Builder::mayWaitAt(BasicBlock *Start) {
  settle();
  auto *Place = ConstantInt::get(Type::getInt8Ty(C), placeIn(Start));
  if (Chosen->findCaseValue(Place) != Chosen->case_default())
    return;
  auto *Go = BasicBlock::Create(C, "chosen", G);
  Chosen->addCase(Place, Go);
  IRBuilder<> B(Go);
  Type *Half = B.getInt32Ty();
  // Who waits elsewhere passes by an operation that others of its sub-group do.
  if (const unsigned Number = P.numberOf(Start); Number != 0 && !P.AtGroup.contains(Start)) {
    openSkips();
    Value *Is = B.CreateICmpNE(B.CreateLoad(Half, Parked), B.getInt32(0));
    B.CreateStore(B.CreateSelect(Is, B.CreateAdd(B.CreateLoad(Half, Waits), B.getInt32(1)), B.CreateLoad(Half, Skipped)), Skipped);
    B.CreateStore(B.CreateSelect(Is, B.getInt32(Number), B.CreateLoad(Half, SkippedAt)), SkippedAt);
  }
  Value *AreAll = B.CreateICmpEQ(B.CreateZExt(B.CreateLoad(Half, running()), Word), Size);
  B.CreateCondBr(AreAll, entryOf(Start, All), entryOf(Start, NotEnded));
}

// Has those who ran wait where they have come, and those go on who are at the earliest place.
BasicBlock *Builder::settle() {
  if (Settle)
    return Settle;
  IRBuilder<> E = atEntry();
  Goes = E.CreateAlloca(ArrayType::get(E.getInt8Ty(), MaxLanes), nullptr, "goes");
  Goes->setAlignment(Align(64));
  for (AllocaInst **Variable : {&Parked, &Waits}) {
    *Variable = E.CreateAlloca(E.getInt32Ty(), nullptr, "parked");
    E.CreateStore(E.getInt32(0), *Variable);
  }
  auto block = [&](const char *Name) { return BasicBlock::Create(C, Name, G); };
  Settle = block("settle");
  auto *Comes = block("comes"), *Come = block("come"), *Left = block("left"), *Apart = block("apart"), *Choose = block("choose"),
       *Each = block("chooses"), *Chose = block("chose"), *Nowhere = block("nowhere");
  IRBuilder<> B(Settle);
  Type *Half = B.getInt32Ty(), *Byte = B.getInt8Ty();
  Value *FlagsOfAll = flagOf(B, First);
  B.CreateBr(Comes);

  B.SetInsertPoint(Comes);
  PHINode *Lane = B.CreatePHI(Word, 2, "lane"), *Least = B.CreatePHI(Byte, 2, "least"), *Most = B.CreatePHI(Byte, 2, "most");
  Value *Flag = B.CreateInBoundsGEP(Byte, FlagsOfAll, Lane), *Before = B.CreateLoad(Byte, Flag);
  Value *Now = B.CreateSelect(B.CreateICmpEQ(Before, B.getInt8(0)), B.CreateLoad(Byte, B.CreateInBoundsGEP(Byte, Goes, Lane)), Before);
  B.CreateStore(Now, Flag);
  Value *HasEnded = B.CreateICmpEQ(Now, B.getInt8(Ended));
  Value *NewLeast = B.CreateBinaryIntrinsic(Intrinsic::umin, Least, B.CreateSelect(HasEnded, B.getInt8(NoPlace), Now));
  Value *NewMost = B.CreateBinaryIntrinsic(Intrinsic::umax, Most, B.CreateSelect(HasEnded, B.getInt8(0), Now));
  Value *Next = B.CreateNUWAdd(Lane, B.getInt64(1));
  B.CreateCondBr(B.CreateICmpEQ(Next, Size), Come, Comes);
  const std::tuple<PHINode *, Value *, Value *> Walk[] = {
      {Lane, B.getInt64(0), Next}, {Least, B.getInt8(NoPlace), NewLeast}, {Most, B.getInt8(0), NewMost}};
  for (auto [Phi, Begin, Further] : Walk) {
    Phi->addIncoming(Begin, Settle);
    Phi->addIncoming(Further, Comes);
  }

  B.SetInsertPoint(Come);
  B.CreateStore(B.getInt32(0), running());
  B.CreateStore(B.getInt32(0), Parked);
  B.CreateCondBr(B.CreateICmpEQ(NewLeast, B.getInt8(NoPlace)), End, Left);
  B.SetInsertPoint(Left);
  const unsigned Group = FirstPlace + unsigned(P.Starts.size() - P.AtGroup.size());
  B.CreateCondBr(B.CreateAnd(B.CreateICmpUGE(NewLeast, B.getInt8(Group)), B.CreateICmpNE(NewLeast, NewMost)), Apart, Choose);

  // At two barriers of the group nobody ever comes to the same one.
  B.SetInsertPoint(Apart);
  auto numberAt = [&](Value *Place) {
    Value *Number = B.getInt32(0);
    for (BasicBlock *Start : P.AtGroup)
      Number = B.CreateSelect(B.CreateICmpEQ(Place, B.getInt8(placeIn(Start))), B.getInt32(P.numberOf(Start)), Number);
    return Number;
  };
  Value *One = numberAt(NewLeast), *Other = numberAt(NewMost);
  stuck(B, One, Other, B.CreateLoad(Half, Alive));

  B.SetInsertPoint(Choose);
  B.CreateBr(Each);
  B.SetInsertPoint(Each);
  PHINode *At = B.CreatePHI(Word, 2, "lane"), *Count = B.CreatePHI(Half, 2, "count"), *Wait = B.CreatePHI(Half, 2, "parked"),
          *Whoever = B.CreatePHI(Half, 2, "whoever");
  Value *Of = B.CreateInBoundsGEP(Byte, FlagsOfAll, At), *Place = B.CreateLoad(Byte, Of);
  Value *IsHere = B.CreateICmpEQ(Place, NewLeast), *IsElsewhere = B.CreateICmpUGT(Place, NewLeast);
  B.CreateStore(B.CreateSelect(IsHere, B.getInt8(0), Place), Of);
  Value *NewCount = B.CreateAdd(Count, B.CreateZExt(IsHere, Half)), *NewWait = B.CreateAdd(Wait, B.CreateZExt(IsElsewhere, Half));
  Value *NewWhoever = B.CreateSelect(IsElsewhere, B.CreateTrunc(B.CreateNUWAdd(First, At), Half), Whoever);
  Value *NextAt = B.CreateNUWAdd(At, B.getInt64(1));
  B.CreateCondBr(B.CreateICmpEQ(NextAt, Size), Chose, Each);
  const std::tuple<PHINode *, Value *, Value *> Choice[] = {
      {At, B.getInt64(0), NextAt}, {Count, B.getInt32(0), NewCount}, {Wait, B.getInt32(0), NewWait}, {Whoever, B.getInt32(0), NewWhoever}};
  for (auto [Phi, Begin, Further] : Choice) {
    Phi->addIncoming(Begin, Choose);
    Phi->addIncoming(Further, Each);
  }
  B.SetInsertPoint(Chose);
  B.CreateStore(NewCount, running());
  B.CreateStore(NewWait, Parked);
  B.CreateStore(NewWhoever, Waits);
  Chosen = B.CreateSwitch(NewLeast, Nowhere);
  new UnreachableInst(C, Nowhere);
  return Settle;
}

} // namespace aspen::items
