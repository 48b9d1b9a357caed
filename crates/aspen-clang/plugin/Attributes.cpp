//! Attribute handling proper: registration with clang's parser, checks where an attribute is written and when a template is instantiated,
//! and reading the values back. The token stage (Tokens.cpp) has already brought every attribute to a position that clang's parser accepts.

#include "Attributes.h"
#include "Diagnose.h"
#include "TypeAspects.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>

using namespace clang;
using llvm::StringRef;

namespace aspen {
namespace {

constexpr AttributeSpec Specs[] = {
    {"sycl", "device_has", "aspen.device_has", Arguments::Aspects, 0, Unlimited, true, false},
    {"sycl", "requires", "aspen.requires", Arguments::Aspects, 0, Unlimited, true, true},
    {"sycl_detail", "uses_aspects", "aspen.uses_aspects", Arguments::Aspects, 0, Unlimited, true, true},
    {"sycl", "reqd_work_group_size", "aspen.reqd_work_group_size", Arguments::Sizes, 1, 3, true, false},
    {"sycl", "work_group_size_hint", "aspen.work_group_size_hint", Arguments::Sizes, 1, 3, true, false},
    {"sycl", "reqd_sub_group_size", "aspen.reqd_sub_group_size", Arguments::Sizes, 1, 1, true, false},
    {"intel", "reqd_sub_group_size", "aspen.intel_reqd_sub_group_size", Arguments::Sizes, 1, 1, true, false},
    {"intel", "named_sub_group_size", "aspen.named_sub_group_size", Arguments::SubGroupName, 1, 1, true, false},
    {"sycl", "vec_type_hint", "aspen.vec_type_hint", Arguments::Type, 1, 1, true, false},
    // Older spellings, of three numbers.
    {"cl", "reqd_work_group_size", "aspen.cl_reqd_work_group_size", Arguments::Sizes, 1, 3, true, false},
    {"intel", "reqd_work_group_size", "aspen.cl_reqd_work_group_size", Arguments::Sizes, 1, 3, true, false},
    {"cl", "work_group_size_hint", "aspen.work_group_size_hint", Arguments::Sizes, 1, 3, true, false},
    {"cl", "intel_reqd_sub_group_size", "aspen.intel_reqd_sub_group_size", Arguments::Sizes, 1, 1, true, false},
    {"intel", "sub_group_size", "aspen.intel_reqd_sub_group_size", Arguments::Sizes, 1, 1, true, false},
    {"cl", "vec_type_hint", "aspen.vec_type_hint", Arguments::Type, 1, 1, true, false},
    // Only for our own header. Source: ARCHITECTURE "Guarded code".
    {"sycl_detail", "runs_where_device_has", "aspen.where_has", Arguments::Aspects, 0, Unlimited, true, false},
    {"sycl_detail", "runs_where_device_lacks", "aspen.where_lacks", Arguments::Aspects, 0, Unlimited, true, false},
};
constexpr size_t SpecCount = std::size(Specs);

/// What one translation unit has shown so far. Clang hands attribute handlers nothing of the plugin's, so this cannot live in a session.
struct Memory {
  std::vector<const FunctionDecl *> Decorated;
  std::set<std::pair<unsigned, std::string>> Reported;
  /// Where the token stage has seen names of ours, if it runs.
  std::optional<llvm::DenseSet<unsigned>> Noted;
};
Memory &memory() {
  static Memory M;
  return M;
}

StringRef withoutUnderscores(StringRef Name) {
  return Name.size() > 4 && Name.starts_with("__") && Name.ends_with("__") ? Name.drop_front(2).drop_back(2) : Name;
}

/// `::sycl::aspect`, also inside inline namespaces; another library may have a `sycl` of its own.
bool isAspectType(QualType Type) {
  const auto *Enum = Type.getCanonicalType()->getAs<EnumType>();
  if (!Enum || Enum->getDecl()->getName() != "aspect")
    return false;
  const auto *Namespace = dyn_cast<NamespaceDecl>(Enum->getDecl()->getDeclContext()->getRedeclContext());
  while (Namespace && Namespace->isInline())
    Namespace = dyn_cast<NamespaceDecl>(Namespace->getDeclContext()->getRedeclContext());
  return Namespace && Namespace->getName() == "sycl" && Namespace->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

bool isSizeType(QualType Type) { return Type->isIntegralOrUnscopedEnumerationType() && !Type->isBooleanType(); }

/// The name of a sub-group size, which the token stage has made a string.
std::optional<StringRef> subGroupName(const Expr *E) {
  if (const auto *Constant = dyn_cast<ConstantExpr>(E))
    E = Constant->getSubExpr();
  if (const auto *Literal = dyn_cast<StringLiteral>(E->IgnoreParenImpCasts()))
    return Literal->getString();
  return std::nullopt;
}

/// True the first time that this reason is given for this place: one faulty template is one error, however often it is instantiated.
bool firstTime(SourceLocation Location, StringRef Reason) {
  return memory().Reported.insert({Location.getRawEncoding(), Reason.str()}).second;
}

/// The type of one argument, as soon as it is known.
bool checkType(DiagnosticsEngine &Diags, const AttributeSpec &Spec, const Expr *E) {
  if (E->isTypeDependent() || Spec.Takes == Arguments::Type)
    return true;
  if (Spec.Takes == Arguments::Aspects && !isAspectType(E->getType())) {
    if (firstTime(E->getExprLoc(), "aspect"))
      error(Diags, E->getExprLoc(), "'%0' attribute takes values of type 'sycl::aspect', not %1") << Spec.spelling() << E->getType() << E->getSourceRange();
    return false;
  }
  if (Spec.Takes == Arguments::Sizes && !isSizeType(E->getType())) {
    if (firstTime(E->getExprLoc(), "integer"))
      error(Diags, E->getExprLoc(), "'%0' attribute takes integers, not %1") << Spec.spelling() << E->getType() << E->getSourceRange();
    return false;
  }
  if (Spec.Takes == Arguments::SubGroupName) {
    std::optional<StringRef> Name = subGroupName(E);
    if (!Name || (*Name != "automatic" && *Name != "primary")) {
      if (firstTime(E->getExprLoc(), "name"))
        error(Diags, E->getExprLoc(), "'%0' attribute takes 'automatic' or 'primary'") << Spec.spelling() << E->getSourceRange();
      return false;
    }
  }
  return true;
}

bool checkCount(DiagnosticsEngine &Diags, const AttributeSpec &Spec, SourceLocation Location, SourceRange Range, size_t Count) {
  if (Count >= Spec.Min && Count <= Spec.Max)
    return true;
  if (firstTime(Location, "count"))
    error(Diags, Location, "'%0' attribute takes %select{one argument|%2 to %3 arguments}1, not %4")
        << Spec.spelling() << (Spec.Min != Spec.Max) << Spec.Min << Spec.Max << unsigned(Count) << Range;
  return false;
}

/// The attribute on something that is neither function nor class.
bool reportWrongSubject(Sema &S, const ParsedAttr &A, const AttributeSpec &Spec, bool IsType) {
  if (IsType)
    error(S.getDiagnostics(), A.getLoc(), "'%0' attribute only applies to functions; a type takes '[[sycl_detail::uses_aspects(...)]]'")
        << Spec.spelling() << A.getRange();
  else
    error(S.getDiagnostics(), A.getLoc(), "'%0' attribute only applies to functions%select{|, classes and aliases of classes}1")
        << Spec.spelling() << Spec.OnTypes << A.getRange();
  return false;
}

/// What annotates a class: `[[sycl::requires]]` there is the older spelling of it. Source: S1, DESIGN §7.19.
constexpr llvm::StringLiteral OfTypes = "aspen.uses_aspects";

/// One attribute in all its spellings. Clang finds it by `scope::name` once parsed, but decides by the bare name whether to parse arguments
/// at all, so both are registered; an attribute without scope is then told apart in the handler.
class AttributeInfo : public ParsedAttrInfo {
  const AttributeSpec &Spec;
  std::vector<std::string> Names;
  std::vector<Spelling> Table;

public:
  explicit AttributeInfo(const AttributeSpec &Spec) : Spec(Spec) {
    const std::string Name = Spec.Name, Scope = Spec.Scope;
    for (const std::string &N : {Name, "__" + Name + "__"}) {
      Names.push_back(N);
      for (const std::string &C : {Scope, "__" + Scope + "__"})
        Names.push_back(C + "::" + N);
    }
    for (const std::string &N : Names)
      Table.push_back({ParsedAttr::AS_CXX11, N.c_str()});
    Spellings = Table;
    OptArgs = 15; // clang's word for "any number"
    AcceptsExprPack = 1;
  }

  bool isParamExpr(size_t) const override { return true; }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &A, const Decl *D) const override {
    if (!A.getScopeName())
      return true; // not ours: the handler says so
    if (isa<FunctionDecl, FunctionTemplateDecl>(D))
      return Spec.OnFunctions || reportWrongSubject(S, A, Spec, false);
    const bool IsType = isa<CXXRecordDecl, TypedefNameDecl>(D);
    return (IsType && Spec.OnTypes) || reportWrongSubject(S, A, Spec, IsType && Spec.Takes == Arguments::Aspects);
  }

  bool diagAppertainsToStmt(Sema &S, const ParsedAttr &A, const Stmt *) const override { return reportWrongSubject(S, A, Spec, false); }

  AttrHandling handleStmtAttribute(Sema &, Stmt *, const ParsedAttr &, Attr *&) const override { return AttributeNotApplied; }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &A) const override {
    DiagnosticsEngine &Diags = S.getDiagnostics();
    if (!A.getScopeName()) {
      S.Diag(A.getLoc(), diag::warn_unknown_attribute_ignored) << A << A.getRange();
      return AttributeNotApplied;
    }
    if (memory().Noted && !memory().Noted->contains(A.getLoc().getRawEncoding())) {
      error(Diags, A.getLoc(), "'%0' attribute is put together in a way that Aspen does not see; write its name in one piece") << Spec.spelling();
      return AttributeNotApplied;
    }
    llvm::SmallVector<Expr *, 8> Args;
    for (unsigned I = 0; I < A.getNumArgs(); ++I) {
      if (!A.isArgExpr(I)) {
        S.Diag(A.getLoc(), diag::err_attribute_argument_n_type) << A << I + 1 << AANT_ArgumentConstantExpr;
        return AttributeNotApplied;
      }
      Args.push_back(A.getArgAsExpr(I));
    }
    if (Args.size() == 1 && isMark(Args[0]))
      return handleAnnotation(S, D, A);
    if (!checkCount(Diags, Spec, A.getLoc(), A.getRange(), Args.size()))
      return AttributeNotApplied;
    for (const Expr *E : Args)
      if (!checkType(Diags, Spec, E))
        return AttributeNotApplied;

    StringRef Annotation = Spec.Annotation;
    Decl *Target = D;
    if (isa<CXXRecordDecl, TypedefNameDecl>(D)) {
      Annotation = OfTypes;
      if (auto *Alias = dyn_cast<TypedefNameDecl>(D))
        if (!(Target = classBehind(S, A, Alias)))
          return AttributeNotApplied;
    }
    auto *Applied = cast_or_null<AnnotateAttr>(S.CreateAnnotationAttr(A, Annotation, Args));
    if (!Applied)
      return AttributeNotApplied; // reported: not a constant
    bool Dependent = llvm::any_of(Applied->args(), [](const Expr *E) { return E->isValueDependent() || E->isTypeDependent(); });
    if (Dependent && Target != D)
      return reportDependentAlias(S, A);
    if (!Dependent && !evaluate(S.Context, Applied))
      return AttributeNotApplied;
    Target->addAttr(Applied);
    if (const FunctionDecl *Function = D->getAsFunction())
      memory().Decorated.push_back(Function);
    return AttributeApplied;
  }

private:
  static bool isMark(const Expr *E) {
    const auto *Literal = dyn_cast<StringLiteral>(E->IgnoreParenImpCasts());
    return Literal && Literal->getString() == InAnnotation;
  }

