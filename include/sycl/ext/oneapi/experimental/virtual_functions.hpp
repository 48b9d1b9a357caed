//! Virtual functions in kernels: what marks the functions, and the kernels that call them. Kernels without the property may make such calls too,
//! with a warning, or for SPIR-V an error (SYCL 2020 §5.4). What a kernel needs of a device comes of the functions that its calls may reach,
//! by the classes of the program, whatever sets the properties name. Source: sycl_ext_oneapi_virtual_functions.
#pragma once
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#define SYCL_EXT_ONEAPI_VIRTUAL_FUNCTIONS 1

namespace sycl {

namespace ext::oneapi::experimental {

struct indirectly_callable_key {
  template <class SetId> using value_t = property_value<indirectly_callable_key, SetId>;
};
struct calls_indirectly_key {
  template <class... SetIds> using value_t = property_value<calls_indirectly_key, SetIds...>;
};
template <> struct is_property_key<indirectly_callable_key> : std::true_type {};
template <> struct is_property_key<calls_indirectly_key> : std::true_type {};

/// Of a member function: kernels may call it through an object, or those that name its set.
/// `SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(indirectly_callable) virtual void f();`
inline constexpr indirectly_callable_key::value_t<void> indirectly_callable;
template <class SetId> inline constexpr indirectly_callable_key::value_t<SetId> indirectly_callable_in;
/// Of a kernel: it makes virtual calls, of functions in these sets.
inline constexpr calls_indirectly_key::value_t<void> assume_indirect_calls;
template <class... SetIds> inline constexpr calls_indirectly_key::value_t<SetIds...> assume_indirect_calls_to;

} // namespace ext::oneapi::experimental

namespace detail {
template <class SetId> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::indirectly_callable_key::value_t<SetId> &) {
  return mark_virtual;
}
template <class... SetIds> struct kernel_attribute<ext::oneapi::experimental::property_value<ext::oneapi::experimental::calls_indirectly_key, SetIds...>> {
  using aspen_calls_indirectly = void; // for the compiler's plugin
};
/// Not of kernels, which would be called without a word of what they call.
template <class SetId> struct kernel_attribute<ext::oneapi::experimental::indirectly_callable_key::value_t<SetId>> {
  static_assert(!sizeof(SetId *), "indirectly_callable is a property of virtual functions; a kernel that calls them has assume_indirect_calls");
};
} // namespace detail
} // namespace sycl
