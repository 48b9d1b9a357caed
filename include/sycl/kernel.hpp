//! `sycl::kernel_id`, `sycl::kernel` and what a kernel can be asked. Source: SYCL 2020 §4.11.6, §4.11.9.
//!
//! Images are chosen and loaded by the runtime, so a kernel object is the kernel's identity, and the bundle that it was taken from.
#pragma once
#include <cstring>
#include <string>
#include <sycl/context.hpp>
#include <sycl/detail/launch.hpp>

#define SYCL_EXT_INTEL_KERNEL_ARGS_RESTRICT 1

namespace sycl {

/// No bundle is in the last state. Source: sycl_ext_oneapi_kernel_compiler.
enum class bundle_state : int { input, object, executable, ext_oneapi_source };
template <bundle_state State> class kernel_bundle;
class kernel;

namespace detail {
struct bundle_contents;
}

class kernel_id {
public:
  kernel_id() = delete;
  /// The symbol of the kernel's entry.
  const char *get_name() const noexcept { return identity_.symbol; }
  /// Of one name are also the kernels that several units have each for itself.
  friend bool operator==(const kernel_id &a, const kernel_id &b) {
    return std::strcmp(a.get_name(), b.get_name()) == 0 &&
           (std::strcmp(a.identity_.tag, b.identity_.tag) == 0 || (!a.is_internal() && !b.is_internal()));
  }
#if __cplusplus < 202002L
  friend bool operator!=(const kernel_id &a, const kernel_id &b) { return !(a == b); }
#endif

  /// For the library.
  explicit kernel_id(const detail::kernel_identity &identity) : identity_(identity) {}
  bool aspen_runs_on(const device &d) const {
    return aspen_kernel_is_supported(d.aspen_handle(), identity_.module, identity_.tag, identity_.symbol) == 1;
  }
  /// For the library: loads the kernel for `d`, and throws what a launch there would.
  aspen_kernel_facts_t aspen_load(const device &d) const {
    aspen_kernel_facts_t facts = {};
    detail::check(aspen_kernel_load(d.aspen_handle(), identity_.module, identity_.tag, identity_.symbol, &facts));
    return facts;
  }
  /// For the library: why a launch on `d` would be refused, nothing if it would not. Reads no image.
  std::string aspen_why_not_on(const device &d) const {
    if (aspen_runs_on(d))
      return {};
    aspen_error_t *const error = aspen_kernel_load(d.aspen_handle(), identity_.module, identity_.tag, identity_.symbol, nullptr);
    const std::string why = error ? aspen_error_message(error) : "";
    aspen_error_delete(error);
    return why;
  }
  /// For the library: the most work-items of a group, with the same errors.
  std::uint64_t aspen_most_items(const device &d) const {
    std::uint64_t most = 0;
    detail::check(aspen_kernel_max_work_group_size(d.aspen_handle(), identity_.module, identity_.tag, identity_.symbol, &most));
    return most;
  }
  const detail::kernel_identity &aspen_identity() const { return identity_; }

private:
  bool is_internal() const { return aspen_kernel_is_internal(identity_.tag, identity_.symbol) == 1; }

