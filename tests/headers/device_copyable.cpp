//! What a kernel may capture.
#include <array>
#include <string>
#include <sycl/device_copyable.hpp>
#include <tuple>

struct deep {
  deep(const deep &) {}
};
struct allowed {
  allowed(const allowed &) {}
};
template <> struct sycl::is_device_copyable<allowed> : std::true_type {};
static_assert(sycl::is_device_copyable_v<int> && sycl::is_device_copyable_v<const int> && sycl::is_device_copyable_v<int[3]>);
static_assert(sycl::is_device_copyable_v<std::tuple<int, std::array<float, 2>>> && sycl::is_device_copyable_v<std::pair<int, allowed>>);
static_assert(!sycl::is_device_copyable_v<std::string> && !sycl::is_device_copyable_v<deep> && sycl::is_device_copyable_v<allowed>);

constexpr auto with_pair = [pair = std::pair<int, char>(1, 'a'), tuple = std::tuple<int, short>(2, 3)] { return pair.first + std::get<1>(tuple); };
static_assert(sycl::detail::is_kernel_copyable<decltype(with_pair)> && with_pair() == 4);
static_assert(!sycl::detail::is_kernel_copyable<deep> && !sycl::detail::is_kernel_copyable<std::string> && sycl::detail::is_kernel_copyable<allowed>);
