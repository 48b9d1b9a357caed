//! Functions that device code means otherwise than their declarations say.

#include "Redirected.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace aspen {

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

void markSpecialisation(ASTContext &Context, DeclGroupRef Group) {
  for (Decl *D : Group) {
    auto *Function = dyn_cast<FunctionDecl>(D);
    const FunctionTemplateDecl *Template = Function ? Function->getPrimaryTemplate() : nullptr;
    if (!Template || Function->getTemplateSpecializationKind() != TSK_ExplicitSpecialization || Function->hasAttr<EnableIfAttr>())
      continue;
    for (const auto *Mark : Template->getTemplatedDecl()->specific_attrs<EnableIfAttr>())
      if (!Mark->getCond()->isInstantiationDependent())
        Function->addAttr(Mark->clone(Context));
  }
}

} // namespace aspen
