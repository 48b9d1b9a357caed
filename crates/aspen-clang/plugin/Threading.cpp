#include "Threading.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace aspen {
namespace {

bool worksTogether(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? Call->isConvergent() : I.isVolatile();
}

} // namespace

void keepLanesTogether(PassInstrumentationCallbacks &Callbacks) {
  Callbacks.registerShouldRunOptionalPassCallback([](StringRef Pass, Any Unit) {
    if (Pass != "JumpThreadingPass")
      return true;
    const auto *F = any_cast<const Function *>(&Unit);
    return !F || none_of(instructions(**F), worksTogether);
  });
}

} // namespace aspen
