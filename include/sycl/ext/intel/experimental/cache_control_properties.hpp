//! What `annotated_ptr` may ask of caches: requests that an implementation may leave unheard, as this one does. That a level is named once a
//! kind is checked. Source: sycl_ext_intel_cache_controls.
#pragma once
#include <sycl/ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp>
#include <sycl/ext/oneapi/experimental/prefetch.hpp>

#define SYCL_EXT_INTEL_CACHE_CONTROLS 1

namespace sycl {

namespace ext::intel::experimental {

enum class cache_mode { uncached, cached, streaming, invalidate, constant, write_through, write_back };
using cache_level = oneapi::experimental::cache_level;
template <cache_mode Mode, cache_level... Levels> struct cache_control {};

} // namespace ext::intel::experimental

namespace detail {
/// The levels of `Controls` as bits, or none of them if one is named twice.
template <class... Controls> struct cache_levels {
  static constexpr unsigned bits = 0;
  static constexpr bool are_different = true;
};
template <ext::intel::experimental::cache_mode Mode, ext::intel::experimental::cache_level... Levels, class... Rest>
struct cache_levels<ext::intel::experimental::cache_control<Mode, Levels...>, Rest...> {
  static constexpr unsigned own = (0u | ... | (1u << static_cast<unsigned>(Levels)));
  static constexpr unsigned bits = own | cache_levels<Rest...>::bits;
  static constexpr bool are_different = __builtin_popcount(own) == sizeof...(Levels) && !(own & cache_levels<Rest...>::bits) && cache_levels<Rest...>::are_different;
};
/// Whether all controls have one of the modes.
template <class Control, ext::intel::experimental::cache_mode... Modes> inline constexpr bool has_cache_mode = false;
template <ext::intel::experimental::cache_mode Mode, ext::intel::experimental::cache_level... Levels, ext::intel::experimental::cache_mode... Modes>
inline constexpr bool has_cache_mode<ext::intel::experimental::cache_control<Mode, Levels...>, Modes...> = ((Mode == Modes) || ...);
} // namespace detail

namespace ext::intel::experimental {

#define __ASPEN_CACHE_PROPERTY(name, ...)                                                                                                 \
  struct name##_key {                                                                                                                      \
    template <class... Controls> using value_t = oneapi::experimental::property_value<name##_key, Controls...>;                            \
    template <class... Controls> static constexpr value_t<Controls...> checked() {                                                         \
      static_assert((sycl::detail::has_cache_mode<Controls, __VA_ARGS__> && ...), #name " does not have this mode");                       \
      static_assert(sycl::detail::cache_levels<Controls...>::are_different, #name " names a level twice");                                 \
      return {};                                                                                                                           \
    }                                                                                                                                      \
  };                                                                                                                                       \
  template <class... Controls> inline constexpr name##_key::value_t<Controls...> name = name##_key::checked<Controls...>();
__ASPEN_CACHE_PROPERTY(read_hint, cache_mode::uncached, cache_mode::cached, cache_mode::streaming)
__ASPEN_CACHE_PROPERTY(read_assertion, cache_mode::invalidate, cache_mode::constant)
__ASPEN_CACHE_PROPERTY(write_hint, cache_mode::uncached, cache_mode::streaming, cache_mode::write_through, cache_mode::write_back)
#undef __ASPEN_CACHE_PROPERTY

} // namespace ext::intel::experimental

namespace ext::oneapi::experimental {
#define __ASPEN_CACHE_KEY(key)                                                                                                            \
  template <> struct is_property_key<intel::experimental::key> : std::true_type {};                                                        \
  template <class T, class P> struct is_property_key_of<intel::experimental::key, annotated_ptr<T, P>> : std::true_type {};
__ASPEN_CACHE_KEY(read_hint_key)
__ASPEN_CACHE_KEY(read_assertion_key)
__ASPEN_CACHE_KEY(write_hint_key)
#undef __ASPEN_CACHE_KEY
} // namespace ext::oneapi::experimental

} // namespace sycl
