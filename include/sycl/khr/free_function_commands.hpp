//! Commands as free functions of a handler or a queue, with an event only where one is asked for.
//! Source: sycl_khr_free_function_commands (a draft; SYCL-CTS has its tests).
#pragma once
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <type_traits>
#include <utility>

#define SYCL_KHR_FREE_FUNCTION_COMMANDS 1

namespace sycl::khr {

using ext::oneapi::experimental::copy;
using ext::oneapi::experimental::fill;
using ext::oneapi::experimental::mem_advise;
using ext::oneapi::experimental::memcpy;
using ext::oneapi::experimental::memset;
using ext::oneapi::experimental::prefetch;

template <class F> void submit(queue q, F &&command_group) { q.submit(std::forward<F>(command_group)); }
template <class F> event submit_tracked(queue q, F &&command_group) { return q.submit(std::forward<F>(command_group)); }

namespace detail {
template <class F> using enable_if_function = std::enable_if_t<!std::is_same_v<F, kernel>, int>;
} // namespace detail

/// Kernels over a range, and over work-groups of a size: functions, with reductions, and kernel objects with their arguments. The ranges have
/// three forms each, since braces deduce nothing.
#define __ASPEN_LAUNCHES(D)                                                                                                                \
  template <class Name = sycl::detail::unnamed_kernel, class F, detail::enable_if_function<F> = 0>                                         \
  void launch(handler &h, range<D> r, const F &f) {                                                                                        \
    h.parallel_for<Name>(r, f);                                                                                                            \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, class F, detail::enable_if_function<F> = 0>                                         \
  void launch(queue q, range<D> r, const F &f) {                                                                                           \
    q.parallel_for<Name>(r, f);                                                                                                            \
  }                                                                                                                                        \
  template <class... Arguments> void launch(handler &h, range<D> r, const kernel &k, Arguments &&...arguments) {                           \
    h.set_args(std::forward<Arguments>(arguments)...);                                                                                     \
    h.parallel_for(r, k);                                                                                                                  \
  }                                                                                                                                        \
  template <class... Arguments> void launch(queue q, range<D> r, const kernel &k, Arguments &&...arguments) {                              \
    q.submit([&](handler &h) { launch(h, r, k, std::forward<Arguments>(arguments)...); });                                                 \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, class F, class... Reductions>                                                       \
  void launch_reduce(handler &h, range<D> r, const F &f, Reductions &&...reductions) {                                                     \
    h.parallel_for<Name>(r, reductions..., f);                                                                                             \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, class F, class... Reductions>                                                       \
  void launch_reduce(queue q, range<D> r, const F &f, Reductions &&...reductions) {                                                        \
    q.parallel_for<Name>(r, reductions..., f);                                                                                             \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, class F, detail::enable_if_function<F> = 0>                                         \
  void launch_grouped(handler &h, range<D> r, range<D> size, const F &f) {                                                                 \
    h.parallel_for<Name>(nd_range<D>(r, size), f);                                                                                         \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, class F, detail::enable_if_function<F> = 0>                                         \
  void launch_grouped(queue q, range<D> r, range<D> size, const F &f) {                                                                    \
    q.parallel_for<Name>(nd_range<D>(r, size), f);                                                                                         \
  }                                                                                                                                        \
  template <class... Arguments>                                                                                                            \
  void launch_grouped(handler &h, range<D> r, range<D> size, const kernel &k, Arguments &&...arguments) {                                  \
    h.set_args(std::forward<Arguments>(arguments)...);                                                                                     \
    h.parallel_for(nd_range<D>(r, size), k);                                                                                               \
  }                                                                                                                                        \
  template <class... Arguments> void launch_grouped(queue q, range<D> r, range<D> size, const kernel &k, Arguments &&...arguments) {       \
    q.submit([&](handler &h) { launch_grouped(h, r, size, k, std::forward<Arguments>(arguments)...); });                                   \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, class F, class... Reductions>                                                       \
  void launch_grouped_reduce(handler &h, range<D> r, range<D> size, const F &f, Reductions &&...reductions) {                              \
    h.parallel_for<Name>(nd_range<D>(r, size), reductions..., f);                                                                          \
  }                                                                                                                                        \
  template <class Name = sycl::detail::unnamed_kernel, class F, class... Reductions>                                                       \
  void launch_grouped_reduce(queue q, range<D> r, range<D> size, const F &f, Reductions &&...reductions) {                                 \
    q.parallel_for<Name>(nd_range<D>(r, size), reductions..., f);                                                                          \
  }
__ASPEN_LAUNCHES(1)
__ASPEN_LAUNCHES(2)
__ASPEN_LAUNCHES(3)
#undef __ASPEN_LAUNCHES

template <class Name = sycl::detail::unnamed_kernel, class F, detail::enable_if_function<F> = 0> void launch_task(handler &h, const F &f) {
  h.single_task<Name>(f);
}
template <class Name = sycl::detail::unnamed_kernel, class F, detail::enable_if_function<F> = 0> void launch_task(queue q, const F &f) {
  q.single_task<Name>(f);
}
template <class... Arguments> void launch_task(handler &h, const kernel &k, Arguments &&...arguments) {
  h.set_args(std::forward<Arguments>(arguments)...);
  h.single_task(k);
}
template <class... Arguments> void launch_task(queue q, const kernel &k, Arguments &&...arguments) {
  q.submit([&](handler &h) { launch_task(h, k, std::forward<Arguments>(arguments)...); });
}

namespace detail {
template <class From, class To>
using enable_if_accessors = std::enable_if_t<sycl::detail::is_accessor<From> || sycl::detail::is_accessor<To>, int>;

/// What a queue's command uses may be placeholders: it asks for them itself.
template <class T> void require(handler &h, const T &memory) {
  if constexpr (sycl::detail::is_accessor<T>)
    h.require(memory);
}
} // namespace detail

/// Between accessors, and between an accessor and the host's memory: pointers, or shared_ptrs that the command keeps.
template <class From, class To, detail::enable_if_accessors<From, To> = 0> void copy(handler &h, From from, To to) { h.copy(from, to); }
template <class From, class To, detail::enable_if_accessors<From, To> = 0> void copy(queue q, From from, To to) {
  q.submit([&](handler &h) {
    detail::require(h, from);
    detail::require(h, to);
    h.copy(from, to);
  });
}

template <class T, int D, access_mode M, target A, access::placeholder P> void fill(handler &h, accessor<T, D, M, A, P> to, const T &pattern) {
  h.fill(to, pattern);
}
template <class T, int D, access_mode M, target A, access::placeholder P> void fill(queue q, accessor<T, D, M, A, P> to, const T &pattern) {
  q.submit([&](handler &h) {
    detail::require(h, to);
    h.fill(to, pattern);
  });
}

/// What the buffer was made from gets its content.
template <class T, int D, access_mode M, target A, access::placeholder P> void update_host(handler &h, accessor<T, D, M, A, P> from) {
  h.update_host(from);
}
template <class T, int D, access_mode M, target A, access::placeholder P> void update_host(queue q, accessor<T, D, M, A, P> from) {
  q.submit([&](handler &h) {
    detail::require(h, from);
    h.update_host(from);
  });
}

inline void command_barrier(handler &h) { h.ext_oneapi_barrier(); }
inline void command_barrier(queue q) { q.ext_oneapi_submit_barrier(); }
inline void event_barrier(handler &h, const std::vector<event> &events) { h.ext_oneapi_barrier(events); }
inline void event_barrier(queue q, const std::vector<event> &events) { q.ext_oneapi_submit_barrier(events); }

} // namespace sycl::khr
