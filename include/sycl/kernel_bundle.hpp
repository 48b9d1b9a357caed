//! Kernel identities and the question whether a device can run them. Source: SYCL 2020 §4.11.
//!
//! Images are loaded by the runtime when a kernel is launched, so every bundle is `executable`, and a bundle is just its devices.
#pragma once
#include <cstring>
#include <sycl/context.hpp>
#include <sycl/detail/launch.hpp>

namespace sycl {

enum class bundle_state : int { input, object, executable };

class kernel_id {
public:
  kernel_id() = delete;
  /// The symbol of the kernel's entry.
  const char *get_name() const noexcept { return identity_.symbol; }
  friend bool operator==(const kernel_id &a, const kernel_id &b) { return std::strcmp(a.get_name(), b.get_name()) == 0; }
#if __cplusplus < 202002L
  friend bool operator!=(const kernel_id &a, const kernel_id &b) { return !(a == b); }
#endif

  /// For the library.
  explicit kernel_id(const detail::kernel_identity &identity) : identity_(identity) {}
  bool aspen_runs_on(const device &d) const {
    return aspen_kernel_is_supported(d.aspen_handle(), identity_.module, identity_.tag, identity_.symbol) == 1;
  }

private:
  detail::kernel_identity identity_;
};

template <class Name> kernel_id get_kernel_id() { return kernel_id(detail::identify_kernel<Name>()); }

namespace detail {
/// A copy of a symbol that lives as long as the process: kernel_ids point to it, and the runtime's own may go with its module.
inline const char *keep_symbol(const char *symbol) {
  static list<const char *> kept;
  static bool busy = false;
  while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) {
  }
  const char *known = nullptr;
  for (const char *old : kept)
    if (std::strcmp(old, symbol) == 0)
      known = old;
  if (!known) {
    known = std::strcpy(new char[std::strlen(symbol) + 1], symbol);
    kept.add(known);
  }
  __atomic_clear(&busy, __ATOMIC_RELEASE);
  return known;
}
} // namespace detail

/// All kernels of the program.
template <class Vector = std::vector<kernel_id>> Vector get_kernel_ids() {
  size_t count = 0;
  const char *const *symbols = aspen_kernel_symbols(&count);
  Vector out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    detail::kernel_identity identity = detail::identify_kernel<detail::unnamed_kernel>();
    identity.symbol = detail::keep_symbol(symbols[i]);
    out.push_back(kernel_id(identity));
  }
  return out;
}

inline bool is_compatible(const std::vector<kernel_id> &kernels, const device &on) {
  for (const kernel_id &k : kernels)
    if (!k.aspen_runs_on(on))
      return false;
  return true;
}
template <class Name> bool is_compatible(const device &on) { return get_kernel_id<Name>().aspen_runs_on(on); }

/// The kernels that at least one of some devices can run.
template <bundle_state State> class kernel_bundle {
public:
  kernel_bundle() = delete;
  bool empty() const noexcept { return get_kernel_ids().empty(); }
  context get_context() const noexcept { return context_; }
  backend get_backend() const noexcept { return context_.get_backend(); }
  std::vector<device> get_devices() const noexcept { return devices_; }
  bool has_kernel(const kernel_id &kernel) const noexcept {
    for (const device &d : devices_)
      if (has_kernel(kernel, d))
        return true;
    return false;
  }
  bool has_kernel(const kernel_id &kernel, const device &on) const noexcept { return contains(kernel) && kernel.aspen_runs_on(on); }
  template <class Name> bool has_kernel() const noexcept { return has_kernel(get_kernel_id<Name>()); }
  template <class Name> bool has_kernel(const device &on) const noexcept { return has_kernel(get_kernel_id<Name>(), on); }
  std::vector<kernel_id> get_kernel_ids() const {
    std::vector<kernel_id> out;
    for (const kernel_id &k : restricted_ ? kernels_ : sycl::get_kernel_ids())
      if (has_kernel(k))
        out.push_back(k);
    return out;
  }

  /// For the library.
  kernel_bundle(const context &in, std::vector<device> devices, bool restricted, std::vector<kernel_id> kernels)
      : context_(in), devices_(std::move(devices)), restricted_(restricted), kernels_(std::move(kernels)) {}

private:
  bool contains(const kernel_id &kernel) const noexcept {
    if (!restricted_)
      return true;
    for (const kernel_id &k : kernels_)
      if (k == kernel)
        return true;
    return false;
  }
  context context_;
  std::vector<device> devices_;
  bool restricted_;
  std::vector<kernel_id> kernels_;
};

template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return kernel_bundle<State>(in, devices, false, {});
}
template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in) {
  return get_kernel_bundle<State>(in, in.get_devices());
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices, const std::vector<kernel_id> &kernels) {
  return kernel_bundle<State>(in, devices, true, kernels);
}
template <class Name, bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return get_kernel_bundle<State>(in, devices, std::vector<kernel_id>{get_kernel_id<Name>()});
}
template <class Name, bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in) {
  return get_kernel_bundle<Name, State>(in, in.get_devices());
}

/// Whether each kernel can run on one of the devices.
template <bundle_state State>
bool has_kernel_bundle(const context &in, const std::vector<device> &devices, const std::vector<kernel_id> &kernels) {
  const kernel_bundle<State> bundle = get_kernel_bundle<State>(in, devices);
  for (const kernel_id &k : kernels)
    if (!bundle.has_kernel(k))
      return false;
  return true;
}
template <bundle_state State> bool has_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return !get_kernel_bundle<State>(in, devices).empty();
}
template <bundle_state State> bool has_kernel_bundle(const context &in) { return has_kernel_bundle<State>(in, in.get_devices()); }
template <class Name, bundle_state State> bool has_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return has_kernel_bundle<State>(in, devices, std::vector<kernel_id>{get_kernel_id<Name>()});
}
template <class Name, bundle_state State> bool has_kernel_bundle(const context &in) {
  return has_kernel_bundle<Name, State>(in, in.get_devices());
}

} // namespace sycl
