#include "LanesTogether.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace aspen {

void keepLanesTogether(PassInstrumentationCallbacks &Callbacks) {
  Callbacks.registerShouldRunOptionalPassCallback([](StringRef Pass, Any Unit) {
    if (Pass != "JumpThreadingPass")
      return true;
    const auto *F = any_cast<const Function *>(&Unit);
    return !F || none_of(instructions(**F), [](const Instruction &I) { return I.isVolatile(); });
  });
}

} // namespace aspen
