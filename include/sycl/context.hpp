//! `sycl::context`: a set of devices with one async_handler. Source: SYCL 2020 §4.6.3.
#pragma once
#include <sycl/detail/counted.hpp>
#include <sycl/device.hpp>
#include <sycl/property_list.hpp>

namespace sycl {

namespace detail {
struct context_state : counted {
  list<device> devices;
  async_handler handler;
};
} // namespace detail

namespace info::context {
struct platform {
  using return_type = sycl::platform;
};
struct devices {
  using return_type = std::vector<sycl::device>;
};
} // namespace info::context

class context {
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
  template <class Descriptor> typename Descriptor::return_type get_info() const {
    if constexpr (std::is_same_v<Descriptor, info::context::devices>)
      return get_devices();
    else
      return get_platform();
  }

  friend bool operator==(const context &a, const context &b) { return a.state_ == b.state_; }
#if __cplusplus < 202002L
  friend bool operator!=(const context &a, const context &b) { return a.state_ != b.state_; }
#endif

  /// For the library.
  const detail::context_state &aspen_state() const { return *state_; }

private:
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

} // namespace sycl

template <> struct std::hash<sycl::context> {
  std::size_t operator()(const sycl::context &c) const noexcept { return reinterpret_cast<std::size_t>(&c.aspen_state()); }
};
