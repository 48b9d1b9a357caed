//! What the source around a kernel says as numbers. `parallel_for(nd_range<2>(all, {16, 16}), [=]…)` says in which work-groups the lambda
//! runs, and `local_accessor<float, 2> tile(range<2>(16, 16), h)` what `tile[y][x]` multiplies by: by constants, or by variables of the
//! function that nothing changes. CUDA's programs have the latter by `__shared__ float tile[16][16]`.
//!
//! A device pass need not read what the host's does (`#ifdef __SYCL_DEVICE_ONLY__`, `sizeof(long double)`). Work-groups are compared when a
//! kernel is launched, and ranges when a program is linked. Source: docs/decisions/0049.

#include "KnownRanges.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace clang;

namespace aspen {
namespace {

using Numbers = llvm::SmallVector<uint64_t, 3>;

/// Of functions: offsets in what the first parameter points to, and the numbers there.
constexpr llvm::StringLiteral KnownKind = "aspen.known";
/// Of that parameter, which passes between functions may take away, or put another in its place.
constexpr llvm::StringLiteral ClosureAttribute = "aspen-closure";

/// What a range may be for arithmetic on it to be the same in every integer type of 32 bits and more.
constexpr uint64_t MaxNumber = 0x7fffffff;

/// The local variables of a function, and of lambdas in it, that are used otherwise than by reading their value.
class Changes : public RecursiveASTVisitor<Changes> {
  llvm::SmallPtrSet<const DeclRefExpr *, 16> Reads;

public:
  llvm::DenseSet<const VarDecl *> Changed;

  bool VisitImplicitCastExpr(const ImplicitCastExpr *E) {
    const auto *Use = dyn_cast<DeclRefExpr>(E->getSubExpr()->IgnoreParens());
    if (Use && (E->getCastKind() == CK_LValueToRValue ||
                (E->getCastKind() == CK_NoOp && E->getType()->isRecordType() && E->getType().isConstQualified())))
      Reads.insert(Use);
    return true;
  }
  bool VisitDeclRefExpr(const DeclRefExpr *Use) {
    const auto *Variable = dyn_cast<VarDecl>(Use->getDecl());
    if (Variable && Variable->hasLocalStorage() && !Use->getType().isConstQualified() && !Reads.contains(Use))
      Changed.insert(Variable);
    return true;
  }
  /// What a lambda does with what it refers to, its body says.
  bool TraverseLambdaCapture(LambdaExpr *Lambda, const LambdaCapture *Capture, Expr *Init) {
    return (Capture->getCaptureKind() == LCK_ByRef && !Lambda->isInitCapture(Capture)) ||
           RecursiveASTVisitor::TraverseLambdaCapture(Lambda, Capture, Init);
  }
};

class KnownRanges {
  const ASTContext &Context;
  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<Changes>> Functions;

public:
  explicit KnownRanges(const ASTContext &Context) : Context(Context) {}

  /// The range that the accessor is made with.
  std::optional<Numbers> ofAccessor(const VarDecl &Accessor) {
    const auto *Made = dyn_cast_or_null<CXXConstructExpr>(valueOf(Accessor));
    // Who derives from it may make it of other numbers than its own arguments.
    if (!isOfSycl(Accessor.getType(), "local_accessor") && !isOfSycl(Accessor.getType(), "accessor"))
      return std::nullopt;
    if (!Made || Made->getNumArgs() == 0 || Made->getConstructor()->isCopyOrMoveConstructor())
      return std::nullopt;
    return range(Made->getArg(0));
  }

