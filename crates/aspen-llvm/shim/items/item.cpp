// The first step: one work-item as a function by itself, its barriers in plain sight and its ids as values.

#include "items.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace aspen::items {
namespace {

// More instructions than any kernel should have: compilation ends.
constexpr size_t MaxInstructions = 50000;

constexpr StringLiteral IdNames[Ids] = {"aspen.item.local.0", "aspen.item.local.1",   "aspen.item.local.2",
                                        "aspen.item.linear",  "aspen.item.lane",      "aspen.item.first",
                                        "aspen.item.sub",     "aspen.item.sub.size",  "aspen.item.sub.max"};
constexpr StringLiteral OneName[] = {"aspen.item.one"};
constexpr StringLiteral AnyName[] = {"aspen.item.any"};
constexpr StringLiteral EndedNames[] = {"aspen.item.ended", "aspen.item.asked"};

std::optional<size_t> place(const Value *V, ArrayRef<StringLiteral> Names) {
  const auto *Call = dyn_cast<CallInst>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  const auto *Found = Callee ? find(Names, Callee->getName()) : Names.end();
  return Found == Names.end() ? std::nullopt : std::optional(size_t(Found - Names.begin()));
}

// What the functions of a module do with barriers and with the running item.
class Reach {
public:
  Reach(Module &M, const Names &Names) : M(M) {
    for (const char *Name : Names.functions())
      if (Function *F = M.getFunction(Name)) {
        Own.insert(F);
        Needed.insert(F);
      }
    if (GlobalVariable *Current = M.getNamedGlobal(Names.Current))
      for (User *U : Current->users())
        addUsers(U);
    // Who calls one of them is one; a look at the calls, since modules with hundreds of kernels ask for each of these.
    SmallVector<Function *, 16> Open(Needed.begin(), Needed.end());
    while (!Open.empty()) {
      Function *Callee = Open.pop_back_val();
      for (User *U : Callee->users())
        if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == Callee && Needed.insert(Call->getFunction()).second)
          Open.push_back(Call->getFunction());
    }
    for (Function *F : Needed)
      ByAddress |= F->hasAddressTaken();
  }

  // Whether calls of F have to be opened so that the item is all that a barrier suspends.
  bool mustInline(const Function *F) const { return Needed.contains(F) && !Own.contains(F); }

  // Whether F calls itself, by whatever it calls: opening it would never end.
  bool isRecursive(const Function *F) const {
    SmallPtrSet<const Function *, 16> Seen;
    SmallVector<const Function *, 16> Open{F};
    while (!Open.empty())
      for (const Instruction &I : instructions(*Open.pop_back_val()))
        if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction() && mustInline(Call->getCalledFunction())) {
          if (Call->getCalledFunction() == F)
            return true;
          if (Seen.insert(Call->getCalledFunction()).second)
            Open.push_back(Call->getCalledFunction());
        }
    return false;
  }

  // Whether a call that stays a call may come to a barrier, or ask for the running item. Functions of other images may.
  bool mayWait(const CallBase &Call) {
    if (Call.isInlineAsm())
      return false;
    const Function *Callee = Call.getCalledFunction();
    return Callee ? mayWait(*Callee) : ByAddress || hasImports();
  }

private:
  void addUsers(User *U) {
    if (auto *I = dyn_cast<Instruction>(U))
      Needed.insert(I->getFunction());
    else
      for (User *Further : U->users())
        addUsers(Further);
  }

  bool mayWait(const Function &F) {
    if (F.isIntrinsic() || Own.contains(&F))
      return false;
    if (F.isDeclaration())
      return M.getNamedValue(("aspen_import." + F.getName()).str()) || M.getModuleInlineAsm().find(F.getName().str()) != std::string::npos;
    if (Needed.contains(&F))
      return true;
    if (!Known.insert(&F).second)
      return false;
    return any_of(instructions(F), [&](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && mayWait(*Call);
    });
  }

  // Assembly stands for functions of other images. Source: src/shared_calls.rs.
  bool hasImports() const { return !M.getModuleInlineAsm().empty(); }

  Module &M;
  SmallPtrSet<const Function *, 4> Own;
  SmallPtrSet<Function *, 16> Needed;
  SmallPtrSet<const Function *, 16> Known;
  bool ByAddress = false;
};

