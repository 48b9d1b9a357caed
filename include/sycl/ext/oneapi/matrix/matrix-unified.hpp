//! The name that DPC++ has for a part of <sycl/ext/oneapi/matrix/matrix.hpp>.
#pragma once
#include <sycl/ext/oneapi/matrix/matrix.hpp>
