//! `device_global`: a variable of namespace scope, or a static member, that each device has a value of its own of. Kernels use it by its
//! name, the host copies to and from it. Source: sycl_ext_oneapi_device_global.
//!
//! The value lies in memory that the runtime allocates for a device; what an image holds is a pointer, which the runtime fills before
//! kernels of the image run. With `device_image_scope` the value itself lies in the image. The compiler's plugin finds such variables by
//! the member type `aspen_device_global`, and has the host's code tell the runtime of them (docs/decisions/0031).
#pragma once
#include <cstddef>
#include <sycl/device_copyable.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/device_global/properties.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/queue.hpp>
#include <utility>

#define SYCL_EXT_ONEAPI_DEVICE_GLOBAL 1

namespace sycl::detail {

/// What the plugin reads: the size of the value, whether it lies in the image, and where the variable on the host has its initial value.
template <size_t Size, bool ImageScope, size_t InitialAt> struct device_global_facts {};

/// The host has a variable of that name, too, for its address and the initial value; it is no value that a kernel has written.
[[noreturn]] inline void device_global_on_host() {
  fail(errc::invalid, "a device_global has its values on devices: the host copies them by queue::copy or queue::memcpy");
}

// Of global memory, which code generators else do not know.
#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_PTX__) || defined(__ASPEN_AMDGCN__)
template <class T> using device_global_pointer = __attribute__((opencl_global)) T *;
#else
template <class T> using device_global_pointer = T *;
#endif

/// Memory of the runtime, one value a device.
template <class T, bool ImageScope> class device_global_value {
  device_global_pointer<T> pointer_ = nullptr;
  T initial_{};
  template <class, bool> friend class device_global_value;

public:
  using aspen_device_global = device_global_facts<sizeof(T), false, (sizeof(void *) > alignof(T) ? sizeof(void *) : alignof(T))>;

  constexpr device_global_value() = default;
  template <class... A> constexpr explicit device_global_value(std::in_place_t, A &&...a) : initial_{std::forward<A>(a)...} {}
  template <class U> constexpr explicit device_global_value(const device_global_value<U, false> &other) : initial_(other.initial_) {}
  template <class U> constexpr explicit device_global_value(const device_global_value<U, true> &other) : initial_(other.value_) {}
  T *aspen_address() const { return (T *)pointer_; }
};

/// Memory of the image.
template <class T> class device_global_value<T, true> {
  T value_{};
  template <class, bool> friend class device_global_value;

public:
  using aspen_device_global = device_global_facts<sizeof(T), true, 0>;

  constexpr device_global_value() = default;
  template <class... A> constexpr explicit device_global_value(std::in_place_t, A &&...a) : value_{std::forward<A>(a)...} {}
  device_global_value(const device_global_value &) = delete;
  T *aspen_address() const { return const_cast<T *>(&value_); }
  constexpr const T &aspen_initial() const { return value_; }
};

template <class T> inline constexpr bool is_device_global = false;
template <class T, class P> inline constexpr bool is_device_global<ext::oneapi::experimental::device_global<T, P>> = true;

template <class Properties, class Key> struct property_of;
template <class... P, class Key> struct property_of<ext::oneapi::experimental::properties<P...>, Key> {
  using type = decltype(find_property<Key, P...>::type::property);
};
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class T, class Properties = empty_properties_t>
class device_global : sycl::detail::device_global_value<T, has_property_v<Properties, device_image_scope_key>> {
  static_assert(is_property_list_v<Properties>, "device_global takes a list of properties");
  static_assert(std::is_trivially_destructible_v<T>, "the type of a device_global is trivially destructible");
  static_assert(is_device_copyable_v<T>, "the type of a device_global is device-copyable: its bytes go to devices and come back");
  static_assert(alignof(T) <= 128, "values of a device_global lie at multiples of 128 bytes, so its type can ask for no more");
  static_assert(sizeof(T) <= 0xffffffff, "a device_global has less than 4 GiB");
  static constexpr bool image_scope_ = has_property_v<Properties, device_image_scope_key>;
  using value = sycl::detail::device_global_value<T, image_scope_>;
  template <class, class> friend class device_global;

public:
  using element_type = std::remove_extent_t<T>;
  using typename value::aspen_device_global;

#if __cpp_consteval
  /// The initial value is `T{arguments…}`.
  template <class... A, class = std::enable_if_t<sizeof...(A) != 1 || !(sycl::detail::is_device_global<std::decay_t<A>> || ...)>>
  consteval explicit device_global(A &&...arguments) : value(std::in_place, std::forward<A>(arguments)...) {}
#else
  static_assert(std::is_trivially_default_constructible_v<T>, "the type of a device_global is trivially default constructible before C++20");
  /// The initial value is zero.
  constexpr device_global() = default;
#endif
  /// The initial value is the other's; not for a variable that lies in an image.
  constexpr device_global(const device_global &) = default;
  template <class U, class Other, class = std::enable_if_t<!image_scope_ && std::is_convertible_v<U, T>>>
  constexpr device_global(const device_global<U, Other> &other)
      : value(static_cast<const typename device_global<U, Other>::value &>(other)) {}
  device_global(const device_global &&) = delete;
  device_global &operator=(const device_global &) = delete;
  device_global &operator=(const device_global &&) = delete;

