//! Kernel bundles and the questions whether devices can run kernels. Source: SYCL 2020 §4.11.
//!
//! The runtime loads images when their kernels are launched or built, so a bundle is a choice of kernels and devices, and all states of a
//! bundle hold the same. What no device of a bundle can run is not in it; nothing is read or built to find that out.
#pragma once
#include <sycl/detail/spin_lock.hpp>
#include <sycl/kernel.hpp>
#include <sycl/specialization_id.hpp>

namespace sycl {

namespace detail {
/// In ext/oneapi/experimental/free_function_traits.hpp.
template <auto *Func> kernel_id free_function_id();
/// A copy of a symbol or tag that lives as long as the process: kernel_ids point to it, and the runtime's own may go with its module.
inline const char *keep_symbol(const char *symbol) {
  [[clang::no_destroy]] static list<const char *> kept; // destructors of globals may ask for kernels
  static spin_lock lock;
  const locked hold(lock);
  const char *known = nullptr;
  for (const char *old : kept)
    if (std::strcmp(old, symbol) == 0)
      known = old;
  if (!known) {
    known = std::strcpy(new char[std::strlen(symbol) + 1], symbol);
    kept.add(known);
  }
  return known;
}

inline list<kernel_id> all_kernel_ids() {
  size_t count = 0;
  const aspen_kernel_name_t *names = aspen_kernels(&count);
  list<kernel_id> out;
  for (size_t i = 0; i < count; ++i) {
    kernel_identity identity = identify_kernel<unnamed_kernel>();
    identity.tag = keep_symbol(names[i].object_tag); // not this unit's: others have kernels for themselves, too
    identity.symbol = keep_symbol(names[i].symbol);
    out.add(kernel_id(identity));
  }
  return out;
}

/// What all copies of a bundle share.
struct bundle_contents : counted {
  bundle_contents(const context &c, list<device> d) : in(c), devices(std::move(d)) {}
  context in;
  list<device> devices;
  list<kernel_id> kernels;   // if `restricted`; otherwise all of the program
  bool restricted = false;
  constant_values constants;
  list<shared<native_object>> programs; // what make_kernel_bundle was given, beside the kernels

