//! Devices with queues of their own, and which one a thread of the host uses. Source: SYCLcompat's README, "Queues", "Device Management".
#pragma once
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sycl/aspects.hpp>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/device_info.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/exception_list.hpp>
#include <sycl/ext/intel/device_info.hpp>
#include <sycl/ext/oneapi/experimental/max_work_groups.hpp>
#include <sycl/platform.hpp>
#include <sycl/queue.hpp>
#include <syclcompat/defs.hpp>
#include <syclcompat/device_info.hpp>
#include <thread>
#include <vector>

namespace syclcompat {

using event_ptr = sycl::event *;
using queue_ptr = sycl::queue *;
using device_ptr = char *;

/// Ends an event that was made by new.
inline void destroy_event(event_ptr event) { delete event; }

namespace detail {

inline std::string name_of(sycl::aspect one) {
  switch (one) {
#define __SYCL_ASPECT(name, number)                                                                                                       \
case sycl::aspect::name:                                                                                                                 \
  return #name;
#define __SYCL_ASPECT_DEPRECATED(name, number, message)
#define __SYCL_ASPECT_DEPRECATED_ALIAS(name, number, message)
#include <sycl/info/aspects.def>
#undef __SYCL_ASPECT_DEPRECATED_ALIAS
#undef __SYCL_ASPECT_DEPRECATED
#undef __SYCL_ASPECT
  default:
    return std::to_string(int(one));
  }
}

/// errc::feature_not_supported with the name of the first aspect that the device lacks.
inline void has_capability_or_fail(const sycl::device &device, const std::initializer_list<sycl::aspect> &aspects) {
  for (const sycl::aspect &one : aspects)
    if (!device.has(one))
      throw_unsupported(("aspect " + name_of(one) + " is not supported by " + device.get_info<sycl::info::device::name>()).c_str());
}

/// Writes asynchronous errors to std::cerr.
inline void print_exceptions(sycl::exception_list errors) {
  for (const std::exception_ptr &error : errors) {
    try {
      std::rethrow_exception(error);
    } catch (const sycl::exception &e) {
      std::cerr << "SYCLcompat: asynchronous error: " << e.what() << std::endl;
    }
  }
}

/// The first two numbers in the device's version.
inline void get_version(const sycl::device &device, int &major, int &minor) {
  const std::string text = device.get_info<sycl::info::device::version>();
  const auto is_digit = [&](size_t i) { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); };
  size_t i = 0;
  major = minor = 0;
  while (i < text.size() && !is_digit(i))
    ++i;
  for (; is_digit(i); ++i)
    major = major * 10 + (text[i] - '0');
  if (i < text.size() && text[i] == '.')
    for (++i; is_digit(i); ++i)
      minor = minor * 10 + (text[i] - '0');
}

/// With SYCLCOMPAT_PROFILING_ENABLED its commands know their times.
inline sycl::queue new_queue(const sycl::context &context, const sycl::device &device, bool print, bool in_order) {
#if defined(SYCLCOMPAT_PROFILING_ENABLED)
  const sycl::property::queue::enable_profiling times;
  const sycl::property_list all = in_order ? sycl::property_list{sycl::property::queue::in_order(), times} : sycl::property_list{times};
#else
  const sycl::property_list all = in_order ? sycl::property_list{sycl::property::queue::in_order()} : sycl::property_list{};
#endif
  return print ? sycl::queue(context, device, print_exceptions, all) : sycl::queue(context, device, all);
}

} // namespace detail

inline int get_major_version(const sycl::device &device) {
  int major, minor;
  detail::get_version(device, major, minor);
  return major;
}
inline int get_minor_version(const sycl::device &device) {
  int major, minor;
  detail::get_version(device, major, minor);
  return minor;
}

/// A device, its default queue and others that it makes. All functions may be called by threads at once.
class device_ext : public sycl::device {
public:
  /// The default device.
  device_ext() : device_ext(sycl::device(sycl::default_selector_v)) {}
  device_ext(const sycl::device &base, bool print_on_async_exceptions = false, bool in_order = true)
      : sycl::device(base), context_(base) {
    make_default_queue(print_on_async_exceptions, in_order);
  }
  device_ext(const device_ext &) = delete;
  device_ext &operator=(const device_ext &) = delete;
  /// Waits for what was given to `add_event`.
  ~device_ext() {
    try {
      for (sycl::event &event : take_events())
        event.wait();
    } catch (const sycl::exception &e) {
      std::cerr << "SYCLcompat: " << e.what() << std::endl;
    }
  }

