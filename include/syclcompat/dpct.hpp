//! The namespace `dpct` of programs that SYCLomatic has migrated, as far as SYCLcompat has what they use: USM, no images, no libraries.
//! Beside SYCLcompat's names there are those of SYCLomatic's own headers. Source: SYCLomatic's documentation of its helper headers.
#pragma once
#include <complex>
#include <utility>
#include <syclcompat/syclcompat.hpp>

#define __dpct_align__(n) __syclcompat_align__(n)
#define __dpct_inline__ __syclcompat_inline__
#define __dpct_noinline__ __syclcompat_noinline__
#define DPCT_COMPATIBILITY_TEMP (900)
#define DPCT_EXPORT
#define DPCT_CHECK_ERROR(...) SYCLCOMPAT_CHECK_ERROR(__VA_ARGS__)
#define DPCT_PI 3.14159265358979323846
#define DPCT_PI_F 3.14159274101257f

template <class... Arguments> class dpct_kernel_name;
template <int Argument> class dpct_kernel_scalar;

namespace dpct {

using namespace syclcompat;
using syclcompat::detail::memcpy_direction;
using syclcompat::detail::automatic;
using syclcompat::detail::device_to_device;
using syclcompat::detail::device_to_host;
using syclcompat::detail::host_to_device;
using syclcompat::detail::host_to_host;
inline constexpr memory_region global = memory_region::global, constant = memory_region::constant, local = memory_region::local,
                               shared = memory_region::usm_shared;

/// Atomic operations whose template arguments begin with the type, as programs of 2021 and 2022 have them: `atomic_fetch_add<float, global_space>(p, 1)`.
#define __ASPEN_ATOMIC(name, operands)                                                                                                    \
  using syclcompat::name;                                                                                                                  \
  template <class T, sycl::access::address_space Space = sycl::access::address_space::generic_space,                                      \
            sycl::memory_order Order = sycl::memory_order::relaxed, sycl::memory_scope Scope = sycl::memory_scope::device, class... Rest>  \
  inline T name(syclcompat::type_identity_t<T> *at, Rest... rest) {                                                                       \
    if constexpr (sizeof...(Rest) > operands) /* the memory order is among them */                                                        \
      return syclcompat::name<Space>(at, rest...);                                                                                        \
    else                                                                                                                                   \
      return syclcompat::name<Space, Order, Scope>(at, rest...);                                                                          \
  }
__ASPEN_ATOMIC(atomic_fetch_add, 1)
__ASPEN_ATOMIC(atomic_fetch_sub, 1)
__ASPEN_ATOMIC(atomic_fetch_and, 1)
__ASPEN_ATOMIC(atomic_fetch_or, 1)
__ASPEN_ATOMIC(atomic_fetch_xor, 1)
__ASPEN_ATOMIC(atomic_fetch_min, 1)
__ASPEN_ATOMIC(atomic_fetch_max, 1)
__ASPEN_ATOMIC(atomic_exchange, 1)
__ASPEN_ATOMIC(atomic_compare_exchange_strong, 2)
__ASPEN_ATOMIC(atomic_compare_exchange_weak, 2)
#undef __ASPEN_ATOMIC

/// Writes asynchronous errors to std::cerr.
inline void exception_handler(sycl::exception_list errors) { syclcompat::detail::print_exceptions(errors); }

/// The device as SYCLomatic's class has it: queues are references, and there is one of each kind.
class device_ext : public syclcompat::device_ext {
public:
  using syclcompat::device_ext::device_ext;
  int is_native_atomic_supported() const { return is_native_host_atomic_supported(); }
  sycl::queue &default_queue() { return *syclcompat::device_ext::default_queue(); }
  sycl::queue &in_order_queue() { return default_queue(); }
  sycl::queue &out_of_order_queue() {
    std::call_once(once_, [&] { out_of_order_ = create_out_of_order_queue(); });
    return *out_of_order_;
  }

private:
  std::once_flag once_;
  queue_ptr out_of_order_ = nullptr;
};

using dev_mgr = syclcompat::detail::devices_of<device_ext>;

/// errc::feature_not_supported with the name of the first aspect that the device lacks.
inline void has_capability_or_fail(const sycl::device &device, const std::initializer_list<sycl::aspect> &needs) {
  syclcompat::detail::has_capability_or_fail(device, needs);
}

inline device_ext &get_current_device() { return dev_mgr::instance().current_device(); }
inline unsigned get_current_device_id() { return dev_mgr::instance().current_device_id(); }
inline device_ext &get_device(unsigned id) { return dev_mgr::instance().get_device(id); }
inline device_ext &cpu_device() { return dev_mgr::instance().cpu_device(); }
inline unsigned get_device_id(const sycl::device &device) { return dev_mgr::instance().get_device_id(device); }
inline unsigned device_count() { return dev_mgr::instance().device_count(); }
inline void list_devices() { dev_mgr::instance().list_devices(); }
inline void filter_device(const std::vector<std::string> &names) { dev_mgr::instance().filter(names); }
/// For SYCLcompat too.
template <class Which> inline unsigned select_device(const Which &which) {
  dev_mgr::instance().select_device(which);
  return syclcompat::select_device(get_current_device_id());
}
inline sycl::queue &get_default_queue() { return get_current_device().default_queue(); }
inline sycl::queue &get_in_order_queue() { return get_current_device().in_order_queue(); }
inline sycl::queue &get_out_of_order_queue() { return get_current_device().out_of_order_queue(); }
/// Everything that was submitted to the queue before.
inline int sync_barrier(event_ptr event, queue_ptr queue = &get_default_queue()) {
  *event = queue->ext_oneapi_submit_barrier();
  return 0;
}
inline int sync_barrier(queue_ptr queue) {
  queue->ext_oneapi_submit_barrier();
  return 0;
}
inline sycl::context get_default_context() { return get_current_device().get_context(); }

/// SYCLcompat's, for the queues of this namespace.
inline sycl::queue *queue_of_launches() { return &get_default_queue(); }
using kernel_launcher = syclcompat::detail::kernel_launcher<&queue_of_launches>;
template <class F> class wrapper_register : public syclcompat::detail::registered_wrapper<kernel_launcher, F> {
public:
  using syclcompat::detail::registered_wrapper<kernel_launcher, F>::registered_wrapper;
};
template <class R, class... P> wrapper_register(R (*)(P...)) -> wrapper_register<R (*)(P...)>;

// Memory: SYCLcompat's functions, whose names say what they are of here.
inline void *dpct_malloc(size_t bytes, sycl::queue &queue = get_default_queue()) { return syclcompat::malloc(bytes, queue); }
inline void *dpct_malloc(size_t &pitch, size_t x, size_t y, sycl::queue &queue = get_default_queue()) {
  return syclcompat::malloc(pitch, x, y, queue);
}
inline pitched_data dpct_malloc(sycl::range<3> size, sycl::queue &queue = get_default_queue()) { return syclcompat::malloc(size, queue); }
/// Waits for the queue first.
inline void dpct_free(void *memory, sycl::queue &queue = get_default_queue()) { syclcompat::wait_and_free(memory, queue); }
inline void async_dpct_free(const std::vector<void *> &memory, const std::vector<sycl::event> &events,
                            sycl::queue &queue = get_default_queue()) {
  syclcompat::enqueue_free(memory, events, queue);
}

#define __ASPEN_COPIES(prefix, suffix, wait)                                                                                              \
  inline void prefix##dpct_memcpy(void *to, const void *from, size_t bytes, memcpy_direction = automatic,                                  \
                                  sycl::queue &queue = get_default_queue()) {                                                              \
    syclcompat::memcpy_async(to, from, bytes, queue) wait;                                                                                 \
  }                                                                                                                                        \
  inline void prefix##dpct_memcpy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t x, size_t y,                      \
                                  memcpy_direction = automatic, sycl::queue &queue = get_default_queue()) {                                \
    syclcompat::memcpy_async(to, to_pitch, from, from_pitch, x, y, queue) wait;                                                            \
  }                                                                                                                                        \
  inline void prefix##dpct_memcpy(pitched_data to, sycl::id<3> to_pos, pitched_data from, sycl::id<3> from_pos, sycl::range<3> size,       \
                                  memcpy_direction = automatic, sycl::queue &queue = get_default_queue()) {                                \
    syclcompat::memcpy_async(to, to_pos, from, from_pos, size, queue) wait;                                                                \
  }                                                                                                                                        \
  inline void prefix##dpct_memset(void *to, int value, size_t size, sycl::queue &queue = get_default_queue()) {                            \
    syclcompat::memset_async(to, value, size, queue) wait;                                                                                 \
  }                                                                                                                                        \
  inline void prefix##dpct_memset(void *to, size_t pitch, int value, size_t x, size_t y, sycl::queue &queue = get_default_queue()) {       \
    syclcompat::memset_async(to, pitch, value, x, y, queue) wait;                                                                          \
  }                                                                                                                                        \
  inline void prefix##dpct_memset(pitched_data to, int value, sycl::range<3> size, sycl::queue &queue = get_default_queue()) {             \
    syclcompat::memset_async(to, value, size, queue) wait;                                                                                 \
  }
