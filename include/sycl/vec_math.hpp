//! Mathematical, integer, common, geometric and relational functions on vec, swizzles and marray, element by element. What stands beside
//! them as a number, or as a single element, counts for every element. Source: SYCL 2020 §4.17.5 to §4.17.9.
#pragma once
#include <sycl/marray.hpp>
#include <sycl/math.hpp>
#include <sycl/vec.hpp>

namespace sycl {

namespace detail {
/// What has elements: their type and number, and the same with elements of another type.
template <class A> struct elements {
  static constexpr bool any = false;
};
template <class T, int N> struct elements<vec<T, N>> {
  static constexpr bool any = true, is_marray = false;
  using type = T;
  static constexpr int count = N;
  template <class R> using of = vec<R, N>;
};
template <class T, int N, int... I> struct elements<swizzled<vec<T, N>, I...>> : elements<vec<T, sizeof...(I)>> {};
template <class T, int N, int... I> struct elements<swizzled<const vec<T, N>, I...>> : elements<vec<T, sizeof...(I)>> {};
template <class T, size_t N> struct elements<marray<T, N>> {
  static constexpr bool any = true, is_marray = true;
  using type = T;
  static constexpr int count = static_cast<int>(N);
  template <class R> using of = marray<R, N>;
};
template <class A> inline constexpr bool has_one = false;
template <class T> inline constexpr bool has_one<vec<T, 1>> = true;
template <class T> inline constexpr bool has_one<marray<T, 1>> = true;
template <class T, int N, int I> inline constexpr bool has_one<swizzled<vec<T, N>, I>> = true;
template <class T, int N, int I> inline constexpr bool has_one<swizzled<const vec<T, N>, I>> = true;
/// Those of the first argument that has any; of one that has a single element, which becomes a number, only where no other has more.
template <class... A> struct shape : elements<void> {};
template <class A, class... Rest>
struct shape<A, Rest...>
    : std::conditional_t<elements<A>::any && !(has_one<A> && (... || (elements<Rest>::any && !has_one<Rest>))), elements<A>, shape<Rest...>> {};
template <class S, class A> constexpr bool fits() {
  if constexpr (elements<A>::any && !has_one<A>)
    return elements<A>::count == S::count;
  else
    return true;
}
template <class... A> using if_elements = std::enable_if_t<shape<A...>::any>;
/// Functions of arguments of different sizes are not there, so that a program may ask for them. Source: SYCL 2020 §4.17.5, constraints.
template <class... A> inline constexpr bool fit_together = (fits<shape<A...>, A>() && ...);
template <class... A> using if_fitting = std::enable_if_t<fit_together<A...>>;

/// Whether a number that stands beside elements is taken as one of their type, or as it is (an exponent).
enum class beside { converted, kept };
template <class Shape, beside Numbers, class A> constexpr decltype(auto) element(const A &a, int i) {
  (void)i;
  if constexpr (has_one<A> && Shape::count > 1)
    return static_cast<typename std::conditional_t<Numbers == beside::converted, Shape, elements<A>>::type>(a[0]);
  else if constexpr (elements<A>::any)
    return a[i];
  else if constexpr (Numbers == beside::converted)
    return static_cast<typename Shape::type>(a);
  else
    return static_cast<const A &>(a);
}
template <beside Numbers, class F, class... A> constexpr auto by_element(F function, const A &...a) {
  using S = shape<A...>;
  typename S::template of<std::decay_t<decltype(function(element<S, Numbers>(a, 0)...))>> out{};
  for (int i = 0; i < S::count; ++i)
    out[i] = function(element<S, Numbers>(a, i)...);
  return out;
}
/// The same of a function that gives a second result, of the same shape; its pointer stands last.
template <class F, class Second, class... A> auto by_element_with_second(F function, Second &second, const A &...a) {
  using S = shape<A...>;
  using T = typename S::type;
  static_assert((fits<S, A>() && ...) && fits<S, Second>(), "the arguments have different numbers of elements");
  typename S::template of<T> out{};
  for (int i = 0; i < S::count; ++i) {
    typename elements<Second>::type one{};
    out[i] = function(static_cast<T>(element<S, beside::converted>(a, i))..., &one);
    second[i] = one;
  }
  return out;
}
/// What a comparison of elements gives: all bits of an integer as wide as they are; bool for marray.
template <class F, class... A> constexpr auto compared(F function, const A &...a) {
  using S = shape<A...>;
  using T = typename S::type;
  using wide = std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  return by_element<beside::converted>(
      [function](const auto &...x) {
        if constexpr (S::is_marray)
          return function(x...);
        else
          return static_cast<wide>(function(x...) ? -1 : 0);
      },
      a...);
}
} // namespace detail

#define __ASPEN_BY_ELEMENT(name, numbers, function)                                                                                       \
  template <class... A, class = detail::if_elements<A...>, class = detail::if_fitting<A...>> constexpr auto name(const A &...a) {          \
    return detail::by_element<detail::beside::numbers>([](const auto &...x) { return function(x...); }, a...);                             \
  }
#define __ASPEN_CONVERTED(name) __ASPEN_BY_ELEMENT(name, converted, sycl::name)
#define __ASPEN_KEPT(name) __ASPEN_BY_ELEMENT(name, kept, sycl::name)
__ASPEN_MATH_LIST_1(__ASPEN_CONVERTED, __ASPEN_CONVERTED)
__ASPEN_MATH_LIST_2(__ASPEN_CONVERTED, __ASPEN_CONVERTED)
__ASPEN_MATH_LIST_3(__ASPEN_CONVERTED, __ASPEN_CONVERTED)
__ASPEN_KEPT(ldexp)
__ASPEN_KEPT(pown)
__ASPEN_KEPT(rootn)
__ASPEN_CONVERTED(ilogb)
__ASPEN_CONVERTED(nan)
// Common and integer functions.
__ASPEN_CONVERTED(min)
__ASPEN_CONVERTED(max)
__ASPEN_CONVERTED(clamp)
__ASPEN_CONVERTED(abs)
__ASPEN_CONVERTED(abs_diff)
__ASPEN_CONVERTED(add_sat)
__ASPEN_CONVERTED(sub_sat)
__ASPEN_CONVERTED(hadd)
__ASPEN_CONVERTED(rhadd)
__ASPEN_CONVERTED(mul_hi)
__ASPEN_CONVERTED(mad_hi)
__ASPEN_CONVERTED(mad_sat)
__ASPEN_CONVERTED(mul24)
__ASPEN_CONVERTED(mad24)
__ASPEN_CONVERTED(rotate)
__ASPEN_CONVERTED(popcount)
__ASPEN_CONVERTED(clz)
__ASPEN_CONVERTED(ctz)
__ASPEN_CONVERTED(bitselect)
__ASPEN_CONVERTED(upsample)
#define __ASPEN_NATIVE(name) __ASPEN_BY_ELEMENT(name, converted, native::name)
#define __ASPEN_HALF_PRECISION(name) __ASPEN_BY_ELEMENT(name, converted, half_precision::name)
namespace native {
__ASPEN_NATIVE_LIST_1(__ASPEN_NATIVE)
__ASPEN_NATIVE_LIST_2(__ASPEN_NATIVE)
} // namespace native
namespace half_precision {
__ASPEN_NATIVE_LIST_1(__ASPEN_HALF_PRECISION)
__ASPEN_NATIVE_LIST_2(__ASPEN_HALF_PRECISION)
} // namespace half_precision
#undef __ASPEN_NATIVE
#undef __ASPEN_HALF_PRECISION
#undef __ASPEN_KEPT
#undef __ASPEN_CONVERTED
#undef __ASPEN_BY_ELEMENT
#undef __ASPEN_NATIVE_LIST_1
#undef __ASPEN_NATIVE_LIST_2
#undef __ASPEN_MATH_LIST_1
#undef __ASPEN_MATH_LIST_2
#undef __ASPEN_MATH_LIST_3

// Their template argument is the type of the last function argument alone, so only calls that give it mean these. Source: SYCL 2020 §4.17.7.
template <class A, class = detail::if_elements<A>> auto step(typename detail::elements<A>::type edge, const detail::given_t<A> &a) {
  return sycl::step(edge, a);
}
template <class A, class = detail::if_elements<A>>
auto smoothstep(typename detail::elements<A>::type low, typename detail::elements<A>::type high, const detail::given_t<A> &a) {
  return sycl::smoothstep(low, high, a);
}

#define __ASPEN_COMPARED(name)                                                                                                            \
  template <class... A, class = detail::if_elements<A...>, class = detail::if_fitting<A...>> constexpr auto name(const A &...a) {          \
    return detail::compared([](const auto &...x) { return sycl::name(x...); }, a...);                                                      \
  }
__ASPEN_COMPARED(isnan)
__ASPEN_COMPARED(isinf)
__ASPEN_COMPARED(isfinite)
__ASPEN_COMPARED(isnormal)
__ASPEN_COMPARED(signbit)
__ASPEN_COMPARED(isequal)
__ASPEN_COMPARED(isnotequal)
__ASPEN_COMPARED(isgreater)
__ASPEN_COMPARED(isgreaterequal)
__ASPEN_COMPARED(isless)
__ASPEN_COMPARED(islessequal)
__ASPEN_COMPARED(islessgreater)
__ASPEN_COMPARED(isordered)
__ASPEN_COMPARED(isunordered)
#undef __ASPEN_COMPARED

// Whether the highest bit is set, or the bool is true, of any or all elements; of a vec as a number. Source: SYCL 2020 §4.17.9.
namespace detail {
template <class T> constexpr bool is_chosen(const T &x) {
  if constexpr (std::is_same_v<T, bool>)
    return x;
  else
    return static_cast<std::make_signed_t<T>>(x) < 0;
}
template <class A> using truth_of = std::conditional_t<elements<A>::is_marray, bool, int>;
} // namespace detail
template <class A, class = detail::if_elements<A>> constexpr detail::truth_of<A> any(const A &a) {
  bool out = false;
  for (int i = 0; i < detail::elements<A>::count; ++i)
    out = out || detail::is_chosen(a[i]);
  return out;
}
template <class A, class = detail::if_elements<A>> constexpr detail::truth_of<A> all(const A &a) {
  bool out = true;
  for (int i = 0; i < detail::elements<A>::count; ++i)
    out = out && detail::is_chosen(a[i]);
  return out;
}
template <class T> constexpr detail::if_integer<T, bool> any(T a) { return detail::is_chosen(a); }
template <class T> constexpr detail::if_integer<T, bool> all(T a) { return detail::is_chosen(a); }
namespace detail {
/// Whether elements of `C` choose among those of `S`: integers of their size, whose highest bit counts, or of an marray `bool`. Source: SYCL 2020
/// §4.17.9, constraints of select.
template <class C, class S> constexpr bool can_choose() {
  if constexpr (!elements<C>::any) {
    return false;
  } else {
    using T = typename elements<C>::type;
    return elements<C>::count == S::count && std::is_integral_v<T> && (std::is_same_v<T, bool> || sizeof(T) == sizeof(typename S::type));
  }
}
} // namespace detail
/// `b` where `c` chooses, else `a`.
template <class A, class B, class C, class = detail::if_elements<A, B>,
          class = std::enable_if_t<detail::fit_together<A, B> && detail::can_choose<C, detail::shape<A, B>>()>>
constexpr auto select(const A &a, const B &b, const C &c) {
  using S = detail::shape<A, B>;
  typename S::template of<typename S::type> out{};
  for (int i = 0; i < S::count; ++i)
    out[i] = detail::is_chosen(c[i]) ? detail::element<S, detail::beside::converted>(b, i)
                                     : detail::element<S, detail::beside::converted>(a, i);
  return out;
}

// --- with a second result, through a pointer or a multi_ptr ---

#define __ASPEN_SECOND_RESULT(name)                                                                                                       \
  template <class A, class P, class = detail::if_elements<A>> auto name(const A &a, P second) {                                            \
    return detail::by_element_with_second([](auto x, auto *to) { return sycl::name(x, to); }, *second, a);                                 \
  }
__ASPEN_SECOND_RESULT(fract)
__ASPEN_SECOND_RESULT(frexp)
__ASPEN_SECOND_RESULT(lgamma_r)
__ASPEN_SECOND_RESULT(modf)
__ASPEN_SECOND_RESULT(sincos)
#undef __ASPEN_SECOND_RESULT
template <class A, class B, class P, class = detail::if_elements<A, B>> auto remquo(const A &a, const B &b, P quotient) {
  return detail::by_element_with_second([](auto x, auto y, int *to) { return sycl::remquo(x, y, to); }, *quotient, a, b);
}

// --- geometric: of numbers, too, which are vectors of one element ---

namespace detail {
template <class A> inline constexpr bool is_geometric = elements<A>::any || std::is_floating_point_v<A> || is_half<A>;
template <class A> constexpr auto inner(const A &a, const A &b) {
  if constexpr (elements<A>::any) {
    using T = typename elements<A>::type;
    T sum = static_cast<T>(a[0] * b[0]);
    for (int i = 1; i < elements<A>::count; ++i)
      sum = static_cast<T>(sum + a[i] * b[i]);
    return sum;
  } else {
    return static_cast<A>(a * b);
  }
}
/// A swizzle as the vec it stands for.
template <class A> constexpr const A &as_vector(const A &a) { return a; }
template <class V, int... I> constexpr auto as_vector(const swizzled<V, I...> &a) {
  return vec<typename swizzled<V, I...>::element_type, sizeof...(I)>(a);
}
template <class A> constexpr float square_of_halves(const A &a) {
  float sum = 0;
  if constexpr (elements<A>::any)
    for (int i = 0; i < elements<A>::count; ++i)
      sum += static_cast<float>(a[i]) * static_cast<float>(a[i]);
  else
    sum = static_cast<float>(a) * static_cast<float>(a);
  return sum;
}
} // namespace detail
template <class A, class B, class = std::enable_if_t<detail::is_geometric<A> && detail::is_geometric<B>>>
constexpr auto dot(const A &a, const B &b) {
  return detail::inner(detail::as_vector(a), detail::as_vector(b));
}
template <class A, class = std::enable_if_t<detail::is_geometric<A>>> auto length(const A &of) {
  const auto a = detail::as_vector(of);
  // The squares of most halves are no halves.
  if constexpr (std::is_same_v<std::decay_t<decltype(dot(a, a))>, half>)
    return static_cast<half>(sycl::sqrt(detail::square_of_halves(a)));
  else
    return sycl::sqrt(dot(a, a));
}
template <class A, class B, class = std::enable_if_t<detail::is_geometric<A> && detail::is_geometric<B>>>
auto distance(const A &a, const B &b) {
  return sycl::length(detail::as_vector(a) - detail::as_vector(b));
}
template <class A, class = std::enable_if_t<detail::is_geometric<A>>> auto normalize(const A &of) {
  const auto a = detail::as_vector(of);
  if constexpr (std::is_same_v<std::decay_t<decltype(dot(a, a))>, half>) {
    const float size = sycl::sqrt(detail::square_of_halves(a));
    using S = detail::elements<std::decay_t<decltype(a)>>;
    auto out = a;
    if constexpr (S::any)
      for (int i = 0; i < S::count; ++i)
        out[i] = size == 0 ? a[i] : static_cast<half>(static_cast<float>(a[i]) / size);
    else
      out = size == 0 ? a : static_cast<half>(static_cast<float>(a) / size);
    return out;
  } else {
    const auto size = sycl::length(a);
    return size == decltype(size)(0) ? a : decltype(a)(a / size);
  }
}
template <class A, class B, class = detail::if_elements<A>, class = detail::if_elements<B>> constexpr auto cross(const A &a, const B &b) {
  using S = detail::elements<A>;
  static_assert(S::count == 3 || S::count == 4, "a cross product is of 3 or 4 elements");
  typename S::template of<typename S::type> out{};
  for (int i = 0; i < 3; ++i)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  return out;
}
template <class A, class B> auto fast_distance(const A &a, const B &b) { return sycl::distance(a, b); }
template <class A> auto fast_length(const A &a) { return sycl::length(a); }
template <class A> auto fast_normalize(const A &a) { return sycl::normalize(a); }

} // namespace sycl
