//! `sycl::handler`: one command group. Source: SYCL 2020 §4.9.4.
//!
//! A command is checked where it is invoked, so a kernel that the device cannot run is refused by `parallel_for` itself; it is submitted
//! when the command group function returns. A function that throws submits nothing.
#pragma once
#include <cstring>
#include <mutex>
#include <new>
#include <sycl/access.hpp>
#include <sycl/detail/accessor_class.hpp>
#include <sycl/detail/call_kernel.hpp>
#include <sycl/detail/device_global_copies.hpp>
#include <sycl/detail/kernel_entry.hpp>
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/detail/launch.hpp>
#include <sycl/detail/native_arguments.hpp>
#include <sycl/detail/reduction_tag.hpp>
#include <sycl/detail/row_copies.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/event.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/printf.hpp>

namespace sycl {

namespace detail {
/// In reduction.hpp. `Properties` are those of the launch.
template <class Name, class Properties, class Shape, class... Arguments, size_t... I>
void reduce_arguments(handler &command, const Shape &shape, std::index_sequence<I...>, const Arguments &...arguments);
} // namespace detail

class _V1::handler : public detail::device_global_copies<handler>, public detail::row_copies<handler> {
public:
  handler(const handler &) = delete;
  handler &operator=(const handler &) = delete;
  void depends_on(const event &e) { e.aspen_joins(*queue_, recorder_, record_, complete_), e.aspen_queues(before_), events_.add(e); }
  void depends_on(const std::vector<event> &events) {
    for (const event &e : events)
      depends_on(e);
  }
  /// Makes the command wait for, and the placeholder refer to, its buffer. Call it before the kernel's lambda is made.
  template <class T, int D, access_mode M, target P, access::placeholder H> void require(const accessor<T, D, M, P, H> &a);
  template <class T> void require(const ext::oneapi::experimental::dynamic_parameter<T> &of); // of a placeholder

  /// Takes the kernels of this command group, and the specialization constants they read, from `bundle`. Source: SYCL 2020 §4.11.15.
  void use_kernel_bundle(const kernel_bundle<bundle_state::executable> &bundle) {
    if (!(bundle.aspen_contents()->in == queue_->context))
      detail::fail(errc::invalid, "use_kernel_bundle: the bundle and the queue have different contexts");
    if (!constants_.empty())
      detail::fail(errc::invalid, "use_kernel_bundle: the command group has set specialization constants itself");
    bundle_ = bundle.aspen_contents();
  }
  template <auto &Constant> void set_specialization_constant(detail::constant_value<Constant> value) {
    if (bundle_)
      detail::fail(errc::invalid, "set_specialization_constant: the command group uses a kernel bundle, whose constants were set before");
    constants_.template set<Constant>(value);
  }
  template <auto &Constant> detail::constant_value<Constant> get_specialization_constant() {
    if (bundle_)
      detail::fail(errc::invalid, "get_specialization_constant: the command group uses a kernel bundle: ask the bundle");
    return constants_.template get<Constant>();
  }

  template <class Name = detail::unnamed_kernel, class F> void single_task(F f) {
    using N = detail::kernel_name_t<Name, F>;
    if constexpr (std::is_same_v<F, kernel>) {
      const range<1> one(1);
      launch_object(ASPEN_LAUNCH_SINGLE_TASK, f, one, &one, id<1>());
    } else if constexpr (detail::has_own_properties<F>) {
      single_task<N>(detail::with_own_properties(f, *this));
    } else if constexpr (std::is_invocable_v<const F &>) {
      (void)&detail::entry_single_task<N, F>;
      launch<N>(ASPEN_LAUNCH_SINGLE_TASK, range<1>(1), nullptr, id<1>(), f);
    } else if constexpr (detail::takes_item<F, kernel_handler>) {
      single_task<N>(detail::with_constants<F>{f, constant_block()});
    } else {
      constexpr bool is_mutable = std::is_invocable_v<F &> || detail::lacks_const<F, kernel_handler>;
      static_assert(!is_mutable, __ASPEN_KERNELS_ARE_CONST);
      static_assert(is_mutable, "a single task takes nothing or a sycl::kernel_handler");
    }
  }

