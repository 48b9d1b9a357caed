// The third step: a function that runs all items of a group, piece by piece, each in a loop over the items.
//
// Pieces come in two versions. As long as no item has ended, loops run over all items. Once some have ended at a place where others go on,
// which a flag for each item in the frame says, the group is in the other version, whose loops leave these items out. So the commonest
// shape, a first line `if (id >= count) return;`, costs the groups at the edge something, and the others a count.

#include "builder.h"
#include "item_loop.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace aspen::items {
namespace {

const RemapFlags Locals = RF_IgnoreMissingLocals | RF_NoModuleLevelChanges;

// Instructions of a kernel between its barriers for which nothing is too much.
constexpr size_t MaxShort = 2000;

// The bytes of a value, and of all values of an item, that may be kept in registers. Processors have 2 KiB of them for 32 lanes; what is more
// is on the stack, where the frame would be in a cache.
constexpr uint64_t MaxInRegisters = 16, MaxTileInRegisters = 128;

// Uses of a private variable that are looked at, to see whether its address leaves the item.
constexpr unsigned MaxUses = 10000;

} // namespace

Builder::Builder(const Item &I, const Pieces &P, StringRef Name)
    : From(I), P(P), IsLong(lengthOf(P) > MaxShort), M(*I.Body->getParent()), Layout(M.getDataLayout()), C(M.getContext()), Word(Type::getInt64Ty(C)) {
  Type *Pointer = PointerType::get(C, 0);
  auto *T = FunctionType::get(Type::getInt32Ty(C), {Pointer, Pointer, Pointer}, false);
  G = Function::Create(T, GlobalValue::InternalLinkage, Name, M);
  // The same processor, the same floating point, …; but not how the kernel is called.
  G->copyAttributesFrom(I.Body);
  G->setAttributes(AttributeList::get(C, AttributeList::FunctionIndex, AttrBuilder(C, I.Body->getAttributes().getFnAttrs())));
  for (auto A : {Attribute::Convergent, Attribute::NoRecurse, Attribute::Memory})
    G->removeFnAttr(A);
  G->setSubprogram(I.Body->getSubprogram());
  G->setCallingConv(CallingConv::C);
  G->setComdat(nullptr);
  G->addParamAttrs(0, AttrBuilder(C, I.Body->getAttributes().getParamAttrs(0)));
  for (unsigned A = 0; A < 3; ++A)
    G->addParamAttr(A, Attribute::NoUndef);
  G->addParamAttr(1, Attribute::NoAlias);
  G->addParamAttr(1, Attribute::ReadOnly);
  G->addParamAttr(2, Attribute::NoAlias);
}

Function *Builder::run(Frame &Frame) {
  auto *Entry = BasicBlock::Create(C, "entry", G);
  IRBuilder<> B(Entry);
  prelude(B);
  if (From.BySubGroups) {
    findTogether();
    findOrder();
  }
  place(B, Frame);
  Done = BasicBlock::Create(C, "done", G);
  if (From.BySubGroups) {
    beginSubGroups(B);
  } else if (From.ByStrips) {
    beginStrips(B);
  } else {
    End = Done;
    B.CreateBr(headOf({P.Starts.front(), All}));
  }
  while (!Open.empty())
    piece(Open.pop_back_val());
  if (From.BySubGroups)
    endSubGroups();
  confirmSkips();
  B.SetInsertPoint(Done);
  finish(B);
  Frame.Bytes += Flags ? 1 : 0;
  return G;
}

BasicBlock *Builder::headOf(Version V) {
  BasicBlock *&Head = Heads[V];
  if (!Head) {
    Head = BasicBlock::Create(C, V.second == NotEnded ? "piece.some" : "piece", G);
    Open.push_back(V);
  }
  return Head;
}

BasicBlock *Builder::targetOf(BasicBlock *To, unsigned Who) { return Who == NotEnded && !Order.empty() ? meet(To) : entryOf(To, Who); }

BasicBlock *Builder::entryOf(BasicBlock *To, unsigned Who) {
  if (!To)
    return End;
  if (Who == Whole && To == Start)
    return Together;
  return From.BySubGroups && P.AtGroup.contains(To) ? arrival({To, Who}) : headOf({To, Who});
}

