//! What some of Khronos' split headers promise, with nothing else included before.
#include <sycl/khr/split_headers/backend.hpp>
using native_queue = sycl::backend_return_t<sycl::backend::opencl, sycl::queue>;
static_assert(sizeof(native_queue) > 0 && SYCL_KHR_SPLIT_HEADERS == 1 && SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE == 1);

#include <sycl/khr/split_headers/type_traits.hpp>
static_assert(sycl::is_group_v<sycl::group<2>> && sycl::is_group_v<sycl::sub_group> && !sycl::is_group_v<int>);
static_assert(sycl::is_device_copyable_v<int> && sycl::has_known_identity_v<sycl::plus<int>, int>);
static_assert(std::is_same_v<sycl::remove_decoration_t<int *>, int *> && !sycl::is_property_v<int>);

#include <sycl/khr/split_headers/queue.hpp>
static_assert(std::is_default_constructible_v<sycl::property::queue::in_order> && sizeof(sycl::queue) > 0);
#include <sycl/khr/split_headers/atomic.hpp>
static_assert(sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>::is_always_lock_free);
#include <sycl/khr/split_headers/reduction.hpp>
static_assert(std::is_empty_v<sycl::plus<>>);
#include <sycl/khr/split_headers/index_space.hpp>
static_assert(sycl::id<2>(1, 2)[1] == 2 && sycl::range<1>(3).size() == 3);
#include <sycl/khr/split_headers/device.hpp>
static_assert(std::is_same_v<sycl::info::device::max_compute_units::return_type, std::uint32_t>);
static_assert(sycl::aspect::fp64 != sycl::aspect::fp16);
