//! What a kernel takes along: nothing by reference, and only what may be copied byte by byte. Source: DESIGN §4, SYCL 2020 §3.13.1.
//!
//! Headers cannot say this: no library can list what a lambda captures, and a lambda with one capture of a class for which the user has
//! specialised `sycl::is_device_copyable` is itself neither trivially copyable nor specialised.

#include "Captures.h"
#include "Diagnose.h"

#include "clang/AST/ASTLambda.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace aspen {
namespace {

class CaptureCheck {
  Sema &S;
  ASTContext &Context;
  DiagnosticsEngine &Diags;
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Seen;

public:
  explicit CaptureCheck(Sema &S) : S(S), Context(S.getASTContext()), Diags(S.getDiagnostics()) {}

  void kernel(const CXXRecordDecl *Functor) {
    references(Functor);
    Seen.clear();
    if (Functor && !isCopyable(Context.getCanonicalTagType(Functor), Functor->getLocation()))
      members(Functor);
  }

private:
  /// A header may wrap the user's lambda in a functor of its own.
  void references(const CXXRecordDecl *Record) {
    Record = Record ? Record->getDefinition() : nullptr;
    if (!Record || !Seen.insert(Record).second)
      return;
    if (Record->isLambda())
      for (const LambdaCapture &Capture : Record->captures())
        if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef) {
          error(Diags, Capture.getLocation(), "the kernel captures %0 by reference, but a device cannot reach it; capture by value, '[=]'")
              << Capture.getCapturedVar();
          noteLambda(Record);
        }
    for (const FieldDecl *Field : Record->fields())
      if (const CXXRecordDecl *Inner = Field->getType()->getAsCXXRecordDecl())
        references(Inner);
  }

  void noteLambda(const CXXRecordDecl *Lambda) { note(Diags, Lambda->getLocation(), "the kernel is this lambda"); }

  /// The rule is about captures and members; the function object itself need not be device-copyable. Lambdas inside it are taken apart
  /// likewise.
  void members(const CXXRecordDecl *Record) {
    Record = Record->getDefinition();
    if (!Record || Record->isInvalidDecl() || !Seen.insert(Record).second)
      return;
    for (const CXXBaseSpecifier &Base : Record->bases())
      if (const CXXRecordDecl *Class = Base.getType()->getAsCXXRecordDecl())
        if (!isCopyable(Base.getType(), Base.getBeginLoc()))
          members(Class);
    // A lambda's members are its captures, in their order.
    auto Capture = Record->isLambda() ? Record->captures_begin() : nullptr;
    for (const FieldDecl *Field : Record->fields()) {
      const LambdaCapture *Captured = Capture ? &*Capture++ : nullptr;
      const QualType Type = Context.getBaseElementType(Field->getType());
      const SourceLocation Location = Captured ? Captured->getLocation() : Field->getLocation();
      if (Type->isReferenceType() || isCopyable(Type, Location))
        continue;
      const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
      if (Class && Class->isLambda()) {
        members(Class);
        continue;
      }
      if (!Captured)
        error(Diags, Location, "the kernel's member %0 of type %1 is not device-copyable: it is neither trivially copyable nor is "
                               "'sycl::is_device_copyable' true for it")
            << Field << Type;
      else if (Captured->capturesVariable())
        error(Diags, Location, "the kernel captures %0 of type %1, which is not device-copyable: it is neither trivially copyable nor is "
                               "'sycl::is_device_copyable' true for it")
            << Captured->getCapturedVar() << Type;
      else
        error(Diags, Location, "the kernel captures '*this' of type %0, which is not device-copyable: it is neither trivially copyable nor is "
                               "'sycl::is_device_copyable' true for it")
            << Type;
      if (Captured)
        noteLambda(Record);
    }
  }

  /// A copy is its bytes. Pairs and tuples are not trivially copyable, as they cannot be assigned so, nor are closures that capture them;
  /// what is trivial to construct from another and to destroy is still its bytes.
  bool isCopyable(QualType Type, SourceLocation Location) {
    if (Type.isTriviallyCopyableType(Context))
      return true;
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    Class = Class ? Class->getDefinition() : nullptr;
    if (!Class || Class->isInvalidDecl())
      return true; // clang has its own words for it
    return traitIsTrue(Type.getUnqualifiedType(), Location) || isTriviallyCopied(Class);
  }

  static bool isTriviallyCopied(const CXXRecordDecl *Class) {
    return Class->hasTrivialCopyConstructor() && !Class->hasNonTrivialCopyConstructor() && Class->hasTrivialDestructor() &&
           !Class->defaultedCopyConstructorIsDeleted();
  }

  /// `sycl::is_device_copyable<Type>::value`, as the user's source would get it.
  bool traitIsTrue(QualType Type, SourceLocation Location) {
    ClassTemplateDecl *Trait = trait();
    if (!Trait)
      return false;
    EnterExpressionEvaluationContext Evaluated(S, Sema::ExpressionEvaluationContext::ConstantEvaluated);
    TemplateArgumentListInfo Arguments(Location, Location);
    Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(Type), Context.getTrivialTypeSourceInfo(Type, Location)));
    const QualType Special =
        S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Trait), Location, Arguments, nullptr, /*ForNestedNameSpecifier=*/false);
    if (Special.isNull() || !S.isCompleteType(Location, Special))
      return false;
    LookupResult Value(S, S.getPreprocessor().getIdentifierInfo("value"), Location, Sema::LookupOrdinaryName);
    Value.suppressDiagnostics();
    CXXRecordDecl *Class = Special->getAsCXXRecordDecl();
    if (!Class || !S.LookupQualifiedName(Value, Class))
      return false;
    const ExprResult E = S.BuildDeclarationNameExpr(CXXScopeSpec(), Value, /*NeedsADL=*/false);
    bool Result = false;
    return E.isUsable() && !E.get()->isValueDependent() && E.get()->EvaluateAsBooleanCondition(Result, Context) && Result;
  }

  ClassTemplateDecl *trait() {
    Preprocessor &PP = S.getPreprocessor();
    NamespaceDecl *Sycl = nullptr;
    for (NamedDecl *Found : Context.getTranslationUnitDecl()->lookup(PP.getIdentifierInfo("sycl")))
      if (auto *Namespace = dyn_cast<NamespaceDecl>(Found))
        Sycl = Namespace;
    if (!Sycl)
      return nullptr;
    LookupResult Found(S, PP.getIdentifierInfo("is_device_copyable"), SourceLocation(), Sema::LookupOrdinaryName);
    Found.suppressDiagnostics();
    return S.LookupQualifiedName(Found, Sycl) ? Found.getAsSingle<ClassTemplateDecl>() : nullptr;
  }
};

} // namespace

void checkCaptures(Sema &S, const std::vector<Kernel> &Kernels) {
  // The same check for all: what two kernels share is shown once.
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Functors;
  CaptureCheck Check(S);
  for (const Kernel &K : Kernels)
    if (K.Functor && Functors.insert(K.Functor->getCanonicalDecl()).second)
      Check.kernel(K.Functor);
}

} // namespace aspen
