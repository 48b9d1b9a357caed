//! `sycl::vec`. Elements lie in an array, so that a vec of half or double needs what its elements need, and code generators still make
//! vector instructions of it. Source: SYCL 2020 §4.14.2.
#pragma once
#include <cstring>
#include <sycl/detail/conversion.hpp>
#include <type_traits>

namespace sycl {

namespace detail {

/// The vec in which `a op b` is computed; no type when the two do not fit.
template <class A, class B, class = void> struct common_vec {};
template <class A, class B, bool = is_vector<A> && is_vector<B>> inline constexpr bool are_alike = false;
template <class A, class B>
inline constexpr bool are_alike<A, B, true> = elements_of<A>::count == elements_of<B>::count &&
                                              std::is_same_v<typename elements_of<A>::element, typename elements_of<B>::element>;
template <class A, class B> struct common_vec<A, B, std::enable_if_t<are_alike<A, B>>> {
  using type = vec<typename elements_of<A>::element, elements_of<A>::count>;
};
/// Whether `B` is a number beside `A`: also what has one element, which converts to it.
template <class A, class B> inline constexpr bool is_beside = is_vector<A> && (!is_vector<B> || (elements_of<B>::count == 1 && elements_of<A>::count > 1));
template <class A, class B>
struct common_vec<A, B, std::enable_if_t<is_beside<A, B> && std::is_convertible_v<B, typename elements_of<A>::element>>> {
  using type = vec<typename elements_of<A>::element, elements_of<A>::count>;
};
template <class A, class B>
struct common_vec<A, B, std::enable_if_t<is_beside<B, A> && std::is_convertible_v<A, typename elements_of<B>::element>>> {
  using type = vec<typename elements_of<B>::element, elements_of<B>::count>;
};
template <class A, class B> using common_vec_t = typename common_vec<A, B>::type;

/// Comparisons give -1 and 0 in integers of the elements' size.
template <size_t Size> struct mask_element;
template <> struct mask_element<1> { using type = std::int8_t; };
template <> struct mask_element<2> { using type = std::int16_t; };
template <> struct mask_element<4> { using type = std::int32_t; };
template <> struct mask_element<8> { using type = std::int64_t; };

/// The i-th element of a vector-like value, its only one, or the number itself.
template <class T, class A> constexpr T element_at(const A &a, int i) {
  if constexpr (is_vector<A>)
    return a[elements_of<A>::count == 1 ? 0 : i];
  else
    return ((void)i, static_cast<T>(a));
}

/// clang's own vector of as many numbers, which device code alone may name; of other elements none.
template <class T, int N, class = void> struct native_vector { using type = void; };
#if defined(__SYCL_DEVICE_ONLY__)
template <class T, int N> struct native_vector<T, N, std::enable_if_t<(N > 1) && std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>> {
  using type = T __attribute__((ext_vector_type(N)));
};
#endif

/// What a vec of that many elements converts to. Source: SYCL 2020 §4.14.2.1, `operator DataT()`, `operator vector_t()`.
/// The bases are the same in all passes, which are compared.
template <class V, class T, int N, class Native = typename native_vector<T, N>::type> struct converted : only_element<V, T, N> {
  using vector_t = Native;
  operator vector_t() const { return __builtin_bit_cast(vector_t, static_cast<const V &>(*this)); }
};
template <class V, class T, int N> struct converted<V, T, N, void> : only_element<V, T, N> {};

} // namespace detail

template <class T, int N> class vec : public detail::converted<vec<T, N>, T, N> {
  static_assert(N == 1 || N == 2 || N == 3 || N == 4 || N == 8 || N == 16, "a vec has 1, 2, 3, 4, 8 or 16 elements");
  static constexpr int room = N == 3 ? 4 : N;

public:
  using element_type = T;
  using value_type = T;

  /// Trivial, so that unions and arrays may hold vectors; `vec()` has zeros.
  vec() = default;
  constexpr vec(const vec &) = default;
  constexpr vec &operator=(const vec &) = default;
  /// All elements alike; one element of another vector is a number, too.
  template <class U, std::enable_if_t<(detail::gives_one<U, T> || detail::gives_half<U, T>)&&N != 1, int> = 0>
  explicit constexpr vec(const U &all) : data_{} {
    for (int i = 0; i < N; ++i)
      data_[i] = detail::one_of<T>(all);
  }
  template <class U, std::enable_if_t<!detail::is_vector<U> && std::is_convertible_v<U, T> && N == 1, int> = 0, class = void>
  constexpr vec(const U &only) : data_{static_cast<T>(only)} {}
  template <class U, std::enable_if_t<N == 1 && detail::is_vector<U> && detail::gives_one<U, T>, int> = 0>
  explicit constexpr vec(const U &only) : data_{detail::one_of<T>(only)} {}
  template <class V, std::enable_if_t<std::is_same_v<V, typename detail::native_vector<T, N>::type>, int> = 0, class = void, class = void>
  vec(const V &native) : vec(__builtin_bit_cast(vec, native)) {}
  /// Numbers and vectors, N elements in all.
  template <class A, class B, class... Rest,
            std::enable_if_t<((detail::elements_of<A>::count + detail::elements_of<B>::count) + ... + detail::elements_of<Rest>::count) ==
                                 N,
                             int> = 0>
  constexpr vec(const A &a, const B &b, const Rest &...rest) : data_{} {
    int next = 0;
    put(next, a);
    put(next, b);
    (put(next, rest), ...);
  }
  template <class U, std::enable_if_t<detail::gives_one<U, T>, int> = 0> constexpr vec &operator=(const U &all) {
    return *this = from(detail::one_of<T>(all));
  }

  static constexpr size_t byte_size() noexcept { return sizeof(vec); }
  static constexpr size_t size() noexcept { return N; }
  static constexpr size_t get_size() { return sizeof(vec); }
  static constexpr size_t get_count() { return N; }

  constexpr T &operator[](int i) { return data_[i]; }
  constexpr const T &operator[](int i) const { return data_[i]; }

#define __ASPEN_VEC_ELEMENT(name, i)                                                                                                      \
  template <int M = N, std::enable_if_t<(M > i), int> = 0> constexpr T &name() & { return data_[i]; }                                      \
  template <int M = N, std::enable_if_t<(M > i), int> = 0> constexpr const T &name() const & { return data_[i]; }                          \
  template <int M = N, std::enable_if_t<(M > i), int> = 0> constexpr T name() && { return data_[i]; }
  __ASPEN_ELEMENTS(__ASPEN_VEC_ELEMENT)
#undef __ASPEN_VEC_ELEMENT

  // Of a vector that is about to end, a copy: that of a constant one may be the next's. It is const, since what is written there would be lost.
  template <int... I> constexpr auto swizzle() & {
    detail::check_indices<N, I...>();
    return detail::swizzled<vec, I...>(*this);
  }
  template <int... I> constexpr const auto swizzle() const & {
    detail::check_indices<N, I...>();
    return vec<T, sizeof...(I)>(data_[I]...);
  }
  constexpr auto lo() & { return half_of<0, 1>(*this); }
  constexpr const auto lo() const & { return half_of<0, 1>(*this); }
  constexpr auto hi() & { return half_of<room / 2, 1>(*this); }
  constexpr const auto hi() const & { return half_of<room / 2, 1>(*this); }
  constexpr auto even() & { return half_of<0, 2>(*this); }
  constexpr const auto even() const & { return half_of<0, 2>(*this); }
  constexpr auto odd() & { return half_of<1, 2>(*this); }
  constexpr const auto odd() const & { return half_of<1, 2>(*this); }

#if defined(SYCL_SIMPLE_SWIZZLES)
#define __ASPEN_S2(p, q)                                                                                                                  \
  constexpr auto p##q() & { return swizzle<elem::p, elem::q>(); }                                                                            \
  constexpr const auto p##q() const & { return swizzle<elem::p, elem::q>(); }
#define __ASPEN_S3(p, q, r)                                                                                                               \
  constexpr auto p##q##r() & { return swizzle<elem::p, elem::q, elem::r>(); }                                                                \
  constexpr const auto p##q##r() const & { return swizzle<elem::p, elem::q, elem::r>(); }
#define __ASPEN_S4(p, q, r, s)                                                                                                            \
  constexpr auto p##q##r##s() & { return swizzle<elem::p, elem::q, elem::r, elem::s>(); }                                                    \
  constexpr const auto p##q##r##s() const & { return swizzle<elem::p, elem::q, elem::r, elem::s>(); }
  __ASPEN_SIMPLE_SWIZZLES
#undef __ASPEN_S2
#undef __ASPEN_S3
#undef __ASPEN_S4
#endif

  /// Element by element, in the direction of `Mode`; `automatic` is the rounding of the elements' type, which is to the nearest for floating-point
  /// ones. Source: SYCL 2020 §4.14.2.3.
  template <class U, rounding_mode Mode = rounding_mode::automatic> constexpr vec<U, N> convert() const {
    vec<U, N> out{};
    for (int i = 0; i < N; ++i)
      out[i] = detail::convert_element<U, Mode>(data_[i]);
    return out;
  }
  /// The same bytes as another type.
  template <class V> V as() const {
    static_assert(sizeof(V) == sizeof(vec), "as<V>() needs a type of the same size");
    return __builtin_bit_cast(V, *this);
  }
  void load(size_t offset, const T *from) { std::memcpy(data_, from + offset * N, N * sizeof(T)); }
  void store(size_t offset, T *to) const { std::memcpy(to + offset * N, data_, N * sizeof(T)); }
  template <access::address_space S, access::decorated E> void load(size_t offset, multi_ptr<const T, S, E> from) { load(offset, from.get()); }
  template <access::address_space S, access::decorated E> void load(size_t offset, multi_ptr<T, S, E> from) { load(offset, from.get()); }
  template <access::address_space S, access::decorated E> void store(size_t offset, multi_ptr<T, S, E> to) const { store(offset, to.get()); }
  /// Accessors, of one dimension or more, as DPC++ takes them.
  template <class A> auto load(size_t offset, const A &from) -> decltype(load(offset, from.template get_multi_ptr<access::decorated::no>())) {
    load(offset, from.template get_multi_ptr<access::decorated::no>());
  }
  template <class A> auto store(size_t offset, const A &to) const -> decltype(store(offset, to.template get_multi_ptr<access::decorated::no>())) {
    store(offset, to.template get_multi_ptr<access::decorated::no>());
  }

#define __ASPEN_VEC_ASSIGNMENT(op)                                                                                                        \
  template <class B = vec, class W = vec> constexpr auto operator op##=(const B &b)->decltype((void)(std::declval<W &>() op b), *this) {      \
    return *this = *this op b;                                                                                                             \
  }
  __ASPEN_VEC_ASSIGNMENT(+)
  __ASPEN_VEC_ASSIGNMENT(-)
  __ASPEN_VEC_ASSIGNMENT(*)
  __ASPEN_VEC_ASSIGNMENT(/)
  __ASPEN_VEC_ASSIGNMENT(%)
  __ASPEN_VEC_ASSIGNMENT(&)
  __ASPEN_VEC_ASSIGNMENT(|)
  __ASPEN_VEC_ASSIGNMENT(^)
  __ASPEN_VEC_ASSIGNMENT(<<)
  __ASPEN_VEC_ASSIGNMENT(>>)
#undef __ASPEN_VEC_ASSIGNMENT
  template <class U = T, std::enable_if_t<detail::is_counter<U>, int> = 0> constexpr vec &operator++() { return *this += T(1); }
  template <class U = T, std::enable_if_t<detail::is_counter<U>, int> = 0> constexpr vec &operator--() { return *this -= T(1); }
  template <class U = T, std::enable_if_t<detail::is_counter<U>, int> = 0> constexpr vec operator++(int) {
    vec old(*this);
    ++*this;
    return old;
  }
  template <class U = T, std::enable_if_t<detail::is_counter<U>, int> = 0> constexpr vec operator--(int) {
    vec old(*this);
    --*this;
    return old;
  }
  template <class U = T, std::enable_if_t<detail::is_numeric<U>, int> = 0> friend constexpr vec operator+(const vec &v) { return v; }
  template <class U = T, std::enable_if_t<detail::is_numeric<U>, int> = 0> friend constexpr vec operator-(const vec &v) {
    return v.each([](const T &e) { return static_cast<T>(-e); });
  }
  template <class U = T> friend constexpr std::enable_if_t<detail::is_bits<U> && std::is_same_v<U, T>, vec<U, N>> operator~(const vec<U, N> &v) {
    return v.each([](const U &e) { return static_cast<U>(~e); });
  }
  friend constexpr auto operator!(const vec &v) { return v == T(0); }