bool inlineAll(Function &Body, const Reach &R, const Lines &Lines, std::string &Why) {
  SmallVector<CallBase *, 8> Open;
  SmallPtrSet<const Function *, 16> Known;
  auto Collect = [&](Function &F) {
    Open.clear();
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction() && R.mustInline(Call->getCalledFunction()))
        Open.push_back(Call);
  };
  for (Collect(Body); !Open.empty(); Collect(Body)) {
    if (const size_t Size = Body.getInstructionCount(); Size > MaxInstructions)
      return Why = "with what it calls it has more than " + std::to_string(MaxInstructions) + " instructions" + Lines.in(*Open.front()), false;
    for (CallBase *Call : Open) {
      if (Known.insert(Call->getCalledFunction()).second && R.isRecursive(Call->getCalledFunction()))
        return Why = "a function that comes to a barrier or asks which item runs calls itself" + Lines.in(*Call), false;
      std::string Place = Lines.in(*Call);
      InlineFunctionInfo Info;
      InlineResult Result = InlineFunction(*Call, Info, /*MergeAttributes=*/true, nullptr, /*InsertLifetime=*/false);
      if (!Result.isSuccess())
        return Why = std::string("a function cannot be inlined: ") + Result.getFailureReason() + Place, false;
    }
  }
  return true;
}

// The variable that knows the running item becomes one of the item's own, which simplification sees through.
void ownCurrent(Function &Body, GlobalVariable *Current, AllocaInst *Self) {
  SmallVector<IntrinsicInst *, 8> Addresses;
  for (Instruction &I : instructions(Body))
    if (auto *Address = dyn_cast<IntrinsicInst>(&I);
        Current && Address && Address->getIntrinsicID() == Intrinsic::threadlocal_address && Address->getArgOperand(0) == Current)
      Addresses.push_back(Address);
  if (Addresses.empty())
    return;
  IRBuilder<> B(Self->getNextNode());
  Value *Own = B.CreateAlloca(Self->getType(), nullptr, "current");
  B.CreateStore(Self, Own);
  for (IntrinsicInst *Address : Addresses) {
    Address->replaceAllUsesWith(Own);
    Address->eraseFromParent();
  }
}

CallInst *id(IRBuilder<> &B, Module &M, Id Which, Type *T) {
  FunctionCallee Callee = M.getOrInsertFunction(IdNames[size_t(Which)], FunctionType::get(T, false));
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  return B.CreateCall(Callee);
}

// A question about an item that may have ended, without the structure that the header asks: who asks knows.
void ask(CallInst &Call, AboutEnded What) {
  Module &M = *Call.getModule();
  Type *Half = Type::getInt32Ty(M.getContext());
  SmallVector<Type *, 2> Types{Half};
  SmallVector<Value *, 2> Arguments{Call.getArgOperand(1)};
  if (What == AboutEnded::Has) {
    Types.push_back(Call.getArgOperand(2)->getType());
    Arguments.push_back(Call.getArgOperand(2));
  }
  FunctionCallee Callee = M.getOrInsertFunction(EndedNames[size_t(What)], FunctionType::get(Call.getType(), Types, false));
  auto *F = cast<Function>(Callee.getCallee());
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly(What == AboutEnded::Has ? ModRefInfo::Ref : ModRefInfo::ModRef));
  F->setDoesNotThrow();
  F->setWillReturn();
  IRBuilder<> B(&Call);
  Call.replaceAllUsesWith(B.CreateCall(Callee, Arguments));
}

