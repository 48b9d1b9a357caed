//! Finds device code that does what only the host can do: throws, handles exceptions, asks for types at run time, or calls libraries that
//! devices do not have.

#ifndef ASPEN_CLANG_HOST_ONLY_H
#define ASPEN_CLANG_HOST_ONLY_H

#include "Kernels.h"

#include "clang/CodeGen/ModuleBuilder.h"

namespace aspen {

/// What the code that a pass makes may be linked with.
enum class DeviceLibrary {
  Host,   ///< all of the host's libraries; also where no code is made of the module
  SpirV,  ///< what SPIR-V's code generator knows
  Nvidia, ///< the same for PTX
  Amd,    ///< the same for AMD's processors
};

/// Errors at the users' own lines. The module holds only what the device reaches (Reach.h). With `AllowsHost`, code that is linked with the
/// host's libraries may use them, as far as they do not throw.
void checkHostOnly(clang::ASTContext &Context, clang::CodeGenerator &Generator, const std::vector<Kernel> &Kernels, DeviceLibrary Library,
                   bool AllowsHost);

} // namespace aspen

#endif