  /// The arguments are in an annotation in front, which only clang's own attributes may have: they expand packs.
  AttrHandling handleAnnotation(Sema &S, Decl *D, const ParsedAttr &A) const {
    auto Annotations = D->specific_attrs<AnnotateAttr>();
    const auto Found = llvm::find_if(Annotations, [&](const AnnotateAttr *One) { return One->getLocation() == A.getLoc() && findAnnotation(One); });
    if (Found == Annotations.end())
      return AttributeNotApplied; // clang has said why
    if (isa<TypedefNameDecl>(D))
      return reportDependentAlias(S, A);
    if (AnnotateAttr *Written = *Found; isa<CXXRecordDecl>(D) && Written->getAnnotation() != OfTypes)
      llvm::replace(D->getAttrs(), static_cast<Attr *>(Written),
                    static_cast<Attr *>(AnnotateAttr::Create(S.Context, OfTypes, Written->args_begin(), Written->args_size(), *Written)));
    if (const FunctionDecl *Function = D->getAsFunction())
      memory().Decorated.push_back(Function);
    return AttributeApplied;
  }

  /// The class behind the alias would have to be another one for each argument of the template.
  AttrHandling reportDependentAlias(Sema &S, const ParsedAttr &A) const {
    error(S.getDiagnostics(), A.getLoc(), "'%0' attribute on an alias would be lost, because its aspects depend on template arguments; put it on the class")
        << Spec.spelling() << A.getRange();
    return AttributeNotApplied;
  }

