//! How a sub-group holds a joint matrix, and multiplies. Work-items have whole columns; on NVIDIA's GPUs from 8.0 on, matrices of the shapes that
//! tensor cores multiply lie as those want them. Included by <sycl/ext/oneapi/matrix/matrix.hpp> alone. Source: sycl_ext_oneapi_matrix;
//! PTX ISA, "Matrix multiply-accumulate operation using mma instruction".
#pragma once

namespace sycl::detail::matrix {

/// How an element is kept, and what sums of products are computed in.
template <class T> using kept = std::conditional_t<std::is_same_v<T, ext::oneapi::experimental::matrix::precision::tf32>, float, T>;
template <class T> inline constexpr bool is_short_float = std::is_same_v<T, half> || std::is_same_v<T, ext::oneapi::bfloat16>;
template <class T>
using summed = std::conditional_t<is_short_float<T>, float, std::conditional_t<(std::is_integral_v<T> && sizeof(T) < sizeof(int)), int, kept<T>>>;

/// Work-items that a sub-group has at least: NVIDIA's and AMD's have that many, Aspen's CPU device and Intel's have 4 or more.
#if defined(__ASPEN_PTX__) || defined(__ASPEN_AMDGCN__)
inline constexpr size_t smallest_sub_group = 32;
#else
inline constexpr size_t smallest_sub_group = 4;
#endif

/// Of a matrix, a row and a column; in memory, `line` times the stride and `place` behind it.
struct position {
  size_t line, place;
};
constexpr position place_in_memory(layout how, size_t row, size_t col, size_t bytes) {
  const size_t packed = bytes < 4 ? 4 / bytes : 1;
  switch (how) {
  case layout::col_major:
    return {col, row};
  case layout::ext_intel_packed:
    return {row / packed, col * packed + row % packed};
  default:
    return {row, col};
  }
}

/// A work-item's elements. That with number `i` of a sub-group of `n` has the columns i, i + n, …; each whole, and at turn t that of number
/// i + t * n.
template <class T, size_t Rows, size_t Cols> class columns {
public:
  using value_type = T;
  template <class U> using with = columns<U, Rows, Cols>;
  static constexpr size_t most_turns = (Cols + smallest_sub_group - 1) / smallest_sub_group;
  T &at(size_t row, size_t turn) { return values_[turn * Rows + row]; }
  const T &at(size_t row, size_t turn) const { return values_[turn * Rows + row]; }

  T &operator[](size_t i) { return values_[i]; }
  size_t size(const sub_group &of) const {
    const size_t me = of.get_local_linear_id(), width = of.get_max_local_range()[0];
    return me < Cols ? ((Cols - me + width - 1) / width) * Rows : 0;
  }
  position position_of(const sub_group &of, size_t i) const {
    return {i % Rows, i / Rows * of.get_max_local_range()[0] + of.get_local_linear_id()};
  }
  /// `visit(element, row, column)` for each, in the order of their numbers.
  template <class Visit> void each(const sub_group &of, Visit visit) { each_of(*this, of, visit); }
  template <class Visit> void each(const sub_group &of, Visit visit) const { each_of(*this, of, visit); }

  /// The element in any place, which may be another one for each work-item. All of the sub-group ask together.
  T value_at(const sub_group &of, size_t row, size_t col) const {
    const size_t width = of.get_max_local_range()[0];
    T out{};
    for (size_t turn = 0; turn < most_turns; ++turn)
      for (size_t r = 0; r < Rows; ++r) {
        const T there = select_from_group(of, at(r, turn), col % width);
        if (r == row && turn == col / width)
          out = there;
      }
    return out;
  }

private:
  template <class Self, class Visit> static void each_of(Self &self, const sub_group &of, Visit &visit) {
    const size_t me = of.get_local_linear_id(), width = of.get_max_local_range()[0];
    for (size_t turn = 0; turn < most_turns && turn * width < Cols; ++turn)
      if (const size_t col = turn * width + me; col < Cols)
        for (size_t row = 0; row < Rows; ++row)
          visit(self.at(row, turn), row, col);
  }

  T values_[Rows * most_turns];
};

} // namespace sycl::detail::matrix

