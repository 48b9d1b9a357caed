//! Kernels with properties, beside their launch or from a member `get(properties_tag)`: the function is wrapped into a class with a base for
//! each property, whose static member `aspen_kernel_attributes` carries the attribute that the property stands for. The compiler's plugin
//! gives the kernel's entry the attributes of these. Source: sycl_ext_oneapi_kernel_properties; ARCHITECTURE "The header and the compiler".
#pragma once
#include <sycl/aspects.hpp>
#include <sycl/detail/call_kernel.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/dynamic_place.hpp>
#include <sycl/detail/launch.hpp>
#include <sycl/exception.hpp>
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

/// A kernel function with the attributes of properties. Those with a value at run time take it, and what they need of the command group.
template <class F, class... P> struct with_properties : kernel_attribute<P>... {
  using aspen_kernel_function = F; // where the compiler finds the kernel's own attributes
  F function;
  with_properties(const F &f) : function(f) {}
  template <class Handler>
  with_properties(const F &f, const ext::oneapi::experimental::properties<P...> &given, Handler &command) : function(f) {
    (take<P>(static_cast<kernel_attribute<P> *>(this), given, command, 0), ...);
  }
  template <class... A> auto operator()(A &&...arguments) const -> decltype(std::declval<const F &>()(std::forward<A>(arguments)...)) {
    return function(std::forward<A>(arguments)...);
  }

  /// What the properties demand of a launch beyond attributes: each base's function of that name.
  template <class Launch> static void aspen_check_launch(const Launch &launch) { (check<kernel_attribute<P>>(launch, 0), ...); }

private:
  template <class Attribute, class Launch> static auto check(const Launch &launch, int) -> decltype(Attribute::aspen_check_launch(launch)) {
    return Attribute::aspen_check_launch(launch);
  }
  template <class, class Launch> static void check(const Launch &, long) {}
  template <class One, class Attribute, class Given, class Handler>
  static auto take(Attribute *to, const Given &given, Handler &command, int)
      -> decltype(to->aspen_take(given.template aspen_get<One>(), command)) {
    to->aspen_take(given.template aspen_get<One>(), command);
  }
  template <class One, class Attribute, class Given, class Handler> static void take(Attribute *, const Given &, Handler &, long) {}
};

/// Where in the launch's local memory its scratch memory begins: the base of what work_group_scratch_size makes of a kernel, and of kernels
/// that are functions, which the entry looks for. Source: sycl_ext_oneapi_work_group_scratch_memory; docs/decisions/0046.
struct scratch_place {
  static constexpr size_t none = ~size_t(0);
  size_t aspen_scratch = none;
};
template <class F, class = void> inline constexpr bool wraps_function = false;
template <class F> inline constexpr bool wraps_function<F, std::void_t<typename F::aspen_kernel_function>> = true;
template <class F> constexpr bool find_scratch_in() {
  if constexpr (std::is_base_of_v<scratch_place, F>)
    return true;
  else if constexpr (wraps_function<F>)
    return find_scratch_in<decltype(F::function)>();
  else
    return false;
}
template <class F> inline constexpr bool has_scratch = find_scratch_in<F>();
template <class F> constexpr const scratch_place *scratch_of(const F &f) {
  if constexpr (std::is_base_of_v<scratch_place, F>)
    return &f;
  else
    return scratch_of(f.function);
}
/// Its address, as a pointer or a number; null if the launch has none.
template <class F, class Memory> constexpr Memory scratch_in(const F &f, Memory local_memory) {
  const size_t at = detail::scratch_of(f)->aspen_scratch;
  return at == scratch_place::none ? Memory() : local_memory + at;
}

/// Asks a kernel and all that it wraps whether a launch is as their properties demand: the static member `aspen_check_launch`.
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

/// What a launch has of a kernel's function object.
struct kernel_code {
  kernel_identity identity;
  const void *closure;
  size_t size, alignment;
  bool has_scratch;
  void (*check)(const aspen_launch_t &launch); // what its properties demand; null: nothing

