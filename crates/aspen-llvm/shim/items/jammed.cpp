// Items that run together through loops in which each waits for itself: `for (k…) sum += a[i * n + k] * x[k]`.
//
// A sum of numbers in order is a chain, of which a processor does a link in some four cycles; what an item reads lies far from what its neighbours read, so that no
// vectors are made of items. But neighbours' chains do not wait for each other: so many items go through the loop at once, each with variables of its own, and
// share what they have in common. They must take all branches alike. The way is known as unroll and jam (Callahan, Carr and Kennedy, "Improving
// Register Allocation for Subscripted Variables", 1990).

#include "item_loop.h"

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Instructions of all that an item does, and of its own in the loop that is waited in; chains there.
constexpr size_t MaxLength = 160, MaxInside = 24, MaxChains = 3;
// Items that go together: with one chain each, and with more.
constexpr unsigned ItemsOfOne = 8, ItemsOfMore = 4;

// What functions with such loops say of themselves.
constexpr StringLiteral Jammed = "aspen-jammed";

using Own = SmallPtrSet<const Instruction *, 32>;

// What is different from item to item: all that comes of the item's number. Who reads one place reads the same, since whoever wrote there meanwhile would meet
// those that read.
Own ownOf(const Loop &L) {
  Own Out;
  SmallVector<const Instruction *, 32> Open{&*L.getHeader()->phis().begin()};
  while (!Open.empty()) {
    const Instruction *I = Open.pop_back_val();
    if (Out.insert(I).second)
      for (const User *U : I->users())
        if (const auto *By = cast<Instruction>(U); L.contains(By))
          Open.push_back(By);
  }
  return Out;
}

// Whether all items take the same ways, and nothing happens that could not happen to several at once.
bool isAlike(const Loop &L, const Own &Items) {
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      if (I.isTerminator() && (!isa<BranchInst>(I) || (Block != L.getLoopLatch() && Items.contains(&I))))
        return false;
      if (I.mayReadOrWriteMemory() && !isRemark(I)) {
        const auto *Load = dyn_cast<LoadInst>(&I);
        const auto *Store = dyn_cast<StoreInst>(&I);
        // One place that all write is one that they use in turn.
        const auto *Place = Store ? dyn_cast<Instruction>(Store->getPointerOperand()) : nullptr;
        if (!(Load && Load->isSimple()) && !(Store && Store->isSimple() && Place && Items.contains(Place)))
          return false;
      }
      if (isa<AllocaInst, NoAliasScopeDeclInst>(I) || (isa<CallBase>(I) && (cast<CallBase>(I).isConvergent() || !isa<IntrinsicInst>(I))))
        return false;
    }
  return true;
}

// How many chains of the item's own a loop has that nobody may make sums in any order of: in variables, and at places that stay.
size_t chainsIn(Loop &Inner, const Own &Items, DominatorTree &DT, ScalarEvolution &SE) {
  size_t Chains = 0;
  for (PHINode &Phi : Inner.getHeader()->phis()) {
    RecurrenceDescriptor Sum;
    if (Phi.getType()->isFloatingPointTy() && Items.contains(&Phi))
      Chains += !RecurrenceDescriptor::isReductionPHI(&Phi, &Inner, Sum, nullptr, nullptr, &DT, &SE) || Sum.isOrdered();
  }
  for (BasicBlock *Block : Inner.blocks())
    for (Instruction &I : *Block)
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && Inner.isLoopInvariant(Store->getPointerOperand()) && Store->getValueOperand()->getType()->isFloatingPointTy())
        Chains += any_of(Store->getPointerOperand()->users(), [&](User *U) { return isa<LoadInst>(U) && Inner.contains(cast<Instruction>(U)); });
  return Chains;
}

// How many items gain by going together; 0: none.
unsigned itemsTogether(Loop &L, const Own &Items, DominatorTree &DT, ScalarEvolution &SE) {
  size_t Most = 0;
  for (Loop *Inner : L.getLoopsInPreorder()) {
    if (Inner == &L || !Inner->isInnermost())
      continue;
    size_t Length = 0;
    for (const BasicBlock *Block : Inner->blocks())
      Length += count_if(*Block, [&](const Instruction &I) { return Items.contains(&I); });
    const size_t Chains = chainsIn(*Inner, Items, DT, SE);
    if (Chains && (Length > MaxInside || Chains > MaxChains))
      return 0;
    Most = std::max(Most, Chains);
  }
  return Most == 0 ? 0 : Most == 1 ? ItemsOfOne : ItemsOfMore;
}

