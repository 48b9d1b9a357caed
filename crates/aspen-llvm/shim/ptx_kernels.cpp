// What is left to do for PTX when kernels are whole: LLVM's back end makes slow instructions of it, or ptxas cannot know it.
//
// A load of memory that nothing in the kernel may write to is one that ptxas may move across stores, and issue together with others (`ld.global.nc`); what
// it reads may be older than the thread's own stores. LLVM finds those of a kernel's own parameters. SYCL's pointers come out of a closure: all that is
// known is what `restrict` says in a function that was inlined. A condition as a number (`selp`, `cvt`) is a choice between two numbers (`selp` alone):
// conversions run at a quarter of the rate or less.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// So many pairs of loads and writes of a kernel are looked at.
constexpr size_t Most = 1 << 18;

void chooseNumbers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Conversion = dyn_cast<CastInst>(&I);
    if (!Conversion || !isa<UIToFPInst, SIToFPInst>(I) || !Conversion->getSrcTy()->isIntOrIntVectorTy(1))
      continue;
    IRBuilder<> B(&I);
    Value *One = ConstantFP::get(I.getType(), isa<SIToFPInst>(I) ? -1.0 : 1.0);
    Value *Number = B.CreateSelect(I.getOperand(0), One, ConstantFP::getZero(I.getType()), I.getName());
    I.replaceAllUsesWith(Number);
    I.eraseFromParent();
  }
}

// What pointers that `restrict` says something of do not meet. Addresses that differ now may meet in a loop's next turn, so nothing else counts; and the
// promise of a function that was inlined into a loop is one of each turn, not of the kernel.
class Promises {
public:
  explicit Promises(Function &F) {
    CycleInfo Cycles;
    Cycles.compute(F);
    for (Instruction &I : instructions(F))
      if (auto *Begin = dyn_cast<NoAliasScopeDeclInst>(&I); Begin && !Cycles.getCycle(I.getParent()))
        for (const MDOperand &Scope : Begin->getScopeList()->operands())
          Whole.insert(dyn_cast<MDNode>(Scope));
  }

  bool none() const { return Whole.empty(); }

  // Whether two accesses never meet, as LLVM reads it of one turn. Source: LLVM's ScopedNoAliasAA.
  bool areApart(const Instruction &A, const Instruction &B) const {
    return excludes(A.getMetadata(LLVMContext::MD_noalias), B.getMetadata(LLVMContext::MD_alias_scope)) ||
           excludes(B.getMetadata(LLVMContext::MD_noalias), A.getMetadata(LLVMContext::MD_alias_scope));
  }

private:
  // All scopes of a domain (a call that was inlined) that `Own` belongs to are among those that the other avoids.
  bool excludes(const MDNode *Avoided, const MDNode *Own) const {
    if (!Avoided || !Own)
      return false;
    auto DomainOf = [](const MDOperand &Scope) { return AliasScopeNode(cast<MDNode>(Scope)).getDomain(); };
    return any_of(Avoided->operands(), [&](const MDOperand &First) {
      const MDNode *Domain = DomainOf(First);
      bool Any = false;
      for (const MDOperand &Scope : Own->operands()) {
        if (DomainOf(Scope) != Domain)
          continue;
        if (!Whole.contains(cast<MDNode>(Scope)) || !is_contained(Avoided->operands(), Scope))
          return false;
        Any = true;
      }
      return Any;
    });
  }

  SmallPtrSet<const MDNode *, 8> Whole;
};

// Memory of the thread, or of its group: no load of global memory reads it.
bool isOnChip(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer, 0);
  auto IsSpace = [](const Value *V) {
    constexpr unsigned Shared = 3, Local = 5;
    const unsigned Space = V->getType()->getPointerAddressSpace();
    return Space == Shared || Space == Local;
  };
  return IsSpace(Pointer) || IsSpace(Object) || isa<AllocaInst>(Object);
}

void markLoads(Function &F) {
  const Promises Known(F);
  if (Known.none())
    return;
  SmallVector<LoadInst *, 32> Loads;
  SmallVector<Instruction *, 32> Writes;
  for (Instruction &I : instructions(F)) {
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
      if (!Load->hasMetadata(LLVMContext::MD_invariant_load) && !isOnChip(Load->getPointerOperand()))
        Loads.push_back(Load);
    } else if (I.mayWriteToMemory() && !I.isLifetimeStartOrEnd() && !isa<NoAliasScopeDeclInst, AssumeInst>(I)) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Store || !Store->isSimple() || !isOnChip(Store->getPointerOperand()))
        Writes.push_back(&I);
    }
  }
  if (Loads.size() * Writes.size() > Most)
    return;
  for (LoadInst *Load : Loads)
    if (all_of(Writes, [&](Instruction *I) { return Known.areApart(*Load, *I); }))
      Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(F.getContext(), {}));
}

} // namespace

// Of a module for PTX whose kernels are optimised. Null or a message.
extern "C" char *aspen_llvm_finish_ptx(LLVMModuleRef Ref) {
  Module &M = *unwrap(Ref);
  std::string Errors;
  bool Ran = aspen::guarded(
      [&] {
        for (Function &F : M) {
          if (F.isDeclaration() || F.hasOptNone())
            continue;
          chooseNumbers(F);
          // Other functions' callers may write before and after.
          if (F.getCallingConv() == CallingConv::PTX_Kernel)
            markLoads(F);
        }
      },
      Errors);
  return Ran && Errors.empty() ? nullptr : aspen::copy(Errors);
}
