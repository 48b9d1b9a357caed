//! What device globals are to the host and to devices. Both passes know a variable by its mangled name; where other units may have another
//! one of that name, the object's tag is added: here in the host pass, at link in device code, as with kernels.
//! Source: sycl_ext_oneapi_device_global; docs/decisions/0031.

#include "DeviceGlobals.h"
#include "Diagnose.h"
#include "Reach.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace clang;

namespace aspen {
namespace {

constexpr llvm::StringLiteral SizeAttribute = "sycl-device-global-size";
constexpr llvm::StringLiteral ImageScopeAttribute = "sycl-device-image-scope";
/// The variable's name is one of its unit only: the link adds the object's tag.
constexpr llvm::StringLiteral InternalAttribute = "aspen-internal";

const CXXRecordDecl *deviceGlobal(QualType Type) {
  const auto *Record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
  if (!Record || Record->getName() != "device_global")
    return nullptr;
  const auto *Space = dyn_cast<NamespaceDecl>(Record->getSpecializedTemplate()->getDeclContext()->getEnclosingNamespaceContext());
  return Space && Space->getQualifiedNameAsString() == "sycl::ext::oneapi::experimental" ? Record : nullptr;
}

/// The numbers of the headers' `device_global_facts`.
struct Facts {
  uint64_t Size = 0;
  bool ImageScope = false;
  uint64_t InitialAt = 0;
};

/// The headers' pointer to the word in which a failed assertion is told to the runtime.
bool isAssertionWord(QualType Type) {
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Record && Record->getName() == "assertion_word" && Record->getQualifiedNameAsString() == "sycl::detail::assertion_word";
}

std::optional<Facts> factsOf(QualType Type) {
  if (isAssertionWord(Type))
    return Facts{/*Size=*/4};
  const CXXRecordDecl *Record = deviceGlobal(Type);
  if (!Record || !Record->hasDefinition())
    return std::nullopt;
  for (const CXXBaseSpecifier &Base : Record->bases())
    if (const CXXRecordDecl *Value = Base.getType()->getAsCXXRecordDecl())
      for (const Decl *Member : Value->decls())
        if (const auto *Alias = dyn_cast<TypedefNameDecl>(Member); Alias && Alias->getName() == "aspen_device_global")
          if (const auto *Told = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Alias->getUnderlyingType()->getAsCXXRecordDecl());
              Told && Told->getTemplateArgs().size() == 3) {
            const auto Number = [&](unsigned I) { return Told->getTemplateArgs()[I].getAsIntegral().getZExtValue(); };
            return Facts{Number(0), Number(1) != 0, Number(2)};
          }
  return std::nullopt;
}

/// The class template, if the unit has made a class of it.
bool hasDeviceGlobals(ASTContext &Context) {
  const DeclContext *Space = Context.getTranslationUnitDecl();
  for (llvm::StringRef Name : {"sycl", "ext", "oneapi", "experimental"}) {
    const DeclContext *Inner = nullptr;
    for (NamedDecl *Found : Space->lookup(&Context.Idents.get(Name)))
      if (const auto *Namespace = dyn_cast<NamespaceDecl>(Found))
        Inner = Namespace;
    if (!Inner)
      return false;
    Space = Inner;
  }
  for (NamedDecl *Found : Space->lookup(&Context.Idents.get("device_global")))
    if (const auto *Template = dyn_cast<ClassTemplateDecl>(Found); Template && !Template->specializations().empty())
      return true;
  return false;
}

/// Every variable of such a type, and every other way to make an object of one.
class Finder : public RecursiveASTVisitor<Finder> {
  ASTContext &Context;
  const bool Tell;
  llvm::SmallPtrSet<const Decl *, 16> Seen;
  std::vector<VarDecl *> Found;

public:
  Finder(ASTContext &Context, bool Tell) : Context(Context), Tell(Tell) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  std::vector<VarDecl *> find() {
    TraverseDecl(Context.getTranslationUnitDecl());
    return std::move(Found);
  }

