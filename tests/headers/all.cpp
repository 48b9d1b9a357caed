//! Everything at once, also under the old name, beside standard headers in any order.
#include <cmath>
#include <CL/sycl.hpp>
#include <algorithm>
#include <cassert>
#include <functional>
#include <iostream>

static_assert(SYCL_LANGUAGE_VERSION >= 202012L && SYCL_IMPLEMENTATION_ASPEN == 1);
static_assert(SYCL_IMPLEMENTATION_ONEAPI && SYCL_IMPLEMENTATION_INTEL, "programs choose by them");
static_assert(std::is_same_v<cl::sycl::queue, sycl::queue>);
static_assert(std::is_constructible_v<sycl::async_handler, std::function<void(sycl::exception_list)>>);

// What generic code asks of classes.
static_assert(std::is_nothrow_move_assignable_v<sycl::event> && std::is_copy_assignable_v<sycl::event>);
static_assert(sycl::is_property_of_v<sycl::ext::oneapi::property::buffer::use_pinned_host_memory, sycl::buffer<int>>);
static_assert(std::is_same_v<decltype(sycl::as_bytes(std::declval<sycl::span<int, 4>>())), sycl::span<const std::byte, 16>>);
static_assert(std::is_same_v<decltype(sycl::as_writable_bytes(std::declval<sycl::span<int>>())), sycl::span<std::byte>>);

// A view of a std::array has its extent, as with std::span.
static_assert(std::is_same_v<decltype(sycl::span(std::declval<std::array<int, 4> &>())), sycl::span<int, 4>>);
static_assert(std::is_same_v<decltype(sycl::span(std::declval<const std::array<int, 4> &>())), sycl::span<const int, 4>>);
static_assert(std::is_same_v<decltype(sycl::span(std::declval<const std::vector<int> &>())), sycl::span<const int>>);
static_assert(std::is_constructible_v<sycl::span<const int, 4>, std::array<int, 4> &> && !std::is_constructible_v<sycl::span<int, 3>, std::array<int, 4> &>);