  /// An alias marks the class behind it, however that is then named. What is no class of its own would be lost where the alias is only
  /// sugar (`vec<h16>`), so it is an error. Source: DESIGN §7.9.
  Decl *classBehind(Sema &S, const ParsedAttr &A, const TypedefNameDecl *Alias) const {
    QualType Type = Alias->getUnderlyingType();
    if (Type->isDependentType()) {
      error(S.getDiagnostics(), A.getLoc(), "'%0' attribute on an alias of the dependent type %1 would be lost; put it on the class")
          << Spec.spelling() << Type << A.getRange();
      return nullptr;
    }
    if (CXXRecordDecl *Record = Type->getAsCXXRecordDecl())
      return Record;
    error(S.getDiagnostics(), A.getLoc(), "'%0' attribute on an alias of %1 would be lost in templates, because an alias is no type of its own; "
                                          "declare a class that holds it and put the attribute there")
        << Spec.spelling() << Type << A.getRange();
    return nullptr;
  }
};

template <size_t I> struct Registered : AttributeInfo {
  Registered() : AttributeInfo(Specs[I]) {}
};
template <size_t I> using Registration = ParsedAttrInfoRegistry::Add<Registered<I>>;
Registration<0> R0("aspen-0", Specs[0].Annotation);
Registration<1> R1("aspen-1", Specs[1].Annotation);
Registration<2> R2("aspen-2", Specs[2].Annotation);
Registration<3> R3("aspen-3", Specs[3].Annotation);
Registration<4> R4("aspen-4", Specs[4].Annotation);
Registration<5> R5("aspen-5", Specs[5].Annotation);
Registration<6> R6("aspen-6", Specs[6].Annotation);
Registration<7> R7("aspen-7", Specs[7].Annotation);
Registration<8> R8("aspen-8", Specs[8].Annotation);
Registration<9> R9("aspen-9", Specs[9].Annotation);
Registration<10> R10("aspen-10", Specs[10].Annotation);
Registration<11> R11("aspen-11", Specs[11].Annotation);
Registration<12> R12("aspen-12", Specs[12].Annotation);
Registration<13> R13("aspen-13", Specs[13].Annotation);
Registration<14> R14("aspen-14", Specs[14].Annotation);
Registration<15> R15("aspen-15", Specs[15].Annotation);
Registration<16> R16("aspen-16", Specs[16].Annotation);
static_assert(SpecCount == 17, "register the new attribute too");

/// A required work-group size that is always written with three numbers.
constexpr llvm::StringLiteral OpenClWorkGroup = "aspen.cl_reqd_work_group_size";

/// The dimensions of the item or range that a kernel's function takes; 0 if it takes none.
size_t dimensionsOf(const FunctionDecl *Function) {
  for (const ParmVarDecl *Parameter : Function->parameters()) {
    const CXXRecordDecl *Record = Parameter->getType().getNonReferenceType()->getAsCXXRecordDecl();
    const auto *Special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Record);
    if (Special && Special->getTemplateArgs().size() > 0 && Special->getTemplateArgs()[0].getKind() == TemplateArgument::Integral)
      return Special->getTemplateArgs()[0].getAsIntegral().getZExtValue();
  }
  return 0;
}

