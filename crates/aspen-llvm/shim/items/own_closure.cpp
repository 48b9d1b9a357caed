// Kernels that write into their own function object: through `mutable` members, or where `const` was cast away.
//
// In SYCL each work-item has the object to itself, as what SPIR-V's entries take by value. Entries of the native CPU get the launch's own, which all
// items read; those that may write it work on a copy, which is a variable of the item like any other. Source: include/aspen/native_cpu.h: the
// closure is the launch's, and nobody writes it.

#include "items.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Whether what a pointer points to may be written through it, here or by whoever gets it.
class Writes {
  SmallPtrSet<const Value *, 32> Followed;
  // By parameter; one that is being followed counts as not written.
  DenseMap<const Argument *, bool> Known;

public:
  bool through(const Value &Pointer) {
    if (!Followed.insert(&Pointer).second)
      return false;
    for (const Use &U : Pointer.uses())
      if (by(U))
        return true;
    return false;
  }

private:
  bool by(const Use &U) {
    const User *By = U.getUser();
    if (isa<LoadInst, ICmpInst>(By))
      return false;
    if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst, PHINode, SelectInst, FreezeInst>(By))
      return through(*By);
    if (const auto *Store = dyn_cast<StoreInst>(By))
      return U.getOperandNo() != 0 || fromVariable(Store->getPointerOperand());
    if (const auto *Call = dyn_cast<CallBase>(By))
      return byCall(*Call, U);
    return true;
  }

  // Unoptimised code keeps parameters in variables: whoever reads one has the pointer again.
  bool fromVariable(const Value *Place) {
    const auto *Variable = dyn_cast<AllocaInst>(Place);
    if (!Variable)
      return true;
    for (const User *By : Variable->users()) {
      if (const auto *Store = dyn_cast<StoreInst>(By); Store && Store->getPointerOperand() == Variable)
        continue;
      if (const auto *Mark = dyn_cast<IntrinsicInst>(By); Mark && Mark->isLifetimeStartOrEnd())
        continue;
      if (!isa<LoadInst>(By) || through(*By))
        return true;
    }
    return false;
  }

  bool byCall(const CallBase &Call, const Use &U) {
    if (!Call.isArgOperand(&U))
      return !Call.isBundleOperand(&U); // an assumption
    const unsigned At = Call.getArgOperandNo(&U);
    if (const auto *Copy = dyn_cast<AnyMemTransferInst>(&Call))
      return At == 0 || Copy->isVolatile();
    if (const auto *Mark = dyn_cast<IntrinsicInst>(&Call); Mark && Mark->isLifetimeStartOrEnd())
      return false;
    if (Call.isByValArgument(At) || (Call.onlyReadsMemory(At) && Call.doesNotCapture(At)))
      return false;
    const Function *Callee = Call.getCalledFunction();
    if (!Callee || Callee->isDeclaration() || At >= Callee->arg_size())
      return true;
    const Argument *Parameter = Callee->getArg(At);
    if (auto [Place, New] = Known.try_emplace(Parameter, false); !New)
      return Place->second;
    const bool Written = through(*Parameter);
    Known[Parameter] = Written;
    return Written;
  }
};

} // namespace

void giveOwnClosure(Function &Entry, FunctionAnalysisManager &FAM) {
  Argument *Shared = Entry.arg_empty() ? nullptr : Entry.getArg(0);
  const uint64_t Bytes = Shared && Shared->getType()->isPointerTy() ? Shared->getDereferenceableBytes() : 0;
  if (Bytes == 0 || !Writes().through(*Shared))
    return;
  const Align Alignment = Shared->getParamAlign().valueOrOne();
  IRBuilder<> Build(&*Entry.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *Own = Build.CreateAlloca(ArrayType::get(Build.getInt8Ty(), Bytes), nullptr, "own.closure");
  Own->setAlignment(Alignment);
  Shared->replaceAllUsesWith(Own);
  Build.CreateMemCpy(Own, Alignment, Shared, Alignment, Bytes);
  if (!Entry.hasFnAttribute(Attribute::OptimizeNone))
    FAM.invalidate(Entry, SROAPass(SROAOptions::ModifyCFG).run(Entry, FAM)); // what is only read is the launch's again
}

} // namespace aspen::items
