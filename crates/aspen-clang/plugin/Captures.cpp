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

/// The last member, capture or use in the user's own code on the way to what a library's class holds.
struct Holder {
  SourceLocation Location;
  /// The member or the captured variable; null for `*this` and for elements of a buffer.
  const ValueDecl *Which = nullptr;
  QualType Type;
  const CXXRecordDecl *Lambda = nullptr;
};

class CaptureCheck {
  Sema &S;
  /// Members are looked at in device passes: a class may have a reference on the host alone.
  const bool IsDevice;
  ASTContext &Context;
  DiagnosticsEngine &Diags;
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Seen;
  /// The user's classes that were searched for references.
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Searched;
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Containers;

public:
  explicit CaptureCheck(Sema &S) : S(S), IsDevice(S.getLangOpts().SYCLIsDevice), Context(S.getASTContext()), Diags(S.getDiagnostics()) {}

  void references(const CXXRecordDecl *Functor) {
    const QualType Type = Context.getCanonicalTagType(Functor);
    references(Type, {Functor->getLocation(), nullptr, Type}, false);
  }

  void copies(const CXXRecordDecl *Functor) {
    if (!isCopyable(Context.getCanonicalTagType(Functor), Functor->getLocation()))
      members(Functor);
  }

  /// What buffers and accessors hold is copied to devices likewise. Source: SYCL 2020 §4.7.2.
  void elements(const ClassTemplateSpecializationDecl *Container) {
    if (!Containers.insert(Container).second)
      return;
    for (const Decl *Member : Container->decls())
      if (const auto *Alias = dyn_cast<TypedefNameDecl>(Member))
        if (const IdentifierInfo *Name = Alias->getIdentifier(); Name && Name->isStr("aspen_transferred"))
          references(Alias->getUnderlyingType(), {Container->getPointOfInstantiation(), nullptr, Alias->getUnderlyingType()}, true);
  }

  /// Whether the user has specialised `sycl::is_device_copyable` for the class and says that its bytes may be copied. Source: SYCL 2020
  /// §3.13.1.
  bool isVouchedFor(QualType Type, const CXXRecordDecl *Record, SourceLocation Location) {
    return isSpecialisedFor(Record, Location) && traitIsTrue(Type.getUnqualifiedType(), Location);
  }

  /// Whether the user has specialised it, whatever that says.
  bool isSpecialisedFor(const CXXRecordDecl *Record, SourceLocation Location) {
    const ClassTemplateDecl *Trait = trait();
    const ClassTemplateSpecializationDecl *Special = Trait ? traitOf(Context.getCanonicalTagType(Record), Location) : nullptr;
    if (!Special)
      return false;
    bool IsUsers = Special->getSpecializationKind() == TSK_ExplicitSpecialization;
    const auto From = Special->getSpecializedTemplateOrPartial();
    if (const auto *Partial = dyn_cast<ClassTemplatePartialSpecializationDecl *>(From)) {
      const SourceManager &SM = Context.getSourceManager();
      IsUsers = IsUsers || SM.getFileID(Partial->getLocation()) != SM.getFileID(Trait->getLocation());
    }
    return IsUsers;
  }

private:
  /// What refers to the host's memory. References of the user's classes are shown where they stand, those inside other libraries' classes
  /// where the user's code holds such an object. A header of ours may wrap the user's lambda in a functor of its own.
  bool references(QualType Type, const Holder &H, bool IsElement) {
    const CXXRecordDecl *Record = Context.getBaseElementType(Type.getCanonicalType())->getAsCXXRecordDecl();
    Record = Record ? Record->getDefinition() : nullptr;
    if (!Record || Record->isInvalidDecl() || (!Record->isLambda() && isVouchedFor(Type, Record, H.Location)))
      return true;
    const bool IsUsers = !isLibrarys(Record);
    if (IsUsers && !Searched.insert(Record).second)
      return true;
    for (const CXXBaseSpecifier &Base : Record->bases()) {
      const Holder InBase = IsUsers ? Holder{Base.getBeginLoc(), nullptr, Base.getType()} : H;
      if (!references(Base.getType(), InBase, IsElement) && !IsUsers)
        return false;
    }
    // A lambda's members are its captures, in their order.
    auto Capture = Record->isLambda() ? Record->captures_begin() : nullptr;
    for (const FieldDecl *Field : Record->fields()) {
      const LambdaCapture *Captured = Capture ? &*Capture++ : nullptr;
      if (Captured && Captured->capturesVariable() && Captured->getCaptureKind() == LCK_ByRef) {
        if (IsDevice)
          continue; // the host's pass has said so
        error(Diags, Captured->getLocation(), "the kernel captures %0 by reference, but a device cannot reach it; capture by value, '[=]'")
            << Captured->getCapturedVar();
        noteLambda(Record);
        continue;
      }
      if (!Field->getType()->isReferenceType()) {
        const ValueDecl *Which = !Captured ? Field : Captured->capturesVariable() ? Captured->getCapturedVar() : nullptr;
        const SourceLocation Location = Captured ? Captured->getLocation() : Field->getLocation();
        const Holder Inner = IsUsers ? Holder{Location, Which, Field->getType(), Captured ? Record : nullptr} : H;
        if (!references(Field->getType(), Inner, IsElement) && !IsUsers)
          return false;
        continue;
      }
      if (!IsDevice)
        continue;
      if (IsUsers) {
        error(Diags, Field->getLocation(), "%select{the kernel|a buffer or accessor}0 holds %1 by reference, but a device cannot reach it; hold "
                                           "a copy, or a pointer to memory of the device")
            << IsElement << Field;
        continue;
      }
      const SourceManager &SM = Context.getSourceManager();
      if (IsElement && (H.Location.isInvalid() || SM.isInSystemHeader(SM.getExpansionLoc(H.Location))))
        return false; // an accessor that a header makes; its buffer is the user's
      if (H.Which)
        error(Diags, H.Location, "%select{the kernel|a buffer or accessor}0 holds %1 of type %2, which holds a reference, but a device cannot "
                                 "reach what that refers to; hold a copy, or a pointer to memory of the device")
            << IsElement << H.Which << H.Type;
      else
        error(Diags, H.Location, "%select{the kernel|a buffer or accessor}0 holds a %1, which holds a reference, but a device cannot reach what "
                                 "that refers to; hold a copy, or a pointer to memory of the device")
            << IsElement << H.Type;
      if (H.Lambda)
        noteLambda(H.Lambda);
      return false;
    }
    return true;
  }

