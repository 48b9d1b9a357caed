//! Joins the module with the AST. The module decides which functions count (only what the device reaches is emitted); the AST tells their
//! names, attributes and the places of variables, which have no debug location. Source: DESIGN §8.3, §8.4.

#include "Facts.h"
#include "Attributes.h"
#include "Module.h"
#include "Names.h"
#include "Packed.h"
#include "Uses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "clang/CodeGen/CodeGenABITypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/TypeFinder.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <map>

using namespace clang;

namespace aspen {
namespace {

/// An `Option<Place>`. What stands in a macro's argument is there, as in debug information.
void pack(Packed &Out, const SourceManager &SM, SourceLocation Location) {
  const PresumedLoc Place = SM.getPresumedLoc(SM.getFileLoc(Location));
  Out.flag(Place.isValid());
  if (Place.isValid())
    Out.text(utf8(Place.getFilename())).number(Place.getLine()).number(Place.getColumn());
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
  TypeAspects InTypes;
  /// Structs of the module and what they need beyond what their parts show.
  llvm::StringMap<Values> MarkedTypes;
  /// Whether a type of the module can need an aspect, and how LLVM prints the memory types of those that can; empty for all others.
  llvm::DenseMap<const llvm::Type *, bool> Interesting;
  llvm::DenseMap<const Type *, std::string> TypeNames;
  llvm::DenseMap<const llvm::Function *, std::string> BodyNames;

public:
  FactWriter(ASTContext &Context, CodeGenerator &Generator)
      : Context(Context), Generator(Generator), Module(*Generator.GetModule()), SM(Context.getSourceManager()), InTypes(Context) {}

  void types(Packed &Out) {
    struct Type {
      std::string Name;
      Values Needed;
      bool Listed;
    };
    std::vector<Type> Marked;
    // A precompiled header shows those of its types that the unit uses, so types of headers are listed only if the module names them.
    // What no code names, needs nothing.
    llvm::TypeFinder Finder;
    Finder.run(Module, /*onlyNamed=*/true);
    const llvm::DenseSet<const llvm::StructType *> InCode(Finder.begin(), Finder.end());
    auto Mark = [&](const CXXRecordDecl *Record, const llvm::StructType *Struct, const Values &Needed) {
      llvm::StringRef Name = Struct->getName();
      const bool Listed = !SM.isInSystemHeader(SM.getExpansionLoc(Record->getLocation())) || InCode.contains(Struct);
      if (MarkedTypes.try_emplace(Name).second)
        Marked.push_back({Name.str(), Values(), false});
      unite(MarkedTypes[Name], Needed);
      Type &Entry = *llvm::find_if(Marked, [&](const Type &T) { return T.Name == Name; });
      unite(Entry.Needed, Needed);
      Entry.Listed |= Listed;
    };
    for (const CXXRecordDecl *Record : records([&](const CXXRecordDecl *R) { return readTypeAspects(Context, R).has_value(); }))
      if (const llvm::StructType *Struct = structOf(Record))
        Mark(Record, Struct, *readTypeAspects(Context, Record));
    // Layout hides empty members and bases, and alternatives of unions: what holds such a class is marked with what does not show.
    if (!Marked.empty())
      for (const CXXRecordDecl *Record : records([&](const CXXRecordDecl *R) { return !InTypes.of(R).empty(); }))
        if (const llvm::StructType *Struct = structOf(Record)) {
          Values Hidden = InTypes.of(Record);
          const Values Shown = shown(Struct);
          llvm::erase_if(Hidden, [&](uint64_t Aspect) { return llvm::is_contained(Shown, Aspect); });
          if (!Hidden.empty())
            Mark(Record, Struct, Hidden);
        }
    // Types of the precompiled header come in the order of their use.
    llvm::stable_sort(Marked, [](const Type &A, const Type &B) { return A.Name < B.Name; });
    PackedList List;
    for (const Type &T : Marked)
      if (T.Listed)
        List.next().text(utf8(T.Name)).numbers(T.Needed);
    List.into(Out);
  }

  void kernels(Packed &Out, const std::vector<Kernel> &Kernels);

  void functions(Packed &Out, const std::vector<Kernel> &Kernels) {
    PackedList List;
    for (const Kernel &K : Kernels)
      if (const llvm::Function *Entry = Module.getFunction(K.Symbol); Entry && !K.Attributes.empty() && !declOf(*Entry))
        entry(List.next(), K);
    for (llvm::Function &F : Module)
      if (const auto *Function = dyn_cast_or_null<FunctionDecl>(declOf(F)))
        function(List.next(), F, Function);
    List.into(Out);
  }

  void files(Packed &Out) const;

private:
  const Decl *declOf(const llvm::Function &F) const { return Generator.GetDeclForMangledName(F.getName()); }

  void function(Packed &Out, llvm::Function &F, const FunctionDecl *Function) {
    const FunctionAttributes A = readAttributes(Context, Function);
    auto Body = BodyNames.find(&F);
    Out.text(utf8(F.getName())).text(utf8(Body != BodyNames.end() ? Body->second : functionName(Context, Function)));
    const bool External = Function->getMostRecentDecl()->hasAttr<SYCLExternalAttr>();
    // What stood for another function does nothing of its own.
    const bool Stood = wasAlias(F);
    Out.flag(External).flag(Stood || isGlue(Function)).flag(!isWrittenByUser(SM, Function));
    pack(Out, SM, External ? Function->getLocation() : SourceLocation());
    attributes(Out, A);
    if (F.isDeclaration() || Stood)
      Out.number(0);
    else
      variables(Out, Function);
    PackedList Uses;
    findUses(Context, InTypes, Function, !F.isDeclaration() && !Stood, [&](const Values &Needed, SourceLocation Location) {
      pack(Uses.next().numbers(Needed), SM, Location);
    });
    Uses.into(Out);
  }

  void attributes(Packed &Out, const FunctionAttributes &A) {
    Out.flag(A.Declared.has_value());
    if (A.Declared) {
      Out.numbers(A.Declared->Aspects).text(A.Declared->Spelling);
      pack(Out, SM, A.Declared->Location);
      Out.flag(SM.isInSystemHeader(SM.getExpansionLoc(A.Declared->Location)));
    }
    Out.numbers(A.Uses);
    const bool Guarded = !A.Has.empty() || !A.Lacks.empty();
    Out.flag(Guarded);
    if (Guarded) {
      Out.numbers(A.Has).number(A.Lacks.size());
      for (const Values &Lacks : A.Lacks)
        Out.numbers(Lacks);
    }
    Out.flag(A.WorkGroup.has_value());
    if (A.WorkGroup)
      pack(Out.numbers(A.WorkGroup->Numbers), SM, A.WorkGroup->Location);
    Out.flag(A.SubGroup.has_value());
    if (A.SubGroup)
      pack(Out.number(A.SubGroup->Numbers.front()), SM, A.SubGroup->Location);
  }

  /// An entry has no declaration of its own; what it has are the attributes that the kernel's properties stand for.
  void entry(Packed &Out, const Kernel &K) {
    Out.text(utf8(K.Symbol)).text(utf8(K.Name)).flag(false).flag(false).flag(true).flag(false);
    FunctionAttributes To;
    for (const FunctionDecl *Function : K.Attributes) {
      const FunctionAttributes A = readAttributes(Context, Function);
      if (A.Declared) {
        if (!To.Declared)
          To.Declared = DeclaredAspects{{}, A.Declared->Spelling, K.Location};
        unite(To.Declared->Aspects, A.Declared->Aspects);
      }
      if (A.WorkGroup && !To.WorkGroup)
        To.WorkGroup = RequiredSize{A.WorkGroup->Numbers, K.Location};
      if (A.SubGroup && !To.SubGroup)
        To.SubGroup = RequiredSize{A.SubGroup->Numbers, K.Location};
    }
    attributes(Out, To);
    Out.number(0);
    PackedList().into(Out);
  }

  /// The classes of the unit that are defined, no templates, and `Wanted`. Clang's list of all types is in the order of their creation, and
  /// holds types from a precompiled header as soon as they are used. By index: converting a type may add others.
  std::vector<const CXXRecordDecl *> records(llvm::function_ref<bool(const CXXRecordDecl *)> Wanted) const {
    std::vector<const CXXRecordDecl *> Result;
    for (size_t I = 0; I < Context.getTypes().size(); ++I) {
      const auto *RT = dyn_cast<RecordType>(Context.getTypes()[I]);
      const auto *Record = RT ? dyn_cast<CXXRecordDecl>(RT->getDecl()) : nullptr;
      const CXXRecordDecl *Definition = Record ? Record->getDefinition() : nullptr;
      if (Definition && !Definition->isDependentContext() && !Definition->isInvalidDecl() && Wanted(Definition))
        Result.push_back(Definition);
    }
    return Result;
  }

  /// The named struct that a class is in the module.
  const llvm::StructType *structOf(const CXXRecordDecl *Record) {
    llvm::Type *Converted = CodeGen::convertTypeForMemory(Generator.CGM(), Context.getCanonicalTagType(Record));
    const auto *Struct = dyn_cast<llvm::StructType>(Converted);
    return Struct && Struct->hasName() ? Struct : nullptr;
  }

  /// What the marks in a type of the module need together.
  Values shown(const llvm::Type *Type) const {
    Values Result;
    if (const auto *Struct = dyn_cast<llvm::StructType>(Type); Struct && Struct->hasName()) {
      llvm::StringRef Name = Struct->getName();
      Result = MarkedTypes.lookup(Name);
      if (Name.consume_back(".base"))
        unite(Result, MarkedTypes.lookup(Name));
    }
    for (const llvm::Type *Part : Type->subtypes())
      unite(Result, shown(Part));
    return Result;
  }

  /// Whether it leads from one of the user's functions into another: everything in the header of `if_device_has` does.
  bool isGlue(const FunctionDecl *Function) const {
    const PresumedLoc Place = SM.getPresumedLoc(SM.getExpansionLoc(Function->getLocation()));
    return Place.isValid() && llvm::StringRef(Place.getFilename()).ends_with("sycl/ext/oneapi/device_if.hpp");
  }

  void variables(Packed &Out, const FunctionDecl *Function) {
    PackedList List;
    auto Add = [&](const VarDecl *V) {
      const std::string &Type = variableType(V->getType());
      if (!Type.empty() && V->getLocation().isValid())
        pack(List.next().text(utf8(Type)), SM, V->getLocation());
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
    List.into(Out);
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
    const bool Possible = Element->isRealFloatingType() || (Record && Record->getDefinition() && !Record->getDefinition()->isInvalidDecl());
    std::string Name;
    if (Possible && !Type->isDependentType() && !Type->isVariableArrayType() && !Type->isIncompleteType())
      if (llvm::Type *Converted = CodeGen::convertTypeForMemory(Generator.CGM(), Type); canNeed(Converted))
        Name = printed(Converted);
    return TypeNames[Type.getTypePtr()] = std::move(Name);
  }

  /// Whether `double` or a marked type is in it.
  bool canNeed(const llvm::Type *Type) {
    if (Type->isDoubleTy())
      return true;
    if (!Type->isAggregateType() && !Type->isVectorTy())
      return false;
    if (auto Known = Interesting.find(Type); Known != Interesting.end())
      return Known->second;
    bool Result = false;
    if (const auto *Struct = dyn_cast<llvm::StructType>(Type); Struct && Struct->hasName()) {
      llvm::StringRef Name = Struct->getName();
      Result = MarkedTypes.contains(Name) || (Name.consume_back(".base") && MarkedTypes.contains(Name));
    }
    for (const llvm::Type *Part : Type->subtypes())
      Result = Result || canNeed(Part);
    return Interesting[Type] = Result;
  }

  /// The `operator()` that the entry runs: the first in breadth-first order whose class is the functor or one that it inherits from, so that a header may
  /// put functions of its own between the two. Source: DESIGN §7.15.
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
      if (Method && Method->getOverloadedOperator() == OO_Call && isOf(*K.Functor, *Method->getParent()))
        return F;
      for (const llvm::Instruction &I : llvm::instructions(*F))
        if (const auto *Call = dyn_cast<llvm::CallBase>(&I))
          if (const auto *Callee = dyn_cast<llvm::Function>(Call->getCalledOperand()->stripPointerCastsAndAliases()))
            if (Seen.insert(Callee).second)
              Queue.push_back(Callee);
    }
    return nullptr;
  }

