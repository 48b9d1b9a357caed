//! `sycl::is_device_copyable`: what may be captured by a kernel. The compiler's plugin asks it for every capture, as only it can list them.
//! Source: SYCL 2020 §3.13.1.
#pragma once
#include <sycl/detail/accessor_class.hpp>
#include <sycl/detail/config.hpp>
#include <type_traits>
#include <utility>

namespace std {
template <class, size_t> struct array;
template <class...> class tuple;
template <class> class optional;
template <class...> class variant;
} // namespace std

namespace sycl {

template <class T, size_t N> class marray;

/// True for trivially copyable types; specialise it for a class whose bytes may be copied all the same. The second parameter is for
/// `std::enable_if_t` in partial specialisations, as DPC++ has it.
template <class T, class = void> struct is_device_copyable : std::bool_constant<std::is_trivially_copyable_v<T>> {};
template <class T> struct is_device_copyable<const T> : is_device_copyable<T> {};
template <class T, size_t N> struct is_device_copyable<T[N]> : is_device_copyable<T> {};
template <class T, size_t N> struct is_device_copyable<const T[N]> : is_device_copyable<T> {}; // both of the above fit
template <class T> struct is_device_copyable<volatile T> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<const volatile T> : is_device_copyable<T> {};
template <class T, size_t N> struct is_device_copyable<volatile T[N]> : is_device_copyable<T> {};
template <class T, size_t N> struct is_device_copyable<const volatile T[N]> : is_device_copyable<T> {};
template <class A, class B>
struct is_device_copyable<std::pair<A, B>> : std::bool_constant<is_device_copyable<A>::value && is_device_copyable<B>::value> {};
template <class T, size_t N> struct is_device_copyable<std::array<T, N>> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<std::array<T, 0>> : std::true_type {}; // there is nothing to copy
template <class... T> struct is_device_copyable<std::tuple<T...>> : std::bool_constant<(is_device_copyable<T>::value && ...)> {};
template <class T> struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <class... T> struct is_device_copyable<std::variant<T...>> : std::bool_constant<(is_device_copyable<T>::value && ...)> {};
template <class T, size_t N> struct is_device_copyable<marray<T, N>> : is_device_copyable<T> {};
/// On the host accessors have destructors (detail::buffer_place).
template <class T, int D, access_mode M, target P, access::placeholder H, class Promises>
struct is_device_copyable<accessor<T, D, M, P, H, Promises>> : std::bool_constant<P != target::host_buffer> {};
template <class T> inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

} // namespace sycl