  /// The work-groups of an ND-range that is a call's argument.
  std::optional<Numbers> ofWorkGroups(const Expr *E, unsigned Depth = 0) {
    E = E->IgnoreUnlessSpelledInSource();
    if (const auto *Use = dyn_cast<DeclRefExpr>(E)) {
      const auto *Variable = dyn_cast<VarDecl>(Use->getDecl());
      const bool Follows = Variable && Depth < MaxDepth && isOfSycl(Variable->getType(), "nd_range");
      const Expr *Value = Follows ? valueOf(*Variable) : nullptr;
      return Value ? ofWorkGroups(Value, Depth + 1) : std::nullopt;
    }
    if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(E))
      return ofWorkGroups(Cast->getSubExpr(), Depth + 1);
    const auto *Made = dyn_cast<CXXConstructExpr>(E);
    if (!Made || !isOfSycl(Made->getType(), "nd_range"))
      return std::nullopt;
    if (Made->getNumArgs() == 1 && Depth < MaxDepth)
      return ofWorkGroups(Made->getArg(0), Depth + 1);
    return Made->getNumArgs() >= 2 ? range(Made->getArg(1)) : std::nullopt;
  }

  static bool isOfSycl(QualType Type, llvm::StringRef Name) {
    const auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
    return Class && Class->getIdentifier() && Class->getName() == Name && isInSycl(*Class);
  }

  static bool isInSycl(const CXXRecordDecl &Class) {
    const auto *Space = dyn_cast<NamespaceDecl>(Class.getDeclContext());
    if (Space && Space->isInline())
      Space = dyn_cast<NamespaceDecl>(Space->getDeclContext());
    return Space && Space->getName() == "sycl" && Space->getDeclContext()->getRedeclContext()->isTranslationUnit();
  }

private:
  /// What the variable holds as long as it lives; null if that is not known.
  const Expr *valueOf(const VarDecl &Variable) {
    if (isa<ParmVarDecl>(Variable) || Variable.getType().isVolatileQualified() || Variable.getType()->isReferenceType())
      return nullptr;
    if (!Variable.getType().isConstQualified()) {
      const auto *Function = dyn_cast<FunctionDecl>(Variable.getDeclContext());
      if (!Variable.hasLocalStorage() || !Function || !Function->getBody())
        return nullptr;
      std::unique_ptr<Changes> &Seen = Functions[Function];
      if (!Seen) {
        Seen = std::make_unique<Changes>();
        Seen->TraverseStmt(Function->getBody());
      }
      if (Seen->Changed.contains(&Variable))
        return nullptr;
    }
    const Expr *Init = Variable.getAnyInitializer();
    return Init ? Init->IgnoreUnlessSpelledInSource() : nullptr;
  }

  static bool isRange(QualType Type) { return isOfSycl(Type, "range"); }

  /// The numbers of a range, or of what becomes one.
  std::optional<Numbers> range(const Expr *E, unsigned Depth = 0) {
    E = E->IgnoreUnlessSpelledInSource();
    if (Depth > MaxDepth)
      return std::nullopt;
    if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(E); Cast && isRange(E->getType()))
      return range(Cast->getSubExpr(), Depth + 1);
    if (E->getType()->isIntegralOrEnumerationType()) {
      const std::optional<uint64_t> One = number(E, Depth);
      return One ? std::optional(Numbers{*One}) : std::nullopt;
    }
    if (!isRange(E->getType()))
      return std::nullopt;
    if (const auto *Use = dyn_cast<DeclRefExpr>(E)) {
      const auto *Variable = dyn_cast<VarDecl>(Use->getDecl());
      const Expr *Value = Variable ? valueOf(*Variable) : nullptr;
      return Value ? range(Value, Depth + 1) : std::nullopt;
    }
    const auto *Made = dyn_cast<CXXConstructExpr>(E);
    if (!Made)
      return std::nullopt;
    if (Made->getNumArgs() == 1 && isRange(Made->getArg(0)->getType()))
      return range(Made->getArg(0), Depth + 1);
    Numbers All;
    for (const Expr *Argument : Made->arguments()) {
      const std::optional<uint64_t> One = Argument->getType()->isIntegralOrEnumerationType() ? number(Argument, Depth) : std::nullopt;
      if (!One)
        return std::nullopt;
      All.push_back(*One);
    }
    return All;
  }