  static bool isOf(const CXXRecordDecl &Functor, const CXXRecordDecl &Class) {
    const CXXRecordDecl *Whole = Functor.getDefinition(), *Base = Class.getDefinition();
    return declaresSameEntity(&Functor, &Class) || (Whole && Base && Whole->isDerivedFrom(Base));
  }
};

/// Without a body's symbol where there is none.
void packKernel(Packed &Out, const ASTContext &Context, const Kernel &K, const llvm::Function *Body, const Values &Taken) {
  Out.text(utf8(K.Symbol)).text(utf8(K.Name)).flag(K.Internal).flag(Body);
  if (Body)
    Out.text(utf8(Body->getName()));
  Out.number(K.Size).number(K.Layout).number(K.Known.size());
  for (const KnownNumber &Of : K.Known)
    Out.number(Of.Offset).number(Of.Number);
  pack(Out, Context.getSourceManager(), K.Location);
  Out.numbers(Taken).flag(K.CallsIndirectly);
}

void FactWriter::kernels(Packed &Out, const std::vector<Kernel> &Kernels) {
  Out.number(Kernels.size());
  for (const Kernel &K : Kernels) {
    const llvm::Function *Body = body(K);
    packKernel(Out, Context, K, Body, K.Functor ? InTypes.of(K.Functor) : Values());
    if (Body)
      BodyNames.try_emplace(Body, K.Name);
  }
}

/// Debug info splits absolute paths where they meet the working directory, so a file of the debug info and the same file in a diagnostic
/// may be spelled differently. Both spellings of a path that joins to a name clang shows go into the list.
void FactWriter::files(Packed &Out) const {
  llvm::StringSet<> Shown;
  for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (Entry.isFile())
      if (OptionalFileEntryRef File = Entry.getFile().getContentCache().OrigEntry)
        Shown.insert(File->getName());
  }
  // Those of a precompiled header that diagnostics have named.
  for (auto File = SM.fileinfo_begin(); File != SM.fileinfo_end(); ++File)
    Shown.insert(File->first.getName());
  if (SM.hasLineTable()) {
    LineTableInfo &Lines = const_cast<SourceManager &>(SM).getLineTable();
    for (unsigned I = 0; I < Lines.getNumFilenames(); ++I)
      Shown.insert(Lines.getFilename(I));
  }
  // Only files in which functions and their instructions stand matter.
  llvm::SmallPtrSet<const llvm::DIFile *, 16> Files;
  const llvm::DIScope *Last = nullptr;
  auto See = [&](const llvm::DIScope *Scope) {
    if (Scope && Scope != Last)
      Files.insert(Scope->getFile());
    Last = Scope;
  };
  for (const llvm::Function &F : Module) {
    See(F.getSubprogram());
    for (const llvm::Instruction &I : llvm::instructions(F))
      for (const llvm::DILocation *At = I.getDebugLoc().get(); At; At = At->getInlinedAt())
        See(At->getScope());
  }
  std::map<std::string, std::string> Different;
  for (const llvm::DIFile *File : Files) {
    if (!File || Shown.contains(File->getFilename()))
      continue;
    llvm::SmallString<256> Joined = File->getDirectory();
    llvm::sys::path::append(Joined, File->getFilename());
    if (Shown.contains(Joined))
      Different.try_emplace(File->getFilename().str(), Joined.str().str());
  }
  Out.number(Different.size());
  for (const auto &[Debug, Name] : Different)
    Out.text(utf8(Debug)).text(utf8(Name));
}

} // namespace

std::string launchFacts(ASTContext &Context, llvm::StringRef Unit, const std::vector<Kernel> &Kernels) {
  Packed Out;
  Out.text(utf8(Unit)).number(0).number(0).number(Kernels.size());
  for (const Kernel &K : Kernels)
    packKernel(Out, Context, K, nullptr, {});
  return Out.number(0).flag(false).bytes().str();
}

std::string moduleFacts(ASTContext &Context, llvm::StringRef Unit, CodeGenerator &Generator, const std::vector<Kernel> &Kernels,
                        uint32_t SubGroupSize) {
  FactWriter Writer(Context, Generator);
  Packed Out, List;
  Writer.types(Out.text(utf8(Unit)));
  Writer.kernels(List, Kernels); // before the functions: kernels name their bodies
  Writer.functions(Out, Kernels);
  Writer.files(Out.append(List));
  Out.flag(SubGroupSize != 0);
  if (SubGroupSize)
    Out.number(SubGroupSize);
  return Out.bytes().str();
}

} // namespace aspen
