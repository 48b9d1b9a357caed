//! Texels: how an image's channels lie in memory, and the numbers that programs read and write. Integers and floats do all the work, so that
//! an image of halves needs fp16 only where the program itself holds halves.
//! Source: OpenCL 3.0 §5.3.1.1 (orders and types of channels), §8.3 (conversions).
#pragma once
#include <cstring>
#include <sycl/half.hpp>
#include <sycl/math.hpp>
#include <sycl/vec.hpp>

namespace sycl::detail {

/// How a channel is stored; in the order of SYCL 1.2.1's `image_channel_type`.
enum class channel : std::uint8_t {
  snorm8,
  snorm16,
  unorm8,
  unorm16,
  unorm565,
  unorm555,
  unorm101010,
  sint8,
  sint16,
  sint32,
  uint8,
  uint16,
  uint32,
  float16,
  float32
};

/// What a component of a colour is that no channel stores.
constexpr std::uint8_t always_zero = 4, always_one = 5;

/// The form of an image's texels.
struct texel {
  channel type = channel::unorm8;
  std::uint8_t channels = 4;               // stored
  std::uint8_t size = 4;                   // bytes
  std::uint8_t border_alpha = 0;           // 0 or 1: of the colour outside of the image
  std::uint8_t source[4] = {0, 1, 2, 3};   // of red, green, blue and alpha: the stored channel, or one of the two above
};

constexpr bool is_packed(channel type) {
  return type == channel::unorm565 || type == channel::unorm555 || type == channel::unorm101010;
}
/// Of one channel; of the whole texel where it is packed.
constexpr int channel_size(channel type) {
  switch (type) {
  case channel::snorm8:
  case channel::unorm8:
  case channel::sint8:
  case channel::uint8:
    return 1;
  case channel::sint32:
  case channel::uint32:
  case channel::float32:
  case channel::unorm101010:
    return 4;
  default:
    return 2;
  }
}
constexpr bool is_signed_integer(channel type) { return type == channel::sint8 || type == channel::sint16 || type == channel::sint32; }
constexpr bool is_unsigned_integer(channel type) { return type == channel::uint8 || type == channel::uint16 || type == channel::uint32; }

/// A half's value. Every half is a float.
inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 0x3FFu;
  if (exponent == 0) { // the fraction counts 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -size : size;
  }
  return __builtin_bit_cast(float, sign | (exponent == 31 ? 0x7F800000u : (exponent + 112) << 23) | fraction << 13);
}

/// The nearest half, of two the even one.
inline std::uint16_t half_of_float(float value) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value), size = bits & 0x7FFFFFFFu;
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  std::uint32_t half = 0;
  if (size > 0x7F800000u) // no number
    half = 0x7E00u;
  else if (size >= 0x477FF000u) // 65520 and more round to infinity
    half = 0x7C00u;
  else if (size < 0x38800000u) // below the least normal half
    half = static_cast<std::uint32_t>(sycl::rint(__builtin_bit_cast(float, size) * 0x1p24f));
  else
    half = (size - 0x38000000u + 0xFFFu + (size >> 13 & 1u)) >> 13;
  return static_cast<std::uint16_t>(sign | half);
}

