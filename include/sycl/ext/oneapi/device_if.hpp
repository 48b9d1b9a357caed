//! `if_device_has`, `else_if_device_has`, `else_device`: code for devices that have certain aspects. Source: S4; DESIGN §7.9, §7.20.
//!
//! A device pass for a named device decides while compiling; what a target may have beyond its list is an error there rather than a guess.
//! Where the device is chosen at run time, code for `spir64` asks a specialization constant for each aspect and images for the embedded
//! CPU a table, both filled when the image is loaded. The host pass checks the aspects and that the functions can be called, and calls
//! none.
#pragma once
#include <sycl/aspects.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/device_macros.hpp>
#if defined(__SYCL_DEVICE_ONLY__) && !defined(__ASPEN_TARGET_ASPECTS__)
#define __ASPEN_ASKS_LOADED_DEVICE__ 1
#if defined(__ASPEN_SPIRV__)
extern __attribute__((const)) bool __spirv_SpecConstant(int, bool);
#else
#include <aspen/native_cpu.h>
#endif
#endif

#if defined(__ASPEN_ASKS_LOADED_DEVICE__) && defined(__ASPEN_NATIVE_CPU__)
extern "C" {
/// The image's table: the backend fills it before anything runs.
__attribute__((visibility("default"))) inline aspen_cpu_answer_t aspen_cpu_device_has[ASPEN_CPU_ANSWERS] = {};
}
#endif

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

#ifdef __ASPEN_TARGET_ASPECTS__

constexpr std::uint32_t no_aspect = ~std::uint32_t(0);
constexpr std::uint32_t target_aspects[] = {no_aspect, __ASPEN_TARGET_ASPECTS__};
/// What Aspen offers only on devices of other backends.
#ifndef __ASPEN_TARGET_LACKS__
#define __ASPEN_TARGET_LACKS__
#endif
constexpr std::uint32_t target_lacks[] = {no_aspect, __ASPEN_TARGET_LACKS__};

/// Whether a device of the program may have it: what Aspen offers nowhere, none has, even if it is not known what it has.
constexpr bool some_device_may_have(aspect wanted) {
  switch (static_cast<std::uint32_t>(wanted)) {
#define __SYCL_ASPECT(name, number) case number: return __SYCL_ANY_DEVICE_HAS_##name##__;
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number) __SYCL_ASPECT(name, number)
#include <sycl/aspects.def>
  }
  return true;
}

/// Architectures are numbered from here. A device has one architecture, and it is in its list.
constexpr std::uint32_t first_architecture = 10000;

constexpr device_answer device_has_one(aspect wanted) {
  for (std::uint32_t listed : target_aspects)
    if (listed == static_cast<std::uint32_t>(wanted))
      return device_answer::yes;
  for (std::uint32_t lacking : target_lacks)
    if (lacking == static_cast<std::uint32_t>(wanted))
      return device_answer::no;
  if (!some_device_may_have(wanted))
    return device_answer::no;
  if (__ASPEN_TARGET_IS_OPEN__ && static_cast<std::uint32_t>(wanted) < first_architecture)
    return device_answer::not_known;
  return device_answer::no;
}

#else

constexpr device_answer device_has_one(aspect) { return device_answer::not_known; }

#endif

/// All of them: one that is missing decides, whatever the others are.
template <aspect... Aspects> constexpr device_answer device_has_all() {
  if (((device_has_one(Aspects) == device_answer::no) || ...))
    return device_answer::no;
  return ((device_has_one(Aspects) == device_answer::yes) && ...) ? device_answer::yes : device_answer::not_known;
}

#if defined(__ASPEN_ASKS_LOADED_DEVICE__) && defined(__ASPEN_SPIRV__)
/// Until the module is specialised the body must be a function of its own, which specialising drops or opens to inlining.
#define __ASPEN_GUARDED_BODY__ __attribute__((noinline))
#else
#define __ASPEN_GUARDED_BODY__
#endif

