//! The hand-over to Rust (src/lib.rs): plain C; facts as bytes (Packed.h), options as JSON.

#ifndef ASPEN_CLANG_BRIDGE_H
#define ASPEN_CLANG_BRIDGE_H

#include "llvm-c/Types.h"
#include <stdbool.h>
#include <stddef.h>

extern "C" {

/// Analyses a device module and attaches its metadata, then writes the report. Returns null, or a message that
/// `aspen_clang_free_message` frees.
char *aspen_clang_on_module(LLVMModuleRef Module, const char *Facts, size_t FactsLength, const char *Options, size_t OptionsLength);

/// Adds to the report of an analysis pass what optimisation has left of `double`. Same result.
char *aspen_clang_on_optimized(LLVMModuleRef Module, const char *Options, size_t OptionsLength);

/// The report of a pass whose module needs no analysis: launches only. Same result.
char *aspen_clang_on_launches(const char *Facts, size_t FactsLength, const char *Options, size_t OptionsLength);

/// Whether SPIR-V's code generator (0), PTX's (1) or that for AMD's processors (2) brings the function of that symbol itself.
bool aspen_clang_is_provided(const char *Symbol, size_t Length, unsigned Generator);

void aspen_clang_free_message(char *Message);
}

#endif
