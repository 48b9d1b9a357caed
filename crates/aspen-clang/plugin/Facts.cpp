//! Joins the module with the AST. The module decides which functions count (only what the device reaches is emitted); the AST tells their
//! names, attributes and the places of variables, which have no debug location. Source: DESIGN §8.3, §8.4.

#include "Facts.h"
#include "Attributes.h"
#include "Names.h"

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "clang/CodeGen/CodeGenABITypes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <map>

using namespace clang;
namespace json = llvm::json;

namespace aspen {
namespace {

json::Array numbers(const Values &V) {
  json::Array Result;
  for (uint64_t N : V)
    Result.push_back(N);
  return Result;
}

std::string printed(llvm::Type *Type) {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  Type->print(Out, /*IsForDebug=*/false, /*NoDetails=*/true);
  return Text;
}

/// Parameters by value and local variables of one body, not of the functions and classes inside it.
class VariableFinder : public RecursiveASTVisitor<VariableFinder> {
  llvm::function_ref<void(const VarDecl *)> Found;

public:
  explicit VariableFinder(llvm::function_ref<void(const VarDecl *)> Found) : Found(Found) {}

  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseLambdaExpr(LambdaExpr *Lambda) {
    for (Expr *Init : Lambda->capture_inits())
      TraverseStmt(Init);
    return true;
  }
  bool TraverseDecl(Decl *D) { return D && isa<TagDecl, FunctionDecl, TemplateDecl>(D) ? true : RecursiveASTVisitor::TraverseDecl(D); }
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *) { return true; }
  bool TraverseAttr(Attr *) { return true; }
  bool VisitVarDecl(VarDecl *V) {
    if (V->hasLocalStorage())
      Found(V);
    return true;
  }
};

class FactWriter {
  ASTContext &Context;
  CodeGenerator &Generator;
  llvm::Module &Module;
  const SourceManager &SM;
  /// Printed memory types of those that can need an aspect; empty for all others.
  llvm::DenseMap<const Type *, std::string> TypeNames;
  std::map<std::string, std::string> BodyNames;

public:
  FactWriter(ASTContext &Context, CodeGenerator &Generator)
      : Context(Context), Generator(Generator), Module(*Generator.GetModule()), SM(Context.getSourceManager()) {}

  json::Array types() {
    json::Array Result;
    llvm::StringSet<> Seen;
    // Clang's list of all types is in the order of their creation, and holds types from a precompiled header as soon as they are used.
    // By index: converting a type may add others.
    for (size_t I = 0; I < Context.getTypes().size(); ++I) {
      const auto *RT = dyn_cast<RecordType>(Context.getTypes()[I]);
      const auto *Record = RT ? dyn_cast<CXXRecordDecl>(RT->getDecl()) : nullptr;
      const CXXRecordDecl *Definition = Record ? Record->getDefinition() : nullptr;
      if (!Definition || Definition->isDependentContext() || Definition->isInvalidDecl())
        continue;
      std::optional<Values> Aspects = readTypeAspects(Context, Definition);
      if (!Aspects)
        continue;
      llvm::Type *Converted = CodeGen::convertTypeForMemory(Generator.CGM(), Context.getCanonicalTagType(Definition));
      const auto *Struct = dyn_cast<llvm::StructType>(Converted);
      if (Struct && Struct->hasName() && Seen.insert(Struct->getName()).second)
        Result.push_back(json::Object{{"name", utf8(Struct->getName())}, {"aspects", numbers(*Aspects)}});
    }
    return Result;
  }

  json::Array kernels(const std::vector<Kernel> &Kernels);

  json::Array functions() {
    json::Array Result;
    Result.reserve(Module.size()); // json::Value is not nothrow-movable: growing would copy all of it
    for (llvm::Function &F : Module)
      if (const auto *Function = dyn_cast_or_null<FunctionDecl>(declOf(F)))
        Result.push_back(function(F, Function));
    return Result;
  }

  json::Array files() const;

private:
  const Decl *declOf(const llvm::Function &F) const { return Generator.GetDeclForMangledName(F.getName()); }

