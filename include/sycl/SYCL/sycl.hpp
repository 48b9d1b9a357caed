//! The name that ComputeCpp and AdaptiveCpp have for `<CL/sycl.hpp>`, too; it lies beneath `sycl/` since file systems without upper case know one folder.
#pragma once
#include <CL/sycl.hpp>
