// Functions that clang left as calls, since a call is small: products of complex numbers, which ask for infinities, and their like. No loop over items
// becomes a vector with a call in it, so kernels get the code of short functions, as drivers for GPUs do with all of it.

#include "items.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Instructions of a function that is short, and of a kernel that still has copies for all levels.
constexpr size_t MaxShort = 400, MaxKernel = 1500;

// Of a function's variables.
constexpr uint64_t MaxBytes = 512;

// How deep calls in calls are opened; those of a function to itself end by it.
constexpr unsigned MaxDepth = 8;

// A call costs little beside a loop.
bool hasLoops(Function &F) {
  DominatorTree DT(F);
  return !LoopInfo(DT).empty();
}

// Whether its variables are few bytes: each call that is opened has its own, at the same time as all others.
bool hasLittleMemory(const Function &F) {
  uint64_t Bytes = 0;
  for (const BasicBlock &Block : F)
    for (const Instruction &I : Block)
      if (const auto *Variable = dyn_cast<AllocaInst>(&I)) {
        const auto Size = Variable->isStaticAlloca() ? Variable->getAllocationSize(F.getDataLayout()) : std::nullopt;
        if (!Size || Size->isScalable() || (Bytes += Size->getFixedValue()) > MaxBytes)
          return false;
      }
  return true;
}

bool isShort(Function &F) {
  return !F.isDeclaration() && !F.isInterposable() && !F.hasFnAttribute(Attribute::NoInline) && !F.hasFnAttribute(Attribute::OptimizeNone) &&
         F.getInstructionCount() <= MaxShort && isInlineViable(F).isSuccess() && hasLittleMemory(F) && !hasLoops(F) &&
         none_of(instructions(F), [](const Instruction &I) { return isa<InvokeInst>(I); });
}

} // namespace

void openShortCalls(Function &Entry) {
  if (Entry.hasFnAttribute(Attribute::SanitizeAddress) || Entry.hasFnAttribute(Attribute::OptimizeNone) || Entry.getInstructionCount() > MaxKernel)
    return;
  for (unsigned Depth = 0; Depth < MaxDepth; ++Depth) {
    SmallVector<CallInst *, 8> Open;
    for (Instruction &I : instructions(Entry))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getCalledFunction() && !Call->isNoInline() && isShort(*Call->getCalledFunction()))
        Open.push_back(Call);
    if (Open.empty())
      return;
    for (CallInst *Call : Open) {
      if (Entry.getInstructionCount() + Call->getCalledFunction()->getInstructionCount() > MaxKernel)
        return;
      InlineFunctionInfo Info;
      if (!InlineFunction(*Call, Info, /*MergeAttributes=*/true, nullptr, /*InsertLifetime=*/false).isSuccess())
        return;
    }
  }
}

} // namespace aspen::items
