// What samplers read, in all their modes, against the same said another way: here an image goes on for ever, as its addressing mode says, and
// is sampled at a place of that. Source: OpenCL 3.0 §8.2.
//# run: aspen++ -O2 {self} -o program
//# run: ./program
//# stdout: mirrored_repeat normalized nearest: 0 of 6000 wrong
//# stdout: mirrored_repeat normalized linear: 0 of 6000 wrong
//# stdout: repeat normalized nearest: 0 of 6000 wrong
//# stdout: repeat normalized linear: 0 of 6000 wrong
//# stdout: clamp_to_edge normalized nearest: 0 of 6000 wrong
//# stdout: clamp_to_edge normalized linear: 0 of 6000 wrong
//# stdout: clamp_to_edge unnormalized nearest: 0 of 6000 wrong
//# stdout: clamp_to_edge unnormalized linear: 0 of 6000 wrong
//# stdout: clamp normalized nearest: 0 of 6000 wrong
//# stdout: clamp normalized linear: 0 of 6000 wrong
//# stdout: clamp unnormalized nearest: 0 of 6000 wrong
//# stdout: clamp unnormalized linear: 0 of 6000 wrong
//# stdout: none normalized nearest: 0 of 6000 wrong
//# stdout: none normalized linear: 0 of 6000 wrong
//# stdout: none unnormalized nearest: 0 of 6000 wrong
//# stdout: none unnormalized linear: 0 of 6000 wrong
//# stdout: integers: 0 of 2000 wrong
//# stdout: no numbers, and far away: done
#include <cmath>
#include <cstdio>
#include <sycl/sycl.hpp>

using sycl::addressing_mode, sycl::coordinate_normalization_mode, sycl::filtering_mode;

constexpr int sizes[3] = {7, 5, 3}, places = 2000;
std::vector<sycl::float4> texels(7 * 5 * 3);

/// The image's texel where the endless one has `i`, or -1 for the border.
int folded(long i, int size, addressing_mode mode) {
  switch (mode) {
  case addressing_mode::repeat:
    return static_cast<int>((i % size + size) % size);
  case addressing_mode::mirrored_repeat: {
    const long at = (i % (2 * size) + 2 * size) % (2 * size);
    return static_cast<int>(at < size ? at : 2 * size - 1 - at);
  }
  case addressing_mode::clamp:
    return i < 0 || i >= size ? -1 : static_cast<int>(i);
  default:
    return static_cast<int>(i < 0 ? 0 : i >= size ? size - 1 : i);
  }
}

double endless(int d, const long (&at)[3], addressing_mode mode, int component) {
  int index[3] = {};
  for (int k = 0; k < d; ++k)
    if ((index[k] = folded(at[k], sizes[k], mode)) < 0)
      return 0.0;
  return texels[static_cast<size_t>((index[2] * (d > 1 ? sizes[1] : 1) + index[1]) * sizes[0] + index[0])][component];
}

/// Every texel of the neighbourhood, by how near it is.
double reference(int d, const double *where, const sycl::image_sampler &how, int component) {
  double u[3] = {};
  for (int k = 0; k < d; ++k)
    u[k] = how.coordinate == coordinate_normalization_mode::normalized ? where[k] * sizes[k] : where[k];
  if (how.filtering == filtering_mode::nearest) {
    const long at[3] = {std::lround(std::floor(u[0])), std::lround(std::floor(u[1])), std::lround(std::floor(u[2]))};
    return endless(d, at, how.addressing, component);
  }
  double sum = 0;
  for (int z = d > 2 ? -2 : 0; z <= (d > 2 ? 2 : 0); ++z)
    for (int y = d > 1 ? -2 : 0; y <= (d > 1 ? 2 : 0); ++y)
      for (int x = -2; x <= 2; ++x) {
        const int step[3] = {x, y, z};
        long at[3] = {};
        double weight = 1;
        for (int k = 0; k < d; ++k) {
          at[k] = std::lround(std::floor(u[k])) + step[k];
          weight *= std::fmax(0.0, 1 - std::fabs(u[k] - (static_cast<double>(at[k]) + 0.5)));
        }
        sum += weight == 0 ? 0 : weight * endless(d, at, how.addressing, component);
      }
  return sum;
}

/// Odd counts of 128ths of the image or of a texel: floats hold them and their products with sizes, and none lies on an edge of a texel.
std::vector<sycl::float4> coordinates(const sycl::image_sampler &how) {
  const bool normalized = how.coordinate == coordinate_normalization_mode::normalized, inside = how.addressing == addressing_mode::none;
  const bool repeats = how.addressing == addressing_mode::repeat || how.addressing == addressing_mode::mirrored_repeat;
  unsigned random = 12345;
  std::vector<sycl::float4> out(places);
  for (sycl::float4 &one : out)
    for (int k = 0; k < 3; ++k) {
      random = random * 1664525 + 1013904223;
      const int images = inside ? 1 : repeats ? 5 : 2, range = 64 * images * (normalized ? 1 : sizes[k]);
      const int count = static_cast<int>(random >> 8) % range - (inside ? 0 : repeats ? range * 2 / 5 : range / 4);
      one[k] = static_cast<float>(2 * count + 1) / 128.0f;
    }
  return out;
}

