//! Kernels with properties, beside their launch or from a member `get(properties_tag)`: the function is wrapped into a class with a base for
//! each property, whose static member `aspen_kernel_attributes` carries the attribute that the property stands for. The compiler's plugin
//! gives the kernel's entry the attributes of these. Source: sycl_ext_oneapi_kernel_properties; ARCHITECTURE "The header and the compiler".
#pragma once
#include <sycl/aspects.hpp>
#include <sycl/detail/config.hpp>
#include <type_traits>
#include <utility>

namespace sycl {

namespace ext::oneapi::experimental {
/// What a kernel's member function `get` is called with to ask for its properties.
struct properties_tag {};
template <class... P> class properties;
} // namespace ext::oneapi::experimental

namespace detail {

/// What a property makes of a kernel: nothing, unless there is a specialisation.
template <class P> struct kernel_attribute {};

/// A kernel function with the attributes of properties.
template <class F, class... P> struct with_properties : kernel_attribute<P>... {
  using aspen_kernel_function = F; // where the compiler finds the kernel's own attributes
  F function;
  with_properties(const F &f) : function(f) {}
  template <class... A> auto operator()(A &&...arguments) const -> decltype(std::declval<const F &>()(std::forward<A>(arguments)...)) {
    return function(std::forward<A>(arguments)...);
  }
};

/// What a property demands of a launch beyond attributes: its base's static member `aspen_check_launch`.
template <class F, class = void> struct launch_rules {
  template <class Launch> static void check(const Launch &) {}
};
template <class F> struct launch_rules<F, std::void_t<typename F::aspen_kernel_function>> {
  template <class Launch> static void check(const Launch &launch) {
    one(static_cast<const F *>(nullptr), launch, 0);
    launch_rules<typename F::aspen_kernel_function>::check(launch);
  }
  template <class G, class Launch> static auto one(const G *, const Launch &launch, int) -> decltype(G::aspen_check_launch(launch)) {
    return G::aspen_check_launch(launch);
  }
  template <class G, class Launch> static void one(const G *, const Launch &, long) {}
};

template <class F, class List> struct add_properties;
template <class F, class... P> struct add_properties<F, ext::oneapi::experimental::properties<P...>> { using type = with_properties<F, P...>; };
template <class T> inline constexpr bool is_properties = false;
template <class... P> inline constexpr bool is_properties<ext::oneapi::experimental::properties<P...>> = true;

/// Whether a function object brings properties of its own.
template <class F, class = void> inline constexpr bool has_own_properties = false;
template <class F>
inline constexpr bool has_own_properties<F, std::void_t<decltype(std::declval<const F &>().get(std::declval<ext::oneapi::experimental::properties_tag>()))>> = true;

/// The function with its own properties, or as it is.
template <class F> decltype(auto) with_own_properties(const F &f) {
  if constexpr (has_own_properties<F>)
    return typename add_properties<F, std::decay_t<decltype(f.get(ext::oneapi::experimental::properties_tag()))>>::type(f);
  else
    return (f);
}

} // namespace detail
} // namespace sycl