  bool contains(const kernel_id &kernel) const {
    if (!restricted)
      return true;
    for (const kernel_id &k : kernels)
      if (k == kernel)
        return true;
    return false;
  }
  bool runs_somewhere(const kernel_id &kernel) const {
    for (const device &d : devices)
      if (kernel.aspen_runs_on(d))
        return true;
    return false;
  }
  /// `said`, and for a kernel that no device runs what its launch would say on each: which kernel it is, and what it needs.
  std::string why_nowhere(std::string said, const kernel_id &kernel) const {
    for (const device &d : devices)
      if (const std::string why = kernel.aspen_why_not_on(d); !why.empty() && said.find(why) == std::string::npos)
        said += ":\n" + why;
    return said;
  }
  bool has_device(const device &which) const {
    // Or one that it is a part of.
    for (const aspen_device_t *part = which.aspen_handle(); part; part = aspen_device_part_of(part, nullptr))
      for (const device &d : devices)
        if (d.aspen_handle() == part)
          return true;
    return false;
  }
  /// Calls `function` for every kernel of the bundle.
  template <class F> void each(F function) const;
};
} // namespace detail

/// All kernels of the program.
inline std::vector<kernel_id> get_kernel_ids() {
  const detail::list<kernel_id> all = detail::all_kernel_ids();
  return {all.begin(), all.end()};
}

template <class F> void detail::bundle_contents::each(F function) const {
  if (restricted) {
    for (const kernel_id &k : kernels)
      if (runs_somewhere(k))
        function(k);
  } else {
    for (const kernel_id &k : all_kernel_ids())
      if (runs_somewhere(k))
        function(k);
  }
}

inline bool is_compatible(const std::vector<kernel_id> &kernels, const device &on) {
  for (const kernel_id &k : kernels)
    if (!k.aspen_runs_on(on))
      return false;
  return true;
}
template <class Name> [[gnu::visibility("hidden")]] bool is_compatible(const device &on) { return detail::kernel_id_of<Name>().aspen_runs_on(on); }

/// A bundle's images, seen as one. Source: SYCL 2020 §4.11.13.
template <bundle_state State> class device_image {
public:
  device_image() = delete;
  bool has_kernel(const kernel_id &kernel) const noexcept { return contents_->contains(kernel) && contents_->runs_somewhere(kernel); }
  bool has_kernel(const kernel_id &kernel, const device &on) const noexcept {
    return contents_->contains(kernel) && contents_->has_device(on) && kernel.aspen_runs_on(on);
  }
  friend bool operator==(const device_image &a, const device_image &b) { return a.contents_ == b.contents_; }
#if __cplusplus < 202002L
  friend bool operator!=(const device_image &a, const device_image &b) { return !(a == b); }
#endif

  /// For the library.
  explicit device_image(const detail::shared<detail::bundle_contents> &contents) : contents_(contents) {}
  const detail::shared<detail::bundle_contents> &aspen_contents() const { return contents_; }

private:
  detail::shared<detail::bundle_contents> contents_;
};

/// Source: SYCL 2020 §4.11.12.
template <bundle_state State> class kernel_bundle {
  using image = device_image<State>;
  const detail::bundle_contents &contents() const { return *image_.aspen_contents(); }

public:
  using device_image_type = image;
  using device_image_iterator = const image *;

  kernel_bundle() = delete;
  bool empty() const noexcept {
    bool none = true;
    contents().each([&](const kernel_id &) { none = false; });
    return none && contents().programs.size() == 0;
  }
  context get_context() const noexcept { return contents().in; }
  backend get_backend() const noexcept { return contents().in.get_backend(); }
  template <class Vector = std::vector<device>> Vector get_devices() const noexcept {
    return Vector(contents().devices.begin(), contents().devices.end());
  }

  bool has_kernel(const kernel_id &kernel) const noexcept { return image_.has_kernel(kernel); }
  bool has_kernel(const kernel_id &kernel, const device &on) const noexcept { return image_.has_kernel(kernel, on); }
  template <class Name> [[gnu::visibility("hidden")]] bool has_kernel() const noexcept { return has_kernel(detail::kernel_id_of<Name>()); }
  template <class Name> [[gnu::visibility("hidden")]] bool has_kernel(const device &on) const noexcept {
    return has_kernel(detail::kernel_id_of<Name>(), on);
  }
  /// Of a kernel that is a function. Source: sycl_ext_oneapi_free_function_kernels.
  template <auto *Func> bool ext_oneapi_has_kernel() const { return has_kernel(detail::free_function_id<Func>()); }
  template <auto *Func> bool ext_oneapi_has_kernel(const device &on) const { return has_kernel(detail::free_function_id<Func>(), on); }
  template <auto *Func> kernel ext_oneapi_get_kernel() const { return get_kernel(detail::free_function_id<Func>()); }
  /// Of a kernel that was compiled from source, which none was. Source: sycl_ext_oneapi_kernel_compiler.
  bool ext_oneapi_has_kernel(const std::string &) const { return false; }
  template <bundle_state S = State, std::enable_if_t<S == bundle_state::executable, int> = 0>
  kernel ext_oneapi_get_kernel(const std::string &) const {
    detail::fail(errc::invalid, "ext_oneapi_get_kernel: the bundle was not made of source");
  }
  template <class Text = std::string> Text ext_oneapi_get_raw_kernel_name(const std::string &) const {
    detail::fail(errc::invalid, "ext_oneapi_get_raw_kernel_name: the bundle was not made of source");
  }
  template <class Vector = std::vector<kernel_id>> Vector get_kernel_ids() const {
    Vector out;
    contents().each([&](const kernel_id &k) { out.push_back(k); });
    return out;
  }

  template <bundle_state S = State, std::enable_if_t<S == bundle_state::executable, int> = 0> kernel get_kernel(const kernel_id &id) const {
    if (!has_kernel(id))
      detail::fail(errc::invalid, contents().why_nowhere("get_kernel: the bundle does not contain this kernel", id).c_str());
    return kernel(id, contents().in, image_.aspen_contents());
  }
  template <class Name, bundle_state S = State, std::enable_if_t<S == bundle_state::executable, int> = 0>
  [[gnu::visibility("hidden")]] kernel get_kernel() const {
    return get_kernel(get_kernel_id<Name>());
  }

  bool contains_specialization_constants() const noexcept { return detail::read_constant::any() && !empty(); }
  /// Constants are emulated, and of no constants none is native. Source: SYCL 2020 §4.11.12.2.
  bool native_specialization_constant() const noexcept { return false; }
  template <auto &Constant> bool has_specialization_constant() const noexcept {
    return detail::read_constant::is_read(detail::constant_key<Constant>) && !empty();
  }
  template <auto &Constant, bundle_state S = State, std::enable_if_t<S == bundle_state::input, int> = 0>
  void set_specialization_constant(detail::constant_value<Constant> value) {
    image_.aspen_contents()->constants.template set<Constant>(value);
  }
  template <auto &Constant> detail::constant_value<Constant> get_specialization_constant() const {
    return contents().constants.template get<Constant>();
  }

  device_image_iterator begin() const { return &image_; }
  device_image_iterator end() const { return &image_ + (empty() ? 0 : 1); }

  friend bool operator==(const kernel_bundle &a, const kernel_bundle &b) { return a.image_ == b.image_; }
#if __cplusplus < 202002L
  friend bool operator!=(const kernel_bundle &a, const kernel_bundle &b) { return !(a == b); }
#endif

  /// For the library.
  explicit kernel_bundle(const detail::shared<detail::bundle_contents> &contents) : image_(contents) {}
  const detail::shared<detail::bundle_contents> &aspen_contents() const { return image_.aspen_contents(); }

private:
  image image_;
};

inline kernel_bundle<bundle_state::executable> kernel::get_kernel_bundle() const {
  return kernel_bundle<bundle_state::executable>(bundle_);
}

namespace detail {

inline void check_bundle_devices(const context &in, const device *devices, size_t count) {
  if (count == 0)
    fail(errc::invalid, "a kernel bundle needs at least one device");
  for (size_t i = 0; i < count; ++i)
    if (!is_in(in, devices[i]))
      fail(errc::invalid, "a kernel bundle's devices must be devices of its context");
}

/// Whether the device makes something executable of a bundle in this state. Source: SYCL 2020 §4.11.
template <bundle_state State> bool goes_on_from(const device &on) {
  return State == bundle_state::executable || on.has(State == bundle_state::input ? aspect::online_compiler : aspect::online_linker);
}

template <bundle_state State> shared<bundle_contents> make_bundle(const context &in, const device *devices, size_t count) {
  check_bundle_devices(in, devices, count);
  for (size_t i = 0; i < count; ++i)
    if (!goes_on_from<State>(devices[i]))
      fail(errc::invalid, State == bundle_state::input ? "a bundle in input state needs devices with aspect online_compiler"
                                                       : "a bundle in object state needs devices with aspect online_linker");
  list<device> each;
  for (size_t i = 0; i < count; ++i) {
    bool again = false;
    for (const device &d : each)
      again = again || d == devices[i];
    if (!again)
      each.add(devices[i]);
  }
  return shared<bundle_contents>(new bundle_contents(in, std::move(each)));
}

/// Only `kernels`, each of which one of the devices must be able to run.
template <bundle_state State>
shared<bundle_contents> make_bundle(const context &in, const device *devices, size_t count, const kernel_id *kernels, size_t kernel_count) {
  shared<bundle_contents> made = make_bundle<State>(in, devices, count);
  made->restricted = true;
  for (size_t i = 0; i < kernel_count; ++i) {
    if (!made->runs_somewhere(kernels[i]))
      fail(errc::invalid, made->why_nowhere("a kernel bundle was asked for a kernel that none of its devices can run", kernels[i]).c_str());
    made->kernels.add(kernels[i]);
  }
  return made;
}

template <bundle_state Before, bundle_state After>
kernel_bundle<After> transform(const kernel_bundle<Before> &from, const device *devices, size_t count) {
  const bundle_contents &old = *from.aspen_contents();
  if (count == 0)
    fail(errc::invalid, "a kernel bundle is compiled, linked and built for at least one device");
  for (size_t i = 0; i < count; ++i)
    if (!old.has_device(devices[i]))
      fail(errc::invalid, "a kernel bundle cannot be compiled, linked or built for a device that it is not associated with");
  shared<bundle_contents> made(new bundle_contents(old.in, list<device>()));
  for (size_t i = 0; i < count; ++i)
    if (!made->has_device(devices[i]))
      made->devices.add(devices[i]);
  made->restricted = old.restricted;
  made->kernels = old.kernels;
  made->constants = old.constants;
  // Objects are linked to one program, others compiled each on its own.
  list<std::uintptr_t> programs;
  for (const shared<native_object> &program : old.programs)
    programs.add(program->handle);
  const size_t together = Before == bundle_state::object && After == bundle_state::executable ? programs.size() : 1;
  for (size_t i = 0; i < programs.size(); i += together) {
    const aspen_device_t *const on = (*old.programs.begin())->device;
    std::uintptr_t built = 0;
    check(aspen_native_build(on, programs.data() + i, together, static_cast<int>(After), &built));
    made->programs.add(shared<native_object>(new native_object(on, ASPEN_NATIVE_PROGRAM, built)));
  }
  // For every device that can run it; a kernel that none of them can run says why. Source: SYCL 2020 §5.7.
  old.each([&](const kernel_id &k) {
    const bool somewhere = made->runs_somewhere(k);
    for (const device &d : made->devices)
      if (!somewhere || k.aspen_runs_on(d))
        k.aspen_load(d);
  });
  return kernel_bundle<After>(made);
}
template <bundle_state Before, bundle_state After> kernel_bundle<After> transform_everywhere(const kernel_bundle<Before> &from) {
  const list<device> &all = from.aspen_contents()->devices;
  return transform<Before, After>(from, all.data(), all.size());
}

} // namespace detail

template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return kernel_bundle<State>(detail::make_bundle<State>(in, devices.data(), devices.size()));
}
template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in) {
  const detail::list<device> &all = in.aspen_state().devices;
  return kernel_bundle<State>(detail::make_bundle<State>(in, all.data(), all.size()));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices, const std::vector<kernel_id> &kernels) {
  return kernel_bundle<State>(detail::make_bundle<State>(in, devices.data(), devices.size(), kernels.data(), kernels.size()));
}
template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<kernel_id> &kernels) {
  const detail::list<device> &all = in.aspen_state().devices;
  return kernel_bundle<State>(detail::make_bundle<State>(in, all.data(), all.size(), kernels.data(), kernels.size()));
}
template <class Name, bundle_state State>
[[gnu::visibility("hidden")]] kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices) {
  const kernel_id id = get_kernel_id<Name>();
  return kernel_bundle<State>(detail::make_bundle<State>(in, devices.data(), devices.size(), &id, 1));
}
template <class Name, bundle_state State> [[gnu::visibility("hidden")]] kernel_bundle<State> get_kernel_bundle(const context &in) {
  const detail::list<device> &all = in.aspen_state().devices;
  const kernel_id id = get_kernel_id<Name>();
  return kernel_bundle<State>(detail::make_bundle<State>(in, all.data(), all.size(), &id, 1));
}
/// The images for which `selector`, called with each, is true.
template <bundle_state State, class Selector, class = std::enable_if_t<std::is_invocable_r_v<bool, Selector &, const device_image<State> &>>>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices, Selector selector) {
  kernel_bundle<State> all = get_kernel_bundle<State>(in, devices);
  if (!selector(*all.begin())) {
    all.aspen_contents()->restricted = true;
    all.aspen_contents()->kernels.clear();
  }
  return all;
}
template <bundle_state State, class Selector, class = std::enable_if_t<std::is_invocable_r_v<bool, Selector &, const device_image<State> &>>>
kernel_bundle<State> get_kernel_bundle(const context &in, Selector selector) {
  return get_kernel_bundle<State>(in, in.get_devices(), selector);
}

