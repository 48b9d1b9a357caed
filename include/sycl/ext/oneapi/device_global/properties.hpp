//! Properties of device globals. `device_image_scope` says where the value lies, `host_access` which copies there may be; `device_constant`
//! promises that kernels only read, and the other two are about FPGAs: these change nothing. Source: sycl_ext_oneapi_device_global, "Properties for device global variables".
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::oneapi::experimental {

template <class T, class Properties> class device_global;

enum class host_access_enum { read, write, read_write, none };
enum class init_mode_enum { reprogram, reset };

struct device_image_scope_key {
  using value_t = property_value<device_image_scope_key>;
};
struct host_access_key {
  template <host_access_enum Access> using value_t = property_value<host_access_key, std::integral_constant<host_access_enum, Access>>;
};
struct init_mode_key {
  template <init_mode_enum Trigger> using value_t = property_value<init_mode_key, std::integral_constant<init_mode_enum, Trigger>>;
};
struct device_constant_key {
  using value_t = property_value<device_constant_key>;
};
struct implement_in_csr_key {
  template <bool Enable> using value_t = property_value<implement_in_csr_key, std::bool_constant<Enable>>;
};

/// The value lies in the one device image whose kernels use it.
inline constexpr device_image_scope_key::value_t device_image_scope;
inline constexpr device_constant_key::value_t device_constant;
/// How the host copies: nothing but what is said.
template <host_access_enum Access> inline constexpr host_access_key::value_t<Access> host_access;
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read;
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write;
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write;
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none;
template <init_mode_enum Trigger> inline constexpr init_mode_key::value_t<Trigger> init_mode;
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram;
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset;
template <bool Enable> inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr;
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on;
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off;

#define __ASPEN_DEVICE_GLOBAL_PROPERTY(key)                                                                                               \
  template <> struct is_property_key<key> : std::true_type {};                                                                            \
  template <class T, class Properties> struct is_property_key_of<key, device_global<T, Properties>> : std::true_type {};
__ASPEN_DEVICE_GLOBAL_PROPERTY(device_image_scope_key)
__ASPEN_DEVICE_GLOBAL_PROPERTY(device_constant_key)
__ASPEN_DEVICE_GLOBAL_PROPERTY(host_access_key)
__ASPEN_DEVICE_GLOBAL_PROPERTY(init_mode_key)
__ASPEN_DEVICE_GLOBAL_PROPERTY(implement_in_csr_key)
#undef __ASPEN_DEVICE_GLOBAL_PROPERTY

} // namespace sycl::ext::oneapi::experimental
