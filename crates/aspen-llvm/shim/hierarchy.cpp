// Kernels of parallel_for_work_group for NVIDIA's processors: a thread a work-item.
//
// The header writes such a kernel for one thread, which runs the code of the work-group's scope and, in functions of their own
// (`in_each_thread`), the work-items one after the other. Here all threads of the block run the work-group's scope, each with the same values:
// what it computes is the same in all of them, what it does to memory is done by the first thread, between barriers, and results of that
// go to the others through local memory. Variables that work-items may write, or whose addresses go elsewhere, move to local memory; the others
// stay private, a copy in each thread, and so do those that the header marks (`private_memory`). In `in_each_thread` a thread gets its share.
//
// What cannot be done so (calls through pointers, functions of other images, more variables than local memory should hold, code without
// optimisation) runs in one thread, and the entry says so (`.maxntid 1`). Source: SYCL 2020 §4.9.4.2.3; docs/decisions/0053.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

// Names that the header gives (include/sycl/detail/hierarchy.hpp).
constexpr StringLiteral Thread = "__aspen_group_thread", Threads = "__aspen_group_threads", OfThread = "__aspen_of_thread";
constexpr StringLiteral EachThread = "_ZN4sycl6detail14in_each_threadI";

constexpr unsigned LocalSpace = 3;
constexpr uint64_t MostVariables = 16 * 1024; // bytes of local memory for variables of a kernel
constexpr unsigned MostInstructions = 50000;

Function *calleeOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts()) : nullptr;
}
bool isMarker(const Function *F) { return F && (F->getName() == Thread || F->getName() == Threads || F->getName() == OfThread); }
bool isEachThread(const Instruction &I) {
  const Function *F = calleeOf(I);
  return F && F->getName().starts_with(EachThread);
}

// Whether memory at a pointer is only read, and the pointer kept nowhere, by whoever uses it from here on. `Read` hears of loads of pointers
// with their offset from the pointer asked about, or -1 if that is not known.
using Heard = function_ref<bool(LoadInst &, int64_t)>;
bool onlyReads(Value *P, int64_t Offset, Heard Read, SmallPtrSetImpl<Value *> &Seen) {
  if (!Seen.insert(P).second)
    return true;
  for (Use &U : P->uses()) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return false;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      if (!Read(*Load, Offset))
        return false;
    } else if (auto *Gep = dyn_cast<GetElementPtrInst>(I)) {
      APInt By(64, 0);
      const bool Known = Offset >= 0 && Gep->accumulateConstantOffset(Gep->getDataLayout(), By) && !By.isNegative();
      if (!onlyReads(Gep, Known ? Offset + By.getSExtValue() : -1, Read, Seen))
        return false;
    } else if (isa<CastInst>(I) && I->getType()->isPointerTy()) {
      if (!onlyReads(I, Offset, Read, Seen))
        return false;
    } else if (isa<PHINode>(I) || isa<SelectInst>(I)) {
      if (!onlyReads(I, -1, Read, Seen))
        return false;
    } else if (isa<ICmpInst>(I)) {
    } else if (auto *Call = dyn_cast<CallBase>(I)) {
      if (I->isLifetimeStartOrEnd())
        continue;
      if (!Call->isArgOperand(&U))
        return false;
      const unsigned Place = Call->getArgOperandNo(&U);
      Function *F = calleeOf(*I);
      if (!F || F->isDeclaration() || Place >= F->arg_size() || !onlyReads(F->getArg(Place), Offset, Read, Seen))
        return false;
    } else {
      return false;
    }
  }
  return true;
}
bool onlyReads(Value *P) {
  SmallPtrSet<Value *, 16> Seen;
  return onlyReads(P, 0, [](LoadInst &, int64_t) { return true; }, Seen);
}
// Whether the pointer that lies at an offset behind another one is only read through.
bool onlyReadsBehind(Value *P, int64_t At) {
  SmallPtrSet<Value *, 16> Seen;
  return onlyReads(
      P, 0,
      [&](LoadInst &Load, int64_t Offset) {
        if (Offset >= 0 && Offset != At)
          return true;
        return Offset >= 0 && Load.getType()->isPointerTy() && onlyReads(&Load);
      },
      Seen);
}

class Hierarchy {
public:
  explicit Hierarchy(Function &F) : F(F), M(*F.getParent()), Layout(F.getDataLayout()) {}

  // False: nothing but inlining was done.
  bool run() {
    if (!inlineAll() || !decide())
      return false;
    beFirst();
    share();
    SmallVector<Instruction *, 32> Found;
    for (Instruction &I : instructions(F))
      if (kindOf(I) == Kind::First || isEachThread(I))
        Found.push_back(&I);
    for (Instruction *I : Found)
      if (isEachThread(*I))
        meetAround(*I);
    // Barriers stand now where work-items begin and end; those of single accesses come with them.
    for (Instruction *I : Found)
      if (!isEachThread(*I))
        byFirst(*I);
    return true;
  }

private:
  enum class Kind { Same, Read, First, Meet };