  /// For the library: `function` of every element.
  template <class F> constexpr vec each(F function) const {
    vec out{};
    for (int i = 0; i < N; ++i)
      out.data_[i] = function(data_[i]);
    return out;
  }
  /// For the library: a vec of a number or of something vector-like.
  template <class B> static constexpr vec from(const B &b) {
    static_assert(detail::elements_of<B>::count == N || detail::elements_of<B>::count == 1, "the vectors have different numbers of elements");
    vec out{};
    for (int i = 0; i < N; ++i)
      out.data_[i] = detail::element_at<T>(b, i);
    return out;
  }

private:
  template <class A> constexpr void put(int &next, const A &a) {
    for (int i = 0; i < detail::elements_of<A>::count; ++i)
      data_[next++] = detail::element_at<T>(a, i);
  }
  /// Half of the elements: writes through unless the vector is constant.
  template <int From, int Step, class V> static constexpr auto half_of(V &of) {
    if constexpr (room == 1)
      return vec(of);
    else
      return half_of<From, Step>(of, std::make_integer_sequence<int, room / 2>());
  }
  template <int From, int Step, class V, int... I> static constexpr auto half_of(V &of, std::integer_sequence<int, I...>) {
    if constexpr (std::is_const_v<V>)
      return vec<T, sizeof...(I)>(of.data_[From + Step * I]...);
    else
      return detail::swizzled<vec, (From + Step * I)...>(of);
  }
  // As the hardware's vectors: three elements take the room of four.
  alignas(sizeof(T) * room > 64 ? 64 : sizeof(T) * room) T data_[room];
};

