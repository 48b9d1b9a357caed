//! `sycl::platform`, `sycl::device` and device selectors. Source: SYCL 2020 §4.6.1, §4.6.2, §4.6.4.
#pragma once
#include <string>
#include <sycl/aspects.hpp>
#include <sycl/backend.hpp>
#include <sycl/exception.hpp>
#include <sycl/range.hpp>
#include <sycl/memory_enums.hpp>
#include <type_traits>
#include <vector>

namespace sycl {

namespace detail {
/// Names with blanks between them, as the C ABI has lists of them.
template <class Vector> Vector words(const char *text) {
  Vector out;
  while (*text) {
    const char *end = text;
    while (*end && *end != ' ')
      ++end;
    if (end != text)
      out.emplace_back(text, end);
    text = *end ? end + 1 : end;
  }
  return out;
}
inline bool has_word(const char *text, const std::string &word) {
  const std::string all = std::string(" ") + text + " ";
  return !word.empty() && word.find(' ') == std::string::npos && all.find(" " + word + " ") != std::string::npos;
}
} // namespace detail

namespace info {
enum class device_type : unsigned { cpu, gpu, accelerator, custom, automatic, host, all };
enum class partition_property : int {
  no_partition,
  partition_equally,
  partition_by_counts,
  partition_by_affinity_domain,
  /// No device is divided so. Source: sycl_ext_intel_cslice.
  ext_intel_partition_by_cslice
};
enum class partition_affinity_domain : int { not_applicable, numa, L4_cache, L3_cache, L2_cache, L1_cache, next_partitionable };

namespace platform {
#define __ASPEN_PLATFORM_STRING(descriptor, code)                                                                                         \
  struct descriptor {                                                                                                                      \
    using return_type = std::string;                                                                                                       \
    static std::string get(const aspen_platform_t *of) { return aspen_platform_string(of, code); }                                         \
  };
__ASPEN_PLATFORM_STRING(name, ASPEN_PLATFORM_NAME)
__ASPEN_PLATFORM_STRING(vendor, ASPEN_PLATFORM_VENDOR)
__ASPEN_PLATFORM_STRING(version, ASPEN_PLATFORM_VERSION)
#undef __ASPEN_PLATFORM_STRING
/// OpenCL's; what Aspen takes as a device has all of it.
struct profile {
  using return_type = std::string;
  static std::string get(const aspen_platform_t *) { return "FULL_PROFILE"; }
};
/// Deprecated: what devices have are aspects.
struct extensions {
  using return_type = std::vector<std::string>;
  template <class R = return_type> static R get(const aspen_platform_t *of) {
    return sycl::detail::words<R>(aspen_platform_string(of, ASPEN_PLATFORM_EXTENSIONS));
  }
};
} // namespace platform
} // namespace info

/// SYCL 1.2.1's class of selectors; programs derive from it.
class device_selector {
public:
  virtual ~device_selector() = default;
  virtual int operator()(const device &d) const = 0;
  device select_device() const;
};

namespace detail {
/// Whether `Descriptor` answers for what the others are, which `get_info` hands to it. Asked first, since a descriptor of another class would be an
/// error about the library's own handles. Source: SYCL 2020 §4.6 (each class names its descriptors).
template <class, class Descriptor, class... Asked> inline constexpr bool answers = false;
template <class Descriptor, class... Asked>
inline constexpr bool answers<std::void_t<decltype(Descriptor::get(std::declval<const Asked &>()...))>, Descriptor, Asked...> = true;
/// Whether it is called as it is; a copy is of one whose operator is not const, as with DPC++.
template <class I> inline constexpr bool is_const_selector = std::is_invocable_r_v<int, const I &, const device &>;
/// A function object, or of a class whose own operator may be private.
template <class I> inline constexpr bool is_selector =
    is_const_selector<I> || std::is_base_of_v<device_selector, I> || (std::is_copy_constructible_v<I> && std::is_invocable_r_v<int, I &, const device &>);
device select_device(int (*score)(const void *, const device &), const void *selector);
template <class Selector> device select_by(const Selector &selector);
} // namespace detail

namespace detail {
inline bool is_type(const device &d, info::device_type type);
/// The parts of a device, or what is wrong with asking for them.
template <class Vector, class Device> Vector divided(const Device &whole, int how, const size_t *counts, size_t count) {
  Vector out;
  const auto add = [](const aspen_device_t *part, void *to) { static_cast<Vector *>(to)->push_back(Device(part)); };
  check(aspen_device_divide(whole.aspen_handle(), how, counts, count, add, &out));
  return out;
}
}

#define SYCL_EXT_ONEAPI_PEER_ACCESS 1
#define SYCL_EXT_ONEAPI_PLATFORM_DEVICE_INDEX 1
#define SYCL_EXT_ONEAPI_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_DEVICE_DEFAULT_CONTEXT 1
namespace ext::oneapi {
enum class peer_access { access_supported, atomics_supported };
namespace experimental {
enum class source_language { opencl = 0, spirv = 1, sycl = 2 };
}
} // namespace ext::oneapi

/// One device. A small value: devices live as long as the process.
class _V1::device {
public:
  /// The default selector's choice.
  device();
  /// The device to which `selector` gives the highest number; a negative one rules a device out.
  template <class Selector, std::enable_if_t<detail::is_selector<Selector>, int> = 0>
  explicit device(const Selector &selector)
      : device(detail::select_by(selector)) {}

