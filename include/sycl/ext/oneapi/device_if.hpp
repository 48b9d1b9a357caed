//! `if_device_has`, `else_if_device_has`, `else_device`: code for devices that have certain aspects. Source: S4; DESIGN §7.9, §7.20.
//!
//! A device pass for a named device decides while compiling. What a device has that is chosen at run time (`spir64`, `spir64_gen`) is not
//! known here, and neither is what a target may have beyond its list; both are errors rather than a guess. The host pass checks the
//! aspects and that the functions can be called, and calls none.
#pragma once
#include <sycl/aspects.hpp>
#include <sycl/detail/config.hpp>

namespace sycl {
namespace detail {

/// Whether the table has the aspect; architectures are aspects there.
constexpr bool aspect_is_known(aspect wanted) {
  switch (static_cast<std::uint32_t>(wanted)) {
#define __SYCL_ASPECT(name, number) case number:
#define __SYCL_ASPECT_DEPRECATED(name, number) case number:
#define __SYCL_ASPECT_ARCHITECTURE(name, number) case number:
#include <sycl/aspects.def>
    return true;
  }
  return false;
}

template <aspect... Aspects> constexpr bool aspects_valid() { return (aspect_is_known(Aspects) && ...); }

enum class device_answer { no, yes, not_known };

#if defined(__SYCL_DEVICE_ONLY__) && defined(__ASPEN_TARGET_ASPECTS__)

constexpr std::uint32_t no_aspect = ~std::uint32_t(0);
constexpr std::uint32_t target_aspects[] = {no_aspect, __ASPEN_TARGET_ASPECTS__};

/// Architectures are numbered from here. A device has one architecture, and it is in its list.
constexpr std::uint32_t first_architecture = 10000;

constexpr device_answer device_has_one(aspect wanted) {
  for (std::uint32_t listed : target_aspects)
    if (listed == static_cast<std::uint32_t>(wanted))
      return device_answer::yes;
  if (__ASPEN_TARGET_IS_OPEN__ && static_cast<std::uint32_t>(wanted) < first_architecture)
    return device_answer::not_known;
  return device_answer::no;
}

template <aspect...> constexpr bool allowable_aot_mode() { return true; }

#else

constexpr device_answer device_has_one(aspect) { return device_answer::not_known; }

/// A template, so that the error comes where the function is used.
template <aspect...> constexpr bool allowable_aot_mode() { return false; }

#endif

/// All of them: one that is missing decides, whatever the others are.
template <aspect... Aspects> constexpr device_answer device_has_all() {
  if (((device_has_one(Aspects) == device_answer::no) || ...))
    return device_answer::no;
  return ((device_has_one(Aspects) == device_answer::yes) && ...) ? device_answer::yes : device_answer::not_known;
}

/// Calls `f`; is called only where the device has all of these aspects. What `f` does counts only there (DESIGN §7.8): the compiler looks
/// for the attribute, and whoever calls this has asked the device.
template <aspect... Aspects, typename T, typename... Args>
[[__sycl_detail__::__runs_where_device_has__(Aspects...)]] constexpr void where_device_has(T &f, Args &...args) {
  f(args...);
}

/// The same where the device lacks at least one of them: what follows an `if_device_has`.
template <aspect... Aspects, typename T, typename... Args>
[[__sycl_detail__::__runs_where_device_lacks__(Aspects...)]] constexpr void where_device_lacks(T &f, Args &...args) {
  f(args...);
}

/// What follows an `if_device_has`. `MakeCall`: no clause before was true.
template <bool MakeCall> class if_device_has_helper {
public:
  template <aspect... Aspects, typename T, typename... Args> constexpr auto else_if_device_has(T fnTrue, Args... args) {
    static_assert(aspects_valid<Aspects...>(), "Invalid aspect used in else_if_device_has.");
#ifdef __SYCL_DEVICE_ONLY__
    if constexpr (MakeCall) {
      constexpr device_answer answer = device_has_all<Aspects...>();
      static_assert(answer != device_answer::not_known,
                    "else_if_device_has: devices of this target may or may not have these aspects, which is not known when compiling ahead of time");
      if constexpr (answer == device_answer::yes) {
        where_device_has<Aspects...>(fnTrue, args...);
        return if_device_has_helper<false>{};
      } else {
        return if_device_has_helper<true>{};
      }
    } else {
      return if_device_has_helper<false>{};
    }
#else
    using callable [[maybe_unused]] = decltype(fnTrue(args...));
    return if_device_has_helper<MakeCall>{};
#endif
  }

  template <typename T, typename... Args> constexpr void else_device(T fn, Args... args) {
#ifdef __SYCL_DEVICE_ONLY__
    if constexpr (MakeCall)
      fn(args...);
#else
    using callable [[maybe_unused]] = decltype(fn(args...));
#endif
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

/// Calls `fnTrue` on devices that have all of these aspects.
template <aspect... Aspects, typename T, typename... Args> constexpr static auto if_device_has(T fnTrue, Args... args) {
  static_assert(sycl::detail::aspects_valid<Aspects...>(), "Invalid aspect used in if_device_has.");
#ifdef __SYCL_DEVICE_ONLY__
  static_assert(sycl::detail::allowable_aot_mode<Aspects...>(),
                "The if-device-has function may only be used when AOT compiling with '-fsycl-targets=spir64_x86_64' or "
                "'-fsycl-targets=intel_gpu_*' (or 'native_cpu')");
  if constexpr (sycl::detail::allowable_aot_mode<Aspects...>()) {
    constexpr auto answer = sycl::detail::device_has_all<Aspects...>();
    static_assert(answer != sycl::detail::device_answer::not_known,
                  "if_device_has: devices of this target may or may not have these aspects, which is not known when compiling ahead of time");
    if constexpr (answer == sycl::detail::device_answer::yes) {
      sycl::detail::where_device_has<Aspects...>(fnTrue, args...);
      return sycl::detail::if_device_has_helper<false>{};
    } else {
      return sycl::detail::if_device_has_helper<true>{};
    }
  } else {
    return sycl::detail::if_device_has_helper<false>{};
  }
#else
  using callable [[maybe_unused]] = decltype(fnTrue(args...));
  return sycl::detail::if_device_has_helper<true>{};
#endif
}

} // namespace ext::oneapi::experimental
} // namespace sycl
