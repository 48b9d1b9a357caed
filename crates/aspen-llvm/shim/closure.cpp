// Clones what a few roots reach out of a module, in the same context; the source stays as it is.
//
// LLVM's CloneModule and CodeExtractor copy the whole module an image; this takes time by the size of the closure only.
// Two steps: find everything the roots reach and declare it in the new module, then map bodies and initialisers over. Metadata is mapped
// with the code, so debug info shrinks to what the closure holds; compile units are replaced by ones without lists of other entities,
// the same for all closures.

#include "dpcpp.h"
#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {
// Globals outside the closure occur only in metadata (a template argument in debug info): there they become null.
constexpr RemapFlags Flags = RF_NullMapMissingGlobalValues;

// What stays visible in a closure: its roots; or what DPC++ leaves visible, too, which is variables, and functions whose addresses travel
// between images. Where images import from each other, the latter come that way.
enum class Visible { Roots, Dpcpp, DpcppImporting };

// What holds for every closure of a module, so that a closure costs only what it reaches. Valid until globals come or go.
struct Index {
  Index(Module &M, ArrayRef<Function *> Outside, Visible Seen) : Outside(Outside.begin(), Outside.end()), Seen(Seen) {
    auto Add = [&](auto &&Globals) {
      for (auto &G : Globals)
        Order.try_emplace(&G, Order.size());
    };
    Add(M.globals());
    Add(M.functions());
    Add(M.aliases());
    Add(M.ifuncs());
    collectUsedGlobalVariables(M, Used[0], false);
    collectUsedGlobalVariables(M, Used[1], true);
    for (auto &F : M)
      if (F.hasFnAttribute("referenced-indirectly"))
        Referenced[F.getFunctionType()].push_back(&F);
      else if (auto Set = F.getFnAttribute("indirectly-callable"); Set.isStringAttribute())
        Callable[Set.getValueAsString()].push_back(&F);
    if (Seen != Visible::Roots) {
      for (auto &V : M.globals())
        if (isEverywhere(V))
          Everywhere.push_back(&V);
      if (auto *List = M.getGlobalVariable("llvm.compiler.used"))
        Everywhere.push_back(List);
    }
    // Every image shares the units: a copy of each for each image would make the work grow with their product.
    for (auto *Unit : M.debug_compile_units()) {
      auto Copy = Unit->clone();
      Copy->replaceEnumTypes(nullptr);
      Copy->replaceRetainedTypes(nullptr);
      Copy->replaceGlobalVariables(nullptr);
      Copy->replaceImportedEntities(nullptr);
      Copy->replaceMacros(nullptr);
      Units.push_back({Unit, MDNode::replaceWithDistinct(std::move(Copy))});
    }
  }

  // A variable that others may look for under its name: a table of functions, a sanitizer's data. What is there only because clang emits it
  // is none (vtables, type information, static initialisers; DESIGN 7.27), and device globals are in the images that use them.
  static bool isEverywhere(const GlobalVariable &V) {
    if (!V.hasInitializer() || V.isDiscardableIfUnused())
      return false;
    if (!aspen::sanitizerOf(V.getName()).empty())
      return true;
    return !V.hasAttribute("sycl-unique-id") && none_of(ArrayRef{"llvm.", "_ZTV", "_ZTT", "_ZTC", "_ZTI", "_ZTS", "_ZGV"},
                                                        [&](auto *Prefix) { return V.getName().starts_with(Prefix); });
  }

  // Functions that other images define: closures only declare them.
  SmallPtrSet<const Function *, 8> Outside;
  // What keeps its linkage besides roots.
  const Visible Seen;
  // What every closure holds.
  SmallVector<GlobalValue *, 4> Everywhere;
  // Compile units, and what they become: the same without lists of other entities.
  SmallVector<std::pair<DICompileUnit *, DICompileUnit *>, 2> Units;

  // The place of each global in the module.
  DenseMap<const GlobalValue *, size_t> Order;
  // llvm.used and llvm.compiler.used.
  SmallVector<GlobalValue *, 8> Used[2];
  // DPC++'s function pointers and virtual functions, which calls reach without seeing their addresses. Source: FORMATS §2.
  DenseMap<FunctionType *, SmallVector<Function *, 2>> Referenced;
  StringMap<SmallVector<Function *, 2>> Callable;
};

