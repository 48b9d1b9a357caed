// The third step: a function that runs all items of a group, piece by piece, each in a loop over the items.
//
// Pieces come in two versions. As long as no item has ended, loops run over all items. Once some have ended at a place where others go on,
// which a flag for each item in the frame says, the group is in the other version, whose loops leave these items out. So the commonest
// shape, a first line `if (id >= count) return;`, costs the groups at the edge something, and the others a count.

#include "items.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace aspen::items {
namespace {

const RemapFlags Locals = RF_IgnoreMissingLocals | RF_NoModuleLevelChanges;

// Uses of a private variable that are looked at, to see whether its address leaves the item.
constexpr unsigned MaxUses = 10000;

class Builder {
public:
  Builder(const Item &I, const Pieces &P, StringRef Name)
      : From(I), P(P), M(*I.Body->getParent()), Layout(M.getDataLayout()), C(M.getContext()), Word(Type::getInt64Ty(C)) {
    Type *Pointer = PointerType::get(C, 0);
    auto *T = FunctionType::get(Type::getInt32Ty(C), {Pointer, Pointer, Pointer}, false);
    G = Function::Create(T, GlobalValue::InternalLinkage, Name, M);
    // The same processor, the same floating point, …; but not how the kernel is called.
    G->copyAttributesFrom(I.Body);
    G->setAttributes(AttributeList::get(C, AttributeList::FunctionIndex, AttrBuilder(C, I.Body->getAttributes().getFnAttrs())));
    for (auto A : {Attribute::Convergent, Attribute::NoRecurse, Attribute::Memory})
      G->removeFnAttr(A);
    G->setCallingConv(CallingConv::C);
    G->setComdat(nullptr);
    G->addParamAttrs(0, AttrBuilder(C, I.Body->getAttributes().getParamAttrs(0)));
    for (unsigned A = 0; A < 3; ++A)
      G->addParamAttr(A, Attribute::NoUndef);
    G->addParamAttr(1, Attribute::NoAlias);
    G->addParamAttr(1, Attribute::ReadOnly);
    G->addParamAttr(2, Attribute::NoAlias);
  }

  Function *run(Frame &Frame) {
    auto *Entry = BasicBlock::Create(C, "entry", G);
    IRBuilder<> B(Entry);
    prelude(B);
    place(B, Frame);
    Done = BasicBlock::Create(C, "done", G);
    B.CreateBr(headOf({P.Starts.front(), All}));
    while (!Open.empty())
      piece(Open.pop_back_val());
    B.SetInsertPoint(Done);
    B.CreateRet(Asked ? static_cast<Value *>(B.CreateLoad(B.getInt32Ty(), Asked)) : B.getInt32(0));
    Frame.Bytes += Flags ? 1 : 0;
    return G;
  }

private:
  // Which items a version of a piece is for.
  enum Who : unsigned { All, NotEnded };
  using Version = std::pair<BasicBlock *, unsigned>;

  BasicBlock *headOf(Version V) {
    BasicBlock *&Head = Heads[V];
    if (!Head) {
      Head = BasicBlock::Create(C, V.second == All ? "piece" : "piece.some", G);
      Open.push_back(V);
    }
    return Head;
  }

