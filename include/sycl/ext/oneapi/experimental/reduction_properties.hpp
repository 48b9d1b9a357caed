//! Reductions with properties that are part of a type. Source: sycl_ext_oneapi_reduction_properties.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/reduction.hpp>

#define SYCL_EXT_ONEAPI_REDUCTION_PROPERTIES 1

namespace sycl {

namespace ext::oneapi::experimental {
struct deterministic_key {
  using value_t = property_value<deterministic_key>;
};
struct initialize_to_identity_key {
  using value_t = property_value<initialize_to_identity_key>;
};
/// Equal values over the same range give the same result; here those of every reduction do, since parts are folded in a fixed order.
inline constexpr deterministic_key::value_t deterministic;
/// What the variable holds before does not count.
inline constexpr initialize_to_identity_key::value_t initialize_to_identity;
template <> struct is_property_key<deterministic_key> : std::true_type {};
template <> struct is_property_key<initialize_to_identity_key> : std::true_type {};
} // namespace ext::oneapi::experimental

namespace detail {
/// Whether reductions have the property. With others there is no `reduction`, as the extension has it, so that the error is at the call.
template <class P>
inline constexpr bool is_of_reductions = std::is_same_v<key_of_t<P>, ext::oneapi::experimental::deterministic_key> ||
                                         std::is_same_v<key_of_t<P>, ext::oneapi::experimental::initialize_to_identity_key>;
/// The same as properties of SYCL 2020.
template <class... P> property_list reduction_list(const ext::oneapi::experimental::properties<P...> &) {
  namespace ex = ext::oneapi::experimental;
  if constexpr (ex::properties<P...>::template has_property<ex::initialize_to_identity_key>())
    return {property::reduction::initialize_to_identity()};
  else
    return {};
}
} // namespace detail

#define __ASPEN_REDUCTION(TEMPLATE, PARAMETERS, ...)                                                                                      \
  template <TEMPLATE, class Op, class... P, std::enable_if_t<(detail::is_of_reductions<P> && ...), int> = 0>                               \
  auto reduction(PARAMETERS, Op op, const ext::oneapi::experimental::properties<P...> &with) {                                             \
    return reduction(__VA_ARGS__, op, detail::reduction_list(with));                                                                       \
  }
#define __ASPEN_COMMA ,
__ASPEN_REDUCTION(class T __ASPEN_COMMA class A, buffer<T __ASPEN_COMMA 1 __ASPEN_COMMA A> variable __ASPEN_COMMA handler &h, variable, h)
__ASPEN_REDUCTION(class T __ASPEN_COMMA class A,
                  buffer<T __ASPEN_COMMA 1 __ASPEN_COMMA A> variable __ASPEN_COMMA handler &h __ASPEN_COMMA const T &identity, variable, h, identity)
__ASPEN_REDUCTION(class T, T *variable, variable)
__ASPEN_REDUCTION(class T, T *variable __ASPEN_COMMA const T &identity, variable, identity)
__ASPEN_REDUCTION(class T __ASPEN_COMMA size_t Extent, span<T __ASPEN_COMMA Extent> variables, variables)
__ASPEN_REDUCTION(class T __ASPEN_COMMA size_t Extent, span<T __ASPEN_COMMA Extent> variables __ASPEN_COMMA const T &identity, variables, identity)
#undef __ASPEN_COMMA
#undef __ASPEN_REDUCTION

} // namespace sycl