class Closure {
public:
  Closure(Module &From, const Index &Whole, ArrayRef<GlobalValue *> Roots)
      : From(From), Whole(Whole), Roots(Roots.begin(), Roots.end()) {
    for (auto *Root : Roots)
      if (auto *A = dyn_cast<GlobalAlias>(Root))
        Inside.insert(A->getAliaseeObject());
  }

  // Which of these functions it holds.
  void reaches(ArrayRef<GlobalValue *> Targets, bool *Held) {
    find();
    for (auto *Target : Targets)
      *Held++ = Reached.contains(Target);
  }

  // How many instructions it has.
  size_t size() {
    find();
    size_t Count = 0;
    for (auto *G : Reached)
      if (auto *F = dyn_cast<Function>(G))
        Count += F->getInstructionCount();
    return Count;
  }

  Module *clone() {
    find();
    sort();
    To = new Module(From.getModuleIdentifier(), From.getContext());
    To->setSourceFileName(From.getSourceFileName());
    To->setDataLayout(From.getDataLayout());
    To->setTargetTriple(From.getTargetTriple());
    To->setModuleInlineAsm(From.getModuleInlineAsm());
    for (auto &[Unit, Copy] : Whole.Units)
      Map.MD()[Unit].reset(Copy);
    for (auto *G : Sorted)
      declare(*G);
    for (auto *G : Sorted)
      if (auto *A = dyn_cast<GlobalAlias>(G))
        resolve(*A);
    // Bodies first: variables may hold the addresses of their blocks.
    for (bool Bodies : {true, false})
      for (auto *G : Sorted)
        if (isa<Function>(G) == Bodies)
          define(*G);
    keepUsed();
    namedMetadata();
    return To;
  }

private:
  Module &From;
  const Index &Whole;
  Module *To = nullptr;
  SmallPtrSet<GlobalValue *, 8> Roots;
  // What roots that are aliases stand for, and virtual functions that are called by name: these are found by their sets only where a call
  // goes through an object, so that a declaration would stay one.
  SmallPtrSet<const GlobalValue *, 2> Inside;
  SetVector<GlobalValue *> Reached;
  SmallVector<GlobalValue *, 0> Sorted;
  size_t Next = 0;
  SmallPtrSet<const Constant *, 32> SeenConstants;
  ValueToValueMapTy Map;

  // Whether another image defines it.
  bool isOutside(const GlobalValue &G) const {
    auto *F = dyn_cast<Function>(&G);
    return F && Whole.Outside.contains(F) && !Roots.contains(F) && !Inside.contains(F);
  }

  void find() {
    for (auto *Root : Roots)
      reach(Root);
    for (auto *G : Whole.Everywhere)
      reach(G);
    while (Next < Reached.size())
      scan(*Reached[Next++]);
  }

  void reach(GlobalValue *G) { Reached.insert(G); }

  void reach(const Constant *C) {
    if (auto *G = dyn_cast<GlobalValue>(C))
      return reach(const_cast<GlobalValue *>(G));
    if (C->getNumOperands() == 0 || !SeenConstants.insert(C).second)
      return;
    for (auto &Op : C->operands())
      if (auto *Inner = dyn_cast<Constant>(Op.get()))
        reach(Inner);
  }

