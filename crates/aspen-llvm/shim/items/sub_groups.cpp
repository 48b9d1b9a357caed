// Items that wait for their sub-groups: the sub-group is what runs together, and its lanes are what pieces loop over.
//
// A group's function loops over the sub-groups. Each runs piece after piece until it has ended or comes to a barrier of the group; when all
// have, the next round begins, in which those that have not ended go on behind that barrier. Where a sub-group stands, and what its lanes
// have in common, is kept in the frame from round to round. Without barriers of the group there is one round.
//
// Pieces of full sub-groups that lie in one row of the group have a version of their own: there the number of lanes is a constant, and ids
// grow from lane to lane, so that a loop over lanes becomes a few vector instructions.

#include "builder.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace aspen::items {

// What all items do up to their first barrier of the group, if lanes do not matter there and it has loops: then it is made for the whole group, whose rows
// are longer, before sub-groups begin. Items that go through memory in steps do so by the row.
void Builder::findTogether() {
  Start = P.Starts.front();
  if (!hasRounds())
    return;
  for (Instruction *I : Varying) {
    auto Which = idOf(I);
    if ((Which && *Which >= Id::Lane && *Which != Id::SubGroupMaxSize) ||
        any_of(I->operands(), [&](Value *V) { return isa<Instruction>(V) && OfSubGroup.contains(cast<Instruction>(V)); }))
      OfSubGroup.insert(I);
  }
  SmallSetVector<BasicBlock *, 8> Region; // the pieces
  SmallPtrSet<const BasicBlock *, 16> Inside;
  SmallPtrSet<const AllocaInst *, 8> Used;
  SmallPtrSet<const Instruction *, 16> Seen;
  BasicBlock *To = nullptr;
  Region.insert(Start);
  for (size_t Index = 0; Index < Region.size(); ++Index) {
    BasicBlock *Piece = Region[Index];
    if (P.MayPart.contains(Piece) || P.Takes.contains(Piece) || P.ForAny.contains(Piece))
      return;
    for (BasicBlock *Block : blocksOf(Piece, P)) {
      Inside.insert(Block);
      if (isa<ReturnInst>(Block->getTerminator()))
        return;
      for (Instruction &I : *Block) {
        if (asksWhoIsOne(&I) || asksAny(&I) || aboutEnded(&I))
          return;
        // What comes before all pieces is made in the first place that wants it.
        SmallVector<Value *, 8> Open(I.operands());
        while (!Open.empty()) {
          auto *Of = dyn_cast<Instruction>(Open.pop_back_val());
          if (Of && OfSubGroup.contains(Of))
            return;
          auto *Variable = dyn_cast_or_null<AllocaInst>(Of);
          if (Variable && isOfItem(Variable)) {
            if (P.Apart.contains(Variable))
              return;
            Used.insert(Variable);
          } else if (Of && Of->getParent()->isEntryBlock() && Seen.insert(Of).second) {
            Open.append(Of->op_begin(), Of->op_end());
          }
        }
      }
      for (BasicBlock *Next : successors(Block)) {
        if (!P.Starts.contains(Next))
          continue;
        if (!P.AtGroup.contains(Next))
          Region.insert(Next);
        else if (!To)
          To = Next;
        else if (To != Next) // one barrier or another
          return;
      }
    }
  }
  const DominatorTree Tree(*From.Body);
  const LoopInfo Loops(Tree);
  if (!To || none_of(Loops.getLoopsInPreorder(), [&](const llvm::Loop *L) { return all_of(L->blocks(), [&](const BasicBlock *B) { return Inside.contains(B); }); }))
    return;
  Start = To;
  KeptTogether = std::move(Used);
  for (Instruction *I : Varying)
    if (any_of(I->operands(), [&](Value *V) {
          auto *Variable = dyn_cast<AllocaInst>(V);
          return Variable ? isOfItem(Variable) && !KeptTogether.contains(Variable) : isa<Instruction>(V) && OfSubGroup.contains(cast<Instruction>(V));
        }))
      OfSubGroup.insert(I);
  Together = BasicBlock::Create(C, "together", G);
}

