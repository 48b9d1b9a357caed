// How much stack a function needs with all that it calls, as far as that is known before it runs: its variables and those of its callees.
// Recursion counts once, what is allocated by computed size not at all; registers that are saved are left to a reserve of who runs it.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

class Needs {
public:
  explicit Needs(Module &M) : M(M), Layout(M.getDataLayout()) {}

  uint64_t of(const Function &F) {
    if (auto [Place, New] = Known.try_emplace(&F, 0); !New)
      return Place->second; // 0 while it is computed: a call of itself
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
      Deepest = std::max(Deepest, Arguments + (Callee ? of(*Callee) : ofType(*Call->getFunctionType())));
    }
    return Known[&F] = Own + Deepest;
  }

private:
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
        Most = std::max(Most, of(F));
    return Most;
  }

  Module &M;
  const DataLayout &Layout;
  DenseMap<const Function *, uint64_t> Known;
};

} // namespace

// Exports, for each function that others see and that needs more than `Least` bytes, a constant under `Prefix` and the function's symbol. A
// record under `Group` and a kernel's symbol names further functions of that kernel. Null or a message.
extern "C" char *aspen_llvm_stack_needs(LLVMModuleRef Ref, const char *Prefix, const char *Group, uint64_t Least) {
  Module &M = *unwrap(Ref);
  std::string Errors;
  bool Ran = aspen::guarded(
      [&] {
        Needs Needs(M);
        SmallVector<std::pair<std::string, uint64_t>, 4> Found;
        for (const Function &F : M) {
          if (F.isDeclaration() || F.hasLocalLinkage())
            continue;
          uint64_t Bytes = Needs.of(F);
          const GlobalVariable *Record = M.getNamedGlobal((Group + F.getName()).str());
          SmallVector<const Value *, 8> Open;
          if (Record && Record->hasInitializer())
            Open.push_back(Record->getInitializer());
          while (!Open.empty()) {
            const Value *V = Open.pop_back_val();
            if (const auto *Whole = dyn_cast<Function>(V))
              Bytes = std::max(Bytes, Needs.of(*Whole));
            else if (const auto *Parts = dyn_cast<ConstantAggregate>(V))
              Open.append(Parts->op_begin(), Parts->op_end());
          }
          if (Bytes > Least)
            Found.push_back({(Prefix + F.getName()).str(), Bytes});
        }
        for (const auto &[Name, Bytes] : Found) {
          auto *Word = Type::getInt64Ty(M.getContext());
          new GlobalVariable(M, Word, /*isConstant=*/true, GlobalValue::ExternalLinkage, ConstantInt::get(Word, Bytes), Name);
        }
      },
      Errors);
  return Ran && Errors.empty() ? nullptr : aspen::copy(Errors);
}