// What the group's items have in common is made once; what depends on the item is left for each piece.
void Builder::prelude(IRBuilder<> &B) {
  Common[From.closure()] = G->getArg(0);
  Common[From.group()] = G->getArg(1);
  for (Instruction &I : From.Body->getEntryBlock()) {
    if (I.isTerminator())
      continue;
    if (isa<AllocaInst>(I) || idOf(&I) || any_of(I.operands(), [&](Value *V) { return isa<Instruction>(V) && !Common.count(V); })) {
      if (!isa<AllocaInst>(I))
        Varying.push_back(&I);
      continue;
    }
    Instruction *Copy = I.clone();
    B.Insert(Copy, I.getName());
    RemapInstruction(Copy, Common, Locals);
    Common[&I] = Copy;
  }
  auto Range = [&](unsigned D) -> Value * {
    if (From.WorkGroup[D])
      return B.getInt64(From.WorkGroup[D]);
    auto *Load = B.CreateAlignedLoad(Word, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), G->getArg(1), layout::LocalRange + 8 * D), Align(8));
    Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(C, {}));
    boundRange(*Load);
    return Load;
  };
  if (From.IsRow) {
    auto Member = [&](unsigned Place) {
      return B.CreateAlignedLoad(Word, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), G->getArg(1), Place), Align(8));
    };
    Columns = B.CreateNUWSub(Member(layout::RowEnd), Member(layout::RowBegin));
    Middle = Rows = B.getInt64(1);
  } else {
    Columns = Range(2);
    Middle = Range(1);
    Rows = B.CreateNUWMul(Range(0), Middle, "rows");
  }
  Items = B.CreateNUWMul(Rows, Columns, "items");
}

// A place in the frame for each thing that is kept for each item, by falling alignment: then no gaps are needed.
void Builder::place(IRBuilder<> &B, Frame &Frame) {
  SmallVector<AllocaInst *, 16> Kept(P.PerItem.begin(), P.PerItem.end());
  append_range(Kept, P.Arrays);
  if (hasRounds()) {
    // Of each sub-group, by its number.
    State = B.CreateAlloca(B.getInt32Ty(), nullptr, "state");
    Running = B.CreateAlloca(B.getInt32Ty(), nullptr, "running");
    append_range(Kept, P.PerGroup);
    Kept.append({State, Running});
  }
  SmallVector<std::pair<unsigned, size_t>, 16> Order;
  Align Most;
  for (auto [Place, Variable] : enumerate(Kept)) {
    Order.push_back({~0u - Log2(Variable->getAlign()), Place});
    Most = std::max(Most, Variable->getAlign());
  }
  sort(Order);
  // What each lane keeps comes first, sub-group by sub-group: so a full one has it at constant distances from one address.
  uint64_t Used = 0;
  for (bool OfLanes : {true, false}) {
    for (auto [Align, Place] : Order) {
      AllocaInst *Variable = Kept[Place];
      if (OfLanes != (From.BySubGroups && isOfItem(Variable) && !KeptTogether.contains(Variable)))
        continue;
      const uint64_t Bytes = alignTo(Variable->getAllocationSize(Layout)->getFixedValue(), Variable->getAlign());
      if (OfLanes)
        InTile[Variable] = {Used, Bytes};
      else
        Places[Variable] = {B.CreateGEP(B.getInt8Ty(), G->getArg(2), B.CreateNUWMul(Items, B.getInt64(Used))), Bytes};
      Used += Bytes;
    }
    if (OfLanes)
      TileBytes = Used = alignTo(Used, Most);
  }
  placeInRegisters(B);
  Frame.Alignment = std::max(Frame.Alignment, Most);
  Frame.Bytes = AfterPlaces = Used;
  for (AllocaInst *Variable : concat<AllocaInst *const>(P.PerItem, P.PerGroup))
    Common[Variable] = Now[Variable] = B.CreateAlloca(Variable->getAllocatedType(), nullptr, "now");
  for (AllocaInst *Variable : P.PerGroup)
    Between[Variable] = B.CreateAlloca(Variable->getAllocatedType(), nullptr, "kept");
  for (Instruction &I : From.Body->getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !Common.count(Variable) && !Places.count(Variable) && !InTile.count(Variable)) {
      auto *Copy = cast<AllocaInst>(Variable->clone());
      B.Insert(Copy);
      Common[Variable] = Copy;
    }
  for (Instruction &I : From.Body->getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !Now.count(Variable))
      Escapes |= PointerMayBeCaptured(Variable, /*ReturnCaptures=*/false, MaxUses);
}

