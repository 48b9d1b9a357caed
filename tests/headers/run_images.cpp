// Images: what each format stores and reads, extents and pitches, where the content goes, accessors of kernels, of host tasks and of the host,
// and what is refused. How samplers compute is tests/e2e/image-sampling.cpp.
#include "check.hpp"
#include <cstring>
#include <sycl/sycl.hpp>

using sycl::access_mode;
using sycl::addressing_mode;
using sycl::coordinate_normalization_mode;
using sycl::filtering_mode;
using sycl::image_format;
using sycl::image_target;

namespace {

constexpr sycl::image_sampler nearest{addressing_mode::clamp, coordinate_normalization_mode::unnormalized, filtering_mode::nearest};

using reader = sycl::unsampled_image_accessor<sycl::int4, 1, access_mode::read>;
using writer = sycl::unsampled_image_accessor<sycl::int4, 1, access_mode::write, image_target::host_task>;
static_assert(std::is_same_v<reader::value_type, const sycl::int4> && std::is_same_v<writer::reference, sycl::int4 &>);
static_assert(std::is_same_v<sycl::sampled_image_accessor<sycl::float4, 2>::value_type, const sycl::float4>);
static_assert(sycl::is_device_copyable_v<reader> && sycl::is_device_copyable_v<sycl::sampled_image_accessor<sycl::float4, 2>>);
static_assert(std::is_convertible_v<reader, sycl::unsampled_image_accessor<const sycl::int4, 1, access_mode::read>>);
static_assert(std::is_convertible_v<sycl::host_sampled_image_accessor<const sycl::half4, 3>, sycl::host_sampled_image_accessor<sycl::half4, 3>>);
static_assert(sycl::is_property_of_v<sycl::property::no_init, reader> && !sycl::is_property_of_v<sycl::property::image::use_mutex, reader>);
static_assert(sycl::is_property_of_v<sycl::property::image::use_host_ptr, sycl::sampled_image<2>>);
static_assert(sycl::is_property_of_v<sycl::property::image::use_mutex, sycl::unsampled_image<1>>);
static_assert(!sycl::is_property_of_v<sycl::property::buffer::use_mutex, sycl::unsampled_image<1>>);

/// A kernel writes `pixel` to an image of one texel over the bytes that `make` is given, they become `bytes`, and another kernel reads `read`
/// of them. `named` says which format failed.
template <class T, class Make>
void check_texel(const char *named, unsigned format, Make make, const T &pixel, const std::vector<unsigned char> &bytes, const T &read) {
  std::vector<unsigned char> stored(bytes.size(), 0xEE);
  T got{};
  sycl::queue q;
  {
    auto image = make(stored.data());
    q.submit([&](sycl::handler &h) {
      auto to = image.template get_access<T, access_mode::write>(h);
      h.single_task([=] { to.write(0, pixel); });
    });
    sycl::buffer<T, 1> out(&got, 1);
    q.submit([&](sycl::handler &h) {
      auto from = image.template get_access<T, access_mode::read>(h);
      sycl::accessor to(out, h);
      h.single_task([=] { to[0] = from.read(0); });
    });
  }
  if (stored != bytes) {
    std::printf("%s %u stores", named, format);
    for (unsigned char byte : stored)
      std::printf(" %02X", byte);
    std::printf("\n");
    ++failures;
  }
  for (int c = 0; c < 4; ++c)
    CHECK(got[c] == read[c]);
}

template <class T> void check_format(image_format format, const T &pixel, const std::vector<unsigned char> &bytes, const T &read) {
  const auto make = [&](void *at) {
    sycl::unsampled_image<1> image(at, format, sycl::range<1>(1));
    CHECK(image.byte_size() == bytes.size() && image.size() == 1);
    return image;
  };
  check_texel("format", static_cast<unsigned>(format), make, pixel, bytes, read);
}

void formats() {
  using sycl::float4, sycl::int4, sycl::uint4, sycl::half4;
  const float4 shares(0.0f, 0.5f, 1.0f, 2.0f);
  check_format<float4>(image_format::r8g8b8a8_unorm, shares, {0, 0x80, 0xFF, 0xFF}, {0.0f, 128.0f / 255.0f, 1.0f, 1.0f});
  check_format<float4>(image_format::b8g8r8a8_unorm, {1.0f, 0.0f, -1.0f, __builtin_nanf("")}, {0, 0, 0xFF, 0}, {1.0f, 0.0f, 0.0f, 0.0f});
  check_format<float4>(image_format::r16g16b16a16_unorm, shares, {0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF}, {0.0f, 32768.0f / 65535.0f, 1.0f, 1.0f});
  check_format<int4>(image_format::r8g8b8a8_sint, {-1, 127, 128, -1000}, {0xFF, 0x7F, 0x7F, 0x80}, {-1, 127, 127, -128});
  check_format<int4>(image_format::r16g16b16a16_sint, {-1, 1, 40000, -40000}, {0xFF, 0xFF, 1, 0, 0xFF, 0x7F, 0, 0x80}, {-1, 1, 32767, -32768});
  check_format<int4>(image_format::r32b32g32a32_sint, {-1, 1, 0x7FFFFFFF, 258},
                     {0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 2, 1, 0, 0}, {-1, 1, 0x7FFFFFFF, 258});
  check_format<uint4>(image_format::r8g8b8a8_uint, {0, 255, 256, ~0u}, {0, 0xFF, 0xFF, 0xFF}, {0, 255, 255, 255});
  check_format<uint4>(image_format::r16g16b16a16_uint, {0, 1, 65535, 65536}, {0, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF}, {0, 1, 65535, 65535});
  check_format<uint4>(image_format::r32b32g32a32_uint, {0, 1, ~0u, 258},
                      {0, 0, 0, 0, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 2, 1, 0, 0}, {0, 1, ~0u, 258});
  if (sycl::device().has(sycl::aspect::fp16)) // what an image stores needs no halves in kernels
    check_format<half4>(image_format::r16b16g16a16_sfloat, {1.0f, -2.0f, 0.5f, 65504.0f},
                        {0, 0x3C, 0, 0xC0, 0, 0x38, 0xFF, 0x7B}, {1.0f, -2.0f, 0.5f, 65504.0f});
  check_format<float4>(image_format::r16b16g16a16_sfloat, {1.0f, 65520.0f, 0x1p-24f, 2049.0f}, {0, 0x3C, 0, 0x7C, 1, 0, 0, 0x68},
                       {1.0f, __builtin_inff(), 0x1p-24f, 2048.0f});
  check_format<float4>(image_format::r32g32b32a32_sfloat, {1.0f, -2.0f, 0.0f, 0.5f},
                       {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0x3F}, {1.0f, -2.0f, 0.0f, 0.5f});
}

/// Against the compiler's own type.
void halves() {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = sycl::detail::float_of_half(half), wanted = static_cast<float>(__builtin_bit_cast(_Float16, half));
    wrong += !(value == wanted || (value != value && wanted != wanted)) || (value == value && sycl::detail::half_of_float(value) != half);
  }
  std::uint64_t random = 1;
  for (int i = 0; i < 2000000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const float value = __builtin_bit_cast(float, static_cast<std::uint32_t>(random >> 32));
    const auto wanted = __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(value));
    wrong += value == value && sycl::detail::half_of_float(value) != wanted;
  }
  CHECK(wrong == 0);
}

