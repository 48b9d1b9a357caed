// What an image needs so that the runtime can reach its device globals on every device: one kernel that exchanges addresses with it.
//
// The kernel's closure is the address of a table with 64 bits a variable, in the order of the variables' names for the host. It takes the
// address of the value from the table, or puts it there where the value lies in the image. Drivers that let the host name variables of an
// image are few, while all run kernels. Source: docs/decisions/0031.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {
constexpr StringLiteral UniqueId = "sycl-unique-id";

// A variable in place of the headers' object, whose first member is the pointer. The other one, the initial value, is for the host.
GlobalVariable *pointerOf(GlobalVariable &Old) {
  auto *Type = Old.getValueType();
  while (auto *Struct = dyn_cast<StructType>(Type))
    Type = Struct->getElementType(0);
  auto *New = new GlobalVariable(*Old.getParent(), Type, false, GlobalValue::InternalLinkage, Constant::getNullValue(Type), "", &Old,
                                 GlobalValue::NotThreadLocal, Old.getAddressSpace());
  New->setAttributes(Old.getAttributes());
  New->setAlignment(Old.getAlign());
  New->takeName(&Old);
  Old.replaceAllUsesWith(New);
  Old.eraseFromParent();
  return New;
}

Function *kernel(Module &M, StringRef Name) {
  auto &Context = M.getContext();
  const auto &Target = M.getTargetTriple();
  auto *Pointer = PointerType::getUnqual(Context);
  // native_cpu.h: the closure and the box, by address. Elsewhere the closure by value.
  const bool ByAddress = !Target.isSPIROrSPIRV() && !Target.isNVPTX() && !Target.isAMDGCN();
  SmallVector<Type *, 2> Parameters(ByAddress ? 2 : 1, Pointer);
  if (Target.isAMDGCN())
    Parameters[0] = Type::getInt64Ty(Context);
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), Parameters, false), GlobalValue::ExternalLinkage, Name, M);
  if (Target.isAMDGCN()) {
    F->setCallingConv(CallingConv::AMDGPU_KERNEL);
  } else if (!ByAddress) {
    F->addParamAttr(0, Attribute::getWithByValType(Context, StructType::create({Type::getInt64Ty(Context)}, "aspen.device_globals")));
    F->addParamAttr(0, Attribute::getWithAlignment(Context, Align(8)));
    F->setCallingConv(Target.isNVPTX() ? CallingConv::PTX_Kernel : CallingConv::SPIR_KERNEL);
  }
  F->addFnAttr(Attribute::NoUnwind);
  return F;
}
} // namespace

// Adds the kernel; false if there are no device globals, or with a message if one of them is defined nowhere.
extern "C" bool aspen_llvm_exchange_device_globals(LLVMModuleRef Raw, const char *Name, const char *InImage, char **Message) {
  auto &M = *unwrap(Raw);
  SmallVector<GlobalVariable *, 8> Variables;
  for (auto &V : M.globals())
    if (V.hasAttribute(UniqueId)) {
      if (V.isDeclaration()) {
        *Message = aspen::copy(("device_global '" + V.getAttribute(UniqueId).getValueAsString() +
                                "' is not defined in any object of this link; a kernel uses it")
                                   .str());
        return false;
      }
      Variables.push_back(&V);
    }
  if (Variables.empty())
    return false;
  sort(Variables, [](auto *A, auto *B) { return A->getAttribute(UniqueId).getValueAsString() < B->getAttribute(UniqueId).getValueAsString(); });
  auto &Context = M.getContext();
  auto *F = kernel(M, Name);
  IRBuilder<> Builder(BasicBlock::Create(Context, "", F));
  auto *Word = Builder.getInt64Ty();
  const auto &Target = M.getTargetTriple();
  auto *Global = PointerType::get(Context, Target.isSPIROrSPIRV() || Target.isNVPTX() || Target.isAMDGCN() ? 1 : 0);
  Value *Closure = F->getArg(0);
  if (Closure->getType()->isPointerTy())
    Closure = Builder.CreateAlignedLoad(Word, Closure, Align(8));
  auto *Table = Builder.CreateIntToPtr(Closure, Global);
  for (size_t I = 0; I < Variables.size(); ++I) {
    auto *V = Variables[I];
    auto *Slot = Builder.CreateConstInBoundsGEP1_64(Word, Table, I);
    if (V->hasAttribute(InImage)) {
      V->setLinkage(GlobalValue::InternalLinkage);
      Value *Address = V;
      // The host's addresses are generic ones.
      if ((Target.isNVPTX() || Target.isAMDGCN()) && V->getAddressSpace() != 0)
        Address = Builder.CreateAddrSpaceCast(V, PointerType::getUnqual(Context));
      Builder.CreateAlignedStore(Builder.CreatePtrToInt(Address, Word), Slot, Align(8));
      continue;
    }
    V = pointerOf(*V);
    Builder.CreateAlignedStore(Builder.CreateIntToPtr(Builder.CreateAlignedLoad(Word, Slot, Align(8)), V->getValueType()), V, V->getAlign());
  }
  Builder.CreateRetVoid();
  return true;
}

// Variables whose names are their unit's own get the object's tag, in module and host names.
extern "C" void aspen_llvm_tag_device_globals(LLVMModuleRef Raw, const char *Internal, const char *Suffix) {
  for (auto &V : unwrap(Raw)->globals())
    if (V.hasAttribute(UniqueId) && V.hasAttribute(Internal)) {
      V.addAttribute(UniqueId, (V.getAttribute(UniqueId).getValueAsString() + Suffix).str());
      V.setAttributes(V.getAttributes().removeAttribute(V.getContext(), Internal));
      V.setName(V.getName() + Suffix);
    }
}
