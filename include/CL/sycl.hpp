//! SYCL 1.2.1's name of the header: everything, also as `cl::sycl`.
#pragma once
#include <sycl/sycl.hpp>

namespace cl {
namespace sycl = ::sycl;
}