// Gives the loop a copy in which so many items go together; the loop itself has those that are left.
bool jam(Loop &L, LoopInfo &LI, ScalarEvolution &SE, const Own &Items, unsigned Together) {
  BasicBlock *Before = L.getLoopPreheader(), *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
  Function *F = Header->getParent();
  SCEVExpander Expand(SE, "jammed");
  const SCEV *Turns = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64 || !Expand.isSafeToExpandAt(Turns, Before->getTerminator()))
    return false;
  LoopBlocksRPO Order(&L);
  Order.perform(&LI);

  auto *Column = &*Header->phis().begin();
  IRBuilder<> B(Before->getTerminator());
  Value *Count = B.CreateAdd(B.CreateZExtOrTrunc(B.CreateFreeze(Expand.expandCodeFor(Turns, Turns->getType(), Before->getTerminator())), B.getInt64Ty()), B.getInt64(1));
  Value *First = Column->getIncomingValueForBlock(Before);
  auto Block = [&](const char *Name) { return BasicBlock::Create(F->getContext(), Name, F, Header); };
  BasicBlock *Wide = Block("jammed"), *Done = Block("jammed.end"), *Rest = Block("jammed.rest"), *After = BasicBlock::Create(F->getContext(), "jammed.all", F, Exit);

  // All that an item does once more, and its own as often as there are items.
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Copies;
  for (BasicBlock *Of : Order) {
    BasicBlock *Copy = CloneBasicBlock(Of, Map, ".jammed", F);
    Map[Of] = Copy;
    Copies.push_back(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);
  auto *NewColumn = cast<PHINode>(Map[Column]);
  auto *NewLatch = cast<BasicBlock>(Map[Latch]);
  SmallVector<DenseMap<Value *, Value *>, 8> Each(Together);
  SmallVector<std::pair<PHINode *, unsigned>, 16> Phis;
  IRBuilder<> At(NewColumn->getParent(), NewColumn->getParent()->getFirstInsertionPt());
  for (unsigned Item = 1; Item < Together; ++Item)
    Each[Item][NewColumn] = At.CreateNUWAdd(NewColumn, At.getInt64(Item));
  for (BasicBlock *Of : Order)
    for (Instruction &Was : *Of) {
      if (&Was == Column || Was.isTerminator() || !Items.contains(&Was))
        continue;
      auto *I = cast<Instruction>(Map.lookup(&Was));
      Instruction *Last = I;
      for (unsigned Item = 1; Item < Together; ++Item) {
        Instruction *Copy = I->clone();
        Copy->insertAfter(Last);
        Each[Item][I] = Last = Copy;
        if (auto *Phi = dyn_cast<PHINode>(Copy))
          Phis.push_back({Phi, Item});
        else
          for (Use &Operand : Copy->operands())
            if (Value *Own = Each[Item].lookup(Operand.get()))
              Operand.set(Own);
      }
    }
  for (auto [Phi, Item] : Phis)
    for (Use &Operand : Phi->incoming_values())
      if (Value *Own = Each[Item].lookup(Operand.get()))
        Operand.set(Own);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Before);
  B.CreateCondBr(B.CreateICmpUGE(Count, B.getInt64(Together)), Wide, Rest);
  B.SetInsertPoint(Wide);
  Value *Left = B.CreateAnd(Count, B.getInt64(Together - 1)), *Whole = B.CreateSub(Count, Left);
  Value *End = B.CreateAdd(First, Whole);
  B.CreateBr(NewColumn->getParent());
  NewColumn->replaceIncomingBlockWith(Before, Wide);
  auto *Turn = cast<BranchInst>(NewLatch->getTerminator());
  B.SetInsertPoint(Turn);
  Value *Next = B.CreateNUWAdd(NewColumn, B.getInt64(Together));
  NewColumn->setIncomingValueForBlock(NewLatch, Next);
  auto *Again = B.CreateCondBr(B.CreateICmpEQ(Next, End), Done, NewColumn->getParent());
  Again->setMetadata(LLVMContext::MD_loop, Turn->getMetadata(LLVMContext::MD_loop));
  Turn->eraseFromParent();
  B.SetInsertPoint(Done);
  B.CreateCondBr(B.CreateICmpEQ(Left, B.getInt64(0)), After, Rest);
  B.SetInsertPoint(Rest);
  PHINode *Start = B.CreatePHI(B.getInt64Ty(), 2, "left");
  Start->addIncoming(First, Before);
  Start->addIncoming(End, Done);
  B.CreateBr(Header);
  Column->setIncomingValueForBlock(Before, Start);
  Column->replaceIncomingBlockWith(Before, Rest);
  Exit->replacePhiUsesWith(Latch, After);
  Latch->getTerminator()->replaceSuccessorWith(Exit, After);
  BranchInst::Create(Exit, After);
  return true;
}

} // namespace

PreservedAnalyses JammedItems::run(Function &F, FunctionAnalysisManager &FAM) {
  return changeEach(F, FAM, [&](Loop &L, LoopInfo &LI, SmallPtrSetImpl<BasicBlock *> &) {
    // Not all of a loop's accesses promise that items do not meet: private memory is one for all of them, in turn.
    if (L.isInnermost() || !isItemLoop(L) || !L.isAnnotatedParallel() || !L.hasDedicatedExits() || !L.isSafeToClone() || lengthOf(L) > MaxLength)
      return false;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    if (!countsByOne(L, SE))
      return false;
    const Own Items = ownOf(L);
    const unsigned Together = isAlike(L, Items) ? itemsTogether(L, Items, DT, SE) : 0;
    const unsigned Known = SE.getSmallConstantTripCount(&L);
    if (!Together || (Known && Known < Together) || !jam(L, LI, SE, Items, Together))
      return false;
    F.addFnAttr(Jammed);
    return true;
  });
}

PreservedAnalyses JoinNumbers::run(Function &F, FunctionAnalysisManager &FAM) {
  return F.hasFnAttribute(Jammed) ? PreservedAnalyses::all() : SLPVectorizerPass().run(F, FAM);
}

} // namespace aspen::items