  template <class Name = detail::unnamed_kernel, class F, class... P>
  void single_task(const ext::oneapi::experimental::properties<P...> &with, F f) {
    single_task<detail::kernel_name_t<Name, F>>(detail::with_given_properties(f, with, *this));
  }

  template <class Name = detail::unnamed_kernel, class F> void parallel_for(range<1> items, F f) { over<Name>(items, id<1>(), f); }
  template <class Name = detail::unnamed_kernel, class F> void parallel_for(range<2> items, F f) { over<Name>(items, id<2>(), f); }
  template <class Name = detail::unnamed_kernel, class F> void parallel_for(range<3> items, F f) { over<Name>(items, id<3>(), f); }
  /// With an offset: deprecated in SYCL 2020.
  template <class Name = detail::unnamed_kernel, class F, int D> void parallel_for(range<D> items, id<D> offset, F f) {
    over<Name>(items, offset, f);
  }
  template <class Name = detail::unnamed_kernel, class F, int D> void parallel_for(nd_range<D> shape, F f) {
    using N = detail::kernel_name_t<Name, F>;
    if constexpr (std::is_same_v<F, kernel>) {
      const range<D> local = shape.get_local_range();
      launch_object(ASPEN_LAUNCH_ND_RANGE, f, shape.get_global_range(), &local, shape.get_offset());
    } else if constexpr (detail::has_own_properties<F>) {
      parallel_for<N>(shape, detail::with_own_properties(f, *this));
    } else if constexpr (detail::takes_item<F, nd_item<D>>) {
      (void)&detail::entry_nd_range<N, D, F>;
      const range<D> local = shape.get_local_range();
      launch<N>(ASPEN_LAUNCH_ND_RANGE, shape.get_global_range(), &local, shape.get_offset(), f);
    } else if constexpr (detail::takes_item<F, nd_item<D>, kernel_handler>) {
      parallel_for<N>(shape, detail::with_constants<F>{f, constant_block()});
    } else {
      static_assert(!detail::is_mutable<F, nd_item<D>>, __ASPEN_KERNELS_ARE_CONST);
      static_assert(detail::is_mutable<F, nd_item<D>>,
                    "a kernel over an nd_range takes a sycl::nd_item of its dimensions, and perhaps a sycl::kernel_handler");
    }
  }

  /// With reductions before the function, which gets a reducer for each. Source: SYCL 2020 §4.9.2.
#define __ASPEN_REDUCING(SHAPE, ...)                                                                                                      \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class First, class... Rest,                                                  \
            std::enable_if_t<detail::is_reduction<First>, int> = 0>                                                                       \
  void parallel_for(SHAPE shape, const First &first, const Rest &...rest) {                                                               \
    detail::reduce_arguments<Name, void>(*this, shape, std::make_index_sequence<sizeof...(Rest)>(), first, rest...);                      \
  }                                                                                                                                       \
  /* With properties before that. Source: sycl_ext_oneapi_kernel_properties. */                                                           \
  template <class Name = detail::unnamed_kernel, __VA_ARGS__ class... P, class First, class... Rest>                                      \
  void parallel_for(SHAPE shape, const ext::oneapi::experimental::properties<P...> &with, const First &first, const Rest &...rest) {      \
    if constexpr (sizeof...(Rest) == 0)                                                                                                   \
      parallel_for<detail::kernel_name_t<Name, First>>(shape, detail::with_given_properties(first, with, *this));                         \
    else                                                                                                                                  \
      detail::reduce_arguments<Name, ext::oneapi::experimental::properties<P...>>(*this, shape,                                           \
                                                                                  std::make_index_sequence<sizeof...(Rest)>(), first,     \
                                                                                  rest...);                                               \
  }
  __ASPEN_REDUCING(range<1>, )
  __ASPEN_REDUCING(range<2>, )
  __ASPEN_REDUCING(range<3>, )
  __ASPEN_REDUCING(nd_range<D>, int D, )
#undef __ASPEN_REDUCING

