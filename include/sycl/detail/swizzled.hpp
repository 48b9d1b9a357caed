//! Some elements of a vec, in some order: what `v.xy()` and `v.swizzle<…>()` give. Source: SYCL 2020 §4.14.2.5.
#pragma once
#include <sycl/half.hpp>
#include <sycl/multi_ptr.hpp>
#include <type_traits>

namespace sycl {

template <class T, int N> class vec;
enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

/// Names of elements, for vec::swizzle.
struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3;
  static constexpr int r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7;
  static constexpr int s8 = 8, s9 = 9, sA = 10, sB = 11, sC = 12, sD = 13, sE = 14, sF = 15;
};

// Members that name one element each; vec.hpp undefines all of these.
#define __ASPEN_ELEMENTS(each)                                                                                                            \
  each(x, 0) each(y, 1) each(z, 2) each(w, 3) each(r, 0) each(g, 1) each(b, 2) each(a, 3) each(s0, 0) each(s1, 1) each(s2, 2) each(s3, 3)  \
      each(s4, 4) each(s5, 5) each(s6, 6) each(s7, 7) each(s8, 8) each(s9, 9) each(sA, 10) each(sB, 11) each(sC, 12) each(sD, 13)          \
          each(sE, 14) each(sF, 15)
// Members for all words of two to four letters out of four.
#define __ASPEN_E4(p, q, r, a, b, c, d) __ASPEN_S4(p, q, r, a) __ASPEN_S4(p, q, r, b) __ASPEN_S4(p, q, r, c) __ASPEN_S4(p, q, r, d)
#define __ASPEN_E3F(p, q, r, ...) __ASPEN_S3(p, q, r) __ASPEN_E4(p, q, r, __VA_ARGS__)
#define __ASPEN_E3(p, q, a, b, c, d)                                                                                                      \
  __ASPEN_E3F(p, q, a, a, b, c, d) __ASPEN_E3F(p, q, b, a, b, c, d) __ASPEN_E3F(p, q, c, a, b, c, d) __ASPEN_E3F(p, q, d, a, b, c, d)
#define __ASPEN_E2F(p, q, ...) __ASPEN_S2(p, q) __ASPEN_E3(p, q, __VA_ARGS__)
#define __ASPEN_E2(p, a, b, c, d)                                                                                                         \
  __ASPEN_E2F(p, a, a, b, c, d) __ASPEN_E2F(p, b, a, b, c, d) __ASPEN_E2F(p, c, a, b, c, d) __ASPEN_E2F(p, d, a, b, c, d)
#define __ASPEN_E(a, b, c, d) __ASPEN_E2(a, a, b, c, d) __ASPEN_E2(b, a, b, c, d) __ASPEN_E2(c, a, b, c, d) __ASPEN_E2(d, a, b, c, d)
#define __ASPEN_SIMPLE_SWIZZLES __ASPEN_E(x, y, z, w) __ASPEN_E(r, g, b, a)