template <class T, class... U, class = std::enable_if_t<!detail::is_vector<T> && (std::is_same_v<T, U> && ...)>>
vec(T, U...) -> vec<T, static_cast<int>(sizeof...(U)) + 1>;

// --- operators on vecs, swizzles and numbers ---

#define __ASPEN_VEC_OPERATOR(op, needed)                                                                                                  \
  template <class A, class B, class V = detail::common_vec_t<A, B>, std::enable_if_t<detail::needed<typename V::element_type>, int> = 0>   \
  constexpr V operator op(const A &a, const B &b) {                                                                                        \
    using T = typename V::element_type;                                                                                                    \
    V out{};                                                                                                                               \
    for (int i = 0; i < static_cast<int>(V::size()); ++i)                                                                                  \
      out[i] = static_cast<T>(detail::element_at<T>(a, i) op detail::element_at<T>(b, i));                                                 \
    return out;                                                                                                                            \
  }
__ASPEN_VEC_OPERATOR(+, is_numeric)
__ASPEN_VEC_OPERATOR(-, is_numeric)
__ASPEN_VEC_OPERATOR(*, is_numeric)
__ASPEN_VEC_OPERATOR(/, is_numeric)
__ASPEN_VEC_OPERATOR(%, is_whole)
__ASPEN_VEC_OPERATOR(&, is_bits)
__ASPEN_VEC_OPERATOR(|, is_bits)
__ASPEN_VEC_OPERATOR(^, is_bits)
__ASPEN_VEC_OPERATOR(<<, is_whole)
__ASPEN_VEC_OPERATOR(>>, is_whole)
#undef __ASPEN_VEC_OPERATOR