// What the lanes of a full sub-group or strip keep need not be in the frame as long as they are together: with the loops over lanes unrolled,
// it is in vector registers.
void Builder::placeInRegisters(IRBuilder<> &B) {
  if (!(From.BySubGroups ? !hasRounds() : From.ByStrips))
    return;
  uint64_t Used = 0;
  for (AllocaInst *Variable : P.PerItem) {
    const uint64_t Bytes = Layout.getTypeAllocSize(keptAs(Variable));
    if (Bytes != bytesOf(Variable) || Bytes > MaxInRegisters || (Used += Bytes) > MaxTileInRegisters)
      continue;
    OfFull[Variable] = B.CreateAlloca(ArrayType::get(keptAs(Variable), From.Lanes), nullptr, "lanes");
    OfFull[Variable]->setAlignment(std::max(Align(64), Variable->getAlign()));
  }
}

// Pieces from which one can come to another, and that one.
static SmallPtrSet<BasicBlock *, 16> before(BasicBlock *Start, const Pieces &P) {
  SmallPtrSet<BasicBlock *, 16> Seen, Out;
  SmallVector<BasicBlock *, 16> Open;
  auto Add = [&](BasicBlock *Of) {
    Out.insert(Of);
    append_range(Open, predecessors(Of));
  };
  Add(Start);
  while (!Open.empty()) {
    BasicBlock *B = Open.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    if (P.Starts.contains(B))
      Add(B);
    else
      append_range(Open, predecessors(B));
  }
  return Out;
}

// From a full sub-group or strip to one in which some have ended: there what the others keep is in the frame. They have written it in some piece
// up to this one.
BasicBlock *Builder::leaveRegisters(BasicBlock *Start, BasicBlock *To) {
  SmallPtrSet<const AllocaInst *, 8> Written;
  if (!OfFull.empty())
    for (BasicBlock *Of : before(Start, P))
      for (BasicBlock *B : blocksOf(Of, P))
        for (Instruction &I : *B)
          if (auto *Store = dyn_cast<StoreInst>(&I))
            if (auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand()))
              Written.insert(Variable);
  if (none_of(P.PerItem, [&](AllocaInst *Variable) { return OfFull.contains(Variable) && Written.contains(Variable); }))
    return To;
  auto *Spill = BasicBlock::Create(C, "spill", G);
  IRBuilder<> B(Spill);
  for (AllocaInst *Variable : P.PerItem)
    if (AllocaInst *Lanes = Written.contains(Variable) ? OfFull.lookup(Variable) : nullptr) {
      auto Found = InTile.find(Variable);
      Value *Place = Found == InTile.end() ? placeOf(B, Variable, First)
                                           : B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Tile, From.Lanes * Found->second.first);
      B.CreateMemCpy(Place, Variable->getAlign(), Lanes, Lanes->getAlign(), From.Lanes * bytesOf(Variable));
    }
  B.CreateBr(To);
  return Spill;
}

// What a lane keeps is a byte if it is a bit: there are no vectors of bits in memory that single lanes could read.
Type *Builder::keptAs(AllocaInst *Variable) const {
  Type *T = Variable->getAllocatedType();
  return T->isIntegerTy(1) ? Type::getInt8Ty(C) : T;
}

bool Builder::isOfItem(AllocaInst *Variable) const { return is_contained(P.PerItem, Variable) || is_contained(P.Arrays, Variable); }

// What it takes for each item, with its alignment.
uint64_t Builder::bytesOf(AllocaInst *Variable) const {
  auto Found = InTile.find(Variable);
  return Found == InTile.end() ? Places.find(Variable)->second.second : Found->second.second;
}

// Of an item, or of a sub-group by its number.
Value *Builder::placeOf(IRBuilder<> &B, AllocaInst *Variable, Value *Number) {
  auto [Base, Bytes] = Places[Variable];
  return B.CreateInBoundsGEP(B.getInt8Ty(), Base, B.CreateNUWMul(Number, B.getInt64(Bytes)));
}