  detail::kernel_identity identity_;
};

namespace detail {
/// Of a kernel that need not be there.
template <class Name> [[gnu::visibility("hidden")]] kernel_id kernel_id_of() { return kernel_id(identify_kernel<Name>()); }

/// `function` is the name of one that clang made for a template parameter `Name`.
inline bool check_is_kernel(const kernel_identity &kernel, const char *function) {
  if (aspen_kernel_is_internal(kernel.tag, kernel.symbol) == 1)
    return true;
  size_t count = 0;
  const char *const *const symbols = aspen_kernel_symbols(&count);
  for (size_t i = 0; i < count; ++i)
    if (std::strcmp(symbols[i], kernel.symbol) == 0)
      return true;
  const char *const name = std::strstr(function, "Name = ");
  std::string shown = name ? name + std::strlen("Name = ") : kernel.symbol;
  if (name)
    shown.pop_back(); // the bracket
  fail(errc::invalid, ("get_kernel_id<" + shown + ">: the program has no kernel of that name").c_str());
}
} // namespace detail

/// Throws `errc::invalid` where the program has no kernel of that name. Such a program is ill-formed, but other units and libraries may have
/// the kernel, so it shows only when it runs. Source: SYCL 2020 §4.11.6.
template <class Name> [[gnu::visibility("hidden")]] kernel_id get_kernel_id() {
#if defined(__ASPEN_HOST__)
  static const bool is_kernel = detail::check_is_kernel(detail::identify_kernel<Name>(), __PRETTY_FUNCTION__);
  (void)is_kernel;
#endif
  return detail::kernel_id_of<Name>();
}

namespace info::kernel {
struct reference_count : info::reference_count {};
/// SYCL 1.2.1's, as `get_context`.
struct context {
  using return_type = sycl::context;
};
/// Of kernels that a backend's own interface made, and of those that are functions, if the id that they were got by names the function.
struct num_args {
  using return_type = std::uint32_t;
};
struct attributes {
  using return_type = std::string;
};
/// SYCL 1.2.1's: of the program's own kernels the symbol of the entry.
struct function_name {
  using return_type = std::string;
};
} // namespace info::kernel

namespace info::kernel_device_specific {
namespace detail {
struct kernel_facts : aspen_kernel_facts_t {
  std::uint64_t most_items; // of a group
};
inline size_t largest_sub_group(const sycl::device &d) {
  size_t count = 0;
  const size_t *sizes = aspen_device_sub_group_sizes(d.aspen_handle(), &count);
  return count ? sizes[count - 1] : 1;
}
/// What a kernel gets; where the driver chooses, no more than the largest.
inline std::uint32_t sub_group_size_of(const sycl::device &d, const aspen_kernel_facts_t &facts) {
  return facts.actual_sub_group_size ? facts.actual_sub_group_size : static_cast<std::uint32_t>(largest_sub_group(d));
}
/// How many of its sub-groups the largest work-group has; where the driver chooses, no more than of the smallest sub-groups.
inline std::uint32_t most_sub_groups(const sycl::device &d, const kernel_facts &facts) {
  const std::uint64_t items = facts.most_items, size = facts.actual_sub_group_size;
  return static_cast<std::uint32_t>(size ? (items + size - 1) / size : aspen_device_number(d.aspen_handle(), ASPEN_DEVICE_MAX_NUM_SUB_GROUPS));
}
} // namespace detail
#define __ASPEN_KERNEL_INFO(descriptor, type, expression)                                                                                 \
  struct descriptor {                                                                                                                      \
    using return_type = type;                                                                                                              \
    static return_type get(const sycl::device &device, const detail::kernel_facts &facts) {                                                \
      (void)device, (void)facts;                                                                                                           \
      return expression;                                                                                                                   \
    }                                                                                                                                      \
  };
__ASPEN_KERNEL_INFO(work_group_size, size_t, facts.most_items)
__ASPEN_KERNEL_INFO(compile_work_group_size, range<3>,
                    range<3>(facts.work_group_size[0], facts.work_group_size[1], facts.work_group_size[2]))
__ASPEN_KERNEL_INFO(preferred_work_group_size_multiple, size_t, detail::sub_group_size_of(device, facts))
__ASPEN_KERNEL_INFO(private_mem_size, size_t, 0)
__ASPEN_KERNEL_INFO(max_num_sub_groups, std::uint32_t, detail::most_sub_groups(device, facts))
__ASPEN_KERNEL_INFO(compile_num_sub_groups, std::uint32_t, 0)
__ASPEN_KERNEL_INFO(max_sub_group_size, std::uint32_t, detail::sub_group_size_of(device, facts))
__ASPEN_KERNEL_INFO(compile_sub_group_size, std::uint32_t, facts.sub_group_size)
/// DPC++'s: of a work-item. No backend here counts them, for which DPC++ has 0, too.
__ASPEN_KERNEL_INFO(ext_codeplay_num_regs, std::uint32_t, 0)
#undef __ASPEN_KERNEL_INFO
/// Only custom devices and built-in kernels have one.
struct global_work_size {
  using return_type = range<3>;
  static return_type get(const sycl::device &, const detail::kernel_facts &) {
    sycl::detail::fail(errc::invalid, "global_work_size: the device is no custom device and the kernel is not built into it");
  }
};
} // namespace info::kernel_device_specific

class kernel {
public:
  kernel() = delete;
  backend get_backend() const noexcept { return context_.get_backend(); }
  context get_context() const { return context_; }
  /// The bundle that the kernel was taken from.
  kernel_bundle<bundle_state::executable> get_kernel_bundle() const;