  json::Object function(llvm::Function &F, const FunctionDecl *Function) {
    const FunctionAttributes A = readAttributes(Context, Function);
    auto Body = BodyNames.find(F.getName().str());
    json::Object Result{
        {"symbol", utf8(F.getName())},
        {"name", utf8(Body != BodyNames.end() ? Body->second : functionName(Context, Function))},
        {"exported", Function->getMostRecentDecl()->hasAttr<SYCLExternalAttr>()},
        {"declared", nullptr},
        {"uses_attribute", numbers(A.Uses)},
        {"reqd_work_group_size", nullptr},
        {"reqd_sub_group_size", nullptr},
        {"variables", F.isDeclaration() ? json::Array() : variables(Function)},
    };
    if (A.Declared)
      Result["declared"] = json::Object{
          {"aspects", numbers(A.Declared->Aspects)}, {"spelling", A.Declared->Spelling}, {"place", place(SM, A.Declared->Location)},
          {"system_header", SM.isInSystemHeader(SM.getExpansionLoc(A.Declared->Location))}};
    if (isGlue(Function))
      Result["glue"] = true;
    if (!A.Has.empty() || !A.Lacks.empty()) {
      json::Array Lacks;
      for (const Values &List : A.Lacks)
        Lacks.push_back(numbers(List));
      Result["guard"] = json::Object{{"has", numbers(A.Has)}, {"lacks", std::move(Lacks)}};
    }
    if (A.WorkGroup)
      Result["reqd_work_group_size"] = json::Object{{"dims", numbers(A.WorkGroup->Numbers)}, {"place", place(SM, A.WorkGroup->Location)}};
    if (A.SubGroup)
      Result["reqd_sub_group_size"] = json::Object{{"size", A.SubGroup->Numbers.front()}, {"place", place(SM, A.SubGroup->Location)}};
    return Result;
  }

  /// Whether it leads from one of the user's functions into another: everything in the header of `if_device_has` does.
  bool isGlue(const FunctionDecl *Function) const {
    const PresumedLoc Place = SM.getPresumedLoc(SM.getExpansionLoc(Function->getLocation()));
    return Place.isValid() && llvm::StringRef(Place.getFilename()).ends_with("sycl/ext/oneapi/device_if.hpp");
  }

  json::Array variables(const FunctionDecl *Function) {
    json::Array Result;
    auto Add = [&](const VarDecl *V) {
      const std::string &Type = variableType(V->getType());
      if (!Type.empty() && V->getLocation().isValid())
        Result.push_back(json::Object{{"type", utf8(Type)}, {"place", place(SM, V->getLocation())}});
    };
    const FunctionDecl *Definition = nullptr;
    if (!Function->hasBody(Definition) || !Definition)
      Definition = Function;
    for (const ParmVarDecl *Parameter : Definition->parameters())
      Add(Parameter);
    VariableFinder Finder(Add);
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
      for (CXXCtorInitializer *Init : Constructor->inits())
        if (Init->getInit())
          Finder.TraverseStmt(Init->getInit());
    if (Stmt *Body = Definition->getBody())
      Finder.TraverseStmt(Body);
    return Result;
  }

  /// Only floating-point numbers and classes can need an aspect, in whatever arrays, vectors and complex numbers.
  const std::string &variableType(QualType Type) {
    Type = Type.getCanonicalType();
    auto [It, New] = TypeNames.try_emplace(Type.getTypePtr());
    if (!New)
      return It->second;
    QualType Element = Context.getBaseElementType(Type);
    if (const auto *Vector = Element->getAs<VectorType>())
      Element = Vector->getElementType();
    if (const auto *Complex = Element->getAs<ComplexType>())
      Element = Complex->getElementType();
    const CXXRecordDecl *Record = Element->getAsCXXRecordDecl();
    const bool Interesting = Element->isRealFloatingType() || (Record && Record->getDefinition() && !Record->getDefinition()->isInvalidDecl());
    if (Interesting && !Type->isDependentType() && !Type->isVariableArrayType() && !Type->isIncompleteType()) {
      std::string Name = printed(CodeGen::convertTypeForMemory(Generator.CGM(), Type));
      return TypeNames[Type.getTypePtr()] = std::move(Name);
    }
    return TypeNames[Type.getTypePtr()];
  }

