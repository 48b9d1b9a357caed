// What who runs an image wants to know of its functions, with all that they call.
//
// Stack: their variables and those of their callees, as far as that is known before they run. Recursion counts once, what is allocated by
// computed size not at all; registers that are saved are left to a reserve of who runs it.
//
// Whether they are prompt: whatever else the program does, they come to an end, as loops do that wait for nobody. Who waits asks again and
// again, by atomic or volatile accesses in a loop, or in code that is not known.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

class Needs {
public:
  explicit Needs(Module &M) : M(M), Layout(M.getDataLayout()) {}

  uint64_t of(const Function &F) {
    const uint64_t Whole = atMost(F);
    // In a cycle functions behind the first one lack what that needs; the next question may begin at one of them.
    for (const Function *In : Unsure)
      Known.erase(In);
    Unsure.clear();
    Cycles = false;
    return Whole;
  }

private:
  uint64_t atMost(const Function &F) {
    if (auto [Place, New] = Known.try_emplace(&F, 0); !New) {
      Cycles |= Open.contains(&F);
      return Place->second; // 0 while it is computed: a call of itself
    }
    Open.insert(&F);
    uint64_t Own = 0, Deepest = 0;
    for (const Instruction &I : instructions(F)) {
      if (const auto *Variable = dyn_cast<AllocaInst>(&I))
        Own += size(*Variable);
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      uint64_t Arguments = 0;
      for (unsigned A = 0; A < Call->arg_size(); ++A)
        if (Type *T = Call->getParamByValType(A))
          Arguments += Layout.getTypeAllocSize(T).getFixedValue() + Call->getParamAlign(A).valueOrOne().value();
      const Function *Callee = Call->getCalledFunction();
      Deepest = std::max(Deepest, Arguments + (Callee ? atMost(*Callee) : ofType(*Call->getFunctionType())));
    }
    Open.erase(&F);
    if (Cycles && !Open.empty())
      Unsure.push_back(&F);
    return Known[&F] = Own + Deepest;
  }

  uint64_t size(const AllocaInst &Variable) const {
    auto Size = Variable.getAllocationSize(Layout);
    if (!Size || Size->isScalable())
      return 0;
    const uint64_t Alignment = Variable.getAlign().value();
    return alignTo(Size->getFixedValue(), 8) + (Alignment > 16 ? Alignment : 0);
  }

  // Of the functions that a pointer of this type may mean.
  uint64_t ofType(const FunctionType &T) {
    uint64_t Most = 0;
    for (const Function &F : M)
      if (F.getFunctionType() == &T && !F.isDeclaration() && F.hasAddressTaken())
        Most = std::max(Most, atMost(F));
    return Most;
  }

  Module &M;
  const DataLayout &Layout;
  DenseMap<const Function *, uint64_t> Known;
  SmallPtrSet<const Function *, 8> Open; // being computed
  SmallVector<const Function *, 8> Unsure; // known for the question at hand only
  bool Cycles = false;
};

class Waits {
public:
  bool in(Function &F) {
    if (auto [Place, New] = Known.try_emplace(&F, true); !New)
      return Place->second; // true while it is looked at: recursion is a loop
    LoopInfo Loops{DominatorTree(F)};
    for (const BasicBlock &B : F) {
      const bool InLoop = Loops.getLoopFor(&B);
      for (const Instruction &I : B)
        if (InLoop && (I.isAtomic() || I.isVolatile()))
          return true;
        else if (const auto *Call = dyn_cast<CallBase>(&I); Call && inCall(*Call, InLoop))
          return true;
    }
    return Known[&F] = false;
  }

private:
  bool inCall(const CallBase &Call, bool InLoop) {
    Function *Callee = Call.getCalledFunction();
    if (!Callee || Call.isInlineAsm())
      return true;
    if (Callee->isDeclaration())
      return !Callee->isIntrinsic() && !Callee->willReturn();
    if (in(*Callee))
      return true;
    // What asks once asks again and again in a loop.
    return InLoop && any_of(instructions(*Callee), [](const Instruction &I) { return I.isAtomic() || I.isVolatile() || isa<CallBase>(I); });
  }

  DenseMap<Function *, bool> Known;
};

// A function, and those that its record names.
SmallVector<Function *, 4> formsOf(Function &F, const char *Group) {
  SmallVector<Function *, 4> Out{&F};
  GlobalVariable *Record = F.getParent()->getNamedGlobal((Group + F.getName()).str());
  SmallVector<Value *, 8> Open;
  if (Record && Record->hasInitializer())
    Open.push_back(Record->getInitializer());
  while (!Open.empty()) {
    Value *V = Open.pop_back_val();
    if (auto *Form = dyn_cast<Function>(V))
      Out.push_back(Form);
    else if (auto *Parts = dyn_cast<ConstantAggregate>(V))
      Open.append(Parts->op_begin(), Parts->op_end());
  }
  return Out;
}

} // namespace

// Exports, for each function that others see, constants under a prefix and the function's symbol: `Stack` if it needs more than `Least` bytes,
// and `Prompt` if it is prompt. A record under `Group` and a kernel's symbol names further functions of that kernel. Null or a message.
extern "C" char *aspen_llvm_export_facts(LLVMModuleRef Ref, const char *Stack, const char *Prompt, const char *Group, uint64_t Least) {
  Module &M = *unwrap(Ref);
  std::string Errors;
  bool Ran = aspen::guarded(
      [&] {
        Needs Needs(M);
        Waits Waits;
        SmallVector<std::pair<std::string, uint64_t>, 4> Found;
        for (Function &F : M) {
          if (F.isDeclaration() || F.hasLocalLinkage())
            continue;
          const auto Forms = formsOf(F, Group);
          uint64_t Bytes = 0;
          for (const Function *Form : Forms)
            Bytes = std::max(Bytes, Needs.of(*Form));
          if (Bytes > Least)
            Found.push_back({(Stack + F.getName()).str(), Bytes});
          if (none_of(Forms, [&](Function *Form) { return Waits.in(*Form); }))
            Found.push_back({(Prompt + F.getName()).str(), 1});
        }
        for (const auto &[Name, Value] : Found) {
          auto *Word = Type::getInt64Ty(M.getContext());
          new GlobalVariable(M, Word, /*isConstant=*/true, GlobalValue::ExternalLinkage, ConstantInt::get(Word, Value), Name);
        }
      },
      Errors);
  return Ran && Errors.empty() ? nullptr : aspen::copy(Errors);
}
