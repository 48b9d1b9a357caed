// What the C++ parts know of DPC++'s modules.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace aspen {
// AddressSanitizer, MemorySanitizer and ThreadSanitizer each list the kernels that they have instrumented in variables whose names begin so
// and may end with an id of the unit. That beginning; empty for the name of anything else.
llvm::StringRef sanitizerOf(llvm::StringRef Name);
} // namespace aspen
