//! `annotated_arg`: an argument of a kernel that carries properties in its type. No device here makes use of them, so it is its value.
//! Source: sycl_ext_oneapi_annotated_arg.
#pragma once
#include <cstddef>
#include <sycl/device_copyable.hpp>
#include <sycl/ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp>

#define SYCL_EXT_ONEAPI_ANNOTATED_ARG 1

namespace sycl::detail {
/// The properties of both lists, each once.
template <class... P> using list_of = ext::oneapi::experimental::properties<P...>;
template <class, class> struct merged_properties;
template <class... P> struct merged_properties<list_of<P...>, list_of<>> {
  using type = decltype(ext::oneapi::experimental::properties(std::declval<P>()...));
};
template <class... P, class First, class... Rest>
struct merged_properties<list_of<P...>, list_of<First, Rest...>>
    : std::conditional_t<is_one_of<First, P...>, merged_properties<list_of<P...>, list_of<Rest...>>,
                         merged_properties<list_of<P..., First>, list_of<Rest...>>> {};
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class T, class Properties = empty_properties_t> class annotated_arg {
  static_assert(is_property_list_v<Properties>, "annotated_arg takes a list of properties");

public:
  annotated_arg() noexcept = default;
  template <class... P> annotated_arg(const T &value, const P &...) noexcept : value_(value) {}
  template <class U, class Other, class... P, class = std::enable_if_t<std::is_convertible_v<U, T>>>
  explicit annotated_arg(const annotated_arg<U, Other> &other, const P &...) noexcept : value_(static_cast<U>(other)) {}
  operator T() const noexcept { return value_; }
  template <class U = T, class = std::enable_if_t<std::is_pointer_v<U>>> U operator->() const noexcept { return value_; }
  template <class U = T> auto operator[](std::ptrdiff_t i) const noexcept -> decltype(std::declval<const U &>()[i]) { return value_[i]; }
  template <class Key> static constexpr bool has_property() { return Properties::template has_property<Key>(); }
  template <class Key> static constexpr auto get_property() { return Properties::template get_property<Key>(); }

private:
  T value_{};
};
template <class T> annotated_arg(T) -> annotated_arg<T>;
template <class T, class... P> annotated_arg(T, properties<P...>) -> annotated_arg<T, properties<P...>>;
template <class T, class First, class... Rest, class = std::enable_if_t<!is_property_list_v<First>>>
annotated_arg(T, First, Rest...) -> annotated_arg<T, decltype(properties(std::declval<First>(), std::declval<Rest>()...))>;
template <class T, class Of, class... P>
annotated_arg(annotated_arg<T, Of>, properties<P...>)
    -> annotated_arg<T, typename sycl::detail::merged_properties<Of, properties<P...>>::type>;

// Operators of classes that are templates find no conversion. DPC++'s has these; the extension's text does not speak of them.
#define __ASPEN_OF_VALUES(op)                                                                                                             \
  template <class T, class P, class U, class Q>                                                                                            \
  auto operator op(const annotated_arg<T, P> &a, const annotated_arg<U, Q> &b) -> decltype(std::declval<T>() op std::declval<U>()) {       \
    return static_cast<T>(a) op static_cast<U>(b);                                                                                         \
  }                                                                                                                                        \
  template <class T, class P> auto operator op(const annotated_arg<T, P> &a, const T &b) -> decltype(std::declval<T>() op b) {             \
    return static_cast<T>(a) op b;                                                                                                         \
  }                                                                                                                                        \
  template <class T, class P> auto operator op(const T &a, const annotated_arg<T, P> &b) -> decltype(a op std::declval<T>()) {             \
    return a op static_cast<T>(b);                                                                                                         \
  }
__ASPEN_OF_VALUES(+)
__ASPEN_OF_VALUES(-)
__ASPEN_OF_VALUES(*)
__ASPEN_OF_VALUES(/)
__ASPEN_OF_VALUES(%)
__ASPEN_OF_VALUES(&)
__ASPEN_OF_VALUES(|)
__ASPEN_OF_VALUES(^)
__ASPEN_OF_VALUES(<<)
__ASPEN_OF_VALUES(>>)
#undef __ASPEN_OF_VALUES

} // namespace sycl::ext::oneapi::experimental

template <class T, class Properties>
struct sycl::is_device_copyable<sycl::ext::oneapi::experimental::annotated_arg<T, Properties>> : sycl::is_device_copyable<T> {};
