//! How a kernel's function is called: with a modifiable item of the caller's. Source: SYCL 2020 §4.9.4.2 (items may be taken by value,
//! by reference, as `auto`, as an id, in one dimension as a number).
#pragma once
#include <sycl/range.hpp>
#include <type_traits>
#include <utility>

namespace sycl {
class kernel_handler;
}

namespace sycl::detail {

/// Whether a function object can be called so. std::is_invocable, which knows pointers to members too, costs several times as much, and
/// each kernel asks several times. The plugin knows it by its name (HeaderErrors.cpp): what is wrong in a generic body is said once.
template <class Void, class F, class... A> inline constexpr bool calls_or_not = false;
template <class F, class... A> inline constexpr bool calls_or_not<std::void_t<decltype(std::declval<F>()(std::declval<A>()...))>, F, A...> = true;
template <class F, class... A> inline constexpr bool calls = calls_or_not<void, F, A...>;
/// For std::disjunction, which asks no further than it must: the body of a generic lambda may be an error with another form.
template <class F, class... A> struct can_call : std::bool_constant<calls<F, A...>> {};

/// The forms of `Item` that a function can ask for by `&`, best first. By value and by `const &` all of them convert from the first.
template <class Item> struct own_forms {
  template <class F, class... More>
  static constexpr bool any = std::disjunction_v<can_call<F &, Item &, More &...>, can_call<F &, Item, More &...>>;

  template <class F, class... More> [[gnu::always_inline]] static inline void call(F &f, Item &at, More &...more) {
    if constexpr (calls<F &, Item &, More &...>)
      f(at, more...);
    else
      f(std::move(at), more...);
  }
};
template <class Item> struct item_forms : own_forms<Item> {};
template <int D> struct item_forms<item<D, true>> {
  template <class F, class... More>
  static constexpr bool any =
      std::disjunction_v<can_call<F &, item<D, true> &, More &...>, can_call<F &, id<D> &, More &...>,
                         can_call<F &, item<D, false> &, More &...>, can_call<F &, item<D, true>, More &...>>;

  template <class F, class... More> [[gnu::always_inline]] static inline void call(F &f, item<D, true> &at, More &...more) {
    if constexpr (calls<F &, item<D, true> &, More &...>) {
      f(at, more...);
    } else if constexpr (calls<F &, id<D> &, More &...>) {
      id<D> own = at;
      f(own, more...);
    } else if constexpr (calls<F &, item<D, false> &, More &...>) {
      item<D, false> own = at;
      f(own, more...);
    } else {
      f(std::move(at), more...);
    }
  }
};

/// Whether a kernel's function can be called with an `Item` of the launch's kind, and what follows it.
template <class F, class Item, class... More> inline constexpr bool takes_item = item_forms<Item>::template any<const F, More...>;

/// Whether it could, were it not for its `operator()`, which is not const.
template <class F, class Item, class... More>
inline constexpr bool lacks_const = !takes_item<F, Item, More...> && item_forms<Item>::template any<F, More...>;
/// The same, with or without a kernel_handler behind.
template <class F, class Item, class... More>
inline constexpr bool is_mutable = lacks_const<F, Item, More...> || lacks_const<F, Item, More..., kernel_handler>;

#define __ASPEN_KERNELS_ARE_CONST "a kernel is called as const: its operator() must be const, a lambda may not be mutable (SYCL 2020 §4.12)"
#define __ASPEN_KERNELS_ARE_OBJECTS "a kernel is a lambda or an object of a class with operator(), and no pointer to a function (SYCL 2020 §4.12)"

/// Calls a kernel's function.
template <class F, class Item, class... More> [[gnu::always_inline]] inline void call_kernel(const F &f, Item at, More &...more) {
  item_forms<Item>::call(f, at, more...);
}

} // namespace sycl::detail
