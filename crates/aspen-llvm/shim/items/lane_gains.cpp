// Which loops of items gain by being lanes' (lane_loops.cpp): what each lane does in a vector costs less than alone, and no loop is one that
// LLVM makes vectors of by itself.

#include "items.h"
#include "lanes.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace aspen::items {

bool isNumber(const Type *T) {
  return T->isFloatTy() || T->isDoubleTy() ||
         (T->isIntegerTy() && is_contained({1u, 8u, 16u, 32u, 64u}, T->getIntegerBitWidth()));
}

bool isGathered(const LoadInst &Load) {
  const Type *T = Load.getType();
  return Load.isSimple() && (T->isPointerTy() || T->isFloatTy() || T->isDoubleTy() || T->isIntegerTy(32) || T->isIntegerTy(64)) &&
         Load.hasMetadata(LLVMContext::MD_access_group);
}

const Loop *itemsOf(const Loop &L) {
  const Loop *Items = L.getParentLoop();
  while (Items && !(Items->isAnnotatedParallel() && findOptionMDForLoop(Items, "llvm.loop.parallel_accesses")))
    Items = Items->getParentLoop();
  return Items;
}

namespace {

// Outlining one loop makes the analyses anew. Of more none is outlined: those that were left would keep the loop over items from being a vector.
constexpr ptrdiff_t MaxLoops = 64;

// Whether LLVM makes vectors of the loop's own turns: they are counted before it begins, and what goes from one to the next is a sum in any order.
bool isForVectoriser(Loop &L, ScalarEvolution &SE, DominatorTree &DT) {
  if (!L.isLoopSimplifyForm() || !SE.hasLoopInvariantBackedgeTakenCount(&L))
    return false;
  return all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
    InductionDescriptor Steps;
    RecurrenceDescriptor Sum;
    return InductionDescriptor::isInductionPHI(&Phi, &L, &SE, Steps) ||
           (RecurrenceDescriptor::isReductionPHI(&Phi, &L, Sum, nullptr, nullptr, &DT, &SE) && !Sum.isOrdered());
  });
}

// Whether a state of the loop is counted, even if in 32 bits that might wrap around: `for (unsigned i = row * 16; i < row * 16 + 16; ++i)`.
bool isCounted(PHINode &State, const Loop &L, ScalarEvolution &SE) {
  return SE.isSCEVable(State.getType()) && all_of(State.blocks(), [&](BasicBlock *From) {
    const SCEV *Next = SE.getSCEV(State.getIncomingValueForBlock(From));
    while (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(Next))
      Next = Cast->getOperand();
    const auto *Grows = dyn_cast<SCEVAddRecExpr>(Next);
    return !L.contains(From) || (Grows && Grows->getLoop() == &L);
  });
}

// Whether the loop looks for something: where it reads depends on what it has read, as in a binary search or a list. A processor waits for each such read
// by itself, so that lanes gain whatever a gather costs; reads one after the other, or at places that others hold, do not.
bool searches(const Loop &L, ScalarEvolution &SE) {
  SmallSetVector<const Instruction *, 16> Needed;
  auto Need = [&](const Value *V) {
    if (const auto *Made = dyn_cast<Instruction>(V); Made && L.contains(Made))
      Needed.insert(Made);
  };
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (const auto *Load = dyn_cast<LoadInst>(&I))
        Need(Load->getPointerOperand());
  for (size_t Place = 0; Place < Needed.size(); ++Place) {
    const Instruction *I = Needed[Place];
    if (const auto *State = dyn_cast<PHINode>(I); State && State->getParent() == L.getHeader()) {
      if (!isCounted(*const_cast<PHINode *>(State), L, SE))
        return true;
      continue;
    }
    for (const Value *Of : I->operands())
      Need(Of);
  }
  return false;
}

// Whether what the loop reads, apart from loops in it, may be read by lanes: it or what is in it searches, and the processor reads so. With AVX2 alone that
// takes long, and pays for what a processor guesses wrong: one number of 32 bits a turn, in eight lanes.
bool maySearch(const Loop &L, const LoopInfo &LI, const TargetTransformInfo &TTI, unsigned Bits, ScalarEvolution &SE) {
  unsigned Reads = 0, Slow = 0;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (const auto *Load = dyn_cast<LoadInst>(&I)) {
        const LaneReads How = readsOfLanes(TTI, *Load, Bits);
        if (How == LaneReads::None || (How == LaneReads::Slow && ++Slow > 1))
          return false;
        Reads += LI.getLoopFor(Block) == &L;
      }
  return Reads == 0 || (L.isInnermost() ? searches(L, SE) : any_of(L, [&](const Loop *Inner) { return searches(*Inner, SE); }));
}

