//! Properties of kernels: requirements that a launch or a function object states without attributes. They count as the attributes of
//! SYCL 2020 do, because that is what they become (detail/kernel_properties.hpp). Source: sycl_ext_oneapi_kernel_properties.
#pragma once
#include <array>
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#define SYCL_EXT_ONEAPI_KERNEL_PROPERTIES 1

namespace sycl::ext::oneapi::experimental {

struct work_group_size_key {
  template <size_t... Sizes> using value_t = property_value<work_group_size_key, std::integral_constant<size_t, Sizes>...>;
};
struct work_group_size_hint_key {
  template <size_t... Sizes> using value_t = property_value<work_group_size_hint_key, std::integral_constant<size_t, Sizes>...>;
};
struct sub_group_size_key {
  template <std::uint32_t Size> using value_t = property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>>;
};
/// A size that is a number: as a value, 0 is the primary size. An error if it is 0, as that is of `[[sycl::reqd_sub_group_size(0)]]`.
template <std::uint32_t Size> constexpr sub_group_size_key::value_t<Size> numbered_sub_group_size() {
  static_assert(Size > 0, "a sub-group's size is greater than zero");
  return {};
}
struct max_work_group_size_key {
  template <size_t... Sizes> using value_t = property_value<max_work_group_size_key, std::integral_constant<size_t, Sizes>...>;
};
struct max_linear_work_group_size_key {
  template <size_t Size> using value_t = property_value<max_linear_work_group_size_key, std::integral_constant<size_t, Size>>;
};
struct device_has_key {
  template <aspect... Aspects> using value_t = property_value<device_has_key, std::integral_constant<aspect, Aspects>...>;
};
template <> struct is_property_key<work_group_size_key> : std::true_type {};
template <> struct is_property_key<work_group_size_hint_key> : std::true_type {};
template <> struct is_property_key<sub_group_size_key> : std::true_type {};
template <> struct is_property_key<max_work_group_size_key> : std::true_type {};
template <> struct is_property_key<max_linear_work_group_size_key> : std::true_type {};
template <> struct is_property_key<device_has_key> : std::true_type {};

/// A size in each dimension, in SYCL's order.
#define __ASPEN_SIZES_PROPERTY(key)                                                                                                       \
  template <size_t... Sizes> struct property_value<key, std::integral_constant<size_t, Sizes>...> {                                       \
    static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && ((Sizes > 0) && ...), "one to three sizes greater than zero");         \
    using key_t = key;                                                                                                                     \
    constexpr size_t operator[](int dimension) const {                                                                                     \
      constexpr size_t sizes[] = {Sizes...};                                                                                               \
      return sizes[dimension];                                                                                                             \
    }                                                                                                                                      \
  };
__ASPEN_SIZES_PROPERTY(work_group_size_key)
__ASPEN_SIZES_PROPERTY(work_group_size_hint_key)
__ASPEN_SIZES_PROPERTY(max_work_group_size_key)
#undef __ASPEN_SIZES_PROPERTY
template <aspect... Aspects> struct property_value<device_has_key, std::integral_constant<aspect, Aspects>...> {
  using key_t = device_has_key;
  static constexpr std::array<aspect, sizeof...(Aspects)> value{Aspects...};
};