  /// SYCL 1.2.1's forms with the kernel object of the function that follows. Source: SYCL 1.2.1 §4.8.5.
  template <class Name = detail::unnamed_kernel, class F> void single_task(const kernel &, F f) { single_task<Name>(f); }
  template <class Name = detail::unnamed_kernel, class Shape, class F> void parallel_for(const kernel &, Shape shape, F f) {
    parallel_for<Name>(shape, f);
  }
  /// Arguments of kernel objects: of kernels that a backend's own interface made, and of those that are functions, whose launch fails with
  /// errc::kernel_argument if others are set. Source: SYCL 2020 §4.9.4.3; sycl_ext_oneapi_free_function_kernels.
  template <class T> void set_arg(int index, T &&argument) { arguments_.set(index, argument); }
  template <class... T> void set_args(const T &...arguments) { arguments_.set_all(arguments...); }

  /// Hierarchical kernels; the device chooses the size of the groups if none is given. Properties: sycl_ext_oneapi_kernel_properties.
  template <class Name = detail::unnamed_kernel, class F, int D> void parallel_for_work_group(range<D> groups, F f) {
    hierarchical<Name>(groups, nullptr, f);
  }
  template <class Name = detail::unnamed_kernel, class F, int D> void parallel_for_work_group(range<D> groups, range<D> local, F f) {
    hierarchical<Name>(groups, &local, f);
  }
  template <class Name = detail::unnamed_kernel, class F, class... P, int D>
  void parallel_for_work_group(range<D> groups, const ext::oneapi::experimental::properties<P...> &with, F f) {
    hierarchical<detail::kernel_name_t<Name, F>>(groups, nullptr, detail::with_given_properties(f, with, *this));
  }
  template <class Name = detail::unnamed_kernel, class F, class... P, int D>
  void parallel_for_work_group(range<D> groups, range<D> local, const ext::oneapi::experimental::properties<P...> &with, F f) {
    hierarchical<detail::kernel_name_t<Name, F>>(groups, &local, detail::with_given_properties(f, with, *this));
  }

  void memcpy(void *to, const void *from, size_t bytes) {
    open();
    aspen_prepared_t *copy = nullptr;
    detail::check(aspen_prepare_copy(queue_->handle, to, from, bytes, &copy));
    if (record_)
      record_->copy(to, from, bytes);
    take(copy);
  }
  template <class T> void copy(const T *from, T *to, size_t count) { memcpy(to, from, detail::copied_bytes(count, sizeof(T))); }
  using device_global_copies::copy, device_global_copies::memcpy;
  void memset(void *to, int value, size_t bytes) {
    const unsigned char byte = static_cast<unsigned char>(value);
    repeat(to, &byte, 1, bytes, detail::recorded_kind::memset);
  }
  template <class T> void fill(void *to, const T &pattern, size_t count) {
    static_assert(is_device_copyable_v<T>, "fill repeats a device-copyable value");
    repeat(to, &pattern, sizeof(T), count);
  }
  /// All later commands of the queue wait for all earlier ones, or for these events. Source: sycl_ext_oneapi_enqueue_barrier.
  void ext_oneapi_barrier() {
    if (queue_->of_graph)
      detail::fail(errc::invalid, "ext_oneapi_barrier: a graph has them of queues that it records; add an empty node that depends on all leaves");
    nothing(detail::recorded_kind::barrier);
    barrier_ = detail::barrier_for::all;
    if (record_)
      record_->for_all = true;
  }
  void ext_oneapi_barrier(const std::vector<event> &events) {
    depends_on(events), nothing(events.empty() ? detail::recorded_kind::empty : detail::recorded_kind::barrier);
    barrier_ = events.empty() ? detail::barrier_for::none : detail::barrier_for::events;
  }
  /// Executes all of a graph. Source: sycl_ext_oneapi_graph.
  template <class Graph> void ext_oneapi_graph(const Graph &graph) {
    nothing(detail::recorded_kind::subgraph);
    graph_ = graph.aspen_graph();
    graph_->check_use(*queue_, static_cast<bool>(record_));
  }
  void prefetch(const void *, size_t) { nothing(detail::recorded_kind::prefetch); }
  void mem_advise(const void *, size_t, int) { nothing(detail::recorded_kind::memadvise); }

