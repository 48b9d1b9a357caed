//! Headers of DPC++'s extensions that are not here: one error that names the extension, in place of "file not found". And headers of another
//! implementation that are found before ours.

#ifndef ASPEN_CLANG_ABSENTHEADERS_H
#define ASPEN_CLANG_ABSENTHEADERS_H

#include "clang/Frontend/CompilerInstance.h"

namespace aspen {

/// Every `#include <sycl/ext/…>` that finds nothing is such an error, and so is every `<sycl/sycl.hpp>` that is not ours and does not lead on.
void nameAbsentHeaders(clang::CompilerInstance &CI);

} // namespace aspen

#endif