  bool is_cpu() const { return type() == ASPEN_DEVICE_TYPE_CPU; }
  bool is_gpu() const { return type() == ASPEN_DEVICE_TYPE_GPU; }
  bool is_accelerator() const { return type() == ASPEN_DEVICE_TYPE_ACCELERATOR; }
  /// Whether the device, as the active profile presents it, has the aspect.
  bool has(aspect which) const { return aspen_device_has(handle_, static_cast<std::uint32_t>(which)) != 0; }
  /// Deprecated: what devices have are aspects.
  bool has_extension(const std::string &name) const { return detail::has_word(aspen_device_string(handle_, ASPEN_DEVICE_EXTENSIONS), name); }
  backend get_backend() const noexcept { return static_cast<backend>(aspen_device_backend(handle_)); }
  platform get_platform() const;
  /// The embedded CPU device can be divided; info::device::partition_properties names the ways of each. A part has as many threads of its own
  /// as compute units. Source: SYCL 2020 §4.6.4.3.
  template <info::partition_property How, std::enable_if_t<How == info::partition_property::partition_equally, int> = 0>
  std::vector<device> create_sub_devices(size_t count) const {
    return detail::divided<std::vector<device>>(*this, ASPEN_PARTITION_EQUALLY, &count, 1);
  }
  template <info::partition_property How, std::enable_if_t<How == info::partition_property::partition_by_counts, int> = 0>
  std::vector<device> create_sub_devices(const std::vector<size_t> &counts) const {
    return detail::divided<std::vector<device>>(*this, ASPEN_PARTITION_BY_COUNTS, counts.data(), counts.size());
  }
  template <info::partition_property How, std::enable_if_t<How == info::partition_property::partition_by_affinity_domain, int> = 0>
  std::vector<device> create_sub_devices(info::partition_affinity_domain domain) const {
    using info::partition_affinity_domain;
    if (domain != partition_affinity_domain::numa && domain != partition_affinity_domain::next_partitionable)
      detail::fail(errc::feature_not_supported, "create_sub_devices: devices are divided by NUMA nodes, and not by caches");
    return detail::divided<std::vector<device>>(*this, ASPEN_PARTITION_BY_NUMA, nullptr, 0);
  }
  template <info::partition_property How, std::enable_if_t<How == info::partition_property::ext_intel_partition_by_cslice, int> = 0>
  std::vector<device> create_sub_devices() const {
    detail::fail(errc::feature_not_supported, "create_sub_devices: no device is divided by slices; see info::device::partition_properties");
  }
  /// NVIDIA's GPUs of one machine mostly reach each other's memory. Whether atomics of both are so there, drivers are not asked: the answer is no.
  /// Source: sycl_ext_oneapi_peer_access.
  bool ext_oneapi_can_access_peer(const device &peer, ext::oneapi::peer_access what = ext::oneapi::peer_access::access_supported) const {
    return what == ext::oneapi::peer_access::access_supported && aspen_device_reaches(handle_, peer.handle_) != 0;
  }
  void ext_oneapi_enable_peer_access(const device &peer) const { detail::check(aspen_device_reach(handle_, peer.handle_, 1)); }
  void ext_oneapi_disable_peer_access(const device &peer) const { detail::check(aspen_device_reach(handle_, peer.handle_, 0)); }
  /// No device compiles source or SPIR-V that a program brings. Source: sycl_ext_oneapi_kernel_compiler.
  bool ext_oneapi_can_build(ext::oneapi::experimental::source_language) const { return false; }
  bool ext_oneapi_can_compile(ext::oneapi::experimental::source_language) const { return false; }
  /// Source: sycl_ext_oneapi_device_architecture.
  template <class Architecture> bool ext_oneapi_architecture_is(Architecture which) const { return aspen_architecture_is(*this, which); }
  /// The place among its platform's devices. Source: sycl_ext_oneapi_platform_device_index.
  size_t ext_oneapi_index_within_platform() const;
  /// In context.hpp. Source: sycl_ext_oneapi_device_default_context.
  context ext_oneapi_get_default_context() const;
  /// Deprecated: SYCL 1.2.1's host device is none of the devices here.
  bool is_host() const { return false; }
  /// A descriptor of namespace info::device.
  template <class Descriptor> typename Descriptor::return_type get_info() const {
    constexpr bool asks = detail::answers<void, Descriptor, device>;
    static_assert(asks, "a device is asked what info::device names, or an extension for devices");
    if constexpr (asks)
      return Descriptor::get(*this);
  }
  /// `max_work_item_sizes` took no dimensions. Source: SYCL 1.2.1 §4.6.4.2.
  template <template <int> class Descriptor> auto get_info() const { return get_info<Descriptor<3>>(); }
  /// Like all functions here that return a vector: a template, so that only programs that call it pay for compiling it.
  template <class Vector = std::vector<device>> static Vector get_devices(info::device_type type = info::device_type::all);