namespace detail {
/// There is no bundle in a state from which the devices do not go on; asking for it is no error, getting it is. Source: SYCL 2020 §4.11.
template <bundle_state State> bool may_have_bundle(const context &in, const std::vector<device> &devices) {
  check_bundle_devices(in, devices.data(), devices.size());
  for (const device &d : devices)
    if (!goes_on_from<State>(d))
      return false;
  return true;
}
} // namespace detail

/// Whether each kernel can run on one of the devices.
template <bundle_state State>
bool has_kernel_bundle(const context &in, const std::vector<device> &devices, const std::vector<kernel_id> &kernels) {
  if (!detail::may_have_bundle<State>(in, devices))
    return false;
  const kernel_bundle<State> bundle(detail::make_bundle<State>(in, devices.data(), devices.size()));
  for (const kernel_id &k : kernels)
    if (!bundle.has_kernel(k))
      return false;
  return true;
}
template <bundle_state State> bool has_kernel_bundle(const context &in, const std::vector<kernel_id> &kernels) {
  return has_kernel_bundle<State>(in, in.get_devices(), kernels);
}
template <bundle_state State> bool has_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return detail::may_have_bundle<State>(in, devices) && !get_kernel_bundle<State>(in, devices).empty();
}
template <bundle_state State> bool has_kernel_bundle(const context &in) { return has_kernel_bundle<State>(in, in.get_devices()); }
template <class Name, bundle_state State>
[[gnu::visibility("hidden")]] bool has_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return has_kernel_bundle<State>(in, devices, std::vector<kernel_id>{get_kernel_id<Name>()});
}
template <class Name, bundle_state State> [[gnu::visibility("hidden")]] bool has_kernel_bundle(const context &in) {
  return has_kernel_bundle<Name, State>(in, in.get_devices());
}