  /// Whether atomic operations of device and host on the host's memory see each other.
  bool is_native_host_atomic_supported() const { return has(sycl::aspect::usm_atomic_host_allocations); }
  int get_major_version() const { return syclcompat::get_major_version(*this); }
  int get_minor_version() const { return syclcompat::get_minor_version(*this); }
  int get_max_compute_units() const { return int(get_info<sycl::info::device::max_compute_units>()); }
  int get_max_clock_frequency() const { return int(get_info<sycl::info::device::max_clock_frequency>()); }
  /// Whether it shares its memory with the host.
  int get_integrated() const { return get_device_info().get_integrated(); }
  int get_max_sub_group_size() const { return get_device_info().get_max_sub_group_size(); }
  /// errc::feature_not_supported: SYCL has no such question.
  int get_max_register_size_per_work_group() const {
    detail::throw_unsupported("get_max_register_size_per_work_group: no question of SYCL says how many registers a work-group has");
  }
  int get_max_work_group_size() const { return int(get_info<sycl::info::device::max_work_group_size>()); }
  /// In bits.
  int get_mem_base_addr_align() const { return int(get_info<sycl::info::device::mem_base_addr_align>()); }
  size_t get_global_mem_size() const { return get_info<sycl::info::device::global_mem_size>(); }
  /// In bytes. Where the device does not say how much is free (aspect::ext_intel_free_memory), all of it counts as free, with a message.
  void get_memory_info(size_t &free_memory, size_t &total_memory) const {
    free_memory = total_memory = get_global_mem_size();
    if (has(sycl::aspect::ext_intel_free_memory))
      free_memory = get_info<sycl::ext::intel::info::device::free_memory>();
    else
      std::fputs("get_memory_info: the device does not say how much of its memory is free\n", stderr);
  }

  /// What nothing tells is left as it is.
  void get_device_info(device_info &out) const {
    using namespace sycl::info::device;
    namespace intel = sycl::ext::intel::info::device;
    int major, minor;
    detail::get_version(*this, major, minor);
    out.set_name(get_info<name>().c_str());
    out.set_major_version(major);
    out.set_minor_version(minor);
    out.set_max_work_item_sizes(get_info<max_work_item_sizes<3>>());
    out.set_max_nd_range_size(get_info<sycl::ext::oneapi::experimental::info::device::max_work_groups<3>>());
    const bool is_unified = get_info<host_unified_memory>();
    out.set_host_unified_memory(is_unified);
    out.set_integrated(is_unified);
    out.set_max_clock_frequency(int(get_info<max_clock_frequency>()));
    out.set_max_compute_units(int(get_info<max_compute_units>()));
    out.set_max_work_group_size(int(get_info<max_work_group_size>()));
    out.set_max_work_items_per_compute_unit(int(get_info<max_work_group_size>()));
    size_t most = 1;
    for (size_t size : get_info<sub_group_sizes>())
      most = std::max(most, size);
    out.set_max_sub_group_size(int(most));
    out.set_global_mem_size(get_info<global_mem_size>());
    out.set_local_mem_size(get_info<local_mem_size>());
    out.set_global_mem_cache_size(unsigned(get_info<global_mem_cache_size>()));
    if (has(sycl::aspect::ext_intel_memory_clock_rate))
      out.set_memory_clock_rate(get_info<intel::memory_clock_rate>());
    if (has(sycl::aspect::ext_intel_memory_bus_width))
      out.set_memory_bus_width(get_info<intel::memory_bus_width>());
    if (has(sycl::aspect::ext_intel_device_id))
      out.set_device_id(get_info<intel::device_id>());
    if (has(sycl::aspect::ext_intel_device_info_uuid))
      out.set_uuid(get_info<intel::uuid>());
    if (has(sycl::aspect::image)) {
      out.set_image1d_max(get_info<image_max_buffer_size>());
      out.set_image2d_max(get_info<image2d_max_width>(), get_info<image2d_max_height>());
      out.set_image3d_max(get_info<image3d_max_width>(), get_info<image3d_max_height>(), get_info<image3d_max_depth>());
    }
  }
  device_info get_device_info() const {
    device_info out;
    get_device_info(out);
    return out;
  }

