//! What tells that an argument of a launch is a reduction.
#pragma once
#include <type_traits>

namespace sycl::detail {

/// Base of what sycl::reduction returns.
struct reduction_tag {};
template <class T> inline constexpr bool is_reduction = std::is_base_of_v<reduction_tag, std::decay_t<T>>;

} // namespace sycl::detail