  template <class T, int D, access_mode M, target P, access::placeholder H> void fill(accessor<T, D, M, P, H> to, const T &pattern) {
    static_assert(detail::is_destination<M>, "the accessor that is filled was made to read");
    rows(detail::in_line(to), [&](T *row, size_t, size_t count) { repeat(row, &pattern, sizeof(T), count); });
  }
  template <class T, int D, access_mode M, target P, access::placeholder H, class U> void copy(accessor<T, D, M, P, H> from, U *to) {
    static_assert(detail::is_source<M>, "the accessor that is copied from was made to write");
    char *const bytes = static_cast<char *>(static_cast<void *>(to)); // of any type, or none
    rows(detail::in_line(from), [&](const T *row, size_t done, size_t count) { memcpy(bytes + done * sizeof(T), row, count * sizeof(T)); });
  }
  template <class T, int D, access_mode M, target P, access::placeholder H, class U> void copy(const U *from, accessor<T, D, M, P, H> to) {
    static_assert(detail::is_destination<M>, "the accessor that is copied to was made to read");
    const char *const bytes = static_cast<const char *>(static_cast<const void *>(from));
    rows(detail::in_line(to), [&](T *row, size_t done, size_t count) { memcpy(row, bytes + done * sizeof(T), count * sizeof(T)); });
  }
  /// To and from memory that a shared_ptr owns: the command keeps it.
  template <class T, int D, access_mode M, target P, access::placeholder H, class Shared, class = decltype(std::declval<Shared &>().use_count())>
  void copy(accessor<T, D, M, P, H> from, Shared to) {
    copy(from, to.get());
    go_on();
    host_task([to] {});
  }
  template <class Shared, class T, int D, access_mode M, target P, access::placeholder H, class = decltype(std::declval<Shared &>().use_count())>
  void copy(Shared from, accessor<T, D, M, P, H> to) {
    copy(static_cast<const std::remove_pointer_t<decltype(from.get())> *>(from.get()), to);
    go_on();
    host_task([from] {});
  }
  template <class T, int D, access_mode M, target P, access::placeholder H, class U, int E, access_mode N, target Q, access::placeholder I>
  void copy(accessor<T, D, M, P, H> from, accessor<U, E, N, Q, I> to) {
    static_assert(detail::is_source<M>, "the accessor that is copied from was made to write");
    static_assert(detail::is_destination<N>, "the accessor that is copied to was made to read");
    if (to.byte_size() < from.byte_size())
      detail::fail(errc::invalid, "copy: the destination is smaller than the source");
    const auto &line = detail::in_line(to);
    const size_t run = contiguous(line) * sizeof(U); // all of this is bytes: the elements may differ in size
    hold(&to, sizeof to);
    rows(detail::in_line(from), [&](const T *row, size_t first, size_t count) {
      const char *bytes = reinterpret_cast<const char *>(row);
      size_t n = 0, at = first * sizeof(T);
      for (size_t left = count * sizeof(T); left > 0; bytes += n, at += n, left -= n) {
        n = left < run - at % run ? left : run - at % run;
        go_on();
        memcpy(reinterpret_cast<char *>(&line[detail::delinearize(at / sizeof(U), line.get_range())]) + at % sizeof(U), bytes, n);
      }
    });
  }
  /// A host task finds its buffers on the host; from there the content goes to the memory that the buffer was made from.
  template <class T, int D, access_mode M, target P, access::placeholder H> void update_host(accessor<T, D, M, P, H> from) {
    hold(&from, sizeof from);
    const auto *of = from.aspen_buffer();
    if (!of)
      return nothing(); // of an accessor that was made without a buffer
    void *content = nullptr;
    detail::check(aspen_buffer_address(of->handle, nullptr, &content));
    host_task([content, origin = of->updated_place(), size = of->size, mutex = of->mutex] {
      const auto locked = mutex ? std::unique_lock<std::mutex>(*mutex) : std::unique_lock<std::mutex>();
      if (origin && origin != content) // it works there, unless accesses are checked (ASPEN_CHECK)
        std::memcpy(origin, content, size);
    });
  }

