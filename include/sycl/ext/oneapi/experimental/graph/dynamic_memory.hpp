//! Local memory whose size is updated: `dynamic_local_accessor` and `dynamic_work_group_memory`, which kernels of graphs' nodes capture.
//! Source: sycl_ext_oneapi_graph.
#pragma once
#include <sycl/detail/dynamic_place.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>

namespace sycl {
namespace detail {

struct extent_of_any {
  template <int D> explicit extent_of_any(const range<D> &of) : dimensions(D) {
    for (int d = 0; d < D; ++d)
      at[d] = of[d];
  }
  size_t at[3] = {};
  int dimensions;
};

/// What its copies share: the extent, and the nodes whose kernels have it.
struct extent_of_copies final : dynamic_memory {
  extent_of_copies(size_t element, size_t alignment, const extent_of_any &extent)
      : number(recorded_command::next_number()), element(element), alignment(alignment < 16 ? 16 : alignment), extent(extent) {
    __atomic_store_n(&dynamic_place::were_made, true, __ATOMIC_RELAXED);
  }
  void used_by(recorded_command &node, char *at, dynamic_place &place) override {
    const locked hold(lock);
    node.retain();
    users.add(shared<recorded_command>(&node));
    write(at, place);
  }
  void update(const extent_of_any &to) {
    list<shared<recorded_command>> all;
    {
      const locked hold(lock);
      extent = to;
      all = users;
    }
    for (const shared<recorded_command> &one : all)
      tell(*one);
  }

  const std::uint64_t number;

private:
  void write(char *at, dynamic_place &place) const {
    place.bytes = element;
    for (int d = 0; d < extent.dimensions; ++d)
      place.bytes *= extent.at[d];
    place.alignment = alignment;
    std::memcpy(at + sizeof(dynamic_place) + sizeof(void *), extent.at, extent.dimensions * sizeof(size_t));
  }
  void tell(recorded_command &node) {
    std::unique_lock<std::recursive_mutex> whole;
    if (node.lock)
      whole = std::unique_lock(node.lock->mutex);
    const locked hold(lock);
    for (size_t i = 0; i < node.parts.size(); ++i) {
      const aspen_launch_t *const launch = node.parts.data()[i]->launches();
      if (!launch)
        continue;
      recorded_kernel *const changed = new recorded_kernel(*launch);
      node.parts.data()[i] = shared<recorded_part>(changed);
      changed->each_dynamic([&](char *at, dynamic_place &place) {
        if (place.number == number)
          write(at, place);
      });
      changed->place_dynamic();
    }
  }

  spin_lock lock;
  const size_t element, alignment; // in bytes
  extent_of_any extent;
  list<shared<recorded_command>> users;
};

/// Captured by kernels, so it has the same members in every pass; the host's counts its copies. `T` is the elements' type.
template <class T, int D> class dynamic_local {
public:
#if defined(__ASPEN_HOST__)
  explicit dynamic_local(const range<D> &extent)
      : shared_by_all_(new extent_of_copies(sizeof(T), alignof(T), extent_of_any(extent))), extent_(extent) {
    place_.number = shared_by_all_->number;
  }
  dynamic_local(const dynamic_local &other) : place_(other.place_), shared_by_all_(other.shared_by_all_), extent_(other.extent_) {
    shared_by_all_->retain();
  }
  dynamic_local &operator=(const dynamic_local &other) {
    other.shared_by_all_->retain();
    release();
    place_ = other.place_;
    shared_by_all_ = other.shared_by_all_;
    extent_ = other.extent_;
    return *this;
  }
  ~dynamic_local() { release(); }
  void update(const range<D> &extent) const { shared_by_all_->update(extent_of_any(extent)); }
  /// A launch places it in the kernel's own copy of this, so a reference that was made before refers to nothing.
  local_accessor<T, D> get() const {
    fail(errc::invalid, "get: only kernels have local memory: capture the dynamic_local_accessor or dynamic_work_group_memory, and call get there");
  }
#else
  explicit dynamic_local(const range<D> &extent) : extent_(extent) {}
  void update(const range<D> &) const {}
  local_accessor<T, D> get() const { return local_accessor<T, D>({static_cast<std::uint32_t>(place_.offset), local_place::is_local}, extent_); }
#endif
  bool is(const dynamic_local &other) const { return place_.number == other.place_.number; }

private:
  void release() {
    if (shared_by_all_->release())
      delete shared_by_all_;
  }
  dynamic_place place_;
  extent_of_copies *shared_by_all_ = nullptr;
  range<D> extent_;
};

} // namespace detail

namespace ext::oneapi::experimental {

/// A local accessor of a node's kernel, which gets it by `get`. An update is one of the nodes whose kernels have it at once; executable
/// graphs have it when they are updated by the nodes. Copies are the same memory.
template <class T, int D = 1> class dynamic_local_accessor {
public:
  using value_type = T;
  explicit dynamic_local_accessor(range<D> extent, const property_list & = {}) : memory_(extent) {}
  /// As in the extension's first version: it was of one graph.
  dynamic_local_accessor(const command_graph<graph_state::modifiable> &, range<D> extent, const property_list & = {}) : memory_(extent) {}
  void update(range<D> extent) { memory_.update(extent); }
  local_accessor<T, D> get() const { return memory_.get(); }
  friend bool operator==(const dynamic_local_accessor &a, const dynamic_local_accessor &b) { return a.memory_.is(b.memory_); }
  friend bool operator!=(const dynamic_local_accessor &a, const dynamic_local_accessor &b) { return !(a == b); }

private:
  sycl::detail::dynamic_local<T, D> memory_;
};

/// The same as `work_group_memory` of an array whose size the type does not say.
template <class T, class Properties = empty_properties_t> class dynamic_work_group_memory {
  static_assert(std::is_array_v<T> && std::extent_v<T> == 0, "dynamic_work_group_memory is of an array whose size its type does not say: T[]");
  using element = std::remove_all_extents_t<T>;
  static range<1> elements(size_t count) { return range<1>(count * (sizeof(std::remove_extent_t<T>) / sizeof(element))); }

public:
  using value_type = element;
  explicit dynamic_work_group_memory(size_t count) : memory_(elements(count)) {}
  dynamic_work_group_memory(const command_graph<graph_state::modifiable> &, size_t count) : memory_(elements(count)) {}
  void update(size_t count) { memory_.update(elements(count)); }
  work_group_memory<T, Properties> get() const { return work_group_memory<T, Properties>(memory_.get()); }
  friend bool operator==(const dynamic_work_group_memory &a, const dynamic_work_group_memory &b) { return a.memory_.is(b.memory_); }
  friend bool operator!=(const dynamic_work_group_memory &a, const dynamic_work_group_memory &b) { return !(a == b); }

private:
  sycl::detail::dynamic_local<element, 1> memory_;
};

} // namespace ext::oneapi::experimental

template <class T, int D>
struct is_device_copyable<ext::oneapi::experimental::dynamic_local_accessor<T, D>> : std::true_type {};
template <class T, class P>
struct is_device_copyable<ext::oneapi::experimental::dynamic_work_group_memory<T, P>> : std::true_type {};

} // namespace sycl
