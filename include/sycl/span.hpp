//! `sycl::span`: a view of contiguous elements, as C++20's `std::span`, for C++17 too. Source: SYCL 2020 §4.4.
#pragma once
#include <cstddef>
#include <iterator>
#include <sycl/detail/config.hpp>
#include <type_traits>

namespace std {
template <class, size_t> struct array;
} // namespace std

namespace sycl {

inline constexpr size_t dynamic_extent = ~size_t(0);

template <class T, size_t Extent = dynamic_extent> class span;

namespace detail {
template <class T> inline constexpr bool is_span = false;
template <class T, size_t E> inline constexpr bool is_span<span<T, E>> = true;
/// How many elements a container always has, if its type says it.
template <class C> inline constexpr size_t extent_of = dynamic_extent;
template <class T, size_t N> inline constexpr size_t extent_of<std::array<T, N>> = N;
template <class T, size_t N> inline constexpr size_t extent_of<const std::array<T, N>> = N;
template <class C, size_t Extent>
inline constexpr bool has_extent = Extent == dynamic_extent || extent_of<C> == dynamic_extent || extent_of<C> == Extent;
/// A container of Us whose elements a span of Ts may view.
template <class C, class T, class = void> inline constexpr bool spans = false;
template <class C, class T>
inline constexpr bool
    spans<C, T, std::void_t<decltype(std::data(std::declval<C &>())), decltype(std::size(std::declval<C &>()))>> =
        !is_span<std::remove_cv_t<C>> && !std::is_array_v<C> &&
        std::is_convertible_v<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))> (*)[], T (*)[]>;
template <size_t Extent> struct span_size {
  constexpr explicit span_size(size_t) {}
  static constexpr size_t value = Extent;
};
template <> struct span_size<dynamic_extent> {
  constexpr explicit span_size(size_t n) : value(n) {}
  size_t value;
};
} // namespace detail

template <class T, size_t Extent> class span {
public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using const_pointer = const T *;
  using reference = T &;
  using const_reference = const T &;
  using iterator = T *;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr size_t extent = Extent;

  template <size_t E = Extent, std::enable_if_t<E == 0 || E == dynamic_extent, int> = 0> constexpr span() noexcept : first_(nullptr), size_(0) {}
  constexpr span(T *first, size_t count) : first_(first), size_(count) {}
  constexpr span(T *first, T *last) : first_(first), size_(static_cast<size_t>(last - first)) {}
  template <size_t N, std::enable_if_t<Extent == dynamic_extent || Extent == N, int> = 0>
  constexpr span(T (&array)[N]) noexcept : first_(array), size_(N) {}
  template <class C, std::enable_if_t<detail::spans<C, T> && detail::has_extent<C, Extent>, int> = 0>
  constexpr span(C &container) : first_(std::data(container)), size_(std::size(container)) {}
  template <class C, std::enable_if_t<std::is_const_v<T> && detail::spans<const C, T> && detail::has_extent<C, Extent>, int> = 0>
  constexpr span(const C &container) : first_(std::data(container)), size_(std::size(container)) {}
  template <class U, size_t E,
            std::enable_if_t<(Extent == dynamic_extent || E == dynamic_extent || E == Extent) && std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  constexpr span(const span<U, E> &other) noexcept : first_(other.data()), size_(other.size()) {}

  constexpr T *data() const noexcept { return first_; }
  constexpr size_t size() const noexcept { return size_.value; }
  constexpr size_t size_bytes() const noexcept { return size() * sizeof(T); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr T &operator[](size_t i) const { return first_[i]; }
  constexpr T &front() const { return first_[0]; }
  constexpr T &back() const { return first_[size() - 1]; }
  constexpr iterator begin() const noexcept { return first_; }
  constexpr iterator end() const noexcept { return first_ + size(); }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  template <size_t N> constexpr span<T, N> first() const { return {first_, N}; }
  constexpr span<T> first(size_t n) const { return {first_, n}; }
  template <size_t N> constexpr span<T, N> last() const { return {first_ + (size() - N), N}; }
  constexpr span<T> last(size_t n) const { return {first_ + (size() - n), n}; }
  template <size_t Offset, size_t Count = dynamic_extent> constexpr auto subspan() const {
    constexpr size_t left = Extent == dynamic_extent ? dynamic_extent : Extent - Offset;
    return span<T, Count == dynamic_extent ? left : Count>(first_ + Offset, Count == dynamic_extent ? size() - Offset : Count);
  }
  constexpr span<T> subspan(size_t offset, size_t count = dynamic_extent) const {
    return {first_ + offset, count == dynamic_extent ? size() - offset : count};
  }

private:
  T *first_;
  detail::span_size<Extent> size_;
};

template <class T> span(T *, size_t) -> span<T>;
template <class T> span(T *, T *) -> span<T>;
template <class T, size_t N> span(T (&)[N]) -> span<T, N>;
template <class T, size_t N> span(std::array<T, N> &) -> span<T, N>;
template <class T, size_t N> span(const std::array<T, N> &) -> span<const T, N>;
template <class C> span(C &) -> span<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;

/// The bytes of all elements.
template <class T, size_t E> auto as_bytes(span<T, E> of) noexcept {
  return span<const std::byte, (E == dynamic_extent ? E : E * sizeof(T))>(reinterpret_cast<const std::byte *>(of.data()), of.size_bytes());
}
template <class T, size_t E, std::enable_if_t<!std::is_const_v<T>, int> = 0> auto as_writable_bytes(span<T, E> of) noexcept {
  return span<std::byte, (E == dynamic_extent ? E : E * sizeof(T))>(reinterpret_cast<std::byte *>(of.data()), of.size_bytes());
}

} // namespace sycl
