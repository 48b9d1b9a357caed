//! Where DPC++ had `<CL/sycl.hpp>` when programs wrote `<sycl/CL/sycl.hpp>`.
#pragma once
#include <CL/sycl.hpp>
