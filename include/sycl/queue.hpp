//! `sycl::queue`. Source: SYCL 2020 §4.6.5.
#pragma once
#include <optional>
#include <sycl/accessor.hpp>
#include <sycl/handler.hpp>

#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1
#define SYCL_EXT_ONEAPI_MEMCPY2D 1
#define SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS 1
#define SYCL_EXT_ONEAPI_PROD 1
#define SYCL_KHR_QUEUE_EMPTY_QUERY 1
#define SYCL_KHR_QUEUE_FLUSH 1

namespace sycl {

namespace ext::oneapi::experimental {
enum class queue_state;
enum class graph_state;
template <graph_state State> class command_graph;
}

namespace info::queue {
struct reference_count : info::reference_count {};
struct context {
  using return_type = sycl::context;
};
struct device {
  using return_type = sycl::device;
};
} // namespace info::queue

class _V1::queue : public detail::device_global_shortcuts<queue> {
public:
  explicit queue(const property_list &properties = {}) : queue(device(), async_handler(), properties) {}
  explicit queue(const async_handler &handler, const property_list &properties = {}) : queue(device(), handler, properties) {}
  template <class Selector, std::enable_if_t<detail::is_selector<Selector>, int> = 0>
  explicit queue(const Selector &selector, const property_list &properties = {}) : queue(device(selector), async_handler(), properties) {}
  template <class Selector, std::enable_if_t<detail::is_selector<Selector>, int> = 0>
  explicit queue(const Selector &selector, const async_handler &handler, const property_list &properties = {})
      : queue(device(selector), handler, properties) {}
  /// Selectors of SYCL 1.2.1 convert: `q = gpu_selector()`.
  queue(const device_selector &selector, const property_list &properties = {}) : queue(detail::select_by(selector), async_handler(), properties) {}
  explicit queue(const device &on, const property_list &properties = {}) : queue(on, async_handler(), properties) {}
  explicit queue(const device &on, const async_handler &handler, const property_list &properties = {})
      : queue(detail::default_context(on), on, handler, properties) {}
  template <class Selector, std::enable_if_t<detail::is_selector<Selector>, int> = 0>
  explicit queue(const context &in, const Selector &selector, const property_list &properties = {})
      : queue(in, device(selector), async_handler(), properties) {}
  template <class Selector, std::enable_if_t<detail::is_selector<Selector>, int> = 0>
  explicit queue(const context &in, const Selector &selector, const async_handler &handler, const property_list &properties = {})
      : queue(in, device(selector), handler, properties) {}
  explicit queue(const context &in, const device &on, const property_list &properties = {}) : queue(in, on, async_handler(), properties) {}
  explicit queue(const context &in, const device &on, const async_handler &handler, const property_list &properties = {})
      : state_(new detail::queue_state(in, on, handler, properties)) {
    if (!detail::is_in(in, on))
      detail::fail(errc::invalid, "the queue's device is not part of its context");
  }

  context get_context() const { return state_->context; }
  device get_device() const { return state_->device; }
  backend get_backend() const noexcept { return state_->device.get_backend(); }
  /// Deprecated, as a device's.
  bool is_host() const { return false; }
  bool is_in_order() const { return has_property<property::queue::in_order>(); }
  template <class P> bool has_property() const noexcept { return state_->properties.template has_property<P>(); }
  template <class P> P get_property() const { return state_->properties.template get_property<P>(); }
  template <class Descriptor> typename Descriptor::return_type get_info() const {
    if constexpr (std::is_same_v<Descriptor, info::queue::device>)
      return get_device();
    else if constexpr (std::is_same_v<Descriptor, info::queue::reference_count>)
      return 1;
    else if constexpr (std::is_same_v<Descriptor, info::queue::context>)
      return get_context();
    else
      static_assert(std::is_same_v<Descriptor, void>, "a queue is asked what info::queue names");
  }