  void scan(GlobalValue &G) {
    if (isOutside(G))
      return;
    // Initialiser, aliasee, resolver; personality, prefix and prologue of functions.
    for (auto &Op : G.operands())
      if (auto *C = dyn_cast<Constant>(Op.get()))
        reach(C);
    auto *F = dyn_cast<Function>(&G);
    if (!F)
      return;
    if (auto Sets = F->getFnAttribute("calls-indirectly"); Sets.isStringAttribute())
      for (auto Set : split(Sets.getValueAsString(), ','))
        if (auto It = Whole.Callable.find(Set); It != Whole.Callable.end())
          Reached.insert_range(It->second);
    for (auto &I : instructions(*F)) {
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        if (auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts()))
          callByName(*Callee);
        else if (auto It = Whole.Referenced.find(Call->getFunctionType()); Call->isIndirectCall() && It != Whole.Referenced.end())
          Reached.insert_range(It->second);
      }
      for (auto &Op : I.operands()) {
        if (auto *C = dyn_cast<Constant>(Op.get()))
          reach(C);
        else if (auto *V = dyn_cast<MetadataAsValue>(Op.get()))
          if (auto *M = dyn_cast<ConstantAsMetadata>(V->getMetadata()))
            reach(M->getValue());
      }
      // What an indirect call may reach belongs to the closure even where its address is not seen.
      if (auto *Callees = I.getMetadata(LLVMContext::MD_callees))
        for (auto &Op : Callees->operands())
          if (auto *C = mdconst::dyn_extract_or_null<Constant>(Op))
            reach(C);
    }
  }

  void callByName(Function &Callee) {
    // Through a vtable it may have been reached and passed over before.
    if (isOutside(Callee) && Callee.hasFnAttribute("indirectly-callable") && Inside.insert(&Callee).second && Reached.contains(&Callee))
      scan(Callee);
  }

  // The module's order, so that the result does not depend on the order of the roots.
  void sort() {
    Sorted.assign(Reached.begin(), Reached.end());
    llvm::sort(Sorted, [&](auto *A, auto *B) { return Whole.Order.lookup(A) < Whole.Order.lookup(B); });
  }

  void declare(GlobalValue &G) {
    GlobalValue *New = nullptr;
    if (auto *F = dyn_cast<Function>(&G)) {
      auto *N = Function::Create(F->getFunctionType(), F->getLinkage(), F->getAddressSpace(), F->getName(), To);
      N->copyAttributesFrom(F);
      New = N;
      if (isOutside(G)) {
        N->setLinkage(GlobalValue::ExternalLinkage);
        N->setVisibility(GlobalValue::DefaultVisibility);
        N->setDSOLocal(false);
        N->setPersonalityFn(nullptr);
        N->setPrefixData(nullptr);
        N->setPrologueData(nullptr);
        Map[&G] = New;
        return;
      }
    } else if (auto *V = dyn_cast<GlobalVariable>(&G)) {
      auto *N = new GlobalVariable(*To, V->getValueType(), V->isConstant(), V->getLinkage(), nullptr, V->getName(), nullptr,
                                   V->getThreadLocalMode(), V->getAddressSpace());
      N->copyAttributesFrom(V);
      New = N;
    } else if (auto *I = dyn_cast<GlobalIFunc>(&G)) {
      // The resolver follows in define().
      auto *N = GlobalIFunc::create(I->getValueType(), I->getAddressSpace(), I->getLinkage(), I->getName(), nullptr, To);
      N->copyAttributesFrom(I);
      New = N;
    } else {
      return; // Aliases: resolve().
    }
    Map[&G] = New;
    link(G, *New);
  }

  // Roots are seen from outside; every other definition is the image's own, so that inlining and GlobalDCE may take it apart.
  void link(const GlobalValue &Old, GlobalValue &New) {
    if (Old.isDeclaration())
      return;
    if (!Roots.contains(&Old)) {
      if (keepsLinkage(Old))
        comdat(Old, New);
      else if (!Old.hasAppendingLinkage())
        New.setLinkage(GlobalValue::InternalLinkage);
      return;
    }
    if (Whole.Seen == Visible::Roots) {
      New.setVisibility(GlobalValue::DefaultVisibility);
      New.setDSOLocal(false);
    }
    if (Whole.Seen != Visible::Roots && isa<Function>(Old) && cast<Function>(Old).hasFnAttribute("indirectly-callable"))
      New.setLinkage(GlobalValue::ExternalLinkage); // found by its name when a runtime links the set
    else if (Old.hasLinkOnceLinkage())
      New.setLinkage(GlobalValue::getWeakLinkage(Old.hasLinkOnceODRLinkage()));
    else if (Old.hasLocalLinkage() || Old.hasAvailableExternallyLinkage())
      New.setLinkage(GlobalValue::ExternalLinkage);
    comdat(Old, New);
  }

  bool keepsLinkage(const GlobalValue &G) const {
    if (Whole.Seen == Visible::Roots)
      return false;
    if (auto *F = dyn_cast<Function>(&G))
      return F->hasPrivateLinkage() || F->hasAvailableExternallyLinkage() ||
             (Whole.Seen == Visible::Dpcpp && F->hasFnAttribute("referenced-indirectly"));
    return isa<GlobalVariable>(G);
  }

  void comdat(const GlobalValue &Old, GlobalValue &New) {
    if (auto *From = dyn_cast<GlobalObject>(&Old))
      if (auto *Comdat = From->getComdat(); Comdat && !Old.hasLocalLinkage()) {
        auto *Copy = To->getOrInsertComdat(Comdat->getName());
        Copy->setSelectionKind(Comdat->getSelectionKind());
        cast<GlobalObject>(New).setComdat(Copy);
      }
  }

  // An alias is what it stands for. As a root it must keep its name: a copy of the function under that name (SPIR-V has no aliases).
  void resolve(GlobalAlias &A) {
    if (Map.count(&A))
      return;
    SmallVector<const Constant *, 4> Work{A.getAliasee()};
    while (!Work.empty()) {
      auto *C = Work.pop_back_val();
      if (auto *Inner = dyn_cast<GlobalAlias>(C))
        resolve(*const_cast<GlobalAlias *>(Inner));
      else if (!isa<GlobalValue>(C))
        for (auto &Op : C->operands())
          if (auto *Part = dyn_cast<Constant>(Op.get()))
            Work.push_back(Part);
    }
    auto *F = dyn_cast<Function>(A.getAliasee()->stripPointerCastsAndAliases());
    if (!Roots.contains(&A) || !F) {
      Map[&A] = MapValue(A.getAliasee(), Map, Flags);
      return;
    }
    auto *N = Function::Create(F->getFunctionType(), GlobalValue::ExternalLinkage, F->getAddressSpace(), A.getName(), To);
    N->copyAttributesFrom(F);
    N->setVisibility(GlobalValue::DefaultVisibility);
    N->setDSOLocal(false);
    Map[&A] = N;
    Copies.push_back({F, N});
  }
  SmallVector<std::pair<Function *, Function *>, 2> Copies;

  void metadata(const GlobalObject &Old, GlobalObject &New) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> Nodes;
    Old.getAllMetadata(Nodes);
    for (auto &[Kind, Node] : Nodes)
      // The section of an associated global that is not here has no say.
      if (Kind != LLVMContext::MD_associated)
        New.addMetadata(Kind, *MapMetadata(Node, Map, Flags));
  }

  void define(GlobalValue &G) {
    if (auto *V = dyn_cast<GlobalVariable>(&G)) {
      auto *N = cast<GlobalVariable>(Map[V]);
      if (V->hasInitializer())
        N->setInitializer(MapValue(V->getInitializer(), Map, Flags));
      metadata(*V, *N);
    } else if (auto *I = dyn_cast<GlobalIFunc>(&G)) {
      cast<GlobalIFunc>(Map[I])->setResolver(cast<Constant>(MapValue(I->getResolver(), Map, Flags)));
    } else if (auto *F = dyn_cast<Function>(&G); F && !isOutside(G)) {
      body(*F, *cast<Function>(Map[F]));
      for (auto &[Source, Copy] : Copies)
        if (Source == F) {
          body(*F, *Copy);
          // A subprogram belongs to one function.
          stripDebugInfo(*Copy);
        }
    }
  }

  void body(Function &F, Function &N) {
    if (F.isDeclaration()) {
      metadata(F, N);
      return;
    }
    for (auto [Old, New] : zip(F.args(), N.args())) {
      New.setName(Old.getName());
      Map[&Old] = &New;
    }
    for (auto &B : F)
      Map[&B] = CloneBasicBlock(&B, Map, "", &N);
    for (auto &B : F)
      if (B.hasAddressTaken())
        Map[BlockAddress::get(&F, &B)] = BlockAddress::get(&N, cast<BasicBlock>(Map[&B]));
    SmallVector<std::pair<unsigned, MDNode *>, 4> Nodes;
    F.getAllMetadata(Nodes);
    for (auto &[Kind, Node] : Nodes)
      N.addMetadata(Kind, *Node);
    // Maps operands (also personality, prefix, prologue), metadata, instructions and debug records.
    RemapFunction(N, Map, Flags);
  }

  void keepUsed() {
    for (bool Compiler : {false, true}) {
      if (To->getGlobalVariable(Compiler ? "llvm.compiler.used" : "llvm.used"))
        continue; // the list itself was reached
      SmallVector<GlobalValue *, 8> Kept;
      for (auto *G : Whole.Used[Compiler])
        if (auto It = Map.find(G); It != Map.end() && It->second)
          if (auto *New = dyn_cast<GlobalValue>(It->second->stripPointerCasts()); New && !New->isDeclaration())
            Kept.push_back(New);
      if (Kept.empty())
        continue;
      if (Compiler)
        appendToCompilerUsed(*To, Kept);
      else
        appendToUsed(*To, Kept);
    }
  }

  // What describes the module as a whole (sycl_aspects says which dialect it is written in; specialization constants that were lowered
  // are numbered over all of it). Lists of functions, types and options of the source stay behind.
  static bool isKept(StringRef Name) {
    return Name == "llvm.module.flags" || Name == "llvm.ident" || Name == "sycl_aspects" || Name.starts_with("opencl.") || Name.starts_with("spirv.") ||
           Name.starts_with("sycl.specialization-constants");
  }

  // Lists of pairs of a kernel's names, of which the second is its symbol.
  void registered(const NamedMDNode &Lists) {
    SmallVector<Metadata *, 8> Kept;
    for (auto *List : Lists.operands())
      for (auto &Op : List->operands())
        if (auto *Pair = dyn_cast_or_null<MDNode>(Op.get()); Pair && Pair->getNumOperands() == 2)
          if (auto *Symbol = dyn_cast_or_null<MDString>(Pair->getOperand(1)); Symbol && To->getFunction(Symbol->getString()))
            Kept.push_back(Pair);
    if (!Kept.empty())
      To->getOrInsertNamedMetadata(Lists.getName())->addOperand(MDNode::get(To->getContext(), Kept));
  }

  void namedMetadata() {
    for (auto &Node : From.named_metadata())
      if (isKept(Node.getName())) {
        auto *New = To->getOrInsertNamedMetadata(Node.getName());
        for (auto *Op : Node.operands())
          New->addOperand(cast<MDNode>(MapMetadata(Op, Map, Flags)));
      } else if (Node.getName() == "sycl_registered_kernels") {
        registered(Node);
      }
    SmallPtrSet<const DICompileUnit *, 2> Needed;
    DebugInfoFinder Finder;
    for (auto &F : *To)
      if (auto *Program = F.getSubprogram())
        Finder.processSubprogram(Program);
    for (auto *Unit : Finder.compile_units())
      Needed.insert(Unit);
    for (auto &[Old, New] : Whole.Units)
      if (Needed.contains(New))
        To->getOrInsertNamedMetadata("llvm.dbg.cu")->addOperand(New);
  }
};
} // namespace

