// Atomic operations on local memory become plain ones: a work-group runs on one thread, and nobody else sees its local memory.
//
// A processor takes 5 to 20 times as long for what is atomic, and sums of floating point are a loop of comparisons; histograms, counters of
// compactions and queues in local memory are little else. Until here they stay atomic, since items of one piece do not wait for each other, and what
// makes loops over items takes all that is plain for independent. The vectoriser asks itself, as of any loop.
//
// No order is lost: what another thread could tell about the order of accesses to local memory, it would have to read there.

#include "items.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace aspen::items {

bool isLocalMemory(const Value &V, const Function &Group) {
  const auto *Load = dyn_cast<LoadInst>(&V);
  if (!Load || Load->isVolatile() || !Load->getType()->isPointerTy())
    return false;
  APInt Place(64, 0);
  const Value *Of = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(Group.getDataLayout(), Place, /*AllowNonInbounds=*/true);
  return Of == Group.getArg(1) && Place == layout::LocalMemory;
}

namespace {

bool isInLocalMemory(const Value &Pointer, const Function &Group) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(&Pointer, Objects, nullptr, /*MaxLookup=*/0);
  return all_of(Objects, [&](const Value *V) { return isLocalMemory(*V, Group); });
}

bool makePlain(Instruction &I) {
  if (auto *Change = dyn_cast<AtomicRMWInst>(&I))
    return lowerAtomicRMWInst(Change);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return lowerAtomicCmpXchgInst(Exchange);
  // Items may meet there: what promises that they do not was said of all accesses.
  I.setMetadata(LLVMContext::MD_access_group, nullptr);
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Load->setAtomic(AtomicOrdering::NotAtomic);
  else
    cast<StoreInst>(I).setAtomic(AtomicOrdering::NotAtomic);
  return true;
}

} // namespace

PreservedAnalyses LocalAtomics::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &Loops = FAM.getResult<LoopAnalysis>(F); // of a kernel over a range there is no local memory, and its second argument has no pointer there
  SmallVector<Instruction *, 8> Found;
  bool IsOnePlace = false;
  for (Instruction &I : instructions(F)) {
    if (!I.isAtomic() || I.isVolatile())
      continue;
    const Value *Pointer = isa<AtomicRMWInst>(I)       ? cast<AtomicRMWInst>(I).getPointerOperand()
                           : isa<AtomicCmpXchgInst>(I) ? cast<AtomicCmpXchgInst>(I).getPointerOperand()
                                                       : getLoadStorePointerOperand(&I);
    if (!Pointer || !isInLocalMemory(*Pointer, F))
      continue;
    Found.push_back(&I);
    const Loop *L = Loops.getLoopFor(I.getParent());
    IsOnePlace |= L && L->isLoopInvariant(Pointer);
  }
  if (Found.empty())
    return PreservedAnalyses::all();
  for (Instruction *I : Found)
    makePlain(*I);
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  // A sum of all items is one of the loop's.
  if (IsOnePlace) {
    FAM.invalidate(F, Kept);
    FunctionPassManager Passes;
    Passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
    FAM.invalidate(F, Passes.run(F, FAM));
  }
  return Kept;
}

} // namespace aspen::items