  /// Runs the command group function and hands its command to the device. Source: SYCL 2020 §4.9.3.
  template <class T> event submit(T command_group) { return command(command_group); }
  /// Where the call stands, which DPC++ takes besides and the plugin knows here by itself.
  template <class T> event submit(T command_group, const detail::code_location &) { return submit(command_group); }
  /// Tries the secondary queue if this one refuses the command.
  template <class T> event submit(T command_group, const queue &secondary) {
#ifndef __SYCL_DEVICE_ONLY__
    try {
      return submit(command_group);
    } catch (const exception &) {
      return queue(secondary).submit(command_group);
    }
#else
    (void)secondary;
    return submit(command_group);
#endif
  }
  void wait() {
    if (state_->recorder())
      detail::fail(errc::invalid, "wait: a graph records the queue; nothing of it runs before the recording has ended");
    aspen_queue_wait(state_->handle);
  }
  void wait_and_throw() {
    wait();
    throw_asynchronous();
  }
  void throw_asynchronous() { state_->throw_asynchronous(); }

// Each shortcut in three forms: alone, after one event, after several. Source: SYCL 2020 §4.6.5.2. Templates where few programs need them:
// what nobody calls is not compiled then.
#define __ASPEN_SHORTCUT(TEMPLATE, NAME, CALL, PARAMETERS, ARGUMENTS)                                                                     \
  TEMPLATE event NAME(PARAMETERS) { return command([&](handler &h) { h.CALL(ARGUMENTS); }); }                                              \
  TEMPLATE event NAME(PARAMETERS, const event &after) { return command([&](handler &h) { h.CALL(ARGUMENTS); }, after); }                   \
  TEMPLATE event NAME(PARAMETERS, const std::vector<event> &after) { return command([&](handler &h) { h.CALL(ARGUMENTS); }, after); }
#define __ASPEN_COMMA ,
  __ASPEN_SHORTCUT(, memcpy, memcpy, void *to __ASPEN_COMMA const void *from __ASPEN_COMMA size_t bytes,
                   to __ASPEN_COMMA from __ASPEN_COMMA bytes)
  __ASPEN_SHORTCUT(, memset, memset, void *to __ASPEN_COMMA int value __ASPEN_COMMA size_t bytes,
                   to __ASPEN_COMMA value __ASPEN_COMMA bytes)
  __ASPEN_SHORTCUT(template <class T>, fill, fill, void *to __ASPEN_COMMA const T &pattern __ASPEN_COMMA size_t count,
                   to __ASPEN_COMMA pattern __ASPEN_COMMA count)
  __ASPEN_SHORTCUT(template <class T>, copy, copy, const T *from __ASPEN_COMMA T *to __ASPEN_COMMA size_t count,
                   from __ASPEN_COMMA to __ASPEN_COMMA count)
  __ASPEN_SHORTCUT(, prefetch, prefetch, const void *memory __ASPEN_COMMA size_t bytes, memory __ASPEN_COMMA bytes)
  __ASPEN_SHORTCUT(, mem_advise, mem_advise, const void *memory __ASPEN_COMMA size_t bytes __ASPEN_COMMA int advice,
                   memory __ASPEN_COMMA bytes __ASPEN_COMMA advice)
  __ASPEN_SHORTCUT(template <class Lazy = void>, ext_oneapi_memcpy2d, ext_oneapi_memcpy2d,
                   void *to __ASPEN_COMMA size_t to_pitch __ASPEN_COMMA const void *from __ASPEN_COMMA size_t from_pitch __ASPEN_COMMA size_t width
                       __ASPEN_COMMA size_t height,
                   to __ASPEN_COMMA to_pitch __ASPEN_COMMA from __ASPEN_COMMA from_pitch __ASPEN_COMMA width __ASPEN_COMMA height)
  __ASPEN_SHORTCUT(template <class T>, ext_oneapi_copy2d, ext_oneapi_copy2d,
                   const T *from __ASPEN_COMMA size_t from_pitch __ASPEN_COMMA T *to __ASPEN_COMMA size_t to_pitch __ASPEN_COMMA size_t width
                       __ASPEN_COMMA size_t height,
                   from __ASPEN_COMMA from_pitch __ASPEN_COMMA to __ASPEN_COMMA to_pitch __ASPEN_COMMA width __ASPEN_COMMA height)
  __ASPEN_SHORTCUT(template <class Lazy = void>, ext_oneapi_memset2d, ext_oneapi_memset2d,
                   void *to __ASPEN_COMMA size_t pitch __ASPEN_COMMA int value __ASPEN_COMMA size_t width __ASPEN_COMMA size_t height,
                   to __ASPEN_COMMA pitch __ASPEN_COMMA value __ASPEN_COMMA width __ASPEN_COMMA height)
  __ASPEN_SHORTCUT(template <class T>, ext_oneapi_fill2d, ext_oneapi_fill2d,
                   void *to __ASPEN_COMMA size_t pitch __ASPEN_COMMA const T &pattern __ASPEN_COMMA size_t width __ASPEN_COMMA size_t height,
                   to __ASPEN_COMMA pitch __ASPEN_COMMA pattern __ASPEN_COMMA width __ASPEN_COMMA height)
#undef __ASPEN_SHORTCUT
#undef __ASPEN_COMMA
  /// To and from device globals. Source: sycl_ext_oneapi_device_global.
  using device_global_shortcuts::copy, device_global_shortcuts::memcpy;

