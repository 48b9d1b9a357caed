//! SYCL 1.2.1's name of the header: everything, also as `cl::sycl`, and names of its time.
#pragma once
#include <sycl/detail/older_names.hpp>

namespace cl {
namespace sycl = ::sycl;
}
