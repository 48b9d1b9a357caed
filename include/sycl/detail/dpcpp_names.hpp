//! Members of DPC++'s `sycl::detail` that the common headers of its tests name: without them hundreds of these are refused that use nothing
//! else of DPC++'s own.
#pragma once
#include <cstddef>
#include <functional>
#include <sycl/builtins.hpp>
#include <sycl/device.hpp>
#include <sycl/marray.hpp>
#include <type_traits>
#include <utility>

namespace sycl::detail {

/// What stands for the name of a kernel that has none.
using auto_name = unnamed_kernel;

/// Any selector of devices.
using DSelectorInvocableType = std::function<int(const device &)>;

template <class T, class = void> struct element_of_any { using type = T; };
template <class T> struct element_of_any<T, std::void_t<typename T::element_type>> { using type = typename T::element_type; };
template <class T, size_t N> struct element_of_any<marray<T, N>> { using type = T; };
/// What vectors, parts of them and arrays are of; of others the type itself.
template <class T> using get_elem_type_t = typename element_of_any<T>::type;

template <class F, size_t... I> constexpr void loop(std::index_sequence<I...>, F &&f) { (f(std::integral_constant<size_t, I>()), ...); }
/// Calls `f` with each number below `Count`, as a constant.
template <size_t Count, class F> constexpr void loop(F &&f) { loop(std::make_index_sequence<Count>(), f); }

// What the header library SyclCPLX (sycl_ext_complex.hpp), which programs carry along, is made of.
template <class T> using remove_pointer = std::remove_pointer<T>;
template <class T> using remove_pointer_t = std::remove_pointer_t<T>;
template <class T> using is_pointer = std::is_pointer<T>;
/// Each item of the group takes its share.
template <class Group, class Pointer, class F> F for_each(Group group, Pointer first, Pointer last, F f) {
  const auto by = static_cast<std::ptrdiff_t>(group.get_local_linear_range());
  for (auto at = static_cast<std::ptrdiff_t>(group.get_local_linear_id()); at < last - first; at += by)
    f(first[at]);
  return f;
}

} // namespace sycl::detail

/// What programs say to `mem_advise`, by the names of Unified Runtime, whose header DPC++'s bring. Aspen gives no advice to drivers.
#ifndef UR_API_H_INCLUDED
#define __ASPEN_ADVICE(name, bit) UR_USM_ADVICE_FLAG_##name = 1 << bit
enum ur_usm_advice_flag_t {
  __ASPEN_ADVICE(DEFAULT, 0),
  __ASPEN_ADVICE(SET_READ_MOSTLY, 1),
  __ASPEN_ADVICE(CLEAR_READ_MOSTLY, 2),
  __ASPEN_ADVICE(SET_PREFERRED_LOCATION, 3),
  __ASPEN_ADVICE(CLEAR_PREFERRED_LOCATION, 4),
  __ASPEN_ADVICE(SET_NON_ATOMIC_MOSTLY, 5),
  __ASPEN_ADVICE(CLEAR_NON_ATOMIC_MOSTLY, 6),
  __ASPEN_ADVICE(BIAS_CACHED, 7),
  __ASPEN_ADVICE(BIAS_UNCACHED, 8),
  __ASPEN_ADVICE(SET_ACCESSED_BY_DEVICE, 9),
  __ASPEN_ADVICE(CLEAR_ACCESSED_BY_DEVICE, 10),
  __ASPEN_ADVICE(SET_ACCESSED_BY_HOST, 11),
  __ASPEN_ADVICE(CLEAR_ACCESSED_BY_HOST, 12),
  __ASPEN_ADVICE(SET_PREFERRED_LOCATION_HOST, 13),
  __ASPEN_ADVICE(CLEAR_PREFERRED_LOCATION_HOST, 14),
  __ASPEN_ADVICE(SET_NON_COHERENT_MEMORY, 15),
  __ASPEN_ADVICE(CLEAR_NON_COHERENT_MEMORY, 16)
};
#undef __ASPEN_ADVICE
#endif

/// Where DPC++ had the function before SYCL 2020 did.
namespace sycl::ext::intel {
using sycl::ctz;
}
