//! Free functions that submit commands, with an event only where one is asked for. Source: sycl_ext_oneapi_enqueue_functions.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS 2

namespace sycl::ext::oneapi::experimental {
template <auto *Func> struct kernel_function_s;
}
namespace sycl::detail {
template <class T> inline constexpr bool names_function = false;
template <auto *Func> inline constexpr bool names_function<ext::oneapi::experimental::kernel_function_s<Func>> = true;
/// What is launched is a function object. One that names a function has launches of its own, which know what the function takes.
template <class F> using if_object = std::enable_if_t<!names_function<F>, int>;
/// Whether a kernel object's arguments are given as a list of raw ones: a span or a container of them.
template <class T, class = void> inline constexpr bool is_argument_list = false;
template <class T>
inline constexpr bool is_argument_list<T, std::void_t<decltype(std::declval<const T &>().data()[0])>> =
    std::is_same_v<decltype(std::declval<const T &>().data()[0]), const ext::oneapi::raw_kernel_arg &>;
template <class... Arguments> void set_arguments(handler &h, const Arguments &...arguments) {
  if constexpr (sizeof...(Arguments) == 1 && (is_argument_list<Arguments> && ...)) {
    int index = 0;
    for (const ext::oneapi::raw_kernel_arg &one : (arguments, ...))
      h.set_arg(index++, one);
  } else {
    h.set_args(arguments...);
  }
}
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

/// A range or nd_range, and the properties of the kernel that is launched over it.
template <class Range, class Properties = empty_properties_t> class launch_config {
public:
  launch_config(Range range, Properties properties = {}) : range_(range), properties_(properties) {}
  const Range &get_range() const { return range_; }
  const Properties &get_properties() const { return properties_; }

private:
  Range range_;
  Properties properties_;
};

template <class F> void submit(queue q, F &&command_group) { q.submit(std::forward<F>(command_group)); }
template <class... P, class F> void submit(queue q, properties<P...>, F &&command_group) { q.submit(std::forward<F>(command_group)); }
template <class F> event submit_with_event(queue q, F &&command_group) { return q.submit(std::forward<F>(command_group)); }
template <class... P, class F> event submit_with_event(queue q, properties<P...>, F &&command_group) {
  return q.submit(std::forward<F>(command_group));
}

template <class Name = sycl::detail::unnamed_kernel, class F, sycl::detail::if_object<F> = 0> void single_task(handler &h, const F &f) {
  h.single_task<Name>(f);
}
template <class Name = sycl::detail::unnamed_kernel, class F, sycl::detail::if_object<F> = 0> void single_task(queue q, const F &f) {
  q.single_task<Name>(f);
}
template <class... Arguments> void single_task(handler &h, const kernel &k, Arguments &&...arguments) {
  sycl::detail::set_arguments(h, arguments...);
  h.single_task(k);
}
template <class... Arguments> void single_task(queue q, const kernel &k, Arguments &&...arguments) {
  q.submit([&](handler &h) { experimental::single_task(h, k, std::forward<Arguments>(arguments)...); });
}

/// The function comes before the reductions here. The range has three forms, since braces deduce nothing.
#define __ASPEN_LAUNCH(name, SHAPE, ...)                                                                                                  \
  template <class Name = sycl::detail::unnamed_kernel, __VA_ARGS__ class F, class... Reductions, sycl::detail::if_object<F> = 0>           \
  void name(handler &h, SHAPE shape, const F &f, Reductions &&...reductions) {                                                             \
    h.parallel_for<Name>(shape, reductions..., f);                                                                                         \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, __VA_ARGS__ class F, class... Reductions, sycl::detail::if_object<F> = 0>           \
  void name(queue q, SHAPE shape, const F &f, Reductions &&...reductions) {                                                                \
    q.parallel_for<Name>(shape, reductions..., f);                                                                                         \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, __VA_ARGS__ class Properties, class F, class... Reductions,                         \
            sycl::detail::if_object<F> = 0>                                                                                                \
  void name(handler &h, const launch_config<SHAPE, Properties> &how, const F &f, Reductions &&...reductions) {                             \
    h.parallel_for<Name>(how.get_range(), how.get_properties(), reductions..., f);                                                         \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, __VA_ARGS__ class Properties, class F, class... Reductions,                         \
            sycl::detail::if_object<F> = 0>                                                                                                \
  void name(queue q, const launch_config<SHAPE, Properties> &how, const F &f, Reductions &&...reductions) {                                \
    q.parallel_for<Name>(how.get_range(), how.get_properties(), reductions..., f);                                                         \
  }                                                                                                                                        \
  /* A kernel object, and its arguments, which come first here: a kernel's name is no properties. */                                       \
  template <__VA_ARGS__ class... Arguments> void name(handler &h, SHAPE shape, const kernel &k, Arguments &&...arguments) {                \
    sycl::detail::set_arguments(h, arguments...);                                                                                          \
    h.parallel_for(shape, k);                                                                                                              \
  }                                                                                                                                        \
  template <__VA_ARGS__ class... Arguments> void name(queue q, SHAPE shape, const kernel &k, Arguments &&...arguments) {                   \
    q.submit([&](handler &h) { experimental::name(h, shape, k, std::forward<Arguments>(arguments)...); });                                 \
  }                                                                                                                                        \
  template <__VA_ARGS__ class... Arguments, class Properties>                                                                              \
  void name(handler &h, const launch_config<SHAPE, Properties> &how, const kernel &k, Arguments &&...arguments) {                          \
    static_assert(sycl::detail::is_for_objects<Properties>, "a kernel object is launched with work_group_scratch_size and hints alone");   \
    sycl::detail::take_for_object(how.get_properties(), h);                                                                                \
    experimental::name(h, how.get_range(), k, std::forward<Arguments>(arguments)...);                                                      \
  }                                                                                                                                        \
  template <__VA_ARGS__ class... Arguments, class Properties>                                                                              \
  void name(queue q, const launch_config<SHAPE, Properties> &how, const kernel &k, Arguments &&...arguments) {                             \
    q.submit([&](handler &h) { experimental::name(h, how, k, std::forward<Arguments>(arguments)...); });                                   \
  }
__ASPEN_LAUNCH(parallel_for, range<1>, )
__ASPEN_LAUNCH(parallel_for, range<2>, )
__ASPEN_LAUNCH(parallel_for, range<3>, )
__ASPEN_LAUNCH(nd_launch, nd_range<D>, int D, )
#undef __ASPEN_LAUNCH

/// A function of handler and queue alike.
#define __ASPEN_BOTH(TEMPLATE, name, PARAMETERS, ...)                                                                                     \
  TEMPLATE inline void name(handler &h, PARAMETERS) { h.__VA_ARGS__; }                                                                     \
  TEMPLATE inline void name(queue q, PARAMETERS) { q.__VA_ARGS__; }
#define __ASPEN_COMMA ,
__ASPEN_BOTH(, memcpy, void *to __ASPEN_COMMA const void *from __ASPEN_COMMA size_t bytes, memcpy(to, from, bytes))
__ASPEN_BOTH(template <class T>, copy, const T *from __ASPEN_COMMA T *to __ASPEN_COMMA size_t count, copy(from, to, count))
__ASPEN_BOTH(, memset, void *to __ASPEN_COMMA int value __ASPEN_COMMA size_t bytes, memset(to, value, bytes))
__ASPEN_BOTH(template <class T>, fill, T *to __ASPEN_COMMA const T &pattern __ASPEN_COMMA size_t count, fill(to, pattern, count))
__ASPEN_BOTH(, prefetch, const void *memory __ASPEN_COMMA size_t bytes, prefetch(memory, bytes))
__ASPEN_BOTH(, mem_advise, const void *memory __ASPEN_COMMA size_t bytes __ASPEN_COMMA int advice, mem_advise(memory, bytes, advice))
#undef __ASPEN_COMMA
#undef __ASPEN_BOTH

/// Where memory is fetched to.
enum class prefetch_type { device, host };
/// A hint; to the host, it is nothing but a command in its place.
inline void prefetch(handler &h, const void *memory, size_t bytes, prefetch_type to) {
  to == prefetch_type::device ? h.prefetch(memory, bytes) : h.ext_oneapi_barrier();
}
inline void prefetch(queue q, const void *memory, size_t bytes, prefetch_type to) {
  q.submit([&](handler &h) { experimental::prefetch(h, memory, bytes, to); });
}

template <class F> void host_task(handler &h, F &&task) { h.host_task(std::forward<F>(task)); }
template <class F> void host_task(queue q, F &&task) {
  q.submit([&](handler &h) { h.host_task(std::forward<F>(task)); });
}

inline void barrier(handler &h) { h.ext_oneapi_barrier(); }
inline void barrier(queue q) { q.ext_oneapi_submit_barrier(); }
inline void partial_barrier(handler &h, const std::vector<event> &events) { h.ext_oneapi_barrier(events); }
inline void partial_barrier(queue q, const std::vector<event> &events) { q.ext_oneapi_submit_barrier(events); }

} // namespace sycl::ext::oneapi::experimental