  std::optional<uint64_t> number(const Expr *E, unsigned Depth) {
    if (E->isValueDependent() || Depth > MaxDepth || E->getType()->isBitIntType())
      return std::nullopt;
    // Some constants are others where the language wants one (std::is_constant_evaluated), which is not seen here.
    Expr::EvalResult Result, AsConstant;
    if (E->EvaluateAsInt(Result, Context))
      return E->EvaluateAsInt(AsConstant, Context, Expr::SE_NoSideEffects, /*InConstantContext=*/true) &&
                     AsConstant.Val.getInt() == Result.Val.getInt()
                 ? bounded(Result.Val.getInt())
                 : std::nullopt;
    E = E->IgnoreParens();
    if (const auto *Cast = dyn_cast<CastExpr>(E)) // what is bounded is the same in wider types
      return Cast->getCastKind() == CK_LValueToRValue || (Cast->getCastKind() == CK_IntegralCast && Context.getTypeSize(E->getType()) >= 32)
                 ? number(Cast->getSubExpr(), Depth + 1)
                 : std::nullopt;
    if (const auto *Use = dyn_cast<DeclRefExpr>(E)) {
      const auto *Variable = dyn_cast<VarDecl>(Use->getDecl());
      const Expr *Value = Variable && Variable->getType()->isIntegralOrEnumerationType() && Context.getTypeSize(Variable->getType()) >= 32
                              ? valueOf(*Variable)
                              : nullptr;
      return Value && Value->getType()->isIntegralOrEnumerationType() ? number(Value, Depth + 1) : std::nullopt;
    }
    const auto *Operation = dyn_cast<BinaryOperator>(E);
    if (!Operation || Context.getTypeSize(E->getType()) < 32)
      return std::nullopt;
    const std::optional<uint64_t> Left = number(Operation->getLHS(), Depth + 1), Right = number(Operation->getRHS(), Depth + 1);
    if (!Left || !Right)
      return std::nullopt;
    switch (Operation->getOpcode()) {
    case BO_Add:
      return bounded(*Left + *Right);
    case BO_Sub:
      return *Left >= *Right ? std::optional(*Left - *Right) : std::nullopt;
    case BO_Mul:
      return bounded(*Left * *Right);
    case BO_Div:
      return *Right ? std::optional(*Left / *Right) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  static std::optional<uint64_t> bounded(uint64_t Number) { return Number <= MaxNumber ? std::optional(Number) : std::nullopt; }
  static std::optional<uint64_t> bounded(const llvm::APSInt &Number) {
    return Number.isNonNegative() && Number.getActiveBits() <= 31 ? std::optional(Number.getZExtValue()) : std::nullopt;
  }

  /// Of expressions that stand for another; a variable may be made of itself.
  static constexpr unsigned MaxDepth = 32;
};

/// Where the class keeps the range that it was made with (a member `aspen_extent` of ours, maybe of a base), and of how many numbers.
struct Kept {
  CharUnits Offset;
  unsigned Numbers;
};

std::optional<Kept> keptExtent(const ASTContext &Context, const CXXRecordDecl *Class) {
  Class = Class ? Class->getDefinition() : nullptr;
  if (!Class || Class->isInvalidDecl() || Class->isDependentContext())
    return std::nullopt;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(Class);
  for (const FieldDecl *Field : Class->fields())
    if (Field->getIdentifier() && Field->getName() == "aspen_extent")
      return Kept{Context.toCharUnitsFromBits(Layout.getFieldOffset(Field->getFieldIndex())),
                  unsigned(Context.getTypeSize(Field->getType()) / 64)};
  for (const CXXBaseSpecifier &Base : Class->bases()) {
    const CXXRecordDecl *Of = Base.getType()->getAsCXXRecordDecl();
    if (std::optional<Kept> Found = Base.isVirtual() ? std::nullopt : keptExtent(Context, Of))
      return Kept{Layout.getBaseClassOffset(Of) + Found->Offset, Found->Numbers};
  }
  return std::nullopt;
}

std::vector<KnownNumber> numbersIn(const CXXRecordDecl &Lambda, const ASTContext &Context, KnownRanges &Known) {
  std::vector<KnownNumber> Found;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Lambda);
  auto Capture = Lambda.captures_begin();
  for (const FieldDecl *Field : Lambda.fields()) {
    const LambdaCapture &Captured = *Capture++;
    const auto *Variable = Captured.capturesVariable() ? dyn_cast<VarDecl>(Captured.getCapturedVar()) : nullptr;
    const std::optional<Kept> Extent = Variable ? keptExtent(Context, Field->getType()->getAsCXXRecordDecl()) : std::nullopt;
    const std::optional<Numbers> Range = Extent ? Known.ofAccessor(*Variable) : std::nullopt;
    // The only one of one dimension is no factor of any address.
    if (!Range || Range->size() != Extent->Numbers || Range->size() < 2)
      continue;
    const CharUnits At = Context.toCharUnitsFromBits(Layout.getFieldOffset(Field->getFieldIndex())) + Extent->Offset;
    for (auto [I, Number] : llvm::enumerate(*Range))
      Found.push_back({At.getQuantity() + 8 * I, Number});
  }
  return Found;
}

/// The call that launches a lambda which is written there, with the ND-range that it gives.
class LaunchOf : public RecursiveASTVisitor<LaunchOf> {
  const CXXRecordDecl &Lambda;

public:
  const Expr *NdRange = nullptr;
  explicit LaunchOf(const CXXRecordDecl &Lambda) : Lambda(Lambda) {}

