//! Kernels from source at run time, which no device takes: programs that ask `ext_oneapi_can_build` first compile and go another way, and
//! making a bundle is refused with the reason. So there is no macro of it. Source: sycl_ext_oneapi_kernel_compiler.
#pragma once
#include <string>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/kernel_bundle.hpp>
#include <vector>

namespace sycl::ext::oneapi::experimental {

struct include_files {
  std::vector<std::string> names, contents;
  include_files() = default;
  include_files(const std::string &name, const std::string &content) : names{name}, contents{content} {}
  include_files(const std::vector<std::string> &names, const std::vector<std::string> &contents) : names(names), contents(contents) {}
};
using include_files_key = include_files;
struct build_options {
  std::vector<std::string> opts;
  build_options(const std::string &option) : opts{option} {}
  build_options(const std::vector<std::string> &options) : opts(options) {}
};
using build_options_key = build_options;
struct save_log {
  std::string *log;
  save_log(std::string *to) : log(to) {}
};
using save_log_key = save_log;
struct registered_kernel_names {
  std::vector<std::string> names;
  registered_kernel_names() = default;
  registered_kernel_names(const std::string &name) : names{name} {}
  registered_kernel_names(const std::vector<std::string> &names) : names(names) {}
};
using registered_kernel_names_key = registered_kernel_names;
template <> struct is_property_key<include_files_key> : std::true_type {};
template <> struct is_property_key<build_options_key> : std::true_type {};
template <> struct is_property_key<save_log_key> : std::true_type {};
template <> struct is_property_key<registered_kernel_names_key> : std::true_type {};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {
[[noreturn]] inline void refuse_source() {
  fail(errc::invalid, "create_kernel_bundle_from_source: Aspen does not have sycl_ext_oneapi_kernel_compiler, so no device compiles source "
                      "at run time; see device::ext_oneapi_can_build");
}
template <class Properties> using if_property_list = std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int>;
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class Properties = empty_properties_t, sycl::detail::if_property_list<Properties> = 0>
kernel_bundle<bundle_state::ext_oneapi_source> create_kernel_bundle_from_source(const context &, source_language, const std::string &,
                                                                                Properties = {}) {
  sycl::detail::refuse_source();
}
template <class Properties = empty_properties_t, sycl::detail::if_property_list<Properties> = 0>
kernel_bundle<bundle_state::ext_oneapi_source> create_kernel_bundle_from_source(const context &, source_language,
                                                                                const std::vector<std::byte> &, Properties = {}) {
  sycl::detail::refuse_source();
}
/// Of a bundle that there is none of.
#define __ASPEN_FROM_SOURCE(function, State)                                                                                              \
  template <class Properties = empty_properties_t, sycl::detail::if_property_list<Properties> = 0>                                         \
  kernel_bundle<State> function(const kernel_bundle<bundle_state::ext_oneapi_source> &, const std::vector<device> &, Properties = {}) {    \
    sycl::detail::refuse_source();                                                                                                         \
  }                                                                                                                                        \
  template <class Properties = empty_properties_t, sycl::detail::if_property_list<Properties> = 0>                                         \
  kernel_bundle<State> function(const kernel_bundle<bundle_state::ext_oneapi_source> &, Properties = {}) {                                 \
    sycl::detail::refuse_source();                                                                                                         \
  }
__ASPEN_FROM_SOURCE(build, bundle_state::executable)
__ASPEN_FROM_SOURCE(compile, bundle_state::object)
#undef __ASPEN_FROM_SOURCE

} // namespace sycl::ext::oneapi::experimental