/// The numbers of an annotation. Older spellings have three dimensions, in SYCL's order as in DPC++, and sycl's as many as the kernel: ones
/// are left out, or put in, where the function says how many there are, and left out in front where it does not.
std::optional<Values> ordered(ASTContext &Context, const FunctionDecl *Function, const AnnotateAttr *A) {
  std::optional<Values> Result = evaluate(Context, A, Function);
  if (!Result || A->getAnnotation() != OpenClWorkGroup)
    return Result;
  const size_t Wanted = dimensionsOf(Function);
  while (Result->size() > std::max<size_t>(Wanted, 1) && Result->front() == 1)
    Result->erase(Result->begin());
  while (Wanted && Result->size() > Wanted && Result->back() == 1)
    Result->pop_back();
  while (Result->size() < std::min<size_t>(Wanted, 3))
    Result->insert(Result->begin(), 1);
  return Result;
}

/// Two attributes of one group on one function mean the same thing and must agree.
enum class Group { None, Declared, Uses, WorkGroup, SubGroup, Has, Lacks };

Group groupOf(StringRef Annotation) {
  return llvm::StringSwitch<Group>(Annotation)
      .Cases({"aspen.device_has", "aspen.requires"}, Group::Declared)
      .Case("aspen.uses_aspects", Group::Uses)
      .Cases({"aspen.reqd_work_group_size", OpenClWorkGroup}, Group::WorkGroup)
      .Cases({"aspen.reqd_sub_group_size", "aspen.intel_reqd_sub_group_size"}, Group::SubGroup)
      .Case("aspen.where_has", Group::Has)
      .Case("aspen.where_lacks", Group::Lacks)
      .Default(Group::None);
}