template <int D> sycl::range<D> extent_of() {
  if constexpr (D == 1)
    return {5};
  else if constexpr (D == 2)
    return {5, 3};
  else
    return {5, 3, 2};
}

/// Each texel's own number, through kernels over all texels: x is the first coordinate and runs fastest in memory.
template <int D> void dimensions() {
  const sycl::range<D> extent = extent_of<D>();
  std::vector<sycl::int4> memory(extent.size(), sycl::int4(-1));
  std::vector<int> sampled(extent.size(), -1);
  sycl::queue q;
  const auto place = [](size_t i, auto zero) {
    using N = decltype(zero);
    const N x = static_cast<N>(i % 5), y = static_cast<N>(i / 5 % 3), z = static_cast<N>(i / 15);
    if constexpr (D == 1)
      return x;
    else if constexpr (D == 2)
      return sycl::vec<N, 2>(x, y);
    else
      return sycl::vec<N, 4>(x, y, z, N(7));
  };
  {
    sycl::unsampled_image<D> image(memory.data(), image_format::r32b32g32a32_sint, extent);
    CHECK(image.get_range() == extent && image.size() == extent.size() && image.byte_size() == extent.size() * 16);
    if constexpr (D == 2)
      CHECK(image.get_pitch() == sycl::range<1>(80));
    if constexpr (D == 3)
      CHECK(image.get_pitch() == sycl::range<2>(80, 240));
    q.submit([&](sycl::handler &h) {
      auto to = image.template get_access<sycl::int4, access_mode::write>(h);
      h.parallel_for(extent.size(), [=](sycl::id<1> i) { to.write(place(i, 0), sycl::int4(int(i[0]), int(to.size()), 0, 0)); });
    });
    auto from = image.template get_host_access<const sycl::int4>();
    for (size_t i = 0; i < extent.size(); ++i)
      CHECK(from.read(place(i, 0))[0] == int(i) && from.read(place(i, 0))[1] == int(extent.size()));
  }
  for (size_t i = 0; i < extent.size(); ++i)
    CHECK(memory[i][0] == int(i));
  sycl::sampled_image<D> image(memory.data(), image_format::r32b32g32a32_sint, nearest, extent);
  {
    sycl::buffer<int, 1> out(sampled.data(), sampled.size());
    q.submit([&](sycl::handler &h) {
      auto from = image.template get_access<sycl::int4>(h);
      sycl::accessor to(out, h);
      h.parallel_for(extent.size(), [=](sycl::id<1> i) { to[i] = from.read(place(i, 0.0f))[0]; });
    });
  }
  for (size_t i = 0; i < extent.size(); ++i)
    CHECK(sampled[i] == int(i));
  CHECK((image.template get_host_access<sycl::int4>().read(place(4, 0.0f))[0]) == 4);
}

