//! Reading images at coordinates, with and without a sampler. In software: an image is memory, and these are the formulas.
//! Source: OpenCL 3.0 §8.2 "Image addressing and filtering".
#pragma once
#include <sycl/detail/texel.hpp>
#include <sycl/image_sampler.hpp>

namespace sycl::detail {

/// An image where a command or the host sees it.
struct image_view {
  unsigned char *data = nullptr;
  size_t row = 0;   // bytes from a row to the next
  size_t slice = 0; // and from a slice to the next
  int extent[3] = {0, 0, 0};
  texel form;

  size_t size() const { return static_cast<size_t>(extent[0]) * static_cast<size_t>(extent[1]) * static_cast<size_t>(extent[2]); }
  bool contains(int x, int y, int z) const {
    const auto in = [](int i, int n) { return static_cast<unsigned>(i) < static_cast<unsigned>(n); };
    return in(x, extent[0]) && in(y, extent[1]) && in(z, extent[2]);
  }
  unsigned char *at(int x, int y, int z) const {
    return data + static_cast<size_t>(z) * slice + static_cast<size_t>(y) * row + static_cast<size_t>(x) * form.size;
  }
};

/// A coordinate as the specification types it: a number, a pair, or four for three dimensions. Source: SYCL 2020 §4.7.6.13, §4.7.6.14.
template <class N, int D> struct coordinate { using type = vec<N, D == 3 ? 4 : D>; };
template <class N> struct coordinate<N, 1> { using type = N; };
template <class N, int D> using coordinate_t = typename coordinate<N, D>::type;
/// Its part along a dimension; 0 beyond the image's.
template <class N, int D> inline N along(const coordinate_t<N, D> &of, int d) {
  if constexpr (D == 1)
    return d == 0 ? of : N(0);
  else
    return d < D ? of[d] : N(0);
}

/// The colour outside. Source: OpenCL 3.0 §6.15.15.1, table of border colours.
template <class N> inline vec<N, 4> border_colour(const texel &form) { return {N(0), N(0), N(0), static_cast<N>(form.border_alpha)}; }

/// Nothing outside of the image's memory is ever touched.
template <class N, bool AnyOrder> inline vec<N, 4> read_or_border(const image_view &from, int x, int y, int z) {
  if (!from.contains(x, y, z))
    return border_colour<N>(from.form);
  return read_texel<N, AnyOrder>(from.at(x, y, z), from.form);
}

/// The two texels that a coordinate lies between, and how far it is on the way to the second.
struct texel_pair {
  int first;
  int second;
  float weight;
};

/// A float as an int; far outside of every image where it is no int.
inline int whole(float value) {
  constexpr float far = 0x1p30f;
  return value > -far && value < far ? static_cast<int>(value) : value > 0.0f ? 1 << 30 : -(1 << 30);
}
inline int between(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

/// Without a filter both are the nearest texel.
inline texel_pair texels_at(float s, int size, const image_sampler &how) {
  const bool linear = how.filtering == filtering_mode::linear, normalized = how.coordinate == coordinate_normalization_mode::normalized;
  const float width = static_cast<float>(size), half_texel = linear ? 0.5f : 0.0f;
  const bool repeats = normalized && how.addressing == addressing_mode::repeat;
  const bool mirrors = normalized && how.addressing == addressing_mode::mirrored_repeat;
  if (repeats)
    s -= sycl::floor(s);
  else if (mirrors)
    s = sycl::fabs(s - 2.0f * sycl::rint(0.5f * s));
  const float u = (normalized ? s * width : s) - half_texel, low = sycl::floor(u);
  int first = whole(low), second = first + (linear ? 1 : 0);
  if (repeats) {
    first = first < 0 ? first + size : first > size - 1 ? first - size : first;
    second = second > size - 1 ? second - size : second;
  } else {
    const int outside = how.addressing == addressing_mode::clamp ? 1 : 0; // where the border lies
    first = between(first, -outside, size - 1 + outside);
    second = between(second, -outside, size - 1 + outside);
  }
  return {first, second, u - low};
}

/// A blend as a number of the image. The greatest integers are no floats; converting what lies beyond them, or is no number, has no meaning.
template <class N> inline N rounded(float value) {
  constexpr N low = std::numeric_limits<N>::lowest(), high = std::numeric_limits<N>::max();
  if constexpr (std::is_same_v<N, float>)
    return value;
  else
    return value >= static_cast<float>(high) ? high : value > static_cast<float>(low) ? static_cast<N>(sycl::rint(value)) : low;
}

template <class N, int D, bool AnyOrder>
inline vec<N, 4> sample(const image_view &from, const image_sampler &how, const coordinate_t<float, D> &where) {
  texel_pair at[3] = {};
  for (int d = 0; d < D; ++d)
    at[d] = texels_at(along<float, D>(where, d), from.extent[d], how);
  if (how.filtering == filtering_mode::nearest)
    return read_or_border<N, AnyOrder>(from, at[0].first, at[1].first, at[2].first);
  float sum[4] = {};
  for (int corner = 0; corner < 1 << D; ++corner) {
    float share = 1.0f;
    int index[3] = {};
    for (int d = 0; d < D; ++d) {
      const bool second = (corner >> d & 1) != 0;
      share *= second ? at[d].weight : 1.0f - at[d].weight;
      index[d] = second ? at[d].second : at[d].first;
    }
    const vec<N, 4> colour = read_or_border<N, AnyOrder>(from, index[0], index[1], index[2]);
    for (int c = 0; c < 4; ++c)
      sum[c] += share * static_cast<float>(colour[c]);
  }
  return {rounded<N>(sum[0]), rounded<N>(sum[1]), rounded<N>(sum[2]), rounded<N>(sum[3])};
}

/// What programs read and write: four of int, unsigned, float or half. Halves are computed as floats.
template <class T> struct pixel_type { static constexpr bool valid = false; };
template <class N> struct pixel_type<vec<N, 4>> {
  static constexpr bool valid = std::is_same_v<N, int> || std::is_same_v<N, unsigned> || std::is_same_v<N, float> || is_half<N>;
  using number = std::conditional_t<is_half<N>, float, N>;
  static vec<number, 4> numbers(const vec<N, 4> &pixel) {
    return {number(pixel[0]), number(pixel[1]), number(pixel[2]), number(pixel[3])};
  }
  static vec<N, 4> of(const vec<number, 4> &numbers) { return {N(numbers[0]), N(numbers[1]), N(numbers[2]), N(numbers[3])}; }
};

/// Reads and writes `T` in `D` dimensions.
template <class T, int D, bool AnyOrder> struct pixels {
  using pixel = pixel_type<std::remove_const_t<T>>;
  static_assert(pixel::valid, "images are read and written as sycl::int4, uint4, float4 or half4");
  using value = std::remove_const_t<T>;
  using number = typename pixel::number;

  static value read(const image_view &from, const coordinate_t<int, D> &at) {
    return pixel::of(read_or_border<number, AnyOrder>(from, along<int, D>(at, 0), along<int, D>(at, 1), along<int, D>(at, 2)));
  }
  static value read(const image_view &from, const image_sampler &how, const coordinate_t<float, D> &at) {
    return pixel::of(sample<number, D, AnyOrder>(from, how, at));
  }
  /// What lies outside is not written. Source: OpenCL 3.0 §6.15.15.4 leaves it undefined.
  static void write(const image_view &to, const coordinate_t<int, D> &at, const value &colour) {
    const int x = along<int, D>(at, 0), y = along<int, D>(at, 1), z = along<int, D>(at, 2);
    if (to.contains(x, y, z))
      write_texel<number, AnyOrder>(to.at(x, y, z), to.form, pixel::numbers(colour));
  }
};

} // namespace sycl::detail