  // What the group's items have in common is made once; what depends on the item is left for each piece.
  void prelude(IRBuilder<> &B) {
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
    auto Range = [&](unsigned D) {
      auto *Load = B.CreateAlignedLoad(Word, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), G->getArg(1), layout::LocalRange + 8 * D), Align(8));
      Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(C, {}));
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
  void place(IRBuilder<> &B, Frame &Frame) {
    SmallVector<AllocaInst *, 16> Kept(P.PerItem.begin(), P.PerItem.end());
    append_range(Kept, P.Arrays);
    SmallVector<std::pair<unsigned, size_t>, 16> Order;
    for (auto [Place, Variable] : enumerate(Kept))
      Order.push_back({~0u - Log2(Variable->getAlign()), Place});
    sort(Order);
    uint64_t Used = 0;
    for (auto [Align, Place] : Order) {
      AllocaInst *Variable = Kept[Place];
      const uint64_t Bytes = alignTo(Variable->getAllocationSize(Layout)->getFixedValue(), Variable->getAlign());
      Frame.Alignment = std::max(Frame.Alignment, Variable->getAlign());
      Places[Variable] = {B.CreateGEP(B.getInt8Ty(), G->getArg(2), B.CreateNUWMul(Items, B.getInt64(Used))), Bytes};
      Used += Bytes;
    }
    Frame.Bytes = AfterPlaces = Used;
    for (AllocaInst *Variable : concat<AllocaInst *const>(P.PerItem, P.PerGroup))
      Common[Variable] = Now[Variable] = B.CreateAlloca(Variable->getAllocatedType(), nullptr, "now");
    for (AllocaInst *Variable : P.PerGroup)
      Between[Variable] = B.CreateAlloca(Variable->getAllocatedType(), nullptr, "kept");
    for (Instruction &I : From.Body->getEntryBlock())
      if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !Common.count(Variable) && !Places.count(Variable)) {
        auto *Copy = cast<AllocaInst>(Variable->clone());
        B.Insert(Copy);
        Common[Variable] = Copy;
      }
    for (Instruction &I : From.Body->getEntryBlock())
      if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !Now.count(Variable))
        Escapes |= PointerMayBeCaptured(Variable, /*ReturnCaptures=*/false, MaxUses);
  }

  // One flag for each item: whether it has ended. They mean something from when the first has.
  Value *flagOf(IRBuilder<> &B, Value *Linear) {
    if (!Flags) {
      IRBuilder<> E(G->getEntryBlock().getTerminator());
      Flags = E.CreateGEP(E.getInt8Ty(), G->getArg(2), E.CreateNUWMul(Items, E.getInt64(AfterPlaces)), "ended");
      Running = E.CreateAlloca(E.getInt32Ty(), nullptr, "running");
    }
    return B.CreateInBoundsGEP(B.getInt8Ty(), Flags, Linear);
  }

  Value *placeOf(IRBuilder<> &B, AllocaInst *Variable, Value *Linear) {
    auto [Base, Bytes] = Places[Variable];
    return B.CreateInBoundsGEP(B.getInt8Ty(), Base, B.CreateNUWMul(Linear, B.getInt64(Bytes)));
  }

  void piece(Version V) {
    BasicBlock *const Start = V.first;
    const bool OfAll = V.second == All;
    const auto Blocks = blocksOf(Start, P);
    SmallSetVector<AllocaInst *, 8> Read, Written;
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : *Block)
        if (auto *Variable = dyn_cast_or_null<AllocaInst>(getLoadStorePointerOperand(&I)); Variable && Now.count(Variable))
          (isa<StoreInst>(I) ? Written : Read).insert(Variable);
    // What is written on some ways only is carried through on the others.
    Read.insert_range(Written);

    BasicBlock *Head = headOf(V);
    IRBuilder<> B(Head);
    DenseMap<AllocaInst *, Value *> Before;
    for (AllocaInst *Variable : Read)
      if (auto Found = Between.find(Variable); Found != Between.end())
        Before[Variable] = B.CreateLoad(Variable->getAllocatedType(), Found->second);

    auto *RowBlock = BasicBlock::Create(C, "row", G), *ItemBlock = BasicBlock::Create(C, "item", G);
    auto *Leave = BasicBlock::Create(C, "item.leaves", G), *Latch = OfAll ? Leave : BasicBlock::Create(C, "item.end", G);
    auto *RowLatch = BasicBlock::Create(C, "row.end", G), *After = BasicBlock::Create(C, "piece.end", G);
    B.CreateBr(RowBlock);

    B.SetInsertPoint(RowBlock);
    PHINode *Row = B.CreatePHI(Word, 2, "row");
    Row->addIncoming(B.getInt64(0), Head);
    Value *Plane = B.CreateUDiv(Row, Middle), *Line = B.CreateSub(Row, B.CreateMul(Plane, Middle));
    Value *FirstOfRow = B.CreateNUWMul(Row, Columns);
    B.CreateBr(ItemBlock);

    B.SetInsertPoint(ItemBlock);
    PHINode *Column = B.CreatePHI(Word, 2, "column");
    Column->addIncoming(B.getInt64(0), RowBlock);
    Value *Linear = B.CreateNUWAdd(FirstOfRow, Column, "linear");
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
    for (AllocaInst *Variable : P.Arrays)
      Map[Variable] = placeOf(B, Variable, Linear);
    for (Instruction *I : Varying) {
      if (auto Which = idOf(I)) {
        Value *const Ids[] = {Plane, Line, Column, Linear};
        Map[I] = Ids[size_t(*Which)];
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
        auto *Load = B.CreateAlignedLoad(Variable->getAllocatedType(), placeOf(B, Variable, Linear), Variable->getAlign());
        Accesses.push_back(Load);
        Value = Load;
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
        RemapInstruction(&I, Map, Locals);
        if (Instruction *Kept = answer(I, OfAll))
          Copies.push_back(Kept);
      }

    const bool Parts = P.MayPart.contains(Start) && Ways.size() > 1, SomeEnd = Parts && Ways.contains(nullptr);
    for (AllocaInst *Variable : Written) {
      auto *Load = B.CreateLoad(Variable->getAllocatedType(), Now[Variable]);
      if (auto Found = Between.find(Variable); Found == Between.end()) {
        Accesses.push_back(Load);
        Accesses.push_back(B.CreateAlignedStore(Load, placeOf(B, Variable, Linear), Variable->getAlign()));
      } else if (SomeEnd) {
        // Who ends may not have come to where the value is made.
        Value *Kept = B.CreateLoad(Variable->getAllocatedType(), Found->second);
        B.CreateStore(B.CreateSelect(endsHere(B, Ways, Next), Kept, Load), Found->second);
      }
    }
    if (pred_empty(Leave)) { // no item ever leaves
      if (!OfAll) {
        Latch->replaceAllUsesWith(Done);
        Latch->eraseFromParent();
      }
      for (BasicBlock *Block : {Leave, RowLatch, After})
        Block->eraseFromParent();
      return;
    }
    SmallVector<AllocaInst *, 4> Counts;
    if (Ways.size() > 1 && (Parts || !OfAll))
      Counts = count(B, *Head, Ways, Next);
    if (SomeEnd)
      Accesses.push_back(B.CreateStore(B.CreateZExt(endsHere(B, Ways, Next), B.getInt8Ty()), flagOf(B, Linear)));
    if (!OfAll) {
      B.CreateBr(Latch);
      B.SetInsertPoint(Latch);
    }
    Value *NextColumn = B.CreateNUWAdd(Column, B.getInt64(1));
    Column->addIncoming(NextColumn, Latch);
    auto *Back = B.CreateCondBr(B.CreateICmpEQ(NextColumn, Columns), RowLatch, ItemBlock);
    promise(Back, Accesses, Copies);

    B.SetInsertPoint(RowLatch);
    Value *NextRow = B.CreateNUWAdd(Row, B.getInt64(1));
    Row->addIncoming(NextRow, RowLatch);
    B.CreateCondBr(B.CreateICmpEQ(NextRow, Rows), After, RowBlock);

    B.SetInsertPoint(After);
    if (!SomeEnd)
      for (AllocaInst *Variable : Written)
        if (auto Found = Between.find(Variable); Found != Between.end())
          B.CreateStore(B.CreateLoad(Variable->getAllocatedType(), Now[Variable]), Found->second);
    if (!Counts.empty()) {
      chooseByCounts(B, V, Ways, Counts, SomeEnd);
      return;
    }
    auto TargetOf = [&](BasicBlock *To) { return To ? headOf({To, V.second}) : Done; };
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

  bool reentered(BasicBlock *Start) const { return any_of(predecessors(Start), [&](BasicBlock *B) { return B != &From.Body->getEntryBlock(); }); }

  // Puts the answer in place of a question about ended items; what stands there afterwards, if anything.
  Instruction *answer(Instruction &I, bool OfAll) {
    const auto What = aboutEnded(&I);
    if (!What)
      return &I;
    IRBuilder<> B(&I);
    Instruction *Kept = nullptr;
    Value *Whom = cast<CallInst>(I).getArgOperand(0);
    if (What == AboutEnded::Has && OfAll) {
      I.replaceAllUsesWith(B.getFalse());
    } else if (What == AboutEnded::Has) {
      auto *Flag = B.CreateLoad(B.getInt8Ty(), flagOf(B, B.CreateZExt(Whom, Word)));
      I.replaceAllUsesWith(B.CreateICmpNE(Flag, B.getInt8(0)));
      Kept = Flag;
    } else if (!OfAll) {
      if (!Asked) {
        IRBuilder<> E(G->getEntryBlock().getTerminator());
        Asked = E.CreateAlloca(E.getInt32Ty(), nullptr, "asked");
        E.CreateStore(E.getInt32(0), Asked);
      }
      Kept = B.CreateStore(B.CreateOr(Whom, B.getInt32(layout::AskedEnded)), Asked);
    }
    I.eraseFromParent();
    return Kept;
  }

  using Ways = SmallSetVector<BasicBlock *, 4>;

  static Value *goes(IRBuilder<> &B, unsigned Way, Value *Next) { return B.CreateICmpEQ(Next, B.getInt32(Way)); }
  static Value *endsHere(IRBuilder<> &B, const Ways &Ways, Value *Next) { return goes(B, find(Ways, nullptr) - Ways.begin(), Next); }

  // How many items go each way, but for the last that leads on: that one has the others.
  SmallVector<AllocaInst *, 4> count(IRBuilder<> &B, BasicBlock &Head, const Ways &Ways, Value *Next) {
    SmallVector<AllocaInst *, 4> Counts(Ways.size());
    IRBuilder<> E(G->getEntryBlock().getTerminator()), H(Head.getTerminator());
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

  // Goes where all go who have not ended. If these go different ways, they wait for each other for ever, and the group ends.
  void chooseByCounts(IRBuilder<> &B, Version V, const Ways &Ways, ArrayRef<AllocaInst *> Counts, bool SomeEnd) {
    const bool OfAll = V.second == All;
    auto Of = [&](unsigned Way) -> Value * { return B.CreateLoad(B.getInt32Ty(), Counts[Way]); };
    Value *Ended = Ways.contains(nullptr) ? Of(find(Ways, nullptr) - Ways.begin()) : B.getInt32(0);
    Value *Before = OfAll ? B.CreateTrunc(Items, B.getInt32Ty()) : B.CreateLoad(B.getInt32Ty(), Running);
    Value *Left = B.CreateSub(Before, Ended);
    if (SomeEnd)
      B.CreateStore(Left, Running);
    auto Decide = [&](Value *Condition, BasicBlock *To) {
      auto *Otherwise = BasicBlock::Create(C, "otherwise", G);
      B.CreateCondBr(Condition, To, Otherwise);
      B.SetInsertPoint(Otherwise);
    };
    if (Ways.contains(nullptr))
      Decide(B.CreateICmpEQ(Left, B.getInt32(0)), Done);
    Value *Others = B.getInt32(0);
    BasicBlock *Rest = nullptr;
    for (unsigned Way = 0; Way < Ways.size(); ++Way) {
      if (!Ways[Way])
        continue;
      BasicBlock *To = headOf({Ways[Way], V.second});
      if (OfAll && SomeEnd) {
        To = BasicBlock::Create(C, "on", G);
        IRBuilder<> On(To);
        On.CreateCondBr(On.CreateICmpEQ(Ended, On.getInt32(0)), headOf({Ways[Way], All}), headOf({Ways[Way], NotEnded}));
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
    B.CreateRet(Left);
  }

  // Items are independent between barriers: what they share may be taken in any order. Private variables that stay in memory are one for
  // all items of a piece, so for them nothing is promised. Source: docs/decisions/0007.
  void promise(BranchInst *Back, ArrayRef<Instruction *> Own, ArrayRef<Instruction *> Copies) {
    MDNode *Group = MDNode::getDistinct(C, {});
    for (Instruction *I : Own)
      I->setMetadata(LLVMContext::MD_access_group, Group);
    for (Instruction *I : Copies) {
      if (!I->mayReadOrWriteMemory())
        continue;
      I->setMetadata(LLVMContext::MD_access_group, nullptr);
      const Value *Pointer = getLoadStorePointerOperand(I);
      if (!Pointer || Escapes)
        continue;
      SmallVector<const Value *, 4> Objects;
      getUnderlyingObjects(Pointer, Objects, nullptr, 0);
      if (none_of(Objects, [](const Value *V) { return isa<AllocaInst>(V); }))
        I->setMetadata(LLVMContext::MD_access_group, Group);
    }
    Metadata *const Parallel[] = {MDString::get(C, "llvm.loop.parallel_accesses"), Group};
    MDNode *Loop = MDNode::getDistinct(C, {nullptr, MDNode::get(C, Parallel)});
    Loop->replaceOperandWith(0, Loop);
    Back->setMetadata(LLVMContext::MD_loop, Loop);
  }

  const Item &From;
  const Pieces &P;
  Module &M;
  const DataLayout &Layout;
  LLVMContext &C;
  Type *Word;
  Function *G;
  Value *Columns = nullptr, *Middle = nullptr, *Rows = nullptr, *Items = nullptr;
  ValueToValueMapTy Common;
  SmallVector<Instruction *, 16> Varying;
  DenseMap<AllocaInst *, AllocaInst *> Now, Between;
  DenseMap<AllocaInst *, std::pair<Value *, uint64_t>> Places;
  DenseMap<Version, BasicBlock *> Heads;
  SmallVector<Version, 8> Open; // versions that are still to be made
  BasicBlock *Done = nullptr;
  bool Escapes = false; // the address of a private variable may be anywhere
  uint64_t AfterPlaces = 0;
  Value *Flags = nullptr;        // of the items that have ended; null as long as none may
  AllocaInst *Running = nullptr; // how many have not
  AllocaInst *Asked = nullptr;   // what the group returns at its end
};

} // namespace

Function *makeGroup(const Item &I, const Pieces &P, StringRef Name, Frame &Frame) { return Builder(I, P, Name).run(Frame); }

} // namespace aspen::items
