//! `sycl::marray`: an array with element-wise operators. Source: SYCL 2020 §4.14.3.
#pragma once
#include <sycl/half.hpp>
#include <type_traits>

namespace sycl {

template <class T, size_t N> class marray;

namespace detail {
/// How many elements an argument of a constructor of marray<T, …> gives, which may be none of an empty array.
template <class T, class A> inline constexpr size_t elements_given = std::is_convertible_v<A, T> ? 1 : 0;
template <class T, size_t N> inline constexpr size_t elements_given<T, marray<T, N>> = N;
template <class T, class A> inline constexpr bool gives_elements = std::is_convertible_v<A, T>;
template <class T, size_t N> inline constexpr bool gives_elements<T, marray<T, N>> = true;
/// Whether remainders, shifts and operators of bits are there.
template <class T> inline constexpr bool has_bits = !std::is_floating_point_v<T> && !is_half<T>;
/// Whether comparisons by size, `&&`, `||`, `!`, `++` and `--` are there: not for complex numbers.
template <class T> inline constexpr bool has_order = true;
} // namespace detail

template <class T, size_t N> class marray {
public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using iterator = T *;
  using const_iterator = const T *;

  constexpr marray() : data_{} {}
  explicit constexpr marray(const T &all) : data_{} {
    for (size_t i = 0; i < N; ++i)
      data_[i] = all;
  }
  /// Numbers and arrays, N elements in all.
  template <class... A, std::enable_if_t<(sizeof...(A) > 1) && (detail::gives_elements<T, A> && ...) &&
                                             (detail::elements_given<T, A> + ... + 0) == N,
                                         int> = 0>
  constexpr marray(const A &...values) : data_{} {
    size_t next = 0;
    (put(next, values), ...);
  }
  constexpr marray &operator=(const T &all) { return *this = marray(all); }
  template <size_t M = N, std::enable_if_t<M == 1, int> = 0> constexpr operator T() const { return data_[0]; }

  static constexpr size_t size() noexcept { return N; }
  constexpr T &operator[](size_t i) { return data_[i]; }
  constexpr const T &operator[](size_t i) const { return data_[i]; }
  constexpr T *begin() { return data_; }
  constexpr const T *begin() const { return data_; }
  constexpr T *end() { return data_ + N; }
  constexpr const T *end() const { return data_ + N; }

// `template <…>` of those that numbers with a point or complex ones do not have, which is asked of the element's type, or nothing.
#define __ASPEN_OF_BITS template <class U = T, std::enable_if_t<detail::has_bits<U>, int> = 0>
#define __ASPEN_OF_ORDER template <class U = T, std::enable_if_t<detail::has_order<U>, int> = 0>
#define __ASPEN_MARRAY_OPERATOR(op, head)                                                                                                 \
  head friend constexpr marray operator op(const marray & a, const marray & b) {                                                           \
    marray out;                                                                                                                            \
    for (size_t i = 0; i < N; ++i)                                                                                                         \
      out.data_[i] = static_cast<T>(a.data_[i] op b.data_[i]);                                                                             \
    return out;                                                                                                                            \
  }                                                                                                                                        \
  head friend constexpr marray operator op(const marray & a, const T & b) { return a op marray(b); }                                       \
  head friend constexpr marray operator op(const T & a, const marray & b) { return marray(a) op b; }                                       \
  head friend constexpr marray &operator op##=(marray & a, const marray & b) { return a = a op b; }                                        \
  head friend constexpr marray &operator op##=(marray & a, const T & b) { return a = a op b; }
  __ASPEN_MARRAY_OPERATOR(+, )
  __ASPEN_MARRAY_OPERATOR(-, )
  __ASPEN_MARRAY_OPERATOR(*, )
  __ASPEN_MARRAY_OPERATOR(/, )
  __ASPEN_MARRAY_OPERATOR(%, __ASPEN_OF_BITS)
  __ASPEN_MARRAY_OPERATOR(&, __ASPEN_OF_BITS)
  __ASPEN_MARRAY_OPERATOR(|, __ASPEN_OF_BITS)
  __ASPEN_MARRAY_OPERATOR(^, __ASPEN_OF_BITS)
  __ASPEN_MARRAY_OPERATOR(<<, __ASPEN_OF_BITS)
  __ASPEN_MARRAY_OPERATOR(>>, __ASPEN_OF_BITS)
#undef __ASPEN_MARRAY_OPERATOR

#define __ASPEN_MARRAY_COMPARISON(op, head)                                                                                               \
  head friend constexpr marray<bool, N> operator op(const marray & a, const marray & b) {                                                  \
    marray<bool, N> out;                                                                                                                   \
    for (size_t i = 0; i < N; ++i)                                                                                                         \
      out[i] = static_cast<bool>(a.data_[i] op b.data_[i]);                                                                                \
    return out;                                                                                                                            \
  }                                                                                                                                        \
  head friend constexpr marray<bool, N> operator op(const marray & a, const T & b) { return a op marray(b); }                              \
  head friend constexpr marray<bool, N> operator op(const T & a, const marray & b) { return marray(a) op b; }
  __ASPEN_MARRAY_COMPARISON(==, )
  __ASPEN_MARRAY_COMPARISON(!=, )
  __ASPEN_MARRAY_COMPARISON(<, __ASPEN_OF_ORDER)
  __ASPEN_MARRAY_COMPARISON(>, __ASPEN_OF_ORDER)
  __ASPEN_MARRAY_COMPARISON(<=, __ASPEN_OF_ORDER)
  __ASPEN_MARRAY_COMPARISON(>=, __ASPEN_OF_ORDER)
  __ASPEN_MARRAY_COMPARISON(&&, __ASPEN_OF_ORDER)
  __ASPEN_MARRAY_COMPARISON(||, __ASPEN_OF_ORDER)
#undef __ASPEN_MARRAY_COMPARISON

  friend constexpr marray operator+(const marray &a) { return a; }
  friend constexpr marray operator-(const marray &a) {
    marray out;
    for (size_t i = 0; i < N; ++i)
      out.data_[i] = static_cast<T>(-a.data_[i]);
    return out;
  }
  __ASPEN_OF_ORDER friend constexpr marray<bool, N> operator!(const marray &a) {
    marray<bool, N> out;
    for (size_t i = 0; i < N; ++i)
      out[i] = !a.data_[i];
    return out;
  }
  __ASPEN_OF_BITS friend constexpr marray operator~(const marray &a) {
    marray out;
    for (size_t i = 0; i < N; ++i) {
      if constexpr (std::is_same_v<U, bool>)
        out.data_[i] = true; // ~ of a bool is an int that is not 0: clang warns of it where it is written
      else
        out.data_[i] = static_cast<T>(~a.data_[i]);
    }
    return out;
  }
#undef __ASPEN_OF_BITS
  __ASPEN_OF_ORDER friend constexpr marray &operator++(marray &a) { return a += T(1); }
  __ASPEN_OF_ORDER friend constexpr marray &operator--(marray &a) { return a -= T(1); }
  __ASPEN_OF_ORDER friend constexpr marray operator++(marray &a, int) {
    const marray old(a);
    ++a;
    return old;
  }
  __ASPEN_OF_ORDER friend constexpr marray operator--(marray &a, int) {
    const marray old(a);
    --a;
    return old;
  }
#undef __ASPEN_OF_ORDER

private:
  template <class A> constexpr void put(size_t &next, const A &a) {
    if constexpr (std::is_convertible_v<A, T>)
      data_[next++] = static_cast<T>(a);
    else
      for (size_t i = 0; i < A::size(); ++i)
        data_[next++] = a[i];
  }
  T data_[N];
};

template <class T, class... U, class = std::enable_if_t<(std::is_same_v<T, U> && ...)>> marray(T, U...) -> marray<T, sizeof...(U) + 1>;

#define __ASPEN_MARRAY_ALIASES(name, T)                                                                                                   \
  using m##name##2 = marray<T, 2>;                                                                                                         \
  using m##name##3 = marray<T, 3>;                                                                                                         \
  using m##name##4 = marray<T, 4>;                                                                                                         \
  using m##name##8 = marray<T, 8>;                                                                                                         \
  using m##name##16 = marray<T, 16>;
__ASPEN_MARRAY_ALIASES(char, std::int8_t)
__ASPEN_MARRAY_ALIASES(uchar, std::uint8_t)
__ASPEN_MARRAY_ALIASES(short, std::int16_t)
__ASPEN_MARRAY_ALIASES(ushort, std::uint16_t)
__ASPEN_MARRAY_ALIASES(int, std::int32_t)
__ASPEN_MARRAY_ALIASES(uint, std::uint32_t)
__ASPEN_MARRAY_ALIASES(long, std::int64_t)
__ASPEN_MARRAY_ALIASES(ulong, std::uint64_t)
__ASPEN_MARRAY_ALIASES(float, float)
__ASPEN_MARRAY_ALIASES(double, double)
__ASPEN_MARRAY_ALIASES(half, half)
__ASPEN_MARRAY_ALIASES(bool, bool)
#undef __ASPEN_MARRAY_ALIASES

} // namespace sycl
