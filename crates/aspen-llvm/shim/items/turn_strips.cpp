// Items in turns that do more than turns, or keep something from turn to turn: `for (i = item.get_local_id(0); i < n; i += item.get_local_range(0)) sum += in[i];`.
//
// What an item keeps is in an array, in which each of some items has its place; they run in strips, as many as the array has places:
//
//   for each strip of items:
//     for each lane: state[lane] = what it begins with, and what it writes in front of the loop
//     for (base = begin; base < end; base += step)
//       for each lane up to end - base: state[lane] = body(state[lane])
//     for each lane: what comes behind the loop, with state[lane]
//
// What comes before the loop is arithmetic, and done again in each of them. An item's states are what they were, in the same order: sums of
// floating point have the same bits.

#include "turns.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace aspen::items {
namespace {

// Places of an array.
constexpr uint64_t Lanes = 256;

class TurnsInStrips {
public:
  TurnsInStrips(Nest &N, const Measured &Is)
      : N(N), L(*N.Items), M(*N.Turns), Is(Is), C(L.getHeader()->getContext()), F(*L.getHeader()->getParent()), Word(Type::getInt64Ty(C)) {
    const MDNode *Independent = findOptionMDForLoop(&L, "llvm.loop.parallel_accesses");
    Group = cast<MDNode>(Independent->getOperand(1));
    IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
    for (PHINode *Phi : N.States) {
      AllocaInst *Array = B.CreateAlloca(ArrayType::get(Phi->getType(), Lanes), nullptr, "states");
      Array->setAlignment(Align(64));
      Arrays.push_back(Array);
    }
    for (BasicBlock *Block = M.getLoopPreheader(); Block != L.getHeader(); Block = Block->getSinglePredecessor())
      Chain.push_back(Block);
    Chain.push_back(L.getHeader());
    std::reverse(Chain.begin(), Chain.end());
  }

  void put(BasicBlock *Before) {
    BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    auto *Strip = block("strip"), *Asks = block("strip.turns"), *Enters = block("turns"), *Turn = block("turn"), *After = block("turn.end"), *Behind = block("strip.behind"),
         *End = block("strip.end");
    Value *Start = N.Column->getIncomingValueForBlock(Before);
    Type *T = N.Number->getType();
    IRBuilder<> B(Before->getTerminator());
    B.CreateBr(Strip);
    Before->getTerminator()->eraseFromParent();

    B.SetInsertPoint(Strip);
    PHINode *At = B.CreatePHI(Word, 2, "strip");
    At->addIncoming(B.getInt64(0), Before);
    Value *Left = B.CreateAdd(B.CreateSub(Is.Last, At), B.getInt64(1));
    Count = B.CreateBinaryIntrinsic(Intrinsic::umin, Left, B.getInt64(Lanes));
    Base = B.CreateAdd(Start, At);
    SmallVector<Instruction *, 4> Writes;
    for (BasicBlock *Block : Chain)
      for (Instruction &I : *Block)
        if (isa<StoreInst>(I))
          Writes.push_back(&I);
    if (N.States.empty() && Writes.empty())
      B.CreateBr(Asks);
    else
      B.CreateBr(lanes(Strip, Asks, [&](IRBuilder<> &B, ValueToValueMapTy &Map, Value *Lane, BasicBlock *Next) {
        for (auto [Phi, Array] : zip(N.States, Arrays))
          store(B, mapped(Map, Phi->getIncomingValueForBlock(M.getLoopPreheader())), Array, Lane);
        B.CreateBr(Next);
      }));
    for (Instruction *Write : Writes)
      Write->eraseFromParent();

    B.SetInsertPoint(Asks);
    Value *First = B.CreateAdd(Is.Begin, B.CreateTrunc(B.CreateMul(At, B.getInt64(N.Apart)), T));
    B.CreateCondBr(Is.has(B, N.Goes, First, nullptr), Enters, Behind);
    B.SetInsertPoint(Enters);
    B.CreateBr(Turn);
    for (LoadInst *Load : N.Alike)
      Load->moveBefore(Enters->getTerminator()->getIterator());
    B.SetInsertPoint(Turn);
    PHINode *By = B.CreatePHI(T, 2, "by");
    By->addIncoming(ConstantInt::get(T, 0), Enters);
    // Those that still have a turn are the first ones, so that there is nothing to ask of each.
    Value *OfFirst = B.CreateAdd(First, By), *Active = Count;
    if (Is.End) {
      Value *Room = B.CreateZExt(B.CreateSub(Is.End, OfFirst), Word);
      if (ICmpInst::isLT(N.Goes))
        Room = B.CreateSub(Room, B.getInt64(1));
      Room = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateUDiv(Room, B.getInt64(N.Apart)), B.getInt64(Lanes - 1));
      Active = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateAdd(Room, B.getInt64(1)), Count);
    }
    B.CreateBr(lanes(
        Turn, After, [&](IRBuilder<> &B, ValueToValueMapTy &Map, Value *Lane, BasicBlock *Next) { turn(B, Map, Lane, OfFirst, Next); }, Active));
    B.SetInsertPoint(After);
    Value *ByNext = B.CreateAdd(By, Is.Step);
    By->addIncoming(ByNext, After);
    B.CreateCondBr(Is.has(B, N.Goes, First, ByNext), Turn, Behind);

