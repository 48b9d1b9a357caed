//! `a[i][j][k]` for accessors of two and three dimensions.
#pragma once
#include <sycl/range.hpp>

namespace sycl::detail {

/// A row (or plane) picked by one index: `Left` indices are still to come, of an accessor with `D` dimensions.
template <class T, int D, int Left> class element_row {
public:
  element_row(T *at, const range<D> &memory) : at_(at), memory_(memory) {}
  decltype(auto) operator[](size_t index) const {
    size_t stride = 1;
    for (int d = D - Left + 1; d < D; ++d)
      stride *= memory_[d];
    if constexpr (Left == 1)
      return static_cast<T &>(at_[index]);
    else
      return element_row<T, D, Left - 1>(at_ + index * stride, memory_);
  }

private:
  T *at_;
  range<D> memory_;
};

/// What an index may be: a number or something that turns into one, but no id (that is the other operator's).
template <class I, int D>
inline constexpr bool is_plain_index = std::is_convertible_v<I, size_t> && !std::is_base_of_v<id<D>, std::decay_t<I>>;

} // namespace sycl::detail