  // Brings the whole scope of the work-group into the entry.
  bool inlineAll() {
    SmallPtrSet<Function *, 8> Inlined;
    for (unsigned Round = 0;; ++Round) {
      SmallVector<CallBase *, 16> Calls;
      for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || isa<IntrinsicInst>(Call) || Call->isInlineAsm())
          continue;
        Function *Callee = calleeOf(I);
        if (!Callee)
          return false;
        if (isMarker(Callee) || isEachThread(I))
          continue;
        if (!Callee->isDeclaration())
          Calls.push_back(Call);
        else if (!isHarmless(*Callee))
          return false;
      }
      if (Calls.empty())
        return true;
      if (Round > 50 || F.getInstructionCount() > MostInstructions)
        return false;
      for (CallBase *Call : Calls) {
        InlineFunctionInfo Info;
        if (!InlineFunction(*Call, Info).isSuccess())
          return false;
      }
    }
  }

  // What the driver and the libraries define runs no work-items.
  static bool isHarmless(const Function &Callee) {
    const StringRef Name = Callee.getName();
    return Name.starts_with("__nv_") || Name == "malloc" || Name == "free" || Name == "__assertfail" || isPrint(Callee) ||
           Callee.doesNotAccessMemory();
  }
  static bool isPrint(const Function &Callee) { return Callee.getName() == "vprintf" || Callee.getName() == "printf"; }

  // Which variables move to local memory.
  bool decide() {
    uint64_t Bytes = 0;
    for (Instruction &I : instructions(F)) {
      auto *Variable = dyn_cast<AllocaInst>(&I);
      if (!Variable)
        continue;
      if (!Variable->isStaticAlloca())
        return false;
      Own.insert(Variable);
      if (!isMarked(*Variable) && !staysPrivate(*Variable)) {
        Own.erase(Variable);
        Shared.push_back(Variable);
        Bytes += Layout.getTypeAllocSize(Variable->getAllocatedType()).getFixedValue();
      }
    }
    return Bytes <= MostVariables;
  }

  bool isMarked(AllocaInst &Variable) {
    SmallVector<Value *, 8> Work{&Variable};
    SmallPtrSet<Value *, 8> Seen;
    while (!Work.empty()) {
      Value *P = Work.pop_back_val();
      if (!Seen.insert(P).second)
        continue;
      for (User *U : P->users()) {
        auto *I = cast<Instruction>(U);
        if (const Function *Callee = calleeOf(*I); Callee && Callee->getName() == OfThread)
          return true;
        if (isa<GetElementPtrInst>(I) || isa<CastInst>(I))
          Work.push_back(I);
      }
    }
    return false;
  }

  // Whether copies of a variable, one in each thread, are always the same: `P` is it or a part of it.
  bool staysPrivate(Value &P) {
    for (Use &U : P.uses()) {
      auto *I = cast<Instruction>(U.getUser());
      if (auto *Store = dyn_cast<StoreInst>(I)) {
        if (Store->isAtomic() || (U.getOperandNo() == 0 && !isReadThrough(*Store)))
          return false;
      } else if (auto *Load = dyn_cast<LoadInst>(I)) {
        if (Load->isAtomic())
          return false;
      } else if (isa<GetElementPtrInst>(I) || (isa<CastInst>(I) && I->getType()->isPointerTy())) {
        if (!staysPrivate(*I))
          return false;
      } else if (isa<ICmpInst>(I) || isa<MemIntrinsic>(I) || I->isLifetimeStartOrEnd()) {
      } else if (auto *Call = dyn_cast<CallBase>(I); Call && Call->isArgOperand(&U) && calleeOf(*I)) {
        Function *Callee = calleeOf(*I);
        const bool Reads = isEachThread(*I) ? onlyReads(Callee->getArg(Call->getArgOperandNo(&U))) : isPrint(*Callee);
        if (!Reads)
          return false;
      } else {
        return false;
      }
    }
    return true;
  }

  // Whether an address that is stored in a variable (a closure that captures by reference) is only read through by work-items, which get that
  // variable, and by nobody else.
  bool isReadThrough(StoreInst &Store) {
    int64_t At = 0;
    Value *Base = GetPointerBaseWithConstantOffset(Store.getPointerOperand(), At, Layout);
    auto *Holder = dyn_cast<AllocaInst>(Base);
    if (!Holder)
      return false;
    for (Use &U : Holder->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      if (isa<StoreInst>(I)) {
        if (U.getOperandNo() != 1)
          return false;
      } else if (isa<GetElementPtrInst>(I)) {
        for (Use &V : I->uses())
          if (!isa<StoreInst>(V.getUser()) || V.getOperandNo() != 1)
            return false;
      } else if (I->isLifetimeStartOrEnd()) {
      } else if (isEachThread(*I) && cast<CallBase>(I)->isArgOperand(&U)) {
        if (!onlyReadsBehind(calleeOf(*I)->getArg(cast<CallBase>(I)->getArgOperandNo(&U)), At))
          return false;
      } else {
        return false;
      }
    }
    return true;
  }

  // The work-group's scope is one work-item's, the first one's.
  void beFirst() {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      if (!Call)
        continue;
      switch (Call->getIntrinsicID()) {
      case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      case Intrinsic::nvvm_read_ptx_sreg_laneid:
        Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 0));
        Call->eraseFromParent();
        break;
      case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
        Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 1));
        Call->eraseFromParent();
        break;
      default:
        break;
      }
    }
  }

  void share() {
    for (AllocaInst *Variable : Shared) {
      for (User *U : make_early_inc_range(Variable->users()))
        if (auto *I = cast<Instruction>(U); I->isLifetimeStartOrEnd())
          I->eraseFromParent();
      Constant *Place = slot(Variable->getAllocatedType(), Variable->getAlign(), Variable->getName());
      Variable->replaceAllUsesWith(Place);
      Variable->eraseFromParent();
    }
  }

  Constant *slot(Type *T, Align Alignment, const Twine &Name) {
    auto *Place = new GlobalVariable(M, T, /*isConstant=*/false, GlobalValue::InternalLinkage, UndefValue::get(T), "aspen_shared_" + Name, nullptr,
                                     GlobalValue::NotThreadLocal, LocalSpace);
    Place->setAlignment(std::max(Alignment, Align(4)));
    return ConstantExpr::getAddrSpaceCast(Place, PointerType::get(M.getContext(), 0));
  }

  bool isPrivate(const Value *P) const {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(P, Objects, nullptr, 0);
    return all_of(Objects, [&](const Value *Object) { return Own.contains(Object); });
  }
  bool isConstant(const Value *P) const {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(P, Objects, nullptr, 0);
    return all_of(Objects, [&](const Value *Object) {
      const auto *Parameter = dyn_cast<Argument>(Object);
      const auto *Global = dyn_cast<GlobalVariable>(Object);
      return Own.contains(Object) || (Parameter && Parameter->hasByValAttr()) || (Global && Global->isConstant());
    });
  }

  // Where the header's entry says where scratch memory begins: each thread writes it before it reads it, all the same.
  static bool isScratchSlot(const Value &P) { return P.stripPointerCasts()->getName().starts_with("_ZZN4sycl6detail12scratch_slot"); }

  Kind kindOf(const Instruction &I) const {
    if (const auto *Load = dyn_cast<LoadInst>(&I)) {
      if (isConstant(Load->getPointerOperand()))
        return Kind::Same;
      return Load->isSimple() ? Kind::Read : Kind::First;
    }
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      return isPrivate(Store->getPointerOperand()) || isScratchSlot(*Store->getPointerOperand()) ? Kind::Same : Kind::First;
    if (const auto *Memory = dyn_cast<MemIntrinsic>(&I)) {
      if (!isPrivate(Memory->getRawDest()))
        return Kind::First;
      const auto *Copy = dyn_cast<MemTransferInst>(Memory);
      return !Copy || isConstant(Copy->getRawSource()) ? Kind::Same : Kind::Read;
    }
    if (isa<FenceInst>(I) || isa<AllocaInst>(I))
      return Kind::Same;
    if (const auto *Call = dyn_cast<CallBase>(&I)) {
      if (isEachThread(I) || isMarker(calleeOf(I)) || Call->doesNotReturn() || I.isLifetimeStartOrEnd() || Call->doesNotAccessMemory())
        return Kind::Same;
      if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
        switch (Intrinsic->getIntrinsicID()) {
        case Intrinsic::assume:
        case Intrinsic::experimental_noalias_scope_decl:
        case Intrinsic::invariant_start:
        case Intrinsic::invariant_end:
        case Intrinsic::trap:
          return Kind::Same;
        case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
          return Kind::Meet;
        default:
          break;
        }
      }
      return Kind::First;
    }
    return I.mayReadOrWriteMemory() ? Kind::First : Kind::Same;
  }

  void meet(Instruction *Before) {
    IRBuilder<> B(Before);
    B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {B.getInt32(0)});
  }

  // Whether all threads have read what they read before, since they last met.
  bool hasNotRead(const Instruction &I) const {
    for (const BasicBlock *Block = I.getParent();;) {
      for (const Instruction *Before = Block == I.getParent() ? I.getPrevNode() : &Block->back(); Before; Before = Before->getPrevNode()) {
        const Kind Is = kindOf(*Before);
        if (Is == Kind::Meet)
          return true;
        if (Is == Kind::Read || Is == Kind::First || isEachThread(*Before))
          return false;
      }
      if (Block == &F.getEntryBlock())
        return true;
      Block = Block->getSinglePredecessor();
      if (!Block || Block == I.getParent())
        return false;
    }
  }
  // Whether nothing follows that would read what others wrote, or write it.
  bool isLast(const Instruction &I) const {
    const BasicBlock *Block = I.getParent();
    for (const Instruction *Next = I.getNextNode();;) {
      for (; Next; Next = Next->getNextNode())
        if (isEachThread(*Next) || kindOf(*Next) != Kind::Same)
          return false;
      if (isa<ReturnInst>(Block->getTerminator()))
        return true;
      Block = Block->getSingleSuccessor();
      if (!Block || !Block->getSinglePredecessor())
        return false;
      Next = &Block->front();
    }
  }

  void meetAround(Instruction &Each) {
    if (!hasNotRead(Each))
      meet(&Each);
    if (!isLast(Each))
      meet(Each.getNextNode());
  }

  // The first thread does it; the others get what comes of it.
  void byFirst(Instruction &I) {
    if (!hasNotRead(I))
      meet(&I);
    const bool Last = isLast(I);
    Instruction *Behind = I.getNextNode();
    IRBuilder<> B(&I);
    Value *Is = B.CreateICmpEQ(B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}), B.getInt32(0));
    Instruction *Then = SplitBlockAndInsertIfThen(Is, &I, /*Unreachable=*/false);
    I.moveBefore(Then->getIterator());
    Type *T = I.getType();
    if (!T->isVoidTy() && !I.use_empty()) {
      Constant *Place = slot(T, Layout.getABITypeAlign(T), "result");
      IRBuilder<> After(Behind);
      auto *Result = After.CreateLoad(T, Place);
      I.replaceAllUsesWith(Result);
      IRBuilder<>(Then).CreateStore(&I, Place);
      meet(Result);
    } else if (!Last) {
      meet(Behind);
    }
  }

  Function &F;
  Module &M;
  const DataLayout &Layout;
  SmallPtrSet<const Value *, 8> Own; // variables that each thread has
  SmallVector<AllocaInst *, 8> Shared;
};