  /// Source: sycl_ext_oneapi_enqueue_barrier; sycl_ext_oneapi_queue_empty.
  template <class Lazy = void> event ext_oneapi_submit_barrier() {
    return command([&](handler &h) { h.ext_oneapi_barrier(); });
  }
  template <class Lazy = void> event ext_oneapi_submit_barrier(const std::vector<event> &after) {
    return command([&](handler &h) { h.ext_oneapi_barrier(after); });
  }
  /// Its first name.
  template <class Lazy = void> event submit_barrier() { return ext_oneapi_submit_barrier(); }
  template <class Lazy = void> event submit_barrier(const std::vector<event> &after) { return ext_oneapi_submit_barrier(after); }
  /// Executes all of a graph. Source: sycl_ext_oneapi_graph.
  template <class Graph, class... After> event ext_oneapi_graph(const Graph &graph, const After &...after) {
    return command([&](handler &h) { h.ext_oneapi_graph(graph); }, after...);
  }
  ext::oneapi::experimental::queue_state ext_oneapi_get_state() const;
  /// The graph that records the queue.
  ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state(0)> ext_oneapi_get_graph() const;
  /// Whether all that was submitted is complete; if so, it is as if it had been waited for. Source: sycl_khr_queue_empty_query.
  bool khr_empty() const { return aspen_queue_is_complete(state_->handle) != 0; }
  bool ext_oneapi_empty() const { return khr_empty(); }
  /// Of an in-order queue: the event of the last command, if there was any, and what all that follows waits for. Where several threads
  /// submitted at once, or a graph records the queue, the event is that of an empty command behind all others.
  /// Source: sycl_ext_oneapi_in_order_queue_events.
  template <class Lazy = void> std::optional<event> ext_oneapi_get_last_event() const {
    only_in_order("ext_oneapi_get_last_event: the queue is not in-order");
    if (!state_->last.is_any())
      return std::nullopt;
    aspen_event_t *const known = state_->recorder() ? nullptr : state_->last.get();
    return known ? event(known, state_) : queue(*this).command([&](handler &) {});
  }
  template <class Lazy = void> void ext_oneapi_set_external_event(const event &before) {
    only_in_order("ext_oneapi_set_external_event: the queue is not in-order");
    command([&](handler &) {}, before);
  }
  /// Commands begin as soon as they can anyway. Source: sycl_khr_queue_flush, sycl_ext_oneapi_prod.
  void khr_flush() const {}
  void ext_oneapi_prod() {}

#define __ASPEN_KERNEL_SHORTCUT(SHAPE, ...)                                                                                               \
  template <class Name = detail::unnamed_kernel, class F __VA_ARGS__> event parallel_for(SHAPE shape, F f) {                               \
    return command([&](handler &h) { h.parallel_for<Name>(shape, f); });                                                                   \
  }                                                                                                                                        \
  template <class Name = detail::unnamed_kernel, class F __VA_ARGS__> event parallel_for(SHAPE shape, const event &after, F f) {           \
    return command([&](handler &h) { h.parallel_for<Name>(shape, f); }, after);                                                            \
  }                                                                                                                                        \
  template <class Name = detail::unnamed_kernel, class F __VA_ARGS__>                                                                      \
  event parallel_for(SHAPE shape, const std::vector<event> &after, F f) {                                                                  \
    return command([&](handler &h) { h.parallel_for<Name>(shape, f); }, after);                                                            \
  }
  __ASPEN_KERNEL_SHORTCUT(range<1>)
  __ASPEN_KERNEL_SHORTCUT(range<2>)
  __ASPEN_KERNEL_SHORTCUT(range<3>)
  __ASPEN_KERNEL_SHORTCUT(nd_range<D>, , int D) // deduced, so that {4, 4} is a range<2>
#undef __ASPEN_KERNEL_SHORTCUT
  template <class Name = detail::unnamed_kernel, class F, int D> event parallel_for(range<D> items, id<D> offset, F f) {
    return command([&](handler &h) { h.parallel_for<Name>(items, offset, f); });
  }
  /// With reductions before the function.
#define __ASPEN_REDUCTION_SHORTCUT(SHAPE, ...)                                                                                            \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class First, class... Rest,                                                  \
            std::enable_if_t<detail::is_reduction<First>, int> = 0>                                                                       \
  event parallel_for(SHAPE shape, const First &first, const Rest &...rest) {                                                              \
    return command([&](handler &h) { h.parallel_for<Name>(shape, first, rest...); });                                                     \
  }                                                                                                                                       \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class First, class... Rest,                                                  \
            std::enable_if_t<detail::is_reduction<First>, int> = 0>                                                                       \
  event parallel_for(SHAPE shape, const event &after, const First &first, const Rest &...rest) {                                          \
    return command([&](handler &h) { h.parallel_for<Name>(shape, first, rest...); }, after);                                              \
  }                                                                                                                                       \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class First, class... Rest,                                                  \
            std::enable_if_t<detail::is_reduction<First>, int> = 0>                                                                       \
  event parallel_for(SHAPE shape, const std::vector<event> &after, const First &first, const Rest &...rest) {                           \
    return command([&](handler &h) { h.parallel_for<Name>(shape, first, rest...); }, after);                                               \
  }
  __ASPEN_REDUCTION_SHORTCUT(range<1>, )
  __ASPEN_REDUCTION_SHORTCUT(range<2>, )
  __ASPEN_REDUCTION_SHORTCUT(range<3>, )
  __ASPEN_REDUCTION_SHORTCUT(nd_range<D>, int D, )
#undef __ASPEN_REDUCTION_SHORTCUT
  template <class Name = detail::unnamed_kernel, class F> event single_task(F f) {
    return command([&](handler &h) { h.single_task<Name>(f); });
  }
  template <class Name = detail::unnamed_kernel, class F> event single_task(const event &after, F f) {
    return command([&](handler &h) { h.single_task<Name>(f); }, after);
  }
  template <class Name = detail::unnamed_kernel, class F> event single_task(const std::vector<event> &after, F f) {
    return command([&](handler &h) { h.single_task<Name>(f); }, after);
  }
  /// With properties before the function, or before the reductions. Source: sycl_ext_oneapi_kernel_properties.
#define __ASPEN_PROPERTIES_SHORTCUT(SHAPE, ...)                                                                                           \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class... P, class... Rest>                                                   \
  event parallel_for(SHAPE shape, ext::oneapi::experimental::properties<P...> properties, const Rest &...rest) {                          \
    return command([&](handler &h) { h.parallel_for<Name>(shape, properties, rest...); });                                                \
  }                                                                                                                                       \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class... P, class... Rest>                                                   \
  event parallel_for(SHAPE shape, const event &after, ext::oneapi::experimental::properties<P...> properties, const Rest &...rest) {      \
    return command([&](handler &h) { h.parallel_for<Name>(shape, properties, rest...); }, after);                                         \
  }                                                                                                                                       \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class... P, class... Rest>                                                   \
  event parallel_for(SHAPE shape, const std::vector<event> &after, ext::oneapi::experimental::properties<P...> properties,                \
                     const Rest &...rest) {                                                                                               \
    return command([&](handler &h) { h.parallel_for<Name>(shape, properties, rest...); }, after);                                         \
  }
  __ASPEN_PROPERTIES_SHORTCUT(range<1>, )
  __ASPEN_PROPERTIES_SHORTCUT(range<2>, )
  __ASPEN_PROPERTIES_SHORTCUT(range<3>, )
  __ASPEN_PROPERTIES_SHORTCUT(nd_range<D>, int D, )
#undef __ASPEN_PROPERTIES_SHORTCUT
  template <class Name = detail::unnamed_kernel, class F, class... P> event single_task(ext::oneapi::experimental::properties<P...> properties, F f) {
    return command([&](handler &h) { h.single_task<Name>(properties, f); });
  }
  template <class Name = detail::unnamed_kernel, class F, class After = std::vector<event>, class... P>
  event single_task(const After &after, ext::oneapi::experimental::properties<P...> properties, F f) {
    return command([&](handler &h) { h.single_task<Name>(properties, f); }, after);
  }
  template <class F> event host_task(F f) {
    return command([&](handler &h) { h.host_task(std::move(f)); });
  }