namespace detail {

template <class V, int... I> class swizzled;
/// A swizzle names elements that there are. Source: SYCL 2020 §4.14.2.4.
template <int Count, int... I> constexpr bool check_indices() {
  static_assert(((I >= 0 && I < Count) && ...), "swizzle: elements are counted from 0, and there are not as many");
  return true;
}

/// Number and type of elements of a vec, of a swizzle, of a number (one).
template <class A> struct elements_of {
  static constexpr int count = 1;
  static constexpr bool is_vector = false;
};
template <class T, int N> struct elements_of<vec<T, N>> {
  using element = T;
  static constexpr int count = N;
  static constexpr bool is_vector = true;
};
template <class T, int N, int... I> struct elements_of<swizzled<vec<T, N>, I...>> {
  using element = T;
  static constexpr int count = sizeof...(I);
  static constexpr bool is_vector = true;
};
template <class A> inline constexpr bool is_vector = elements_of<std::remove_cv_t<A>>::is_vector;

/// Which operators vectors of that element have: those of all elements; of numbers, bfloat16 among them; of whole numbers; of bits, which bytes
/// have too; `++` and `--`. Source: SYCL 2020 §4.14.2.1 (revision 11).
template <class T> inline constexpr bool is_element = true;
template <class T> inline constexpr bool is_numeric = !std::is_same_v<T, std::byte>;
template <class T> inline constexpr bool is_whole = std::is_integral_v<T>;
template <class T> inline constexpr bool is_bits = is_whole<T> || !is_numeric<T>;
template <class T> inline constexpr bool is_counter = is_numeric<T> && !std::is_same_v<T, bool>;
/// Whether A is one element that may stand for a T: a number that converts, or a vector of one whose element does. That element is asked, since
/// none converts by way of two classes, as the vector and half are. Source: SYCL 2020 §4.14.2.
template <class A, class T, bool = elements_of<A>::is_vector>
inline constexpr bool gives_one = elements_of<A>::count == 1 && std::is_convertible_v<A, T>;
template <class A, class T>
inline constexpr bool gives_one<A, T, true> = elements_of<A>::count == 1 && std::is_convertible_v<typename elements_of<A>::element, T>;
/// Whether a half comes of A by way of a float, which is one conversion too many for `gives_one`: of a half type of the program's own, as Eigen's
/// is. DPC++ takes such by way of clang's own vectors.
template <class A, class T>
inline constexpr bool gives_half = std::conjunction_v<std::is_same<T, half>, std::is_class<A>, std::bool_constant<!elements_of<A>::is_vector>,
                                                      std::negation<std::is_convertible<A, T>>, std::is_convertible<A, float>>;
/// That T.
template <class T, class A> constexpr T one_of(const A &a) {
  if constexpr (elements_of<A>::is_vector)
    return static_cast<T>(a[0]);
  else
    return static_cast<T>(a);
}

/// What has one element alone converts to it. A base, since a conversion function that is a template gives that very type only, and `bool` or
/// `double` of an `int` is wanted too. Source: SYCL 2020 §4.14.2.1, `operator DataT()`.
template <class V, class T, int N> struct only_element {};
template <class V, class T> struct only_element<V, T, 1> {
  constexpr operator T() const { return static_cast<const V &>(*this)[0]; }
  /// What is a number by way of a class, as of half.
  template <class U, std::enable_if_t<std::is_arithmetic_v<U> && !std::is_same_v<U, T> && std::is_convertible_v<T, U>, int> = 0>
  explicit constexpr operator U() const {
    return static_cast<U>(static_cast<const V &>(*this)[0]);
  }
};

/// Whether elements can be written through a swizzle: not those of a const vec, nor one that is named twice, but for what stands for the fourth of
/// three (see half_of). Source: SYCL 2020 §4.14.2.4 (revision 11), "The swizzled vector classes".
template <class V, int... I> constexpr bool is_writable() {
  constexpr int index[] = {I...};
  for (size_t i = 0; i < sizeof...(I); ++i)
    for (size_t j = 0; j < i; ++j)
      if (index[i] == index[j] && !(sizeof...(I) == 2 && index[i] == 2))
        return false;
  return !std::is_const_v<V>;
}

/// Reads and writes through to the vec it was made from.
template <class V, int... I>
class swizzled : public only_element<swizzled<V, I...>, typename elements_of<std::remove_const_t<V>>::element, sizeof...(I)> {
  using T = typename elements_of<std::remove_const_t<V>>::element;
  static constexpr int count = sizeof...(I), room = count == 3 ? 4 : count;
  static constexpr int index[] = {I...};
  using whole = vec<T, count>;
  /// Of what writes; `W` is deduced by default alone, so that what is not there is not looked at.
  template <class W> using if_writable = std::enable_if_t<is_writable<W, I...>(), int>;

public:
  using element_type = T;
  using value_type = T;
  explicit constexpr swizzled(V &of) : of_(of) {}
  swizzled(const swizzled &) = default;
  constexpr operator whole() const { return whole(of_[I]...); }
  constexpr decltype(auto) operator[](int i) const { return of_[index[i]]; }
  static constexpr size_t size() noexcept { return count; }
  static constexpr size_t byte_size() noexcept { return sizeof(whole); }
  static constexpr size_t get_count() { return count; }
  static constexpr size_t get_size() { return sizeof(whole); }

#define __ASPEN_ELEMENT(name, i)                                                                                                          \
  template <int M = count, std::enable_if_t<(M > i), int> = 0> constexpr decltype(auto) name() const { return of_[index[i]]; }
  __ASPEN_ELEMENTS(__ASPEN_ELEMENT)
#undef __ASPEN_ELEMENT
  template <int... J> constexpr auto swizzle() const {
    check_indices<count, J...>();
    return swizzled<V, index[J]...>(of_);
  }
  constexpr auto lo() const { return half_of<0, 1>(std::make_integer_sequence<int, (room + 1) / 2>()); }
  constexpr auto hi() const { return half_of<room / 2, 1>(std::make_integer_sequence<int, (room + 1) / 2>()); }
  constexpr auto even() const { return half_of<0, 2>(std::make_integer_sequence<int, (room + 1) / 2>()); }
  constexpr auto odd() const { return half_of<room == 1 ? 0 : 1, 2>(std::make_integer_sequence<int, (room + 1) / 2>()); }
#if defined(SYCL_SIMPLE_SWIZZLES)
#define __ASPEN_S2(p, q)                                                                                                                  \
  constexpr auto p##q() const { return swizzle<elem::p, elem::q>(); }
#define __ASPEN_S3(p, q, r)                                                                                                               \
  constexpr auto p##q##r() const { return swizzle<elem::p, elem::q, elem::r>(); }
#define __ASPEN_S4(p, q, r, s)                                                                                                            \
  constexpr auto p##q##r##s() const { return swizzle<elem::p, elem::q, elem::r, elem::s>(); }
  __ASPEN_SIMPLE_SWIZZLES
#undef __ASPEN_S2
#undef __ASPEN_S3
#undef __ASPEN_S4
#endif