  template <class Descriptor> typename Descriptor::return_type get_info() const {
    if constexpr (std::is_same_v<Descriptor, info::kernel::reference_count>) {
      return 1;
    } else if constexpr (std::is_same_v<Descriptor, info::kernel::context>) {
      return context_;
    } else if constexpr (std::is_same_v<Descriptor, info::kernel::attributes>) {
      typename Descriptor::return_type out;
      void (*const take)(const char *, size_t, void *) = [](const char *text, size_t size, void *to) {
        static_cast<typename Descriptor::return_type *>(to)->assign(text, size);
      };
      if (native_)
        detail::check(aspen_native_kernel_attributes(native_->device, native_->handle, take, &out));
      return out;
    } else if constexpr (std::is_same_v<Descriptor, info::kernel::function_name>) {
      if (native_)
        detail::fail(errc::feature_not_supported, "function_name: ask the backend's own interface for the names of its kernels");
      return typename Descriptor::return_type(id_.get_name());
    } else if constexpr (std::is_same_v<Descriptor, info::kernel::num_args>) {
      if (const detail::function_launcher *const function = id_.aspen_identity().function)
        return function->parameters;
      if (!native_)
        detail::fail(errc::invalid, "num_args: only kernels that are functions, or that come from a backend's own interface, have a known "
                                    "number of arguments");
      return aspen_native_facts(native_->device).arguments;
    } else {
      static_assert(std::is_same_v<Descriptor, void>,
                    "a kernel is asked what info::kernel names; what info::kernel_device_specific names is asked with a device: "
                    "kernel.get_info<...>(device)");
    }
  }
  template <class Descriptor> typename Descriptor::return_type get_info(const device &on) const {
    if constexpr (std::is_same_v<Descriptor, info::kernel::num_args> || std::is_same_v<Descriptor, info::kernel::attributes>) {
      return get_info<Descriptor>(); // the same on all; get_kernel_info may name a device all the same
    } else if constexpr (!detail::answers<void, Descriptor, device, info::kernel_device_specific::detail::kernel_facts>) {
      static_assert(std::is_same_v<Descriptor, void>, "a kernel is asked with a device what info::kernel_device_specific names");
    } else {
      if (!native_)
        return Descriptor::get(on, {id_.aspen_load(on), id_.aspen_most_items(on)});
      const aspen_native_kernel_t of = aspen_native_facts(on.aspen_handle());
      if constexpr (std::is_same_v<Descriptor, info::kernel_device_specific::private_mem_size>)
        return of.private_memory;
      if constexpr (std::is_same_v<Descriptor, info::kernel_device_specific::preferred_work_group_size_multiple>)
        return of.preferred_multiple;
      return Descriptor::get(on, {{{of.work_group_size[0], of.work_group_size[1], of.work_group_size[2]}, 0, 0}, of.max_work_group_size});
    }
  }

  /// SYCL 1.2.1's name of that.
  template <class Descriptor> typename Descriptor::return_type get_work_group_info(const device &on) const { return get_info<Descriptor>(on); }

  /// The provisional SYCL 2020 asked with a size of the work-group, on which the answer does not depend.
  template <class Descriptor, class = std::enable_if_t<std::is_same_v<Descriptor, info::kernel_device_specific::max_sub_group_size>>>
  std::uint32_t get_info(const device &on, const range<3> &) const {
    return get_info<Descriptor>(on);
  }

  /// Of launches of the kernel on a queue. Source: sycl_ext_oneapi_launch_queries (ext/oneapi/experimental/root_group.hpp).
  template <class Descriptor, class... A> typename Descriptor::return_type ext_oneapi_get_info(const A &...arguments) const {
    return Descriptor::get(*this, arguments...);
  }

  friend bool operator==(const kernel &a, const kernel &b) {
    return a.id_ == b.id_ && a.bundle_ == b.bundle_ && a.native_ == b.native_;
  }
#if __cplusplus < 202002L
  friend bool operator!=(const kernel &a, const kernel &b) { return !(a == b); }
#endif

  /// For the library.
  kernel(const kernel_id &id, const context &in, const detail::shared<detail::bundle_contents> &bundle)
      : id_(id), context_(in), bundle_(bundle) {}
  const kernel_id &aspen_id() const { return id_; }
  /// The same: one that make_kernel was given.
  kernel(const detail::shared<detail::native_object> &native, const context &in, const detail::shared<detail::bundle_contents> &bundle)
      : id_(detail::kernel_identity{nullptr, "", ""}), context_(in), bundle_(bundle), native_(native) {}
  const detail::shared<detail::native_object> &aspen_native() const { return native_; }
  aspen_native_kernel_t aspen_native_facts(const aspen_device_t *on) const {
    aspen_native_kernel_t out = {};
    detail::check(aspen_native_kernel(on, native_->handle, &out));
    return out;
  }

private:
  kernel_id id_;
  context context_;
  detail::shared<detail::bundle_contents> bundle_;
  detail::shared<detail::native_object> native_; // null: the program's own kernel
};

} // namespace sycl

template <> struct std::hash<sycl::kernel_id> {
  std::size_t operator()(const sycl::kernel_id &k) const noexcept {
    std::size_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char *c = k.get_name(); *c; ++c)
      hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
    return hash;
  }
};
template <> struct std::hash<sycl::kernel> {
  std::size_t operator()(const sycl::kernel &k) const noexcept {
    return std::hash<sycl::kernel_id>()(k.aspen_id()) ^ reinterpret_cast<std::size_t>(k.aspen_native().get());
  }
};

#include <sycl/kernel_bundle.hpp> // what a kernel keeps of its bundle; here, as the two need each other
