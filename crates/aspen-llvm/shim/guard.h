// What the C++ parts share: strings for Rust, and LLVM calls that survive a crash.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace aspen {
// A copy for LLVMDisposeMessage (malloc).
char *copy(llvm::StringRef Text);

// Runs Body so that a crash or a fatal error in LLVM becomes a message. What the crashed call had allocated stays lost, and the
// context must not be used again. LLVM's readers are not safe on damaged input, and its verifier lets some damage to debug info pass;
// this is how libclang survives them too.
bool guarded(llvm::function_ref<void()> Body, std::string &Error);
} // namespace aspen