  /// The `operator()` that the entry runs: the first in breadth-first order whose class is the functor, so that a header may put functions
  /// of its own between the two. Source: DESIGN §7.15.
  const llvm::Function *body(const Kernel &K) const {
    const llvm::Function *Entry = Module.getFunction(K.Symbol);
    if (!Entry || !K.Functor)
      return nullptr;
    std::deque<const llvm::Function *> Queue = {Entry};
    llvm::SmallPtrSet<const llvm::Function *, 16> Seen = {Entry};
    while (!Queue.empty()) {
      const llvm::Function *F = Queue.front();
      Queue.pop_front();
      const auto *Method = dyn_cast_or_null<CXXMethodDecl>(declOf(*F));
      if (Method && Method->getOverloadedOperator() == OO_Call && declaresSameEntity(Method->getParent(), K.Functor))
        return F;
      for (const llvm::Instruction &I : llvm::instructions(*F))
        if (const auto *Call = dyn_cast<llvm::CallBase>(&I))
          if (const auto *Callee = dyn_cast<llvm::Function>(Call->getCalledOperand()->stripPointerCastsAndAliases()))
            if (Seen.insert(Callee).second)
              Queue.push_back(Callee);
    }
    return nullptr;
  }
};

json::Object kernelFacts(const ASTContext &Context, const Kernel &K) {
  return json::Object{{"symbol", utf8(K.Symbol)},   {"name", utf8(K.Name)}, {"internal", K.Internal},
                      {"body", nullptr},            {"closure_size", K.Size}, {"layout", K.Layout},
                      {"place", place(Context.getSourceManager(), K.Location)}};
}

json::Array FactWriter::kernels(const std::vector<Kernel> &Kernels) {
  json::Array Result;
  for (const Kernel &K : Kernels) {
    json::Object Facts = kernelFacts(Context, K);
    if (const llvm::Function *Body = body(K)) {
      Facts["body"] = utf8(Body->getName());
      BodyNames.try_emplace(Body->getName().str(), K.Name);
    }
    Result.push_back(std::move(Facts));
  }
  return Result;
}

/// Debug info splits absolute paths where they meet the working directory, so a file of the debug info and the same file in a diagnostic
/// may be spelled differently. Both spellings of a path that joins to a name clang shows go into the list.
json::Array FactWriter::files() const {
  llvm::StringSet<> Shown;
  for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (Entry.isFile())
      if (OptionalFileEntryRef File = Entry.getFile().getContentCache().OrigEntry)
        Shown.insert(File->getName());
  }
  if (SM.hasLineTable()) {
    LineTableInfo &Lines = const_cast<SourceManager &>(SM).getLineTable();
    for (unsigned I = 0; I < Lines.getNumFilenames(); ++I)
      Shown.insert(Lines.getFilename(I));
  }
  llvm::DebugInfoFinder Finder;
  Finder.processModule(Module);
  llvm::SmallPtrSet<const llvm::DIFile *, 16> Files;
  for (const llvm::DISubprogram *Program : Finder.subprograms())
    Files.insert(Program->getFile());
  for (const llvm::DIScope *Scope : Finder.scopes())
    Files.insert(Scope->getFile());
  std::map<std::string, std::string> Different;
  for (const llvm::DIFile *File : Files) {
    if (!File || Shown.contains(File->getFilename()))
      continue;
    llvm::SmallString<256> Joined = File->getDirectory();
    llvm::sys::path::append(Joined, File->getFilename());
    if (Shown.contains(Joined))
      Different.try_emplace(File->getFilename().str(), Joined.str().str());
  }
  json::Array Result;
  for (const auto &[Debug, Name] : Different)
    Result.push_back(json::Object{{"debug", utf8(Debug)}, {"shown", utf8(Name)}});
  return Result;
}

} // namespace

json::Object launchFacts(ASTContext &Context, llvm::StringRef Unit, const std::vector<Kernel> &Kernels) {
  json::Array List;
  for (const Kernel &K : Kernels)
    List.push_back(kernelFacts(Context, K));
  return json::Object{{"unit", utf8(Unit)}, {"kernels", std::move(List)}};
}

json::Object moduleFacts(ASTContext &Context, llvm::StringRef Unit, CodeGenerator &Generator, const std::vector<Kernel> &Kernels) {
  FactWriter Writer(Context, Generator);
  json::Object Facts{{"unit", utf8(Unit)}, {"types", Writer.types()}, {"kernels", Writer.kernels(Kernels)}};
  Facts["functions"] = Writer.functions(); // after the kernels, which name their bodies
  Facts["files"] = Writer.files();
  return Facts;
}

} // namespace aspen
