// What makes better vectors of loops over items, just before the vectoriser runs.
//
// What an item kept from another piece is read where it is first needed, which may be behind a condition. There it becomes a masked load, or,
// where the processor has none for its size, a branch a lane. It may always be read, so it is read where the item begins.
//
// Loops with mathematical functions of vectors do two vectors a turn: such a function is a chain of dependent steps, and behind its call processors
// see too little of the next turn to begin it.
//
// Loops over the lanes of a full sub-group between two takes become one vector of all lanes, where that is several registers: so what is
// taken is a shuffle of one vector, and LLVM joins shuffles with those before and behind that it would not see through halves and quarters.

#include "items.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

constexpr StringLiteral Kept = "aspen.kept", Lanes = "aspen.lanes";

// Loads and writes of a loop that are compared with each other.
constexpr size_t MaxCompared = 4096;
// Instructions that an address is made of.
constexpr unsigned MaxAddress = 16;
// Instructions of a loop that becomes one vector: its values should fit into registers, several for each.
constexpr size_t MaxWhole = 32;
// Registers for the values of all lanes.
constexpr uint64_t MaxRegisters = 4;

// Instructions of a loop that is written twice.
constexpr size_t MaxTwice = 200;

// What an address is made of behind the place where it is to be known, in order. False if that may not be done there.
bool addressAt(Value *V, const Instruction &Place, const DominatorTree &DT, SmallSetVector<Instruction *, 8> &Out) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || DT.dominates(I, &Place) || Out.contains(I))
    return true;
  if (isa<PHINode>(I) || I->mayReadFromMemory() || !isSafeToSpeculativelyExecute(I) || Out.size() >= MaxAddress ||
      !all_of(I->operands(), [&](Value *Of) { return addressAt(Of, Place, DT, Out); }))
    return false;
  Out.insert(I);
  return true;
}

// Reads at the beginning of an item what it kept.
bool readKept(Loop &L, const DominatorTree &DT, AAResults &AA) {
  SmallVector<LoadInst *, 8> Loads;
  SmallVector<Instruction *, 16> Writes;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Block != L.getHeader() && Load->isSimple() && Load->hasMetadata(Kept))
        Loads.push_back(Load);
      if (I.mayWriteToMemory())
        Writes.push_back(&I);
    }
  if (Loads.size() * Writes.size() > MaxCompared)
    return false;
  bool Changed = false;
  Instruction *Place = L.getHeader()->getTerminator();
  for (LoadInst *Load : Loads) {
    SmallSetVector<Instruction *, 8> Address;
    const MemoryLocation Where = MemoryLocation::get(Load);
    // What the item itself keeps behind the load is not what it reads.
    auto Meets = [&](Instruction *Write) { return !DT.dominates(Load, Write) && isModSet(AA.getModRefInfo(Write, Where)); };
    if (any_of(Writes, Meets) || !addressAt(Load->getPointerOperand(), *Place, DT, Address))
      continue;
    for (Instruction *I : Address)
      I->moveBefore(Place->getIterator());
    Load->moveBefore(Place->getIterator());
    Changed = true;
  }
  return Changed;
}

// Whether a loop's instruction takes as long in a vector of any length as in shorter ones.
bool isPlain(Instruction &I, Loop &L, ScalarEvolution &SE, uint64_t &Bits) {
  if (Value *Pointer = getLoadStorePointerOperand(&I)) {
    Type *T = getLoadStoreType(&I);
    const uint64_t Size = I.getDataLayout().getTypeStoreSize(T);
    Bits = std::max(Bits, Size * 8);
    const auto *Walk = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Pointer));
    const auto *Step = Walk && Walk->getLoop() == &L && Walk->isAffine() ? dyn_cast<SCEVConstant>(Walk->getStepRecurrence(SE)) : nullptr;
    return (T->isIntegerTy() || T->isFloatingPointTy()) && Size * 8 == T->getScalarSizeInBits() && !I.isAtomic() && !I.isVolatile() &&
           ((Step && Step->getAPInt() == Size) || (isa<LoadInst>(I) && L.isLoopInvariant(Pointer)));
  }
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    switch (Call->getIntrinsicID()) {
    case Intrinsic::fmuladd:
    case Intrinsic::fma:
    case Intrinsic::fabs:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::abs:
      return true;
    default:
      return false;
    }
  if (isa<BinaryOperator>(I))
    return !I.isIntDivRem() && I.getOpcode() != Instruction::FRem;
  return isa<PHINode, BranchInst, CmpInst, SelectInst, CastInst, GetElementPtrInst, FreezeInst>(I);
}

// Has the loop become one vector of as many lanes as it says.
bool takeAllLanes(Loop &L, ScalarEvolution &SE, unsigned VectorBits) {
  const auto Count = lanesOf(L);
  if (!Count || L.getNumBlocks() != 1 || L.getHeader()->size() > MaxWhole || SE.getSmallConstantTripCount(&L) != unsigned(*Count))
    return false;
  uint64_t Bits = 0;
  for (Instruction &I : *L.getHeader())
    if (!isPlain(I, L, SE, Bits))
      return false;
  if (Bits * *Count > MaxRegisters * VectorBits)
    return false;
  addStringMetadataToLoop(&L, "llvm.loop.vectorize.width", *Count);
  addStringMetadataToLoop(&L, "llvm.loop.interleave.count", 1);
  return true;
}

// Has loops that call mathematical functions become vectors, of as many lanes as the widest numbers have, and short ones go through two at once.
// LLVM compares with what such a function costs for one number; here that is a vector's, of which one lane is used. Only loops over items: with a
// width that is told LLVM takes sums of numbers in any order.
bool takeTwo(Loop &L, unsigned VectorBits) {
  size_t Length = 0;
  unsigned Widest = 0;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      ++Length;
      const auto *Call = dyn_cast<CallInst>(&I);
      if (Call && Call->hasFnAttr(VFABI::MappingsAttrName) && Call->getCalledFunction() && Call->getCalledFunction()->isDeclaration())
        Widest = std::max(Widest, Call->getType()->getScalarSizeInBits());
    }
  if (!Widest || !findOptionMDForLoop(&L, "llvm.loop.parallel_accesses") || getOptionalIntLoopAttribute(&L, "llvm.loop.vectorize.width"))
    return false;
  addStringMetadataToLoop(&L, "llvm.loop.vectorize.width", VectorBits / Widest);
  if (Length <= MaxTwice && !getOptionalIntLoopAttribute(&L, "llvm.loop.interleave.count"))
    addStringMetadataToLoop(&L, "llvm.loop.interleave.count", 2);
  return true;
}

} // namespace

PreservedAnalyses WholeLanes::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isInnermost()) {
      Changed |= readKept(*L, DT, AA);
      Changed |= takeAllLanes(*L, SE, vectorBits(F, Machine));
      Changed |= takeTwo(*L, vectorBits(F, Machine));
    }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Same;
  Same.preserveSet<CFGAnalyses>();
  return Same;
}

std::optional<int> lanesOf(const Loop &L) { return getOptionalIntLoopAttribute(&L, Lanes); }

void markKept(LoadInst &Load) { Load.setMetadata(Kept, MDNode::get(Load.getContext(), {})); }

MDNode *lanesOf(LLVMContext &C, unsigned Count) {
  return MDNode::get(C, {MDString::get(C, Lanes), ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), Count))});
}

} // namespace aspen::items
