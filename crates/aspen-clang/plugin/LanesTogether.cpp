#include "LanesTogether.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace aspen {
namespace {

bool isVolatile(const Instruction &I) { return I.isVolatile(); }

} // namespace

void keepLanesTogether(PassInstrumentationCallbacks &Callbacks) {
  Callbacks.registerShouldRunOptionalPassCallback([](StringRef Pass, Any Unit) {
    if (Pass != "JumpThreadingPass")
      return true;
    const auto *F = any_cast<const Function *>(&Unit);
    return !F || none_of(instructions(**F), isVolatile);
  });
}

PreservedAnalyses MarkSteps::run(Function &F, FunctionAnalysisManager &) {
  bool Changed = false;
  for (BasicBlock &Block : F) {
    if (none_of(Block, isVolatile))
      continue;
    // Nothing but a place that all lanes come to at once: what is convergent is copied by no pass.
    IRBuilder<>(&Block, Block.getFirstInsertionPt()).CreateIntrinsic(Intrinsic::sideeffect, {})->setConvergent();
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace aspen