// A barrier, and the question who does something for all.
void meet(CallInst &Call, const char *Barrier, bool OfSubGroup) {
  Module &M = *Call.getModule();
  IRBuilder<> B(&Call);
  setPlace(*B.CreateCall(M.getOrInsertFunction(Barrier, B.getVoidTy(), B.getPtrTy()), {Call.getArgOperand(0)}), placeOf(Call).str());
  FunctionCallee Callee = M.getOrInsertFunction(OneName[0], Call.getType(), B.getInt1Ty());
  auto *F = cast<Function>(Callee.getCallee());
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  F->setDoesNotThrow();
  F->setWillReturn();
  Call.replaceAllUsesWith(B.CreateCall(Callee, {B.getInt1(OfSubGroup)}));
}

} // namespace

// Items of a work-group, at most: the device's limit is far below.
constexpr uint64_t MaxItems = 0x7fffffff;
// Items of a row that one or two vectors have.
constexpr uint64_t ShortRow = 32;

void boundRange(LoadInst &Load) {
  LLVMContext &C = Load.getContext();
  Load.setMetadata(LLVMContext::MD_range, MDBuilder(C).createRange(APInt(64, 1), APInt(64, MaxItems + 1)));
  Load.setMetadata(LLVMContext::MD_noundef, MDNode::get(C, {}));
}

namespace {

// A structure of its own for the item, filled from the group's and the ids; what of it is only read becomes values.
AllocaInst *fill(Function &Body, Argument *Group, bool BySubGroups) {
  Module &M = *Body.getParent();
  IRBuilder<> B(&*Body.getEntryBlock().getFirstInsertionPt());
  Type *Word = B.getInt64Ty(), *Half = B.getInt32Ty(), *Pointer = B.getPtrTy();
  auto *Self = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), layout::Size), nullptr, "item");
  Self->setAlignment(Align(8));
  Group->replaceAllUsesWith(Self);
  // What was the caller's is a variable here, of which calls in tail position would know nothing.
  for (Instruction &I : instructions(Body))
    if (auto *Call = dyn_cast<CallInst>(&I))
      Call->setTailCallKind(CallInst::TCK_None);
  auto At = [&](Value *Base, unsigned Place) { return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Place); };
  auto Read = [&](Type *T, unsigned Place) {
    auto *Load = B.CreateAlignedLoad(T, At(Group, Place), Align(T == Half ? 4 : 8));
    Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(B.getContext(), {}));
    return Load;
  };
  auto Write = [&](Value *V, unsigned Place) { B.CreateAlignedStore(V, At(Self, Place), Align(V->getType() == Half ? 4 : 8)); };

  auto Few = [&](Id Which) {
    CallInst *Call = id(B, M, Which, Word);
    Call->addRangeRetAttr(ConstantRange(APInt(64, 0), APInt(64, MaxItems + 1)));
    return Call;
  };
  // Scratch memory is null, and the entry's own to set; LLVM must not know, or a kernel without any does who knows what instead of ending with a message.
  for (unsigned Place : {0u, layout::LocalMemory, layout::GroupSlots, layout::Scheduler, layout::ScratchMemory})
    Write(Read(Pointer, Place), Place);
  for (unsigned Place = layout::GroupId; Place < layout::LocalLinearId; Place += 8)
    Write(Read(Word, Place), Place);
  for (unsigned Place : {layout::SubGroupId + 4, layout::SubGroupMaxSize})
    Write(Read(Half, Place), Place);
  Value *Items = nullptr;
  for (unsigned D = 0; D < 3; ++D) {
    Value *Local = Few(Id(D));
    LoadInst *Range = Read(Word, layout::LocalRange + 8 * D);
    boundRange(*Range);
    Items = Items ? B.CreateMul(Items, Range) : static_cast<Value *>(Range);
    Write(Local, layout::LocalId + 8 * D);
    Value *First = B.CreateAdd(B.CreateMul(Read(Word, layout::GroupId + 8 * D), Range), Read(Word, layout::Offset + 8 * D));
    Write(B.CreateAdd(First, Local), layout::GlobalId + 8 * D);
  }
  // Lanes are consecutive items; the last sub-group may be short. The sub-group's slots begin at its first item.
  Value *Linear, *Lane, *First, *SubGroup, *Size;
  if (BySubGroups) {
    auto Of = [&](Id Which) { return B.CreateTrunc(Few(Which), Half); };
    Lane = Of(Id::Lane), First = Of(Id::First), SubGroup = Of(Id::SubGroup), Size = Of(Id::SubGroupSize);
    Linear = Of(Id::Linear);
    Write(Of(Id::SubGroupMaxSize), layout::SubGroupMaxSize);
  } else {
    Value *Most = Read(Half, layout::SubGroupMaxSize);
    Linear = B.CreateTrunc(Few(Id::Linear), Half);
    SubGroup = B.CreateUDiv(Linear, Most), First = B.CreateMul(SubGroup, Most), Lane = B.CreateSub(Linear, First);
    Value *Rest = B.CreateSub(B.CreateTrunc(Items, Half), First);
    Size = B.CreateSelect(B.CreateICmpULT(Rest, Most), Rest, Most);
  }
  Write(Linear, layout::LocalLinearId);
  Write(SubGroup, layout::SubGroupId);
  Write(Lane, layout::Lane);
  Write(Size, layout::SubGroupSize);
  Value *Slots = B.CreateGEP(B.getInt8Ty(), Read(Pointer, layout::SubGroupSlots),
                             B.CreateMul(B.CreateZExt(First, Word), B.getInt64(layout::SlotsOfItem * layout::Slot)));
  Write(Slots, layout::SubGroupSlots);
  return Self;
}

