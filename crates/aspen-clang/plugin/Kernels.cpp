//! Which kernels there are. Clang keeps a table of them by name type, but cannot list it; so entries are collected as declarations arrive.

#include "Kernels.h"
#include "Attributes.h"
#include "Diagnose.h"
#include "Names.h"
#include "Redirected.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace clang;

namespace aspen {
namespace {

/// Whether another translation unit may have a different type of that name. Clang's linkage says "none" for local types, whatever the
/// function they are in, so that is decided by the function.
bool isInternal(QualType Type);
bool isInternalArgument(const TemplateArgument &A);

bool isInternalContext(const DeclContext *Context) {
  for (; Context && !Context->isTranslationUnit(); Context = Context->getParent()) {
    if (const auto *Namespace = dyn_cast<NamespaceDecl>(Context); Namespace && Namespace->isAnonymousNamespace())
      return true;
    if (const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(Context))
      if (llvm::any_of(Special->getTemplateArgs().asArray(), isInternalArgument))
        return true;
    if (const auto *Function = dyn_cast<FunctionDecl>(Context)) {
      if (Function->getFormalLinkage() == Linkage::Internal || Function->getFormalLinkage() == Linkage::UniqueExternal)
        return true;
      if (const TemplateArgumentList *Arguments = Function->getTemplateSpecializationArgs())
        if (llvm::any_of(Arguments->asArray(), isInternalArgument))
          return true;
    }
  }
  return false;
}

bool isInternalClosure(const CXXRecordDecl *Closure) {
  // In a function the function decides. A closure that initialises a variable is as visible as the variable; without either, clang numbers
  // closures by translation unit.
  for (const DeclContext *C = Closure->getDeclContext(); C && !C->isTranslationUnit(); C = C->getParent())
    if (isa<FunctionDecl>(C))
      return isInternalContext(Closure->getDeclContext());
  const Decl *Owner = Closure->getLambdaContextDecl();
  if (const auto *Named = dyn_cast_or_null<NamedDecl>(Owner))
    return !isExternalFormalLinkage(Named->getFormalLinkage()) && !isa<FieldDecl, ParmVarDecl>(Named);
  return true;
}

bool isInternalArgument(const TemplateArgument &A) {
  switch (A.getKind()) {
  case TemplateArgument::Type:
    return isInternal(A.getAsType());
  case TemplateArgument::Declaration:
    return !isExternalFormalLinkage(A.getAsDecl()->getFormalLinkage());
  case TemplateArgument::Pack:
    return llvm::any_of(A.pack_elements(), isInternalArgument);
  case TemplateArgument::Integral:
    return isInternal(A.getIntegralType());
  case TemplateArgument::StructuralValue:
    return isInternal(A.getStructuralValueType());
  case TemplateArgument::Template:
    if (const TemplateDecl *Template = A.getAsTemplate().getAsTemplateDecl())
      return !isExternalFormalLinkage(Template->getFormalLinkage());
    return false;
  default:
    return false;
  }
}

bool isInternalLinkage(Linkage L) { return L == Linkage::Internal || L == Linkage::UniqueExternal; }

bool isInternalClass(const CXXRecordDecl *Record) {
  if (Record->isLambda())
    return isInternalClosure(Record);
  if (const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(Record))
    if (llvm::any_of(Special->getTemplateArgs().asArray(), isInternalArgument))
      return true;
  return isInternalLinkage(Record->getFormalLinkage()) || isInternalContext(Record->getDeclContext());
}

bool isInternal(QualType Type) {
  if (const CXXRecordDecl *Record = Type->getAsCXXRecordDecl())
    return isInternalClass(Record);
  if (const auto *Enum = Type->getAs<EnumType>())
    return isInternalLinkage(Enum->getDecl()->getFormalLinkage()) || isInternalContext(Enum->getDecl()->getDeclContext());
  if (const auto *Member = Type->getAs<MemberPointerType>())
    if (const CXXRecordDecl *Record = Member->getMostRecentCXXRecordDecl(); Record && isInternalClass(Record))
      return true;
  if (const QualType Pointee = Type->getPointeeType(); !Pointee.isNull())
    return isInternal(Pointee);
  if (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    return isInternal(Array->getElementType());
  return isInternalLinkage(Type->getLinkage());
}

/// A text that is equal exactly if two types have numbers and pointers of equal kinds and sizes at equal places, in whatever classes. Names
/// do not enter: kinds and places are what the copied bytes need. Eigen's expressions have a reference on the host where on devices they have
/// a class with a pointer. What the user has specialised `sycl::is_device_copyable` for is its size.
class LayoutText {
  const ASTContext &Context;
  llvm::function_ref<bool(const CXXRecordDecl *)> IsSpecialisedFor;
  std::string Text;
  llvm::raw_string_ostream Out;
  bool IsVouchedFor = false;

public:
  LayoutText(const ASTContext &Context, llvm::function_ref<bool(const CXXRecordDecl *)> IsSpecialisedFor)
      : Context(Context), IsSpecialisedFor(IsSpecialisedFor), Out(Text) {}

  /// What stands at a place, in bits.
  void type(QualType Type, uint64_t At) {
    Type = Type.getCanonicalType();
    if (const auto *Array = Context.getAsConstantArrayType(Type)) {
      Out << '[' << Array->getSize().getZExtValue() << '*' << Context.getTypeSize(Array->getElementType()) << ']';
      return type(Array->getElementType(), At);
    }
    if (const CXXRecordDecl *Record = Type->getAsCXXRecordDecl())
      return record(Record, At);
    Out << At << '=';
    if (Type->isPointerType() || Type->isReferenceType() || Type->isNullPtrType())
      return place('p', Context.getTypeSize(Context.VoidPtrTy));
    if (const auto *Vector = Type->getAs<VectorType>()) {
      Out << '<' << Vector->getNumElements() << '>';
      return type(Vector->getElementType(), At);
    }
    const char Kind = Type->isMemberPointerType()       ? 'm'
                      : Type->isEnumeralType()          ? 'e'
                      : Type->isBooleanType()           ? 'b'
                      : Type->isSignedIntegerType()     ? 'i'
                      : Type->isIntegerType()           ? 'u'
                      : Type->isRealFloatingType()      ? 'f'
                                                        : '?';
    place(Kind, Context.getTypeSize(Type));
  }

  /// The lowest bit: whether the user vouches for the copy of something in it. Source: aspen_analysis::report::Launch.
  uint64_t hash() { return (llvm::xxh3_64bits(Out.str()) & ~uint64_t(1)) | (IsVouchedFor ? 1 : 0); }

private:
  void place(char Kind, uint64_t Bits) { Out << Kind << Bits << ','; }

  void record(const CXXRecordDecl *Record, uint64_t At) {
    Record = Record->getDefinition();
    if (!Record || Record->isInvalidDecl()) {
      Out << '?';
      return;
    }
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
    if (IsSpecialisedFor(Record)) {
      IsVouchedFor = true;
      Out << At << '=';
      return place('V', Context.toBits(Layout.getSize()));
    }
    if (Record->isUnion())
      Out << 'U';
    for (const CXXBaseSpecifier &Base : Record->bases()) {
      const CXXRecordDecl *Class = Base.getType()->getAsCXXRecordDecl();
      const CharUnits Offset = Base.isVirtual() ? Layout.getVBaseClassOffset(Class) : Layout.getBaseClassOffset(Class);
      record(Class, At + Context.toBits(Offset));
    }
    for (const FieldDecl *Field : Record->fields()) {
      if (Field->isBitField())
        Out << '/' << Field->getBitWidthValue();
      type(Field->getType(), At + Layout.getFieldOffset(Field->getFieldIndex()));
    }
  }
};

bool isNamed(const NamedDecl *D, llvm::StringRef Name) { return D->getIdentifier() && D->getName() == Name; }

/// The class of the kernel function that the user wrote: what the entry takes, or what the headers wrapped, which a wrapper's member type
/// `aspen_kernel_function` names. A wrapper's bases may have functions whose attributes are the kernel's.
const CXXRecordDecl *kernelFunction(QualType Type, Kernel &K) {
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return Record;
  for (const Decl *Member : Record->decls())
    if (const auto *Alias = dyn_cast<TypedefNameDecl>(Member); Alias && isNamed(Alias, "aspen_kernel_function")) {
      for (const CXXBaseSpecifier &Base : Record->bases())
        if (const CXXRecordDecl *Class = Base.getType()->getAsCXXRecordDecl())
          for (const Decl *Inner : Class->decls()) {
            if (const auto *Method = dyn_cast<CXXMethodDecl>(Inner); Method && isNamed(Method, "aspen_kernel_attributes"))
              K.Attributes.push_back(Method);
            if (const auto *Type = dyn_cast<TypedefNameDecl>(Inner))
              K.CallsIndirectly |= isNamed(Type, "aspen_calls_indirectly");
          }
      return kernelFunction(Alias->getUnderlyingType(), K);
    }
  return Record;
}

/// What attributes and properties require of the size of groups. One that contradicts another is an error, since neither could be kept.
std::optional<RequiredSize> agreed(ASTContext &Context, const Kernel &K, llvm::ArrayRef<const FunctionDecl *> Functions,
                                   std::optional<RequiredSize> FunctionAttributes::*Size, const char *What) {
  std::optional<RequiredSize> First;
  for (const FunctionDecl *Function : Functions) {
    const std::optional<RequiredSize> One = readAttributes(Context, Function).*Size;
    if (First && One && First->Numbers != One->Numbers)
      error(Context.getDiagnostics(), K.Location, "the kernel's attributes and properties require different %0 sizes") << What;
    if (One && !First)
      First = One;
  }
  return First;
}

/// Required sizes agree, and that of work-groups has as many dimensions as the range that the kernel is launched over: with others, no
/// launch can have groups of that size. Which `operator()` runs is known where there is one; the run time looks at the others, and at the
/// numbers. Source: SYCL 2020 §5.8.1.
void checkSizes(ASTContext &Context, const FunctionDecl *Entry, const Kernel &K) {
  llvm::SmallVector<const FunctionDecl *, 4> Calls, Deciding(K.Attributes.begin(), K.Attributes.end());
  for (const Decl *Member : K.Functor->decls()) {
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Member); Method && Method->getOverloadedOperator() == OO_Call)
      Calls.push_back(Method);
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(Member);
        Template && Template->getTemplatedDecl()->getOverloadedOperator() == OO_Call)
      for (const FunctionDecl *Special : Template->specializations())
        Calls.push_back(Special);
  }
  if (Calls.size() == 1)
    Deciding.push_back(Calls.front());
  const std::optional<RequiredSize> Required = agreed(Context, K, Deciding, &FunctionAttributes::WorkGroup, "work-group");
  agreed(Context, K, Deciding, &FunctionAttributes::SubGroup, "sub-group");
  const TemplateArgumentList *Arguments = Entry->getTemplateSpecializationArgs();
  static constexpr llvm::StringLiteral OverRanges[] = {"entry_range", "entry_nd_range", "entry_work_group"};
  if (!Arguments || llvm::none_of(OverRanges, [&](llvm::StringRef Name) { return isNamed(Entry, Name); }))
    return;
  const auto Integral = [](const TemplateArgument &A) { return A.getKind() == TemplateArgument::Integral; };
  const TemplateArgument *Dimensions = llvm::find_if(Arguments->asArray(), Integral);
  if (Dimensions == Arguments->asArray().end())
    return;
  const uint64_t Launched = Dimensions->getAsIntegral().getZExtValue();
  if (!Required || Required->Numbers.size() == Launched)
    return;
  const SourceManager &SM = Context.getSourceManager();
  const bool Written = !SM.isInSystemHeader(SM.getExpansionLoc(Required->Location)); // or it is a property's
  error(Context.getDiagnostics(), Written ? Required->Location : K.Location, "the required work-group size has %0 dimension%s0, but the kernel is launched over a range "
                                                      "of %1")
      << unsigned(Required->Numbers.size()) << unsigned(Launched);
  if (K.LaunchedAt.isValid())
    note(Context.getDiagnostics(), K.LaunchedAt, "the kernel is launched here");
}

} // namespace