void pitches() {
  std::vector<std::uint32_t> memory(3 * 4 * 2, 7);
  {
    sycl::unsampled_image<3> image(memory.data(), image_format::r8g8b8a8_uint, sycl::range<3>(2, 2, 2), sycl::range<2>(12, 36));
    CHECK(image.get_pitch() == sycl::range<2>(12, 36) && image.byte_size() == 72 && image.size() == 8);
    sycl::queue().submit([&](sycl::handler &h) {
      auto to = image.get_access<sycl::uint4, access_mode::write>(h);
      h.parallel_for(8, [=](sycl::id<1> i) {
        const int n = static_cast<int>(i[0]);
        to.write(sycl::int4(n & 1, n >> 1 & 1, n >> 2, 0), sycl::uint4(unsigned(n + 1), 0, 0, 0));
        to.write(sycl::int4(2, 0, 0, 0), sycl::uint4(99)); // outside: not in the padding either
        to.write(sycl::int4(0, -1, 1, 0), sycl::uint4(99));
      });
    });
  }
  const std::vector<std::uint32_t> wanted = {1, 2, 7, 3, 4, 7, 7, 7, 7, 5, 6, 7, 7, 8, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
  CHECK(memory == wanted);
}

/// Where the content goes when an image is destroyed.
void destinations() {
  const auto fill = [](sycl::unsampled_image<1> &image, unsigned value) {
    sycl::queue().submit([&](sycl::handler &h) {
      auto to = image.get_access<sycl::uint4, access_mode::write>(h, {sycl::no_init});
      h.single_task([=] { to.write(0, sycl::uint4(value)); });
    });
  };
  const auto made = [](void *host, const sycl::property_list &properties = {}) {
    return sycl::unsampled_image<1>(host, image_format::r32b32g32a32_uint, sycl::range<1>(1), properties);
  };
  sycl::uint4 host(0u), other(0u);
  { auto image = made(&host); fill(image, 1); }
  CHECK(host[3] == 1);
  { auto image = made(&host); fill(image, 3); image.set_final_data(&other); }
  CHECK(other[3] == 3);
  std::mutex mutex;
  { // with a mutex the image does not work where the program's memory is
    auto image = made(&other, {sycl::property::image::use_mutex(mutex)});
    fill(image, 2);
    image.set_write_back(false);
  }
  CHECK(other[3] == 3);
  {
    auto image = made(&host, {sycl::property::image::use_mutex(mutex)});
    CHECK(image.has_property<sycl::property::image::use_mutex>() && !image.has_property<sycl::property::image::use_host_ptr>());
    CHECK(image.get_property<sycl::property::image::use_mutex>().get_mutex_ptr() == &mutex);
    fill(image, 4);
    const std::lock_guard<std::mutex> locked(mutex);
    host = sycl::uint4(77u); // the program's own while it holds the mutex
  }
  CHECK(host[3] == 4);
  const auto owner = std::make_shared<sycl::uint4>(0u);
  {
    sycl::unsampled_image<1> image(owner, image_format::r32b32g32a32_uint, sycl::range<1>(1));
    fill(image, 5);
    CHECK(owner.use_count() > 1);
  }
  CHECK((*owner)[0] == 5 && owner.use_count() == 1);
  std::weak_ptr<sycl::uint4> expired;
  std::vector<sycl::uint4> iterated;
  {
    sycl::unsampled_image<1> image(image_format::r32b32g32a32_uint, sycl::range<1>(1)), weak(image_format::r32b32g32a32_uint, sycl::range<1>(1));
    fill(image, 6);
    fill(weak, 7);
    image.set_final_data(std::back_inserter(iterated));
    expired = std::make_shared<sycl::uint4>(0u);
    weak.set_final_data(expired);
  }
  CHECK(iterated.size() == 1 && iterated[0][2] == 6);
  {
    sycl::unsampled_image<1> image(image_format::r32b32g32a32_uint, sycl::range<1>(1));
    fill(image, 8);
    image.set_final_data(std::weak_ptr<sycl::uint4>(owner));
  }
  CHECK((*owner)[1] == 8);
  const sycl::context context = sycl::queue().get_context();
  const auto bound = made(&host, {sycl::property::image::context_bound(context)});
  CHECK(bound.get_property<sycl::property::image::context_bound>().get_context() == context);
  // A sampled image is made of what the memory holds now.
  const sycl::uint4 content(9u);
  sycl::sampled_image<1> copied(&content, image_format::r32b32g32a32_uint, nearest, sycl::range<1>(1));
  const sycl::sampled_image<1> same = copied;
  CHECK(copied.get_host_access<sycl::uint4>().read(0.5f)[1] == 9 && same == copied);
  CHECK(std::hash<sycl::sampled_image<1>>()(same) == std::hash<sycl::sampled_image<1>>()(copied));
  CHECK(copied.get_host_access<sycl::uint4>().read(1.5f)[1] == 0);
  std::shared_ptr<void> anything = owner;
  { sycl::unsampled_image<1> image(anything, image_format::r32b32g32a32_uint, sycl::range<1>(1)); fill(image, 10); }
  CHECK((*owner)[1] == 10);
  std::shared_ptr<const void> constant = std::make_shared<const sycl::uint4>(11u);
  sycl::sampled_image<1> kept(constant, image_format::r32b32g32a32_uint, nearest, sycl::range<1>(1), {sycl::property::image::use_host_ptr()});
  constant.reset();
  CHECK(kept.get_host_access<sycl::uint4>().read(0.5f)[2] == 11);
  sycl::sampled_image<1> there(&content, image_format::r32b32g32a32_uint, nearest, sycl::range<1>(1), {sycl::property::image::use_host_ptr()});
  CHECK(there.get_host_access<sycl::uint4>().read(0.5f)[2] == 9 && there != kept);
  const sycl::image_allocator allocator;
  const sycl::sampled_image<2> pitched(&host, image_format::r8g8b8a8_uint, nearest, sycl::range<2>(1, 2), sycl::range<1>(8), allocator);
  CHECK(pitched.get_pitch() == sycl::range<1>(8) && pitched.get_allocator() == allocator);
}

void host_tasks() {
  sycl::unsampled_image<2> image(image_format::r32g32b32a32_sfloat, sycl::range<2>(2, 2));
  sycl::queue q;
  q.submit([&](sycl::handler &h) {
    sycl::unsampled_image_accessor<sycl::float4, 2, access_mode::write, image_target::host_task> to(image, h);
    h.host_task([=] { to.write(sycl::int2(1, 0), sycl::float4(2.5f)); });
  });
  float got = 0;
  q.submit([&](sycl::handler &h) {
    auto from = image.get_access<sycl::float4, access_mode::read, image_target::host_task>(h);
    h.host_task([=, &got] { got = from.read(sycl::int2(1, 0))[0]; });
  });
  q.wait();
  CHECK(got == 2.5f);
  auto both = image.get_host_access<sycl::float4>();
  both.write(sycl::int2(0, 1), both.read(sycl::int2(1, 0)) + sycl::float4(1.0f));
  CHECK(both.read(sycl::int2(0, 1))[3] == 3.5f && both.size() == 4 && !both.has_property<sycl::property::no_init>());
}

void refused() {
  using sycl::range, sycl::errc;
  int memory[64] = {};
  const auto format = image_format::r8g8b8a8_sint;
  const auto invalid = [](auto f) { return throws(errc::invalid, f); };
  CHECK(invalid([&] { sycl::unsampled_image<2> image(memory, format, range<2>(4, 4), range<1>(12)); }));
  CHECK(invalid([&] { sycl::unsampled_image<2> image(memory, format, range<2>(4, 4), range<1>(0)); }));
  CHECK(invalid([&] { sycl::unsampled_image<2> image(memory, format, range<2>(4, 4), range<1>(17)); }));
  CHECK(invalid([&] { sycl::unsampled_image<3> image(memory, format, range<3>(2, 2, 2), range<2>(8, 15)); }));
  CHECK(invalid([&] { sycl::unsampled_image<3> image(memory, format, range<3>(2, 2, 2), range<2>(8, 20)); }));
  CHECK(invalid([&] { sycl::unsampled_image<3> image(memory, format, range<3>(2, 0, 2)); }));
  CHECK(invalid([&] { sycl::unsampled_image<1> image(format, range<1>(0)); }));
  CHECK(invalid([&] { sycl::unsampled_image<1> image(format, range<1>(size_t(1) << 31)); }));
  CHECK(throws(errc::memory_allocation, [&] { sycl::unsampled_image<3> image(format, range<3>(1 << 30, 1 << 30, 4)); }));
  CHECK(throws(errc::memory_allocation, [&] { sycl::unsampled_image<3> image(memory, format, range<3>(1, 1, 16), range<2>(4, size_t(1) << 60)); }));
  CHECK(invalid([&] { sycl::unsampled_image<1> image(static_cast<image_format>(11), range<1>(1)); }));
  for (addressing_mode repeating : {addressing_mode::repeat, addressing_mode::mirrored_repeat})
    CHECK(invalid([&] {
      const sycl::image_sampler sampler{repeating, coordinate_normalization_mode::unnormalized, filtering_mode::nearest};
      sycl::sampled_image<1> image(memory, format, sampler, range<1>(1));
    }));
  CHECK(invalid([&] {
    sycl::sampled_image<1> image(memory, format, {static_cast<addressing_mode>(9), nearest.coordinate, nearest.filtering}, range<1>(1));
  }));
  sycl::unsampled_image<1> image(format, range<1>(1));
  CHECK(invalid([&] { image.get_host_access<sycl::float4>(); }));
  CHECK(invalid([&] { image.get_host_access<sycl::uint4>(); }));
  CHECK(invalid([&] { image.get_host_access<const sycl::int4>({sycl::no_init}); }));
  CHECK(invalid([&] { (void)image.get_property<sycl::property::image::use_host_ptr>(); }));
  CHECK(invalid([&] { sycl::queue().submit([&](sycl::handler &h) { image.get_access<sycl::half4, access_mode::read, image_target::host_task>(h); }); }));
  CHECK(throws(errc::feature_not_supported, [] {
    sycl::image<1> one(sycl::image_channel_order::rgb, sycl::image_channel_type::fp32, range<1>(1));
  }));
  CHECK(throws(errc::feature_not_supported, [] {
    sycl::image<1> one(sycl::image_channel_order::rgba, sycl::image_channel_type::unorm_short_565, range<1>(1));
  }));
}

/// The same of an image of SYCL 1.2.1, of that order and type.
template <class T>
void check_order(sycl::image_channel_order order, sycl::image_channel_type type, const T &pixel, const std::vector<unsigned char> &bytes,
                 const T &read) {
  const auto make = [&](void *at) {
    sycl::image<1> image(at, order, type, sycl::range<1>(1));
    CHECK(image.get_size() == bytes.size() && image.get_count() == 1);
    return image;
  };
  check_texel("order", static_cast<unsigned>(order), make, pixel, bytes, read);
}

void older() {
  using order = sycl::image_channel_order;
  using type = sycl::image_channel_type;
  const sycl::uint4 one(1, 2, 3, 4);
  const auto bytes = [&](order o, const std::vector<unsigned char> &stored, const sycl::uint4 &read) {
    check_order<sycl::uint4>(o, type::unsigned_int8, one, stored, read);
  };
  bytes(order::a, {4}, {0, 0, 0, 4});
  bytes(order::r, {1}, {1, 0, 0, 1});
  bytes(order::rg, {1, 2}, {1, 2, 0, 1});
  bytes(order::ra, {1, 4}, {1, 0, 0, 4});
  bytes(order::rgba, {1, 2, 3, 4}, {1, 2, 3, 4});
  bytes(order::argb, {4, 1, 2, 3}, {1, 2, 3, 4});
  bytes(order::bgra, {3, 2, 1, 4}, {1, 2, 3, 4});
  bytes(order::abgr, {4, 3, 2, 1}, {1, 2, 3, 4});
  bytes(order::intensity, {1}, {1, 1, 1, 1});
  bytes(order::luminance, {1}, {1, 1, 1, 1});
  check_order<sycl::float4>(order::rgb, type::unorm_short_565, {1.0f, 0.0f, 1.0f, 0.5f}, {0x1F, 0xF8}, {1.0f, 0.0f, 1.0f, 1.0f});
  check_order<sycl::float4>(order::rgb, type::unorm_short_555, {1.0f, 1.0f, 0.0f, 0.5f}, {0xE0, 0x7F}, {1.0f, 1.0f, 0.0f, 1.0f});
  check_order<sycl::float4>(order::rgbx, type::unorm_int_101010, {0.0f, 1.0f, 0.0f, 0.5f}, {0, 0xFC, 0x0F, 0}, {0.0f, 1.0f, 0.0f, 1.0f});
  check_order<sycl::float4>(order::rg, type::snorm_int8, {-1.0f, 1.0f, 0.0f, 0.0f}, {0x81, 0x7F}, {-1.0f, 1.0f, 0.0f, 1.0f});
  check_order<sycl::float4>(order::r, type::snorm_int16, {-2.0f, 0.0f, 0.0f, 0.0f}, {0x00, 0x80}, {-1.0f, 0.0f, 0.0f, 1.0f});
  if (sycl::device().has(sycl::aspect::fp16))
    check_order<sycl::half4>(order::rg, type::fp16, {1.0f, 2.0f, 0.0f, 0.0f}, {0, 0x3C, 0, 0x40}, {1.0f, 2.0f, 0.0f, 1.0f});

  sycl::image<2> array(order::r, type::signed_int32, sycl::range<2>(3, 2));
  sycl::queue().submit([&](sycl::handler &h) {
    sycl::accessor<sycl::int4, 1, access_mode::write, sycl::target::image_array> to(array, h);
    h.parallel_for(6, [=](sycl::id<1> i) { to[i[0] / 3].write(int(i[0] % 3), sycl::int4(int(i[0]))); });
  });
  const sycl::accessor<sycl::int4, 2, access_mode::read, sycl::target::host_image> all(array);
  const sycl::sampler edge(coordinate_normalization_mode::unnormalized, addressing_mode::clamp_to_edge, filtering_mode::nearest);
  CHECK(all.read(sycl::int2(2, 1))[0] == 5 && all.read(sycl::float2(9.0f, 0.5f), edge)[0] == 2 && all.read(sycl::int2(-1, 1), edge)[0] == 3);
  CHECK(all.get_range() == sycl::range<2>(3, 2) && all.get_count() == 6);
  CHECK(edge.get_addressing_mode() == addressing_mode::clamp_to_edge && edge.get_filtering_mode() == filtering_mode::nearest);
  CHECK(throws(sycl::errc::invalid, [] {
    sycl::sampler(coordinate_normalization_mode::unnormalized, addressing_mode::repeat, filtering_mode::nearest);
  }));
}

void descriptors() {
  const sycl::device device;
  namespace info = sycl::info::device;
  const bool has = device.has(sycl::aspect::image);
  CHECK(has == device.get_info<info::image_support>() && has == device.has(sycl::aspect::ext_intel_legacy_image));
  // The least that the specification allows. Source: SYCL 2020 §4.6.4.4.
  CHECK(device.get_info<info::max_read_image_args>() >= (has ? 128u : 0u) && device.get_info<info::max_write_image_args>() >= (has ? 8u : 0u));
  CHECK(device.get_info<info::image2d_max_width>() >= (has ? 8192u : 0u) && device.get_info<info::image2d_max_height>() >= (has ? 8192u : 0u));
  CHECK(device.get_info<info::image3d_max_width>() >= (has ? 2048u : 0u) && device.get_info<info::image3d_max_height>() >= (has ? 2048u : 0u));
  CHECK(device.get_info<info::image3d_max_depth>() >= (has ? 2048u : 0u) && device.get_info<info::image_max_buffer_size>() >= (has ? 65536u : 0u));
  CHECK(device.get_info<info::max_samplers>() >= (has ? 16u : 0u));
}

} // namespace

int main() {
  halves();
  refused();
  host_tasks();
  descriptors();
  if (sycl::device().has(sycl::aspect::image)) {
    destinations();
    formats();
    dimensions<1>();
    dimensions<2>();
    dimensions<3>();
    pitches();
    older();
  }
  return failures != 0;
}