/// Calls `f`; is called only where the device has all of these aspects. What `f` does counts only there (DESIGN §7.8): the compiler looks
/// for the attribute, and whoever calls this has asked the device.
template <aspect... Aspects, typename T, typename... Args>
[[__sycl_detail__::__runs_where_device_has__(Aspects...)]] __ASPEN_GUARDED_BODY__ constexpr void where_device_has(T &f, Args &...args) {
  f(args...);
}

/// The same where the device lacks at least one of them: what follows an `if_device_has`.
template <aspect... Aspects, typename T, typename... Args>
[[__sycl_detail__::__runs_where_device_lacks__(Aspects...)]] __ASPEN_GUARDED_BODY__ constexpr void where_device_lacks(T &f, Args &...args) {
  f(args...);
}

#ifdef __ASPEN_ASKS_LOADED_DEVICE__

/// Whether the device that the image was loaded for has the aspect.
template <aspect Wanted> inline bool loaded_device_has() {
  constexpr auto number = static_cast<std::uint32_t>(Wanted);
#if defined(__ASPEN_SPIRV__)
  return __spirv_SpecConstant(0x50000000 + static_cast<int>(number), false);
#else
  return aspen_cpu_device_has[ASPEN_CPU_ANSWER_OF(number)] == aspen_cpu_yes;
#endif
}

/// The aspects of a clause.
template <aspect...> struct aspect_list {};

/// Calls a function that runs where the device lacks something of each list.
template <typename... Lists> struct where_all_lack {
  template <typename F> static void call(F &f) { f(); }
};
template <aspect... Aspects, typename... Rest> struct where_all_lack<aspect_list<Aspects...>, Rest...> {
  template <typename F> static void call(F &f) {
    auto rest = [&] { where_all_lack<Rest...>::call(f); };
    where_device_lacks<Aspects...>(rest);
  }
};

/// What follows an `if_device_has` whose device is not known yet. `Before`: the clauses so far, of which `pending` none was true.
template <typename... Before> class undecided_if_device_has {
public:
  explicit undecided_if_device_has(bool none_was_true) : pending(none_was_true) {}

  template <aspect... Aspects, typename T, typename... Args> auto else_if_device_has(T fnTrue, Args... args) {
    static_assert(aspects_valid<Aspects...>(), "Invalid aspect used in else_if_device_has.");
    const bool holds = (loaded_device_has<Aspects>() && ...);
    if (pending && holds) {
      auto body = [&] { where_device_has<Aspects...>(fnTrue, args...); };
      where_all_lack<Before...>::call(body);
    }
    return undecided_if_device_has<Before..., aspect_list<Aspects...>>(pending && !holds);
  }

  template <typename T, typename... Args> void else_device(T fn, Args... args) {
    if (pending) {
      auto body = [&] { fn(args...); };
      where_all_lack<Before...>::call(body);
    }
  }

private:
  bool pending;
};

#endif

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
#if defined(__ASPEN_ASKS_LOADED_DEVICE__)
  return sycl::detail::undecided_if_device_has<>(true).template else_if_device_has<Aspects...>(fnTrue, args...);
#elif defined(__SYCL_DEVICE_ONLY__)
  constexpr auto answer = sycl::detail::device_has_all<Aspects...>();
  static_assert(answer != sycl::detail::device_answer::not_known,
                "if_device_has: devices of this target may or may not have these aspects, which is not known when compiling ahead of time");
  if constexpr (answer == sycl::detail::device_answer::yes) {
    sycl::detail::where_device_has<Aspects...>(fnTrue, args...);
    return sycl::detail::if_device_has_helper<false>{};
  } else {
    return sycl::detail::if_device_has_helper<true>{};
  }
#else
  using callable [[maybe_unused]] = decltype(fnTrue(args...));
  return sycl::detail::if_device_has_helper<true>{};
#endif
}

} // namespace ext::oneapi::experimental
} // namespace sycl
