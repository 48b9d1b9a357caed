//! `annotated_ptr`: a pointer that carries properties in its type. No device here makes use of them, so it is a pointer.
//! Source: sycl_ext_oneapi_annotated_ptr.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <type_traits>
#include <utility>

#define SYCL_EXT_ONEAPI_ANNOTATED_PTR 1

namespace sycl::detail {
template <class A, class B> struct joined_properties;
template <class... A, class... B>
struct joined_properties<ext::oneapi::experimental::properties<A...>, ext::oneapi::experimental::properties<B...>> {
  using type = decltype(ext::oneapi::experimental::properties(std::declval<A>()..., std::declval<B>()...));
};
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

/// What the pointer points to lies at a multiple of so many bytes.
struct alignment_key {
  template <int Bytes> using value_t = property_value<alignment_key, std::integral_constant<int, Bytes>>;
};
template <int Bytes> inline constexpr alignment_key::value_t<Bytes> alignment;

/// What such a pointer points to; without properties that matter, a reference.
template <class T, class Properties = empty_properties_t> using annotated_ref = T &;

template <class T, class Properties = empty_properties_t> class annotated_ptr {
  static_assert(is_property_list_v<Properties>, "annotated_ptr takes a list of properties");

public:
  using reference = annotated_ref<T, Properties>;
  annotated_ptr() noexcept = default;
  template <class... P> explicit annotated_ptr(T *pointer, const P &...) noexcept : pointer_(pointer) {}
  template <class U, class Other, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
  explicit annotated_ptr(const annotated_ptr<U, Other> &other) noexcept : pointer_(other.get()) {}
  /// With further properties.
  template <class Other, class... P>
  annotated_ptr(const annotated_ptr<T, Other> &other, const properties<P...> &) noexcept : pointer_(other.get()) {}
  T &operator*() const { return *pointer_; }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>> T &operator[](I i) const { return pointer_[i]; }
  T *operator->() const { return pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  operator T *() const { return pointer_; }
  T *get() const { return pointer_; }
  annotated_ptr &operator=(T *pointer) { return pointer_ = pointer, *this; }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>> annotated_ptr operator+(I by) const { return annotated_ptr(pointer_ + by); }
  annotated_ptr &operator++() { return ++pointer_, *this; }
  annotated_ptr operator++(int) { return annotated_ptr(pointer_++); }
  annotated_ptr &operator--() { return --pointer_, *this; }
  annotated_ptr operator--(int) { return annotated_ptr(pointer_--); }
  std::ptrdiff_t operator-(const annotated_ptr &other) const { return pointer_ - other.pointer_; }
  template <class Key> static constexpr bool has_property() { return Properties::template has_property<Key>(); }
  template <class Key> static constexpr auto get_property() { return Properties::template get_property<Key>(); }

private:
  T *pointer_ = nullptr;
};
template <class T> annotated_ptr(T *) -> annotated_ptr<T>;
template <class T, class... P> annotated_ptr(T *, properties<P...>) -> annotated_ptr<T, properties<P...>>;
template <class T, class Own, class... P>
annotated_ptr(annotated_ptr<T, Own>, properties<P...>)
    -> annotated_ptr<T, typename sycl::detail::joined_properties<std::remove_cv_t<Own>, properties<P...>>::type>;
template <class T, class First, class... Rest, class = std::enable_if_t<!is_property_list_v<First>>>
annotated_ptr(T *, First, Rest...) -> annotated_ptr<T, decltype(properties(std::declval<First>(), std::declval<Rest>()...))>;

} // namespace sycl::ext::oneapi::experimental
