//! `sycl::range`, `sycl::id` and `sycl::nd_range`. Source: SYCL 2020 §4.9.1.1 to §4.9.1.3.
#pragma once
#include <sycl/detail/config.hpp>
#include <type_traits>

namespace sycl {

template <int D = 1> class range;
template <int D = 1> class id;
template <int D = 1, bool WithOffset = true> class item;

namespace detail {
/// A size that no memory has where the product is too large: a smaller one would be given.
constexpr size_t saturated_product(size_t a, size_t b) {
  size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~size_t(0) : product;
}
/// The bytes of so many elements.
template <int D> constexpr size_t saturated_bytes(const range<D> &extent, size_t element) {
  size_t bytes = element;
  for (int d = 0; d < D; ++d)
    bytes = saturated_product(bytes, extent[d]);
  return bytes;
}

/// A conversion to a number, which only one dimension has. No template member: those do not convert any further (p[i] wants ptrdiff_t).
template <class Self, int D> class one_number {};
template <class Self> class one_number<Self, 1> {
public:
  constexpr operator size_t() const noexcept { return static_cast<const Self &>(*this)[0]; }

// As that number would do. Without these the built-in operators compete with those of two ids, since a number converts to an id.
#define __ASPEN_INDEX_OPERATOR(op)                                                                                                        \
  template <class F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0> friend constexpr auto operator op(const Self &a, F b) noexcept {\
    return a[0] op b;                                                                                                                      \
  }                                                                                                                                        \
  template <class F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0> friend constexpr auto operator op(F a, const Self &b) noexcept {\
    return a op b[0];                                                                                                                      \
  }
  __ASPEN_INDEX_OPERATOR(+)
  __ASPEN_INDEX_OPERATOR(-)
  __ASPEN_INDEX_OPERATOR(*)
  __ASPEN_INDEX_OPERATOR(/)
  __ASPEN_INDEX_OPERATOR(<)
  __ASPEN_INDEX_OPERATOR(>)
  __ASPEN_INDEX_OPERATOR(<=)
  __ASPEN_INDEX_OPERATOR(>=)
  __ASPEN_INDEX_OPERATOR(==)
  __ASPEN_INDEX_OPERATOR(!=)
#undef __ASPEN_INDEX_OPERATOR
};

/// Integers, and the enumerators that become such.
template <class T> inline constexpr bool is_index_number = std::is_integral_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, size_t>);

/// What range and id share: up to three numbers. `Self` is the class that derives from it.
template <class Self, int D> class index_array {
  static_assert(valid_dimensions<D>, "ranges and ids have one to three dimensions");

public:
  static constexpr int dimensions = D;
  constexpr size_t get(int dimension) const noexcept { return values_[dimension]; }
  constexpr size_t &operator[](int dimension) noexcept { return values_[dimension]; }
  constexpr size_t operator[](int dimension) const noexcept { return values_[dimension]; }

  friend constexpr bool operator==(const Self &a, const Self &b) noexcept {
    for (int d = 0; d < D; ++d)
      if (a.values_[d] != b.values_[d])
        return false;
    return true;
  }
  template <class T> friend constexpr std::enable_if_t<is_index_number<T>, bool> operator==(const Self &a, const T &b) noexcept {
    for (int d = 0; d < D; ++d)
      if (a.values_[d] != static_cast<size_t>(b))
        return false;
    return true;
  }
#if __cplusplus < 202002L
  friend constexpr bool operator!=(const Self &a, const Self &b) noexcept { return !(a == b); }
  template <class T> friend constexpr std::enable_if_t<is_index_number<T>, bool> operator!=(const Self &a, const T &b) noexcept {
    return !(a == b);
  }
  template <class T> friend constexpr std::enable_if_t<is_index_number<T>, bool> operator==(const T &a, const Self &b) noexcept {
    return b == a;
  }
  template <class T> friend constexpr std::enable_if_t<is_index_number<T>, bool> operator!=(const T &a, const Self &b) noexcept {
    return !(b == a);
  }
#endif

// Element by element; a number on one side stands for itself in every dimension. Numbers are taken as a template parameter, as a
// conversion to size_t would compete with the built-in operators through id<1>'s conversion.
#define __ASPEN_INDEX_OPERATOR(op)                                                                                                        \
  friend constexpr Self operator op(const Self & a, const Self & b) noexcept {                                                             \
    Self out(a);                                                                                                                           \
    for (int d = 0; d < D; ++d)                                                                                                            \
      out.values_[d] = a.values_[d] op b.values_[d];                                                                                       \
    return out;                                                                                                                            \
  }                                                                                                                                        \
  template <class T> friend constexpr std::enable_if_t<is_index_number<T>, Self> operator op(const Self &a, const T & b) noexcept {        \
    Self out(a);                                                                                                                           \
    for (int d = 0; d < D; ++d)                                                                                                            \
      out.values_[d] = a.values_[d] op static_cast<size_t>(b);                                                                             \
    return out;                                                                                                                            \
  }                                                                                                                                        \
  template <class T> friend constexpr std::enable_if_t<is_index_number<T>, Self> operator op(const T & a, const Self &b) noexcept {        \
    Self out(b);                                                                                                                           \
    for (int d = 0; d < D; ++d)                                                                                                            \
      out.values_[d] = static_cast<size_t>(a) op b.values_[d];                                                                             \
    return out;                                                                                                                            \
  }
  __ASPEN_INDEX_OPERATOR(+)
  __ASPEN_INDEX_OPERATOR(-)
  __ASPEN_INDEX_OPERATOR(*)
  __ASPEN_INDEX_OPERATOR(/)
  __ASPEN_INDEX_OPERATOR(%)
  __ASPEN_INDEX_OPERATOR(<<)
  __ASPEN_INDEX_OPERATOR(>>)
  __ASPEN_INDEX_OPERATOR(&)
  __ASPEN_INDEX_OPERATOR(|)
  __ASPEN_INDEX_OPERATOR(^)
  __ASPEN_INDEX_OPERATOR(&&)
  __ASPEN_INDEX_OPERATOR(||)
  __ASPEN_INDEX_OPERATOR(<)
  __ASPEN_INDEX_OPERATOR(>)
  __ASPEN_INDEX_OPERATOR(<=)
  __ASPEN_INDEX_OPERATOR(>=)
#undef __ASPEN_INDEX_OPERATOR

#define __ASPEN_INDEX_ASSIGNMENT(op)                                                                                                      \
  friend constexpr Self &operator op(Self & a, const Self & b) noexcept {                                                                  \
    for (int d = 0; d < D; ++d)                                                                                                            \
      a.values_[d] op b.values_[d];                                                                                                        \
    return a;                                                                                                                              \
  }                                                                                                                                        \
  friend constexpr Self &operator op(Self & a, const size_t & b) noexcept {                                                                \
    for (int d = 0; d < D; ++d)                                                                                                            \
      a.values_[d] op b;                                                                                                                   \
    return a;                                                                                                                              \
  }
  __ASPEN_INDEX_ASSIGNMENT(+=)
  __ASPEN_INDEX_ASSIGNMENT(-=)
  __ASPEN_INDEX_ASSIGNMENT(*=)
  __ASPEN_INDEX_ASSIGNMENT(/=)
  __ASPEN_INDEX_ASSIGNMENT(%=)
  __ASPEN_INDEX_ASSIGNMENT(<<=)
  __ASPEN_INDEX_ASSIGNMENT(>>=)
  __ASPEN_INDEX_ASSIGNMENT(&=)
  __ASPEN_INDEX_ASSIGNMENT(|=)
  __ASPEN_INDEX_ASSIGNMENT(^=)
#undef __ASPEN_INDEX_ASSIGNMENT

  friend constexpr Self operator+(const Self &a) noexcept { return a; }
  friend constexpr Self operator-(const Self &a) noexcept {
    Self out(a);
    for (int d = 0; d < D; ++d)
      out.values_[d] = size_t(0) - a.values_[d];
    return out;
  }
  friend constexpr Self &operator++(Self &a) noexcept {
    for (int d = 0; d < D; ++d)
      ++a.values_[d];
    return a;
  }
  friend constexpr Self operator++(Self &a, int) noexcept {
    Self old(a);
    ++a;
    return old;
  }
  friend constexpr Self &operator--(Self &a) noexcept {
    for (int d = 0; d < D; ++d)
      --a.values_[d];
    return a;
  }
  friend constexpr Self operator--(Self &a, int) noexcept {
    Self old(a);
    --a;
    return old;
  }

protected:
  constexpr index_array(size_t a, size_t b, size_t c) : values_{} {
    const size_t all[3] = {a, b, c};
    for (int d = 0; d < D; ++d)
      values_[d] = all[d];
  }
  size_t values_[D];
};

} // namespace detail