  /// Copies between accessors and host memory; the command group requires the accessors. Source: SYCL 2020 §4.6.5.2.
#define __ASPEN_ACCESSOR(n) accessor<Type##n, Dims##n, Mode##n, Place##n, Holds##n>
#define __ASPEN_OF_ACCESSOR(n) class Type##n, int Dims##n, access_mode Mode##n, target Place##n, access::placeholder Holds##n
  template <__ASPEN_OF_ACCESSOR(1), class U> event copy(__ASPEN_ACCESSOR(1) from, U to) {
    return command([&](handler &h) { h.require(from), h.copy(from, to); });
  }
  template <class U, __ASPEN_OF_ACCESSOR(1), std::enable_if_t<!detail::is_accessor<U>, int> = 0> event copy(U from, __ASPEN_ACCESSOR(1) to) {
    return command([&](handler &h) { h.require(to), h.copy(from, to); });
  }
  template <__ASPEN_OF_ACCESSOR(1), __ASPEN_OF_ACCESSOR(2)> event copy(__ASPEN_ACCESSOR(1) from, __ASPEN_ACCESSOR(2) to) {
    return command([&](handler &h) { h.require(from), h.require(to), h.copy(from, to); });
  }
  template <__ASPEN_OF_ACCESSOR(1)> event update_host(__ASPEN_ACCESSOR(1) of) {
    return command([&](handler &h) { h.require(of), h.update_host(of); });
  }
  template <__ASPEN_OF_ACCESSOR(1)> event fill(__ASPEN_ACCESSOR(1) to, const Type1 &pattern) {
    return command([&](handler &h) { h.require(to), h.fill(to, pattern); });
  }
#undef __ASPEN_ACCESSOR
#undef __ASPEN_OF_ACCESSOR

