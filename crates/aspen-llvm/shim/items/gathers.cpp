// Loops over items that gather more than they compute.
//
// LLVM takes a gather of AVX-512 for little more than its loads. On AMD's processors, and on Intel's with the mitigation of "Gather Data Sampling" (2023), a lane
// of it takes as long as four or five instructions of an item that runs alone; a lane of a scatter as six or seven. They pay where there is enough else to do,
// which takes a third of its time in vectors. Other functions are made for level 3, which has no gathers by LLVM's figures: what items have in a row is taken
// apart, and loops are left alone, where that is shorter.

#include "item_loop.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/VFABIDemangler.h"

using namespace llvm;

namespace aspen::items {
namespace {

// What must be done beside each gather and each scatter, in instructions.
constexpr unsigned BesideGather = 4, BesideScatter = 6;
// What takes as long as so many others: divisions and roots, and mathematical functions.
constexpr unsigned LongOnes = 8, Functions = 40;
// Distances between items' places that vectors are put together from: complex numbers, pixels; and if all that lies between is read, or written.
constexpr uint64_t MaxInterleaved = 4, MaxWhole = 8;
// Two gathers may be what a processor waits for memory at, in vectors or not.
constexpr size_t LeastApart = 3;

class Scales {
public:
  Scales(Loop &L, ScalarEvolution &SE, const DominatorTree &DT) : L(L), SE(SE), DT(DT) {}

  bool isWorthwhile() {
    struct Access {
      Instruction *I;
      int64_t Stride;
    };
    SmallVector<Access, 16> Apart;
    SmallDenseMap<std::pair<unsigned, int64_t>, unsigned, 8> Alike; // by whether they read, and their stride
    unsigned Wanted = 0, Others = 0;
    for (BasicBlock *Block : L.blocks())
      for (Instruction &I : *Block)
        if (const auto Stride = getLoadStorePointerOperand(&I) ? strideOf(I) : 1; std::abs(Stride) == 1) {
          Others += weightOf(I);
        } else {
          Apart.push_back({&I, Stride});
          ++Alike[{isa<LoadInst>(I), Stride}];
        }
    erase_if(Apart, [&](const Access &Of) {
      const uint64_t Stride = std::abs(Of.Stride);
      const bool InOrder = Stride && Stride <= (Alike[{isa<LoadInst>(Of.I), Of.Stride}] >= Stride ? MaxWhole : MaxInterleaved);
      Others += InOrder;
      return InOrder;
    });
    for (const Access &Of : Apart)
      // Behind a condition a processor guesses, and vectors do not.
      Wanted += (isa<LoadInst>(Of.I) ? BesideGather : BesideScatter) / (DT.dominates(Of.I->getParent(), L.getLoopLatch()) ? 1 : 2);
    return Apart.size() < LeastApart || Others >= Wanted;
  }

private:
  // How far items' places are from each other; 0 if that is nothing that all have in common, and 1 for one place, and for numbers of 8 and 16 bits: they have no
  // gathers, which LLVM knows.
  int64_t strideOf(Instruction &I) {
    const int64_t Size = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedValue();
    const std::optional<int64_t> Bytes = growth(SE.getSCEV(getLoadStorePointerOperand(&I)));
    if (Size < 4 || Bytes == 0)
      return 1;
    return Bytes && *Bytes % Size == 0 ? *Bytes / Size : 0;
  }

  // By how much a number grows from item to item, if it does not wrap around: what is vectorised asks for that itself.
  std::optional<int64_t> growth(const SCEV *S) {
    if (SE.isLoopInvariant(S, &L))
      return 0;
    if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
      return growth(Cast->getOperand());
    if (const auto *Opaque = dyn_cast<SCEVUnknown>(S)) // frozen, so that it stays in order (safe_loops.cpp)
      if (const auto *Frozen = dyn_cast<FreezeInst>(Opaque->getValue()))
        return growth(SE.getSCEV(Frozen->getOperand(0)));
    if (const auto *Grows = dyn_cast<SCEVAddRecExpr>(S)) {
      const auto *Step = dyn_cast<SCEVConstant>(Grows->getStepRecurrence(SE));
      return Step && Grows->getLoop() == &L && Step->getAPInt().getSignificantBits() <= 32 ? std::optional(Step->getAPInt().getSExtValue()) : std::nullopt;
    }
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
      int64_t All = 0;
      for (const SCEV *Of : Sum->operands())
        if (const auto One = growth(Of))
          All += *One;
        else
          return std::nullopt;
      return All;
    }
    const auto *Product = dyn_cast<SCEVMulExpr>(S);
    const auto *By = Product && Product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
    const auto One = By && By->getAPInt().getSignificantBits() <= 16 ? growth(Product->getOperand(1)) : std::nullopt;
    return One && std::abs(*One) < INT32_MAX ? std::optional(*One * By->getAPInt().getSExtValue()) : std::nullopt;
  }

  static unsigned weightOf(const Instruction &I) {
    if (isa<PHINode, GetElementPtrInst, BranchInst, ZExtInst, SExtInst, TruncInst, FreezeInst>(I) || isRemark(I))
      return 0;
    if (const auto *Call = dyn_cast<CallInst>(&I)) {
      if (Call->getIntrinsicID() == Intrinsic::sqrt)
        return LongOnes;
      return Call->hasFnAttr(VFABI::MappingsAttrName) || !isa<IntrinsicInst>(Call) ? Functions : 1;
    }
    return I.isIntDivRem() || I.getOpcode() == Instruction::FDiv ? LongOnes : 1;
  }

  Loop &L;
  ScalarEvolution &SE;
  const DominatorTree &DT;
};

// Whether it calls a loop of lanes that reads (lane_loops.cpp): that one gathers because it is quicker so.
bool searches(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call && Call->hasFnAttr(VFABI::MappingsAttrName) ? Call->getCalledFunction() : nullptr;
  return Callee && any_of(instructions(*Callee), [](const Instruction &Of) { return isa<LoadInst>(Of); });
}

} // namespace

bool mayGather(Function &F, FunctionAnalysisManager &FAM) {
  return FAM.getResult<TargetIRAnalysis>(F).isLegalMaskedGather(FixedVectorType::get(Type::getFloatTy(F.getContext()), 8), Align(4));
}

bool gathersMore(Function &F, FunctionAnalysisManager &FAM) {
  if (!mayGather(F, FAM) || any_of(instructions(F), searches))
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  return any_of(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(), [&](Loop *L) {
    return L->isInnermost() && isItemLoop(*L) && !getOptionalIntLoopAttribute(L, "llvm.loop.vectorize.width") && !Scales(*L, SE, DT).isWorthwhile();
  });
}

} // namespace aspen::items