  /// An order of owners. Source: sycl_ext_oneapi_weak_object.
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept { return aspen_owner_before(*this, other); }

  friend bool operator==(const device &a, const device &b) { return a.handle_ == b.handle_; }
#if __cplusplus < 202002L
  friend bool operator!=(const device &a, const device &b) { return a.handle_ != b.handle_; }
#endif

  /// For the library.
  explicit device(const aspen_device_t *handle) : handle_(handle) {}
  const aspen_device_t *aspen_handle() const { return handle_; }

private:
  int type() const { return aspen_device_type(handle_); }
  const aspen_device_t *handle_;
};

/// The devices of one backend.
class _V1::platform {
public:
  /// The platform of the default device.
  platform() : platform(device().get_platform()) {}
  template <class Selector, std::enable_if_t<detail::is_selector<Selector>, int> = 0>
  explicit platform(const Selector &selector) : platform(device(selector).get_platform()) {}

  backend get_backend() const noexcept {
    size_t count = 0;
    const aspen_device_t *const *devices = aspen_platform_devices(handle_, &count);
    return count ? device(devices[0]).get_backend() : backend::native_cpu;
  }
  template <class Vector = std::vector<device>> Vector get_devices(info::device_type type = info::device_type::all) const {
    Vector out;
    each([&](const device &d) {
      // The platform's default device is its first.
      if (detail::is_type(d, type) && (type != info::device_type::automatic || out.empty()))
        out.push_back(d);
    });
    return out;
  }
  template <class Descriptor> typename Descriptor::return_type get_info() const {
    constexpr bool asks = detail::answers<void, Descriptor, const aspen_platform_t *>;
    static_assert(asks, "a platform is asked what info::platform names");
    if constexpr (asks)
      return Descriptor::get(handle_);
  }
  /// Source: sycl_ext_oneapi_platform_device_index.
  device ext_oneapi_device_at_index(size_t index) const {
    size_t count = 0;
    const aspen_device_t *const *devices = aspen_platform_devices(handle_, &count);
    if (index >= count)
      detail::fail(errc::invalid, "ext_oneapi_device_at_index: the platform has fewer devices");
    return device(devices[index]);
  }
  /// None: no backend has devices of several. Source: sycl_ext_oneapi_composite_device.
  template <class Vector = std::vector<device>> Vector ext_oneapi_get_composite_devices() const { return {}; }
  /// Of queues that are made without one. In context.hpp. Source: sycl_khr_default_context, sycl_ext_oneapi_default_context.
  context khr_get_default_context() const;
  context ext_oneapi_get_default_context() const;
  /// Deprecated: what devices have are aspects.
  bool has_extension(const std::string &name) const {
    return detail::has_word(aspen_platform_string(handle_, ASPEN_PLATFORM_EXTENSIONS), name);
  }
  /// Whether every device of the platform has the aspect.
  bool has(aspect which) const {
    bool all = true;
    each([&](const device &d) { all = all && d.has(which); });
    return all;
  }
  /// Deprecated, as a device's.
  bool is_host() const { return false; }
  /// All platforms that ASPEN_DEVICE_SELECTOR admits.
  template <class Vector = std::vector<platform>> static Vector get_platforms() {
    Vector out;
    each_platform([&](const platform &p) { out.push_back(p); });
    return out;
  }

