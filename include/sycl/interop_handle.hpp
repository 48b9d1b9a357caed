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
  /// OpenCL: a queue of the device that keeps its commands in order; CUDA: a stream. One for all tasks of the device.
  template <backend Backend> typename backend_traits<Backend>::template return_type<queue> get_native_queue() const;
  template <backend Backend> typename backend_traits<Backend>::template return_type<device> get_native_device() const;
  template <backend Backend> typename backend_traits<Backend>::template return_type<context> get_native_context() const;

  /// For the library.
  explicit interop_handle(const aspen_device_t *of) : device_(of) {}

private:
  template <backend Backend, class Object> typename backend_traits<Backend>::template return_type<Object> own() const;
  const aspen_device_t *device_;
};

} // namespace sycl
