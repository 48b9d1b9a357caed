//! What Intel adds to `joint_matrix`: elements with their coordinates, matrices a and b that are stored, bounds that are checked. Kernels that use
//! it need `aspect::ext_intel_matrix`. Source: sycl_ext_intel_matrix.
#pragma once
#include <sycl/aspects.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <tuple>

#define SYCL_EXT_INTEL_MATRIX 1

namespace sycl::ext::intel::experimental::matrix {

using ext::oneapi::experimental::annotated_ptr;
using ext::oneapi::experimental::matrix::joint_matrix, ext::oneapi::experimental::matrix::layout, ext::oneapi::experimental::matrix::use;
using ext::oneapi::experimental::matrix::joint_matrix_load, ext::oneapi::experimental::matrix::joint_matrix_fill,
    ext::oneapi::experimental::matrix::joint_matrix_mad, ext::oneapi::experimental::matrix::joint_matrix_copy;

#define __ASPEN_INTEL_MATRIX [[__sycl_detail__::__uses_aspects__(aspect::ext_intel_matrix)]]

/// `f(element, row, column)` for each element.
template <class Group, class T, use Use, size_t Rows, size_t Cols, layout Layout, class F>
__ASPEN_INTEL_MATRIX void joint_matrix_apply(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of, F &&f) {
  of.share_.each(g, f);
}

template <class Group, class T, class To, use Use, size_t Rows, size_t Cols, layout Layout, access::address_space Space,
          access::decorated Decorated, std::enable_if_t<Use != use::accumulator, int> = 0>
__ASPEN_INTEL_MATRIX void joint_matrix_store(Group g, const joint_matrix<Group, T, Use, Rows, Cols, Layout> &from,
                                             multi_ptr<To, Space, Decorated> to, size_t stride) {
  sycl::detail::matrix::store(g, from.share_, to.get(), stride, Layout, sycl::detail::matrix::everything());
}
template <class Group, class T, class To, use Use, size_t Rows, size_t Cols, layout Layout, class Properties,
          std::enable_if_t<Use != use::accumulator, int> = 0>
__ASPEN_INTEL_MATRIX void joint_matrix_store(Group g, const joint_matrix<Group, T, Use, Rows, Cols, Layout> &from,
                                             annotated_ptr<To, Properties> to, size_t stride) {
  sycl::detail::matrix::store(g, from.share_, to.get(), stride, Layout, sycl::detail::matrix::everything());
}

/// Elements of rows and columns from `row` and `col` on that `height` rows and `width` columns have no longer become 0.
template <class Group, class T, use Use, size_t Rows, size_t Cols, layout Layout, class Value>
__ASPEN_INTEL_MATRIX void joint_matrix_fill_checked(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of, const Value &value,
                                                    size_t height, size_t width, size_t row, size_t col) {
  of.share_.each(g, [&](auto &element, size_t r, size_t c) {
    const bool within = row + r < height && col + c < width;
    element = within ? static_cast<sycl::detail::matrix::kept<T>>(value) : sycl::detail::matrix::kept<T>(0);
  });
}

/// Of a matrix of `height` lines of `width` elements as they lie in memory, from line `line` and place `place` on; what is beyond is 0 in
/// the joint matrix, and not stored.
#define __ASPEN_CHECKED(pointer_parameters, pointer)                                                                                      \
  template <class Group, class T, class Memory, size_t Rows, size_t Cols, pointer_parameters>                                              \
  __ASPEN_INTEL_MATRIX void joint_matrix_load_checked(Group g, joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &to,    \
                                                      pointer from, size_t stride, layout how, size_t height, size_t width, size_t line,   \
                                                      size_t place) {                                                                      \
    sycl::detail::matrix::load(g, to.share_, from.get(), stride, how, sycl::detail::matrix::bounds{height, width, line, place});           \
  }                                                                                                                                        \
  template <class Group, class T, class Memory, size_t Rows, size_t Cols, use Use, layout Layout, pointer_parameters,                      \
            std::enable_if_t<Layout != layout::dynamic, int> = 0>                                                                          \
  __ASPEN_INTEL_MATRIX void joint_matrix_load_checked(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &to, pointer from,            \
                                                      size_t stride, size_t height, size_t width, size_t line, size_t place) {             \
    sycl::detail::matrix::load(g, to.share_, from.get(), stride, Layout, sycl::detail::matrix::bounds{height, width, line, place});        \
  }                                                                                                                                        \
  template <class Group, class T, class Memory, size_t Rows, size_t Cols, pointer_parameters>                                              \
  __ASPEN_INTEL_MATRIX void joint_matrix_store_checked(                                                                                    \
      Group g, const joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &from, pointer to, size_t stride, layout how,   \
      size_t height, size_t width, size_t line, size_t place) {                                                                            \
    sycl::detail::matrix::store(g, from.share_, to.get(), stride, how, sycl::detail::matrix::bounds{height, width, line, place});          \
  }                                                                                                                                        \
  template <class Group, class T, class Memory, size_t Rows, size_t Cols, use Use, layout Layout, pointer_parameters,                      \
            std::enable_if_t<Layout != layout::dynamic, int> = 0>                                                                          \
  __ASPEN_INTEL_MATRIX void joint_matrix_store_checked(Group g, const joint_matrix<Group, T, Use, Rows, Cols, Layout> &from, pointer to,     \
                                                       size_t stride, size_t height, size_t width, size_t line, size_t place) {            \
    sycl::detail::matrix::store(g, from.share_, to.get(), stride, Layout, sycl::detail::matrix::bounds{height, width, line, place});       \
  }
#define __ASPEN_TWO_PARAMETERS access::address_space Space, access::decorated Decorated
#define __ASPEN_TWO_ARGUMENTS multi_ptr<Memory, Space, Decorated>
#define __ASPEN_ONE_PARAMETER class Properties
#define __ASPEN_ONE_ARGUMENT annotated_ptr<Memory, Properties>
__ASPEN_CHECKED(__ASPEN_TWO_PARAMETERS, __ASPEN_TWO_ARGUMENTS)
__ASPEN_CHECKED(__ASPEN_ONE_PARAMETER, __ASPEN_ONE_ARGUMENT)
#undef __ASPEN_ONE_ARGUMENT
#undef __ASPEN_ONE_PARAMETER
#undef __ASPEN_TWO_ARGUMENTS
#undef __ASPEN_TWO_PARAMETERS
#undef __ASPEN_CHECKED

} // namespace sycl::ext::intel::experimental::matrix