  /// Runs `task` on a thread of the runtime. What it throws becomes an asynchronous error.
  template <class F> void host_task(F &&task) {
    using G = std::decay_t<F>;
    static_assert(std::is_invocable_v<G &> || std::is_invocable_v<G &, interop_handle>, "a host task takes nothing or a sycl::interop_handle");
    open();
    using job = detail::host_job<G, detail::host_errors>;
    job *data = new job(G(std::forward<F>(task)), queue_->handle);
    (void)detail::buffer_place::bind_required(&data->task, sizeof data->task, held_.data(), held_.size()); // a task may hold what it does not use
    for (size_t i = 0; std::is_invocable_v<G &> && i < uses_.size(); ++i)
      detail::use_on_host(uses_.data()[i], aspen_queue_device(queue_->handle), &data->task, sizeof data->task);
    aspen_prepared_t *prepared = nullptr;
    detail::check(aspen_prepare_host_task(queue_->handle, &job::run, &job::drop, data, &prepared));
    if (record_)
      record_->host_task(&job::run, &job::drop, data, data);
    take(prepared);
  }
  /// What `task` puts into the native queue is part of the command. Source: sycl_ext_codeplay_enqueue_native_command.
  template <class F> void ext_codeplay_enqueue_native_command(F &&task) {
    host_task(detail::native_command<std::decay_t<F>>{std::forward<F>(task)});
  }

  /// For the library: states that the command uses a buffer; returns its address on the queue's device or on the host.
  void *aspen_use(aspen_buffer_t *buffer, aspen_access_t access, bool on_host) {
    void *address = nullptr;
    detail::check(aspen_buffer_address(buffer, on_host ? nullptr : aspen_queue_device(queue_->handle), &address));
    uses_.add({buffer, on_host ? access : access | ASPEN_ACCESS_ON_DEVICE});
    return address;
  }
  template <class State> void *aspen_use(const State &buffer, aspen_access_t access, bool on_host) {
    used_ = used_ | (buffer.goes_back() && (access & ASPEN_ACCESS_WRITE) ? 3 : 1);
    return buffer.users.meet(queue_, before_), aspen_use(buffer.handle, access, on_host);
  }
  /// For the library: the command requires this buffer's placeholders.
  void aspen_holds(const detail::buffer_place::required &place) { held_.add(place); }
  /// For the library: reserves local memory; returns its offset. `needed`: the alignment without which accesses fail.
  size_t aspen_local_memory(size_t bytes, size_t alignment, size_t needed) {
    open();
    const size_t offset = (local_memory_ + alignment - 1) / alignment * alignment;
    if (bytes > ~size_t(0) / 2 - offset)
      detail::fail(errc::memory_allocation, "local memory of more bytes than there are addresses");
    local_memory_ = offset + bytes;
    local_alignment_ = local_alignment_ < needed ? needed : local_alignment_;
    return offset;
  }
  /// For the library: scratch memory of the work-groups of a kernel object's launch.
  void aspen_set_scratch(detail::scratch_place place) { arguments_.scratch = place; }
  /// For the library: memory that only this command uses, where its device sees it.
  void *aspen_scratch(size_t bytes, size_t alignment) {
    aspen_buffer_t *own = nullptr;
    detail::check(aspen_buffer_create(bytes ? bytes : 1, alignment, nullptr, 0, &own));
    scratch_.add(own);
    return aspen_use(own, ASPEN_ACCESS_READ_WRITE, false);
  }
  /// For the library: memory that commands of the queue take turns to use; once a command. The first time it is zero, later as it was left.
  void *aspen_reused_scratch(size_t bytes) {
    if (record_) // a graph's nodes may run at any time
      return aspen_scratch(bytes, detail::scratch_pool::alignment);
    lent_ = queue_->scratch.take(bytes, queue_->properties.has_property<property::queue::in_order>());
    return aspen_use(lent_.buffer, ASPEN_ACCESS_READ_WRITE, false);
  }
  /// For the library: memory for a stream's count and characters, which are printed when the command is complete, and the stream's number.
  void *aspen_stream(size_t characters, std::uint64_t *number) {
    static std::uint64_t last = 0;
    *number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    void *memory = aspen_scratch(sizeof(std::uint32_t) + characters, alignof(std::uint32_t));
    streams_.add({scratch_.data()[scratch_.size() - 1], characters});
    return memory;
  }
  /// For the library: a kernel that runs after the command so far, as a part of it.
  template <class Name, class F> void aspen_then(const F &f) { go_on(), single_task<Name>(f); }
  /// The same; as aspen_over.
  template <class Name, bool Here, class Shape, class F> void aspen_then(const Shape &shape, const F &f) {
    go_on();
    aspen_over<Name, Here>(shape, f);
  }
  /// For the library: a kernel as it is. Where it is not `Here`, the pass over the source has another kernel of that name.
  template <class Name, bool Here, class F, int D> void aspen_over(const range<D> &items, const F &f) {
    if constexpr (Here)
      (void)&detail::entry_range<Name, D, F>;
    launch<Name>(ASPEN_LAUNCH_RANGE, items, nullptr, id<D>(), f);
  }
  template <class Name, bool Here, class F, int D> void aspen_over(const nd_range<D> &shape, const F &f) {
    if constexpr (Here)
      (void)&detail::entry_nd_range<Name, D, F>;
    const range<D> local = shape.get_local_range();
    launch<Name>(ASPEN_LAUNCH_ND_RANGE, shape.get_global_range(), &local, shape.get_offset(), f);
  }
  /// For the library: the graph of which the command becomes a node of that type; null if it is executed, which has no command by that yet.
  detail::recorder *aspen_becomes(detail::recorded_kind type) {
    return record_ ? nothing(type), recorder_.get() : nullptr;
  }
  const device &aspen_device() const { return queue_->device; }
  const context &aspen_context() const { return queue_->context; }
  detail::constant_block aspen_constants() { return constant_block(); }

private:
  friend queue;
  friend detail::row_copies<handler>;
  explicit handler(const detail::shared<detail::queue_state> &queue) : queue_(queue) {
    if ((recorder_ = queue->recorder()))
      record_ = detail::shared<detail::recording>(recorder_->begin());
  }
  ~handler() {
    for (size_t i = 0; i < parts_.size() && !submitted_; ++i)
      aspen_prepared_discard(parts_.data()[i]); // the command group function threw
    if (last_)
      aspen_event_release(last_);
    for (aspen_buffer_t *own : scratch_)
      aspen_buffer_release(own);
    if (lent_.buffer)
      queue_->scratch.give_back(lent_, nullptr);
  }
  /// Submits the command; each of its parts waits for the one before, so that the last one's event stands for all.
  event finish() {
    detail::timed_parts timed(queue_->profiles ? parts_.size() : 0); // what prints is none of them
    if (parts_.size() > 0 || (record_ && !record_->empty()))
      print_streams();
    detail::list<aspen_event_t *, 2> events;
    for (const event &e : events_)
      events.add(e.aspen_handle());
    aspen_dependencies_t after = {uses_.data(), uses_.size(), events.data(), events.size()};
    arguments_.are_of_node(queue_->of_graph, record_ && record_->kind == detail::recorded_kind::kernel);
    if (record_) {
      if (used_)
        recorder_->takes_buffers(used_ & 2);
      const bool in_order = queue_->properties.has_property<property::queue::in_order>();
      return event::aspen_of_graph(recorder_->end(record_, graph_, after, queue_->handle, in_order), queue_, record_);
    }
    if (graph_)
      last_ = graph_->run(queue_->handle, after);
    else if (parts_.size() == 0)
      last_ = detail::submit_nothing(queue_->handle, barrier_, after);
    submitted_ = true;
    if (!last_)
      last_ = detail::submit_parts(queue_->handle, parts_.data(), parts_.size(), after, timed);
    timed.are_of(last_);
    event whole(std::exchange(last_, nullptr), queue_);
    if (lent_.buffer)
      queue_->scratch.give_back(std::exchange(lent_, {}), whole.aspen_handle());
    whole.aspen_comes_after(events_, before_);
    if (graph_ && queue_->profiles && !graph_->has_times)
      whole.aspen_make_untimed();
    return detail::printed_before_exit(streams_, std::move(whole));
  }

