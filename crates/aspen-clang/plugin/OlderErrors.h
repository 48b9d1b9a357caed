//! Classes of errors of SYCL 1.2.1 under their plain names.

#ifndef ASPEN_CLANG_OLDERERRORS_H
#define ASPEN_CLANG_OLDERERRORS_H

namespace clang {
class Sema;
} // namespace clang

namespace aspen {

/// Has `catch (nd_range_error &)` and the like catch `sycl::exception` where nothing of the name is in scope and all of `sycl` is. Names behind `sycl::` are
/// edited as tokens (TokenEdits.h).
void knowOlderErrors(clang::Sema &S);

} // namespace aspen

#endif
