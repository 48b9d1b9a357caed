// What commands.cpp works on: random numbers, and buffers and allocated memory beside what they must hold.
#pragma once
#include <memory>
#include <optional>
#include <sycl/sycl.hpp>
#include <variant>
#include <vector>

struct random_numbers {
  unsigned long long state;
  unsigned operator()(unsigned below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return unsigned((state >> 33) % below);
  }
  bool chance(unsigned of) { return (*this)(of) == 0; }
};

// What kernels do with a value.
inline unsigned mixed(unsigned value, unsigned with) { return (value ^ (value >> 15)) * 2246822519u + with; }

template <int D> struct region {
  sycl::range<D> size;
  sycl::id<D> offset;
};

// A buffer, and what it must hold.
template <int D> struct area {
  sycl::range<D> size;
  std::vector<unsigned> model;
  std::shared_ptr<std::vector<unsigned>> host;
  std::optional<sycl::buffer<unsigned, D>> buffer;
  bool isWrittenBack = true;

  region<D> any(random_numbers &r) const {
    region<D> in{size, {}};
    if (!r.chance(3))
      for (int d = 0; d < D; ++d) {
        in.offset[d] = r(unsigned(size[d]));
        in.size[d] = 1 + r(unsigned(size[d] - in.offset[d]));
      }
    return in;
  }
  // Calls `f` with the place in the model and the place in the region.
  template <class F> void each(const region<D> &in, F f) const {
    for (size_t at = 0; at < in.size.size(); ++at) {
      size_t rest = at, place = 0, pitch = 1;
      for (int d = D - 1; d >= 0; --d) {
        place += (rest % in.size[d] + in.offset[d]) * pitch;
        rest /= in.size[d];
        pitch *= size[d];
      }
      f(place, at);
    }
  }
};
using any_area = std::variant<area<1>, area<2>, area<3>>;

// Allocated memory, what it must hold, and the commands that the next one has to wait for.
struct allocation {
  unsigned *memory;
  sycl::queue queue;
  std::vector<unsigned> model;
  std::vector<sycl::event> writes, reads;
};