  /// A host task finds its buffers on the host.
  void print_streams() {
    for (const detail::stream_text &one : streams_) {
      void *memory = nullptr;
      detail::check(aspen_buffer_address(one.buffer, nullptr, &memory));
      go_on();
      host_task([memory, size = one.size] { detail::print_stream(memory, size); });
    }
  }

  void open() const {
    if (complete_)
      detail::fail(errc::invalid, "a command group has one command, and this one has another already");
  }

  /// What a graph records is prepared to be checked, and again when it is executed.
  void take(aspen_prepared_t *part) {
    if (record_)
      aspen_prepared_discard(part);
    else
      parts_.add(part);
    complete_ = true;
  }
  /// What follows is a further part of the command.
  void go_on() {
    complete_ = false;
    further_ = true;
    local_memory_ = 0;
    local_alignment_ = 1;
  }

  /// Where the command's device finds the values of specialization constants: a buffer of the command's own.
  detail::constant_block constant_block() {
    const detail::constant_values &set = bundle_ ? bundle_->constants : constants_;
    detail::constant_block block = set.block();
    if (set.empty())
      return {};
    aspen_buffer_t *own = nullptr;
    detail::check(aspen_buffer_create(set.size(), 16, const_cast<unsigned char *>(block.first), 0, &own));
    scratch_.add(own);
    block.first = static_cast<const unsigned char *>(aspen_use(own, ASPEN_ACCESS_READ, false));
    return block;
  }