  /// Waits for all queues, forgets them, and makes a default queue again, which is the saved one too.
  void reset(bool print_on_async_exceptions = false, bool in_order = true) {
    queues_wait_and_throw();
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_.clear();
    make_default_queue(print_on_async_exceptions, in_order);
  }

  queue_ptr default_queue() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return queues_.front().get();
  }
  /// Waits for the default queue that was; the saved queue is the new one if it was that.
  void set_default_queue(const sycl::queue &queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_.front()->wait_and_throw();
    const bool was_saved = saved_ == queues_.front().get();
    queues_.front() = std::make_shared<sycl::queue>(queue);
    if (was_saved)
      saved_ = queues_.front().get();
  }
  /// Waits for all queues, and throws what went wrong in them.
  void queues_wait_and_throw() {
    for (const std::shared_ptr<sycl::queue> &queue : all_queues())
      queue->wait_and_throw();
    for (sycl::event &event : take_events())
      event.wait();
  }
  /// A queue that the device keeps until `destroy_queue`.
  queue_ptr create_queue(bool print_on_async_exceptions = false, bool in_order = true) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return make_queue(print_on_async_exceptions, in_order);
  }
  queue_ptr create_in_order_queue(bool print_on_async_exceptions = false) { return create_queue(print_on_async_exceptions, true); }
  queue_ptr create_out_of_order_queue(bool print_on_async_exceptions = false) { return create_queue(print_on_async_exceptions, false); }
  /// Forgets a queue of `create_queue` and makes the pointer null. The default queue stays.
  void destroy_queue(queue_ptr &queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto is_it = [&](const std::shared_ptr<sycl::queue> &one) { return one.get() == queue; };
    queues_.erase(std::remove_if(queues_.begin() + 1, queues_.end(), is_it), queues_.end());
    if (saved_ == queue && queue != queues_.front().get())
      saved_ = queues_.front().get();
    queue = nullptr;
  }
  /// Notes a queue, which the caller keeps.
  void set_saved_queue(queue_ptr queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    saved_ = queue;
  }
  queue_ptr get_saved_queue() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return saved_;
  }
  sycl::context get_context() const { return context_; }

  /// Something that the device waits for at its end.
  void add_event(const sycl::event &event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(event);
  }

  /// errc::feature_not_supported with the name of the first aspect that the device lacks.
  void has_capability_or_fail(const std::initializer_list<sycl::aspect> &aspects) const { detail::has_capability_or_fail(*this, aspects); }

private:
  queue_ptr make_queue(bool print, bool in_order) {
    queues_.push_back(std::make_shared<sycl::queue>(detail::new_queue(context_, *this, print, in_order)));
    return queues_.back().get();
  }
  void make_default_queue(bool print, bool in_order) { saved_ = make_queue(print, in_order); }
  std::vector<std::shared_ptr<sycl::queue>> all_queues() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return queues_;
  }
  std::vector<sycl::event> take_events() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(events_, {});
  }

  sycl::context context_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<sycl::queue>> queues_; // the default one first
  queue_ptr saved_ = nullptr;
  std::vector<sycl::event> events_;
};
inline void get_device_info(device_info &out, const sycl::device &of) { device_ext(of).get_device_info(out); }

