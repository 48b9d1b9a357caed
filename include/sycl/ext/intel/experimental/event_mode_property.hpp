//! How who waits for an event shall wait: a hint. Waits here sleep anyway, and pause for two milliseconds at most before that.
//! Source: sycl_ext_intel_event_mode.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>

#define SYCL_EXT_INTEL_EVENT_MODE 1

namespace sycl::ext::intel::experimental {
enum class event_mode_enum { none, low_power };
struct event_mode {
  constexpr event_mode(event_mode_enum mode) : value(mode) {}
  event_mode_enum value;
};
using event_mode_key = event_mode;
constexpr bool operator==(const event_mode &a, const event_mode &b) { return a.value == b.value; }
constexpr bool operator!=(const event_mode &a, const event_mode &b) { return a.value != b.value; }
} // namespace sycl::ext::intel::experimental

template <> struct sycl::ext::oneapi::experimental::is_property_key<sycl::ext::intel::experimental::event_mode> : std::true_type {};