/// The values of one group that a declaration has of its own, not by inheritance.
struct OwnValues {
  Values Numbers;
  const AnnotateAttr *First = nullptr;
};

/// Names the instantiation that an error is about: the function's, or that of the class or function that it stands in, as a lambda does. One that
/// SYCL's header asked for tells nobody anything. Nothing outside templates.
void noteInstantiation(DiagnosticsEngine &Diags, const FunctionDecl *Of) {
  for (const DeclContext *Around = Of; Around; Around = Around->getParent()) {
    SourceLocation At;
    if (const auto *Function = dyn_cast<FunctionDecl>(Around))
      At = Function->getPointOfInstantiation();
    else if (const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(Around))
      At = Class->getPointOfInstantiation();
    if (At.isValid() && !Diags.getSourceManager().isInSystemHeader(At))
      return void(note(Diags, At, "in instantiation of %0 requested here") << cast<NamedDecl>(cast<Decl>(Around)));
  }
}

OwnValues ownValues(ASTContext &Context, const FunctionDecl *Function, Group G) {
  OwnValues Own;
  for (const auto *A : Function->specific_attrs<AnnotateAttr>()) {
    if (A->isInherited() || groupOf(A->getAnnotation()) != G)
      continue;
    std::optional<Values> V = ordered(Context, Function, A);
    if (!V)
      return {};
    if (!Own.First)
      Own.First = A;
    else if (G != Group::Declared && G != Group::Uses && *V != Own.Numbers) {
      const AttributeSpec *Spec = findAnnotation(A);
      if (firstTime(A->getLocation(), "twice")) {
        error(Context.getDiagnostics(), A->getLocation(), "'%0' attribute contradicts another one on the same declaration") << Spec->spelling() << A->getRange();
        note(Context.getDiagnostics(), Own.First->getLocation(), "the other attribute is here") << Own.First->getRange();
        noteInstantiation(Context.getDiagnostics(), Function);
      }
      continue;
    }
    Own.Numbers.append(V->begin(), V->end());
  }
  if (G == Group::Declared || G == Group::Uses) {
    llvm::sort(Own.Numbers);
    Own.Numbers.erase(std::unique(Own.Numbers.begin(), Own.Numbers.end()), Own.Numbers.end());
  }
  return Own;
}