void Builder::beginSubGroups(IRBuilder<> &B) {
  Type *Half = B.getInt32Ty();
  auto *MostAt = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), G->getArg(1), layout::SubGroupMaxSize);
  auto *Load = B.CreateAlignedLoad(Half, MostAt, Align(4));
  Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(C, {}));
  Most = B.CreateZExt(Load, Word, "most");
  Alive = B.CreateAlloca(Half, nullptr, "alive");
  B.CreateStore(B.CreateTrunc(Items, Half), Alive);
  if (hasRounds())
    for (AllocaInst **Variable : {&Meeting, &Round}) {
      *Variable = B.CreateAlloca(Half, nullptr, "round");
      B.CreateStore(B.getInt32(0), *Variable);
    }
  // Items of the full sub-groups that a group of one row begins with: of these nothing has to be worked out each time, neither where a
  // row ends (a division takes as long as a short sub-group does) nor how many lanes are left.
  Value *Lanes = B.getInt64(From.Lanes), *IsOneRow = B.CreateICmpEQ(Rows, B.getInt64(1)), *IsWidth = B.CreateICmpEQ(Most, Lanes);
  Value *AllFull = B.CreateAnd(Items, B.getInt64(-uint64_t(From.Lanes)));
  Value *InOrder = B.CreateSelect(B.CreateAnd(IsOneRow, IsWidth), AllFull, B.getInt64(0), "in-order");
  SmallVector<std::pair<AllocaInst *, AllocaInst *>, 4> Kept; // what all items have in common when their sub-groups begin
  if (Together) {
    for (AllocaInst *Variable : P.PerGroup)
      Kept.push_back({Variable, B.CreateAlloca(Variable->getAllocatedType(), nullptr, "together")});
    B.CreateBr(headOf({P.Starts.front(), Whole}));
    B.SetInsertPoint(Together);
    for (auto [Variable, Place] : Kept)
      B.CreateStore(B.CreateLoad(Variable->getAllocatedType(), Between[Variable]), Place);
  }
  BasicBlock *Entry = B.GetInsertBlock(), *Head = BasicBlock::Create(C, "sub-group", G);
  NextSubGroup = BasicBlock::Create(C, "sub-group.next", G);
  End = BasicBlock::Create(C, "sub-group.end", G);
  auto *RoundEnd = BasicBlock::Create(C, "round.end", G);
  B.CreateBr(Head);

  B.SetInsertPoint(Head);
  PHINode *Number = B.CreatePHI(Word, 3, "sub-group"), *FirstItem = B.CreatePHI(Word, 3, "first");
  for (PHINode *Phi : {Number, FirstItem})
    Phi->addIncoming(B.getInt64(0), Entry);
  SubGroup = Number, First = FirstItem;
  Tile = B.CreateInBoundsGEP(B.getInt8Ty(), G->getArg(2), B.CreateNUWMul(First, B.getInt64(TileBytes)), "tile");
  auto *Other = BasicBlock::Create(C, "sub-group.other", G), *OfRows = BasicBlock::Create(C, "sub-group.rows", G),
       *Counted = BasicBlock::Create(C, "sub-group.counted", G), *Placed = BasicBlock::Create(C, "sub-group.placed", G);
  B.CreateCondBr(B.CreateICmpULT(First, InOrder), Placed, Other);
  B.SetInsertPoint(Other);
  Value *Rest = B.CreateNUWSub(Items, First), *Left = B.CreateSelect(B.CreateICmpULT(Rest, Most), Rest, Most);
  B.CreateCondBr(IsOneRow, Counted, OfRows);
  B.SetInsertPoint(OfRows);
  Value *Row = B.CreateUDiv(First, Columns), *Plane = B.CreateUDiv(Row, Middle);
  Value *const At[] = {Plane, B.CreateSub(Row, B.CreateMul(Plane, Middle)), B.CreateSub(First, B.CreateMul(Row, Columns))};
  B.CreateBr(Counted);
  B.SetInsertPoint(Counted);
  auto merge = [&](Type *T, ArrayRef<std::pair<Value *, BasicBlock *>> Values, const Twine &Name) {
    PHINode *Phi = B.CreatePHI(T, Values.size(), Name);
    for (auto [V, Block] : Values)
      Phi->addIncoming(V, Block);
    return Phi;
  };
  Value *Where[3];
  for (unsigned D = 0; D < 3; ++D)
    Where[D] = merge(Word, {{D == 2 ? First : B.getInt64(0), Other}, {At[D], OfRows}}, "first");
  Value *IsInRow = B.CreateICmpULE(B.CreateAdd(Where[2], Lanes), Columns);
  Value *IsWhole = B.CreateAnd(B.CreateAnd(IsWidth, B.CreateICmpEQ(Left, Lanes)), IsInRow);
  B.CreateBr(Placed);
  B.SetInsertPoint(Placed);
  for (unsigned D = 0; D < 3; ++D)
    FirstAt[D] = merge(Word, {{D == 2 ? First : B.getInt64(0), Head}, {Where[D], Counted}}, "first");
  Size = merge(Word, {{Lanes, Head}, {Left, Counted}}, "size");
  Value *IsFull = merge(B.getInt1Ty(), {{B.getTrue(), Head}, {IsWhole, Counted}}, "full");
  if (hasRounds()) {
    auto *Initial = BasicBlock::Create(C, "sub-group.begin", G), *Again = BasicBlock::Create(C, "sub-group.again", G);
    B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(Half, Round), B.getInt32(0)), Initial, Again);
    B.SetInsertPoint(Again);
    for (AllocaInst *Variable : P.PerGroup)
      B.CreateStore(B.CreateAlignedLoad(Variable->getAllocatedType(), placeOf(B, Variable, SubGroup), Variable->getAlign()),
                    Between[Variable]);
    B.CreateStore(B.CreateAlignedLoad(Half, placeOf(B, running(), SubGroup), Align(4)), running());
    Resume = B.CreateSwitch(B.CreateAlignedLoad(Half, placeOf(B, State, SubGroup), Align(4)), NextSubGroup);
    B.SetInsertPoint(Initial);
    for (auto [Variable, Place] : Kept)
      B.CreateStore(B.CreateLoad(Variable->getAllocatedType(), Place), Between[Variable]);
  }
  B.CreateStore(B.CreateTrunc(Size, Half), running());
  B.CreateCondBr(IsFull, headOf({Start, Full}), headOf({Start, All}));

  B.SetInsertPoint(NextSubGroup);
  Value *Next = B.CreateNUWAdd(Number, B.getInt64(1)), *NextFirst = B.CreateNUWAdd(FirstItem, Most);
  Number->addIncoming(Next, NextSubGroup);
  FirstItem->addIncoming(NextFirst, NextSubGroup);
  B.CreateCondBr(B.CreateICmpULT(NextFirst, Items), Head, RoundEnd);

  B.SetInsertPoint(RoundEnd);
  if (!hasRounds()) {
    B.CreateBr(Done);
    return;
  }
  NextRound = BasicBlock::Create(C, "round", G);
  B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(Half, Meeting), B.getInt32(0)), Done, NextRound);
  B.SetInsertPoint(NextRound);
  B.CreateStore(B.getInt32(0), Meeting);
  B.CreateStore(B.getInt32(1), Round);
  for (PHINode *Phi : {Number, FirstItem})
    Phi->addIncoming(B.getInt64(0), NextRound);
  B.CreateBr(Head);
}