  bool VisitCXXMemberCallExpr(const CXXMemberCallExpr *Call) {
    const CXXMethodDecl *Method = Call->getMethodDecl();
    if (!Method || !Method->getIdentifier() || Method->getName() != "parallel_for" || !isQueueOrHandler(*Method->getParent()))
      return true;
    bool IsIt = false;
    const Expr *Range = nullptr;
    for (const Expr *Argument : Call->arguments()) {
      if (const auto *Written = dyn_cast<LambdaExpr>(Argument->IgnoreUnlessSpelledInSource()))
        IsIt |= declaresSameEntity(Written->getLambdaClass(), &Lambda);
      if (KnownRanges::isOfSycl(Argument->getType(), "nd_range"))
        Range = Argument;
    }
    if (IsIt)
      NdRange = Range;
    return !IsIt;
  }

private:
  static bool isQueueOrHandler(const CXXRecordDecl &Class) {
    return KnownRanges::isInSycl(Class) && (Class.getName() == "queue" || Class.getName() == "handler");
  }
};

/// Writes to an entry what work-groups it is launched in, slowest dimension first and padded with 1. Who makes code of it reads that.
void stateWorkGroups(llvm::Function &Entry, const Kernel &K, KnownRanges &Known) {
  const auto *Around = dyn_cast<FunctionDecl>(K.Functor->getDeclContext());
  Stmt *Body = Around ? Around->getBody() : nullptr;
  if (!Body)
    return;
  LaunchOf Launch(*K.Functor);
  Launch.TraverseStmt(Body);
  const std::optional<Numbers> Groups = Launch.NdRange ? Known.ofWorkGroups(Launch.NdRange) : std::nullopt;
  if (!Groups || Groups->size() > 3 || llvm::is_contained(*Groups, 0))
    return;
  llvm::SmallVector<llvm::Metadata *, 3> Sizes;
  for (size_t D = 0; D < 3; ++D) {
    const uint64_t Size = D + Groups->size() < 3 ? 1 : (*Groups)[D + Groups->size() - 3];
    Sizes.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(Entry.getContext()), Size)));
  }
  Entry.setMetadata("aspen.work_group", llvm::MDNode::get(Entry.getContext(), Sizes));
}

} // namespace