// Of the item that a loop is at.
Value *Builder::placeOf(IRBuilder<> &B, AllocaInst *Variable, const Loop &L, unsigned Who) {
  if (AllocaInst *Lanes = Who == Full ? OfFull.lookup(Variable) : nullptr)
    return B.CreateInBoundsGEP(keptAs(Variable), Lanes, L.At);
  auto Found = InTile.find(Variable);
  if (Found == InTile.end())
    return placeOf(B, Variable, L.Of[size_t(Id::Linear)]);
  auto [Offset, Bytes] = Found->second;
  Value *Base = B.CreateInBoundsGEP(B.getInt8Ty(), Tile, B.CreateNUWMul(L.Of[size_t(Id::SubGroupSize)], B.getInt64(Offset)));
  return B.CreateInBoundsGEP(B.getInt8Ty(), Base, B.CreateNUWMul(L.At, B.getInt64(Bytes)));
}

// Strips come one after the other, and each has the place of the first.
std::pair<Value *, Value *> Builder::elementsOf(IRBuilder<> &B, AllocaInst *Array, const Loop &L, unsigned Who) {
  Value *Base, *Count, *At;
  if (auto Found = InTile.find(Array); Found != InTile.end()) {
    Count = L.Of[size_t(Id::SubGroupSize)], At = L.At;
    Base = B.CreateInBoundsGEP(B.getInt8Ty(), Tile, B.CreateNUWMul(Count, B.getInt64(Found->second.first)));
  } else {
    Base = Places[Array].first;
    Count = !From.ByStrips ? Items : Who == Full ? B.getInt64(From.Lanes) : Size;
    At = !From.ByStrips ? L.Of[size_t(Id::Linear)] : Who == Full ? L.At : B.CreateNUWSub(L.Of[size_t(Id::Linear)], First);
  }
  return {B.CreateInBoundsGEP(B.getInt8Ty(), Base, B.CreateNUWMul(At, B.getInt64(P.Apart.lookup(Array)))), Count};
}

Builder::Loop Builder::openLoop(IRBuilder<> &B, BasicBlock *Head, unsigned Who) {
  Loop L;
  if (isOverLanes(Who)) {
    openLanes(B, Head, L, Who);
    return L;
  }
  L.Row = BasicBlock::Create(C, "row", G), L.Begin = BasicBlock::Create(C, "item", G);
  L.RowEnd = BasicBlock::Create(C, "row.end", G), L.After = BasicBlock::Create(C, "piece.end", G);
  B.CreateBr(L.Row);

  B.SetInsertPoint(L.Row);
  L.RowAt = B.CreatePHI(Word, 2, "row");
  L.RowAt->addIncoming(B.getInt64(0), Head);
  Value *Row = From.ByStrips ? B.CreateNUWAdd(FirstRow, L.RowAt) : static_cast<Value *>(L.RowAt);
  Value *Plane = B.CreateUDiv(Row, Middle), *Line = B.CreateSub(Row, B.CreateMul(Plane, Middle));
  Value *FirstOfRow = B.CreateNUWMul(Row, Columns);
  B.CreateBr(L.Begin);

  B.SetInsertPoint(L.Begin);
  L.At = B.CreatePHI(Word, 2, "column");
  L.At->addIncoming(B.getInt64(0), L.Row);
  Value *Column = From.ByStrips ? B.CreateNUWAdd(FirstColumn, L.At) : static_cast<Value *>(L.At);
  Value *const Of[] = {Plane, Line, Column, B.CreateNUWAdd(FirstOfRow, Column, "linear")};
  std::copy(std::begin(Of), std::end(Of), L.Of);
  L.Of[size_t(Id::SubGroupMaxSize)] = Most;
  return L;
}

// From where an item ends. The branch back to the next item.
BranchInst *Builder::closeLoop(IRBuilder<> &B, Loop &L, unsigned Who, bool Once) {
  if (isOverLanes(Who))
    return closeLanes(B, L, Who, Once);
  Value *NextColumn = B.CreateNUWAdd(L.At, B.getInt64(1));
  L.At->addIncoming(NextColumn, B.GetInsertBlock());
  auto *Back = B.CreateCondBr(Once ? B.getTrue() : B.CreateICmpEQ(NextColumn, From.ByStrips ? Length : Columns), L.RowEnd, L.Begin);
  B.SetInsertPoint(L.RowEnd);
  Value *NextRow = B.CreateNUWAdd(L.RowAt, B.getInt64(1));
  L.RowAt->addIncoming(NextRow, L.RowEnd);
  B.CreateCondBr(Once ? B.getTrue() : B.CreateICmpEQ(NextRow, From.ByStrips ? RowsOfStrip : Rows), L.After, L.Row);
  return Back;
}

