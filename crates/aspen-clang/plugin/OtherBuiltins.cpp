#include "OtherBuiltins.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace aspen {
namespace {

bool callsAny(const Builtin::Context &Known, const Stmt *Code) {
  if (const auto *Call = dyn_cast<CallExpr>(Code))
    if (const FunctionDecl *Callee = Call->getDirectCallee(); Callee && Known.isAuxBuiltinID(Callee->getBuiltinID()))
      return true;
  return llvm::any_of(Code->children(), [&](const Stmt *Part) { return Part && callsAny(Known, Part); });
}

void keepFromEvaluation(const ASTContext &Context, Decl *D) {
  if (const auto *Block = dyn_cast<LinkageSpecDecl>(D)) {
    for (Decl *Inside : Block->decls())
      keepFromEvaluation(Context, Inside);
    return;
  }
  auto *Function = dyn_cast<FunctionDecl>(D);
  if (Function && Function->isConstexpr() && Function->doesThisDeclarationHaveABody() && Context.getSourceManager().isInSystemHeader(Function->getLocation()) &&
      callsAny(Context.BuiltinInfo, Function->getBody()))
    Function->setConstexprKind(ConstexprSpecKind::Unspecified);
}

} // namespace

void keepFromEvaluation(const ASTContext &Context, DeclGroupRef Group) {
  if (Context.getAuxTargetInfo())
    for (Decl *D : Group)
      keepFromEvaluation(Context, D);
}

} // namespace aspen
