// Items that pass by a barrier at which others wait, and do more before they end: a mistake in the kernel that does no harm here, since who
// has ended counts as arrived (DESIGN §7.25), and that ASPEN_CHECK=1 tells. An item that only ends early has made none.
//
// Both look alike when an item has ended. What tells them apart is whether the item does on its way to the end what those do who come from
// the barrier: `if (lane < 4) sum = reduce(…); out[i] = sum;` against `if (i >= n) return;`.

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

Builder::Skip Builder::watchSkips(ArrayRef<BasicBlock *> Blocks, const Ways &Ways, const ValueToValueMapTy &Map, BasicBlock &Head, Value *Linear) {
  SmallVector<BasicBlock *, 4> Next, Barriers;
  copy_if(Ways, std::back_inserter(Next), [](BasicBlock *B) { return B != nullptr; });
  for (BasicBlock *B : reached(Next, [&](BasicBlock *B) { return P.numberOf(B) != 0; }))
    if (P.numberOf(B) != 0)
      Barriers.push_back(B);
  if (Barriers.empty())
    return {};
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
  Skip Out;
  for (BasicBlock *B : reached(Gone, [](BasicBlock *) { return false; })) {
    auto *Copy = cast_or_null<BasicBlock>(Map.lookup(B));
    if (!Copy || !Behind.contains(B) || none_of(*B, isSeen))
      continue;
    if (!Out.By) {
      IRBuilder<> E = atEntry(), H(Head.getTerminator());
      Out.By = E.CreateAlloca(E.getInt32Ty(), nullptr, "passed");
      H.CreateStore(H.getInt32(0), Out.By);
    }
    IRBuilder<> B2(&*Copy->getFirstInsertionPt());
    B2.CreateStore(B2.CreateAdd(B2.CreateTrunc(Linear, B2.getInt32Ty()), B2.getInt32(1)), Out.By);
  }
  Out.Number = P.numberOf(*min_element(Barriers, [&](BasicBlock *A, BasicBlock *B) { return P.numberOf(A) < P.numberOf(B); }));
  return Out;
}

// Behind a piece: keeps who was the last to pass by a barrier, if anybody is left to wait there.
void Builder::keepSkip(IRBuilder<> &B, const Skip &Found, Value *Left) {
  if (!Found.By)
    return;
  Type *Half = B.getInt32Ty();
  if (!Skipped) {
    IRBuilder<> E = atEntry();
    for (AllocaInst **Variable : {&Skipped, &SkippedAt}) {
      *Variable = E.CreateAlloca(Half, nullptr, "skipped");
      E.CreateStore(E.getInt32(0), *Variable);
    }
  }
  Value *By = B.CreateLoad(Half, Found.By), *Zero = B.getInt32(0);
  Value *Is = B.CreateAnd(B.CreateICmpNE(By, Zero), B.CreateICmpNE(Left, Zero));
  B.CreateStore(B.CreateSelect(Is, By, B.CreateLoad(Half, Skipped)), Skipped);
  B.CreateStore(B.CreateSelect(Is, B.getInt32(Found.Number), B.CreateLoad(Half, SkippedAt)), SkippedAt);
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
