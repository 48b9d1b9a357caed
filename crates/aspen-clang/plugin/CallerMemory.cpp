//! `group_local_memory` gives each call in the source memory of its own by a type that is part of the call. A call in a template that does
//! not name the template's parameters has one such type for all instances, since C++ looks default arguments up once. So instances are told
//! apart here, where each is a function: what the header annotates is copied into every function that calls it, with its static variables.

#include "CallerMemory.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace clang;

namespace aspen {
namespace {

class Copies {
  CodeGenerator &Generator;
  llvm::SmallSetVector<llvm::Function *, 8> Annotated;

public:
  explicit Copies(CodeGenerator &Generator) : Generator(Generator) {
    for (llvm::Function &F : *Generator.GetModule())
      if (!F.isDeclaration() && isAnnotated(F))
        Annotated.insert(&F);
  }

  void make() {
    if (Annotated.empty())
      return;
    llvm::SmallVector<llvm::Function *, 32> Callers;
    for (llvm::Function &F : *Generator.GetModule())
      if (!F.isDeclaration() && !Annotated.contains(&F))
        Callers.push_back(&F);
    for (llvm::Function *Caller : Callers) {
      Known Made;
      replaceCalls(*Caller, *Caller, Made);
    }
    // They call each other, the outer ones first or last.
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (llvm::Function *F : llvm::to_vector(Annotated))
        if (F->use_empty()) {
          Annotated.remove(F);
          F->eraseFromParent();
          Changed = true;
        }
    }
  }

private:
  /// What a caller has copies of: functions, and their static variables.
  using Known = llvm::DenseMap<llvm::GlobalValue *, llvm::GlobalValue *>;

  bool isAnnotated(const llvm::Function &F) const {
    const auto *Function = dyn_cast_or_null<FunctionDecl>(Generator.GetDeclForMangledName(F.getName()));
    return Function && llvm::any_of(Function->specific_attrs<AnnotateAttr>(),
                                    [](const AnnotateAttr *A) { return A->getAnnotation() == "aspen.of_each_caller"; });
  }

  void replaceCalls(llvm::Function &In, const llvm::Function &Caller, Known &Made) {
    for (llvm::Instruction &I : llvm::instructions(In))
      if (auto *Call = dyn_cast<llvm::CallBase>(&I))
        if (llvm::Function *Callee = Call->getCalledFunction(); Callee && Annotated.contains(Callee))
          Call->setCalledFunction(copyOf(*Callee, Caller, Made));
  }

  llvm::Function *copyOf(llvm::Function &F, const llvm::Function &Caller, Known &Made) {
    if (llvm::GlobalValue *Copy = Made.lookup(&F))
      return cast<llvm::Function>(Copy);
    llvm::ValueToValueMapTy Map;
    for (llvm::GlobalVariable *Variable : staticVariables(F))
      Map[Variable] = copyOf(*Variable, Caller, Made);
    llvm::Function *Copy = llvm::CloneFunction(&F, Map);
    Made[&F] = Copy;
    makeOwn(*Copy, F, Caller);
    replaceCalls(*Copy, Caller, Made);
    return Copy;
  }

  static llvm::GlobalVariable *copyOf(llvm::GlobalVariable &Variable, const llvm::Function &Caller, Known &Made) {
    llvm::GlobalValue *&Copy = Made[&Variable];
    if (!Copy) {
      auto *New = new llvm::GlobalVariable(*Variable.getParent(), Variable.getValueType(), Variable.isConstant(),
                                           llvm::GlobalValue::InternalLinkage, Variable.hasInitializer() ? Variable.getInitializer() : nullptr,
                                           "", &Variable, Variable.getThreadLocalMode(), Variable.getAddressSpace());
      New->copyAttributesFrom(&Variable);
      makeOwn(*New, Variable, Caller);
      Copy = New;
    }
    return cast<llvm::GlobalVariable>(Copy);
  }

  /// The name says whose it is. Units that have the same caller have the same copies, as they have the same of what was copied.
  static void makeOwn(llvm::GlobalObject &Copy, const llvm::GlobalObject &Of, const llvm::Function &Caller) {
    Copy.setName(Of.getName() + ".of." + Caller.getName());
    const bool Shared = !Of.hasLocalLinkage() && !Caller.hasLocalLinkage();
    Copy.setComdat(Shared && Of.hasComdat() ? Copy.getParent()->getOrInsertComdat(Copy.getName()) : nullptr);
    Copy.setVisibility(llvm::GlobalValue::DefaultVisibility);
    Copy.setLinkage(Shared ? llvm::GlobalValue::LinkOnceODRLinkage : llvm::GlobalValue::InternalLinkage);
  }

  std::vector<llvm::GlobalVariable *> staticVariables(const llvm::Function &F) const {
    const auto *Function = cast<FunctionDecl>(Generator.GetDeclForMangledName(F.getName()));
    llvm::SmallSetVector<llvm::GlobalVariable *, 2> Found;
    for (llvm::GlobalVariable &Global : Generator.GetModule()->globals())
      if (const auto *Variable = dyn_cast_or_null<VarDecl>(Generator.GetDeclForMangledName(Global.getName()));
          Variable && Variable->isStaticLocal() && declaresSame(Variable->getDeclContext(), Function))
        Found.insert(&Global);
    return {Found.begin(), Found.end()};
  }

  static bool declaresSame(const DeclContext *Context, const FunctionDecl *Function) {
    const auto *Other = dyn_cast<FunctionDecl>(Context);
    return Other && Other->getCanonicalDecl() == Function->getCanonicalDecl();
  }
};

} // namespace

void copyForEachCaller(CodeGenerator &Generator) { Copies(Generator).make(); }

} // namespace aspen