void Builder::piece(Version V) {
  BasicBlock *const Start = V.first;
  const bool OfAll = V.second != NotEnded;
  const auto Blocks = blocksOf(Start, P);
  SmallSetVector<AllocaInst *, 8> Read, Written;
  for (BasicBlock *Block : Blocks)
    for (Instruction &I : *Block)
      if (auto *Variable = dyn_cast_or_null<AllocaInst>(getLoadStorePointerOperand(&I)); Variable && Now.count(Variable))
        (isa<StoreInst>(I) ? Written : Read).insert(Variable);
  // What is written on some ways only is carried through on the others.
  Read.insert_range(Written);

  // Then the loop ends behind the first item that has not ended.
  const bool Once = isDoneOnce(Start, Blocks);

  BasicBlock *Head = headOf(V);
  IRBuilder<> B(Head);
  DenseMap<AllocaInst *, Value *> Before;
  for (AllocaInst *Variable : Read)
    if (auto Found = Between.find(Variable); Found != Between.end())
      Before[Variable] = B.CreateLoad(Variable->getAllocatedType(), Found->second);

  moveTaken(B, V);
  Head = B.GetInsertBlock();
  auto *Leave = BasicBlock::Create(C, "item.leaves", G), *Latch = OfAll ? Leave : BasicBlock::Create(C, "item.end", G);
  Loop L = openLoop(B, Head, V.second);
  Value *Linear = L.Of[size_t(Id::Linear)];
  SmallVector<Instruction *, 32> Accesses;
  if (!OfAll) {
    auto *Runs = BasicBlock::Create(C, "item.runs", G);
    auto *Flag = B.CreateLoad(B.getInt8Ty(), flagOf(B, Linear));
    Accesses.push_back(Flag);
    B.CreateCondBr(B.CreateICmpEQ(Flag, B.getInt8(0)), Runs, Latch);
    B.SetInsertPoint(Runs);
  }
  ValueToValueMapTy Map;
  for (auto Entry : Common)
    Map[Entry.first] = Entry.second;
  Value *Apart = nullptr; // by how many times as much elements of arrays are further apart; the same for all arrays
  for (AllocaInst *Variable : P.Arrays)
    if (V.second == Whole && !KeptTogether.contains(Variable)) {
      continue; // nobody uses it there
    } else if (P.Apart.contains(Variable)) {
      auto [Element, Count] = elementsOf(B, Variable, L, V.second);
      Map[Variable] = Element;
      Apart = Count;
    } else {
      Map[Variable] = placeOf(B, Variable, L, V.second);
    }
  for (Instruction *I : Varying) {
    if (V.second == Whole && OfSubGroup.contains(I))
      continue;
    if (auto Which = idOf(I)) {
      Map[I] = L.Of[size_t(*Which)];
      continue;
    }
    Instruction *Copy = I->clone();
    B.Insert(Copy, I->getName());
    RemapInstruction(Copy, Map, Locals);
    Map[I] = Copy;
  }
  const bool IsFirst = Start == P.Starts.front();
  for (AllocaInst *Variable : Read) {
    Value *Value = Before.lookup(Variable);
    // In the first piece nothing is known yet, and nothing that is written on some ways only is used on the others.
    if (!Value && !(IsFirst && !reentered(Start))) {
      auto *Load = B.CreateAlignedLoad(keptAs(Variable), placeOf(B, Variable, L, V.second), Variable->getAlign());
      markKept(*Load);
      Accesses.push_back(Load);
      Value = B.CreateTrunc(Load, Variable->getAllocatedType());
    }
    if (Value)
      B.CreateStore(Value, Now[Variable]);
  }

  for (BasicBlock *Block : Blocks) {
    BasicBlock *Copy = CloneBasicBlock(Block, Map, "", G);
    Map[Block] = Copy;
  }
  B.CreateBr(cast<BasicBlock>(Map[Start]));

  // Which piece comes next, and null for the end.
  SmallSetVector<BasicBlock *, 4> Ways;
  B.SetInsertPoint(Leave);
  PHINode *Next = B.CreatePHI(B.getInt32Ty(), 2, "next");
  auto WayOf = [&](BasicBlock *To) {
    Ways.insert(To);
    return B.getInt32(find(Ways, To) - Ways.begin());
  };
  for (BasicBlock *Block : Blocks) {
    auto *Copy = cast<BasicBlock>(Map[Block]);
    Instruction *End = Copy->getTerminator();
    for (PHINode &Phi : make_early_inc_range(Copy->phis()))
      for (unsigned In = Phi.getNumIncomingValues(); In-- > 0;)
        if (!Blocks.contains(Phi.getIncomingBlock(In)) || Block == Start)
          Phi.removeIncomingValue(In, /*DeletePHIIfEmpty=*/false);
    if (isa<ReturnInst>(End)) {
      End->eraseFromParent();
      Next->addIncoming(WayOf(nullptr), Copy);
      BranchInst::Create(Leave, Copy);
      continue;
    }
    DenseMap<BasicBlock *, BasicBlock *> Stubs;
    for (unsigned S = 0; S < End->getNumSuccessors(); ++S) {
      BasicBlock *To = End->getSuccessor(S);
      if (!P.Starts.contains(To))
        continue;
      BasicBlock *&Stub = Stubs[To];
      if (!Stub) {
        Stub = BasicBlock::Create(C, "leave", G);
        BranchInst::Create(Leave, Stub);
        Next->addIncoming(WayOf(To), Stub);
      }
      End->setSuccessor(S, Stub);
    }
  }
  SmallVector<Instruction *, 64> Copies;
  for (BasicBlock *Block : Blocks)
    for (Instruction &I : make_early_inc_range(*cast<BasicBlock>(Map[Block]))) {
      auto *Address = dyn_cast<GetElementPtrInst>(&I);
      const bool IsApart = Address && offsetIn(P.Apart, Address) && is_contained(P.Arrays, Address->getPointerOperand());
      RemapInstruction(&I, Map, Locals);
      if (IsApart)
        Address->setOperand(1, IRBuilder<>(Address).CreateMul(Address->getOperand(1), Apart));
      if (From.BySubGroups && V.second != Whole && handOver(I, L.Of[size_t(Id::Lane)], V.second, P.MayPart.contains(Start), Accesses))
        continue;
      if (Instruction *Kept = answer(I, OfAll, Once, Head))
        Copies.push_back(Kept);
    }

  const bool Parts = P.MayPart.contains(Start) && Ways.size() > 1, SomeEnd = Parts && Ways.contains(nullptr);
  for (AllocaInst *Variable : Written) {
    auto *Load = B.CreateLoad(Variable->getAllocatedType(), Now[Variable]);
    if (auto Found = Between.find(Variable); Found == Between.end()) {
      Accesses.push_back(Load);
      Accesses.push_back(B.CreateAlignedStore(B.CreateZExt(Load, keptAs(Variable)), placeOf(B, Variable, L, V.second), Variable->getAlign()));
    } else if (SomeEnd) {
      // Who ends may not have come to where the value is made.
      Value *Kept = B.CreateLoad(Variable->getAllocatedType(), Found->second);
      B.CreateStore(B.CreateSelect(endsHere(B, Ways, Next), Kept, Load), Found->second);
    }
  }
  if (pred_empty(Leave)) { // no item ever leaves
    if (!OfAll) {
      Latch->replaceAllUsesWith(End);
      Latch->eraseFromParent();
    }
    for (BasicBlock *Block : {Leave, L.RowEnd, L.After})
      if (Block)
        Block->eraseFromParent();
    return;
  }
  AllocaInst *PassedBy = SomeEnd ? watchSkips(Blocks.getArrayRef(), Ways, Map, *Head, Linear) : nullptr;
  const auto ForAny = find_if(Ways, [&](BasicBlock *To) { return P.ForAny.contains(To); });
  AllocaInst *Any = nullptr;
  if (ForAny != Ways.end() && Ways.size() > 1) {
    Any = falseAtEntry("any");
    IRBuilder<>(Head->getTerminator()).CreateStore(B.getFalse(), Any);
    B.CreateStore(B.CreateOr(B.CreateLoad(B.getInt1Ty(), Any), B.CreateICmpEQ(Next, B.getInt32(ForAny - Ways.begin()))), Any);
  }
  SmallVector<AllocaInst *, 4> Counts;
  if (!Any && Ways.size() > 1 && (Parts || !OfAll))
    Counts = count(B, *Head, Ways, Next);
  if (SomeEnd)
    Accesses.push_back(B.CreateStore(B.CreateZExt(endsHere(B, Ways, Next), B.getInt8Ty()), flagOf(B, Linear)));
  if (!Counts.empty() && !Order.empty() && Ways.size() > 1u + Ways.contains(nullptr))
    Accesses.push_back(keepWay(B, Ways, Next, L.Of[size_t(Id::Lane)]));
  if (!OfAll) {
    B.CreateBr(Once ? L.After : Latch);
    B.SetInsertPoint(Latch);
  }
  promise(closeLoop(B, L, V.second, Once && OfAll), V.second, Accesses, Copies);

  B.SetInsertPoint(L.After);
  if (!SomeEnd)
    for (AllocaInst *Variable : Written)
      if (auto Found = Between.find(Variable); Found != Between.end())
        B.CreateStore(B.CreateLoad(Variable->getAllocatedType(), Now[Variable]), Found->second);
  if (!Counts.empty()) {
    chooseByCounts(B, V, Ways, Counts, SomeEnd, PassedBy);
    return;
  }
  auto TargetOf = [&](BasicBlock *To) { return targetOf(To, V.second); };
  if (Any) {
    B.CreateCondBr(B.CreateLoad(B.getInt1Ty(), Any), TargetOf(*ForAny), TargetOf(Ways[*ForAny == Ways[0]]));
    return;
  }
  if (Ways.size() == 1) {
    B.CreateBr(TargetOf(Ways.front()));
    return;
  }
  if (Ways.size() == 2) {
    B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt32(0)), TargetOf(Ways[0]), TargetOf(Ways[1]));
    return;
  }
  SwitchInst *Switch = B.CreateSwitch(Next, TargetOf(Ways[0]), Ways.size() - 1);
  for (unsigned Way = 1; Way < Ways.size(); ++Way)
    Switch->addCase(B.getInt32(Way), TargetOf(Ways[Way]));
}