template <class S> inline S load_as(const unsigned char *at) {
  S value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
template <class S> inline void store_as(unsigned char *at, S value) { __builtin_memcpy(at, &value, sizeof value); }

/// `low` for what is no number.
inline float between(float value, float low, float high) { return value > low ? (value < high ? value : high) : low; }
/// A share of `most`, rounded to the nearest integer.
inline std::uint32_t share(float value, float most) { return static_cast<std::uint32_t>(sycl::rint(between(value, 0.0f, 1.0f) * most)); }
inline std::int32_t signed_share(float value, float most) {
  return value == value ? static_cast<std::int32_t>(sycl::rint(between(value * most, -most - 1.0f, most))) : 0;
}
template <class S, class N> inline S saturated(N value) {
  constexpr N low = static_cast<N>(std::numeric_limits<S>::min()), high = static_cast<N>(std::numeric_limits<S>::max());
  return static_cast<S>(value < low ? low : value > high ? high : value);
}

/// The stored channels as numbers. `N` is float, int or unsigned; what fits to the form was checked when the accessor was made.
template <class N> inline vec<N, 4> stored_channels(const unsigned char *at, channel type, int channels) {
  vec<N, 4> out{};
  const auto each = [&](auto stored, auto number) {
    using S = decltype(stored);
    for (int i = 0; i < 4; ++i)
      if (i < channels)
        out[i] = number(load_as<S>(at + static_cast<size_t>(i) * sizeof(S)));
  };
  if constexpr (std::is_same_v<N, float>) {
    const auto fields = [&](std::uint32_t word, int red, int green, int blue) {
      const auto field = [word](int shift, int bits) {
        const std::uint32_t most = (1u << bits) - 1;
        return static_cast<float>(word >> shift & most) / static_cast<float>(most);
      };
      out[0] = field(green + blue, red);
      out[1] = field(blue, green);
      out[2] = field(0, blue);
    };
    switch (type) {
    case channel::snorm8:
      each(std::int8_t(), [](std::int8_t v) { return v == -128 ? -1.0f : static_cast<float>(v) / 127.0f; });
      break;
    case channel::snorm16:
      each(std::int16_t(), [](std::int16_t v) { return v == -32768 ? -1.0f : static_cast<float>(v) / 32767.0f; });
      break;
    case channel::unorm8:
      each(std::uint8_t(), [](std::uint8_t v) { return static_cast<float>(v) / 255.0f; });
      break;
    case channel::unorm16:
      each(std::uint16_t(), [](std::uint16_t v) { return static_cast<float>(v) / 65535.0f; });
      break;
    case channel::unorm565:
      fields(load_as<std::uint16_t>(at), 5, 6, 5);
      break;
    case channel::unorm555:
      fields(load_as<std::uint16_t>(at), 5, 5, 5);
      break;
    case channel::unorm101010:
      fields(load_as<std::uint32_t>(at), 10, 10, 10);
      break;
    case channel::float16:
      each(std::uint16_t(), [](std::uint16_t v) { return float_of_half(v); });
      break;
    default:
      each(float(), [](float v) { return v; });
    }
  } else {
    constexpr bool is_signed = std::is_signed_v<N>;
    const auto same = [](auto v) { return static_cast<N>(v); };
    const int size = channel_size(type);
    if (size == 1)
      each(std::conditional_t<is_signed, std::int8_t, std::uint8_t>(), same);
    else if (size == 2)
      each(std::conditional_t<is_signed, std::int16_t, std::uint16_t>(), same);
    else
      each(N(), same);
  }
  return out;
}

template <class N> inline void store_channels(unsigned char *at, channel type, int channels, const vec<N, 4> &value) {
  const auto each = [&](auto stored) {
    for (int i = 0; i < 4; ++i)
      if (i < channels)
        store_as(at + static_cast<size_t>(i) * sizeof(stored(value[i])), stored(value[i]));
  };
  if constexpr (std::is_same_v<N, float>) {
    const auto fields = [&](int red, int green, int blue) {
      const auto field = [](float v, int bits) { return share(v, static_cast<float>((1u << bits) - 1)); };
      return field(value[0], red) << (green + blue) | field(value[1], green) << blue | field(value[2], blue);
    };
    switch (type) {
    case channel::snorm8:
      return each([](float v) { return static_cast<std::int8_t>(signed_share(v, 127.0f)); });
    case channel::snorm16:
      return each([](float v) { return static_cast<std::int16_t>(signed_share(v, 32767.0f)); });
    case channel::unorm8:
      return each([](float v) { return static_cast<std::uint8_t>(share(v, 255.0f)); });
    case channel::unorm16:
      return each([](float v) { return static_cast<std::uint16_t>(share(v, 65535.0f)); });
    case channel::unorm565:
      return store_as(at, static_cast<std::uint16_t>(fields(5, 6, 5)));
    case channel::unorm555:
      return store_as(at, static_cast<std::uint16_t>(fields(5, 5, 5)));
    case channel::unorm101010:
      return store_as(at, fields(10, 10, 10));
    case channel::float16:
      return each([](float v) { return half_of_float(v); });
    default:
      return each([](float v) { return v; });
    }
  } else {
    constexpr bool is_signed = std::is_signed_v<N>;
    const int size = channel_size(type);
    if (size == 1)
      each([](N v) { return saturated<std::conditional_t<is_signed, std::int8_t, std::uint8_t>>(v); });
    else if (size == 2)
      each([](N v) { return saturated<std::conditional_t<is_signed, std::int16_t, std::uint16_t>>(v); });
    else
      each([](N v) { return v; });
  }
}

/// One of four without an address, so that the four stay in registers.
template <class N> inline N chosen(const vec<N, 4> &of, int which) {
  return which == 0 ? of[0] : which == 1 ? of[1] : which == 2 ? of[2] : which == 3 ? of[3] : static_cast<N>(which == always_one);
}

/// A texel's colour. SYCL 2020's forms have four channels, red first or blue first; `AnyOrder` is for those of SYCL 1.2.1.
template <class N, bool AnyOrder> inline vec<N, 4> read_texel(const unsigned char *at, const texel &form) {
  const vec<N, 4> stored = stored_channels<N>(at, form.type, AnyOrder ? form.channels : 4);
  if constexpr (AnyOrder)
    return {chosen(stored, form.source[0]), chosen(stored, form.source[1]), chosen(stored, form.source[2]), chosen(stored, form.source[3])};
  else if (form.source[0] == 2)
    return {stored[2], stored[1], stored[0], stored[3]};
  else
    return stored;
}

template <class N, bool AnyOrder> inline void write_texel(unsigned char *at, const texel &form, const vec<N, 4> &colour) {
  vec<N, 4> stored = colour;
  if constexpr (AnyOrder) {
    // The first component that is read from a channel is the one that is written to it.
    for (int i = 0; i < 4; ++i)
      for (int c = 3; c >= 0; --c)
        if (form.source[c] == i)
          stored[i] = colour[c];
  } else if (form.source[0] == 2) {
    stored[0] = colour[2];
    stored[2] = colour[0];
  }
  store_channels<N>(at, form.type, AnyOrder ? form.channels : 4, stored);
}

} // namespace sycl::detail
