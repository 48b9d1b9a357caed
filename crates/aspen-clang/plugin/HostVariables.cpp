//! Finds device code that uses the host's mutable variables. A device would silently get a copy of its own that never changes with the
//! host's. Source: SYCL 2020 §5.4 "Language restrictions for device functions".
//!
//! The module decides: only what the device reaches is emitted, and what clang folds (constants, `sizeof`, discarded branches) leaves no
//! reference. The AST tells where the reference was written.

#include "HostVariables.h"
#include "DeviceGlobals.h"
#include "Diagnose.h"
#include "Evaluated.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <set>

using namespace clang;

namespace aspen {
namespace {

/// The first evaluated use of a variable in one body.
class UseFinder : public EvaluatedVisitor<UseFinder> {
  const VarDecl *Variable;
  SourceLocation Found;

public:
  explicit UseFinder(const VarDecl *Variable) : EvaluatedVisitor(Variable->getASTContext()), Variable(Variable) {}

  SourceLocation find(const FunctionDecl *Function) {
    visitBody(Function);
    return Found;
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) { return see(E->getDecl(), E->isNonOdrUse(), E->getLocation()); }
  bool VisitMemberExpr(MemberExpr *E) { return see(E->getMemberDecl(), E->isNonOdrUse(), E->getMemberLoc()); }

private:
  bool see(const ValueDecl *D, NonOdrUseReason Reason, SourceLocation Location) {
    if (Reason == NOUR_Unevaluated || Reason == NOUR_Constant || !declaresSameEntity(D, Variable))
      return true;
    Found = Location;
    return false;
  }
};

class HostVariableCheck {
  ASTContext &Context;
  CodeGenerator &Generator;
  const SourceManager &SM;
  /// Instantiations share their places.
  std::set<std::pair<SourceLocation, const VarDecl *>> Shown;

public:
  HostVariableCheck(ASTContext &Context, CodeGenerator &Generator)
      : Context(Context), Generator(Generator), SM(Context.getSourceManager()) {}

  void function(const llvm::Function &F) {
    const auto *Function = dyn_cast_or_null<FunctionDecl>(Generator.GetDeclForMangledName(F.getName()));
    if (!Function || F.isDeclaration())
      return;
    const FunctionDecl *Definition = nullptr;
    if (!Function->hasBody(Definition) || !Definition)
      Definition = Function;
    for (const llvm::GlobalVariable *Global : globals(F)) {
      const auto *Variable = dyn_cast_or_null<VarDecl>(Generator.GetDeclForMangledName(Global->getName()));
      const bool Elsewhere = Variable && Global->isDeclaration() && isConstElsewhere(Variable);
      if (!Variable || !(Elsewhere || isHosts(Variable)))
        continue;
      SourceLocation Location = UseFinder(Variable).find(Definition);
      if (Location.isInvalid()) // through a reference, or by code that nobody wrote
        Location = Definition->getLocation();
      if (!Shown.insert({Location, Variable->getCanonicalDecl()}).second)
        continue;
      DiagnosticsEngine &Diags = Context.getDiagnostics();
      if (Elsewhere)
        error(Diags, Location, "device code uses the variable %0, whose value stands in another translation unit: define it here (inline constexpr), "
                               "or capture a copy")
            << Variable;
      else if (Context.getBaseElementType(Variable->getType().getNonReferenceType()).isConstQualified())
        error(Diags, Location, "device code uses the variable %0, whose value only the host computes when the program starts: make it constexpr, "
                               "or capture a copy")
            << Variable;
      else
        error(Diags, Location, "device code uses the variable %0, which is neither const nor constexpr: a device has no access to the host's "
                               "variables; capture a copy or pass a pointer")
            << Variable;
      note(Diags, Variable->getLocation(), "%0 is declared here") << Variable;
    }
  }

private:
  /// The variables that a function's instructions name, in their order.
  static llvm::SetVector<const llvm::GlobalVariable *> globals(const llvm::Function &F) {
    llvm::SetVector<const llvm::GlobalVariable *> Result;
    llvm::SmallPtrSet<const llvm::Constant *, 32> Seen;
    llvm::SmallVector<const llvm::Constant *, 8> Pending;
    for (const llvm::Instruction &I : llvm::instructions(F)) {
      for (const llvm::Value *Operand : I.operand_values())
        if (const auto *C = dyn_cast<llvm::Constant>(Operand))
          Pending.push_back(C);
      while (!Pending.empty()) {
        const llvm::Constant *C = Pending.pop_back_val();
        if (!Seen.insert(C).second)
          continue;
        if (const auto *Global = dyn_cast<llvm::GlobalVariable>(C)) {
          if (!Global->isConstant() || Global->isDeclaration())
            Result.insert(Global);
          // What a constant points to is the device's own copy likewise; vtables and type information are the compiler's.
          else if (Global->hasInitializer() && !Global->getName().starts_with("_ZT"))
            Pending.push_back(Global->getInitializer());
        } else if (!isa<llvm::GlobalValue>(C)) {
          for (const llvm::Value *Operand : C->operand_values())
            if (const auto *Inner = dyn_cast<llvm::Constant>(Operand))
              Pending.push_back(Inner);
        }
      }
    }
    return Result;
  }

  static bool isEmpty(QualType Type) {
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    return Class && Class->hasDefinition() && Class->isEmpty();
  }

  /// A constant that is only declared here. What no code of the unit can say is left to the link.
  bool isConstElsewhere(const VarDecl *Variable) const {
    const QualType Type = Context.getBaseElementType(Variable->getType());
    return Variable->hasGlobalStorage() && Type.isConstQualified() && Type.getAddressSpace() == LangAS::Default && !isDeviceGlobal(Type) &&
           !Variable->getInitializingDeclaration() && !SM.isInSystemHeader(SM.getExpansionLoc(Variable->getLocation()));
  }

  /// Variables in an address space are the device's own, and device globals; what system headers do is theirs to answer for. An empty object
  /// has no value that could differ: `work_group_static` is one, and function objects are.
  bool isHosts(const VarDecl *Variable) const {
    const QualType Type = Context.getBaseElementType(Variable->getType().getNonReferenceType());
    const VarDecl *Initialised = Variable->getInitializingDeclaration();
    const bool IsKnown = !Initialised || !Initialised->hasInit() || Initialised->hasConstantInitialization();
    return Variable->hasGlobalStorage() && !Variable->isConstexpr() && !(Type.isConstQualified() && IsKnown) &&
           Type.getAddressSpace() == LangAS::Default && !isDeviceGlobal(Type) && !isEmpty(Type) &&
           !SM.isInSystemHeader(SM.getExpansionLoc(Variable->getLocation()));
  }
};

} // namespace

void checkHostVariables(ASTContext &Context, CodeGenerator &Generator) {
  HostVariableCheck Check(Context, Generator);
  for (const llvm::Function &F : *Generator.GetModule())
    Check.function(F);
}

} // namespace aspen