/// One bundle with the kernels of all. Source: SYCL 2020 §4.11.10.
template <bundle_state State> kernel_bundle<State> join(const std::vector<kernel_bundle<State>> &bundles) {
  if (bundles.empty()) {
    detail::shared<detail::bundle_contents> none(new detail::bundle_contents(context(), {}));
    none->restricted = true;
    return kernel_bundle<State>(none);
  }
  const detail::bundle_contents &first = *bundles.front().aspen_contents();
  detail::list<device> devices;
  for (const device &d : first.devices) {
    bool common = true;
    for (const kernel_bundle<State> &b : bundles) {
      if (!(b.aspen_contents()->in == first.in))
        detail::fail(errc::invalid, "join: the bundles have different contexts");
      common = common && b.aspen_contents()->has_device(d);
    }
    if (common)
      devices.add(d);
  }
  detail::shared<detail::bundle_contents> made(new detail::bundle_contents(first.in, std::move(devices)));
  made->restricted = true;
  for (const kernel_bundle<State> &b : bundles) {
    const detail::bundle_contents &part = *b.aspen_contents();
    made->restricted = made->restricted && part.restricted;
    for (const kernel_id &k : part.kernels)
      if (!made->contains(k))
        made->kernels.add(k);
    made->constants.take(part.constants);
    for (const detail::shared<detail::native_object> &program : part.programs) {
      bool again = false;
      for (const detail::shared<detail::native_object> &known : made->programs)
        again = again || known->handle == program->handle;
      if (!again)
        made->programs.add(program);
    }
  }
  return kernel_bundle<State>(made);
}