// Whether the place can be read before the item begins: inside the closure, which nobody writes. Source: native_cpu.h.
bool inClosure(const LoadInst &Load, const Argument *Closure) {
  const DataLayout &Layout = Load.getModule()->getDataLayout();
  APInt Place(Layout.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
  if (!Load.isSimple() || Load.getPointerOperand()->stripAndAccumulateConstantOffsets(Layout, Place, true) != Closure)
    return false;
  uint64_t Size = Layout.getTypeStoreSize(Load.getType()).getKnownMinValue();
  return !Place.isNegative() && Place.getZExtValue() + Size <= Closure->getDereferenceableBytes();
}

// What the group's items have in common.
bool inGroup(const LoadInst &Load, const Argument *Group) {
  return Load.isSimple() && Load.hasMetadata(LLVMContext::MD_invariant_load) && Load.getPointerOperand()->stripInBoundsConstantOffsets() == Group;
}

// Moves to the entry block what depends on ids and the launch only and costs next to nothing: every piece makes it anew.
void liftCheapValues(Item &Out) {
  BasicBlock &Entry = Out.Body->getEntryBlock();
  Instruction *End = Entry.getTerminator();
  auto Known = [&](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    return !I || I->getParent() == &Entry;
  };
  for (bool Moved = true; Moved;) {
    Moved = false;
    for (BasicBlock &Block : *Out.Body) {
      if (&Block == &Entry)
        continue;
      for (Instruction &I : make_early_inc_range(Block)) {
        auto *Load = dyn_cast<LoadInst>(&I);
        if (!(Load ? inClosure(*Load, Out.closure()) || inGroup(*Load, Out.group()) : idOf(&I) || isCheap(I)) || !all_of(I.operands(), Known))
          continue;
        // What holds of it where it stood may not hold of every item.
        I.dropUBImplyingAttrsAndMetadata();
        I.moveBefore(End->getIterator());
        Moved = true;
      }
    }
  }
}

// Private variables become values as far as they can, each loop has one way in and one way back, and there is one end.
void simplify(Function &Body, FunctionAnalysisManager &Analyses) {
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(InstCombinePass());
  // A variable whose address another one held: the item itself, by what algorithms of groups capture.
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(SimplifyCFGPass());
  Passes.addPass(UnifyFunctionExitNodesPass());
  Passes.addPass(LoopSimplifyPass());
  Passes.run(Body, Analyses);
  eraseMarksOfSteps(Body);
  takeVectorsApart(Body, Analyses);
  computeOnce(Body);
  Analyses.clear(Body, Body.getName()); // what follows changes it by hand
}

// Parts what is the same for all pieces, or costs nothing, from the code proper.
void separateEntry(Item &Out) {
  BasicBlock &First = Out.Body->getEntryBlock();
  for (Instruction &I : make_early_inc_range(First))
    if (isa<AllocaInst>(I))
      I.moveBefore(First.begin());
  SplitBlock(&First, First.getFirstNonPHIOrDbgOrAlloca());
  liftCheapValues(Out);
}

bool isMember(const Value *V, const Argument *Box, unsigned Place) {
  const auto *Load = dyn_cast<LoadInst>(V);
  APInt Offset(64, 0);
  return Load && Load->getPointerOperand()->stripAndAccumulateConstantOffsets(Load->getDataLayout(), Offset, false) == Box && Offset == Place;
}

// Makes one item of the loop over a row: the loop's variable becomes an id, and the way back is closed.
bool openRow(Item &Out) {
  DominatorTree Tree(*Out.Body);
  LoopInfo Loops(Tree);
  for (Loop *L : Loops.getLoopsInPreorder()) {
    BasicBlock *Latch = L->getLoopLatch(), *Before = L->getLoopPreheader();
    auto *Branch = Latch && Before && L->getExitingBlock() == Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (L->isInnermost() || !Compare || !hasSingleElement(L->getHeader()->phis()))
      continue;
    PHINode &Column = *L->getHeader()->phis().begin();
    Value *Next = Column.getIncomingValueForBlock(Latch), *First = Column.getIncomingValueForBlock(Before);
    if (!match(Next, m_c_Add(m_Specific(&Column), m_One())) || !isMember(First, Out.group(), layout::RowBegin) ||
        !Compare->isEquality() || Compare->getOperand(0) != Next || !isMember(Compare->getOperand(1), Out.group(), layout::RowEnd) ||
        (Compare->getPredicate() == CmpInst::ICMP_EQ) != (Branch->getSuccessor(1) == L->getHeader()))
      continue;
    // A single task has one item, and nothing in it asks which.
    if (Column.hasOneUse() && Next->hasNUses(2))
      continue;
    IRBuilder<> B(&*L->getHeader()->getFirstInsertionPt());
    Value *Here = B.CreateAdd(First, id(B, *Out.Body->getParent(), Id::Local2, Column.getType()));
    BasicBlock *Exit = L->getExitBlock();
    Column.replaceAllUsesWith(Here);
    Column.eraseFromParent();
    BranchInst::Create(Exit, Branch->getIterator());
    Branch->eraseFromParent();
    return true;
  }
  return false;
}

// Variables of an item are in no place of the group's that would be the same all along.
void keepLines(Function &Body, bool Lines) {
  if (!Lines)
    stripDebugInfo(Body);
  else
    for (Instruction &I : instructions(Body))
      I.dropDbgRecords();
}

} // namespace

