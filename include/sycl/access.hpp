//! Access modes, targets and the tags that name them. Source: SYCL 2020 §4.7.6.
#pragma once
#include <sycl/detail/config.hpp>
#include <sycl/memory_enums.hpp>
#include <type_traits>

namespace sycl {

enum class access_mode : int { read, write, read_write, discard_write, discard_read_write, atomic };
/// From `constant_buffer` on: SYCL 1.2.1's. Images are named, but there are no accessors of them.
enum class target : int { device, host_task, constant_buffer, local, image, host_buffer, host_image, image_array, global_buffer = device };

namespace access {
using mode = sycl::access_mode;
using target = sycl::target;
enum class placeholder : int { false_t, true_t };
} // namespace access

template <access_mode Mode> struct mode_tag_t {
  explicit mode_tag_t() = default;
};
template <access_mode Mode, target Target> struct mode_target_tag_t {
  explicit mode_target_tag_t() = default;
};
inline constexpr mode_tag_t<access_mode::read> read_only{};
inline constexpr mode_tag_t<access_mode::read_write> read_write{};
inline constexpr mode_tag_t<access_mode::write> write_only{};
inline constexpr mode_target_tag_t<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read_write, target::host_task> read_write_host_task{};
inline constexpr mode_target_tag_t<access_mode::write, target::host_task> write_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read, target::constant_buffer> read_constant{};

namespace detail {

/// Whether an accessor whose type says `Mode` takes a tag that says `Tag`: the same, or less than both of what it does anyway, as programs write
/// that leave the type's mode out (`accessor<int> a{b, h, read_only}`).
template <access_mode Mode, access_mode Tag> inline constexpr bool tag_fits = Mode == Tag || Mode == access_mode::read_write;
/// What constructor arguments say about mode and target; the first tag decides.
template <access_mode Default, class... Arguments> struct tags_of {
  static constexpr access_mode mode = Default;
  static constexpr target place = target::device;
};
template <access_mode Default, class First, class... Rest> struct tags_of<Default, First, Rest...> : tags_of<Default, Rest...> {};
template <access_mode Default, access_mode Mode, class... Rest> struct tags_of<Default, mode_tag_t<Mode>, Rest...> {
  static constexpr access_mode mode = Mode;
  static constexpr target place = target::device;
};
template <access_mode Default, access_mode Mode, target Target, class... Rest>
struct tags_of<Default, mode_target_tag_t<Mode, Target>, Rest...> {
  static constexpr access_mode mode = Mode;
  static constexpr target place = Target;
};

template <class T> inline constexpr bool is_access_tag = false;
template <access_mode M> inline constexpr bool is_access_tag<mode_tag_t<M>> = true;
template <access_mode M, target P> inline constexpr bool is_access_tag<mode_target_tag_t<M, P>> = true;

template <class T> inline constexpr access_mode default_mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write;

/// Which accessors explicit copies read, and which they write. Source: SYCL 2020, "SYCL functions for explicit memory operations".
template <access_mode M>
inline constexpr bool is_source = M == access_mode::read || M == access_mode::read_write || M == access_mode::atomic;
template <access_mode M> inline constexpr bool is_destination = M != access_mode::read;

} // namespace detail

} // namespace sycl
