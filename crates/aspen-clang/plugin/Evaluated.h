//! Visits what one body evaluates: not the functions and classes inside it, not operands that are never evaluated, and no branch that clang
//! drops when it emits the body.

#ifndef ASPEN_CLANG_EVALUATED_H
#define ASPEN_CLANG_EVALUATED_H

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

namespace aspen {

/// A visitor to derive from, as from `RecursiveASTVisitor`.
template <class Derived> class EvaluatedVisitor : public clang::RecursiveASTVisitor<Derived> {
  using Base = clang::RecursiveASTVisitor<Derived>;
  Derived &self() { return *static_cast<Derived *>(this); }
  const clang::ASTContext &Context;

public:
  explicit EvaluatedVisitor(const clang::ASTContext &Context) : Context(Context) {}

  /// The initialisers of a constructor, then the body.
  void visitBody(const clang::FunctionDecl *Function) {
    if (const auto *Constructor = clang::dyn_cast<clang::CXXConstructorDecl>(Function))
      for (clang::CXXCtorInitializer *Init : Constructor->inits())
        if (Init->getInit())
          self().TraverseStmt(Init->getInit());
    if (clang::Stmt *Body = Function->getBody())
      self().TraverseStmt(Body);
  }

  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseLambdaExpr(clang::LambdaExpr *Lambda) {
    for (clang::Expr *Init : Lambda->capture_inits())
      if (!self().TraverseStmt(Init))
        return false;
    return true;
  }
  bool TraverseIfStmt(clang::IfStmt *If) {
    if (If->isConsteval())
      return visit(If->isNonNegatedConsteval() ? If->getElse() : If->getThen());
    std::optional<bool> Taken = If->isConstexpr() ? folded(If->getCond()) : foldedIfDropped(If->getCond(), If->getThen(), If->getElse());
    if (!Taken)
      return Base::TraverseIfStmt(If);
    return visit(If->getInit()) && (If->isConstexpr() || !If->getConditionVariableDeclStmt() || visit(If->getConditionVariableDeclStmt())) &&
           visit(*Taken ? If->getThen() : If->getElse());
  }
  bool TraverseConditionalOperator(clang::ConditionalOperator *E) {
    std::optional<bool> Taken = foldedIfDropped(E->getCond(), E->getTrueExpr(), E->getFalseExpr());
    return Taken ? visit(*Taken ? E->getTrueExpr() : E->getFalseExpr()) : Base::TraverseConditionalOperator(E);
  }
  bool TraverseBinaryOperator(clang::BinaryOperator *E) {
    if (E->isLogicalOp())
      if (std::optional<bool> Left = folded(E->getLHS()); Left && *Left == (E->getOpcode() == clang::BO_LOr))
        return true;
    return Base::TraverseBinaryOperator(E);
  }
  /// Nothing is emitted between a jump and the next label.
  bool TraverseCompoundStmt(clang::CompoundStmt *Block) {
    bool Reached = true;
    for (clang::Stmt *S : Block->body()) {
      Reached = Reached || hasLabel(S);
      if (Reached && !self().TraverseStmt(S))
        return false;
      if (clang::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt, clang::GotoStmt>(S))
        Reached = false;
    }
    return true;
  }
  bool TraverseCXXDefaultArgExpr(clang::CXXDefaultArgExpr *E) { return self().TraverseStmt(E->getExpr()); }
  bool TraverseCXXDefaultInitExpr(clang::CXXDefaultInitExpr *E) { return self().TraverseStmt(E->getExpr()); }
  bool TraverseDecl(clang::Decl *D) {
    return D && clang::isa<clang::TagDecl, clang::FunctionDecl, clang::TemplateDecl, clang::StaticAssertDecl>(D) ? true : Base::TraverseDecl(D);
  }
  /// What the compiler has computed is a number in the code.
  bool TraverseVarDecl(clang::VarDecl *V) { return isComputed(V) ? true : Base::TraverseVarDecl(V); }
  bool TraverseCXXTypeidExpr(clang::CXXTypeidExpr *E) { return !E->isPotentiallyEvaluated() || Base::TraverseCXXTypeidExpr(E); }
  bool TraverseTypeLoc(clang::TypeLoc, bool = true) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr *) { return true; }
  bool TraverseConstantExpr(clang::ConstantExpr *) { return true; }
  bool TraverseRequiresExpr(clang::RequiresExpr *) { return true; }
  bool TraverseAttr(clang::Attr *) { return true; }

private:
  static bool isComputed(const clang::VarDecl *V) {
    if (!V->hasInit() || V->getInit()->isValueDependent())
      return false;
    if (V->isConstexpr())
      return true;
    return V->hasGlobalStorage() ? V->hasConstantInitialization() : V->mightBeUsableInConstantExpressions(V->getASTContext()) && V->evaluateValue();
  }
  bool visit(clang::Stmt *S) { return !S || self().TraverseStmt(S); }

  std::optional<bool> folded(const clang::Expr *Condition) const {
    clang::Expr::EvalResult Value;
    if (Condition->isValueDependent() || !Condition->EvaluateAsInt(Value, Context))
      return std::nullopt;
    return Value.Val.getInt().getBoolValue();
  }

  /// As clang does: a label keeps a branch alive.
  std::optional<bool> foldedIfDropped(const clang::Expr *Condition, const clang::Stmt *Then, const clang::Stmt *Else) const {
    std::optional<bool> Value = Condition ? folded(Condition) : std::nullopt;
    return Value && !hasLabel(*Value ? Else : Then) ? Value : std::nullopt;
  }

  static bool hasLabel(const clang::Stmt *S) {
    return S && (clang::isa<clang::LabelStmt, clang::SwitchCase>(S) || llvm::any_of(S->children(), hasLabel));
  }
};

} // namespace aspen

#endif