  void nothing(detail::recorded_kind what = detail::recorded_kind::empty) {
    open();
    if (record_)
      record_->is(what);
    complete_ = true;
  }

  void repeat(void *to, const void *pattern, size_t size, size_t count, detail::recorded_kind what = detail::recorded_kind::memfill) {
    open();
    if (record_)
      record_->is(what);
    aspen_prepared_t *fill = nullptr;
    detail::check(aspen_prepare_fill(queue_->handle, to, pattern, size, count, &fill));
    if (record_)
      record_->fill(to, pattern, size, count);
    take(fill);
  }

  /// Placeholders that a command uses must be required; implementations are encouraged to throw. Source: SYCL 2020 §4.7.6.9.
  [[gnu::noinline]] void hold(const void *function, size_t size) const {
    if (!detail::buffer_place::bind_required(function, size, held_.data(), held_.size()))
      detail::fail(errc::kernel_argument, "a command uses a placeholder accessor that its command group has not given to handler::require");
  }
  /// How many elements of what an accessor covers lie in a row of memory.
  template <class A> static size_t contiguous(const A &a) {
    constexpr int D = A::dimensions;
    const range<D> extent = a.get_range();
    size_t run = extent[D - 1];
    for (int d = D - 1; d > 0 && extent[d] == a.memory_[d]; --d)
      run *= extent[d - 1]; // whole rows: the next dimension is contiguous too
    return run;
  }

  /// Calls `each(first element, elements before it, how many)` for every contiguous part of what an accessor covers.
  template <class A, class Each> void rows(const A &a, Each each) {
    constexpr int D = A::dimensions;
    open();
    hold(&a, sizeof a);
    const range<D> extent = a.get_range();
    const size_t total = extent.size(), chunk = contiguous(a);
    for (size_t done = 0; done < total; done += chunk) {
      complete_ = false; // one more part
      each(&a.data_[detail::linear_id(detail::delinearize(done, extent), a.memory_)], done, chunk);
    }
    if (total == 0)
      nothing();
  }

  template <int D>
  void launch_object(aspen_launch_kind_t kind, const kernel &what, const range<D> &global, const range<D> *local, const id<D> &offset) {
    open();
    if (what.aspen_id().aspen_identity().function)
      return arguments_.launch_function(*this, *queue_, record_, kind, what, global, local, offset);
    take(arguments_.prepare(queue_->handle, what, static_cast<bool>(record_), global, local, offset));
  }

  template <class Name, class F, int D> void over(range<D> items, id<D> offset, const F &f) {
    using N = detail::kernel_name_t<Name, F>;
    if constexpr (std::is_same_v<F, kernel>) {
      launch_object(ASPEN_LAUNCH_RANGE, f, items, static_cast<const range<D> *>(nullptr), offset);
    } else if constexpr (detail::has_own_properties<F>) {
      over<N>(items, offset, detail::with_own_properties(f, *this));
    } else if constexpr (detail::takes_item<F, item<D>>) {
      (void)&detail::entry_range<N, D, F>;
      launch<N>(ASPEN_LAUNCH_RANGE, items, nullptr, offset, f);
    } else if constexpr (detail::takes_item<F, item<D>, kernel_handler>) {
      over<N>(items, offset, detail::with_constants<F>{f, constant_block()});
    } else {
      static_assert(!detail::is_mutable<F, item<D>>, __ASPEN_KERNELS_ARE_CONST);
      static_assert(detail::is_mutable<F, item<D>>,
                    "a kernel over a range takes a sycl::id or sycl::item of its dimensions, or a number in one dimension, and perhaps a "
                    "sycl::kernel_handler");
    }
  }