  /// An order of owners. Source: sycl_ext_oneapi_weak_object.
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept { return aspen_owner_before(*this, other); }

  friend bool operator==(const platform &a, const platform &b) { return a.handle_ == b.handle_; }
#if __cplusplus < 202002L
  friend bool operator!=(const platform &a, const platform &b) { return a.handle_ != b.handle_; }
#endif

  /// For the library.
  explicit platform(const aspen_platform_t *handle) : handle_(handle) {}
  const aspen_platform_t *aspen_handle() const { return handle_; }
  /// For the library: calls `function` for each device.
  template <class F> void each(F function) const {
    size_t count = 0;
    const aspen_device_t *const *devices = aspen_platform_devices(handle_, &count);
    for (size_t i = 0; i < count; ++i)
      function(device(devices[i]));
  }
  /// For the library: calls `function` for each platform.
  template <class F> static void each_platform(F function) {
    const aspen_platform_t *const *all = nullptr;
    size_t count = 0;
    detail::check(aspen_platforms(&all, &count));
    for (size_t i = 0; i < count; ++i)
      function(platform(all[i]));
  }

private:
  const aspen_platform_t *handle_;
};

inline bool detail::is_type(const device &d, info::device_type type) {
  return type == info::device_type::all || type == info::device_type::automatic ||
         aspen_device_type(d.aspen_handle()) == static_cast<int>(type);
}

inline platform device::get_platform() const { return platform(aspen_device_platform(handle_)); }

inline size_t device::ext_oneapi_index_within_platform() const {
  size_t count = 0;
  const aspen_device_t *const *devices = aspen_platform_devices(aspen_device_platform(handle_), &count);
  for (size_t i = 0; i < count; ++i)
    if (devices[i] == handle_)
      return i;
  detail::fail(errc::invalid, "ext_oneapi_index_within_platform: a part of a device has no place among its platform's");
}

template <class Vector> Vector device::get_devices(info::device_type type) {
  Vector out;
  platform::each_platform([&](const platform &p) {
    bool first = true;
    p.each([&](const device &d) {
      if (detail::is_type(d, type) && (type != info::device_type::automatic || first))
        out.push_back(d);
      first = false;
    });
  });
  return out;
}

namespace detail {

/// The device with the highest score that is not negative; the first of equals.
inline device select_device(int (*score)(const void *, const device &), const void *selector) {
  const aspen_device_t *best = nullptr;
  int best_score = -1;
  platform::each_platform([&](const platform &p) {
    p.each([&](const device &candidate) {
      const int points = score(selector, candidate);
      if (points > best_score) {
        best = candidate.aspen_handle();
        best_score = points;
      }
    });
  });
  if (!best)
    fail(errc::runtime, "no device is available that the selector accepts; `aspen devices` lists all, ASPEN_DEVICE_SELECTOR restricts them");
  return device(best);
}

/// `selector` may be a function, whose address is no `const void *`, or a member of device (`&device::is_gpu`).
template <class Selector> device select_by(const Selector &selector) {
  if constexpr (std::is_member_function_pointer_v<Selector>) {
    return select_by([selector](const device &d) -> int { return (d.*selector)(); });
  } else if constexpr (!is_const_selector<Selector> && !std::is_base_of_v<device_selector, Selector>) {
    Selector own(selector);
    Selector *const where = &own;
    return select_device([](const void *s, const device &d) -> int { return (**static_cast<Selector *const *>(s))(d); }, &where);
  } else {
    using called = std::conditional_t<std::is_base_of_v<device_selector, Selector>, device_selector, Selector>;
    const called *const where = &selector;
    using pointer = decltype(where);
    return select_device([](const void *s, const device &d) -> int { return (**static_cast<pointer *>(s))(d); }, &where);
  }
}

/// A driver may have no use for any code that there is: NVIDIA's and others' OpenCL takes no SPIR-V. Such a device is the last choice.
inline bool runs_nothing(const device &d) { return *aspen_device_string(d.aspen_handle(), ASPEN_DEVICE_RUNS_NOTHING) != 0; }

/// Whether the program was built for it: the choice of DPC++, too, before all else.
inline bool has_image(const device &d) { return aspen_device_number(d.aspen_handle(), ASPEN_DEVICE_HAS_IMAGE) != 0; }

inline int rate_of_type(const device &d, aspen_device_type_t type) {
  if (aspen_device_type(d.aspen_handle()) != type)
    return -1;
  return runs_nothing(d) ? 0 : 1 + has_image(d);
}

} // namespace detail

/// Functions, as in DPC++: programs choose one by `?:`, and keep one in a variable that becomes another.
inline int default_selector_v(const device &d) {
  if (detail::runs_nothing(d))
    return 0;
  const int known = detail::has_image(d) ? 1000 : 0;
  switch (aspen_device_type(d.aspen_handle())) {
  case ASPEN_DEVICE_TYPE_GPU:
    return known + 300;
  case ASPEN_DEVICE_TYPE_CPU:
    return known + 200;
  case ASPEN_DEVICE_TYPE_ACCELERATOR:
    return known + 100;
  default:
    return known;
  }
}
inline int cpu_selector_v(const device &d) { return detail::rate_of_type(d, ASPEN_DEVICE_TYPE_CPU); }
inline int gpu_selector_v(const device &d) { return detail::rate_of_type(d, ASPEN_DEVICE_TYPE_GPU); }
inline int accelerator_selector_v(const device &d) { return detail::rate_of_type(d, ASPEN_DEVICE_TYPE_ACCELERATOR); }

namespace detail {

/// Accepts devices that have all of some aspects and none of others.
class aspect_selector_object {
public:
  aspect_selector_object(list<aspect> wanted, list<aspect> unwanted) : wanted_(std::move(wanted)), unwanted_(std::move(unwanted)) {}
  int operator()(const device &d) const {
    for (aspect a : wanted_)
      if (!d.has(a))
        return -1;
    for (aspect a : unwanted_)
      if (d.has(a))
        return -1;
    return default_selector_v(d);
  }

private:
  list<aspect> wanted_;
  list<aspect> unwanted_;
};

} // namespace detail

/// SYCL 1.2.1's classes, which programs hand to whoever takes a `device_selector`.
#define __ASPEN_SELECTOR(name)                                                                                                            \
  class name : public device_selector {                                                                                                    \
  public:                                                                                                                                  \
    int operator()(const device &d) const override { return name##_v(d); }                                                                \
  };
__ASPEN_SELECTOR(default_selector)
__ASPEN_SELECTOR(cpu_selector)
__ASPEN_SELECTOR(gpu_selector)
__ASPEN_SELECTOR(accelerator_selector)
#undef __ASPEN_SELECTOR
/// The host as a device, which SYCL 2020 no longer has: the embedded one, which is none by its aspects.
class host_selector : public device_selector {
public:
  int operator()(const device &d) const override { return d.get_backend() == backend::native_cpu ? 1 : -1; }
};

inline detail::aspect_selector_object aspect_selector(const std::vector<aspect> &wanted, const std::vector<aspect> &unwanted = {}) {
  return {detail::list<aspect>(wanted.data(), wanted.size()), detail::list<aspect>(unwanted.data(), unwanted.size())};
}
template <class... Aspects, class = std::enable_if_t<(std::is_same_v<Aspects, aspect> && ...)>>
detail::aspect_selector_object aspect_selector(Aspects... wanted) {
  detail::list<aspect> all;
  (all.add(wanted), ...);
  return {std::move(all), {}};
}
template <aspect... Wanted> detail::aspect_selector_object aspect_selector() {
  detail::list<aspect> all;
  (all.add(Wanted), ...);
  return {std::move(all), {}};
}

inline device::device() : device(default_selector_v) {}
inline device device_selector::select_device() const { return device(*this); }

} // namespace sycl

template <> struct std::hash<sycl::device> {
  std::size_t operator()(const sycl::device &d) const noexcept { return reinterpret_cast<std::size_t>(d.aspen_handle()); }
};
template <> struct std::hash<sycl::platform> {
  std::size_t operator()(const sycl::platform &p) const noexcept { return reinterpret_cast<std::size_t>(p.aspen_handle()); }
};
