// Keeps the private memory of work-items apart when the loop over a row is vectorised.
//
// That loop says `vectorize(assume_safety)`: work-items are independent, so every access in the loop belongs to a parallel access group
// (include/sycl/detail/kernel_entry.hpp). That holds for what work-items share. A private variable that stays in memory (an array with a
// computed index) is *one* alloca once the work-item's body is inlined, and what the lanes of a vector do to it is anything but independent.
// Accesses that may reach such an alloca leave the group here, when all is inlined; the vectoriser then has to prove what it assumes.
// Variables that are only read in loops (the functor) may stay. docs/decisions/0007.

#include "items.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace aspen::items {
namespace {

using Allocas = SmallPtrSet<const AllocaInst *, 8>;

// Where an instruction writes, if that is one pointer; calls that only mark a variable's life write nothing.
const Value *writtenPointer(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getPointerOperand();
  if (const auto *Memory = dyn_cast<AnyMemIntrinsic>(&I))
    return Memory->getRawDest();
  if (const auto *Exchange = dyn_cast<AtomicRMWInst>(&I))
    return Exchange->getPointerOperand();
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Exchange->getPointerOperand();
  return nullptr;
}

struct Private {
  Allocas Written;      // in a loop
  bool Escapes = false; // the address of one of the function's variables may be anywhere

  bool mayReach(const Value *Pointer) const {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    for (const Value *Object : Objects) {
      if (const auto *Variable = dyn_cast<AllocaInst>(Object)) {
        if (Written.contains(Variable))
          return true;
      } else if (Escapes && !isa<Argument, GlobalValue, Constant>(Object)) {
        return true;
      }
    }
    return false;
  }
};

Private privateMemory(const Function &F, const LoopInfo &Loops) {
  Private Result;
  for (const Instruction &I : instructions(F)) {
    if (const auto *Variable = dyn_cast<AllocaInst>(&I); Variable && PointerMayBeCaptured(Variable, /*ReturnCaptures=*/false)) {
      Result.Written.insert(Variable);
      Result.Escapes = true;
    }
    const Value *Pointer = Loops.getLoopFor(I.getParent()) ? writtenPointer(I) : nullptr;
    if (!Pointer)
      continue;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    for (const Value *Object : Objects)
      if (const auto *Variable = dyn_cast<AllocaInst>(Object))
        Result.Written.insert(Variable);
  }
  return Result;
}

} // namespace

void keepPrivateMemoryApart(Function &F) {
  const Private Memory = privateMemory(F, LoopInfo(DominatorTree(F)));
  if (Memory.Written.empty())
    return;
  for (Instruction &I : instructions(F)) {
    if (!I.hasMetadata(LLVMContext::MD_access_group))
      continue;
    const Value *Pointer = getLoadStorePointerOperand(&I);
    // What is neither a load nor a store may touch several places; it keeps a loop from being vectorised in any case.
    if (!Pointer || Memory.mayReach(Pointer))
      I.setMetadata(LLVMContext::MD_access_group, nullptr);
  }
}

} // namespace aspen::items
