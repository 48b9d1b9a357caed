//! Uses that leave no type in the module: an access to an empty member is an address, one to an alternative of a union not even that, a
//! copy is so many bytes, and an object whose copy constructor does something is passed as a pointer.
//!
//! Only what clang emits counts (Evaluated.h), and never the pointer or reference itself, nor a conversion between such.

#include "Uses.h"
#include "Evaluated.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace aspen {
namespace {

class Finder : public EvaluatedVisitor<Finder> {
  TypeAspects &Aspects;
  llvm::function_ref<void(const Values &, SourceLocation)> Found;
  /// The closure whose `operator()` this is.
  const CXXRecordDecl *Closure = nullptr;

public:
  Finder(ASTContext &Context, TypeAspects &Aspects, const FunctionDecl *Function,
         llvm::function_ref<void(const Values &, SourceLocation)> Found)
      : EvaluatedVisitor(Context), Aspects(Aspects), Found(Found) {
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Function); Method && Method->getParent()->isLambda())
      Closure = Method->getParent();
  }

  void use(const Values &Needed, SourceLocation Location) {
    if (!Needed.empty())
      Found(Needed, Location);
  }

  /// A constructor makes the members of its class.
  void initialisers(const CXXConstructorDecl *Constructor) {
    for (const CXXCtorInitializer *Init : Constructor->inits())
      if (Init->isAnyMemberInitializer())
        use(Aspects.of(Constructor->getParent()), Init->isWritten() ? Init->getSourceLocation() : Constructor->getLocation());
  }

  bool VisitMemberExpr(MemberExpr *E) {
    if (isNumber(E))
      return true;
    if (const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl()); Field && isEvaluated(E->isNonOdrUse()))
      if (const auto *Record = dyn_cast<CXXRecordDecl>(Field->getParent()))
        use(Aspects.of(Record), E->getMemberLoc().isValid() ? E->getMemberLoc() : E->getExprLoc());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (Closure && E->refersToEnclosingVariableOrCapture() && isEvaluated(E->isNonOdrUse()))
      use(Aspects.of(Closure), E->getLocation());
    return true;
  }
  bool TraverseMemberExpr(MemberExpr *E) {
    const Expr *Object = E;
    while (const auto *Member = dyn_cast<MemberExpr>(Object))
      Object = Member->getBase()->IgnoreParenImpCasts();
    return isNumber(E) && isa<DeclRefExpr>(Object) ? true : EvaluatedVisitor::TraverseMemberExpr(E);
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isPtrMemOp())
      if (const auto *Pointer = E->getRHS()->getType()->getAs<MemberPointerType>(); Pointer && !Pointer->isMemberFunctionPointer())
        if (const CXXRecordDecl *Record = Pointer->getMostRecentCXXRecordDecl())
          use(Aspects.of(Record), E->getOperatorLoc());
    return true;
  }
  /// Not trivial ones are functions with uses of their own.
  bool VisitCallExpr(CallExpr *E) {
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
    if (Method && Method->isTrivial() && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()))
      use(Aspects.of(Method->getParent()), E->getExprLoc());
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *E) {
    use(Aspects.of(E->getAllocatedType()), E->getBeginLoc());
    return true;
  }

private:
  /// Whether clang emits a number in place of a member: of a constant object, as it does of integers.
  bool isNumber(const MemberExpr *E) const {
    const auto *Record = dyn_cast<CXXRecordDecl>(E->getMemberDecl()->getDeclContext());
    Expr::EvalResult Value;
    return Record && E->getType()->isIntegralOrEnumerationType() && !E->isValueDependent() && !Aspects.of(Record).empty() &&
           E->EvaluateAsInt(Value, Record->getASTContext(), Expr::SE_NoSideEffects);
  }
  static bool isEvaluated(NonOdrUseReason Reason) { return Reason != NOUR_Unevaluated && Reason != NOUR_Constant; }
};

} // namespace

void findUses(ASTContext &Context, TypeAspects &Aspects, const FunctionDecl *Function, bool HasBody,
              llvm::function_ref<void(const Values &, SourceLocation)> Found) {
  const FunctionDecl *Definition = nullptr;
  if (!Function->hasBody(Definition) || !Definition)
    Definition = Function;
  Finder Uses(Context, Aspects, Definition, Found);
  Uses.use(Aspects.of(Definition->getReturnType()), SourceLocation());
  for (const ParmVarDecl *Parameter : Definition->parameters())
    Uses.use(Aspects.of(Parameter->getType()), HasBody ? Parameter->getLocation() : SourceLocation());
  if (!HasBody)
    return;
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
    Uses.initialisers(Constructor);
  Uses.visitBody(Definition);
}

} // namespace aspen