bool isCheap(const Instruction &I) {
  return isa<GetElementPtrInst, ICmpInst, SelectInst, CastInst, MinMaxIntrinsic>(I) ||
         (isa<BinaryOperator>(I) && !I.getType()->isFPOrFPVectorTy() && isSafeToSpeculativelyExecute(&I));
}

std::optional<Id> idOf(const Value *V) {
  const auto Found = place(V, IdNames);
  return Found ? std::optional(Id(*Found)) : std::nullopt;
}

bool asksWhoIsOne(const Value *V) { return place(V, OneName).has_value(); }

bool asksAny(const Value *V) { return place(V, AnyName).has_value(); }

CallInst *askAny(IRBuilder<> &B, Value *Own) {
  FunctionCallee Callee = B.GetInsertBlock()->getModule()->getOrInsertFunction(AnyName[0], B.getInt1Ty(), B.getInt1Ty());
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  return B.CreateCall(Callee, {Own});
}

std::optional<AboutEnded> aboutEnded(const Value *V) {
  const auto Found = place(V, EndedNames);
  return Found ? std::optional(AboutEnded(*Found)) : std::nullopt;
}

void discard(Item &I) {
  if (I.Body)
    I.Body->eraseFromParent();
  I.Body = nullptr;
}

namespace {

// What the kernel's object holds stays as it is where all that the kernel does with it is reading: nobody else has its address. LLVM asks after each store,
// as what is kept there may have the type of what is stored (a local accessor's offset).
void keepClosure(Argument &Closure) {
  SmallVector<Value *, 16> Open{&Closure};
  SmallVector<LoadInst *, 16> Loads;
  while (!Open.empty())
    for (const Use &U : Open.pop_back_val()->uses()) {
      const auto *Copy = dyn_cast<MemCpyInst>(U.getUser());
      if (auto *Load = dyn_cast<LoadInst>(U.getUser()); Load && Load->isSimple())
        Loads.push_back(Load);
      else if (isa<GetElementPtrInst>(U.getUser()))
        Open.push_back(U.getUser());
      else if (!Copy || Copy->isVolatile() || &U != &Copy->getRawSourceUse())
        return;
    }
  for (LoadInst *Load : Loads)
    Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(Load->getContext(), {}));
}

} // namespace