// When all pieces are made, and it is known who asks which items have ended.
void Builder::endSubGroups() {
  IRBuilder<> B(End);
  leaveAlive(B, B.CreateLoad(B.getInt32Ty(), running()));
  if (Flags)
    B.CreateMemSet(B.CreateInBoundsGEP(B.getInt8Ty(), Flags, First), B.getInt8(1), Size, Align(1));
  if (hasRounds())
    B.CreateAlignedStore(B.getInt32(0), placeOf(B, State, SubGroup), Align(4));
  B.CreateBr(NextSubGroup);
  if (Taken && NextRound) {
    B.SetInsertPoint(NextRound->getTerminator());
    B.CreateStore(B.getFalse(), Taken);
  }
}

void Builder::leaveAlive(IRBuilder<> &B, Value *Ended) {
  if (Alive)
    B.CreateStore(B.CreateSub(B.CreateLoad(B.getInt32Ty(), Alive), Ended), Alive);
}

// Where a sub-group waits for the others at a barrier of the group. If some of them wait at another, none can go on.
BasicBlock *Builder::arrival(Version V) {
  BasicBlock *&Block = Arrivals[V];
  if (Block)
    return Block;
  Block = BasicBlock::Create(C, "arrives", G);
  IRBuilder<> B(Block);
  Type *Half = B.getInt32Ty();
  auto *Case = B.getInt32(Arrivals.size());
  Resume->addCase(Case, headOf(V));
  B.CreateAlignedStore(Case, placeOf(B, State, SubGroup), Align(4));
  B.CreateAlignedStore(B.CreateLoad(Half, running()), placeOf(B, running(), SubGroup), Align(4));
  for (AllocaInst *Variable : P.PerGroup)
    B.CreateAlignedStore(B.CreateLoad(Variable->getAllocatedType(), Between[Variable]), placeOf(B, Variable, SubGroup), Variable->getAlign());
  auto *Here = B.getInt32(find(P.AtGroup, V.first) - P.AtGroup.begin() + 1);
  auto *Meets = BasicBlock::Create(C, "meets", G), *Stuck = BasicBlock::Create(C, "stuck", G);
  Value *Others = B.CreateLoad(Half, Meeting);
  B.CreateCondBr(B.CreateOr(B.CreateICmpEQ(Others, B.getInt32(0)), B.CreateICmpEQ(Others, Here)), Meets, Stuck);
  B.SetInsertPoint(Meets);
  B.CreateStore(Here, Meeting);
  B.CreateBr(NextSubGroup);
  B.SetInsertPoint(Stuck);
  Value *There = B.getInt32(0);
  for (auto [Index, Start] : enumerate(P.AtGroup))
    There = B.CreateSelect(B.CreateICmpEQ(Others, B.getInt32(Index + 1)), B.getInt32(P.numberOf(Start)), There);
  stuck(B, There, B.getInt32(P.numberOf(V.first)), B.CreateLoad(Half, Alive));
  return Block;
}