/// How many work-items, elements or groups there are in each dimension; the last dimension runs fastest.
template <int D> class range : public detail::index_array<range<D>, D> {
  using base = detail::index_array<range<D>, D>;

public:
  constexpr range() noexcept : base(0, 0, 0) {}
  template <int N = D, std::enable_if_t<N == 1, int> = 0> constexpr range(size_t a) noexcept : base(a, 0, 0) {}
  template <int N = D, std::enable_if_t<N == 2, int> = 0> constexpr range(size_t a, size_t b) noexcept : base(a, b, 0) {}
  template <int N = D, std::enable_if_t<N == 3, int> = 0> constexpr range(size_t a, size_t b, size_t c) noexcept : base(a, b, c) {}
  /// The product of all dimensions.
  constexpr size_t size() const noexcept {
    size_t all = 1;
    for (int d = 0; d < D; ++d)
      all *= this->values_[d];
    return all;
  }
};
range(size_t) -> range<1>;
range(size_t, size_t) -> range<2>;
range(size_t, size_t, size_t) -> range<3>;

/// A place in a range.
template <int D> class id : public detail::index_array<id<D>, D>, public detail::one_number<id<D>, D> {
  using base = detail::index_array<id<D>, D>;

public:
  constexpr id() noexcept : base(0, 0, 0) {}
  template <int N = D, std::enable_if_t<N == 1, int> = 0> constexpr id(size_t a) noexcept : base(a, 0, 0) {}
  template <int N = D, std::enable_if_t<N == 2, int> = 0> constexpr id(size_t a, size_t b) noexcept : base(a, b, 0) {}
  template <int N = D, std::enable_if_t<N == 3, int> = 0> constexpr id(size_t a, size_t b, size_t c) noexcept : base(a, b, c) {}
  constexpr id(const range<D> &from) noexcept : base(0, 0, 0) {
    for (int d = 0; d < D; ++d)
      this->values_[d] = from[d];
  }
  template <bool O> constexpr id(const item<D, O> &from) noexcept : id(from.get_id()) {}
  /// As DPC++ and AdaptiveCpp have it. In one dimension the number of an id makes the range.
  template <int N = D, std::enable_if_t<N != 1, int> = 0> explicit constexpr operator range<N>() const noexcept {
    range<N> out;
    for (int d = 0; d < D; ++d)
      out[d] = (*this)[d];
    return out;
  }
};
id(size_t) -> id<1>;
id(size_t, size_t) -> id<2>;
id(size_t, size_t, size_t) -> id<3>;

