//! What a kernel takes along: nothing by reference, and only what may be copied byte by byte. Source: DESIGN §4.

#ifndef ASPEN_CLANG_CAPTURES_H
#define ASPEN_CLANG_CAPTURES_H

#include "Kernels.h"

namespace clang {
class Sema;
}

namespace aspen {

/// Errors for what the device could not reach: of the host's pass, variables that kernel lambdas capture by reference; of device passes,
/// members of kernels, and of what buffers hold, that are references.
void checkReferences(clang::Sema &S, const std::vector<Kernel> &Kernels);

/// Errors for captures and members that are not device-copyable: of device passes, since a class may be what has to be copied byte by byte
/// there, and on the host one that keeps accounts (accessors of libraries over SYCL are).
void checkCopies(clang::Sema &S, const std::vector<Kernel> &Kernels);

/// Whether the user has specialised `sycl::is_device_copyable` for the class, whatever it says: of a class that holds accessors the host's
/// pass and a device's may say different things. Source: SYCL 2020 §3.13.1.
bool isSpecialisedFor(clang::Sema &S, const clang::CXXRecordDecl *Record);

} // namespace aspen

#endif
