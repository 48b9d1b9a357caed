//! What a device cannot do: throw, handle exceptions, and call functions that exist on the host only. Source: SYCL 2020 §5.4; DESIGN §7.28.
//!
//! The module decides, as clang emitted it: an exception is a call of the C++ runtime there, and a function of a library has no body. No
//! list of names says which those are: a function that system headers declare, that nobody marked SYCL_EXTERNAL and that the device's code
//! generator does not bring, will not be there. (What the user declares may be defined in another unit, so the link decides.) The embedded
//! CPU links the host's libraries; whoever says so may call them there, unless they throw (`-Wno-error=sycl-strict`).
//!
//! A virtual function that vtables alone name and that the unit's device code calls on no object is the host's if it does such things, as
//! `print` often does: kernels may make objects of its class. Source: sycl_ext_oneapi_virtual_functions "Modifications to the core
//! specification" (only those that are `indirectly_callable` are device functions).
//!
//! An error stands at the user's line: from a function of a system header it goes up to the call that the user wrote.

#include "HostOnly.h"
#include "BodyReader.h"
#include "Bridge.h"
#include "Diagnose.h"
#include "Names.h"
#include "Reach.h"
#include "Redirected.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include <deque>
#include <set>

using namespace clang;

namespace aspen {
namespace {

/// A function is named by an instruction: called, or reached through a pointer that is taken there.
struct Edge {
  const llvm::Function *From;
  const llvm::Instruction *At;
  const llvm::Function *To;
  /// Whether a vtable that the instruction names is what names it.
  bool InVtable;
};

class HostOnlyCheck {
  ASTContext &Context;
  CodeGenerator &Generator;
  const SourceManager &SM;
  const DeviceLibrary Library;
  /// Whether the host's functions may be called where the code is linked with them.
  const bool AllowsHost;
  const std::vector<Kernel> &Kernels;
  llvm::DenseMap<const CXXRecordDecl *, const Kernel *> Functors;
  /// How each function is reached first, and the order in which they are.
  llvm::MapVector<const llvm::Function *, const Edge *> Reached;
  std::deque<Edge> Edges;
  llvm::DenseMap<const llvm::Function *, llvm::SmallVector<const Edge *, 4>> Calls, Callers;
  /// Functions of system headers that come to what the host alone has, without a user's function in between: by which step.
  llvm::DenseMap<const llvm::Function *, const Edge *> Bad;
  std::set<SourceLocation> Shown;

public:
  HostOnlyCheck(ASTContext &Context, CodeGenerator &Generator, const std::vector<Kernel> &Kernels, DeviceLibrary Library,
                bool AllowsHost)
      : Context(Context), Generator(Generator), SM(Context.getSourceManager()), Library(Library),
        AllowsHost(AllowsHost && Library == DeviceLibrary::Host), Kernels(Kernels) {
    for (const Kernel &K : Kernels)
      if (K.Functor)
        Functors.try_emplace(K.Functor->getCanonicalDecl(), &K);
  }

  void run() {
    reach();
    spread();
    if (dropHostsVirtuals()) {
      reach();
      spread();
    }
    for (const auto &[F, By] : Reached)
      if (isUsers(F))
        user(F);
    // A way that leads through no line of the user's: at the kernel.
    for (const llvm::Function *Entry : entryPoints(Generator, Kernels))
      if (!isUsers(Entry) && Bad.contains(Entry))
        report(kernelLocation(Entry), *Bad[Entry], nullptr);
  }

private:
  const FunctionDecl *declOf(const llvm::Function *F) const {
    return dyn_cast_or_null<FunctionDecl>(Generator.GetDeclForMangledName(F->getName()));
  }

  bool isInSystemHeader(const Decl *D) const { return SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())); }

  /// Whether a user wrote it.
  bool isUsers(const llvm::Function *F) const {
    const FunctionDecl *Function = declOf(F);
    return Function && isWrittenByUser(SM, Function);
  }