/// Bytes are shifted by a number, as std::byte is.
#define __ASPEN_VEC_BYTE_SHIFT(op)                                                                                                        \
  template <class A, class By, class Byte = typename detail::elements_of<A>::element,                                                      \
            std::enable_if_t<std::is_same_v<Byte, std::byte> && std::is_integral_v<By>, int> = 0>                                          \
  constexpr vec<Byte, detail::elements_of<A>::count> operator op(const A &a, const By &by) {                                               \
    vec<Byte, detail::elements_of<A>::count> out{};                                                                                        \
    for (int i = 0; i < detail::elements_of<A>::count; ++i)                                                                                \
      out[i] = a[i] op by;                                                                                                                 \
    return out;                                                                                                                            \
  }
__ASPEN_VEC_BYTE_SHIFT(<<)
__ASPEN_VEC_BYTE_SHIFT(>>)
#undef __ASPEN_VEC_BYTE_SHIFT

#define __ASPEN_VEC_COMPARISON(op, needed)                                                                                                \
  template <class A, class B, class V = detail::common_vec_t<A, B>, std::enable_if_t<detail::needed<typename V::element_type>, int> = 0>   \
  constexpr auto operator op(const A &a, const B &b) {                                                                                     \
    using T = typename V::element_type;                                                                                                    \
    using M = typename detail::mask_element<sizeof(T)>::type;                                                                              \
    vec<M, static_cast<int>(V::size())> out{};                                                                                               \
    for (int i = 0; i < static_cast<int>(V::size()); ++i)                                                                                  \
      out[i] = (detail::element_at<T>(a, i) op detail::element_at<T>(b, i)) ? M(-1) : M(0);                                                \
    return out;                                                                                                                            \
  }