bool Builder::reentered(BasicBlock *Start) const { return any_of(predecessors(Start), [&](BasicBlock *B) { return B != &From.Body->getEntryBlock(); }); }

// Items are independent between barriers: what they share may be taken in any order. Private variables that stay in memory are one for
// all items of a piece, so for them nothing is promised. Source: docs/decisions/0007.
void Builder::promise(BranchInst *Back, unsigned Who, ArrayRef<Instruction *> Own, ArrayRef<Instruction *> Copies) {
  MDNode *Group = MDNode::getDistinct(C, {});
  for (Instruction *I : Own)
    I->setMetadata(LLVMContext::MD_access_group, Group);
  for (Instruction *I : Copies) {
    if (!I->mayReadOrWriteMemory())
      continue;
    I->setMetadata(LLVMContext::MD_access_group, isRemark(*I) ? Group : nullptr);
    const Value *Pointer = getLoadStorePointerOperand(I);
    if (!Pointer || Escapes)
      continue;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Pointer, Objects, nullptr, 0);
    if (none_of(Objects, [](const Value *V) { return isa<AllocaInst>(V); }))
      I->setMetadata(LLVMContext::MD_access_group, Group);
  }
  Metadata *const Parallel[] = {MDString::get(C, "llvm.loop.parallel_accesses"), Group};
  SmallVector<Metadata *, 4> Said{nullptr, MDNode::get(C, Parallel)};
  if (Who == Full && (From.ByStrips || !P.Takes.empty()))
    Said.push_back(lanesOf(C, From.Lanes));
  // Loops that skip items have masks everywhere: vectors of these cost more time to make than they save. So do loops over sub-groups that are
  // not full, in which ids grow as they come, in long kernels. In groups that are known to be no short rows a strip in which items end is at an edge.
  const bool IsAtEdge = Who == NotEnded && From.ByStrips && From.WorkGroup[2] != 0;
  if (IsAtEdge || (From.BySubGroups && Who != Whole && (Who == NotEnded || (Who == All && IsLong)))) {
    Said.push_back(MDNode::get(C, {MDString::get(C, "llvm.loop.vectorize.enable"), ConstantAsMetadata::get(ConstantInt::getFalse(C))}));
    Said.push_back(MDNode::get(C, MDString::get(C, "llvm.loop.unroll.disable")));
  }
  MDNode *Loop = MDNode::getDistinct(C, Said);
  Loop->replaceOperandWith(0, Loop);
  Back->setMetadata(LLVMContext::MD_loop, Loop);
}
Function *makeGroup(const Item &I, const Pieces &P, StringRef Name, Frame &Frame) { return Builder(I, P, Name).run(Frame); }

} // namespace aspen::items