  template <class F> static kernel_code of(const kernel_identity &identity, const F &f) {
    static_assert(!std::is_pointer_v<F>, __ASPEN_KERNELS_ARE_OBJECTS); // which is the host's
    kernel_code code = {identity, &f, sizeof f, alignof(F), detail::has_scratch<F>, nullptr};
    if constexpr (wraps_function<F>)
      code.check = &launch_rules<F>::template check<aspen_launch_t>;
    return code;
  }
  /// Whether a launch of that kind has work-groups. Local memory is theirs; `local_memory`: of the command. Source: SYCL 2020 §4.7.6.11
  /// "Local accessor".
  bool is_in_groups(int kind, size_t local_memory, bool of_graph) const {
    const bool has_dynamic = dynamic_place::is_in(closure, size);
    if (has_dynamic && !of_graph)
      fail(errc::invalid, "a dynamic_local_accessor or dynamic_work_group_memory is of kernels of a graph's nodes only");
    if (kind != ASPEN_LAUNCH_SINGLE_TASK && kind != ASPEN_LAUNCH_RANGE)
      return true;
    if (has_dynamic || (local_memory > 0 && local_place::is_in(closure, size, local_memory)))
      fail(errc::kernel_argument, "a local accessor needs a kernel with work-groups: launch it over a sycl::nd_range");
    if (has_scratch)
      fail(errc::kernel_argument, "work_group_scratch_size needs a kernel with work-groups: launch it over a sycl::nd_range");
    return false;
  }
  /// In the launch, which may be one that its properties do not allow.
  void describe(aspen_launch_t &launch) const {
    launch.closure = closure;
    launch.closure_size = size;
    launch.closure_alignment = alignment;
    if (check)
      check(launch);
  }
};

template <class F, class List> struct add_properties;
template <class F, class... P> struct add_properties<F, ext::oneapi::experimental::properties<P...>> { using type = with_properties<F, P...>; };
template <class T> inline constexpr bool is_properties = false;
template <class... P> inline constexpr bool is_properties<ext::oneapi::experimental::properties<P...>> = true;

/// The properties that a function object brings itself. Where its `get` is not const, which DPC++ takes alike, a copy is asked.
template <class F> auto own_properties(const F &f, int) -> std::decay_t<decltype(f.get(ext::oneapi::experimental::properties_tag()))> {
  return f.get(ext::oneapi::experimental::properties_tag());
}
template <class F> auto own_properties(F f, long) -> std::decay_t<decltype(f.get(ext::oneapi::experimental::properties_tag()))> {
  return f.get(ext::oneapi::experimental::properties_tag());
}
template <class F> using own_properties_t = decltype(detail::own_properties(std::declval<const F &>(), 0));
template <class F, class = void> inline constexpr bool has_own_properties = false;
template <class F> inline constexpr bool has_own_properties<F, std::void_t<own_properties_t<F>>> = true;

/// The class of a function with its own properties, if it has some.
template <class F, class = void> struct own_wrap { using type = F; };
template <class F> struct own_wrap<F, std::enable_if_t<has_own_properties<F>>> {
  using type = typename add_properties<F, own_properties_t<F>>::type;
};
template <class F> using own_wrapped = typename own_wrap<F>::type;

/// The function with its own properties.
template <class F, class Handler> auto with_own_properties(const F &f, Handler &command) {
  return own_wrapped<F>(f, detail::own_properties(f, 0), command);
}
/// Whether they have no key of one of its own with another value.
template <class F, class... P> constexpr bool agree_with_own(const ext::oneapi::experimental::properties<P...> *) {
  if constexpr (has_own_properties<F>) {
    constexpr bool agree = own_properties_t<F>::template aspen_agrees<P...>();
    static_assert(agree, "a property beside the launch and one of the kernel's own, from its get(properties_tag), have different values");
    return agree;
  }
  return true;
}
/// The function with properties that stand beside its launch, and with its own.
template <class F, class... P, class Handler>
auto with_given_properties(const F &f, const ext::oneapi::experimental::properties<P...> &given, Handler &command) {
  if constexpr (has_own_properties<F>) {
    static_assert(agree_with_own<F>(static_cast<const ext::oneapi::experimental::properties<P...> *>(nullptr)));
    const auto whole = with_own_properties(f, command);
    return with_properties<std::decay_t<decltype(whole)>, P...>(whole, given, command);
  } else {
    return with_properties<F, P...>(f, given, command);
  }
}

} // namespace detail
} // namespace sycl
