//! Device passes compile without exceptions, but not another program than the host's pass: what `__cpp_exceptions` says.

#ifndef ASPEN_CLANG_HOSTEXCEPTIONS_H
#define ASPEN_CLANG_HOSTEXCEPTIONS_H

#include "clang/Frontend/CompilerInstance.h"

namespace aspen {

/// Where the command line defines `__cpp_exceptions`, although the pass has none, it is 0 in the headers of the C++ library.
void hideExceptionsFromLibrary(clang::CompilerInstance &CI);

} // namespace aspen

#endif