  bool VisitVarDecl(VarDecl *Variable) {
    const QualType Element = Context.getBaseElementType(Variable->getType());
    if (!isDeviceGlobal(Element) || Variable->getDeclContext()->isDependentContext() || Variable->isInvalidDecl())
      return true;
    if (Variable->getType()->isArrayType())
      return refuse(Variable, "is an array of 'device_global'; the type of its value may be an array: 'device_global<T[N]>'");
    if (!Variable->isFileVarDecl() && !Variable->isLocalExternDecl())
      return refuse(Variable, "of type 'device_global' is neither at namespace scope nor a static member");
    if (Variable->getTLSKind() != VarDecl::TLS_None)
      return refuse(Variable, "of type 'device_global' is thread_local");
    if (!isPublic(Variable))
      return refuse(Variable, "of type 'device_global' is a static member that is not publicly accessible from namespace scope");
    VarDecl *Definition = Variable->getDefinition();
    if (Definition && Seen.insert(Definition).second)
      Found.push_back(Definition);
    return true;
  }

  bool VisitFieldDecl(FieldDecl *Field) {
    if (isDeviceGlobal(Context.getBaseElementType(Field->getType())) && !Field->getDeclContext()->isDependentContext())
      return refuse(Field, "of type 'device_global' is a member of objects; make it static");
    return true;
  }

  bool VisitCXXNewExpr(CXXNewExpr *New) {
    if (Tell && !New->isTypeDependent() && isDeviceGlobal(New->getAllocatedType()))
      error(Context.getDiagnostics(), New->getBeginLoc(), "an object of type 'device_global' is made by 'new'; it is a variable at namespace "
                                                          "scope or a static member");
    return true;
  }

private:
  template <unsigned N> bool refuse(const NamedDecl *Which, const char (&Why)[N]) {
    if (Tell && Seen.insert(Which).second)
      error(Context.getDiagnostics(), Which->getLocation(), "%0 %1") << Which << Why;
    return true;
  }

  static bool isPublic(const Decl *Member) {
    for (; isa<CXXRecordDecl>(Member->getDeclContext()); Member = cast<Decl>(Member->getDeclContext()))
      if (Member->getAccess() != AS_public && Member->getAccess() != AS_none)
        return false;
    return true;
  }
};

/// Calls `Each` with every device global of the module, what is known of it, and the name that both passes know it by.
template <class F> void eachDeviceGlobal(CodeGenerator &Generator, F Each) {
  for (llvm::GlobalVariable &Global : llvm::make_early_inc_range(Generator.GetModule()->globals()))
    if (const auto *Variable = dyn_cast_or_null<VarDecl>(Generator.GetDeclForMangledName(Global.getName())))
      if (const std::optional<Facts> Known = factsOf(Variable->getType()))
        Each(Global, *Variable, *Known, Global.getName().str());
}

} // namespace

bool isDeviceGlobal(QualType Type) { return deviceGlobal(Type) != nullptr; }

void emitDeviceGlobals(ASTContext &Context, CodeGenerator *Generator, bool Tell) {
  if ((!Generator && !Tell) || !hasDeviceGlobals(Context))
    return;
  for (VarDecl *Variable : Finder(Context, Tell).find())
    if (Generator)
      Generator->GetAddrOfGlobal(GlobalDecl(Variable), /*isForDefinition=*/false);
}