// Whether a turn costs much less in a vector than for each of its lanes alone: some of them will have ended.
bool isCheaper(const Loop &L, const TargetTransformInfo &TTI, unsigned Bits) {
  constexpr auto Kind = TargetTransformInfo::TCK_RecipThroughput;
  unsigned Widest = 32;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (isNumber(I.getType()))
        Widest = std::max(Widest, I.getType()->getScalarSizeInBits());
  const unsigned Lanes = Bits / Widest;
  InstructionCost Alone = 0, Together = 0;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      if (!isNumber(I.getType()) || isa<PHINode, FreezeInst, LoadInst>(I) || I.isTerminator())
        continue;
      auto Wide = [&](const Value *V) { return FixedVectorType::get(V->getType(), Lanes); };
      InstructionCost Cost = 0;
      if (const auto *Call = dyn_cast<IntrinsicInst>(&I); Call && isVectorMath(*Call)) {
        Cost = 2 * TTI.getInstructionCost(&I, Kind); // a vector takes longer than a number, but not for each of its lanes
      } else if (Call) {
        SmallVector<Type *, 4> Types;
        for (const auto &[N, Of] : enumerate(Call->args()))
          Types.push_back(isVectorIntrinsicWithScalarOpAtArg(Call->getIntrinsicID(), N, nullptr) ? Of->getType() : Wide(Of));
        Cost = TTI.getIntrinsicInstrCost(IntrinsicCostAttributes(Call->getIntrinsicID(), Wide(&I), Types), Kind);
      } else if (isa<BinaryOperator, UnaryOperator>(I)) {
        const auto Last = TargetTransformInfo::getOperandInfo(I.getOperand(I.getNumOperands() - 1));
        Cost = TTI.getArithmeticInstrCost(I.getOpcode(), Wide(&I), Kind, {TargetTransformInfo::OK_AnyValue, TargetTransformInfo::OP_None}, Last);
      } else if (const auto *Compare = dyn_cast<CmpInst>(&I)) {
        Cost = TTI.getCmpSelInstrCost(I.getOpcode(), Wide(I.getOperand(0)), Wide(&I), Compare->getPredicate(), Kind);
      } else if (isa<SelectInst>(I)) {
        Cost = TTI.getCmpSelInstrCost(I.getOpcode(), Wide(&I), Wide(I.getOperand(0)), CmpInst::BAD_ICMP_PREDICATE, Kind);
      } else if (isa<CastInst>(I)) {
        Cost = TTI.getCastInstrCost(I.getOpcode(), Wide(&I), Wide(I.getOperand(0)), TargetTransformInfo::CastContextHint::None, Kind);
      } else {
        continue;
      }
      Alone += TTI.getInstructionCost(&I, Kind);
      Together += Cost;
    }
  return Together * 2 <= Alone * Lanes;
}

} // namespace

void simplifyLoops(DominatorTree &DT, LoopInfo &LI) {
  for (Loop *Top : LI) {
    simplifyLoop(Top, &DT, &LI, nullptr, nullptr, nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(*Top, DT, &LI, nullptr);
  }
}

// The loops over items whose inner loops are better so, all of them.
ItemLoops worthwhileInLanes(Function &F, const TargetTransformInfo &TTI, unsigned Bits) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  simplifyLoops(DT, LI);
  AssumptionCache AC(F);
  TargetLibraryInfoImpl Known(F.getParent()->getTargetTriple());
  TargetLibraryInfo Library(Known, &F);
  ScalarEvolution SE(F, Library, AC, DT, LI);
  ItemLoops Found, Not;
  ptrdiff_t Count = 0;
  for (Loop *L : LI.getLoopsInPreorder()) {
    const Loop *Items = itemsOf(*L);
    if (!Items)
      continue;
    Found.insert(Items->getHeader());
    if (!isCheaper(*L, TTI, Bits) || !maySearch(*L, LI, TTI, Bits, SE) || (L->isInnermost() && isForVectoriser(*L, SE, DT)))
      Not.insert(Items->getHeader());
    if (++Count > MaxLoops)
      return {};
  }
  for (const BasicBlock *Header : Not)
    Found.erase(Header);
  return Found;
}

} // namespace aspen::items