/// Each loads every kernel of the bundle for every device, so that what cannot run or be built is known afterwards.
/// Source: SYCL 2020 §4.11.11.
inline kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input> &from, const std::vector<device> &devices,
                                                   const property_list & = {}) {
  return detail::transform<bundle_state::input, bundle_state::object>(from, devices.data(), devices.size());
}
inline kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input> &from, const property_list & = {}) {
  return detail::transform_everywhere<bundle_state::input, bundle_state::object>(from);
}
inline kernel_bundle<bundle_state::executable> link(const std::vector<kernel_bundle<bundle_state::object>> &from,
                                                    const std::vector<device> &devices, const property_list & = {}) {
  return detail::transform<bundle_state::object, bundle_state::executable>(join(from), devices.data(), devices.size());
}
inline kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object> &from, const std::vector<device> &devices,
                                                    const property_list & = {}) {
  return detail::transform<bundle_state::object, bundle_state::executable>(from, devices.data(), devices.size());
}
inline kernel_bundle<bundle_state::executable> link(const std::vector<kernel_bundle<bundle_state::object>> &from, const property_list & = {}) {
  return detail::transform_everywhere<bundle_state::object, bundle_state::executable>(join(from));
}
inline kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object> &from, const property_list & = {}) {
  return detail::transform_everywhere<bundle_state::object, bundle_state::executable>(from);
}
inline kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input> &from, const std::vector<device> &devices,
                                                     const property_list & = {}) {
  return detail::transform<bundle_state::input, bundle_state::executable>(from, devices.data(), devices.size());
}
inline kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input> &from, const property_list & = {}) {
  return detail::transform_everywhere<bundle_state::input, bundle_state::executable>(from);
}

} // namespace sycl

template <sycl::bundle_state State> struct std::hash<sycl::kernel_bundle<State>> {
  std::size_t operator()(const sycl::kernel_bundle<State> &b) const noexcept {
    return reinterpret_cast<std::size_t>(b.aspen_contents().get());
  }
};
template <sycl::bundle_state State> struct std::hash<sycl::device_image<State>> {
  std::size_t operator()(const sycl::device_image<State> &i) const noexcept { return reinterpret_cast<std::size_t>(i.aspen_contents().get()); }
};