Item makeItem(Function &Entry, const Names &Names, const Lines &Lines, FunctionAnalysisManager &Analyses, std::string &Why) {
  Module &M = *Entry.getParent();
  Item Out;
  if (Entry.arg_size() != 2 || Entry.hasFnAttribute(Attribute::SanitizeAddress) || Entry.hasFnAttribute(Attribute::OptimizeNone)) {
    Why = "it is to be watched";
    return Out;
  }
  Reach R(M, Names);
  ValueToValueMapTy Map;
  Function *Body = Out.Body = CloneFunction(&Entry, Map);
  Body->setName("aspen.item");
  Body->setLinkage(GlobalValue::InternalLinkage);
  Body->setComdat(nullptr);
  auto Fail = [&](const char *Reason, const Instruction *At = nullptr) {
    if (Why.empty())
      Why = At ? Reason + Lines.in(*At) : Reason;
    discard(Out);
    return Out;
  };
  if (!inlineAll(*Body, R, Lines, Why))
    return Fail("");
  Out.AsksNoGroup = asksNoGroup(*Body, Names);
  for (Instruction &I : instructions(*Body))
    if (I.mayHaveSideEffects() && !I.isLifetimeStartOrEnd())
      setPlace(I, Lines.of(I));
  for (Instruction &I : make_early_inc_range(instructions(*Body)))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getCalledFunction())
      for (bool OfSubGroup : {false, true})
        if (Call->getCalledFunction()->getName() == (OfSubGroup ? Names.OneOfSubGroup : Names.OneOfGroup)) {
          meet(*Call, OfSubGroup ? Names.SubGroupBarrier : Names.Barrier, OfSubGroup);
          Call->eraseFromParent();
          break;
        }
  SmallVector<Instruction *, 8> Dead;
  bool Enters = false;
  for (Instruction &I : instructions(*Body)) {
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !Variable->isStaticAlloca())
      return Fail("it has variables of computed size", Variable);
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (!isa<CallInst>(Call))
      return Fail("it catches exceptions", Call);
    // Its variables become parts of larger blocks of memory.
    if (Call->isLifetimeStartOrEnd())
      Dead.push_back(Call);
    const Function *Callee = Call->getCalledFunction();
    if (Callee && Callee->getName() == Names.Enter) {
      Enters = true;
      Dead.push_back(Call);
    } else if (Callee && (Callee->getName() == Names.Ended || Callee->getName() == Names.AskedEnded)) {
      ask(*cast<CallInst>(Call), Callee->getName() == Names.Ended ? AboutEnded::Has : AboutEnded::Asked);
      Dead.push_back(Call);
    } else if (Callee && (Callee->getName() == Names.Barrier || Callee->getName() == Names.SubGroupBarrier)) {
      Out.BySubGroups |= Callee->getName() == Names.SubGroupBarrier;
      Call->setConvergent();
      Call->setArgOperand(0, PoisonValue::get(Call->getArgOperand(0)->getType())); // whose barrier it is goes without saying
    } else if (Callee && (Callee->getName() == Names.Take32 || Callee->getName() == Names.Take64)) {
      Out.BySubGroups = true;
      makeTake(*cast<CallInst>(Call));
      Dead.push_back(Call);
    } else if (!asksWhoIsOne(Call) && R.mayWait(*Call)) {
      return Fail("a function that it calls may come to a barrier", Call);
    }
  }
  if (!Enters)
    return Fail("");
  for (Instruction *I : Dead)
    I->eraseFromParent();
  keepLines(*Body, Names.KeepLines);
  Out.Lanes = Names.Lanes;
  std::copy(std::begin(Names.WorkGroup), std::end(Names.WorkGroup), Out.WorkGroup.begin());
  // The source says it of the one launch that there is (aspen-clang/plugin/KnownRanges.cpp).
  if (const MDNode *Known = Entry.getMetadata("aspen.work_group"); Known && Known->getNumOperands() == 3)
    for (unsigned D = 0; D < 3; ++D)
      Out.WorkGroup[D] = mdconst::extract<ConstantInt>(Known->getOperand(D))->getZExtValue();
  // What a size is known for are loops that become vectors; those of a short row are none, and groups that are joined have long ones.
  if (Out.AsksNoGroup && Out.WorkGroup[2] < ShortRow)
    Out.WorkGroup = {};
  keepClosure(*Out.closure());
  AllocaInst *Self = fill(*Body, Out.group(), Out.BySubGroups);
  ownCurrent(*Body, M.getNamedGlobal(Names.Current), Self);
  simplify(*Body, Analyses);
  separateEntry(Out);
  measurePointers(*Body, Analyses);
  return Out;
}

