//! The standard library's function objects mean the same as ours: to reductions and group algorithms they are as well known.
//! Source: SYCL 2020 §4.17.2, which names neither; programs pass `std::plus<int>()`, since DPC++'s are aliases of these.
#pragma once
#include <functional>
#include <sycl/functional.hpp>

namespace sycl::detail {
template <class T> inline constexpr operation operation_of<std::plus<T>> = operation::plus;
template <class T> inline constexpr operation operation_of<std::multiplies<T>> = operation::multiplies;
template <class T> inline constexpr operation operation_of<std::bit_and<T>> = operation::bit_and;
template <class T> inline constexpr operation operation_of<std::bit_or<T>> = operation::bit_or;
template <class T> inline constexpr operation operation_of<std::bit_xor<T>> = operation::bit_xor;
template <class T> inline constexpr operation operation_of<std::logical_and<T>> = operation::logical_and;
template <class T> inline constexpr operation operation_of<std::logical_or<T>> = operation::logical_or;
} // namespace sycl::detail
