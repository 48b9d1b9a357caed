//! Memory that belongs to the call in the source, not to the function that the header has for it.

#ifndef ASPEN_CLANG_CALLER_MEMORY_H
#define ASPEN_CLANG_CALLER_MEMORY_H

#include "clang/CodeGen/ModuleBuilder.h"

namespace aspen {

/// Gives each function of a device module that calls functions annotated `aspen.of_each_caller` copies of these, with static variables of
/// their own. To be run after the analysis, which knows functions by their declarations. Source: ARCHITECTURE "The header and the compiler".
void copyForEachCaller(clang::CodeGenerator &Generator);

} // namespace aspen

#endif
