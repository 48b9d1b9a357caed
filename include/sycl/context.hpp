//! `sycl::context`: a set of devices with one async_handler. Source: SYCL 2020 §4.6.3.
#pragma once
#include <sycl/detail/counted.hpp>
#include <sycl/detail/native_object.hpp>
#include <sycl/device.hpp>
#include <sycl/property_list.hpp>

namespace sycl {

namespace detail {
struct context_state : counted {
  list<device> devices;
  async_handler handler;
  shared<native_object> native; // what make_context was given
  /// The native context as the C ABI wants it: 0 stands for the runtime's.
  std::uintptr_t native_handle() const { return native ? native->handle : 0; }
};
} // namespace detail

namespace info {
/// SYCL 1.2.1's and DPC++'s count of an object's owners, of which there is one at least; nobody counts more here.
struct reference_count {
  using return_type = std::uint32_t;
};
} // namespace info
namespace info::context {
struct reference_count : info::reference_count {};
struct platform {
  using return_type = sycl::platform;
};
struct devices {
  using return_type = std::vector<sycl::device>;
};
struct atomic_memory_order_capabilities {
  using return_type = std::vector<memory_order>;
};
struct atomic_fence_order_capabilities {
  using return_type = std::vector<memory_order>;
};
struct atomic_memory_scope_capabilities {
  using return_type = std::vector<memory_scope>;
};
struct atomic_fence_scope_capabilities {
  using return_type = std::vector<memory_scope>;
};
} // namespace info::context

namespace usm {
enum class alloc : int;
}
namespace ext::oneapi::experimental {
class memory_pool;
}

class _V1::context {
public:
  explicit context(const property_list &properties = {}) : context(device(), async_handler(), properties) {}
  explicit context(async_handler handler, const property_list &properties = {}) : context(device(), std::move(handler), properties) {}
  explicit context(const device &d, const property_list &properties = {}) : context(d, async_handler(), properties) {}
  explicit context(const device &d, async_handler handler, const property_list &properties = {})
      : context(detail::list<device>(&d, 1), std::move(handler), properties) {}
  explicit context(const platform &p, const property_list &properties = {}) : context(p, async_handler(), properties) {}
  explicit context(const platform &p, async_handler handler, const property_list &properties = {})
      : context(devices_of(p), std::move(handler), properties) {}
  explicit context(const std::vector<device> &devices, const property_list &properties = {})
      : context(devices, async_handler(), properties) {}
  explicit context(const std::vector<device> &devices, async_handler handler, const property_list &properties = {})
      : context(detail::list<device>(devices.data(), devices.size()), std::move(handler), properties) {}

  template <class Vector = std::vector<device>> Vector get_devices() const {
    return Vector(state_->devices.begin(), state_->devices.end());
  }
  platform get_platform() const { return state_->devices.data()->get_platform(); }
  backend get_backend() const noexcept { return state_->devices.data()->get_backend(); }
  /// A context takes no property.
  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const { return property_list().template get_property<P>(); }
  /// Deprecated, as a device's.
  bool is_host() const { return false; }
  template <class Descriptor> typename Descriptor::return_type get_info() const {
    if constexpr (std::is_same_v<Descriptor, info::context::devices>)
      return get_devices();
    else if constexpr (std::is_same_v<Descriptor, info::context::platform>)
      return get_platform();
    else if constexpr (std::is_base_of_v<info::reference_count, Descriptor>)
      return 1;
    else if constexpr (std::is_same_v<typename Descriptor::return_type, std::vector<memory_order>>) // every device has all
      return {memory_order::relaxed, memory_order::acquire, memory_order::release, memory_order::acq_rel, memory_order::seq_cst};
    else if constexpr (std::is_same_v<Descriptor, info::context::atomic_memory_scope_capabilities>)
      return {memory_scope::sub_group, memory_scope::work_group, memory_scope::device, memory_scope::system};
    else if constexpr (std::is_same_v<Descriptor, info::context::atomic_fence_scope_capabilities>)
      return {memory_scope::work_item, memory_scope::sub_group, memory_scope::work_group, memory_scope::device, memory_scope::system};
    else
      static_assert(std::is_same_v<Descriptor, void>, "a context is asked what info::context names");
  }

  // In ext/oneapi/experimental/async_alloc/memory_pool.hpp. Source: sycl_ext_oneapi_async_memory_alloc.
  ext::oneapi::experimental::memory_pool ext_oneapi_get_default_memory_pool(usm::alloc kind) const;
  ext::oneapi::experimental::memory_pool ext_oneapi_get_default_memory_pool(const device &on, usm::alloc kind) const;