void Builder::openLanes(IRBuilder<> &B, BasicBlock *Head, Loop &L, unsigned Who) {
  L.Begin = BasicBlock::Create(C, "lane", G);
  L.After = BasicBlock::Create(C, "lanes.end", G);
  B.CreateBr(L.Begin);
  B.SetInsertPoint(L.Begin);
  L.At = B.CreatePHI(Word, 2, "lane");
  L.At->addIncoming(B.getInt64(0), Head);
  if (Who != Full)
    for (unsigned D = 0; D < 3; ++D) {
      L.Position[D] = B.CreatePHI(Word, 2, "local");
      L.Position[D]->addIncoming(FirstAt[D], Head);
      L.Of[D] = L.Position[D];
    }
  else
    for (unsigned D = 0; D < 3; ++D)
      L.Of[D] = D < 2 ? FirstAt[D] : B.CreateNUWAdd(FirstAt[D], L.At);
  auto Of = [&](Id Which) -> Value *& { return L.Of[size_t(Which)]; };
  Of(Id::Linear) = B.CreateNUWAdd(First, L.At, "linear");
  Of(Id::Lane) = L.At;
  Of(Id::First) = First;
  Of(Id::SubGroup) = SubGroup;
  Of(Id::SubGroupSize) = Who == Full ? B.getInt64(From.Lanes) : Size;
  Of(Id::SubGroupMaxSize) = Who == Full ? B.getInt64(From.Lanes) : Most;
}

BranchInst *Builder::closeLanes(IRBuilder<> &B, Loop &L, unsigned Who, bool Once) {
  BasicBlock *Latch = B.GetInsertBlock();
  Value *Next = B.CreateNUWAdd(L.At, B.getInt64(1));
  L.At->addIncoming(Next, Latch);
  if (Who != Full) {
    // The next place in the group, last dimension fastest.
    Value *Column = B.CreateNUWAdd(L.Position[2], B.getInt64(1)), *IsNewLine = B.CreateICmpEQ(Column, Columns);
    Value *Line = B.CreateNUWAdd(L.Position[1], B.CreateZExt(IsNewLine, Word)), *IsNewPlane = B.CreateICmpEQ(Line, Middle);
    L.Position[2]->addIncoming(B.CreateSelect(IsNewLine, B.getInt64(0), Column), Latch);
    L.Position[1]->addIncoming(B.CreateSelect(IsNewPlane, B.getInt64(0), Line), Latch);
    L.Position[0]->addIncoming(B.CreateNUWAdd(L.Position[0], B.CreateZExt(IsNewPlane, Word)), Latch);
  }
  return B.CreateCondBr(Once ? B.getTrue() : B.CreateICmpEQ(Next, L.Of[size_t(Id::SubGroupSize)]), L.After, L.Begin);
}

} // namespace aspen::items
