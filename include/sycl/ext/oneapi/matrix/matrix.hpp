//! `joint_matrix`: small matrices that a sub-group holds together, and their product. On every device with sub-groups, for all shapes, and for
//! all types that multiply: the work-items of a sub-group share the elements and multiply by broadcasts, on NVIDIA's GPUs by tensor cores where
//! these have the shape (docs/decisions/0064). What a device is said to multiply (`info::device::matrix_combinations`) is not what it is
//! limited to. Source: sycl_ext_oneapi_matrix.
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
}
#include <sycl/detail/matrix_product.hpp>

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
  sycl::detail::matrix::share<T, Use, Rows, Cols> share_;
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
  static_assert(std::is_same_v<sycl::detail::matrix::kept<T>, std::remove_const_t<From>>, "a joint_matrix is loaded from elements of its type");
  sycl::detail::matrix::load(g, to.share_, from.get(), stride, how, sycl::detail::matrix::everything());
}
template <class Group, class T, class From, size_t Rows, size_t Cols, use Use, layout Layout, class Properties,
          std::enable_if_t<Layout != layout::dynamic, int> = 0>
void joint_matrix_load(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &to, annotated_ptr<From, Properties> from, size_t stride) {
  static_assert(std::is_same_v<sycl::detail::matrix::kept<T>, std::remove_const_t<From>>, "a joint_matrix is loaded from elements of its type");
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
  sycl::detail::matrix::multiply<Ta, Tb, Tc, Td, M, K, N>(g, d.share_, a.share_, b.share_, c.share_);
}

template <class Group, class T, size_t Rows, size_t Cols, use Use, layout Layout, class Value>
void joint_matrix_fill(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of, const Value &value) {
  of.share_.each(g, [&](auto &element, size_t, size_t) { element = static_cast<sycl::detail::matrix::kept<T>>(value); });
}

/// Converts between types and uses.
template <class Group, class From, class To, size_t Rows, size_t Cols, use UseFrom, use UseTo, layout LayoutFrom, layout LayoutTo>
void joint_matrix_copy(Group g, joint_matrix<Group, From, UseFrom, Rows, Cols, LayoutFrom> &from,
                       joint_matrix<Group, To, UseTo, Rows, Cols, LayoutTo> &to) {
  sycl::detail::matrix::copy(g, to.share_, from.share_);
}

/// `f(element)` for each element; of two matrices of one shape, `f(element, element of the other)`.
template <class Group, class T, use Use, size_t Rows, size_t Cols, layout Layout, class F>
void joint_matrix_apply(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of, F &&f) {
  of.share_.each(g, [&](auto &element, size_t, size_t) { f(element); });
}
template <class Group, class T, class Other, use Use, size_t Rows, size_t Cols, layout Layout, layout OtherLayout, class F>
void joint_matrix_apply(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of,
                        joint_matrix<Group, Other, Use, Rows, Cols, OtherLayout> &other, F &&f) {
  if constexpr (sycl::detail::matrix::lie_alike<decltype(of.share_), decltype(other.share_)>) {
    of.share_.each(g, [&, i = size_t(0)](auto &element, size_t, size_t) mutable { f(element, other.share_[i++]); });
  } else {
    // Of units that number the elements of their types differently.
    typename sycl::detail::matrix::share<T, Use, Rows, Cols>::template with<sycl::detail::matrix::kept<Other>> beside;
    sycl::detail::matrix::copy(g, beside, other.share_);
    of.share_.each(g, [&, i = size_t(0)](auto &element, size_t, size_t) mutable { f(element, beside[i++]); });
    sycl::detail::matrix::copy(g, other.share_, beside);
  }
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