Item makeRow(Function &Entry, bool KeepLines, FunctionAnalysisManager &Analyses, std::string &Why) {
  Item Out;
  ValueToValueMapTy Map;
  Function *Body = Out.Body = CloneFunction(&Entry, Map);
  Out.IsRow = true;
  Body->setName("aspen.row");
  keepLines(*Body, KeepLines);
  Body->setLinkage(GlobalValue::InternalLinkage);
  Body->setComdat(nullptr);
  auto Fail = [&](const char *Reason) {
    Why = Reason;
    discard(Out);
    return Out;
  };
  if (Entry.arg_size() != 2 || Entry.hasFnAttribute(Attribute::SanitizeAddress) || Entry.hasFnAttribute(Attribute::OptimizeNone))
    return Fail("it is to be watched");
  simplify(*Body, Analyses);
  for (Instruction &I : make_early_inc_range(instructions(*Body)))
    if (I.isLifetimeStartOrEnd())
      I.eraseFromParent(); // what arrays become lives on
  for (Instruction &I : instructions(*Body)) {
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && !mayLieApart(*Variable))
      return Fail("it has variables in memory");
    // Nobody writes the box.
    auto *Load = dyn_cast<LoadInst>(&I);
    if (Load && Load->isSimple() && Load->getPointerOperand()->stripInBoundsConstantOffsets() == Out.group())
      Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(Body->getContext(), {}));
  }
  if (!openRow(Out))
    return Fail("it has no loops of its own in a loop over a row");
  simplify(*Body, Analyses);
  separateEntry(Out);
  return Out;
}

} // namespace aspen::items
