//! Which class a virtual call is made through. Source: DESIGN §7.5; docs/decisions/0083.

#include "VirtualCalls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"

namespace aspen {

namespace {

constexpr llvm::StringLiteral Kind = "aspen.class";

/// Names of classes.
class Names {
  llvm::LLVMContext &Context;
  llvm::StringRef Unit;
  llvm::DenseMap<const llvm::Metadata *, llvm::MDString *> Own;

public:
  Names(llvm::LLVMContext &Context, llvm::StringRef Unit) : Context(Context), Unit(Unit) {}

  /// Null for what is no class: the functions of a type that pointers to members may mean.
  llvm::MDString *of(llvm::Metadata *Id) {
    if (auto *Text = dyn_cast<llvm::MDString>(Id))
      return Text->getString().ends_with(".virtual") ? nullptr : Text;
    llvm::MDString *&Name = Own[Id];
    if (!Name)
      Name = llvm::MDString::get(Context, ("#" + llvm::Twine(Own.size()) + " of " + Unit).str());
    return Name;
  }
};

/// A vtable is a structure of arrays of pointers.
void noteTable(llvm::GlobalVariable &Table, Names &Names) {
  llvm::SmallVector<llvm::MDNode *, 8> Types;
  Table.getMetadata(llvm::LLVMContext::MD_type, Types);
  Table.eraseMetadata(llvm::LLVMContext::MD_type);
  Table.eraseMetadata(llvm::LLVMContext::MD_vcall_visibility);
  auto *Arrays = dyn_cast<llvm::StructType>(Table.getValueType());
  auto *Array = Arrays && Arrays->getNumElements() ? dyn_cast<llvm::ArrayType>(Arrays->getElementType(0)) : nullptr;
  if (Types.empty() || !Array)
    return;
  llvm::LLVMContext &Context = Table.getContext();
  const uint64_t Size = Table.getDataLayout().getTypeAllocSize(Array->getElementType());
  llvm::SmallVector<llvm::Metadata *, 8> Begins;
  for (llvm::MDNode *Type : Types) {
    auto *Offset = llvm::mdconst::extract<llvm::ConstantInt>(Type->getOperand(0));
    llvm::Metadata *Entry = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(Offset->getType(), Offset->getZExtValue() / Size));
    if (llvm::MDString *Name = Names.of(Type->getOperand(1)))
      Begins.push_back(llvm::MDNode::get(Context, {Entry, Name}));
  }
  Table.setMetadata(Kind, llvm::MDNode::get(Context, Begins));
}

/// Marks the calls of functions that are loaded from this table.
void noteCalls(llvm::Value *From, llvm::MDNode *Class) {
  for (llvm::User *User : From->users()) {
    if (auto *Call = dyn_cast<llvm::CallBase>(User)) {
      if (Call->getCalledOperand() == From)
        Call->setMetadata(Kind, Class);
    } else if (User->getType()->isPointerTy() &&
               isa<llvm::GetElementPtrInst, llvm::LoadInst, llvm::AddrSpaceCastInst, llvm::BitCastInst>(User)) {
      noteCalls(User, Class);
    }
  }
}

} // namespace

void noteClasses(llvm::Module &Module, llvm::StringRef Unit) {
  llvm::LLVMContext &Context = Module.getContext();
  Names Names(Context, Unit);
  for (llvm::GlobalVariable &Global : Module.globals())
    noteTable(Global, Names);
  // In the order of the module, so that numbers of classes are the same whenever it is.
  llvm::SmallVector<llvm::CallInst *, 16> Tests;
  for (llvm::Function &F : Module) {
    F.eraseMetadata(llvm::LLVMContext::MD_type); // for pointers to members
    for (llvm::Instruction &I : llvm::instructions(F))
      if (auto *Call = dyn_cast<llvm::CallInst>(&I))
        if (llvm::Intrinsic::ID Id = Call->getIntrinsicID(); Id == llvm::Intrinsic::type_test || Id == llvm::Intrinsic::public_type_test)
          Tests.push_back(Call);
  }
  for (llvm::CallInst *Test : Tests) {
    if (llvm::MDString *Name = Names.of(cast<llvm::MetadataAsValue>(Test->getArgOperand(1))->getMetadata()))
      noteCalls(Test->getArgOperand(0), llvm::MDNode::get(Context, Name));
    for (llvm::User *Assumption : llvm::make_early_inc_range(Test->users()))
      cast<llvm::Instruction>(Assumption)->eraseFromParent();
    Test->eraseFromParent();
  }
  for (llvm::Intrinsic::ID Id : {llvm::Intrinsic::type_test, llvm::Intrinsic::public_type_test, llvm::Intrinsic::assume})
    if (llvm::Function *F = Module.getFunction(llvm::Intrinsic::getBaseName(Id)); F && F->use_empty())
      F->eraseFromParent();
}

void forgetClasses(llvm::Module &Module) {
  for (llvm::GlobalVariable &Global : Module.globals())
    Global.setMetadata(Kind, nullptr);
  for (llvm::Function &F : Module)
    for (llvm::Instruction &I : llvm::instructions(F))
      if (isa<llvm::CallBase>(I))
        I.setMetadata(Kind, nullptr);
}

} // namespace aspen