  std::string name(const llvm::Function *F) const {
    const FunctionDecl *Function = declOf(F);
    if (!Function)
      return F->getName().str();
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Function); Method && Method->getOverloadedOperator() == OO_Call)
      if (const Kernel *K = Functors.lookup(Method->getParent()->getCanonicalDecl()))
        return K->Name;
    return functionName(Context, Function);
  }

  /// The name of what is called, as the caller has it in the source: a function of the C library is `std::rand` there.
  std::string asWritten(const Edge &E) const {
    const FunctionDecl *From = declOf(E.From), *To = declOf(E.To);
    if (From && To && To->isExternC()) {
      BodyReader Reader(Context);
      Reader.visitBody(definitionOf(From));
      if (std::string Name = Reader.mentioned(To); !Name.empty())
        return Name;
    }
    return name(E.To);
  }

  SourceLocation kernelLocation(const llvm::Function *Entry) const {
    for (const Kernel &K : Kernels)
      if (K.Symbol == Entry->getName())
        return K.Location;
    const FunctionDecl *Function = declOf(Entry);
    return Function ? Function->getLocation() : SourceLocation();
  }

  void reach() {
    Reached.clear();
    Edges.clear();
    Calls.clear();
    Callers.clear();
    std::deque<const llvm::Function *> Queue;
    for (const llvm::Function *Entry : entryPoints(Generator, Kernels)) {
      Reached.insert({Entry, nullptr});
      Queue.push_back(Entry);
    }
    while (!Queue.empty()) {
      const llvm::Function *F = Queue.front();
      Queue.pop_front();
      llvm::SmallPtrSet<const llvm::Constant *, 16> Seen;
      for (const llvm::Instruction &I : llvm::instructions(*F))
        for (const llvm::Value *Operand : I.operand_values())
          if (const auto *C = dyn_cast<llvm::Constant>(Operand))
            named(F, &I, C, Seen, Queue);
    }
  }

  /// The functions that a constant leads to: itself, or through expressions and initial values of variables.
  void named(const llvm::Function *F, const llvm::Instruction *I, const llvm::Constant *C, llvm::SmallPtrSetImpl<const llvm::Constant *> &Seen,
             std::deque<const llvm::Function *> &Queue, bool InVtable = false) {
    if (const auto *To = dyn_cast<llvm::Function>(C)) {
      if (To->isIntrinsic())
        return;
      const Edge *E = &Edges.emplace_back(Edge{F, I, To, InVtable});
      Calls[F].push_back(E);
      Callers[To].push_back(E);
      if (!To->isDeclaration() && Reached.insert({To, E}).second)
        Queue.push_back(To);
      return;
    }
    if (C->getNumOperands() == 0 || !Seen.insert(C).second)
      return;
    // The C++ ABI's names of vtables, and of those that objects have while they are made.
    InVtable |= isa<llvm::GlobalVariable>(C) && (C->getName().starts_with("_ZTV") || C->getName().starts_with("_ZTC"));
    for (const llvm::Value *Operand : C->operand_values())
      if (const auto *Inner = dyn_cast<llvm::Constant>(Operand))
        named(F, I, Inner, Seen, Queue, InVtable);
  }

  /// Takes the virtual functions that are the host's out of the vtables and the module; false if there are none.
  bool dropHostsVirtuals() {
    llvm::SmallSetVector<const llvm::Function *, 8> Hosts;
    for (const auto &[F, By] : Reached)
      if (isCalledByVtableAtMost(F))
        Hosts.insert(F);
    if (!Hosts.empty())
      keepCalled(Hosts);
    if (Hosts.empty())
      return false;
    const auto Doing = doingHostsThings();
    Hosts.remove_if([&](const llvm::Function *F) { return !Doing.contains(F) && !freesMemory(F); });
    if (Hosts.empty())
      return false;
    for (const llvm::Function *F : Hosts)
      const_cast<llvm::Function *>(F)->replaceAllUsesWith(llvm::ConstantPointerNull::get(F->getType()));
    Bad.clear();
    keepReachable(*Generator.GetModule(), entryPoints(Generator, Kernels));
    return true;
  }

  /// Removes from the virtual functions those that may be called on an object, by what is reached without them all or is called so.
  void keepCalled(llvm::SmallSetVector<const llvm::Function *, 8> &Hosts) {
    llvm::SmallPtrSet<const llvm::Function *, 32> Live;
    llvm::SmallPtrSet<const CXXMethodDecl *, 8> Virtual;
    std::deque<const llvm::Function *> Queue;
    auto Add = [&](const llvm::Function *F) {
      if (Reached.contains(F) && !Hosts.contains(F) && Live.insert(F).second)
        Queue.push_back(F);
    };
    for (const llvm::Function *Entry : entryPoints(Generator, Kernels))
      Add(Entry);
    while (!Queue.empty()) {
      const llvm::Function *F = Queue.front();
      Queue.pop_front();
      for (const Edge *E : Calls.lookup(F))
        Add(E->To);
      if (const FunctionDecl *Function = declOf(F)) {
        BodyReader Reader(Context);
        Reader.visitBody(definitionOf(Function));
        Virtual.insert_range(Reader.Virtual);
      }
      if (!Queue.empty())
        continue;
      llvm::SmallVector<const llvm::Function *, 4> Called;
      for (const llvm::Function *Host : Hosts)
        if (overridesOneOf(cast<CXXMethodDecl>(declOf(Host)), Virtual))
          Called.push_back(Host);
      for (const llvm::Function *Host : Called) {
        Hosts.remove(Host);
        Add(Host);
      }
    }
  }

  bool isCalledByVtableAtMost(const llvm::Function *F) const {
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(declOf(F));
    return Method && Method->isVirtual() && (!isa<CXXDestructorDecl>(Method) || freesMemory(F)) && !isIndirectlyCallable(*Method) &&
           llvm::all_of(Callers.lookup(F), [](const Edge *E) { return E->InVtable; });
  }

  /// Whether it is a destructor that only `delete` calls, and the memory comes from the host's library.
  bool freesMemory(const llvm::Function *F) const {
    return llvm::any_of(Calls.lookup(F), [&](const Edge *E) { return E->To->isDeclaration() && isDeletingDestructor(*E); });
  }

  static bool overridesOneOf(const CXXMethodDecl *Method, const llvm::SmallPtrSetImpl<const CXXMethodDecl *> &Of) {
    return Of.contains(Method->getCanonicalDecl()) ||
           llvm::any_of(Method->overridden_methods(), [&](const CXXMethodDecl *Base) { return overridesOneOf(Base, Of); });
  }

  /// The functions that there would be errors about, and all that come to them.
  llvm::SmallPtrSet<const llvm::Function *, 16> doingHostsThings() {
    llvm::SmallPtrSet<const llvm::Function *, 16> Result;
    std::deque<const llvm::Function *> Queue;
    auto Add = [&](const llvm::Function *F) {
      if (Result.insert(F).second)
        Queue.push_back(F);
    };
    DiagnosticsEngine &Diags = Context.getDiagnostics();
    Diags.setSuppressAllDiagnostics(true);
    for (const auto &[F, By] : Reached) {
      Shown.clear();
      if (isUsers(F))
        user(F);
      if (!Shown.empty() || Bad.contains(F))
        Add(F);
    }
    Shown.clear();
    Diags.setSuppressAllDiagnostics(false);
    while (!Queue.empty()) {
      const llvm::Function *F = Queue.front();
      Queue.pop_front();
      for (const Edge *E : Callers.lookup(F))
        Add(E->From);
    }
    return Result;
  }

  /// From what is missing up through functions that no user wrote.
  void spread() {
    std::deque<const llvm::Function *> Queue;
    auto Add = [&](const Edge *E) {
      if (!isUsers(E->From) && Bad.try_emplace(E->From, E).second)
        Queue.push_back(E->From);
    };
    // What is thrown is made before; the throw is what is to be told.
    for (const bool Throws : {true, false})
      for (const Edge &E : Edges)
        if (isThrow(E.To) == Throws && isMissing(E))
          Add(&E);
    while (!Queue.empty()) {
      const llvm::Function *F = Queue.front();
      Queue.pop_front();
      for (const Edge *E : Callers[F])
        Add(E);
    }
  }

  /// Whether the device will not have the function that is named, or no device but the host.
  bool isMissing(const Edge &E) const { return isMissing(E, AllowsHost); }

  /// `OnHost` asks about code that is linked with the host's libraries.
  bool isMissing(const Edge &E, bool OnHost) const {
    const llvm::Function *F = E.To;
    if (!F->isDeclaration())
      return false;
    // Vtables name functions that nobody calls: the runtime's for pure virtual functions, a destructor that frees memory too.
    const auto *Call = calls(E);
    if (!Call || isDeletingDestructor(E))
      return false;
    if (isProvided(*F))
      return false;
    const FunctionDecl *Function = declOf(F);
    if (!Function) // the C++ runtime's, or the C library's as a builtin
      return isMissingFromRuntime(F->getName(), Call->doesNotReturn(), OnHost);
    if (Function->getMostRecentDecl()->hasAttr<SYCLExternalAttr>() || isDeclaredByUser(Function))
      return false;
    if (!OnHost)
      return !mayBecomeInstructions(Function->getBuiltinID()) && !(Library == DeviceLibrary::Host && isAsOnDevices(Function));
    return !Function->isExternC() && !Function->isReplaceableGlobalAllocationFunction() && mayThrow(Function);
  }

  /// The same for a function that the source does not declare. On the host, sanitizers and the like have some of their own.
  bool isMissingFromRuntime(llvm::StringRef Name, bool DoesNotReturn, bool OnHost) const {
    const bool OfLanguage = Name.starts_with("__cxa_") || Name == "__dynamic_cast";
    if (OnHost || (Library == DeviceLibrary::Host && !OfLanguage))
      return DoesNotReturn && !Name.starts_with("__ubsan_");
    return !mayBecomeInstructions(Context.Idents.get(Name).getBuiltinID());
  }

  /// What the embedded CPU takes from the host's libraries as a device would have it from its own: what a failed assertion calls (that of
  /// C, libstdc++'s and libc++'s), and mathematical functions, of which clang does not know each (`j0`).
  bool isAsOnDevices(const FunctionDecl *Function) const {
    const auto *Name = Function->getIdentifier();
    if (Function->isNoReturn())
      return Name && (Name->getName().contains("assert") || Name->isStr("__libcpp_verbose_abort"));
    const llvm::StringRef File = llvm::sys::path::filename(SM.getFilename(SM.getExpansionLoc(Function->getLocation())));
    return Function->isExternC() && (File.starts_with("math") || File.starts_with("cmath") || File == "complex.h");
  }

  /// The instruction, if it is a call of the function by name.
  static const llvm::CallBase *calls(const Edge &E) {
    const auto *Call = dyn_cast<llvm::CallBase>(E.At);
    return Call && Call->getCalledOperand()->stripPointerCastsAndAliases() == E.To ? Call : nullptr;
  }

  /// Whether it is the compiler's call of `operator delete` in the destructor that only vtables name (D0 in the C++ ABI).
  bool isDeletingDestructor(const Edge &E) const {
    const FunctionDecl *To = declOf(E.To);
    return To && To->getDeclName().getCXXOverloadedOperator() == OO_Delete && isa_and_nonnull<CXXDestructorDecl>(declOf(E.From)) &&
           E.From->getName().contains("D0Ev");
  }

  /// An analysis whose code nobody takes is for SPIR-V too.
  bool isProvided(const llvm::Function &F) const {
    const unsigned Generator = Library == DeviceLibrary::Nvidia ? 1 : Library == DeviceLibrary::Amd ? 2 : 0;
    return aspen_clang_is_provided(F.getName().data(), F.getName().size(), Generator);
  }

  /// A function of the C library that clang knows: optimisation computes it (`strlen` of a constant) or makes instructions of it (`frexp`),
  /// or it does not, which only the link sees. Nothing makes instructions of input and output, or of what does not return.
  bool mayBecomeInstructions(unsigned Builtin) const {
    return Builtin != 0 && Context.BuiltinInfo.isPredefinedLibFunction(Builtin) && !Context.BuiltinInfo.isNoReturn(Builtin) &&
           llvm::StringRef(Context.BuiltinInfo.getHeaderName(Builtin)) != "stdio.h";
  }

  /// Only by the user: the link will know whether another unit defines it.
  bool isDeclaredByUser(const FunctionDecl *Function) const {
    if (Function->isImplicit())
      return false;
    return llvm::none_of(Function->redecls(), [&](const FunctionDecl *D) { return isInSystemHeader(D); });
  }

  static bool mayThrow(const FunctionDecl *Function) {
    const auto *Type = Function->getType()->getAs<FunctionProtoType>();
    if (!Type || isUnresolvedExceptionSpec(Type->getExceptionSpecType()))
      return !isa<CXXDestructorDecl>(Function);
    return Type->canThrow() != CT_Cannot;
  }

  /// The place of an instruction in the source, as far as debug info and AST know it.
  SourceLocation locate(const llvm::Instruction *I) const {
    const FunctionDecl *Function = declOf(I->getFunction());
    if (!Function)
      return kernelLocation(I->getFunction());
    const FunctionDecl *Definition = definitionOf(Function);
    BodyReader Reader(Context);
    Reader.want(I->getDebugLoc());
    Reader.visitBody(Definition);
    return Reader.Found.isValid() ? Reader.Found : Definition->getLocation();
  }

  /// All that a user's function does itself.
  void user(const llvm::Function *F) {
    BodyReader Reader(Context);
    Reader.visitBody(definitionOf(declOf(F)));
    for (const CXXTryStmt *Try : Reader.Tries)
      if ((Try == definitionOf(declOf(F))->getBody() || isEmitted(F, Try->getTryBlock()->getSourceRange())) && Shown.insert(Try->getTryLoc()).second) {
        error(Context.getDiagnostics(), Try->getTryLoc(), "device code cannot handle exceptions, but '%0' has a 'try' block") << name(F);
        callers(F);
      }
    if (!AllowsHost)
      for (const CXXTypeidExpr *Typeid : Reader.Typeids)
        if (isEmitted(F, Typeid->getSourceRange()) && Shown.insert(Typeid->getBeginLoc()).second) {
          error(Context.getDiagnostics(), Typeid->getBeginLoc(), "device code cannot ask for types at run time, but '%0' uses 'typeid' of a polymorphic value%1")
              << name(F) << unlessAllowed();
          callers(F);
        }
    // Of half the host's size, so what the host stored would be read wrongly, unless the host was told to have it so, too.
    const bool IsDouble = Context.getLangOpts().LongDoubleSize == 64;
    if (const Expr *E = Reader.LongDouble; E && !IsDouble && Library != DeviceLibrary::Host && isEmitted(F, E->getSourceRange()) && Shown.insert(E->getBeginLoc()).second) {
      error(Context.getDiagnostics(), E->getBeginLoc(), "device code for %0 has no 'long double', but '%1' uses it; the widest type is 'double'")
          << processors() << name(F);
      callers(F);
    }
    if (Library != DeviceLibrary::Host)
      for (const llvm::Instruction &I : llvm::instructions(*F))
        if (computesQuadruple(I)) {
          if (const SourceLocation At = locate(&I); Shown.insert(At).second) {
            error(Context.getDiagnostics(), At, "device code for %0 has no '__float128', but '%1' uses it; the widest type is 'double'")
                << processors() << name(F);
            callers(F);
          }
          break; // it does so all along
        }
    for (const llvm::Instruction &I : llvm::instructions(*F))
      instruction(F, I);
    for (const Edge *E : Calls.lookup(F)) {
      const bool Missing = isMissing(*E);
      if (!Missing && (isUsers(E->To) || !Bad.contains(E->To)))
        continue;
      const SourceLocation At = locate(E->At);
      const CXXThrowExpr *Throw = throwAround(Reader.Throws, At);
      report(Throw ? Throw->getThrowLoc() : At, *E, Throw);
    }
  }

  /// Floating-point numbers of 128 bits: `__float128` and `_Float128`.
  static bool computesQuadruple(const llvm::Instruction &I) {
    const auto Is = [](const llvm::Type *Type) { return Type->getScalarType()->isFP128Ty(); };
    return Is(I.getType()) || llvm::any_of(I.operands(), [&](const llvm::Use &Operand) { return Is(Operand->getType()); });
  }

  /// What the code is for, of that which is not for the host's processor.
  llvm::StringRef processors() const {
    return Library == DeviceLibrary::SpirV ? "SPIR-V" : Library == DeviceLibrary::Amd ? "AMD's processors" : "NVIDIA's processors";
  }

  /// The throw expression that the location belongs to: it constructs what it throws.
  const CXXThrowExpr *throwAround(llvm::ArrayRef<const CXXThrowExpr *> Throws, SourceLocation Location) const {
    for (const CXXThrowExpr *Throw : Throws)
      if (isInside(Location, Throw->getSourceRange()))
        return Throw;
    return nullptr;
  }

  bool isInside(SourceLocation Location, SourceRange Range) const {
    const SourceLocation At = SM.getExpansionLoc(Location), Begin = SM.getExpansionLoc(Range.getBegin()), End = SM.getExpansionRange(Range.getEnd()).getEnd();
    return (At == Begin || SM.isBeforeInTranslationUnit(Begin, At)) && (At == End || SM.isBeforeInTranslationUnit(At, End));
  }

  /// What needs no function but has no form on some devices.
  void instruction(const llvm::Function *F, const llvm::Instruction &I) {
    const auto *Call = dyn_cast<llvm::CallBase>(&I);
    const auto *Memory = dyn_cast<llvm::AllocaInst>(&I);
    const bool Variable = Call && Call->getIntrinsicID() == llvm::Intrinsic::vastart && !AllowsHost;
    const bool Assembly = Call && Call->isInlineAsm() && Library == DeviceLibrary::SpirV;
    const bool Sized = Memory && !isa<llvm::ConstantInt>(Memory->getArraySize()) && Library == DeviceLibrary::SpirV;
    if (!Variable && !Assembly && !Sized)
      return;
    const SourceLocation At = locate(&I);
    if (!Shown.insert(At).second)
      return;
    if (Variable)
      error(Context.getDiagnostics(), At, "device code cannot take variable arguments, but '%0' does%1") << name(F) << unlessAllowed();
    else if (Assembly)
      error(Context.getDiagnostics(), At, "device code for SPIR-V has no inline assembly, but '%0' uses it") << name(F);
    else
      error(Context.getDiagnostics(), At, "device code for SPIR-V has no private memory of variable size, but '%0' uses it; give the array a constant size")
          << name(F);
    callers(F);
  }

  /// The group of an error that code for the embedded CPU can do without.
  llvm::StringRef unlessAllowed() const { return Library == DeviceLibrary::Host ? " [-Wsycl-strict]" : ""; }

  /// Clang drops branches that it knows are not taken; without debug info nobody knows.
  bool isEmitted(const llvm::Function *F, SourceRange Range) const {
    const PresumedLoc Begin = SM.getPresumedLoc(SM.getExpansionLoc(Range.getBegin()));
    const PresumedLoc End = SM.getPresumedLoc(SM.getExpansionRange(Range.getEnd()).getEnd());
    bool Known = false;
    for (const llvm::Instruction &I : llvm::instructions(*F)) {
      const llvm::DebugLoc &At = I.getDebugLoc();
      if (!At || At.getLine() == 0)
        continue;
      Known = true;
      const auto Place = std::pair(At.getLine(), At.getCol());
      if (Begin.isValid() && End.isValid() && Place >= std::pair(Begin.getLine(), Begin.getColumn()) &&
          Place <= std::pair(End.getLine(), End.getColumn()))
        return true;
    }
    return !Known;
  }

  /// The C++ ABI's names for what a throw expression calls.
  static bool isThrow(const llvm::Function *F) {
    const llvm::StringRef Name = F->getName();
    return Name == "__cxa_throw" || Name == "__cxa_rethrow" || Name == "__cxa_allocate_exception";
  }

  void report(SourceLocation Location, const Edge &First, const CXXThrowExpr *Throw) {
    if (!Shown.insert(Location).second)
      return;
    DiagnosticsEngine &Diags = Context.getDiagnostics();
    // The way from the user's line down to what is missing.
    llvm::SmallVector<const Edge *, 8> Way = {&First};
    while (!isMissing(*Way.back()))
      Way.push_back(Bad.lookup(Way.back()->To));
    const llvm::Function *Last = Way.back()->To;
    const llvm::StringRef Flag = isMissing(*Way.back(), true) ? "" : unlessAllowed();
    if (Throw || (Way.size() == 1 && isThrow(Last)))
      error(Diags, Location, "device code cannot throw exceptions, but '%0' does") << name(First.From);
    else if (isThrow(Last))
      error(Diags, Location, "device code cannot call '%0': it throws an exception") << name(First.To);
    else if (!declOf(Last) && Way.size() == 1)
      error(Diags, Location, "device code cannot use what needs '%0' of the C++ runtime, which is for the host only%1")
          << name(Last) << Flag;
    else if (Way.size() == 1)
      error(Diags, Location, "device code cannot call '%0', which is for the host only%1") << asWritten(First) << Flag;
    else
      error(Diags, Location, "device code cannot call '%0': it comes to '%1', which is for the host only%2")
          << name(First.To) << name(Last) << Flag;
    if (!Throw)
      for (const Edge *E : llvm::drop_begin(Way))
        step(*E);
    callers(First.From);
  }

  void step(const Edge &E) {
    DiagnosticsEngine &Diags = Context.getDiagnostics();
    if (isThrow(E.To))
      note(Diags, locate(E.At), "'%0' throws here") << name(E.From);
    else if (calls(E))
      note(Diags, locate(E.At), "'%0' calls '%1' here") << name(E.From) << name(E.To);
    else
      note(Diags, locate(E.At), "'%0' leads to '%1' here") << name(E.From) << name(E.To);
  }

  /// How a kernel or an exported function comes to a user's function.
  void callers(const llvm::Function *F) {
    for (const Edge *By = Reached.lookup(F); By; By = Reached.lookup(By->From))
      if (declOf(By->From) && (isUsers(By->From) || isUsers(By->To)) && !isOurs(By->From))
        step(*By);
  }

  /// Between a kernel's entry and its body stand our headers, of which nobody needs to know.
  bool isOurs(const llvm::Function *F) const {
    for (const llvm::Function *At = F; At; At = Reached.lookup(At) ? Reached.lookup(At)->From : nullptr)
      if (isUsers(At))
        return false;
    return true;
  }
};

} // namespace

void checkHostOnly(ASTContext &Context, CodeGenerator &Generator, const std::vector<Kernel> &Kernels, DeviceLibrary Library,
                   bool AllowsHost) {
  HostOnlyCheck(Context, Generator, Kernels, Library, AllowsHost).run();
}

} // namespace aspen
