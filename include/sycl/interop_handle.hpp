//! `sycl::interop_handle`. What asks for handles is in detail/native.hpp, which every program has that includes <sycl/sycl.hpp>.
//! Source: SYCL 2020 §4.10.2.
#pragma once
#include <cstring>
#include <sycl/access.hpp>
#include <sycl/backend.hpp>
#include <sycl/detail/accessor_class.hpp>
#include <sycl/exception.hpp>

#define SYCL_EXT_ONEAPI_ENQUEUE_NATIVE_COMMAND 1

namespace sycl {

template <backend Backend> class backend_traits;
namespace ext::oneapi::experimental {
enum class graph_state;
template <graph_state State> class command_graph;
} // namespace ext::oneapi::experimental
namespace detail {
template <backend Backend, class T> struct native_memory;
/// The queue of a task, which may outlast the program's object of it.
struct kept_queue {
  explicit kept_queue(aspen_queue_t *of) : handle(of) { aspen_queue_retain(handle); }
  kept_queue(const kept_queue &) = delete;
  ~kept_queue() { aspen_queue_release(handle); }
  aspen_queue_t *const handle;
};
}

/// What a host task may ask for. Its handles stay the runtime's: the task gives none back. What a task hands to the native queue must be
/// complete when the task returns, since commands that wait for the task go on then.
class interop_handle {
public:
  interop_handle() = delete;
  backend get_backend() const noexcept { return static_cast<backend>(aspen_device_backend(device_)); }

  /// Memory of the accessor's whole buffer, with its content, where kernels of the queue's device find it: objects of OpenCL, else the address.
  template <backend Backend, class T, int D, access_mode M, access::placeholder H>
  typename detail::native_memory<Backend, T>::type get_native_mem(const accessor<T, D, M, target::device, H> &of) const;
  /// What make_queue was given; else a queue of OpenCL that keeps its commands in order, or a stream of CUDA: one for all tasks of the device.
  template <backend Backend> typename backend_traits<Backend>::template return_type<queue> get_native_queue() const;
  template <backend Backend> typename backend_traits<Backend>::template return_type<device> get_native_device() const;
  template <backend Backend> typename backend_traits<Backend>::template return_type<context> get_native_context() const;
  /// Graphs of Aspen call native commands each time they are executed; none has an object of a backend's own that they could be put into.
  /// Source: sycl_ext_codeplay_enqueue_native_command.
  bool ext_codeplay_has_graph() const { return false; }
  template <backend Backend, class Graph = ext::oneapi::experimental::command_graph<static_cast<ext::oneapi::experimental::graph_state>(1)>>
  typename backend_traits<Backend>::template return_type<Graph> ext_codeplay_get_native_graph() const {
    detail::fail(errc::invalid, "ext_codeplay_get_native_graph: Aspen's graphs are no objects of a backend; see ext_codeplay_has_graph");
  }

  /// For the library.
  explicit interop_handle(aspen_queue_t *queue) : device_(aspen_queue_device(queue)), queue_(queue) {}
  aspen_queue_t *aspen_queue() const { return queue_; }

private:
  template <backend Backend> void own() const;
  const aspen_device_t *device_;
  aspen_queue_t *queue_; // the task's
};

namespace detail {
/// A task takes nothing or a handle.
template <class Task> void run_host_task(Task &task, const kept_queue &of) {
  if constexpr (std::is_invocable_v<Task &>)
    task();
  else
    task(interop_handle(of.handle));
}

/// A host task's function, and what it is called with and fails to.
template <class Task, class Errors> struct host_job : counted {
  host_job(Task &&f, aspen_queue_t *of) : task(std::move(f)), queue(of) {}
  static aspen_error_t *run(void *job) {
    host_job &own = *static_cast<host_job *>(job);
    return Errors::guard([&] { detail::run_host_task(own.task, own.queue); });
  }
  static void drop(void *job) {
    if (static_cast<host_job *>(job)->release())
      delete static_cast<host_job *>(job);
  }
  Task task;
  kept_queue queue;
};

/// A host task that asks for no handles finds what it uses on the host, through accessors for devices too: SYCL 2020 §4.10.1 leaves those
/// undefined, programs and SYCL-CTS have them. Words of the task that are addresses of the buffer's memory on the device become the host's.
[[gnu::noinline]] inline void use_on_host(aspen_buffer_use_t &use, const aspen_device_t *device, void *task, size_t bytes) {
  if (!(use.access & ASPEN_ACCESS_ON_DEVICE))
    return;
  use.access &= ~ASPEN_ACCESS_ON_DEVICE;
  void *there = nullptr, *here = nullptr;
  check(aspen_buffer_address(use.buffer, device, &there));
  check(aspen_buffer_address(use.buffer, nullptr, &here));
  const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(there), to = reinterpret_cast<std::uintptr_t>(here);
  const size_t size = aspen_buffer_size(use.buffer);
  for (size_t at = 0; from != to && at + sizeof from <= bytes; at += alignof(void *)) {
    std::uintptr_t word;
    std::memcpy(&word, static_cast<char *>(task) + at, sizeof word);
    if (word < from || word - from >= size)
      continue;
    word += to - from;
    std::memcpy(static_cast<char *>(task) + at, &word, sizeof word);
  }
}

/// A queue for a while.
struct passing_queue {
  passing_queue(const aspen_device_t *on, std::uintptr_t context, std::uintptr_t native) {
    check(aspen_queue_create(on, ASPEN_QUEUE_IN_ORDER, &handle));
    if (aspen_error_t *const error = aspen_queue_bind_native(handle, context, native)) {
      aspen_queue_release(handle);
      check(error);
    }
  }
  passing_queue(const passing_queue &) = delete;
  ~passing_queue() { aspen_queue_release(handle); }
  aspen_queue_t *handle = nullptr;
};

/// A host task that lasts until all is over that it has put into the native queue: what it waits for is over before it is called, so the
/// native queue need not be told of it. Where that keeps no order, one beside it that does so takes its place.
template <class Task> struct native_command {
  Task task;
  void operator()(interop_handle given) {
    aspen_queue_t *const own = given.aspen_queue();
    const aspen_device_t *const on = aspen_queue_device(own);
    if (aspen_device_backend(on) == ASPEN_BACKEND_NATIVE_CPU) {
      task(given);
      return;
    }
    std::uintptr_t native = 0, context = 0;
    check(aspen_queue_native(own, ASPEN_NATIVE_QUEUE, 0, &native));
    check(aspen_queue_native(own, ASPEN_NATIVE_CONTEXT, 0, &context));
    aspen_native_queue_t facts = {};
    check(aspen_native_queue(on, native, &facts));
    if (facts.in_order) {
      task(given);
      return wait(on, context, native);
    }
    const passing_queue ordered(on, context, 0);
    check(aspen_queue_native(ordered.handle, ASPEN_NATIVE_QUEUE, 0, &native));
    task(interop_handle(ordered.handle));
    wait(on, context, native);
  }

private:
  /// Commands of a queue that is bound to the native one begin behind all that is there.
  static void wait(const aspen_device_t *on, std::uintptr_t context, std::uintptr_t native) {
    const passing_queue behind(on, context, native);
    const aspen_dependencies_t after = {};
    aspen_event_t *over = nullptr;
    check(aspen_submit_nothing(behind.handle, &after, &over));
    aspen_event_wait(over);
    aspen_event_release(over);
  }
};
} // namespace detail
} // namespace sycl
