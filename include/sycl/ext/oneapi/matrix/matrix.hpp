//! `joint_matrix`: small matrices that a sub-group holds together, and their product. On every device with sub-groups, for all shapes, and for
//! all types that multiply: the work-items of a sub-group share the elements and multiply by broadcasts; what a device is said to
//! multiply (`info::device::matrix_combinations`) is not what it is limited to. Source: sycl_ext_oneapi_matrix.
#pragma once
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp>
#include <sycl/ext/oneapi/experimental/prefetch.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/sub_group.hpp>

#define SYCL_EXT_ONEAPI_MATRIX 1

namespace sycl::ext::oneapi::experimental::matrix {

enum class use { a, b, accumulator };
/// Of the memory. `ext_intel_packed` has 4 bytes of a column side by side (VNNI).
enum class layout { row_major = 0, col_major = 1, ext_intel_packed = 2, dynamic = 3 };

namespace precision {
/// A float of which the multiplication may take 10 bits of the mantissa.
class tf32 {
  tf32() = delete;
};
} // namespace precision

} // namespace sycl::ext::oneapi::experimental::matrix

namespace sycl::detail::matrix {

using ext::oneapi::experimental::matrix::layout, ext::oneapi::experimental::matrix::use;

/// How an element is kept, and what sums of products are computed in.
template <class T> using kept = std::conditional_t<std::is_same_v<T, ext::oneapi::experimental::matrix::precision::tf32>, float, T>;
template <class T>
using summed = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, ext::oneapi::bfloat16>, float,
                                  std::conditional_t<(std::is_integral_v<T> && sizeof(T) < sizeof(int)), int, T>>;

/// Work-items that a sub-group has at least: NVIDIA's and AMD's have that many, Aspen's CPU device and Intel's have 4 or more.
#if defined(__ASPEN_PTX__) || defined(__ASPEN_AMDGCN__)
inline constexpr size_t smallest_sub_group = 32;
#else
inline constexpr size_t smallest_sub_group = 4;
#endif

/// Where an element lies in memory: `line` times the stride, and `place` behind it.
struct position {
  size_t line, place;
};
constexpr position position_of(layout how, size_t row, size_t col, size_t bytes) {
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
template <class T, size_t Rows, size_t Cols> class share {
public:
  static constexpr size_t most_turns = (Cols + smallest_sub_group - 1) / smallest_sub_group;
  T &at(size_t row, size_t turn) { return values_[turn * Rows + row]; }
  const T &at(size_t row, size_t turn) const { return values_[turn * Rows + row]; }

  /// `visit(element, row, column)` for each.
  template <class Visit> void each(const sub_group &of, Visit visit) { each_of(*this, of, visit); }
  template <class Visit> void each(const sub_group &of, Visit visit) const { each_of(*this, of, visit); }
  size_t size(const sub_group &of) const {
    const size_t me = of.get_local_linear_id(), width = of.get_max_local_range()[0];
    return me < Cols ? ((Cols - me + width - 1) / width) * Rows : 0;
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

/// The part of a matrix in memory that may be touched, from where, and what it is beyond.
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
  to.each(of, [&](auto &element, size_t row, size_t col) {
    const position at = within.shifted(position_of(how, row, col, sizeof(element)));
    element = within.has(at.line, at.place) ? static_cast<std::remove_reference_t<decltype(element)>>(from[at.line * stride + at.place])
                                            : std::remove_reference_t<decltype(element)>(0);
  });
}

template <class Share, class T, class Bounds>
void store(const sub_group &of, const Share &from, T *to, size_t stride, layout how, const Bounds &within) {
  from.each(of, [&](const auto &element, size_t row, size_t col) {
    const position at = within.shifted(position_of(how, row, col, sizeof(element)));
    if (within.has(at.line, at.place))
      to[at.line * stride + at.place] = static_cast<std::remove_reference_t<decltype(to[0])>>(element);
  });
}

/// d = a * b + c: a column of A after the other goes to all work-items, which have their columns of B and of the sum.
template <class Sum, size_t M, size_t K, size_t N, class Td, class Ta, class Tb, class Tc>
void multiply(const sub_group &of, share<Td, M, N> &d, const share<Ta, M, K> &a, const share<Tb, K, N> &b, const share<Tc, M, N> &c) {
  const size_t width = of.get_max_local_range()[0];
#if defined(__ASPEN_NATIVE_CPU__)
  // They read each other's memory, while all wait for each other.
  typedef const share<Ta, M, K> *pointer;
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
  constexpr size_t turns = share<Td, M, N>::most_turns;
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

} // namespace sycl::detail::matrix

namespace sycl::ext::oneapi::experimental::matrix {

/// A matrix of `Rows` by `Cols` elements that a sub-group holds. All work-items of the sub-group make it and call the functions below
/// together. `precision::tf32` is kept as float.
template <class Group, class T, use Use, size_t Rows, size_t Cols, layout Layout = layout::dynamic> struct joint_matrix {
  static_assert(std::is_same_v<Group, sub_group>, "a joint_matrix belongs to a sycl::sub_group");
  static_assert(Rows > 0 && Cols > 0, "a joint_matrix has rows and columns");
  static_assert((Use == use::accumulator) == (Layout == layout::dynamic),
                "an accumulator has no layout of its own (layout::dynamic), and the matrices a and b name theirs");

  joint_matrix() {}
  joint_matrix(const joint_matrix &) = delete;
  joint_matrix &operator=(const joint_matrix &) = delete;

  /// For the library.
  using share_type = sycl::detail::matrix::share<sycl::detail::matrix::kept<T>, Rows, Cols>;
  share_type share_;
};

/// Reads the whole matrix. `stride`: elements from one row (column, if `how` is col_major) to the next.
template <class Group, class T, class From, size_t Rows, size_t Cols, access::address_space Space, access::decorated Decorated>
void joint_matrix_load(Group g, joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &to, multi_ptr<From, Space, Decorated> from,
                       size_t stride, layout how) {
  static_assert(std::is_same_v<sycl::detail::matrix::kept<T>, std::remove_const_t<From>>, "a joint_matrix is loaded from elements of its type");
  sycl::detail::matrix::load(g, to.share_, from.get(), stride, how, sycl::detail::matrix::everything());
}
template <class Group, class T, class From, size_t Rows, size_t Cols, use Use, layout Layout, access::address_space Space,
          access::decorated Decorated, std::enable_if_t<Layout != layout::dynamic, int> = 0>
void joint_matrix_load(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &to, multi_ptr<From, Space, Decorated> from, size_t stride) {
  static_assert(std::is_same_v<sycl::detail::matrix::kept<T>, std::remove_const_t<From>>, "a joint_matrix is loaded from elements of its type");
  sycl::detail::matrix::load(g, to.share_, from.get(), stride, Layout, sycl::detail::matrix::everything());
}
template <class Group, class T, class From, size_t Rows, size_t Cols, class Properties>
void joint_matrix_load(Group g, joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &to, annotated_ptr<From, Properties> from,
                       size_t stride, layout how) {
  sycl::detail::matrix::load(g, to.share_, from.get(), stride, how, sycl::detail::matrix::everything());
}
template <class Group, class T, class From, size_t Rows, size_t Cols, use Use, layout Layout, class Properties,
          std::enable_if_t<Layout != layout::dynamic, int> = 0>
void joint_matrix_load(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &to, annotated_ptr<From, Properties> from, size_t stride) {
  sycl::detail::matrix::load(g, to.share_, from.get(), stride, Layout, sycl::detail::matrix::everything());
}

template <class Group, class T, class To, size_t Rows, size_t Cols, access::address_space Space, access::decorated Decorated>
void joint_matrix_store(Group g, const joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &from,
                        multi_ptr<To, Space, Decorated> to, size_t stride, layout how) {
  sycl::detail::matrix::store(g, from.share_, to.get(), stride, how, sycl::detail::matrix::everything());
}
template <class Group, class T, class To, size_t Rows, size_t Cols, class Properties>
void joint_matrix_store(Group g, const joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &from,
                        annotated_ptr<To, Properties> to, size_t stride, layout how) {
  sycl::detail::matrix::store(g, from.share_, to.get(), stride, how, sycl::detail::matrix::everything());
}

/// d = a * b + c. Products of half and bfloat16 are summed in float, those of small integers in the type of `c`.
template <class Group, class Ta, class Tb, class Tc, class Td, size_t M, size_t K, size_t N, layout LayoutA, layout LayoutB>
void joint_matrix_mad(Group g, joint_matrix<Group, Td, use::accumulator, M, N, layout::dynamic> &d,
                      const joint_matrix<Group, Ta, use::a, M, K, LayoutA> &a, const joint_matrix<Group, Tb, use::b, K, N, LayoutB> &b,
                      const joint_matrix<Group, Tc, use::accumulator, M, N, layout::dynamic> &c) {
  namespace here = sycl::detail::matrix;
  here::multiply<here::summed<here::kept<Tc>>, M, K, N>(g, d.share_, a.share_, b.share_, c.share_);
}

template <class Group, class T, size_t Rows, size_t Cols, use Use, layout Layout, class Value>
void joint_matrix_fill(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of, const Value &value) {
  of.share_.each(g, [&](auto &element, size_t, size_t) { element = static_cast<sycl::detail::matrix::kept<T>>(value); });
}

/// Converts between types and uses.
template <class Group, class From, class To, size_t Rows, size_t Cols, use UseFrom, use UseTo, layout LayoutFrom, layout LayoutTo>
void joint_matrix_copy(Group g, joint_matrix<Group, From, UseFrom, Rows, Cols, LayoutFrom> &from,
                       joint_matrix<Group, To, UseTo, Rows, Cols, LayoutTo> &to) {
  // The work-items have the same elements of both, in one order.
  const size_t width = g.get_max_local_range()[0];
  to.share_.each(g, [&](auto &element, size_t row, size_t col) {
    element = static_cast<sycl::detail::matrix::kept<To>>(from.share_.at(row, col / width));
  });
}

/// `f(element)` for each element; of two matrices of one shape, `f(element, element of the other)`.
template <class Group, class T, use Use, size_t Rows, size_t Cols, layout Layout, class F>
void joint_matrix_apply(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of, F &&f) {
  of.share_.each(g, [&](auto &element, size_t, size_t) { f(element); });
}
template <class Group, class T, class Other, use Use, use OtherUse, size_t Rows, size_t Cols, layout Layout, layout OtherLayout, class F>
void joint_matrix_apply(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of,
                        joint_matrix<Group, Other, OtherUse, Rows, Cols, OtherLayout> &other, F &&f) {
  const size_t width = g.get_max_local_range()[0];
  of.share_.each(g, [&](auto &element, size_t row, size_t col) { f(element, other.share_.at(row, col / width)); });
}

/// A hint: each work-item fetches rows (columns, if `how` is col_major).
template <size_t Rows, size_t Cols, class Group, class T, class Properties = empty_properties_t>
void joint_matrix_prefetch(Group g, T *from, size_t stride, layout how, Properties properties = {}) {
  for (size_t i = g.get_local_linear_id(); i < (how == layout::col_major ? Cols : Rows); i += g.get_max_local_range()[0])
    prefetch(from + i * stride, properties);
}

/// To the nearest of 10 bits, ties to even.
inline float round_to_tf32(float value) {
  std::uint32_t bits = sycl::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000u) != 0x7f800000u)
    bits += 0xfffu + ((bits >> 13) & 1u);
  return sycl::bit_cast<float>(bits & ~0x1fffu);
}

} // namespace sycl::ext::oneapi::experimental::matrix

#include <sycl/ext/oneapi/matrix/matrix-intel.hpp>
#include <sycl/ext/oneapi/matrix/query-types.hpp>
#include <sycl/ext/oneapi/matrix/static-query-use.hpp>