/// An explicit specialisation may need something else than its template. Its declaration chain begins with what the template would have
/// become, which carries the template's attributes.
bool isTemplates(const FunctionDecl *Function, const AnnotateAttr *A) {
  const FunctionDecl *Pattern = nullptr;
  if (const FunctionTemplateDecl *Primary = Function->getPrimaryTemplate())
    Pattern = Primary->getTemplatedDecl();
  else if (const MemberSpecializationInfo *Member = Function->getMemberSpecializationInfo())
    Pattern = cast<FunctionDecl>(Member->getInstantiatedFrom());
  return Pattern && llvm::any_of(Pattern->specific_attrs<AnnotateAttr>(), [&](const AnnotateAttr *P) { return P->getLocation() == A->getLocation(); });
}

} // namespace

const AttributeSpec *findAttribute(StringRef Scope, StringRef Name) {
  for (const AttributeSpec &Spec : Specs)
    if (withoutUnderscores(Scope) == Spec.Scope && withoutUnderscores(Name) == Spec.Name)
      return &Spec;
  return nullptr;
}

std::vector<std::string> attributeNames() {
  std::vector<std::string> Result;
  for (const AttributeSpec &Spec : Specs) {
    Result.push_back(Spec.Name);
    Result.push_back("__" + Result.back() + "__");
  }
  return Result;
}

void expectNotedAttributes() { memory().Noted.emplace(); }

void noteAttribute(SourceLocation Begin) {
  if (memory().Noted)
    memory().Noted->insert(Begin.getRawEncoding());
}

const AttributeSpec *findAnnotation(const Attr *A) {
  const auto *Annotation = dyn_cast<AnnotateAttr>(A);
  if (!Annotation || !Annotation->getAnnotation().starts_with(AnnotationPrefix))
    return nullptr;
  for (const AttributeSpec &Spec : Specs)
    if (Annotation->getAnnotation() == Spec.Annotation)
      return &Spec;
  return nullptr;
}

std::optional<Values> evaluate(ASTContext &Context, const AnnotateAttr *A, const FunctionDecl *InstantiatedFor) {
  const AttributeSpec *Spec = findAnnotation(A);
  DiagnosticsEngine &Diags = Context.getDiagnostics();
  for (const Expr *E : A->args())
    if (E->isTypeDependent() || E->isValueDependent())
      return std::nullopt;
  const size_t ReportedBefore = memory().Reported.size();
  auto Where = [&] {
    const bool New = memory().Reported.size() != ReportedBefore;
    if (New && InstantiatedFor)
      noteInstantiation(Diags, InstantiatedFor);
    return std::nullopt;
  };
  if (!checkCount(Diags, *Spec, A->getLocation(), A->getRange(), A->args_size()))
    return Where();
  Values Result;
  for (const Expr *E : A->args()) {
    if (!checkType(Diags, *Spec, E))
      return Where();
    if (Spec->Takes == Arguments::Type || Spec->Takes == Arguments::SubGroupName)
      continue;
    Expr::EvalResult Value;
    if (!E->EvaluateAsRValue(Value, Context) || !Value.Val.isInt()) {
      if (firstTime(E->getExprLoc(), "constant"))
        error(Diags, E->getExprLoc(), "'%0' attribute takes constant expressions") << Spec->spelling() << E->getSourceRange();
      return Where();
    }
    const llvm::APSInt &Number = Value.Val.getInt();
    const bool IsSize = Spec->Takes == Arguments::Sizes;
    if ((Number.isSigned() && Number.isNegative()) || (IsSize && Number.isZero())) {
      if (firstTime(E->getExprLoc(), "positive"))
        error(Diags, E->getExprLoc(), "'%0' attribute takes %select{aspects, which are never negative|sizes greater than zero}1, not %2")
            << Spec->spelling() << IsSize << llvm::toString(Number, 10) << E->getSourceRange();
      return Where();
    }
    // Sub-group sizes and aspects are 32-bit in every format; work-group sizes are 64-bit. Source: DESIGN §3.
    const bool Wide = IsSize && Spec->Max > 1;
    if (Number.getActiveBits() > (Wide ? 64u : 32u)) {
      if (firstTime(E->getExprLoc(), "range"))
        error(Diags, E->getExprLoc(), "'%0' attribute: %1 is too large") << Spec->spelling() << llvm::toString(Number, 10) << E->getSourceRange();
      return Where();
    }
    Result.push_back(Number.getZExtValue());
  }
  return Result;
}

