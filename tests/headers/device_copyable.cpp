//! What a kernel may capture.
#include <array>
#include <string>
#include <sycl/device_copyable.hpp>
#include <sycl/marray.hpp>
#include <tuple>

struct deep {
  deep(const deep &) {}
};
struct allowed {
  allowed(const allowed &) {}
};
template <> struct sycl::is_device_copyable<allowed> : std::true_type {};
static_assert(sycl::is_device_copyable_v<int> && sycl::is_device_copyable_v<const int> && sycl::is_device_copyable_v<int[3]> && sycl::is_device_copyable_v<const int[3][2]>);
static_assert(sycl::is_device_copyable_v<std::tuple<int, std::array<float, 2>>> && sycl::is_device_copyable_v<std::pair<int, allowed>>);
static_assert(!sycl::is_device_copyable_v<std::string> && !sycl::is_device_copyable_v<deep> && sycl::is_device_copyable_v<allowed>);
static_assert(sycl::is_device_copyable_v<sycl::marray<allowed, 2>> && !sycl::is_device_copyable_v<const sycl::marray<deep, 2>>);
static_assert(sycl::is_device_copyable_v<std::array<deep, 0>> && !sycl::is_device_copyable_v<std::array<deep, 1>>);
static_assert(sycl::is_device_copyable_v<volatile allowed> && sycl::is_device_copyable_v<const volatile allowed[2]> && !sycl::is_device_copyable_v<volatile deep>);
