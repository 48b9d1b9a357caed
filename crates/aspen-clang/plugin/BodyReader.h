//! What one function's body says of what only the host can do.

#ifndef ASPEN_CLANG_BODY_READER_H
#define ASPEN_CLANG_BODY_READER_H

#include "Evaluated.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugLoc.h"

namespace aspen {

/// What one body says about exceptions and types at run time, and where its expressions stand.
class BodyReader : public EvaluatedVisitor<BodyReader> {
  const clang::ASTContext &Context;
  const clang::SourceManager &SM;
  unsigned Line = 0, Column = 0;

public:
  std::vector<const clang::CXXThrowExpr *> Throws;
  std::vector<const clang::CXXTryStmt *> Tries;
  /// Of values whose type is known at run time only.
  std::vector<const clang::CXXTypeidExpr *> Typeids;
  /// Values of a type that only the host has with its size: x87's.
  const clang::Expr *LongDouble = nullptr;
  /// Virtual functions that are called on objects whose class is known at run time only, or whose address is taken.
  llvm::SmallPtrSet<const clang::CXXMethodDecl *, 4> Virtual;
  /// The expression at the wanted place.
  clang::SourceLocation Found;

  explicit BodyReader(const clang::ASTContext &Context) : EvaluatedVisitor(Context), Context(Context), SM(Context.getSourceManager()) {}

  /// The location that debug info says; invalid if the body holds nothing there.
  void want(const llvm::DebugLoc &At) {
    if (At)
      Line = At.getLine(), Column = At.getCol();
  }

  /// The name by which the body mentions a function: with the namespace of the using-declaration that it goes through, as `std::rand`.
  std::string mentioned(const clang::FunctionDecl *Function) const {
    for (const clang::DeclRefExpr *E : Qualified)
      if (E->getDecl()->getCanonicalDecl() == Function->getCanonicalDecl())
        if (const auto *By = clang::dyn_cast<clang::UsingShadowDecl>(E->getFoundDecl()))
          if (const auto *Namespace = clang::dyn_cast<clang::NamespaceDecl>(By->getDeclContext()))
            return Namespace->getQualifiedNameAsString() + "::" + Function->getNameAsString();
    return "";
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *E) {
    if (E->hasQualifier())
      Qualified.push_back(E);
    addVirtual(E->getDecl());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *E) {
    if (!E->hasQualifier())
      addVirtual(E->getMemberDecl());
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *E) {
    const clang::CXXRecordDecl *Class = E->getDestroyedType().isNull() ? nullptr : E->getDestroyedType()->getAsCXXRecordDecl();
    if (const auto *Destructor = Class && Class->hasDefinition() ? Class->getDestructor() : nullptr)
      addVirtual(Destructor);
    return true;
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr *E) {
    Throws.push_back(E);
    return true;
  }
  bool VisitCXXTryStmt(clang::CXXTryStmt *S) {
    Tries.push_back(S);
    return true;
  }
  bool VisitCXXTypeidExpr(clang::CXXTypeidExpr *E) {
    if (E->isPotentiallyEvaluated() && !E->isMostDerived(Context))
      Typeids.push_back(E);
    return true;
  }
  /// Of literals and what is computed from them nothing is stored, and C++ converts freely. The text of a static_assert has no type.
  bool VisitExpr(clang::Expr *E) {
    if (!LongDouble && E->isGLValue() && !E->getType().isNull() && Context.hasSameUnqualifiedType(E->getType(), Context.LongDoubleTy))
      LongDouble = E;
    return true;
  }
  /// A block is where destructors run, at its end.
  bool TraverseCompoundStmt(clang::CompoundStmt *Block) { return VisitStmt(Block) && EvaluatedVisitor::TraverseCompoundStmt(Block); }
  bool VisitStmt(clang::Stmt *S) {
    if (Line == 0 || Found.isValid())
      return true;
    if (const auto *E = clang::dyn_cast<clang::Expr>(S); E && (isThere(E->getExprLoc()) || isThere(E->getBeginLoc())))
      Found = isThere(E->getExprLoc()) ? E->getExprLoc() : E->getBeginLoc();
    else if (isThere(S->getBeginLoc()) || isThere(S->getEndLoc()))
      Found = isThere(S->getBeginLoc()) ? S->getBeginLoc() : S->getEndLoc();
    return true;
  }

private:
  std::vector<const clang::DeclRefExpr *> Qualified;

  void addVirtual(const clang::ValueDecl *D) {
    if (const auto *Method = clang::dyn_cast<clang::CXXMethodDecl>(D); Method && Method->isVirtual())
      Virtual.insert(Method->getCanonicalDecl());
  }

  bool isThere(clang::SourceLocation Location) const {
    return Location.isValid() && (is(SM.getExpansionLoc(Location)) || is(SM.getFileLoc(Location)));
  }
  bool is(clang::SourceLocation Location) const {
    const clang::PresumedLoc Place = SM.getPresumedLoc(Location);
    return Place.isValid() && Place.getLine() == Line && Place.getColumn() == Column;
  }
};

} // namespace aspen

#endif
