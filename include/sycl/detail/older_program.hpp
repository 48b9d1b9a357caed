//! SYCL 1.2.1's `program`, over kernel bundles: a program begins without kernels, and takes those that it is compiled or built with.
//! Source: SYCL 1.2.1 §4.8.8. Left out: sources and binaries, of which no device here makes anything.
#pragma once
#include <algorithm>
#include <string>
#include <sycl/kernel_bundle.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {

enum class program_state { none, compiled, linked };

namespace info {
namespace program {
struct context {
  using return_type = sycl::context;
};
struct devices {
  using return_type = std::vector<sycl::device>;
};
} // namespace program
/// What `kernel_device_specific` asks, in the words of SYCL 1.2.1.
namespace kernel_work_group = kernel_device_specific;
} // namespace info

class program {
public:
  explicit program(const context &in, const property_list & = {}) : program(in, in.get_devices()) {}
  program(const context &in, std::vector<device> devices, const property_list & = {}) : context_(in), devices_(std::move(devices)) {
    for (const device &each : devices_)
      if (const std::vector<device> all = in.get_devices(); std::find(all.begin(), all.end(), each) == all.end())
        detail::fail(errc::invalid, "program: a device is not of the context");
  }
  /// Links what was compiled apart.
  program(const std::vector<program> &parts, const std::string &options = {}) : program(first_of(parts)) {
    kernels_.clear();
    for (const program &part : parts) {
      part.must_be(program_state::compiled, "program");
      if (part.context_ != context_ || part.devices_ != devices_)
        detail::fail(errc::invalid, "program: parts of several contexts or devices");
      kernels_.insert(kernels_.end(), part.kernels_.begin(), part.kernels_.end());
    }
    link(options);
  }

  template <class Kernel> void compile_with_kernel_type(const std::string &options = {}) {
    must_be(program_state::none, "compile_with_kernel_type");
    kernels_ = {get_kernel_id<Kernel>()};
    compile_options_ = options;
    state_ = program_state::compiled;
  }
  template <class Kernel> void build_with_kernel_type(const std::string &options = {}) {
    must_be(program_state::none, "build_with_kernel_type");
    kernels_ = {get_kernel_id<Kernel>()};
    bundle();
    build_options_ = options;
    state_ = program_state::linked;
  }
  void link(const std::string &options = {}) {
    must_be(program_state::compiled, "link");
    bundle();
    link_options_ = options;
    state_ = program_state::linked;
  }

  /// Of a state with kernels.
  template <class Kernel> [[gnu::visibility("hidden")]] bool has_kernel() const { return has(detail::kernel_id_of<Kernel>()); }
  bool has_kernel(const std::string &name) const {
    must_have_kernels("has_kernel");
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const kernel_id &each) { return name == each.get_name(); });
  }
  template <class Kernel> [[gnu::visibility("hidden")]] kernel get_kernel() const { return linked(get_kernel_id<Kernel>()); }
  kernel get_kernel(const std::string &name) const {
    must_be(program_state::linked, "get_kernel");
    for (const kernel_id &each : kernels_)
      if (name == each.get_name())
        return linked(each);
    detail::fail(errc::invalid, "get_kernel: the program has no kernel of this name");
  }

  template <class Descriptor> typename Descriptor::return_type get_info() const {
    if constexpr (std::is_same_v<Descriptor, info::program::devices>)
      return devices_;
    else
      return context_;
  }
  context get_context() const { return context_; }
  std::vector<device> get_devices() const { return devices_; }
  backend get_backend() const { return context_.get_backend(); }
  program_state get_state() const { return state_; }
  bool is_host() const { return false; }
  /// The options are kept, and reach no compiler: kernels are compiled with the program.
  std::string get_compile_options() const { return compile_options_; }
  std::string get_link_options() const { return link_options_; }
  std::string get_build_options() const { return build_options_; }

private:
  static const program &first_of(const std::vector<program> &parts) {
    if (parts.empty())
      detail::fail(errc::invalid, "program: nothing to link");
    return parts.front();
  }
  void must_be(program_state wanted, const char *what) const {
    if (state_ != wanted)
      detail::fail(errc::invalid, (std::string(what) + ": the program is in another state").c_str());
  }
  void must_have_kernels(const char *what) const {
    if (state_ == program_state::none)
      detail::fail(errc::invalid, (std::string(what) + ": the program has no kernels yet").c_str());
  }
  bool has(const kernel_id &wanted) const {
    must_have_kernels("has_kernel");
    return std::find(kernels_.begin(), kernels_.end(), wanted) != kernels_.end();
  }
  kernel_bundle<bundle_state::executable> bundle() const {
    return get_kernel_bundle<bundle_state::executable>(context_, devices_, kernels_);
  }
  kernel linked(const kernel_id &wanted) const {
    must_be(program_state::linked, "get_kernel");
    if (!has(wanted))
      detail::fail(errc::invalid, "get_kernel: the program was built without this kernel");
    return bundle().get_kernel(wanted);
  }

  context context_;
  std::vector<device> devices_;
  std::vector<kernel_id> kernels_;
  program_state state_ = program_state::none;
  std::string compile_options_, link_options_, build_options_;
};

} // namespace sycl