// Outside: functions of the module that closures do not enter. Seen: a Visible.
extern "C" void *aspen_llvm_index(LLVMModuleRef Source, LLVMValueRef *Outside, size_t Count, int Seen) {
  SmallVector<Function *, 8> Functions;
  for (size_t I = 0; I < Count; ++I)
    if (auto *F = dyn_cast<Function>(unwrap(Outside[I])))
      Functions.push_back(F);
  return new Index(*unwrap(Source), Functions, static_cast<Visible>(Seen));
}

extern "C" void aspen_llvm_index_free(void *Whole) { delete static_cast<Index *>(Whole); }

// Null and a message if LLVM crashed; the context must not be used or freed any more then.
extern "C" LLVMModuleRef aspen_llvm_clone_closure(LLVMModuleRef Source, const void *Whole, LLVMValueRef *Roots, size_t Count, char **Message) {
  Module *Out = nullptr;
  std::string Error;
  bool Ran = aspen::guarded(
      [&] {
        SmallVector<GlobalValue *, 8> Values;
        for (size_t I = 0; I < Count; ++I)
          Values.push_back(unwrap<GlobalValue>(Roots[I]));
        Out = Closure(*unwrap(Source), *static_cast<const Index *>(Whole), Values).clone();
      },
      Error);
  if (Ran)
    return wrap(Out);
  *Message = aspen::copy(Error);
  return nullptr;
}

// A bool a target.
extern "C" void aspen_llvm_closure_reaches(LLVMModuleRef Source, const void *Whole, LLVMValueRef *Roots, size_t Count, LLVMValueRef *Targets,
                                           size_t TargetCount, bool *Held) {
  SmallVector<GlobalValue *, 8> From, To;
  for (size_t I = 0; I < Count; ++I)
    From.push_back(unwrap<GlobalValue>(Roots[I]));
  for (size_t I = 0; I < TargetCount; ++I)
    To.push_back(unwrap<GlobalValue>(Targets[I]));
  Closure(*unwrap(Source), *static_cast<const Index *>(Whole), From).reaches(To, Held);
}

extern "C" size_t aspen_llvm_closure_size(LLVMModuleRef Source, const void *Whole, LLVMValueRef Root) {
  return Closure(*unwrap(Source), *static_cast<const Index *>(Whole), unwrap<GlobalValue>(Root)).size();
}