  template <class U, rounding_mode Mode = rounding_mode::automatic> constexpr vec<U, count> convert() const {
    return whole(*this).template convert<U, Mode>();
  }
  template <class W> W as() const { return whole(*this).template as<W>(); }
  template <class From, class W = V, if_writable<W> = 0> void load(size_t offset, From from) const {
    whole loaded;
    loaded.load(offset, from);
    *this = loaded;
  }
  template <class To> void store(size_t offset, To to) const { whole(*this).store(offset, to); }

  template <class B = whole, class W = V, if_writable<W> = 0> constexpr const swizzled &operator=(const B &b) const {
    const whole value = whole::from(b); // all read before any is written: v.xy() = v.yx()
    for (int i = count - 1; i >= 0; --i) // of an element named twice (see half_of) the first value stays
      of_[index[i]] = value[i];
    return *this;
  }
  constexpr const swizzled &operator=(const swizzled &b) const {
    static_assert(is_writable<V, I...>(), "elements of a const vec, or those that a swizzle names twice, cannot be assigned to");
    return *this = static_cast<whole>(b);
  }
#define __ASPEN_SWIZZLE_ASSIGNMENT(op)                                                                                                    \
  template <class B = vec<T, count>, class W = whole, class Of = V, if_writable<Of> = 0>                                                   \
  constexpr auto operator op##=(const B &b) const->decltype((void)(std::declval<W &>() op b), *this) {                                     \
    return *this = *this op b;                                                                                                             \
  }
  __ASPEN_SWIZZLE_ASSIGNMENT(+)
  __ASPEN_SWIZZLE_ASSIGNMENT(-)
  __ASPEN_SWIZZLE_ASSIGNMENT(*)
  __ASPEN_SWIZZLE_ASSIGNMENT(/)
  __ASPEN_SWIZZLE_ASSIGNMENT(%)
  __ASPEN_SWIZZLE_ASSIGNMENT(&)
  __ASPEN_SWIZZLE_ASSIGNMENT(|)
  __ASPEN_SWIZZLE_ASSIGNMENT(^)
  __ASPEN_SWIZZLE_ASSIGNMENT(<<)
  __ASPEN_SWIZZLE_ASSIGNMENT(>>)
#undef __ASPEN_SWIZZLE_ASSIGNMENT
  template <class U = T, class W = V, std::enable_if_t<is_counter<U>, int> = 0, if_writable<W> = 0>
  constexpr const swizzled &operator++() const {
    return *this += T(1);
  }
  template <class U = T, class W = V, std::enable_if_t<is_counter<U>, int> = 0, if_writable<W> = 0>
  constexpr const swizzled &operator--() const {
    return *this -= T(1);
  }
  template <class U = T, class W = V, std::enable_if_t<is_counter<U>, int> = 0, if_writable<W> = 0> constexpr whole operator++(int) const {
    const whole old(*this);
    ++*this;
    return old;
  }
  template <class U = T, class W = V, std::enable_if_t<is_counter<U>, int> = 0, if_writable<W> = 0> constexpr whole operator--(int) const {
    const whole old(*this);
    --*this;
    return old;
  }
  template <class W = whole> friend constexpr auto operator+(const swizzled &v) -> decltype(+W(v)) { return W(v); }
  template <class W = whole> friend constexpr auto operator-(const swizzled &v) -> decltype(-W(v)) { return -W(v); }
  friend constexpr auto operator!(const swizzled &v) { return !whole(v); }
  template <class W = whole> friend constexpr auto operator~(const swizzled &v) -> decltype(~W(v)) { return ~W(v); }

private:
  /// Of three elements, the fourth is the third again: a fourth there is none to write.
  template <int From, int Step, int... J> constexpr auto half_of(std::integer_sequence<int, J...>) const {
    return swizzled<V, index[From + Step * J < count ? From + Step * J : count - 1]...>(of_);
  }
  V &of_;
};

} // namespace detail
} // namespace sycl