__ASPEN_COPIES(, , .wait())
__ASPEN_COPIES(async_, , )
#undef __ASPEN_COPIES

/// Columns of a matrix of `rows` rows, which lie `from_ld` and `to_ld` elements apart. Where both are one, what lies between comes too.
inline void matrix_mem_copy(void *to, const void *from, int to_ld, int from_ld, int rows, int columns, int element_size,
                            memcpy_direction = automatic, sycl::queue &queue = get_default_queue(), bool async = false) {
  const size_t size = size_t(element_size), length = size_t(rows) * size;
  if (rows == 0 || columns == 0)
    return;
  sycl::event done = to_ld == from_ld
                         ? syclcompat::memcpy_async(to, from, size_t(to_ld) * size_t(columns - 1) * size + length, queue)
                         : syclcompat::memcpy_async(to, size_t(to_ld) * size, from, size_t(from_ld) * size, length, size_t(columns), queue);
  if (!async)
    done.wait();
}
template <class T>
inline void matrix_mem_copy(T *to, const T *from, int to_ld, int from_ld, int rows, int columns, memcpy_direction way = automatic,
                            sycl::queue &queue = get_default_queue(), bool async = false) {
  matrix_mem_copy(static_cast<void *>(to), from, to_ld, from_ld, rows, columns, int(sizeof(T)), way, queue, async);
}

/// The number of the host's thread.
inline unsigned get_tid() { return unsigned(std::hash<std::thread::id>()(std::this_thread::get_id())); }
template <int... N> using integer_sequence = std::integer_sequence<int, N...>;
/// What libraries call a vector of two.
template <class T> struct DataType {
  using T2 = T;
};
template <class T> struct DataType<sycl::vec<T, 2>> {
  using T2 = std::complex<T>;
};
template <int N> using make_index_sequence = std::make_integer_sequence<int, N>;

namespace experimental {
using namespace syclcompat::experimental;
}

} // namespace dpct