    // The loop over items that there was does what is behind.
    B.SetInsertPoint(Behind);
    Value *Bound = B.CreateAdd(Base, Count);
    B.CreateBr(L.getHeader());
    N.Column->setIncomingValueForBlock(Before, Base);
    N.Column->replaceIncomingBlockWith(Before, Behind);
    auto *Back = cast<BranchInst>(Latch->getTerminator());
    B.SetInsertPoint(Back);
    const bool Again = Back->getSuccessor(0) == L.getHeader();
    Back->setCondition(B.CreateICmp(Again ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ, N.Column->getIncomingValueForBlock(Latch), Bound));
    Back->setSuccessor(Again ? 1 : 0, End);
    B.SetInsertPoint(End);
    Value *Next = B.CreateAdd(At, B.getInt64(Lanes));
    At->addIncoming(Next, End);
    B.CreateCondBr(B.CreateICmpULE(Next, Is.Last), Strip, Exit);
    for (PHINode &Phi : Exit->phis())
      Phi.replaceIncomingBlockWith(Latch, End);
    readStates();
  }

private:
  BasicBlock *block(const char *Name) { return BasicBlock::Create(C, Name, &F, L.getHeader()); }
  static Value *mapped(ValueToValueMapTy &Map, Value *V) {
    Value *Of = Map.lookup(V);
    return Of ? Of : V;
  }
  static Type *elementOf(AllocaInst *Array) { return cast<ArrayType>(Array->getAllocatedType())->getElementType(); }
  void store(IRBuilder<> &B, Value *V, AllocaInst *Array, Value *Lane) {
    auto *Store = B.CreateStore(V, B.CreateInBoundsGEP(V->getType(), Array, Lane));
    Store->setMetadata(LLVMContext::MD_access_group, Group);
  }
  Value *load(IRBuilder<> &B, AllocaInst *Array, Value *Lane) {
    auto *Load = B.CreateLoad(elementOf(Array), B.CreateInBoundsGEP(elementOf(Array), Array, Lane));
    Load->setMetadata(LLVMContext::MD_access_group, Group);
    return Load;
  }

  // What an item does in a block on the way to its inner loop.
  void cloneInto(BasicBlock *To, BasicBlock *From, ValueToValueMapTy &Map) {
    for (Instruction &I : *From) {
      if (auto *Phi = dyn_cast<PHINode>(&I)) { // the column, or of one way in
        if (Phi != N.Column)
          Map[Phi] = mapped(Map, Phi->getIncomingValue(0));
      } else if (!I.isTerminator() || From != M.getLoopPreheader()) {
        Instruction *Copy = I.clone();
        Copy->insertInto(To, To->end());
        Map[&I] = Copy;
      }
    }
  }

  // A loop over the lanes of a strip: what an item does up to its inner loop, and `Does` in the place of that. Where it begins. Of `Active`
  // lanes, if not all, it is known that they enter the inner loop.
  BasicBlock *lanes(BasicBlock *From, BasicBlock *To, function_ref<void(IRBuilder<> &, ValueToValueMapTy &, Value *, BasicBlock *)> Does,
                    Value *Active = nullptr) {
    auto *Head = block("lane"), *Next = block("lane.end");
    IRBuilder<> B(Head);
    PHINode *Lane = B.CreatePHI(Word, 2, "lane");
    Lane->addIncoming(B.getInt64(0), From);
    ValueToValueMapTy Map;
    Map[N.Column] = B.CreateAdd(Base, Lane);
    SmallVector<BasicBlock *, 4> Copies;
    for (BasicBlock *Block : Chain) {
      BasicBlock *Copy = Block == Chain.front() ? Head : block("lane.way");
      cloneInto(Copy, Block, Map);
      Copies.push_back(Copy);
    }
    for (auto [Block, Copy, Index] : zip(Chain, Copies, seq<size_t>(0, Chain.size()))) {
      for (Instruction &I : *Copy)
        RemapInstruction(&I, Map, RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
      if (Index + 1 == Chain.size())
        break;
      Instruction *Way = Copy->getTerminator();
      if (Active && Block == N.Guard) {
        Way->eraseFromParent();
        BranchInst::Create(Copies[Index + 1], Copy);
        continue;
      }
      for (unsigned S = 0; S < Way->getNumSuccessors(); ++S)
        Way->setSuccessor(S, Block->getTerminator()->getSuccessor(S) == Chain[Index + 1] ? Copies[Index + 1] : Next);
    }
    B.SetInsertPoint(Copies.back());
    Does(B, Map, Lane, Next);
    B.SetInsertPoint(Next);
    Value *After = B.CreateNUWAdd(Lane, B.getInt64(1));
    Lane->addIncoming(After, Next);
    BranchInst *Back = B.CreateCondBr(B.CreateICmpEQ(After, Active ? Active : Count), To, Head);
    SmallVector<Metadata *, 4> Said{nullptr};
    Said.append(L.getLoopID()->op_begin() + 1, L.getLoopID()->op_end());
    MDNode *Of = MDNode::getDistinct(C, Said);
    Of->replaceOperandWith(0, Of);
    Back->setMetadata(LLVMContext::MD_loop, Of);
    return Head;
  }

  // One turn of an item that still has one: `First` is the number of the strip's first item. What was measured says that nothing wraps around.
  void turn(IRBuilder<> &B, ValueToValueMapTy &Map, Value *Lane, Value *First, BasicBlock *Next) {
    const bool Sign = CmpInst::isSigned(N.Goes);
    Value *Away = B.CreateTrunc(B.CreateMul(Lane, B.getInt64(N.Apart), "", /*HasNUW=*/true, /*HasNSW=*/true), First->getType());
    Map[N.Number] = B.CreateAdd(First, Away, "number", /*HasNUW=*/!Sign, /*HasNSW=*/Sign);
    for (auto [Phi, Array] : zip(N.States, Arrays))
      Map[Phi] = load(B, Array, Lane);
    for (BasicBlock *Block : M.blocks())
      for (Instruction &I : *Block)
        if (const unsigned Shift = shiftsNumber(N, I)) {
          Value *Shifted = B.CreateNSWAdd(B.CreateAShr(First, Shift, "", /*isExact=*/true), B.CreateAShr(Away, Shift, "", /*isExact=*/true));
          auto *Sum = dyn_cast<BinaryOperator>(I.getOperand(0));
          Map[&I] = shiftedNumber(B, I, Sum ? mapped(Map, Sum->getOperand(Sum->getOperand(0) == N.Number)) : nullptr, Shifted);
        }
    SmallVector<BasicBlock *, 8> Copies;
    for (BasicBlock *Block : M.blocks()) {
      BasicBlock *Copy = block("lane.body");
      for (Instruction &I : *Block) {
        if ((Block == M.getHeader() && isa<PHINode>(I)) || Map.count(&I))
          continue;
        Instruction *New = I.clone();
        New->insertInto(Copy, Copy->end());
        Map[&I] = New;
      }
      Map[Block] = Copy;
      Copies.push_back(Copy);
    }
    for (BasicBlock *Copy : Copies)
      for (Instruction &I : *Copy)
        RemapInstruction(&I, Map, RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
    B.CreateBr(cast<BasicBlock>(Map.lookup(M.getHeader())));
    auto *End = cast<BasicBlock>(Map.lookup(M.getLoopLatch()));
    B.SetInsertPoint(End->getTerminator());
    SmallVector<Value *, 4> Values;
    for (PHINode *Phi : N.States)
      Values.push_back(mapped(Map, Phi->getIncomingValueForBlock(M.getLoopLatch())));
    for (auto [V, Array] : zip(Values, Arrays))
      store(B, V, Array, Lane);
    B.CreateBr(Next);
    End->getTerminator()->eraseFromParent();
  }

  // In the place of the inner loop: what it came to.
  void readStates() {
    BasicBlock *Enters = M.getLoopPreheader(), *Leave = M.getExitBlock(), *Last = M.getLoopLatch();
    IRBuilder<> B(Enters->getTerminator());
    Value *Lane = B.CreateSub(N.Column, Base);
    for (auto [Phi, Array] : zip(N.States, Arrays)) {
      Value *Came = load(B, Array, Lane), *Next = Phi->getIncomingValueForBlock(Last);
      // What is no result of the loop itself is the same behind it.
      if (auto *Made = dyn_cast<Instruction>(Next); Made && M.contains(Made))
        Made->replaceUsesWithIf(Came, [&](Use &U) {
          auto *User = cast<Instruction>(U.getUser());
          return L.contains(User) && !M.contains(User);
        });
    }
    Leave->replacePhiUsesWith(Last, Enters);
    B.CreateBr(Leave);
    Enters->getTerminator()->eraseFromParent();
    SmallVector<BasicBlock *, 8> Dead(M.blocks());
    DeleteDeadBlocks(Dead);
    // What was made for the turns of what is read in front of them now.
    for (Instruction &I : make_early_inc_range(reverse(*Enters)))
      if (isInstructionTriviallyDead(&I))
        I.eraseFromParent();
  }

  Nest &N;
  Loop &L, &M;
  const Measured &Is;
  LLVMContext &C;
  Function &F;
  Type *Word;
  MDNode *Group;
  SmallVector<AllocaInst *, 4> Arrays;
  SmallVector<BasicBlock *, 4> Chain; // from the item's beginning to the inner loop
  Value *Base = nullptr, *Count = nullptr; // the strip's first item, and how many there are
};

} // namespace

void takeTurnsInStrips(Nest &N, const Measured &Is, BasicBlock *Before) { TurnsInStrips(N, Is).put(Before); }

} // namespace aspen::items
