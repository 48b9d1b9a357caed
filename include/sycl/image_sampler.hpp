//! How a `sampled_image` is sampled. Source: SYCL 2020 §4.7.8.
#pragma once
#include <sycl/detail/config.hpp>

namespace sycl {

enum class addressing_mode : unsigned { mirrored_repeat, repeat, clamp_to_edge, clamp, none };
enum class filtering_mode : unsigned { nearest, linear };
enum class coordinate_normalization_mode : unsigned { normalized, unnormalized };

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;

  friend constexpr bool operator==(const image_sampler &a, const image_sampler &b) {
    return a.addressing == b.addressing && a.coordinate == b.coordinate && a.filtering == b.filtering;
  }
  friend constexpr bool operator!=(const image_sampler &a, const image_sampler &b) { return !(a == b); }
};

} // namespace sycl