void markDeviceGlobals(CodeGenerator &Generator) {
  eachDeviceGlobal(Generator, [](llvm::GlobalVariable &Global, const VarDecl &Variable, const Facts &Known, const std::string &Id) {
    Global.addAttribute(UniqueIdAttribute, Id);
    Global.addAttribute(SizeAttribute, std::to_string(Known.Size));
    if (Known.ImageScope)
      Global.addAttribute(ImageScopeAttribute, "true");
    // Nothing of the device code writes the pointers, and LLVM must not conclude that nobody does.
    Global.setExternallyInitialized(true);
    if (!Variable.isExternallyVisible()) {
      Global.addAttribute(InternalAttribute);
      if (!Global.isDeclaration())
        Global.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  });
}

void registerDeviceGlobals(CodeGenerator &Generator, llvm::StringRef Tag) {
  llvm::Module &Module = *Generator.GetModule();
  llvm::LLVMContext &Context = Module.getContext();
  llvm::Type *const Pointer = llvm::PointerType::getUnqual(Context), *const Word = llvm::Type::getInt64Ty(Context),
                    *const Half = llvm::Type::getInt32Ty(Context);
  llvm::StructType *const Entry = llvm::StructType::get(Pointer, Pointer, Pointer, Word, Word);
  llvm::StructType *const List = llvm::StructType::get(Half, Half, Pointer, Pointer, Word);
  const auto constant = [&](llvm::Constant *Value, const char *Name) {
    return new llvm::GlobalVariable(Module, Value->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, Value, Name);
  };
  std::vector<llvm::Constant *> Entries;
  eachDeviceGlobal(Generator, [&](llvm::GlobalVariable &Global, const VarDecl &Variable, const Facts &Known, std::string Id) {
    if (Global.isDeclaration())
      return; // who defines it says so
    if (!Variable.isExternallyVisible())
      Id += (".aspen_" + Tag).str();
    llvm::Constant *Initial =
        llvm::ConstantExpr::getGetElementPtr(llvm::Type::getInt8Ty(Context), &Global, llvm::ConstantInt::get(Word, Known.InitialAt));
    Entries.push_back(llvm::ConstantStruct::get(Entry, &Global, constant(llvm::ConstantDataArray::getString(Context, Id), "aspen.id"), Initial,
                                                llvm::ConstantInt::get(Word, Known.Size), llvm::ConstantInt::get(Word, Known.ImageScope)));
  });
  if (Entries.empty())
    return;
  auto *Anchor = cast<llvm::GlobalVariable>(Module.getOrInsertGlobal("__aspen_link_with_aspenxx", llvm::Type::getInt8Ty(Context)));
  Anchor->setVisibility(llvm::GlobalValue::HiddenVisibility);
  Anchor->setConstant(true);
  llvm::Constant *All = constant(llvm::ConstantArray::get(llvm::ArrayType::get(Entry, Entries.size()), Entries), "aspen.device_globals");
  const llvm::DataLayout &Layout = Module.getDataLayout();
  const auto sizeOf = [&](llvm::Type *Type) { return llvm::ConstantInt::get(Half, Layout.getTypeAllocSize(Type)); };
  llvm::Constant *Record = constant(llvm::ConstantStruct::get(List, sizeOf(List), sizeOf(Entry), Anchor, All, llvm::ConstantInt::get(Word, Entries.size())),
                                    "aspen.device_globals_of_object");
  const auto caller = [&](llvm::StringRef Function) {
    auto *Type = llvm::FunctionType::get(llvm::Type::getVoidTy(Context), {Pointer}, false);
    auto *Caller = llvm::Function::Create(llvm::FunctionType::get(Type->getReturnType(), false), llvm::GlobalValue::InternalLinkage,
                                          Function + ".of_object", Module);
    llvm::IRBuilder<> Builder(llvm::BasicBlock::Create(Context, "", Caller));
    Builder.CreateCall(Module.getOrInsertFunction(Function, Type), {Record});
    Builder.CreateRetVoid();
    return Caller;
  };
  // As the registration of images: before constructors of the user, which may copy.
  llvm::appendToGlobalCtors(Module, caller("aspen_register_device_globals"), 100);
  llvm::appendToGlobalDtors(Module, caller("aspen_unregister_device_globals"), 100);
}

} // namespace aspen