  /// Classes whose members users do not choose.
  bool isLibrarys(const CXXRecordDecl *Record) const {
    if (Context.getSourceManager().isInSystemHeader(Context.getSourceManager().getExpansionLoc(Record->getLocation())))
      return true;
    const DeclContext *Outermost = nullptr;
    for (const DeclContext *C = Record->getDeclContext(); C && !C->isTranslationUnit(); C = C->getParent())
      Outermost = C;
    const auto *Namespace = dyn_cast_or_null<NamespaceDecl>(Outermost);
    return Namespace && (Namespace->getName() == "sycl" || Namespace->getName() == "std");
  }

  void noteLambda(const CXXRecordDecl *Lambda) { note(Diags, Lambda->getLocation(), "the kernel is this lambda"); }

  /// Whether it is an accessor that was made without a handler, or of host memory.
  static bool isForHost(const CXXRecordDecl *Class) {
    const auto *Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Class);
    if (!Of || !Of->getIdentifier())
      return false;
    if (Of->getName() == "host_accessor")
      return true;
    return Of->getName() == "accessor" && llvm::any_of(Of->getTemplateArgs().asArray(), [](const TemplateArgument &A) {
             if (A.getKind() != TemplateArgument::Integral)
               return false;
             std::string Text;
             llvm::raw_string_ostream Out(Text);
             A.print(PrintingPolicy(LangOptions()), Out, /*IncludeType=*/true);
             return llvm::StringRef(Text).ends_with("host_buffer");
           });
  }

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
      if (isForHost(Class))
        note(Diags, Location, "this accessor is for the host; a kernel's is made with the command's 'sycl::handler'");
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

  /// `sycl::is_device_copyable<Type>`, instantiated.
  ClassTemplateSpecializationDecl *traitOf(QualType Type, SourceLocation Location) {
    ClassTemplateDecl *Trait = trait();
    if (!Trait)
      return nullptr;
    TemplateArgumentListInfo Arguments(Location, Location);
    Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(Type), Context.getTrivialTypeSourceInfo(Type, Location)));
    const QualType Special =
        S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Trait), Location, Arguments, nullptr, /*ForNestedNameSpecifier=*/false);
    if (Special.isNull() || !S.isCompleteType(Location, Special))
      return nullptr;
    return dyn_cast_or_null<ClassTemplateSpecializationDecl>(Special->getAsCXXRecordDecl());
  }

  /// `sycl::is_device_copyable<Type>::value`, as the user's source would get it.
  bool traitIsTrue(QualType Type, SourceLocation Location) {
    EnterExpressionEvaluationContext Evaluated(S, Sema::ExpressionEvaluationContext::ConstantEvaluated);
    CXXRecordDecl *Class = traitOf(Type, Location);
    LookupResult Value(S, S.getPreprocessor().getIdentifierInfo("value"), Location, Sema::LookupOrdinaryName);
    Value.suppressDiagnostics();
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

/// Each once: what two kernels share is shown once.
void forEachFunctor(const std::vector<Kernel> &Kernels, llvm::function_ref<void(const CXXRecordDecl *)> Visit) {
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Functors;
  for (const Kernel &K : Kernels)
    if (K.Functor && K.Functor->hasDefinition() && Functors.insert(K.Functor->getCanonicalDecl()).second)
      Visit(K.Functor->getDefinition());
}

} // namespace

void checkReferences(Sema &S, const std::vector<Kernel> &Kernels) {
  CaptureCheck Check(S);
  forEachFunctor(Kernels, [&](const CXXRecordDecl *Functor) { Check.references(Functor); });
  // By index: looking at a trait may add types.
  const ASTContext &Context = S.getASTContext();
  for (size_t I = 0; I < Context.getTypes().size(); ++I)
    if (const auto *Type = dyn_cast<RecordType>(Context.getTypes()[I]))
      if (const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(Type->getDecl()))
        if (const auto *Definition = cast_or_null<ClassTemplateSpecializationDecl>(Class->getDefinition()); Definition && !Definition->isDependentContext())
          Check.elements(Definition);
}

bool isSpecialisedFor(Sema &S, const CXXRecordDecl *Record) { return CaptureCheck(S).isSpecialisedFor(Record, Record->getLocation()); }

void checkCopies(Sema &S, const std::vector<Kernel> &Kernels) {
  CaptureCheck Check(S);
  forEachFunctor(Kernels, [&](const CXXRecordDecl *Functor) { Check.copies(Functor); });
}

} // namespace aspen
