//! Kernels that are functions: what marks their declarations, and what tells it of them.
//!
//! A mark has to be seen by templates that are given the function, and stands before the function has a name. So it is a condition that
//! always holds (clang's `enable_if`), which is part of the mangled name, and that can be read where a type is named after the function.
//! Functions of C have no mangled names and cannot be kernels. Source: sycl_ext_oneapi_free_function_kernels; docs/decisions/0047.
#pragma once
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS 1

namespace sycl {

namespace ext::oneapi::experimental {

struct nd_range_kernel_key {
  template <int Dimensions> using value_t = property_value<nd_range_kernel_key, std::integral_constant<int, Dimensions>>;
};
struct single_task_kernel_key {
  using value_t = property_value<single_task_kernel_key>;
};
template <int Dimensions> struct property_value<nd_range_kernel_key, std::integral_constant<int, Dimensions>> {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "an nd_range has one to three dimensions");
  using key_t = nd_range_kernel_key;
  static constexpr int dimensions = Dimensions;
};
/// The function is a kernel over an nd_range of so many dimensions, or a single task.
template <int Dimensions> inline constexpr nd_range_kernel_key::value_t<Dimensions> nd_range_kernel;
inline constexpr single_task_kernel_key::value_t single_task_kernel;
template <> struct is_property_key<nd_range_kernel_key> : std::true_type {};
template <> struct is_property_key<single_task_kernel_key> : std::true_type {};

/// Names a function where a launch has its kernel.
template <auto *Func> struct kernel_function_s {};
template <auto *Func> inline constexpr kernel_function_s<Func> kernel_function;

} // namespace ext::oneapi::experimental

namespace detail {

/// Dimensions, or 4 for a single task.
template <class P> constexpr int function_mark_of(const P &) {
  static_assert(sizeof(P) == 0, "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY takes nd_range_kernel<N> and single_task_kernel; Aspen takes other "
                                "properties of kernels that are functions at the launch: launch_config{range, properties{...}}");
  return 0;
}
template <int D> constexpr int function_mark_of(const ext::oneapi::experimental::nd_range_kernel_key::value_t<D> &) { return D; }
constexpr int function_mark_of(const ext::oneapi::experimental::single_task_kernel_key::value_t &) { return 4; }
template <int Mark> constexpr bool aspen_function_mark() { return true; }

/// What the declaration was marked with; 0 for a function that is no kernel.
template <auto *Func> constexpr int function_mark() {
  constexpr char wanted[] = "aspen_function_markILi";
  const char *const name = __builtin_sycl_unique_stable_name(ext::oneapi::experimental::kernel_function_s<Func>);
  for (const char *at = name; *at; ++at) {
    int same = 0;
    while (wanted[same] && at[same] == wanted[same])
      ++same;
    if (!wanted[same])
      return at[same] - '0';
  }
  return 0;
}

} // namespace detail

namespace ext::oneapi::experimental {

template <auto *Func, int Dimensions>
struct is_nd_range_kernel : std::bool_constant<sycl::detail::function_mark<Func>() == Dimensions && Dimensions >= 1 && Dimensions <= 3> {};
template <auto *Func, int Dimensions> inline constexpr bool is_nd_range_kernel_v = is_nd_range_kernel<Func, Dimensions>::value;
template <auto *Func> struct is_single_task_kernel : std::bool_constant<sycl::detail::function_mark<Func>() == 4> {};
template <auto *Func> inline constexpr bool is_single_task_kernel_v = is_single_task_kernel<Func>::value;
template <auto *Func> struct is_kernel : std::bool_constant<sycl::detail::function_mark<Func>() != 0> {};
template <auto *Func> inline constexpr bool is_kernel_v = is_kernel<Func>::value;

} // namespace ext::oneapi::experimental
} // namespace sycl

#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)                                                                                        \
  __attribute__((enable_if(::sycl::detail::aspen_function_mark<::sycl::detail::function_mark_of(property)>(), "it is a kernel")))