namespace detail {
/// Row-major position of `at` in `extent`.
template <int D> constexpr size_t linear_id(const id<D> &at, const range<D> &extent) noexcept {
  size_t out = at[0];
  for (int d = 1; d < D; ++d)
    out = out * extent[d] + at[d];
  return out;
}
/// The inverse of linear_id.
template <int D> constexpr id<D> delinearize(size_t linear, const range<D> &extent) noexcept {
  id<D> out;
  for (int d = D - 1; d > 0; --d) {
    out[d] = linear % extent[d];
    linear /= extent[d];
  }
  out[0] = linear;
  return out;
}

/// A local range that is chosen, in each dimension. Source: sycl_ext_oneapi_auto_local_range.
constexpr size_t chosen_local = ~size_t(0);
/// Work-items that a group has at most whose range is chosen: every device can run as many.
constexpr size_t most_chosen = 256;

/// The local range, or if it is to be chosen, one that divides the global range, with as many work-items as may be in the last dimensions.
template <int D> constexpr range<D> local_for(const range<D> &global, range<D> local) noexcept {
  if (local[0] != chosen_local)
    return local;
  size_t room = most_chosen;
  for (int d = D - 1; d >= 0; --d) {
    size_t size = global[d] < room ? global[d] : room;
    while (size > 1 && global[d] % size != 0)
      --size;
    local[d] = size > 0 ? size : 1;
    room /= local[d];
  }
  return local;
}
} // namespace detail

/// Global and local range of a kernel that runs in work-groups. Whether they fit is checked at the launch.
template <int D = 1> class nd_range {
public:
  static constexpr int dimensions = D;
  /// Of no items, to be assigned to: DPC++ has it, and what its migration tool makes uses it.
  constexpr nd_range() = default;
  constexpr nd_range(range<D> global, range<D> local, id<D> offset = id<D>()) noexcept
      : global_(global), local_(detail::local_for(global, local)), offset_(offset) {}
  constexpr range<D> get_global_range() const noexcept { return global_; }
  constexpr range<D> get_local_range() const noexcept { return local_; }
  constexpr range<D> get_group_range() const noexcept {
    range<D> out(global_);
    for (int d = 0; d < D; ++d)
      out[d] = local_[d] ? global_[d] / local_[d] : 0;
    return out;
  }
  constexpr id<D> get_offset() const noexcept { return offset_; }
  friend constexpr bool operator==(const nd_range &a, const nd_range &b) noexcept {
    return a.global_ == b.global_ && a.local_ == b.local_ && a.offset_ == b.offset_;
  }
#if __cplusplus < 202002L
  friend constexpr bool operator!=(const nd_range &a, const nd_range &b) noexcept { return !(a == b); }
#endif

private:
  range<D> global_;
  range<D> local_;
  id<D> offset_;
};

} // namespace sycl
