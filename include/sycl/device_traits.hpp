//! `any_device_has` and `all_devices_have`: what the devices that the program is compiled for have. Source: SYCL 2020 §4.6.4.6; S3.
//!
//! Both are the same in all passes. A program for `spir64` or for a target that may have further aspects may meet any device, so that
//! `any_device_has` is true there for every aspect that Aspen offers on some device (data/aspects.toml), and for those that the table does
//! not know; otherwise these have no trait.
#pragma once
#include <sycl/aspects.hpp>
#include <sycl/detail/device_macros.hpp>
#include <type_traits>

namespace sycl {

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations" // aspects of old programs have traits too

template <aspect Aspect> struct all_devices_have;
#define __SYCL_ASPECT(name, number) template <> struct all_devices_have<aspect{number}> : std::bool_constant<__SYCL_ALL_DEVICES_HAVE_##name##__> {};
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number) __SYCL_ASPECT(name, number)
#include <sycl/aspects.def>

#ifdef __SYCL_ANY_DEVICE_HAS_ANY_ASPECT__
template <aspect Aspect> struct any_device_has : std::true_type {};
#else
template <aspect Aspect> struct any_device_has;
#endif
#define __SYCL_ASPECT(name, number) template <> struct any_device_has<aspect{number}> : std::bool_constant<__SYCL_ANY_DEVICE_HAS_##name##__> {};
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number) __SYCL_ASPECT(name, number)
#include <sycl/aspects.def>

#pragma clang diagnostic pop

template <aspect Aspect> inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;
template <aspect Aspect> inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;

} // namespace sycl
