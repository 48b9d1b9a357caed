//! `filter_selector`: devices by a text such as `opencl:gpu:0,cpu`. Source: sycl_ext_oneapi_filter_selector.
#pragma once
#include <sycl/device.hpp>

#define SYCL_EXT_ONEAPI_FILTER_SELECTOR 1

namespace sycl::ext::oneapi {

/// Filters are separated by commas; each says a backend, a kind of device, a number among those that the rest admits, or some of these, in
/// this order. Of the devices that a filter admits the default selector's favourite is chosen.
class filter_selector {
public:
  /// A template, as `admit`, so that only programs that use it pay for compiling it.
  template <class Text, std::enable_if_t<std::is_convertible_v<const Text &, std::string>, int> = 0> filter_selector(const Text &text) {
    const std::string filters(text);
    for (size_t at = 0, end; at <= filters.size(); at = end + 1) {
      end = filters.find(',', at);
      end = end == std::string::npos ? filters.size() : end;
      admit(filters.substr(at, end - at));
    }
  }
  int operator()(const device &d) const {
    for (const aspen_device_t *one : admitted_)
      if (one == d.aspen_handle())
        return default_selector_v(d);
    return -1;
  }
  device select_device() const { return device(*this); }
  void reset() const {}

private:
  template <class Text> void admit(const Text &filter) {
    Text backend, kind, number;
    for (size_t at = 0, end; at <= filter.size(); at = end + 1) {
      end = filter.find(':', at);
      end = end == std::string::npos ? filter.size() : end;
      const Text word = filter.substr(at, end - at);
      Text *which = nullptr;
      if (word == "opencl" || word == "cuda" || word == "native_cpu" || word == "level_zero" || word == "hip")
        which = &backend;
      else if (word == "cpu" || word == "gpu" || word == "accelerator" || word == "acc")
        which = &kind;
      else if (!word.empty() && word.size() < 9 && word.find_first_not_of("0123456789") == std::string::npos)
        which = &number;
      if (!which || !which->empty() || (which != &number && !number.empty()) || (which == &backend && !kind.empty()))
        sycl::detail::fail(errc::runtime, "filter_selector: a filter is BACKEND:KIND:NUMBER, of which parts may be missing");
      *which = word;
    }
    size_t left = number.empty() ? 0 : std::stoul(number);
    platform::each_platform([&](const platform &p) {
      p.each([&](const device &d) {
        if ((!backend.empty() && backend != sycl::detail::name_of(d.get_backend())) || !is(d, kind) || (!number.empty() && left-- != 0))
          return;
        admitted_.add(d.aspen_handle());
      });
    });
  }
  static bool is(const device &d, const std::string &kind) {
    return kind.empty() || (kind == "cpu" ? d.is_cpu() : kind == "gpu" ? d.is_gpu() : d.is_accelerator());
  }
  sycl::detail::list<const aspen_device_t *> admitted_;
};

} // namespace sycl::ext::oneapi
