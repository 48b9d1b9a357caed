//! Classes of the standard library that own memory, told by what they have.
#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl::detail {

template <class P, class = void> inline constexpr bool is_shared_pointer = false;
template <class P>
inline constexpr bool is_shared_pointer<P, std::void_t<typename P::element_type, decltype(std::declval<P &>().use_count())>> = true;
/// What becomes a std::shared_ptr where one is taken: a std::unique_ptr that is moved from.
template <class P, class = void> inline constexpr bool is_unique_pointer = false;
template <class P> inline constexpr bool is_unique_pointer<P, std::void_t<typename P::deleter_type, decltype(std::declval<P &>().release())>> = true;
/// Whether objects of a class own memory elsewhere, so that a copy of their bytes has the same memory twice: no elements for buffers, and no
/// arguments. Other classes that are not device-copyable may be, as in DPC++: those of programs of SYCL 1.2.1 often copy as their bytes do.
template <class T> inline constexpr bool owns_memory = is_shared_pointer<T> || is_unique_pointer<T>;
template <class C, class Traits, class A> inline constexpr bool owns_memory<std::basic_string<C, Traits, A>> = true;
template <class T, class A> inline constexpr bool owns_memory<std::vector<T, A>> = true;
template <class P, class = void> inline constexpr bool is_weak_pointer = false;
template <class P> inline constexpr bool is_weak_pointer<P, std::void_t<decltype(std::declval<P &>().lock())>> = true;

} // namespace sycl::detail
