//! Clang emits more into a device module than the device reaches: the vtable of every class whose key function the unit defines, with
//! all its virtual functions, and what initialises static variables. None of it is device code unless a kernel or an exported function
//! leads there, a vtable by constructing the object. So it goes before anybody looks at the module: it is neither checked nor analysed, it
//! need not be valid on the device, and it lands in no image. Source: DESIGN §7.27.

#include "Reach.h"
#include "DeviceGlobals.h"
#include "Module.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace clang;

namespace aspen {
namespace {

/// All that is reached by naming it: functions, variables and their initial values, aliases.
class Reached {
  llvm::SmallPtrSet<const llvm::Value *, 32> Seen;
  llvm::SmallVector<const llvm::Constant *, 64> Pending;

public:
  void add(const llvm::Constant *C) {
    if (Seen.insert(C).second)
      Pending.push_back(C);
  }

  void finish() {
    while (!Pending.empty()) {
      const llvm::Constant *C = Pending.pop_back_val();
      operands(*C);
      if (const auto *F = dyn_cast<llvm::Function>(C))
        for (const llvm::Instruction &I : llvm::instructions(*F))
          operands(I);
    }
  }

  bool contains(const llvm::GlobalValue &G) const { return Seen.contains(&G); }

private:
  /// A function's operands are its personality and prefix, a variable's its initial value.
  void operands(const llvm::User &User) {
    for (const llvm::Value *Operand : User.operand_values())
      if (const auto *C = dyn_cast<llvm::Constant>(Operand))
        add(C);
  }
};

/// Nobody runs these on a device.
void eraseStaticInitialisers(llvm::Module &Module) {
  for (const char *Name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (llvm::GlobalVariable *List = Module.getNamedGlobal(Name))
      List->eraseFromParent();
}

} // namespace

std::vector<llvm::Function *> entryPoints(CodeGenerator &Generator, const std::vector<Kernel> &Kernels) {
  llvm::StringSet<> Symbols;
  for (const Kernel &K : Kernels)
    Symbols.insert(K.Symbol);
  std::vector<llvm::Function *> Result;
  for (llvm::Function &F : *Generator.GetModule()) {
    if (F.isDeclaration())
      continue;
    const auto *Function = dyn_cast_or_null<FunctionDecl>(Generator.GetDeclForMangledName(F.getName()));
    if (Symbols.contains(F.getName()) || (Function && Function->getMostRecentDecl()->hasAttr<SYCLExternalAttr>()))
      Result.push_back(&F);
  }
  return Result;
}

void keepReachable(llvm::Module &Module, llvm::ArrayRef<llvm::Function *> Entries) {
  Reached Kept;
  for (const llvm::Function *Entry : Entries)
    Kept.add(Entry);
  // Kernels of other units may use them.
  for (const llvm::GlobalVariable &Global : Module.globals())
    if (Global.hasAttribute(UniqueIdAttribute) && Global.hasExternalLinkage() && !Global.hasAttribute("aspen-internal"))
      Kept.add(&Global);
  Kept.finish();
  // What users annotate stays annotated, with the texts.
  keepAnnotations(Module, [&](const llvm::ConstantStruct &Entry) {
    const auto *Annotated = dyn_cast<llvm::GlobalValue>(Entry.getOperand(0)->stripPointerCasts());
    return Annotated && Kept.contains(*Annotated);
  });
  if (const llvm::GlobalVariable *Annotations = Module.getGlobalVariable("llvm.global.annotations"))
    Kept.add(Annotations);
  Kept.finish();
  eraseStaticInitialisers(Module);
  // `used` keeps what the host's linker would drop; for the device it names nothing that is not reached.
  llvm::removeFromUsedLists(Module, [&](llvm::Constant *C) {
    const auto *Global = dyn_cast<llvm::GlobalValue>(C->stripPointerCasts());
    return Global && !Kept.contains(*Global);
  });
  llvm::SmallVector<llvm::GlobalValue *, 32> Gone;
  for (llvm::GlobalValue &Global : Module.global_values())
    // LLVM's own variables are lists that it reads by name. A declaration that nothing named before stays as clang made it.
    if (!Kept.contains(Global) && !Global.getName().starts_with("llvm.") && !(Global.isDeclaration() && Global.use_empty()))
      Gone.push_back(&Global);
  // They name each other, so first none does so any more.
  for (llvm::GlobalValue *Global : Gone) {
    if (auto *F = dyn_cast<llvm::Function>(Global))
      F->deleteBody();
    else
      cast<llvm::User>(Global)->dropAllReferences();
  }
  for (llvm::GlobalValue *Global : Gone) {
    Global->replaceAllUsesWith(llvm::PoisonValue::get(Global->getType()));
    Global->eraseFromParent();
  }
}

void internalise(llvm::Module &Module, llvm::ArrayRef<llvm::Function *> Entries) {
  const llvm::SmallPtrSet<const llvm::Function *, 16> Kept(Entries.begin(), Entries.end());
  for (llvm::Function &F : Module) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || Kept.contains(&F))
      continue;
    F.setComdat(nullptr);
    F.setVisibility(llvm::GlobalValue::DefaultVisibility);
    F.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

} // namespace aspen
