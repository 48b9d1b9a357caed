//! Module edits that need nothing but LLVM's API, and the way to the module.

#include "Module.h"
#include "Attributes.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include <typeinfo>

using namespace clang;

namespace aspen {

namespace {

/// The list is protected and the class of the consumer we look for is private to libclang-cpp; CodeGenAction's own pointer to it and
/// getCodeGenerator() are public. What also writes the interface of a module stands with the consumer in a list of its own.
CodeGenerator *generatorOf(MultiplexConsumer &All) {
  struct Peek : MultiplexConsumer {
    static auto &consumers(MultiplexConsumer &M) { return M.*(&Peek::Consumers); }
  };
  for (const std::unique_ptr<ASTConsumer> &Consumer : Peek::consumers(All)) {
    if (auto *Inner = dynamic_cast<MultiplexConsumer *>(Consumer.get()))
      if (CodeGenerator *Generator = generatorOf(*Inner))
        return Generator;
    const ASTConsumer &C = *Consumer;
    if (llvm::StringRef(typeid(C).name()) != "N5clang15BackendConsumerE")
      continue;
    EmitLLVMOnlyAction Window;
    Window.BEConsumer = reinterpret_cast<BackendConsumer *>(Consumer.get()); // its first base is ASTConsumer
    CodeGenerator *Generator = Window.getCodeGenerator();
    Window.BEConsumer = nullptr;
    return Generator;
  }
  return nullptr;
}

} // namespace

CodeGenerator *findGenerator(CompilerInstance &CI) {
  auto *All = CI.hasASTConsumer() ? dynamic_cast<MultiplexConsumer *>(&CI.getASTConsumer()) : nullptr;
  return All ? generatorOf(*All) : nullptr;
}

void keepAnnotations(llvm::Module &Module, llvm::function_ref<bool(const llvm::ConstantStruct &)> Keeps) {
  llvm::GlobalVariable *Old = Module.getGlobalVariable("llvm.global.annotations");
  auto *List = Old && Old->hasInitializer() ? dyn_cast<llvm::ConstantArray>(Old->getInitializer()) : nullptr;
  if (!List)
    return;
  llvm::SmallVector<llvm::Constant *, 16> Keep;
  for (const llvm::Use &Operand : List->operands()) {
    auto *Entry = cast<llvm::ConstantStruct>(Operand);
    if (Keeps(*Entry))
      Keep.push_back(Entry);
  }
  if (Keep.size() == List->getNumOperands())
    return;
  if (!Keep.empty()) {
    auto *Type = llvm::ArrayType::get(List->getType()->getElementType(), Keep.size());
    auto *New = new llvm::GlobalVariable(Module, Type, Old->isConstant(), Old->getLinkage(), llvm::ConstantArray::get(Type, Keep), "", Old,
                                         llvm::GlobalValue::NotThreadLocal, Old->getAddressSpace());
    New->setSection(Old->getSection());
    New->takeName(Old);
  }
  Old->eraseFromParent();
  // The strings and argument tuples that only these entries used.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (llvm::GlobalVariable &G : llvm::make_early_inc_range(Module.globals()))
      if (G.getSection() == "llvm.metadata" && G.hasPrivateLinkage()) {
        G.removeDeadConstantUsers();
        if (G.use_empty()) {
          G.eraseFromParent();
          Changed = true;
        }
      }
  }
}

void stripAnnotations(llvm::Module &Module) {
  keepAnnotations(Module, [](const llvm::ConstantStruct &Entry) {
    auto *Text = dyn_cast<llvm::GlobalVariable>(Entry.getOperand(1)->stripPointerCasts());
    auto *Bytes = Text && Text->hasInitializer() ? dyn_cast<llvm::ConstantDataArray>(Text->getInitializer()) : nullptr;
    return !Bytes || !Bytes->isCString() || !Bytes->getAsCString().starts_with(AnnotationPrefix);
  });
}

static constexpr llvm::StringLiteral AliasMark = "aspen-alias";

void replaceAliases(llvm::Module &Module) {
  for (llvm::GlobalAlias &Alias : llvm::make_early_inc_range(Module.aliases())) {
    auto *Aliasee = dyn_cast<llvm::Function>(Alias.getAliasee()->stripPointerCastsAndAliases());
    if (!Aliasee || Aliasee->isDeclaration() || Aliasee->isVarArg())
      continue;
    llvm::Function *Function =
        llvm::Function::Create(Aliasee->getFunctionType(), Alias.getLinkage(), Aliasee->getAddressSpace(), "", &Module);
    Function->copyAttributesFrom(Aliasee);
    Function->setVisibility(Alias.getVisibility());
    Function->setDSOLocal(Alias.isDSOLocal());
    Function->addFnAttr(AliasMark);
    Function->takeName(&Alias);
    llvm::IRBuilder<> Builder(llvm::BasicBlock::Create(Module.getContext(), "", Function));
    llvm::SmallVector<llvm::Value *, 8> Arguments;
    for (llvm::Argument &Argument : Function->args())
      Arguments.push_back(&Argument);
    llvm::CallInst *Call = Builder.CreateCall(Aliasee, Arguments);
    Call->setCallingConv(Aliasee->getCallingConv());
    llvm::AttributeList Attributes = Aliasee->getAttributes();
    Call->setAttributes(Attributes.removeFnAttributes(Module.getContext()));
    if (Call->getType()->isVoidTy())
      Builder.CreateRetVoid();
    else
      Builder.CreateRet(Call);
    Alias.replaceAllUsesWith(Function);
    Alias.eraseFromParent();
  }
}

bool wasAlias(const llvm::Function &Function) { return Function.hasFnAttribute(AliasMark); }

void setKernelLinkage(llvm::Module &Module, const std::vector<Kernel> &Kernels) {
  for (const Kernel &K : Kernels)
    if (llvm::Function *Entry = Module.getFunction(K.Symbol); Entry && !Entry->isDeclaration())
      Entry->setLinkage(K.Internal ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::WeakODRLinkage);
}

} // namespace aspen