void checkInstantiated(ASTContext &Context, const Decl *D) {
  for (const auto *A : D->specific_attrs<AnnotateAttr>())
    if (findAnnotation(A))
      evaluate(Context, A, dyn_cast<FunctionDecl>(D));
  if (const auto *Function = dyn_cast<FunctionDecl>(D))
    for (Group G : {Group::WorkGroup, Group::SubGroup})
      ownValues(Context, Function, G);
}

void checkConflicts(ASTContext &Context) {
  for (const FunctionDecl *Function : memory().Decorated)
    for (Group G : {Group::Declared, Group::Uses, Group::WorkGroup, Group::SubGroup}) {
      OwnValues Mine = ownValues(Context, Function, G);
      if (!Mine.First)
        continue;
      bool IsLate = Function->getPreviousDecl() && G != Group::Uses;
      for (const FunctionDecl *Before = Function->getPreviousDecl(); Before; Before = Before->getPreviousDecl()) {
        OwnValues Theirs = ownValues(Context, Before, G);
        if (!Theirs.First || isTemplates(Function, Theirs.First))
          continue;
        IsLate = false;
        if (Theirs.Numbers != Mine.Numbers) {
          error(Context.getDiagnostics(), Mine.First->getLocation(), "'%0' attribute contradicts an earlier declaration of %1")
              << findAnnotation(Mine.First)->spelling() << Function << Mine.First->getRange();
          note(Context.getDiagnostics(), Theirs.First->getLocation(), "the earlier attribute is here") << Theirs.First->getRange();
        }
        break;
      }
      // What is instantiated implicitly before it is specialised is no declaration of the user's. Source: SYCL 2020 §5.8.
      if (IsLate && Function->getTemplateSpecializationKind() != TSK_ExplicitSpecialization) {
        warning(Context.getDiagnostics(), Mine.First->getLocation(), "'%0' attribute is missing on the first declaration of %1", diag::Group::Attributes)
            << findAnnotation(Mine.First)->spelling() << Function << Mine.First->getRange();
        note(Context.getDiagnostics(), Function->getFirstDecl()->getLocation(), "the first declaration is here; those who see no other count on less");
      }
    }
}

FunctionAttributes readAttributes(ASTContext &Context, const FunctionDecl *Function) {
  FunctionAttributes Result;
  // The most recent declaration has inherited everything; an attribute may stand on one after the use.
  for (const auto *A : Function->getMostRecentDecl()->specific_attrs<AnnotateAttr>()) {
    const AttributeSpec *Spec = findAnnotation(A);
    if (!Spec)
      continue;
    std::optional<Values> V = ordered(Context, Function, A);
    if (!V)
      continue; // reported
    switch (groupOf(A->getAnnotation())) {
    case Group::Declared:
      if (!Result.Declared)
        Result.Declared = DeclaredAspects{{}, Spec->spelling(), A->getLocation()};
      unite(Result.Declared->Aspects, *V);
      break;
    case Group::Uses:
      unite(Result.Uses, *V);
      break;
    case Group::WorkGroup:
      Result.WorkGroup = RequiredSize{*V, A->getLocation()};
      break;
    case Group::SubGroup:
      Result.SubGroup = RequiredSize{*V, A->getLocation()};
      break;
    case Group::Has:
      unite(Result.Has, *V);
      break;
    case Group::Lacks:
      Result.Lacks.push_back(*V);
      break;
    case Group::None:
      break;
    }
  }
  return Result;
}

std::optional<Values> readTypeAspects(ASTContext &Context, const CXXRecordDecl *Record) {
  std::optional<Values> Result;
  for (const auto *Declaration : Record->redecls())
    for (const auto *A : Declaration->specific_attrs<AnnotateAttr>()) {
      if (A->getAnnotation() != OfTypes)
        continue;
      if (std::optional<Values> V = evaluate(Context, A)) {
        if (!Result)
          Result.emplace();
        unite(*Result, *V);
      }
    }
  return Result;
}

void resetAttributes() { memory() = Memory(); }

std::function<void()> setAttributesAside() {
  auto Kept = std::make_shared<Memory>(std::move(memory()));
  resetAttributes();
  return [Kept] { memory() = std::move(*Kept); };
}

} // namespace aspen