  template <class Name, class F, int D> void hierarchical(range<D> groups, const std::common_type_t<range<D>> *local, const F &f) {
    using N = detail::kernel_name_t<Name, F>;
    if constexpr (detail::has_own_properties<F>) {
      hierarchical<N>(groups, local, detail::with_own_properties(f, *this));
    } else if constexpr (detail::takes_item<F, group<D>>) {
      (void)&detail::entry_work_group<N, D, F>;
      launch<N>(ASPEN_LAUNCH_WORK_GROUPS, groups, local, id<D>(), f);
    } else if constexpr (detail::takes_item<F, group<D>, kernel_handler>) {
      hierarchical<N>(groups, local, detail::with_constants<F>{f, constant_block()});
    } else {
      static_assert(!detail::is_mutable<F, group<D>>, __ASPEN_KERNELS_ARE_CONST);
      static_assert(detail::is_mutable<F, group<D>>,
                    "parallel_for_work_group takes a function of a sycl::group, and perhaps of a sycl::kernel_handler");
    }
  }

  /// The kernel's type is in `code` alone: what follows is compiled once a unit, as programs may have thousands of kernels.
  template <class Name, class F, int D>
  void launch(aspen_launch_kind_t kind, const range<D> &global, const std::common_type_t<range<D>> *local, const id<D> &offset, const F &f) {
    launch(kind, global, local, offset, detail::kernel_code::of(detail::identify_kernel<Name>(), f));
  }
  template <int D>
  [[gnu::noinline]] void launch(aspen_launch_kind_t kind, const range<D> &global, const std::common_type_t<range<D>> *local,
                                const id<D> &offset, const detail::kernel_code &code) {
    aspen_launch_t l = detail::launch_of(kind, code.identity);
    detail::set_shape(l, global, local, offset);
    launch(l, code);
  }
  [[gnu::noinline]] void launch(aspen_launch_t &l, const detail::kernel_code &code) {
    open();
    // Further parts are the library's own, which come with the user's kernel.
    if (bundle_ && !further_ && !(bundle_->contains(kernel_id(code.identity)) && bundle_->has_device(queue_->device)))
      detail::fail(errc::kernel_not_supported, "the kernel bundle that the command group uses does not contain this kernel for its device");
    if (!further_)
      hold(code.closure, code.size);
    const bool in_groups = code.is_in_groups(l.kind, local_memory_, bool(record_));
    // Where the end is exact, what it is a multiple of tells where it may begin.
    l.local_memory = in_groups ? (local_memory_ + local_alignment_ - 1) / local_alignment_ * local_alignment_ : 0;
    code.describe(l);
    aspen_prepared_t *prepared = nullptr;
    detail::check(aspen_prepare_kernel(queue_->handle, &l, &prepared));
    if (record_)
      record_->kernel(l);
    take(prepared);
  }

  const detail::shared<detail::queue_state> &queue_;
  detail::list<aspen_buffer_use_t, 4> uses_;
  detail::list<detail::buffer_place::required> held_; // by placeholders
  detail::list<event> events_;
  detail::list<detail::shared<detail::queue_state>> before_; // whose commands used its buffers
  detail::list<aspen_buffer_t *> scratch_; // buffers that only this command uses
  detail::scratch_pool::block lent_;       // the queue's
  detail::list<detail::stream_text> streams_; // what is printed behind the command
  detail::shared<detail::bundle_contents> bundle_;
  detail::constant_values constants_;
  detail::native_arguments arguments_;
  size_t local_memory_ = 0;
  size_t local_alignment_ = 1; // the greatest of its parts
  detail::list<aspen_prepared_t *, 1> parts_; // what the command consists of, in order
  bool submitted_ = false;                 // they are the runtime's
  aspen_event_t *last_ = nullptr;          // of the last
  detail::shared<detail::recorder> recorder_; // the graph that records it,
  detail::shared<detail::recording> record_;  // and what becomes of it there
  detail::shared<detail::executable> graph_; // the command executes this
  int used_ = 0; // 1: buffers of the program's; 3: and writes one whose content goes to the program's memory in the end
  bool complete_ = false, further_ = false; // it has its command; what comes is a part of it
  detail::barrier_for barrier_ = detail::barrier_for::none; // later commands wait for it, and it waits for these
};

} // namespace sycl