void KernelCollector::see(DeclGroupRef Group) {
  for (Decl *D : Group)
    see(D);
}

void KernelCollector::see(Decl *D) {
  if (auto *Function = dyn_cast<FunctionDecl>(D)) {
    if (Function->hasAttr<SYCLKernelEntryPointAttr>())
      Entries.push_back(Function);
    if (Function->isThisDeclarationADefinition() && !Function->isInlined() && Function->getTemplatedKind() == FunctionDecl::TK_NonTemplate)
      Functions.push_back(Function);
  } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, CXXRecordDecl>(D)) {
    // Instantiations arrive one by one; entries that are no templates may stand in here.
    if (const auto *Record = dyn_cast<CXXRecordDecl>(D); Record && Record->isDependentContext())
      return;
    for (Decl *Inner : cast<DeclContext>(D)->decls())
      see(Inner);
  }
}

std::vector<FunctionDecl *> KernelCollector::functionsForOthers() const {
  std::vector<FunctionDecl *> Result;
  llvm::copy_if(Functions, std::back_inserter(Result), [](const FunctionDecl *F) {
    return isKernelFunction(*F) && !F->isUsed() && !F->isInvalidDecl() && F->isExternallyVisible();
  });
  return Result;
}

void KernelCollector::instantiated(const FunctionDecl *Function, SourceLocation Because) {
  if (Because.isValid() && Function->hasAttr<SYCLKernelEntryPointAttr>())
    Launches.try_emplace(Function->getCanonicalDecl(), Because);
}

