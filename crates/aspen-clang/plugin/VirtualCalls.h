//! Which class a virtual call is made through, and whose objects a vtable serves: what clang knows and plain IR does not show.

#ifndef ASPEN_CLANG_VIRTUAL_CALLS_H
#define ASPEN_CLANG_VIRTUAL_CALLS_H

#include "llvm/IR/Module.h"

namespace aspen {

/// Turns what clang writes for -fwhole-program-vtables (`llvm.type.test`, `!type`) into metadata that changes no code: `!aspen.class !{!"_ZTS4Base"}`
/// on virtual calls, and `!aspen.class !{!{i64 2, !"_ZTS4Base"}, …}` on vtables, which entries tables for objects of a class begin at. Classes
/// that other units cannot have are named after the unit. To be run before any pass: clang's intrinsics take the host's pointers, so that modules
/// for GPUs are not valid until then. Source: DESIGN §7.5; docs/decisions/0083.
void noteClasses(llvm::Module &Module, llvm::StringRef Unit);

/// Takes that metadata away, once nobody asks for it.
void forgetClasses(llvm::Module &Module);

} // namespace aspen

#endif
