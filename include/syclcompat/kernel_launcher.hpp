//! Kernels that are launched by the address of a function for the host, which SYCLomatic makes of pointers to CUDA's kernels: the function
//! reads queue, sizes and bytes of local memory here and submits. Source: SYCLcompat's README, "Kernel Helper Functions"; CUDA Runtime API,
//! cudaLaunchKernel.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <syclcompat/launch.hpp>
#include <syclcompat/traits.hpp>
#include <type_traits>
#include <utility>

#if defined(__SYCL_DEVICE_ONLY__)
#define __ASPEN_OF_THREAD // devices have no such memory, and kernels read none of this
#else
#define __ASPEN_OF_THREAD thread_local
#endif

namespace syclcompat {
namespace detail {

/// `Queue` gives the queue of launches that name none. Its members are what a host thread launches last.
template <sycl::queue *(*Queue)()> class kernel_launcher {
  /// Functions whose type their pointer has lost: how each is called.
  struct registry {
    using call = std::function<void(dim3, dim3, void **, unsigned, sycl::queue *)>;
    std::mutex lock;
    std::map<const void *, call> calls;
  };
  static registry &registered() {
    static registry all;
    return all;
  }
  template <class R, class... P, size_t... I> static void call(R (*function)(P...), void **arguments, std::index_sequence<I...>) {
    const args_selector<int(sizeof...(P)), int(sizeof...(P)), R(P...)> from(arguments, nullptr);
    function(from.template get<int(I)>()...);
  }

public:
  inline static __ASPEN_OF_THREAD sycl::queue *_que = nullptr;
  inline static __ASPEN_OF_THREAD sycl::nd_range<3> _nr{{0, 0, 0}, {0, 0, 0}};
  inline static __ASPEN_OF_THREAD unsigned _local_mem_size = 0;

  /// Calls the function with these arguments.
  template <class F, class... A>
  static std::enable_if_t<std::is_invocable_v<F *, A...>> launch(F *function, dim3 groups, dim3 local, unsigned local_mem_size,
                                                                 sycl::queue *queue, A... arguments) {
    prepare(groups, local, local_mem_size, queue);
    function(arguments...);
  }
  /// With what the array's pointers point to.
  template <class R, class... P>
  static void launch(R (*function)(P...), dim3 groups, dim3 local, void **arguments, unsigned local_mem_size, sycl::queue *queue) {
    prepare(groups, local, local_mem_size, queue);
    call(function, arguments, std::index_sequence_for<P...>());
  }
  /// The same of a function that was registered. errc::invalid if it was not.
  static void launch(const void *function, dim3 groups, dim3 local, void **arguments, unsigned local_mem_size, sycl::queue *queue) {
    typename registry::call found;
    {
      const std::lock_guard<std::mutex> hold(registered().lock);
      if (const auto at = registered().calls.find(function); at != registered().calls.end())
        found = at->second;
    }
    if (!found)
      throw_invalid("kernel_launcher: the function is of no known type; wrapper_register makes it known");
    found(groups, local, arguments, local_mem_size, queue);
  }
  static void register_kernel_ptr(const void *function, typename registry::call launcher) {
    const std::lock_guard<std::mutex> hold(registered().lock);
    registered().calls[function] = std::move(launcher);
  }

private:
  static void prepare(dim3 groups, dim3 local, unsigned local_mem_size, sycl::queue *queue) {
    _que = queue ? queue : Queue();
    _nr = shape_of(groups, local);
    _local_mem_size = local_mem_size;
  }
};

/// Makes a function's type known to the launcher, and gives the function.
template <class Launcher, class F> class registered_wrapper {
public:
  typedef F FT;
  F func;
  registered_wrapper(F function) : func(function) { Launcher::register_kernel_ptr(reinterpret_cast<const void *>(function), *this); }
  void operator()(dim3 groups, dim3 local, void **arguments, unsigned local_mem_size, sycl::queue *queue) const {
    Launcher::launch(func, groups, local, arguments, local_mem_size, queue);
  }
  const F &get() const noexcept { return func; }
  operator F() const noexcept { return func; }
};

inline sycl::queue *queue_of_launches() { return get_current_device().default_queue(); }

} // namespace detail

using kernel_launcher = detail::kernel_launcher<&detail::queue_of_launches>;
template <class F> class wrapper_register : public detail::registered_wrapper<kernel_launcher, F> {
public:
  using detail::registered_wrapper<kernel_launcher, F>::registered_wrapper;
};
template <class R, class... P> wrapper_register(R (*)(P...)) -> wrapper_register<R (*)(P...)>;

} // namespace syclcompat

#undef __ASPEN_OF_THREAD
