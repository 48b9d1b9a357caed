#include "OwnObjects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace aspen {
namespace {

/// The header's function that calls a kernel's. Source: include/sycl/detail/call_kernel.hpp.
constexpr StringLiteral CallsKernel = "_ZN4sycl6detail11call_kernelI";

/// Whether what a pointer points to may be written through it, here or by whoever gets it.
class Writes {
  SmallPtrSet<const Value *, 32> Followed;
  /// By parameter; one that is being followed counts as not written.
  DenseMap<const Argument *, bool> Known;
  /// Functions that give back such a pointer.
  SmallPtrSet<const Function *, 8> Return;

public:
  bool through(const Value &Pointer) {
    if (!Followed.insert(&Pointer).second)
      return false;
    return llvm::any_of(Pointer.uses(), [&](const Use &U) { return by(U); });
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
    if (const auto *Back = dyn_cast<ReturnInst>(By)) {
      Return.insert(Back->getFunction());
      return false;
    }
    if (const auto *Call = dyn_cast<CallBase>(By))
      return byCall(*Call, U);
    return true;
  }

  /// What is not optimised keeps parameters in variables: whoever reads one has the pointer again.
  bool fromVariable(const Value *Place) {
    const auto *Variable = dyn_cast<AllocaInst>(Place);
    return !Variable || llvm::any_of(Variable->users(), [&](const User *By) {
      if (const auto *Store = dyn_cast<StoreInst>(By))
        return Store->getPointerOperand() != Variable;
      if (const auto *Mark = dyn_cast<IntrinsicInst>(By); Mark && Mark->isLifetimeStartOrEnd())
        return false;
      return !isa<LoadInst>(By) || through(*By);
    });
  }

  bool byCall(const CallBase &Call, const Use &U) {
    if (!Call.isArgOperand(&U))
      return !Call.isBundleOperand(&U); // or an assumption
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
    if (auto [Place, New] = Known.try_emplace(Parameter, false); New) {
      const bool Written = through(*Parameter);
      Known[Parameter] = Written;
    }
    return Known[Parameter] || (Return.contains(Callee) && through(Call));
  }
};

void copyBefore(CallBase &Call) {
  Function &Caller = *Call.getFunction();
  const Function &Callee = *Call.getCalledFunction();
  const uint64_t Bytes = Callee.getArg(0)->getDereferenceableBytes();
  const Align Alignment = Callee.getArg(0)->getParamAlign().valueOrOne();
  IRBuilder<> Build(&*Caller.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Own = Build.CreateAlloca(ArrayType::get(Build.getInt8Ty(), Bytes));
  Own->setAlignment(Alignment);
  Build.SetInsertPoint(&Call);
  Build.CreateMemCpy(Own, Alignment, Call.getArgOperand(0), Alignment, Bytes);
  Call.setArgOperand(0, Own);
}

} // namespace

void giveOwnObjects(Module &Module) {
  for (Function &F : Module) {
    if (F.isDeclaration() || !F.getName().starts_with(CallsKernel) || F.getArg(0)->getDereferenceableBytes() == 0 || !Writes().through(*F.getArg(0)))
      continue;
    SmallVector<CallBase *, 4> Calls;
    for (User *By : F.users())
      if (auto *Call = dyn_cast<CallBase>(By); Call && Call->getCalledFunction() == &F)
        Calls.push_back(Call);
    for (CallBase *Call : Calls)
      copyBefore(*Call);
  }
}

} // namespace aspen