  /// An order of owners. Source: sycl_ext_oneapi_weak_object.
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept { return aspen_owner_before(*this, other); }

  friend bool operator==(const context &a, const context &b) { return a.state_ == b.state_; }
#if __cplusplus < 202002L
  friend bool operator!=(const context &a, const context &b) { return a.state_ != b.state_; }
#endif

  /// For the library.
  const detail::context_state &aspen_state() const { return *state_; }
  context(const detail::list<device> &devices, async_handler handler, const detail::shared<detail::native_object> &native)
      : context(devices, std::move(handler), property_list()) {
    state_->native = native;
  }

private:
  friend struct detail::weak_access;
  explicit context(detail::list<device> devices, async_handler handler, const property_list &) : state_(new detail::context_state) {
    if (devices.size() == 0)
      detail::fail(errc::invalid, "a context needs at least one device");
    state_->devices = std::move(devices);
    state_->handler = std::move(handler);
  }
  static detail::list<device> devices_of(const platform &p) {
    detail::list<device> out;
    p.each([&](const device &d) { out.add(d); });
    return out;
  }
  detail::shared<detail::context_state> state_;
};

namespace detail {
/// Whether the device is one of the context's or a part of one. Source: SYCL 2020 §4.6.5.1.
inline bool is_in(const context &in, const device &which) {
  for (const aspen_device_t *part = which.aspen_handle(); part; part = aspen_device_part_of(part, nullptr))
    for (const device &d : in.aspen_state().devices)
      if (d.aspen_handle() == part)
        return true;
  return false;
}

template <std::uint32_t Bit> class context_property : public flag_property<Bit> {
  struct value final : property_value {
    explicit value(const context &c) : in(c) {}
    context in;
  };

public:
  context_property(context bound) : value_(new value(bound)) {}
  context get_context() const { return static_cast<const value &>(*value_).in; }
  /// For the library.
  explicit context_property(const shared<property_value> &given) : value_(given) {}
  const shared<property_value> &aspen_value() const { return value_; }

private:
  shared<property_value> value_;
};
} // namespace detail

namespace property {
/// Source: SYCL 2020 §4.7.2.2.
class buffer::context_bound : public detail::context_property<32u> {
  using context_property::context_property;
};
/// Source: SYCL 2020 §4.7.3.3.
class image::context_bound : public detail::context_property<131072u> {
  using context_property::context_property;
};
} // namespace property

namespace detail {
/// The contexts of the platforms, each with all its devices.
inline const list<context> &default_contexts() {
  // Destructors of globals may make queues.
  [[clang::no_destroy]] static const list<context> all = [] {
    list<context> made;
    platform::each_platform([&](const platform &p) { made.add(context(p)); });
    return made;
  }();
  return all;
}
/// The context of queues that are made without one: that of the platform with all its devices. Source: SYCL 2020 §4.6.5.1.
inline context default_context(const device &of) {
  for (const context &c : default_contexts())
    if (c.get_platform() == of.get_platform())
      return c;
  return context(of);
}

struct exception_context_of final : exception_context {
  explicit exception_context_of(const context &c) : in(c) {}
  context in;
};
} // namespace detail

inline context platform::khr_get_default_context() const {
  for (const context &c : detail::default_contexts())
    if (c.get_platform() == *this)
      return c;
  return context(*this);
}
inline context device::ext_oneapi_get_default_context() const { return get_platform().khr_get_default_context(); }
inline context platform::ext_oneapi_get_default_context() const { return khr_get_default_context(); }

inline exception::exception(const context &in, std::error_code code, const std::string &what) : exception(code, what) {
  context_ = detail::shared<detail::exception_context>(new detail::exception_context_of(in));
}
inline exception::exception(const context &in, std::error_code code, const char *what) : exception(in, code, std::string(what)) {}
inline exception::exception(const context &in, std::error_code code) : exception(in, code, code.message()) {}
inline exception::exception(const context &in, int value, const std::error_category &category, const std::string &what)
    : exception(in, std::error_code(value, category), what) {}
inline exception::exception(const context &in, int value, const std::error_category &category, const char *what)
    : exception(in, std::error_code(value, category), std::string(what)) {}
inline exception::exception(const context &in, int value, const std::error_category &category)
    : exception(in, std::error_code(value, category)) {}
inline context exception::get_context() const {
  if (!context_)
    detail::fail(errc::invalid, "get_context: the exception has no context");
  return static_cast<const detail::exception_context_of &>(*context_).in;
}

} // namespace sycl

template <> struct std::hash<sycl::context> {
  std::size_t operator()(const sycl::context &c) const noexcept { return reinterpret_cast<std::size_t>(&c.aspen_state()); }
};
