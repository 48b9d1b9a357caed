//! Everything at once, also under the old name, beside standard headers in any order.
#include <cmath>
#include <CL/sycl.hpp>
#include <algorithm>
#include <cassert>
#include <functional>
#include <iostream>

static_assert(SYCL_LANGUAGE_VERSION >= 202012L && SYCL_IMPLEMENTATION_ASPEN == 1);
static_assert(std::is_same_v<cl::sycl::queue, sycl::queue>);
static_assert(std::is_constructible_v<sycl::async_handler, std::function<void(sycl::exception_list)>>);
