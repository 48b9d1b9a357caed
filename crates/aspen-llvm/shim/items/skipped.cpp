// Items that pass by a barrier at which others wait, and do more before they end: a mistake in the kernel that does no harm here, since who
// has ended counts as arrived (DESIGN §7.25), and that ASPEN_CHECK=1 tells. An item that only ends early has made none.
//
// Both look alike when an item has ended. What tells them apart is whether the item does on its way to the end what those do who come from
// the barrier: `if (lane < 4) sum = reduce(…); out[i] = sum;` against `if (i >= n) return;`. And somebody must really come to a barrier
// behind the branch: a condition that is the same for all may keep them from it.

#include "builder.h"

using namespace llvm;

namespace aspen::items {
namespace {

using Set = SmallPtrSet<BasicBlock *, 16>;

// All blocks that can be reached from some without going on from others.
Set reached(ArrayRef<BasicBlock *> From, function_ref<bool(BasicBlock *)> Ends) {
  Set Out;
  SmallVector<BasicBlock *, 16> Open(From);
  while (!Open.empty()) {
    BasicBlock *B = Open.pop_back_val();
    if (Out.insert(B).second && !Ends(B))
      append_range(Open, successors(B));
  }
  return Out;
}

// What the optimiser joined of several lines has no place any more, and may be the end of an item that was a statement of its own.
bool isSeen(const Instruction &I) { return I.mayHaveSideEffects() && !placeOf(I).empty(); }

} // namespace

AllocaInst *Builder::watchSkips(ArrayRef<BasicBlock *> Blocks, const Ways &Ways, const ValueToValueMapTy &Map, BasicBlock &Head, Value *Linear) {
  SmallVector<BasicBlock *, 4> Next, Barriers;
  copy_if(Ways, std::back_inserter(Next), [](BasicBlock *B) { return B != nullptr; });
  for (BasicBlock *B : reached(Next, [&](BasicBlock *B) { return P.numberOf(B) != 0; }))
    if (P.numberOf(B) != 0)
      Barriers.push_back(B);
  if (Barriers.empty())
    return nullptr;
  // From where in the piece one comes to another piece.
  Set GoesOn;
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (BasicBlock *B : Blocks)
      if (!GoesOn.contains(B) && any_of(successors(B), [&](BasicBlock *To) { return P.Starts.contains(To) || GoesOn.contains(To); }))
        Grew = GoesOn.insert(B).second;
  }
  SmallVector<BasicBlock *, 4> Gone;
  Set Parting;
  for (BasicBlock *B : Blocks)
    for (BasicBlock *To : successors(B))
      if (GoesOn.contains(B) && !P.Starts.contains(To) && !GoesOn.contains(To)) {
        Parting.insert(B);
        Gone.push_back(To);
      }
  // Who comes to the branch again, by a loop, has not passed by.
  const Set Behind = reached(Barriers, [&](BasicBlock *B) { return Parting.contains(B); });
  AllocaInst *By = nullptr;
  for (BasicBlock *B : reached(Gone, [](BasicBlock *) { return false; })) {
    auto *Copy = cast_or_null<BasicBlock>(Map.lookup(B));
    if (!Copy || !Behind.contains(B) || none_of(*B, isSeen))
      continue;
    if (!By) {
      IRBuilder<> E = atEntry(), H(Head.getTerminator());
      By = E.CreateAlloca(E.getInt32Ty(), nullptr, "passed");
      H.CreateStore(H.getInt32(0), By);
    }
    IRBuilder<> B2(&*Copy->getFirstInsertionPt());
    B2.CreateStore(B2.CreateAdd(B2.CreateTrunc(Linear, B2.getInt32Ty()), B2.getInt32(1)), By);
  }
  return By;
}

void Builder::openSkips() {
  if (Skipped)
    return;
  IRBuilder<> E = atEntry();
  for (AllocaInst **Variable : {&Passed, &Skipped, &SkippedAt}) {
    *Variable = E.CreateAlloca(E.getInt32Ty(), nullptr, "skipped");
    E.CreateStore(E.getInt32(0), *Variable);
  }
}

// Behind a piece: keeps who was the last to pass by a barrier, if anybody is left who may come there.
void Builder::keepSkip(IRBuilder<> &B, AllocaInst *By, Value *Left) {
  if (!By)
    return;
  openSkips();
  Type *Half = B.getInt32Ty();
  Value *Last = B.CreateLoad(Half, By), *Zero = B.getInt32(0);
  Value *Is = B.CreateAnd(B.CreateICmpNE(Last, Zero), B.CreateICmpNE(Left, Zero));
  B.CreateStore(B.CreateSelect(Is, Last, B.CreateLoad(Half, Passed)), Passed);
}

// Where those come to who run together, at a barrier: whoever has passed by it has done so now.
void Builder::confirmSkip(BasicBlock &Arrives, unsigned Number) {
  IRBuilder<> B(&*Arrives.getFirstInsertionPt());
  Type *Half = B.getInt32Ty();
  Value *By = B.CreateLoad(Half, Passed), *Is = B.CreateICmpNE(By, B.getInt32(0));
  B.CreateStore(B.CreateSelect(Is, By, B.CreateLoad(Half, Skipped)), Skipped);
  B.CreateStore(B.CreateSelect(Is, B.getInt32(Number), B.CreateLoad(Half, SkippedAt)), SkippedAt);
  B.CreateStore(B.getInt32(0), Passed);
}

// When all pieces are made.
void Builder::confirmSkips() {
  if (!Skipped)
    return;
  for (const auto &[Start, Place] : P.Places)
    for (unsigned Who : {All, NotEnded, Full}) {
      // At a barrier of the group a sub-group arrives before it goes on.
      const bool Arrives = From.BySubGroups && P.AtGroup.contains(Start);
      if (BasicBlock *Block = (Arrives ? Arrivals : Heads).lookup({Start, Who}))
        confirmSkip(*Block, P.numberOf(Start));
    }
  if (From.BySubGroups) {
    // The next sub-group has nothing to do with who was the last in this one.
    IRBuilder<> B(End->getTerminator());
    B.CreateStore(B.getInt32(0), Passed);
  }
}

// What the group returns at its end. Source: native_cpu.h, aspen_cpu_group_entry.
void Builder::finish(IRBuilder<> &B) {
  Type *Half = B.getInt32Ty();
  Value *Result = Asked ? static_cast<Value *>(B.CreateLoad(Half, Asked)) : B.getInt32(0);
  if (Skipped) {
    auto *Tells = BasicBlock::Create(C, "skipped", G), *Not = BasicBlock::Create(C, "not.skipped", G);
    Value *By = B.CreateLoad(Half, Skipped);
    B.CreateCondBr(B.CreateICmpNE(By, B.getInt32(0)), Tells, Not);
    B.SetInsertPoint(Tells);
    stuck(B, B.CreateLoad(Half, SkippedAt), B.CreateSub(By, B.getInt32(1)), B.getInt32(layout::Skipped));
    B.SetInsertPoint(Not);
  }
  B.CreateRet(Result);
}

} // namespace aspen::items
