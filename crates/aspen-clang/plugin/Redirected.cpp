//! Functions that device code means otherwise than their declarations say.

#include "Redirected.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace aspen {
namespace {

/// The note of it on a declaration; annotations with this prefix never reach a module.
constexpr llvm::StringLiteral IndirectlyCallable = "aspen.indirectly_callable";

/// Whether any declaration has such a property: without, nobody looks through namespaces, which headers fill.
thread_local bool HasProperties = false;

bool isMark(const EnableIfAttr &A) { return A.getMessage() == "it is a kernel" && !A.getCond()->isInstantiationDependent(); }

void copyMarks(ASTContext &Context, const FunctionDecl &From, FunctionDecl &To) {
  for (const auto *A : From.specific_attrs<EnableIfAttr>())
    if (isMark(*A))
      To.addAttr(A->clone(Context));
}

/// The function of the same name and type that was declared as a kernel before, if this is the first declaration that is not.
FunctionDecl *earlierKernel(const ASTContext &Context, const FunctionDecl &Function) {
  if (!Function.isFirstDecl() || !Function.getDeclContext()->getRedeclContext()->isFileContext())
    return nullptr;
  for (NamedDecl *Found : Function.getDeclContext()->getRedeclContext()->lookup(Function.getDeclName())) {
    auto *Other = dyn_cast<FunctionDecl>(Found);
    if (Other && Other != &Function && Context.hasSameType(Other->getType(), Function.getType()) && isKernelFunction(*Other))
      return Other->getMostRecentDecl();
  }
  return nullptr;
}

/// Stands behind the mark. Members with an object are no kernels, so theirs is of the property `indirectly_callable`: it is taken away, or they
/// would override nothing that has none, and their definitions outside of the class would need it; what stays is a note. Source: sycl_ext_oneapi_virtual_functions.
class FunctionPropertyInfo : public ParsedAttrInfo {
  static constexpr Spelling Table[] = {{ParsedAttr::AS_GNU, "aspen_function_property"}};

public:
  FunctionPropertyInfo() { Spellings = Table; }
  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &) const override {
    HasProperties = true;
    if (const auto *Method = dyn_cast<CXXMethodDecl>(D); Method && Method->isInstance()) {
      D->dropAttr<EnableIfAttr>();
      D->addAttr(AnnotateAttr::CreateImplicit(S.Context, IndirectlyCallable, nullptr, 0));
    }
    return AttributeApplied;
  }
};
ParsedAttrInfoRegistry::Add<FunctionPropertyInfo> Property("aspen-function-property", "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY");

} // namespace

bool isKernelFunction(const FunctionDecl &Function) {
  return llvm::any_of(Function.specific_attrs<EnableIfAttr>(), [](const EnableIfAttr *A) { return isMark(*A); });
}

void exportFunctions(ASTContext &Context, CodeGenerator *Generator, llvm::ArrayRef<FunctionDecl *> Functions) {
  for (FunctionDecl *Function : Functions) {
    if (!Function->hasAttr<SYCLExternalAttr>())
      Function->addAttr(SYCLExternalAttr::CreateImplicit(Context));
    if (Generator)
      Generator->GetAddrOfGlobal(GlobalDecl(Function), /*isForDefinition=*/true);
  }
}

bool isIndirectlyCallable(const CXXMethodDecl &Method) {
  return llvm::any_of(Method.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *A) { return A->getAnnotation() == IndirectlyCallable; });
}

void redirectAsserts(ASTContext &Context, DeclGroupRef Group) {
  for (const Decl *D : Group) {
    const auto *Block = dyn_cast<LinkageSpecDecl>(D); // extern "C" {
    if (!Block)
      continue;
    for (Decl *Inner : Block->decls()) {
      auto *Function = dyn_cast<FunctionDecl>(Inner);
      if (!Function || !Function->getIdentifier() || Function->getName() != "__assert_fail" || Function->hasAttr<AsmLabelAttr>())
        continue;
      const auto *Type = Function->getType()->castAs<FunctionType>();
      Function->setType(QualType(Context.adjustFunctionType(Type, Type->getExtInfo().withNoReturn(false)), 0));
      Function->addAttr(AsmLabelAttr::CreateImplicit(Context, "__aspen_assert_fail"));
    }
  }
}

void markAsDeclared(ASTContext &Context, Decl *D) {
  if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D) && HasProperties)
    for (Decl *Inner : cast<DeclContext>(D)->decls())
      markAsDeclared(Context, Inner);
  auto *Function = dyn_cast<FunctionDecl>(D);
  if (!Function || Function->hasAttr<EnableIfAttr>())
    return;
  if (const FunctionTemplateDecl *Template = Function->getPrimaryTemplate())
    copyMarks(Context, *Template->getTemplatedDecl(), *Function);
  else if (FunctionDecl *Earlier = earlierKernel(Context, *Function)) {
    copyMarks(Context, *Earlier, *Function);
    Function->setPreviousDeclaration(Earlier);
  }
}

} // namespace aspen
