//! `sycl::interop_handle`. What asks for handles is in detail/native.hpp, which every program has that includes <sycl/sycl.hpp>.
//! Source: SYCL 2020 §4.10.2.
#pragma once
#include <sycl/access.hpp>
#include <sycl/backend.hpp>

namespace sycl {

class context;
class device;
class queue;
template <class T, int D, access_mode Mode, target Target, access::placeholder Placeholder> class accessor;
template <backend Backend> class backend_traits;
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

  /// For the library.
  explicit interop_handle(aspen_queue_t *queue) : device_(aspen_queue_device(queue)), queue_(queue) {}

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
} // namespace detail
} // namespace sycl