  template <access::decorated Decorated> multi_ptr<T, access::address_space::global_space, Decorated> get_multi_ptr() noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(&get());
  }
  template <access::decorated Decorated> multi_ptr<const T, access::address_space::global_space, Decorated> get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(&get());
  }

  /// The value on the device that asks.
  T &get() noexcept { return *here(); }
  /// In a constant expression, the initial value of a variable that lies in an image, as in DPC++.
  constexpr const T &get() const noexcept {
    if constexpr (image_scope_)
      if (__builtin_is_constant_evaluated())
        return value::aspen_initial();
    return *here();
  }
  operator T &() noexcept { return get(); }
  constexpr operator const T &() const noexcept { return get(); }
  device_global &operator=(const T &given) noexcept {
    get() = given;
    return *this;
  }

  /// Where the value has elements.
  template <class U = T> std::remove_reference_t<decltype(std::declval<U &>()[std::ptrdiff_t()])> &operator[](std::ptrdiff_t i) noexcept {
    return get()[i];
  }
  template <class U = T>
  constexpr const std::remove_reference_t<decltype(std::declval<U &>()[std::ptrdiff_t()])> &operator[](std::ptrdiff_t i) const noexcept {
    return get()[i];
  }
  /// Where the value is a pointer, or a class with this operator.
  template <class U = T, class = std::enable_if_t<std::is_pointer_v<U> || std::is_class_v<U>>> T &operator->() noexcept { return get(); }
  template <class U = T, class = std::enable_if_t<std::is_pointer_v<U> || std::is_class_v<U>>> constexpr const T &operator->() const noexcept {
    return get();
  }

  template <class Key> static constexpr bool has_property() {
    static_assert(is_property_key_of<Key, device_global>::value, "this is no property of a device_global");
    return has_property_v<Properties, Key>;
  }
  template <class Key> static constexpr auto get_property() {
    static_assert(has_property<Key>(), "the device_global does not have this property");
    return typename sycl::detail::property_of<Properties, Key>::type();
  }

  /// For the library: whether the host may copy to it, or from it.
  static constexpr bool aspen_allows(bool to) {
    if constexpr (has_property_v<Properties, host_access_key>) {
      constexpr host_access_enum allowed = get_property<host_access_key>().value;
      return allowed == host_access_enum::read_write || allowed == (to ? host_access_enum::write : host_access_enum::read);
    }
    return true;
  }

private:
  T *here() const {
#if defined(__ASPEN_HOST__)
    sycl::detail::device_global_on_host();
#else
    return value::aspen_address();
#endif
  }
};

} // namespace sycl::ext::oneapi::experimental
