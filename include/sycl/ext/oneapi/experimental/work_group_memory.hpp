//! `work_group_memory`: memory of a work-group with the type of what lies there, also as an argument of kernels that are functions.
//! Source: sycl_ext_oneapi_work_group_memory.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/local_accessor.hpp>
#include <type_traits>

#define SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY 1

namespace sycl::ext::oneapi::experimental {

struct indeterminate_t {};
/// Of an object for which nothing is reserved; it may only be assigned to.
inline constexpr indeterminate_t indeterminate;

/// `T` may be an array, also one whose size is said when the command is submitted (`T[]`, `T[][N]`). Copies are the same memory, which
/// nothing initialises.
template <class T, class Properties = empty_properties_t> class work_group_memory {
  static constexpr bool is_unbounded = std::is_array_v<T> && std::extent_v<T> == 0;
  struct no_assignment {};
  using assigned = std::conditional_t<std::is_array_v<T>, no_assignment, T>;
  /// In elements.
  static constexpr size_t size_of_row = sizeof(std::conditional_t<is_unbounded, std::remove_extent_t<T>, T>) / sizeof(std::remove_all_extents_t<T>);

public:
  using value_type = std::remove_all_extents_t<T>;

  work_group_memory(const indeterminate_t &) {}
  template <class U = T, std::enable_if_t<!is_unbounded && std::is_same_v<U, T>, int> = 0>
  work_group_memory(handler &command, const Properties & = {}) : memory_(range<1>(size_of_row), command) {}
  /// `count`: the size that the type does not say.
  template <class U = T, std::enable_if_t<is_unbounded && std::is_same_v<U, T>, int> = 0>
  work_group_memory(size_t count, handler &command, const Properties & = {}) : memory_(range<1>(count * size_of_row), command) {}
  work_group_memory(const work_group_memory &) = default;
  work_group_memory &operator=(const work_group_memory &) = default;

  operator T &() const { return *operator&(); }
  const work_group_memory &operator=(const assigned &value) const {
    *operator&() = value;
    return *this;
  }
  T *operator&() const { return reinterpret_cast<T *>(memory_.template get_multi_ptr<access::decorated::no>().get()); }
  template <access::decorated Decorated = access::decorated::no>
  multi_ptr<value_type, access::address_space::local_space, Decorated> get_multi_ptr() const {
    return memory_.template get_multi_ptr<Decorated>();
  }

  /// For the library: in bytes.
  size_t aspen_size() const { return memory_.byte_size(); }
  explicit work_group_memory(const local_accessor<value_type, 1> &memory) : memory_(memory) {}

private:
  local_accessor<value_type, 1> memory_;
};

} // namespace sycl::ext::oneapi::experimental