std::vector<Kernel> KernelCollector::finish(ASTContext &Context, llvm::function_ref<bool(const CXXRecordDecl *)> IsSpecialisedFor) const {
  std::vector<Kernel> Result;
  llvm::SmallPtrSet<const FunctionDecl *, 16> Seen;
  for (const FunctionDecl *Entry : Entries) {
    const auto *A = Entry->getAttr<SYCLKernelEntryPointAttr>();
    if (A->isInvalidAttr() || Entry->isDependentContext() || Entry->isInvalidDecl() || A->getKernelName()->isDependentType() ||
        !Seen.insert(Entry->getCanonicalDecl()).second)
      continue;
    const SYCLKernelInfo *Info = Context.findSYCLKernelInfo(A->getKernelName());
    if (!Info || !declaresSameEntity(Info->getKernelEntryPointDecl(), Entry))
      continue;
    Kernel K;
    K.Symbol = Info->GetKernelName();
    K.Name = typeName(Context, Info->getKernelNameType());
    K.Internal = isInternal(Info->getKernelNameType());
    K.Location = Entry->getLocation();
    K.LaunchedAt = Launches.lookup(Entry->getCanonicalDecl());
    if (Entry->getNumParams() > 0) {
      QualType Type = Entry->getParamDecl(0)->getType().getNonReferenceType();
      if (!Type->isIncompleteType()) {
        K.Size = Context.getTypeSizeInChars(Type).getQuantity();
        LayoutText Layout(Context, IsSpecialisedFor);
        Layout.type(Type, 0);
        K.Layout = Layout.hash();
      }
      if (const CXXRecordDecl *Record = kernelFunction(Type, K)) {
        K.Functor = Record;
        K.IsPlainNdRange = isNamed(Entry, "entry_nd_range") && declaresSameEntity(Record, Type->getAsCXXRecordDecl());
        K.Location = Record->getLocation();
        for (const CXXMethodDecl *Method : Record->methods())
          if (Method->getOverloadedOperator() == OO_Call)
            checkInstantiated(Context, Method);
        checkSizes(Context, Entry, K);
      }
    }
    Result.push_back(std::move(K));
  }
  llvm::stable_sort(Result, [&](const Kernel &A, const Kernel &B) {
    if (A.LaunchedAt.isInvalid() || B.LaunchedAt.isInvalid())
      return A.LaunchedAt.isValid() && B.LaunchedAt.isInvalid();
    return Context.getSourceManager().isBeforeInTranslationUnit(A.LaunchedAt, B.LaunchedAt);
  });
  return Result;
}

} // namespace aspen
