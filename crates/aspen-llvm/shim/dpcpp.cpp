// What DPC++'s post-link does to a module besides cutting it: lists that have served their purpose go, and what sanitizers leave for the
// runtime is made what the runtime can find. Source: docs/POST_LINK.md.

#include "dpcpp.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/GlobalStatus.h"

using namespace llvm;

namespace {
constexpr StringLiteral Size = "sycl-device-global-size";

// Takes a list out of the module; its elements, which may be casts.
SmallVector<Constant *, 8> take(Module &M, StringRef Name) {
  SmallVector<Constant *, 8> Elements;
  auto *List = M.getGlobalVariable(Name);
  if (!List)
    return Elements;
  if (List->hasInitializer())
    for (auto &Op : List->getInitializer()->operands())
      Elements.push_back(cast<Constant>(Op.get()));
  auto *Initializer = List->hasInitializer() ? List->getInitializer() : nullptr;
  List->eraseFromParent();
  // The array itself would stay a user of what it listed.
  if (Initializer && isSafeToDestroyConstant(Initializer))
    Initializer->destroyConstant();
  return Elements;
}

// Removes a global that nothing but forgotten constants uses.
void eraseIfUnused(GlobalValue &G) {
  G.removeDeadConstantUsers();
  if (G.use_empty())
    G.eraseFromParent();
}

SmallVector<GlobalVariable *, 2> lists(Module &M) {
  SmallVector<GlobalVariable *, 2> Out;
  for (auto &V : M.globals())
    if (V.hasInitializer() && !aspen::sanitizerOf(V.getName()).empty())
      Out.push_back(&V);
  return Out;
}

// A device global, which the runtime reads by its name: a struct, visible, read-only for the host (SPV_INTEL_global_variable_host_access).
void describe(GlobalVariable &Old) {
  auto &M = *Old.getParent();
  auto &Context = M.getContext();
  auto *New = &Old;
  if (!isa<StructType>(Old.getValueType())) {
    auto *Type = StructType::create({Old.getValueType()}, "");
    New = new GlobalVariable(M, Type, false, GlobalValue::ExternalLinkage, ConstantStruct::get(Type, {Old.getInitializer()}), "", &Old,
                             GlobalValue::NotThreadLocal, Old.getAddressSpace());
    New->copyAttributesFrom(&Old);
    New->setVisibility(GlobalValue::DefaultVisibility);
    New->setUnnamedAddr(GlobalValue::UnnamedAddr::Local);
    New->setDSOLocal(true);
    New->copyMetadata(&Old, 0);
    New->takeName(&Old);
    Old.replaceAllUsesWith(New);
    Old.eraseFromParent();
  }
  New->addAttribute(Size, utostr(M.getDataLayout().getTypeAllocSize(New->getValueType())));
  auto Number = [&](uint32_t Value) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), Value)); };
  constexpr uint32_t HostAccess = 6147, Read = 0;
  auto *Decoration = MDNode::get(Context, {Number(HostAccess), Number(Read), MDString::get(Context, "_Z20__SanitizerKernelMetadata")});
  New->setMetadata("spirv.Decorations", MDNode::get(Context, {Decoration}));
}
} // namespace

StringRef aspen::sanitizerOf(StringRef Name) {
  for (StringRef List : {"__AsanKernelMetadata", "__MsanKernelMetadata", "__TsanKernelMetadata"})
    if (Name.starts_with(List))
      return List;
  return {};
}

// Kernels stand in llvm.used and device globals in llvm.compiler.used so that optimisations of whole modules leave them; which image has
// them is decided now.
extern "C" void aspen_llvm_forget_used(LLVMModuleRef Raw) {
  auto &M = *unwrap(Raw);
  SmallSetVector<Function *, 8> Declared; // a linked module may name one twice
  for (auto *Element : take(M, "llvm.used"))
    if (auto *F = dyn_cast<Function>(Element->stripPointerCasts()); F && F->isDeclaration())
      Declared.insert(F);
  for (auto *F : Declared)
    eraseIfUnused(*F);
  SmallVector<Constant *, 8> Kept;
  SmallSetVector<GlobalVariable *, 8> Globals;
  for (auto *Element : take(M, "llvm.compiler.used"))
    if (auto *V = dyn_cast<GlobalVariable>(Element->stripPointerCasts()); V && V->hasAttribute(Size))
      Globals.insert(V);
    else
      Kept.push_back(Element);
  for (auto *V : Globals)
    eraseIfUnused(*V);
  if (Kept.empty())
    return;
  auto *Type = ArrayType::get(Kept.front()->getType(), Kept.size());
  auto *List = new GlobalVariable(M, Type, false, GlobalValue::AppendingLinkage, ConstantArray::get(Type, Kept), "llvm.compiler.used");
  List->setSection("llvm.metadata");
}

// Whether there were any lists.
extern "C" bool aspen_llvm_describe_sanitizer_data(LLVMModuleRef Raw) {
  auto &M = *unwrap(Raw);
  auto Found = lists(M);
  for (auto *V : Found)
    describe(*V);
  // Settings of the instrumented code, once for all units. SPIR-V has no weak definitions but these.
  for (auto *Name : {"__asan_check_shadow_bounds", "__msan_track_origins"})
    if (auto *V = Found.empty() ? nullptr : M.getNamedGlobal(Name); V && V->hasWeakODRLinkage())
      V->setLinkage(GlobalValue::LinkOnceODRLinkage);
  // Optimisation has shown that these checks find nothing.
  if (none_of(Found, [](auto *V) { return V->getName().starts_with("__Msan"); }))
    return !Found.empty();
  for (auto &F : M)
    for (auto &I : make_early_inc_range(instructions(F)))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->arg_size() > 0 && Call->use_empty())
        if (auto *Callee = Call->getCalledFunction(); Callee && Callee->getName().contains("__msan_maybe_warning_"))
          if (auto *Shadow = dyn_cast<ConstantInt>(Call->getArgOperand(0)); Shadow && Shadow->isZero())
            Call->eraseFromParent();
  return true;
}

// For each list that names its unit, an empty kernel by whose name the runtime finds the image's data: several images may be linked with
// each other, and each brings its own.
extern "C" void aspen_llvm_add_sanitizer_kernels(LLVMModuleRef Raw) {
  auto &M = *unwrap(Raw);
  for (auto *V : lists(M)) {
    auto Unit = V->getName().drop_front(aspen::sanitizerOf(V->getName()).size());
    auto Name = ("__sanitizerModule" + Unit).str();
    if (Unit.empty() || M.getNamedValue(Name))
      continue;
    auto *F = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), false), GlobalValue::WeakODRLinkage, Name, M);
    F->setCallingConv(CallingConv::SPIR_KERNEL);
    F->setDSOLocal(true);
    F->addFnAttr("sycl-entry-point");
    IRBuilder<>(BasicBlock::Create(M.getContext(), "entry", F)).CreateRetVoid();
  }
}