// Puts numbers in the place of the header's questions.
void answer(Function &F, bool InThreads) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    const Function *Callee = calleeOf(I);
    if (!isMarker(Callee))
      continue;
    if (!I.getType()->isVoidTy()) {
      const bool Which = Callee->getName() == Thread;
      IRBuilder<> B(&I);
      Value *Is = B.getInt32(Which ? 0 : 1);
      if (InThreads)
        Is = B.CreateIntrinsic(Which ? Intrinsic::nvvm_read_ptx_sreg_tid_x : Intrinsic::nvvm_read_ptx_sreg_ntid_x, {});
      I.replaceAllUsesWith(Is);
    }
    I.eraseFromParent();
  }
}

bool isHierarchical(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration() && F.arg_size() == 3 && F.getArg(1)->hasByValAttr() &&
         F.getArg(2)->getType()->isIntegerTy(32);
}

bool asksForThreads(const Module &M) { return M.getFunction(Thread) != nullptr; }

} // namespace

// Prepares the kernels of parallel_for_work_group in a module. Null or a message.
extern "C" char *aspen_llvm_hierarchical_kernels(LLVMModuleRef Ref, bool InThreads) {
  Module &M = *unwrap(Ref);
  std::string Errors;
  bool Ran = aspen::guarded(
      [&] {
        for (Function &F : M) {
          if (!isHierarchical(F))
            continue;
          const bool All = InThreads && asksForThreads(M) && Hierarchy(F).run();
          if (!All)
            F.addFnAttr("nvvm.maxntid", "1,1,1");
          answer(F, All);
        }
        for (Function &F : M) {
          answer(F, false);
          if (InThreads && F.getName().starts_with(EachThread) && !F.isDeclaration()) {
            F.removeFnAttr(Attribute::NoInline);
            F.addFnAttr(Attribute::AlwaysInline);
          }
        }
        for (StringRef Name : {StringRef(Thread), StringRef(Threads), StringRef(OfThread)})
          if (Function *Marker = M.getFunction(Name); Marker && Marker->use_empty())
            Marker->eraseFromParent();
      },
      Errors);
  return Ran && Errors.empty() ? nullptr : aspen::copy(Errors);
}
