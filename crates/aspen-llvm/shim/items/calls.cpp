// Functions that clang left as calls, since a call is small: products of complex numbers, which ask for infinities, and their like. No loop over items
// becomes a vector with a call in it, so kernels get the code of short functions, as drivers for GPUs do with all of it.

#include "items.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Instructions of a function that is short, and of a kernel that loops over items still become vectors of (`MaxPlanned`).
constexpr size_t MaxShort = 400, MaxKernel = 4000;

// Calls in calls; those of a function to itself end by it.
constexpr unsigned MaxDepth = 8;

bool isShort(const Function &F) {
  return !F.isDeclaration() && !F.isInterposable() && !F.hasFnAttribute(Attribute::NoInline) && !F.hasFnAttribute(Attribute::OptimizeNone) &&
         F.getInstructionCount() <= MaxShort;
}

} // namespace

void openShortCalls(Function &Entry) {
  if (Entry.hasFnAttribute(Attribute::SanitizeAddress) || Entry.hasFnAttribute(Attribute::OptimizeNone))
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
