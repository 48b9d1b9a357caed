// The third step: a function that runs all items of a group, piece by piece, each in a loop over the items.

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

const RemapFlags Flags = RF_IgnoreMissingLocals | RF_NoModuleLevelChanges;

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

  Function *run(uint64_t &Frame) {
    auto *Entry = BasicBlock::Create(C, "entry", G);
    IRBuilder<> B(Entry);
    prelude(B);
    place(B, Frame);
    for (BasicBlock *Start : P.Starts)
      Heads[Start] = BasicBlock::Create(C, "piece", G);
    Done = BasicBlock::Create(C, "done", G);
    ReturnInst::Create(C, B.getInt32(0), Done);
    B.CreateBr(Heads[P.Starts.front()]);
    for (BasicBlock *Start : P.Starts)
      piece(Start);
    return G;
  }

private:
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
      RemapInstruction(Copy, Common, Flags);
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
  void place(IRBuilder<> &B, uint64_t &Frame) {
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
      Places[Variable] = {B.CreateGEP(B.getInt8Ty(), G->getArg(2), B.CreateNUWMul(Items, B.getInt64(Used))), Bytes};
      Used += Bytes;
    }
    Frame = Used;
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

  Value *placeOf(IRBuilder<> &B, AllocaInst *Variable, Value *Linear) {
    auto [Base, Bytes] = Places[Variable];
    return B.CreateInBoundsGEP(B.getInt8Ty(), Base, B.CreateNUWMul(Linear, B.getInt64(Bytes)));
  }

  void piece(BasicBlock *Start) {
    const auto Blocks = blocksOf(Start, P);
    SmallSetVector<AllocaInst *, 8> Read, Written;
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : *Block)
        if (auto *Variable = dyn_cast_or_null<AllocaInst>(getLoadStorePointerOperand(&I)); Variable && Now.count(Variable))
          (isa<StoreInst>(I) ? Written : Read).insert(Variable);
    // What is written on some ways only is carried through on the others.
    Read.insert_range(Written);

    IRBuilder<> B(Heads[Start]);
    DenseMap<AllocaInst *, Value *> Before;
    for (AllocaInst *Variable : Read)
      if (auto Found = Between.find(Variable); Found != Between.end())
        Before[Variable] = B.CreateLoad(Variable->getAllocatedType(), Found->second);

    BasicBlock *Head = Heads[Start];
    auto *RowBlock = BasicBlock::Create(C, "row", G), *ItemBlock = BasicBlock::Create(C, "item", G);
    auto *Latch = BasicBlock::Create(C, "item.end", G), *RowLatch = BasicBlock::Create(C, "row.end", G);
    auto *After = BasicBlock::Create(C, "piece.end", G);
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
      RemapInstruction(Copy, Map, Flags);
      Map[I] = Copy;
    }
    const bool IsFirst = Start == P.Starts.front();
    SmallVector<Instruction *, 32> Accesses;
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
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Leaving; // a block of the item, and its way
    B.SetInsertPoint(Latch);
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
        BranchInst::Create(Latch, Copy);
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
          BranchInst::Create(Latch, Stub);
          Next->addIncoming(WayOf(To), Stub);
        }
        End->setSuccessor(S, Stub);
      }
    }
    SmallVector<Instruction *, 64> Copies;
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : *cast<BasicBlock>(Map[Block])) {
        RemapInstruction(&I, Map, Flags);
        Copies.push_back(&I);
      }

    for (AllocaInst *Variable : Written)
      if (!Between.count(Variable)) {
        auto *Load = B.CreateLoad(Variable->getAllocatedType(), Now[Variable]);
        Accesses.push_back(B.CreateAlignedStore(Load, placeOf(B, Variable, Linear), Variable->getAlign()));
      }
    if (pred_empty(Latch)) { // no item ever leaves
      for (BasicBlock *Block : {Latch, RowLatch, After})
        Block->eraseFromParent();
      return;
    }
    const bool Parts = P.MayPart.contains(Start) && Ways.size() > 1;
    if (Parts)
      count(B, Ways, Next, Linear);
    Value *NextColumn = B.CreateNUWAdd(Column, B.getInt64(1));
    Column->addIncoming(NextColumn, Latch);
    auto *Back = B.CreateCondBr(B.CreateICmpEQ(NextColumn, Columns), RowLatch, ItemBlock);
    promise(Back, Accesses, Copies);

    B.SetInsertPoint(RowLatch);
    Value *NextRow = B.CreateNUWAdd(Row, B.getInt64(1));
    Row->addIncoming(NextRow, RowLatch);
    B.CreateCondBr(B.CreateICmpEQ(NextRow, Rows), After, RowBlock);

    B.SetInsertPoint(After);
    for (AllocaInst *Variable : Written)
      if (auto Found = Between.find(Variable); Found != Between.end())
        B.CreateStore(B.CreateLoad(Variable->getAllocatedType(), Now[Variable]), Found->second);
    if (Parts)
      refuse(B, Ways);
    auto TargetOf = [&](BasicBlock *To) { return To ? Heads[To] : Done; };
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

  // Counts the items that ended, and whether all went the way of the first.
  void count(IRBuilder<> &B, const SmallSetVector<BasicBlock *, 4> &Ways, Value *Next, Value *Linear) {
    IRBuilder<> E(G->getEntryBlock().getTerminator());
    First = E.CreateAlloca(E.getInt32Ty());
    Ended = E.CreateAlloca(E.getInt32Ty());
    Other = E.CreateAlloca(E.getInt32Ty());
    Value *IsFirst = B.CreateICmpEQ(Linear, B.getInt64(0)), *Zero = B.getInt32(0);
    auto Load = [&](AllocaInst *A) { return B.CreateSelect(IsFirst, Zero, B.CreateLoad(B.getInt32Ty(), A)); };
    Value *Way = B.CreateSelect(IsFirst, Next, B.CreateLoad(B.getInt32Ty(), First));
    B.CreateStore(Way, First);
    const auto *End = find(Ways, nullptr);
    Value *Ends = End == Ways.end() ? B.getFalse() : B.CreateICmpEQ(Next, B.getInt32(End - Ways.begin()));
    B.CreateStore(B.CreateAdd(Load(Ended), B.CreateZExt(Ends, B.getInt32Ty())), Ended);
    B.CreateStore(B.CreateOr(Load(Other), B.CreateZExt(B.CreateICmpNE(Next, Way), B.getInt32Ty())), Other);
  }

  // Ends the group if its items went different ways: some wait, and nobody will come.
  void refuse(IRBuilder<> &B, const SmallSetVector<BasicBlock *, 4> &Ways) {
    auto *Stuck = BasicBlock::Create(C, "stuck", G), *GoOn = BasicBlock::Create(C, "together", G);
    B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), Other), B.getInt32(0)), GoOn, Stuck);
    B.SetInsertPoint(Stuck);
    B.CreateRet(B.CreateSub(B.CreateTrunc(Items, B.getInt32Ty()), B.CreateLoad(B.getInt32Ty(), Ended)));
    B.SetInsertPoint(GoOn);
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
  DenseMap<BasicBlock *, BasicBlock *> Heads;
  BasicBlock *Done = nullptr;
  bool Escapes = false; // the address of a private variable may be anywhere
  AllocaInst *First = nullptr, *Ended = nullptr, *Other = nullptr;
};

} // namespace

Function *makeGroup(const Item &I, const Pieces &P, StringRef Name, uint64_t &Frame) { return Builder(I, P, Name).run(Frame); }

} // namespace aspen::items