#if defined(__ASPEN_PTX__) && __SYCL_CUDA_ARCH__ >= 800
#define __ASPEN_MATRIX_UNIT__ 1
#include <sycl/detail/ptx_matrix.hpp>
#else
namespace sycl::detail::matrix {
template <class T, use, size_t Rows, size_t Cols> using share = columns<kept<T>, Rows, Cols>;
template <class Ta, class Tb, class Tc, class Td, size_t M, size_t N, size_t K> inline constexpr bool is_of_unit = false;
} // namespace sycl::detail::matrix
#endif

namespace sycl::detail::matrix {

template <class Share> inline constexpr bool is_columns = false;
template <class T, size_t Rows, size_t Cols> inline constexpr bool is_columns<columns<T, Rows, Cols>> = true;
/// Whether two shares have the same elements in the same order.
template <class A, class B> inline constexpr bool lie_alike = std::is_same_v<A, typename B::template with<typename A::value_type>>;

template <class To, class From> void copy(const sub_group &of, To &to, From &from) {
  if constexpr (lie_alike<To, From>) {
    to.each(of, [&, i = size_t(0)](auto &element, size_t, size_t) mutable { element = static_cast<typename To::value_type>(from[i++]); });
  } else {
    to.each(of, [&](auto &element, size_t row, size_t col) { element = static_cast<typename To::value_type>(from.value_at(of, row, col)); });
  }
}

/// The part of a matrix in memory that may be touched, and from where.
struct everything {
  constexpr bool has(size_t, size_t) const { return true; }
  constexpr position shifted(position at) const { return at; }
};
struct bounds {
  size_t height, width, line, place;
  constexpr bool has(size_t at_line, size_t at_place) const { return at_line < height && at_place < width; }
  constexpr position shifted(position at) const { return {at.line + line, at.place + place}; }
};

template <class Share, class T, class Bounds>
void load(const sub_group &of, Share &to, T *from, size_t stride, layout how, const Bounds &within) {
#if defined(__ASPEN_MATRIX_UNIT__)
  if constexpr (std::is_same_v<Bounds, everything> && !is_columns<Share>)
    if (to.load_together(of, (const typename Share::value_type *)from, stride, how))
      return;
#endif
  to.each(of, [&](auto &element, size_t row, size_t col) {
    const position at = within.shifted(place_in_memory(how, row, col, sizeof(element)));
    element = within.has(at.line, at.place) ? static_cast<typename Share::value_type>(from[at.line * stride + at.place])
                                            : typename Share::value_type(0);
  });
}

template <class Share, class T, class Bounds>
void store(const sub_group &of, const Share &from, T *to, size_t stride, layout how, const Bounds &within) {
#if defined(__ASPEN_MATRIX_UNIT__)
  if constexpr (std::is_same_v<Bounds, everything> && !is_columns<Share> && std::is_same_v<T, typename Share::value_type>)
    if (from.store_together(of, (T *)to, stride, how))
      return;
#endif
  from.each(of, [&](const auto &element, size_t row, size_t col) {
    const position at = within.shifted(place_in_memory(how, row, col, sizeof(element)));
    if (within.has(at.line, at.place))
      to[at.line * stride + at.place] = static_cast<std::remove_reference_t<decltype(to[0])>>(element);
  });
}

/// d = a * b + c: a column of A after the other goes to all work-items, which have their columns of B and of the sum.
template <class Sum, size_t M, size_t K, size_t N, class Td, class Ta, class Tb, class Tc>
void multiply_columns(const sub_group &of, columns<Td, M, N> &d, const columns<Ta, M, K> &a, const columns<Tb, K, N> &b,
                      const columns<Tc, M, N> &c) {
  const size_t width = of.get_max_local_range()[0];
#if defined(__ASPEN_NATIVE_CPU__)
  // They read each other's memory, while all wait for each other.
  typedef const columns<Ta, M, K> *pointer;
  const slots<pointer> of_all = values_of<pointer>(of);
  of_all.set(of.get_local_linear_id(), &a);
  slots_of<sub_group>::wait(of.work_item_());
  for (size_t turn = 0; turn * width + of.get_local_linear_id() < N; ++turn) {
    Sum sums[M];
    for (size_t m = 0; m < M; ++m)
      sums[m] = static_cast<Sum>(c.at(m, turn));
    for (size_t k = 0; k < K && k < of.get_local_linear_range(); ++k) {
      if (is_gone(of, k))
        continue;
      const pointer column = of_all[static_cast<std::ptrdiff_t>(k)];
      for (size_t round = 0; k + round * width < K; ++round) {
        const Sum right = static_cast<Sum>(b.at(k + round * width, turn));
        for (size_t m = 0; m < M; ++m)
          sums[m] += static_cast<Sum>(column->at(m, round)) * right;
      }
    }
    for (size_t m = 0; m < M; ++m)
      d.at(m, turn) = static_cast<Td>(sums[m]);
  }
  slots_of<sub_group>::wait(of.work_item_());
#else
  constexpr size_t turns = columns<Td, M, N>::most_turns;
  Sum sums[M * turns];
  for (size_t turn = 0; turn < turns && turn * width < N; ++turn)
    for (size_t m = 0; m < M; ++m)
      sums[turn * M + m] = static_cast<Sum>(c.at(m, turn));
  for (size_t k = 0; k < K; ++k)
    for (size_t m = 0; m < M; ++m) {
      const Sum left = static_cast<Sum>(group_broadcast(of, a.at(m, k / width), static_cast<sub_group::linear_id_type>(k % width)));
      for (size_t turn = 0; turn < turns && turn * width < N; ++turn)
        sums[turn * M + m] += left * static_cast<Sum>(b.at(k, turn));
    }
  for (size_t turn = 0; turn < turns && turn * width < N; ++turn)
    for (size_t m = 0; m < M; ++m)
      d.at(m, turn) = static_cast<Td>(sums[turn * M + m]);
#endif
}

/// The columns of what lies otherwise.
template <size_t Rows, size_t Cols, class Share> auto in_columns(const sub_group &of, const Share &from) {
  columns<typename Share::value_type, Rows, Cols> out;
  const size_t me = of.get_local_linear_id(), width = of.get_max_local_range()[0];
  for (size_t turn = 0; turn < out.most_turns; ++turn)
    for (size_t row = 0; row < Rows; ++row) {
      const size_t col = turn * width + me;
      out.at(row, turn) = from.value_at(of, row, col < Cols ? col : 0);
    }
  return out;
}
template <size_t Rows, size_t Cols, class T> const columns<T, Rows, Cols> &in_columns(const sub_group &, const columns<T, Rows, Cols> &from) {
  return from;
}

template <class Ta, class Tb, class Tc, class Td, size_t M, size_t K, size_t N, class D, class A, class B, class C>
void multiply(const sub_group &of, D &d, const A &a, const B &b, const C &c) {
  using Sum = summed<Tc>;
  if constexpr (is_of_unit<Ta, Tb, Tc, Td, M, N, K>) {
    multiply_in_unit<Ta, Tb, Sum, M, N, K>(d, a, b, c);
  } else if constexpr (is_columns<D>) {
    multiply_columns<Sum, M, K, N>(of, d, in_columns<M, K>(of, a), in_columns<K, N>(of, b), in_columns<M, N>(of, c));
  } else {
    columns<typename D::value_type, M, N> out;
    multiply_columns<Sum, M, K, N>(of, out, in_columns<M, K>(of, a), in_columns<K, N>(of, b), in_columns<M, N>(of, c));
    copy(of, d, out);
  }
}

} // namespace sycl::detail::matrix
