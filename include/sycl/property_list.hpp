//! Properties and property_list. Source: SYCL 2020 §4.5.4.
#pragma once
#include <mutex>
#include <sycl/detail/accessor_class.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/counted.hpp>
#include <sycl/exception.hpp>
#include <type_traits>

#define SYCL_EXT_ONEAPI_QUEUE_PRIORITY 1
#define SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS 1
#define SYCL_EXT_INTEL_QUEUE_INDEX 1
#define SYCL_EXT_INTEL_QUEUE_IMMEDIATE_COMMAND_LIST 1

namespace sycl {

namespace detail {
/// Every property is one bit; some have a value besides.
template <std::uint32_t Bit> struct flag_property {
  static constexpr std::uint32_t bit = Bit;
};
/// A flag with a mutex of the program. Source: SYCL 2020 §4.7.2.2, §4.7.3.3.
template <std::uint32_t Bit> class mutex_property : public flag_property<Bit> {
public:
  mutex_property(std::mutex &mutex) : mutex_(&mutex) {}
  std::mutex *get_mutex_ptr() const { return mutex_; }

private:
  std::mutex *mutex_;
};
template <class P, class = void> struct has_property_bit : std::false_type {};
template <class P> struct has_property_bit<P, std::enable_if_t<std::is_base_of_v<flag_property<P::bit>, P>>> : std::true_type {};
} // namespace detail

template <class P> struct is_property : detail::has_property_bit<P> {};
template <class P> inline constexpr bool is_property_v = is_property<P>::value;

class property_list;

/// How DPC++'s queues differ in ways that nobody can tell by results: accepted, and remembered. Commands of equal priority run in any order,
/// so an order by priority needs nothing of Aspen. Source: sycl_ext_oneapi_queue_priority, sycl_ext_oneapi_discard_queue_events,
/// sycl_ext_intel_queue_index, sycl_ext_intel_queue_immediate_command_list, sycl_ext_oneapi_cuda's default stream.
namespace ext {
namespace oneapi::property::queue {
class discard_events : public sycl::detail::flag_property<128u> {};
class priority_normal : public sycl::detail::flag_property<256u> {};
class priority_low : public sycl::detail::flag_property<512u> {};
class priority_high : public sycl::detail::flag_property<1024u> {};
} // namespace oneapi::property::queue
namespace oneapi::cuda::property::queue {
class use_default_stream : public sycl::detail::flag_property<2048u> {};
} // namespace oneapi::cuda::property::queue
namespace oneapi::cuda::property::context {
/// CUDA's primary context is what memory and kernels are in here anyway. Source: DPC++'s `sycl/properties/context_properties.hpp`.
class use_primary_context : public sycl::detail::flag_property<1073741824u> {};
} // namespace oneapi::cuda::property::context
namespace intel::property::queue {
class no_immediate_command_list : public sycl::detail::flag_property<4096u> {};
class immediate_command_list : public sycl::detail::flag_property<8192u> {};
class compute_index : public sycl::detail::flag_property<16384u> {
public:
  compute_index(int index) : index_(index) {}
  int get_index() const { return index_; }

private:
  int index_;
};
} // namespace intel::property::queue
#define SYCL_EXT_ONEAPI_USE_PINNED_HOST_MEMORY_PROPERTY 1
/// Where a buffer's memory on the host lies, which nobody can tell by results either. Source: sycl_ext_oneapi_use_pinned_host_memory_property.
namespace oneapi::property::buffer {
class use_pinned_host_memory : public sycl::detail::flag_property<524288u> {};
} // namespace oneapi::property::buffer
#define SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY 1
/// Kernels only read the allocation: a promise that nothing is made of. Source: sycl_ext_oneapi_usm_device_read_only.
namespace oneapi::property::usm {
class device_read_only : public sycl::detail::flag_property<16777216u> {};
} // namespace oneapi::property::usm
#define SYCL_EXT_INTEL_RUNTIME_BUFFER_LOCATION 1
/// In which of an FPGA's memories an allocation lies: ignored elsewhere. Source: sycl_ext_intel_runtime_buffer_location.
namespace intel::experimental::property::usm {
class buffer_location : public sycl::detail::flag_property<134217728u> {
public:
  buffer_location(std::uint64_t location) : location_(location) {}
  std::uint64_t get_buffer_location() const { return location_; }

private:
  std::uint64_t location_;
};
} // namespace intel::experimental::property::usm
} // namespace ext

namespace property {
namespace context {
namespace cuda = ext::oneapi::cuda::property::context;
}
namespace queue {
namespace cuda = ext::oneapi::cuda::property::queue;
class in_order : public detail::flag_property<1u> {};
class enable_profiling : public detail::flag_property<2u> {};
} // namespace queue
class no_init : public detail::flag_property<4u> {};
namespace buffer {
class use_host_ptr : public detail::flag_property<8u> {};
/// The buffer works on memory of its own, and locks the mutex while it reads the host's or writes it back. Source: SYCL 2020 §4.7.2.2.
class use_mutex : public detail::mutex_property<16u> {
public:
  using mutex_property::mutex_property;
};
/// Buffers of this library belong to no context, so they keep what they are given. In context.hpp.
class context_bound;
#define SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY 1
/// In which channel of a device's memory a buffer may lie, a hint that is remembered. Source: sycl_ext_intel_mem_channel_property.
class mem_channel : public detail::flag_property<536870912u> {
public:
  mem_channel(std::uint32_t channel) : channel_(channel) {}
  std::uint32_t get_channel() const { return channel_; }

private:
  std::uint32_t channel_;
};
} // namespace buffer
/// Images are buffers, and their properties say the same. Source: SYCL 2020 §4.7.3.3.
namespace image {
class use_host_ptr : public detail::flag_property<32768u> {};
class use_mutex : public detail::mutex_property<65536u> {
public:
  using mutex_property::mutex_property;
};
/// In context.hpp.
class context_bound;
} // namespace image
} // namespace property

namespace detail {
template <class P> inline constexpr bool is_mutex_property = std::is_base_of_v<mutex_property<P::bit>, P>;
/// What a property_list holds without knowing its type.
struct property_value : counted {
  virtual ~property_value() = default;
};
} // namespace detail

inline constexpr property::no_init no_init{};
/// DPC++'s name of before SYCL 2020 was final.
inline constexpr property::no_init noinit{};

template <class T, int D, class Allocator> class buffer;
template <class T, int D, access_mode Mode> class host_accessor;

/// Whether objects of a class take the property.
template <class P, class Object> struct is_property_of : std::false_type {};
template <> struct is_property_of<property::queue::in_order, queue> : std::true_type {};
template <> struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::discard_events, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::priority_normal, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::priority_low, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::priority_high, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::cuda::property::queue::use_default_stream, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::cuda::property::context::use_primary_context, context> : std::true_type {};
template <> struct is_property_of<ext::intel::property::queue::no_immediate_command_list, queue> : std::true_type {};
template <> struct is_property_of<ext::intel::property::queue::immediate_command_list, queue> : std::true_type {};
template <> struct is_property_of<ext::intel::property::queue::compute_index, queue> : std::true_type {};
template <class T, int D, class A> struct is_property_of<property::buffer::use_host_ptr, buffer<T, D, A>> : std::true_type {};
template <class T, int D, class A> struct is_property_of<property::buffer::use_mutex, buffer<T, D, A>> : std::true_type {};
template <class T, int D, class A> struct is_property_of<property::buffer::context_bound, buffer<T, D, A>> : std::true_type {};
template <class T, int D, class A> struct is_property_of<ext::oneapi::property::buffer::use_pinned_host_memory, buffer<T, D, A>> : std::true_type {};
template <class T, int D, class A> struct is_property_of<property::buffer::mem_channel, buffer<T, D, A>> : std::true_type {};
template <class T, int D, access_mode M, target P, access::placeholder H, class L>
struct is_property_of<property::no_init, accessor<T, D, M, P, H, L>> : std::true_type {};
template <class T, int D, access_mode M> struct is_property_of<property::no_init, host_accessor<T, D, M>> : std::true_type {};
template <class P, class Object> inline constexpr bool is_property_of_v = is_property_of<P, Object>::value;

class property_list {
public:
  template <class... P, class = std::enable_if_t<(is_property_v<P> && ...)>> property_list(P... properties) : bits_((0u | ... | P::bit)) {
    (keep(properties), ...);
  }
  template <class P> bool has_property() const noexcept {
    static_assert(is_property_v<P>, "has_property asks for a SYCL property");
    return (bits_ & P::bit) != 0;
  }
  template <class P> P get_property() const {
    if (!has_property<P>())
      detail::fail(errc::invalid, "get_property: the object was not given this property");
    if constexpr (detail::is_mutex_property<P>)
      return P(*mutex_);
    else if constexpr (std::is_constructible_v<P, const detail::shared<detail::property_value> &>)
      return P(bound_);
    else if constexpr (std::is_same_v<P, ext::intel::property::queue::compute_index>)
      return P(static_cast<int>(number_));
    else if constexpr (std::is_same_v<P, ext::intel::experimental::property::usm::buffer_location>)
      return P(number_);
    else if constexpr (std::is_same_v<P, property::buffer::mem_channel>)
      return P(static_cast<std::uint32_t>(number_));
    else
      return P{};
  }
  /// The same properties and a flag.
  template <class P> property_list aspen_and(P) const {
    static_assert(std::is_empty_v<P>);
    property_list both = *this;
    both.bits_ |= P::bit;
    return both;
  }

private:
  template <class P> void keep(const P &property) {
    if constexpr (detail::is_mutex_property<P>)
      mutex_ = property.get_mutex_ptr();
    else if constexpr (std::is_constructible_v<P, const detail::shared<detail::property_value> &>)
      bound_ = property.aspen_value();
    else if constexpr (std::is_same_v<P, ext::intel::property::queue::compute_index>)
      number_ = static_cast<std::uint64_t>(property.get_index());
    else if constexpr (std::is_same_v<P, ext::intel::experimental::property::usm::buffer_location>)
      number_ = property.get_buffer_location();
    else if constexpr (std::is_same_v<P, property::buffer::mem_channel>)
      number_ = property.get_channel();
  }

  std::uint32_t bits_;
  std::uint64_t number_ = 0; // of compute_index, a queue's, of buffer_location, an allocation's, or of mem_channel, a buffer's
  std::mutex *mutex_ = nullptr; // of use_mutex
  detail::shared<detail::property_value> bound_; // of context_bound
};

} // namespace sycl
