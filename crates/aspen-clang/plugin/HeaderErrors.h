//! Errors inside SYCL's headers as errors of the code that made them arise.

#ifndef ASPEN_CLANG_HEADER_ERRORS_H
#define ASPEN_CLANG_HEADER_ERRORS_H

#include "clang/Frontend/CompilerInstance.h"

namespace aspen {

/// From now on, an error in a header of ours (or in one of the system's that ours uses) is shown at the user's line that asked for the
/// instantiation, with the header's place as a note. What is said twice of the same place is shown once, and what follows from an assertion
/// of the headers is not shown.
void showErrorsAtUsersLines(clang::CompilerInstance &CI);

} // namespace aspen

#endif