template <int D> int wrong(sycl::queue &q, const sycl::image_sampler &how) {
  sycl::range<D> extent;
  for (int k = 0; k < D; ++k)
    extent[k] = static_cast<size_t>(sizes[k]);
  const std::vector<sycl::float4> where = coordinates(how);
  std::vector<sycl::float4> got(where.size());
  {
    sycl::sampled_image<D> image(texels.data(), sycl::image_format::r32g32b32a32_sfloat, how, extent);
    sycl::buffer<sycl::float4, 1> at(where), out(got.data(), got.size());
    q.submit([&](sycl::handler &h) {
      auto from = image.template get_access<sycl::float4>(h);
      sycl::accessor place(at, h, sycl::read_only);
      sycl::accessor to(out, h, sycl::write_only);
      h.parallel_for(where.size(), [=](sycl::id<1> i) {
        if constexpr (D == 1)
          to[i] = from.read(place[i][0]);
        else if constexpr (D == 2)
          to[i] = from.read(sycl::float2(place[i][0], place[i][1]));
        else
          to[i] = from.read(place[i]);
      });
    });
  }
  int count = 0;
  for (size_t i = 0; i < where.size(); ++i) {
    const double s[3] = {where[i][0], where[i][1], where[i][2]};
    bool right = true;
    for (int c = 0; c < 4; ++c) {
      const double wanted = reference(D, s, how, c);
      right &= how.filtering == filtering_mode::nearest ? got[i][c] == wanted : std::fabs(got[i][c] - wanted) < 2e-4;
    }
    count += !right;
  }
  return count;
}

/// A blend of integers is the nearest integer.
int wrong_integers(sycl::queue &q) {
  const sycl::image_sampler how{addressing_mode::repeat, coordinate_normalization_mode::normalized, filtering_mode::linear};
  std::vector<signed char> bytes;
  for (int i = 0; i < 7; ++i)
    for (int c = 0; c < 4; ++c)
      bytes.push_back(static_cast<signed char>(texels[static_cast<size_t>(i)][c] = static_cast<float>((i * 37 + c * 11) % 200 - 100)));
  const std::vector<sycl::float4> where = coordinates(how);
  std::vector<sycl::int4> got(where.size());
  {
    sycl::sampled_image<1> image(bytes.data(), sycl::image_format::r8g8b8a8_sint, how, sycl::range<1>(7));
    sycl::buffer<sycl::float4, 1> at(where);
    sycl::buffer<sycl::int4, 1> out(got.data(), got.size());
    q.submit([&](sycl::handler &h) {
      auto from = image.get_access<sycl::int4>(h);
      sycl::accessor place(at, h, sycl::read_only);
      sycl::accessor to(out, h, sycl::write_only);
      h.parallel_for(where.size(), [=](sycl::id<1> i) { to[i] = from.read(place[i][0]); });
    });
  }
  int count = 0;
  for (size_t i = 0; i < where.size(); ++i)
    for (int c = 0; c < 4; ++c) {
      const double s = where[i][0];
      if (std::fabs(got[i][c] - reference(1, &s, how, c)) > 0.5001) {
        ++count;
        break;
      }
    }
  return count;
}

int main() {
  sycl::queue q;
  unsigned random = 1;
  for (sycl::float4 &texel : texels)
    for (int c = 0; c < 4; ++c)
      texel[c] = static_cast<float>((random = random * 1664525 + 1013904223) >> 20) / 16.0f;
  const struct {
    addressing_mode mode;
    const char *name;
  } modes[] = {{addressing_mode::mirrored_repeat, "mirrored_repeat"},
               {addressing_mode::repeat, "repeat"},
               {addressing_mode::clamp_to_edge, "clamp_to_edge"},
               {addressing_mode::clamp, "clamp"},
               {addressing_mode::none, "none"}};
  for (const auto &[mode, name] : modes)
    for (auto coordinate : {coordinate_normalization_mode::normalized, coordinate_normalization_mode::unnormalized}) {
      const bool normalized = coordinate == coordinate_normalization_mode::normalized;
      if (!normalized && (mode == addressing_mode::repeat || mode == addressing_mode::mirrored_repeat))
        continue;
      for (auto filtering : {filtering_mode::nearest, filtering_mode::linear}) {
        const sycl::image_sampler how{mode, coordinate, filtering};
        std::printf("%s %snormalized %s: %d of %d wrong\n", name, normalized ? "" : "un", filtering == filtering_mode::nearest ? "nearest" : "linear",
                    wrong<1>(q, how) + wrong<2>(q, how) + wrong<3>(q, how), 3 * places);
      }
    }
  std::printf("integers: %d of %d wrong\n", wrong_integers(q), places);
  // Any colour, but no memory outside of the image.
  for (const auto &[mode, name] : modes)
    for (auto filtering : {filtering_mode::nearest, filtering_mode::linear}) {
      const sycl::image_sampler how{mode, coordinate_normalization_mode::normalized, filtering};
      sycl::sampled_image<1> image(texels.data(), sycl::image_format::r32g32b32a32_sfloat, how, sycl::range<1>(7));
      float *const far = sycl::malloc_shared<float>(5, q);
      const float values[5] = {__builtin_nanf(""), __builtin_inff(), -__builtin_inff(), 3e38f, -3e38f};
      std::copy(values, values + 5, far);
      q.submit([&](sycl::handler &h) {
         auto from = image.get_access<sycl::float4>(h);
         h.parallel_for(5, [=](sycl::id<1> i) { far[i] = from.read(far[i])[0]; });
       }).wait();
      sycl::free(far, q);
    }
  std::puts("no numbers, and far away: done");
}