  /// An order of owners. Source: sycl_ext_oneapi_weak_object.
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept { return aspen_owner_before(*this, other); }

  friend bool operator==(const queue &a, const queue &b) { return a.state_ == b.state_; }
#if __cplusplus < 202002L
  friend bool operator!=(const queue &a, const queue &b) { return a.state_ != b.state_; }
#endif

  /// For the library.
  aspen_queue_t *aspen_handle() const { return state_->handle; }
  explicit queue(detail::queue_state *made) : state_(made) {}
  detail::queue_state &aspen_state() const { return *state_; }

private:
  friend struct detail::weak_access;
  friend class detail::device_global_shortcuts<queue>;
  void only_in_order(const char *what) const {
    if (!is_in_order())
      detail::fail(errc::invalid, what);
  }
  /// A command group function; `After`: nothing, an event, or several. What follows is compiled once a unit: programs have hundreds of them.
  template <class Command> event command(Command &&made) { return run(&call<std::remove_reference_t<Command>>, std::addressof(made), nullptr, 0); }
  template <class Command> event command(Command &&made, const event &after) { return run(&call<std::remove_reference_t<Command>>, std::addressof(made), &after, 1); }
  template <class Command> event command(Command &&made, const std::vector<event> &after) {
    return run(&call<std::remove_reference_t<Command>>, std::addressof(made), after.data(), after.size());
  }
  template <class Command> static void call(const void *made, handler &h) {
    (*static_cast<Command *>(const_cast<void *>(made)))(h);
  }
  [[gnu::noinline]] event run(void (*made)(const void *, handler &), const void *function, const event *after, size_t count) {
    handler h(state_);
    for (size_t i = 0; i < count; ++i)
      h.depends_on(after[i]);
    made(function, h);
    return submitted(h);
  }
  event submitted(handler &h) {
    if (!is_in_order())
      return h.finish();
    detail::last_event::submission turn(state_->last);
    event done = h.finish();
    if (!done.aspen_node())
      turn.made(done.aspen_handle());
    return done;
  }
  detail::shared<detail::queue_state> state_;
  // oneDPL keeps a number and a function in the bytes of a queue that is not made yet, and asserts that there is room.
  [[maybe_unused]] void *room_ = nullptr;
};

} // namespace sycl

template <> struct std::hash<sycl::queue> {
  std::size_t operator()(const sycl::queue &q) const noexcept { return reinterpret_cast<std::size_t>(q.aspen_handle()); }
};
