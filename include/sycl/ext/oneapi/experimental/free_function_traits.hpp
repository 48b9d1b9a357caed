//! Launches of kernels that are functions, and questions about them. The kernel is a function object of the function's arguments, made
//! here; the function is one that it calls, so everything that holds of kernels and their functions holds. Source:
//! sycl_ext_oneapi_free_function_kernels; docs/decisions/0047.
#pragma once
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>

namespace sycl {

namespace detail {

/// The kernel's name.
template <auto *Func, class Properties = void> class free_function_kernel;

/// An argument each, as the function takes it.
template <class... Ts> struct free_function_arguments {};
template <class First, class... Rest> struct free_function_arguments<First, Rest...> {
  First first;
  free_function_arguments<Rest...> rest;
};
template <auto *Func, class... Known> inline void call_free_function(const free_function_arguments<> &, const Known &...known) {
  Func(known...);
}
template <auto *Func, class First, class... Rest, class... Known>
inline void call_free_function(const free_function_arguments<First, Rest...> &arguments, const Known &...known) {
  call_free_function<Func>(arguments.rest, known..., arguments.first);
}
inline free_function_arguments<> pack_arguments(const free_function_arguments<> *) { return {}; }
template <class First, class... Rest, class Given, class... More>
free_function_arguments<First, Rest...> pack_arguments(const free_function_arguments<First, Rest...> *, Given &&given, More &&...more) {
  return {static_cast<First>(std::forward<Given>(given)),
          detail::pack_arguments(static_cast<const free_function_arguments<Rest...> *>(nullptr), std::forward<More>(more)...)};
}

template <class Type> struct free_function_type {
  static constexpr bool is_void = false, is_variadic = false;
};
template <class R, class... P> struct free_function_type<R (*)(P..., ...)> {
  static constexpr bool is_void = std::is_void_v<R>, is_variadic = true;
};
template <class... P> struct free_function_type<void (*)(P...)> {
  static constexpr bool is_void = true, is_variadic = false;
  static constexpr bool by_value = (!std::is_reference_v<P> && ...);
  static constexpr bool wants_handler = (std::is_same_v<std::decay_t<P>, kernel_handler> || ...);
  static constexpr size_t count = sizeof...(P);
  using arguments = free_function_arguments<std::decay_t<P>...>;
};
template <class... P> struct free_function_type<void (*)(P...) noexcept> : free_function_type<void (*)(P...)> {};

/// What a function that is a kernel must be. Source: sycl_ext_oneapi_free_function_kernels, "Defining a free function kernel".
template <auto *Func> constexpr void check_free_function() {
  using type = free_function_type<decltype(Func)>;
  static_assert(!type::is_variadic, "a kernel has a fixed number of parameters; this function has '...'");
  if constexpr (!type::is_variadic) {
    static_assert(type::is_void, "a kernel returns nothing");
    if constexpr (type::is_void) {
      static_assert(type::by_value, "a kernel takes its arguments by value, and one of this function's parameters is a reference; pass a pointer to memory of the device");
      static_assert(!type::wants_handler, "a kernel that is a function has no parameter of type kernel_handler");
    }
  }
}

/// Properties of its declaration are the kernel's own.
#define __ASPEN_DECLARED                                                                                                                   \
  template <auto *F = Func, std::enable_if_t<has_declared_properties<F>, int> = 0>                                                          \
  auto get(ext::oneapi::experimental::properties_tag) const {                                                                              \
    return std::apply([](auto... all) { return ext::oneapi::experimental::properties{all...}; }, declared_properties_t<F>());              \
  }
template <auto *Func> struct free_function_task {
  typename free_function_type<decltype(Func)>::arguments arguments;
  void operator()() const { call_free_function<Func>(arguments); }
  __ASPEN_DECLARED
};
/// Its scratch memory is no property, so that a kernel object, which names the kernel alone, can be launched with some.
template <auto *Func, int D> struct free_function_item : scratch_place {
  using arguments_type = typename free_function_type<decltype(Func)>::arguments;
  arguments_type arguments;
  free_function_item(const arguments_type &a, scratch_place scratch = {}) : scratch_place(scratch), arguments(a) {}
  void operator()(nd_item<D>) const { call_free_function<Func>(arguments); }
  __ASPEN_DECLARED
};
#undef __ASPEN_DECLARED
/// What the kernel's entry takes.
template <class F, bool = has_own_properties<F>> struct free_function_entry {
  using type = F;
};
template <class F> struct free_function_entry<F, true> {
  using type = typename add_properties<F, own_properties_t<F>>::type;
};

/// Launches with other arguments are no overloads, as the extension has it, so that programs can ask: none is missing or too many, and each
/// converts to the type of its parameter.
template <auto *Func, class... A> inline constexpr bool function_takes_arguments = std::is_invocable_v<decltype(Func), A...>;
template <auto *Func, class... A> using if_takes = std::enable_if_t<function_takes_arguments<Func, A...>, int>;
template <auto *Func, class... A> auto free_function_arguments_of(A &&...given) {
  using type = free_function_type<decltype(Func)>;
  check_free_function<Func>();
  return detail::pack_arguments(static_cast<const typename type::arguments *>(nullptr), std::forward<A>(given)...);
}

#define __ASPEN_MARKED(kind) "the function was not declared with SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((" kind ")); functions of C cannot be"

inline free_function_arguments<> get_arguments(const free_function_arguments<> *, const native_arguments &, int) { return {}; }
template <class First, class... Rest>
free_function_arguments<First, Rest...> get_arguments(const free_function_arguments<First, Rest...> *, const native_arguments &set,
                                                      int index) {
  return {set.get<First>(index), detail::get_arguments(static_cast<const free_function_arguments<Rest...> *>(nullptr), set, index + 1)};
}
/// With the arguments that the command group has set.
template <auto *Func> void launch_free_function(handler &command, const native_arguments &set, const aspen_launch_t &shape) {
  using type = free_function_type<decltype(Func)>;
  constexpr int mark = function_mark<Func>();
  const auto arguments = detail::get_arguments(static_cast<const typename type::arguments *>(nullptr), set, 0);
  if constexpr (mark == 4) {
    (void)shape;
    command.single_task<free_function_kernel<Func>>(free_function_task<Func>{arguments});
  } else {
    range<mark> global, local;
    id<mark> offset;
    for (int d = 0; d < mark; ++d) {
      global[d] = shape.global[d];
      local[d] = shape.local[d];
      offset[d] = shape.offset[d];
    }
    command.parallel_for<free_function_kernel<Func>>(nd_range<mark>(global, local, offset), free_function_item<Func, mark>{arguments, set.scratch});
  }
}
template <auto *Func> void pack_free_function(const native_arguments &set, void (*take)(void *to, const void *closure), void *to) {
  using type = free_function_type<decltype(Func)>;
  constexpr int mark = function_mark<Func>();
  const auto arguments = detail::get_arguments(static_cast<const typename type::arguments *>(nullptr), set, 0);
  if constexpr (mark == 4) {
    const free_function_task<Func> made{arguments};
    take(to, &made);
  } else {
    const free_function_item<Func, mark> made{arguments, set.scratch};
    take(to, &made);
  }
}
template <auto *Func>
inline constexpr function_launcher free_function_launcher = {free_function_type<decltype(Func)>::count, function_mark<Func>(),
                                                             &launch_free_function<Func>, &pack_free_function<Func>};

template <auto *Func> kernel_id free_function_id() {
  constexpr int mark = function_mark<Func>();
  using name = free_function_kernel<Func>;
  static_assert(mark != 0, __ASPEN_MARKED("...::nd_range_kernel<N>"));
  check_free_function<Func>();
  if constexpr (mark == 4)
    (void)&entry_single_task<name, typename free_function_entry<free_function_task<Func>>::type>;
  else
    (void)&entry_nd_range<name, mark, typename free_function_entry<free_function_item<Func, mark>>::type>;
  kernel_identity identity = identify_kernel<name>();
  identity.function = &free_function_launcher<Func>;
  return kernel_id(identity);
}

} // namespace detail

namespace ext::oneapi::experimental {

#define __ASPEN_LAUNCHES(TO, to)                                                                                                          \
  template <auto *Func, class... A, sycl::detail::if_takes<Func, A...> = 0>                                                                \
  void single_task(TO to, kernel_function_s<Func>, A &&...arguments) {                                                                     \
    static_assert(is_single_task_kernel_v<Func>, __ASPEN_MARKED("...::single_task_kernel"));                                              \
    to.template single_task<sycl::detail::free_function_kernel<Func>>(                                                                    \
        sycl::detail::free_function_task<Func>{sycl::detail::free_function_arguments_of<Func>(std::forward<A>(arguments)...)});            \
  }                                                                                                                                       \
  template <auto *Func, int D, class... A, sycl::detail::if_takes<Func, A...> = 0>                                                         \
  void nd_launch(TO to, nd_range<D> over, kernel_function_s<Func>, A &&...arguments) {                                                     \
    static_assert(is_nd_range_kernel_v<Func, D>, __ASPEN_MARKED("...::nd_range_kernel<N>"));                                              \
    to.template parallel_for<sycl::detail::free_function_kernel<Func>>(                                                                   \
        over, sycl::detail::free_function_item<Func, D>{sycl::detail::free_function_arguments_of<Func>(std::forward<A>(arguments)...)});   \
  }                                                                                                                                       \
  template <auto *Func, int D, class P, class... A, sycl::detail::if_takes<Func, A...> = 0>                                                \
  void nd_launch(TO to, launch_config<nd_range<D>, P> how, kernel_function_s<Func>, A &&...arguments) {                                    \
    static_assert(is_nd_range_kernel_v<Func, D>, __ASPEN_MARKED("...::nd_range_kernel<N>"));                                              \
    to.template parallel_for<sycl::detail::free_function_kernel<Func, P>>(                                                                \
        how.get_range(), how.get_properties(),                                                                                            \
        sycl::detail::free_function_item<Func, D>{sycl::detail::free_function_arguments_of<Func>(std::forward<A>(arguments)...)});         \
  }
__ASPEN_LAUNCHES(queue, q)
__ASPEN_LAUNCHES(handler &, h)
#undef __ASPEN_LAUNCHES

/// The kernel as it is launched without properties.
template <auto *Func> kernel_id get_kernel_id() { return sycl::detail::free_function_id<Func>(); }
template <auto *Func, bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in) {
  return sycl::get_kernel_bundle<State>(in, std::vector<kernel_id>{experimental::get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &on) {
  return sycl::get_kernel_bundle<State>(in, on, std::vector<kernel_id>{experimental::get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State> bool has_kernel_bundle(const context &in) {
  return sycl::has_kernel_bundle<State>(in, std::vector<kernel_id>{experimental::get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State> bool has_kernel_bundle(const context &in, const std::vector<device> &on) {
  return sycl::has_kernel_bundle<State>(in, on, std::vector<kernel_id>{experimental::get_kernel_id<Func>()});
}
template <auto *Func> bool is_compatible(const device &on) {
  return sycl::is_compatible(std::vector<kernel_id>{experimental::get_kernel_id<Func>()}, on);
}
template <auto *Func, class Descriptor> typename Descriptor::return_type get_kernel_info(const context &in) {
  return experimental::get_kernel_bundle<Func, bundle_state::executable>(in)
      .template ext_oneapi_get_kernel<Func>()
      .template get_info<Descriptor>();
}
template <auto *Func, class Descriptor> typename Descriptor::return_type get_kernel_info(const context &in, const device &on) {
  return experimental::get_kernel_bundle<Func, bundle_state::executable>(in, std::vector<device>{on})
      .template ext_oneapi_get_kernel<Func>()
      .template get_info<Descriptor>(on);
}
template <auto *Func, class Descriptor> typename Descriptor::return_type get_kernel_info(const queue &of) {
  return experimental::get_kernel_info<Func, Descriptor>(of.get_context(), of.get_device());
}
/// How many work-groups of that size may wait for each other.
#define __ASPEN_SYNC_QUERY(D)                                                                                                             \
  template <auto *Func, class Descriptor, class Properties = empty_properties_t>                                                           \
  std::enable_if_t<std::is_same_v<Descriptor, info::kernel::max_num_work_groups_sync>, size_t> get_kernel_info(                            \
      const context &in, const device &on, const range<D> &local, Properties = {}, size_t bytes = 0) {                                     \
    return info::kernel_queue_specific::max_num_work_groups::aspen_on(                                                                     \
        experimental::get_kernel_bundle<Func, bundle_state::executable>(in, std::vector<device>{on}).template ext_oneapi_get_kernel<Func>(),  \
        on, local.size(), bytes);                                                                                                          \
  }                                                                                                                                        \
  template <auto *Func, class Descriptor, class Properties = empty_properties_t>                                                           \
  std::enable_if_t<std::is_same_v<Descriptor, info::kernel::max_num_work_groups_sync>, size_t> get_kernel_info(                            \
      const queue &of, const range<D> &local, Properties properties = {}, size_t bytes = 0) {                                              \
    return experimental::get_kernel_info<Func, Descriptor>(of.get_context(), of.get_device(), local, properties, bytes);                   \
  }
__ASPEN_SYNC_QUERY(1)
__ASPEN_SYNC_QUERY(2)
__ASPEN_SYNC_QUERY(3)
#undef __ASPEN_SYNC_QUERY

} // namespace ext::oneapi::experimental
#undef __ASPEN_MARKED
} // namespace sycl