__ASPEN_VEC_COMPARISON(==, is_element)
__ASPEN_VEC_COMPARISON(!=, is_element)
__ASPEN_VEC_COMPARISON(<, is_element)
__ASPEN_VEC_COMPARISON(>, is_element)
__ASPEN_VEC_COMPARISON(<=, is_element)
__ASPEN_VEC_COMPARISON(>=, is_element)
__ASPEN_VEC_COMPARISON(&&, is_numeric)
__ASPEN_VEC_COMPARISON(||, is_numeric)
#undef __ASPEN_VEC_COMPARISON

/// Whether any (all) elements have their highest bit set, as comparisons leave it.
template <class T, int N> constexpr int any(const vec<T, N> &v) {
  for (int i = 0; i < N; ++i)
    if (v[i] < T(0))
      return 1;
  return 0;
}
template <class T, int N> constexpr int all(const vec<T, N> &v) {
  for (int i = 0; i < N; ++i)
    if (!(v[i] < T(0)))
      return 0;
  return 1;
}

#define __ASPEN_VEC_ALIASES(name, T)                                                                                                      \
  using name##2 = vec<T, 2>;                                                                                                               \
  using name##3 = vec<T, 3>;                                                                                                               \
  using name##4 = vec<T, 4>;                                                                                                               \
  using name##8 = vec<T, 8>;                                                                                                               \
  using name##16 = vec<T, 16>;
__ASPEN_VEC_ALIASES(char, std::int8_t)
__ASPEN_VEC_ALIASES(uchar, std::uint8_t)
__ASPEN_VEC_ALIASES(short, std::int16_t)
__ASPEN_VEC_ALIASES(ushort, std::uint16_t)
__ASPEN_VEC_ALIASES(int, std::int32_t)
__ASPEN_VEC_ALIASES(uint, std::uint32_t)
__ASPEN_VEC_ALIASES(long, std::int64_t)
__ASPEN_VEC_ALIASES(ulong, std::uint64_t)
__ASPEN_VEC_ALIASES(float, float)
__ASPEN_VEC_ALIASES(double, double)
__ASPEN_VEC_ALIASES(half, half)
#undef __ASPEN_VEC_ALIASES
#undef __ASPEN_ELEMENTS
#undef __ASPEN_E4
#undef __ASPEN_E3F
#undef __ASPEN_E3
#undef __ASPEN_E2F
#undef __ASPEN_E2
#undef __ASPEN_E
#undef __ASPEN_SIMPLE_SWIZZLES

} // namespace sycl
