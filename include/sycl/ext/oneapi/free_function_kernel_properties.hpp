//! Kernels that are functions: what marks their declarations, and what tells it of them.
//!
//! A mark has to be seen by templates that are given the function, and stands before the function has a name. So it is a condition that
//! always holds (clang's `enable_if`), which is part of the mangled name, and that can be read where a type is named after the function.
//! Functions of C have no mangled names and cannot be kernels. Source: sycl_ext_oneapi_free_function_kernels; docs/decisions/0047.
#pragma once
#include <cstdint>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <tuple>
#include <utility>

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

/// A property as a number: its kind in the lowest four bits, how many values in the next four, and from bit 8 on the values, of 16 bits (sizes),
/// 8 (aspects) or 32.
enum function_mark_kind : std::int64_t { mark_task = 4, mark_size, mark_sub_group_size, mark_most, mark_most_in_all, mark_aspects, mark_hint, mark_virtual };
template <size_t... Sizes> constexpr std::int64_t mark_of_sizes(function_mark_kind kind) {
  static_assert(((Sizes < 65536) && ...), "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY takes sizes below 65536");
  std::int64_t mark = kind | std::int64_t(sizeof...(Sizes)) << 4;
  int at = 8;
  (((mark |= std::int64_t(Sizes) << at), at += 16), ...);
  return mark;
}
template <class P> constexpr std::int64_t function_mark_of(const P &) {
  static_assert(sizeof(P) == 0, "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY takes nd_range_kernel<N>, single_task_kernel, sizes of work-groups and "
                                "sub-groups, and device_has; other properties come with the launch: launch_config{range, properties{...}}");
  return 0;
}
template <int D> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::nd_range_kernel_key::value_t<D> &) { return D; }
constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::single_task_kernel_key::value_t &) { return mark_task; }
template <size_t... S> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::work_group_size_key::value_t<S...> &) {
  return mark_of_sizes<S...>(mark_size);
}
template <size_t... S> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::max_work_group_size_key::value_t<S...> &) {
  return mark_of_sizes<S...>(mark_most);
}
template <size_t... S> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::work_group_size_hint_key::value_t<S...> &) {
  return mark_hint;
}
template <std::uint32_t S> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::sub_group_size_key::value_t<S> &) {
  return mark_sub_group_size | std::int64_t(S) << 8;
}
template <size_t S> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::max_linear_work_group_size_key::value_t<S> &) {
  return mark_most_in_all | std::int64_t(S < 0xffffffff ? S : 0xffffffff) << 8;
}
template <aspect... A> constexpr std::int64_t function_mark_of(const ext::oneapi::experimental::device_has_key::value_t<A...> &) {
  static_assert(sizeof...(A) <= 6 && ((static_cast<int>(A) < 256) && ...), "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY takes device_has of at most six "
                                                                            "aspects; more come with the launch");
  std::int64_t mark = mark_aspects | std::int64_t(sizeof...(A)) << 4;
  int at = 8;
  (((mark |= std::int64_t(A) << at), at += 8), ...);
  return mark;
}
template <std::int64_t Mark> constexpr bool aspen_function_mark() { return true; }

/// What a declaration was marked with.
struct function_marks {
  std::int64_t found[8] = {};
  int count = 0;
};
/// How long the beginning of a text is, or 0 if it is another one.
constexpr int begins_with(const char *text, const char *beginning) {
  int same = 0;
  while (beginning[same] && text[same] == beginning[same])
    ++same;
  return beginning[same] ? 0 : same;
}
/// The mangled name has `aspen_function_mark` once, and for the next ones a substitution (`S5_`) in its place; each is called with nothing and
/// gives a `bool`. Source: Itanium C++ ABI, "Mangling".
template <auto *Func> constexpr function_marks read_function_marks() {
  const char *const name = __builtin_sycl_unique_stable_name(ext::oneapi::experimental::kernel_function_s<Func>);
  function_marks marks;
  for (const char *at = name; *at; ++at) {
    const int same = begins_with(at, marks.count ? "_ILl" : "aspen_function_markILl");
    std::int64_t mark = 0;
    const char *end = at + same;
    for (; *end >= '0' && *end <= '9'; ++end)
      mark = mark * 10 + (*end - '0');
    if (same && begins_with(end, "EEEbvE") && marks.count < 8)
      marks.found[marks.count++] = mark;
  }
  return marks;
}
/// Dimensions, or 4 for a single task; 0 for a function that is no kernel.
template <auto *Func> constexpr int function_mark() {
  const function_marks marks = read_function_marks<Func>();
  for (int i = 0; i < marks.count; ++i)
    if (marks.found[i] <= mark_task)
      return static_cast<int>(marks.found[i]);
  return 0;
}

/// The property that a mark stands for, in a tuple; kinds of kernels and hints are none.
template <std::int64_t Mark, size_t... I> constexpr auto property_of_mark(std::index_sequence<I...>) {
  constexpr std::int64_t kind = Mark & 15;
  if constexpr (kind == mark_size)
    return std::tuple(ext::oneapi::experimental::work_group_size<size_t(Mark >> (8 + 16 * I) & 0xffff)...>);
  else if constexpr (kind == mark_most)
    return std::tuple(ext::oneapi::experimental::max_work_group_size<size_t(Mark >> (8 + 16 * I) & 0xffff)...>);
  else if constexpr (kind == mark_aspects)
    return std::tuple(ext::oneapi::experimental::device_has<aspect(Mark >> (8 + 8 * I) & 0xff)...>);
  else if constexpr (kind == mark_sub_group_size)
    return std::tuple(ext::oneapi::experimental::sub_group_size<std::uint32_t(Mark >> 8)>);
  else if constexpr (kind == mark_most_in_all)
    return std::tuple(ext::oneapi::experimental::max_linear_work_group_size<size_t(Mark >> 8)>);
  else
    return std::tuple<>();
}
template <auto *Func, size_t... I> constexpr auto declared_properties(std::index_sequence<I...>) {
  constexpr function_marks marks = read_function_marks<Func>();
  return std::tuple_cat(property_of_mark<marks.found[I]>(std::make_index_sequence<size_t(marks.found[I] >> 4 & 15)>())...);
}
/// The properties that a function was declared with, besides its kind, as a tuple.
template <auto *Func> using declared_properties_t = decltype(declared_properties<Func>(std::make_index_sequence<8>()));
template <auto *Func> inline constexpr bool has_declared_properties = std::tuple_size_v<declared_properties_t<Func>> != 0;

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
  __attribute__((enable_if(::sycl::detail::aspen_function_mark<::sycl::detail::function_mark_of(property)>(), "it is a kernel"), \
                 aspen_function_property))