/// The kernel's work-groups have exactly this size: `[[sycl::reqd_work_group_size(…)]]`.
template <size_t... Sizes> inline constexpr work_group_size_key::value_t<Sizes...> work_group_size;
/// It will mostly be launched with this size. Aspen does nothing with it.
template <size_t... Sizes> inline constexpr work_group_size_hint_key::value_t<Sizes...> work_group_size_hint;
/// Its sub-groups have exactly this size: `[[sycl::reqd_sub_group_size(…)]]`.
template <std::uint32_t Size> inline constexpr sub_group_size_key::value_t<Size> sub_group_size = numbered_sub_group_size<Size>();
/// Sizes with a name: the device chooses, as by the attribute `[[intel::named_sub_group_size]]`. A device's primary size cannot be asked for:
/// drivers of OpenCL do not tell. Source: sycl_ext_oneapi_named_sub_group_sizes.
enum named_sub_group_size : std::uint32_t { primary = 0, automatic = ~0u };
inline constexpr sub_group_size_key::value_t<named_sub_group_size::primary> sub_group_size_primary;
inline constexpr sub_group_size_key::value_t<named_sub_group_size::automatic> sub_group_size_automatic;
/// Its work-groups have no more work-items than these in each dimension, or so many in all: a launch with more is refused. The library
/// checks that; nothing else comes of it.
template <size_t... Sizes> inline constexpr max_work_group_size_key::value_t<Sizes...> max_work_group_size;
template <size_t Size> inline constexpr max_linear_work_group_size_key::value_t<Size> max_linear_work_group_size;
/// It uses only these aspects: `[[sycl::device_has(…)]]`.
template <aspect... Aspects> inline constexpr device_has_key::value_t<Aspects...> device_has;

/// Whether a property may change what is made of a kernel.
template <class P> struct has_compile_time_kernel_effect : std::false_type {};
#define __ASPEN_KERNEL_EFFECT(key) template <class... Values> struct has_compile_time_kernel_effect<property_value<key, Values...>> : std::true_type {};
__ASPEN_KERNEL_EFFECT(work_group_size_key)
__ASPEN_KERNEL_EFFECT(work_group_size_hint_key)
__ASPEN_KERNEL_EFFECT(sub_group_size_key)
__ASPEN_KERNEL_EFFECT(max_work_group_size_key)
__ASPEN_KERNEL_EFFECT(max_linear_work_group_size_key)
__ASPEN_KERNEL_EFFECT(device_has_key)
#undef __ASPEN_KERNEL_EFFECT
template <class P> struct has_compile_time_kernel_effect<const P> : has_compile_time_kernel_effect<P> {};
template <class P> inline constexpr bool has_compile_time_kernel_effect_v = has_compile_time_kernel_effect<P>::value;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {
template <size_t... Sizes> struct kernel_attribute<ext::oneapi::experimental::work_group_size_key::value_t<Sizes...>> {
  [[__sycl__::__reqd_work_group_size__(Sizes...)]] static void aspen_kernel_attributes();
};
template <std::uint32_t Size> struct kernel_attribute<ext::oneapi::experimental::sub_group_size_key::value_t<Size>> {
  [[__sycl__::__reqd_sub_group_size__(Size)]] static void aspen_kernel_attributes();
};
template <> struct kernel_attribute<ext::oneapi::experimental::sub_group_size_key::value_t<ext::oneapi::experimental::primary>> {};
template <> struct kernel_attribute<ext::oneapi::experimental::sub_group_size_key::value_t<ext::oneapi::experimental::automatic>> {};
template <size_t... Sizes> struct kernel_attribute<ext::oneapi::experimental::max_work_group_size_key::value_t<Sizes...>> {
  template <class Launch> static void aspen_check_launch(const Launch &launch) {
    constexpr size_t sizes[] = {Sizes...};
    for (size_t d = 0; d < sizeof...(Sizes); ++d)
      if (launch.local[d] > sizes[d])
        fail(errc::nd_range, "the kernel has the property max_work_group_size, and the launch's work-groups are larger");
  }
};
template <size_t Size> struct kernel_attribute<ext::oneapi::experimental::max_linear_work_group_size_key::value_t<Size>> {
  template <class Launch> static void aspen_check_launch(const Launch &launch) {
    if (launch.local[0] * launch.local[1] * launch.local[2] > Size)
      fail(errc::nd_range, "the kernel has the property max_linear_work_group_size, and the launch's work-groups are larger");
  }
};
template <aspect... Aspects> struct kernel_attribute<ext::oneapi::experimental::device_has_key::value_t<Aspects...>> {
  [[__sycl__::__device_has__(Aspects...)]] static void aspen_kernel_attributes();
};
} // namespace sycl::detail