namespace sycl::detail::matrix {

/// One of a work-item's elements, as if it were the element.
template <class T> class element {
public:
  element(T &value, size_t row, size_t col) : value_(value), row_(row), col_(col) {}
  element(const element &) = default;
  operator T() const { return value_; }
  explicit operator bool() const { return static_cast<bool>(value_); }
  template <class V, std::enable_if_t<std::is_convertible_v<V, T>, int> = 0> element &operator=(const V &value) { return set(static_cast<T>(value)); }
  element &operator=(const element &other) { return set(other.value_); }
#define __ASPEN_ELEMENT(op)                                                                                                               \
  template <class V, std::enable_if_t<std::is_convertible_v<V, T>, int> = 0> element &operator op##=(const V &value) {                     \
    return set(static_cast<T>(value_ op static_cast<T>(value)));                                                                           \
  }
  __ASPEN_ELEMENT(+) __ASPEN_ELEMENT(-) __ASPEN_ELEMENT(*) __ASPEN_ELEMENT(/)
#undef __ASPEN_ELEMENT
  /// The row and the column.
  std::tuple<size_t, size_t> get_coord() const { return {row_, col_}; }

private:
  element &set(T value) {
    value_ = value;
    return *this;
  }
  T &value_;
  size_t row_, col_;
};

/// What of a matrix the work-item has.
template <class Share> class own {
public:
  own(const sub_group &of, Share &share) : of_(of), share_(share) {}
  size_t length() const { return share_.size(of_); }
  element<typename Share::value_type> operator[](size_t i) const {
    const position at = share_.position_of(of_, i);
    return {share_[i], at.line, at.place};
  }

private:
  sub_group of_;
  Share &share_;
};

} // namespace sycl::detail::matrix

/// The elements of the work-item, one by one: first forms of joint_matrix_apply.
namespace sycl::ext::oneapi::detail {
template <class Group, class T, experimental::matrix::use Use, size_t Rows, size_t Cols, experimental::matrix::layout Layout>
auto get_wi_data(Group g, experimental::matrix::joint_matrix<Group, T, Use, Rows, Cols, Layout> &of) {
  return sycl::detail::matrix::own(g, of.share_);
}
} // namespace sycl::ext::oneapi::detail
namespace sycl::ext::oneapi::experimental::matrix {
using ext::oneapi::detail::get_wi_data;
}
namespace sycl::ext::intel::experimental::matrix {
template <class Group, class T, use Use, size_t Rows, size_t Cols, layout Layout>
__ASPEN_INTEL_MATRIX auto get_wi_data(Group g, joint_matrix<Group, T, Use, Rows, Cols, Layout> &of) {
  return ext::oneapi::detail::get_wi_data(g, of);
}
#undef __ASPEN_INTEL_MATRIX
} // namespace sycl::ext::intel::experimental::matrix