namespace detail {

/// All devices as such a class, the default one first, and which one each thread has chosen.
template <class Device> class devices_of {
public:
  /// Never destroyed: destructors of the program's own globals may come to it.
  static devices_of &instance() {
    static devices_of *const one = new devices_of;
    return *one;
  }

  Device &current_device() { return get_device(current_device_id()); }
  /// errc::runtime if there is none.
  Device &cpu_device() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const std::shared_ptr<Device> &device : devices_)
      if (device->is_cpu())
        return *device;
    throw sycl::exception(sycl::make_error_code(sycl::errc::runtime), "cpu_device: there is no CPU among the devices");
  }
  /// std::runtime_error for a number that no device has.
  Device &get_device(unsigned id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    check(id);
    return *devices_[id];
  }
  unsigned current_device_id() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto chosen = chosen_.find(std::this_thread::get_id());
    return chosen == chosen_.end() ? 0 : chosen->second;
  }
  void select_device(unsigned id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    check(id);
    chosen_[std::this_thread::get_id()] = id;
  }
  /// The one that a selector chooses.
  template <class Selector>
  std::enable_if_t<std::is_invocable_r_v<int, const Selector &, const sycl::device &>> select_device(const Selector &selector) {
    select_device(get_device_id(sycl::device(selector)));
  }
  unsigned device_count() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return unsigned(devices_.size());
  }
  /// std::runtime_error for a device that is not among them.
  unsigned get_device_id(const sycl::device &device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < devices_.size(); ++i)
      if (static_cast<const sycl::device &>(*devices_[i]) == device)
        return unsigned(i);
    throw std::runtime_error("SYCLcompat: the device is none of those that there are");
  }
  void list_devices() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < devices_.size(); ++i)
      std::cout << "Device " << i << ": " << devices_[i]->template get_info<sycl::info::device::name>() << std::endl;
  }
  /// Forgets devices whose name has none of the parts. std::runtime_error if none would be left.
  void filter(const std::vector<std::string> &parts) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<Device>> left;
    for (const std::shared_ptr<Device> &device : devices_) {
      const std::string name = device->template get_info<sycl::info::device::name>();
      for (const std::string &part : parts)
        if (name.find(part) != std::string::npos) {
          left.push_back(device);
          break;
        }
    }
    if (left.empty())
      throw std::runtime_error("filter_device: no device has such a name");
    forgotten_.insert(forgotten_.end(), devices_.begin(), devices_.end()); // references to them may be about
    devices_ = std::move(left);
    chosen_.clear();
  }

private:
  devices_of() {
    const sycl::device first(sycl::default_selector_v);
    devices_.push_back(std::make_shared<Device>(first));
    for (const sycl::device &device : sycl::device::get_devices(sycl::info::device_type::all))
      if (device != first)
        devices_.push_back(std::make_shared<Device>(device));
#if defined(SYCLCOMPAT_VERBOSE)
    list_devices();
#endif
  }
  void check(unsigned id) const {
    if (id >= devices_.size())
      throw std::runtime_error("SYCLcompat: there is no device " + std::to_string(id) + ", but " + std::to_string(devices_.size()));
  }

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Device>> devices_, forgotten_;
  std::map<std::thread::id, unsigned> chosen_;
};

using dev_mgr = devices_of<device_ext>;

} // namespace detail

inline device_ext &get_current_device() { return detail::dev_mgr::instance().current_device(); }
inline unsigned get_current_device_id() { return detail::dev_mgr::instance().current_device_id(); }
inline device_ext &get_device(unsigned id) { return detail::dev_mgr::instance().get_device(id); }
inline device_ext &cpu_device() { return detail::dev_mgr::instance().cpu_device(); }
inline unsigned get_device_id(const sycl::device &device) { return detail::dev_mgr::instance().get_device_id(device); }
inline unsigned device_count() { return detail::dev_mgr::instance().device_count(); }
inline void list_devices() { detail::dev_mgr::instance().list_devices(); }
/// Numbers of devices change by this, and all threads have the first one again.
inline void filter_device(const std::vector<std::string> &names) {
  detail::dev_mgr::instance().filter(names);
#if defined(SYCLCOMPAT_VERBOSE)
  list_devices();
#endif
}
/// For this thread. Gives the number.
inline unsigned select_device(unsigned id) {
  detail::dev_mgr::instance().select_device(id);
  return id;
}
template <class Selector> inline std::enable_if_t<std::is_invocable_r_v<int, const Selector &, const sycl::device &>, unsigned>
select_device(const Selector &selector) {
  detail::dev_mgr::instance().select_device(selector);
  return get_current_device_id();
}

inline sycl::queue get_default_queue() { return *get_current_device().default_queue(); }
inline void set_default_queue(const sycl::queue &queue) { get_current_device().set_default_queue(queue); }
inline sycl::queue create_queue(bool print_on_async_exceptions = false, bool in_order = true) {
  return *get_current_device().create_queue(print_on_async_exceptions, in_order);
}
inline sycl::context get_default_context() { return get_current_device().get_context(); }
inline void wait(sycl::queue queue = get_default_queue()) { queue.wait(); }
inline void wait_and_throw(sycl::queue queue = get_default_queue()) { queue.wait_and_throw(); }

} // namespace syclcompat