void findKnownRanges(const ASTContext &Context, std::vector<Kernel> &Kernels) {
  KnownRanges Known(Context);
  for (Kernel &K : Kernels)
    if (K.Functor && K.Functor->isLambda())
      K.Known = numbersIn(*K.Functor, Context, Known);
}

void stateKnownRanges(CodeGenerator &Generator, const ASTContext &Context, const std::vector<Kernel> &Kernels) {
  KnownRanges Known(Context);
  llvm::DenseMap<const CXXRecordDecl *, const Kernel *> Lambdas;
  for (const Kernel &K : Kernels) {
    if (!K.Functor || !K.Functor->isLambda())
      continue;
    if (llvm::Function *Entry = K.IsPlainNdRange ? Generator.GetModule()->getFunction(K.Symbol) : nullptr; Entry && !Entry->isDeclaration())
      stateWorkGroups(*Entry, K, Known);
    if (!K.Known.empty())
      Lambdas[K.Functor->getCanonicalDecl()] = &K;
  }
  if (Lambdas.empty())
    return;
  for (llvm::Function &F : *Generator.GetModule()) {
    const auto *Method = F.isDeclaration() ? nullptr : dyn_cast_or_null<CXXMethodDecl>(Generator.GetDeclForMangledName(F.getName()));
    if (!Method || Method->getOverloadedOperator() != OO_Call || F.arg_empty() || !F.getArg(0)->getType()->isPointerTy())
      continue;
    const auto Found = Lambdas.find(Method->getParent()->getCanonicalDecl());
    if (Found == Lambdas.end())
      continue;
    llvm::Type *Word = llvm::Type::getInt64Ty(F.getContext());
    llvm::SmallVector<llvm::Metadata *, 8> Pairs;
    for (const KnownNumber &Of : Found->second->Known)
      for (uint64_t Number : {Of.Offset, Of.Number})
        Pairs.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(Word, Number)));
    F.setMetadata(KnownKind, llvm::MDNode::get(F.getContext(), Pairs));
    F.addParamAttr(0, llvm::Attribute::get(F.getContext(), ClosureAttribute));
  }
}

llvm::PreservedAnalyses PutKnownRanges::run(llvm::Function &F, llvm::FunctionAnalysisManager &) {
  const llvm::MDNode *Known = F.getMetadata(KnownKind);
  if (!Known || F.arg_empty() || !F.getAttributes().hasParamAttr(0, ClosureAttribute))
    return llvm::PreservedAnalyses::all();
  llvm::SmallDenseMap<uint64_t, llvm::Constant *, 8> Numbers;
  for (unsigned I = 0; I + 1 < Known->getNumOperands(); I += 2)
    Numbers[llvm::mdconst::extract<llvm::ConstantInt>(Known->getOperand(I))->getZExtValue()] =
        llvm::mdconst::extract<llvm::ConstantInt>(Known->getOperand(I + 1));
  bool Changed = false;
  for (llvm::Instruction &I : llvm::make_early_inc_range(llvm::instructions(F))) {
    auto *Load = dyn_cast<llvm::LoadInst>(&I);
    if (!Load || !Load->isSimple() || !Load->getType()->isIntegerTy(64))
      continue;
    llvm::APInt Offset(F.getDataLayout().getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    const llvm::Value *Base =
        Load->getPointerOperand()->stripAndAccumulateConstantOffsets(F.getDataLayout(), Offset, /*AllowNonInbounds=*/true);
    llvm::Constant *Number = Base == F.getArg(0) && Offset.isNonNegative() ? Numbers.lookup(Offset.getZExtValue()) : nullptr;
    if (!Number)
      continue;
    Load->replaceAllUsesWith(Number);
    Load->eraseFromParent();
    Changed = true;
  }
  if (!Changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses Kept;
  Kept.preserveSet<llvm::CFGAnalyses>();
  return Kept;
}

} // namespace aspen
