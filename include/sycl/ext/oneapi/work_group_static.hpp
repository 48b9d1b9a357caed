//! `work_group_static`: a variable that is one for each work-group, wherever it is declared. Its memory is found by its type, which a type of
//! its own is part of, as with `group_local_memory`; the variable itself is empty. Before C++20 instantiations of one template whose variable
//! has the same `T` share its memory. Source: sycl_ext_oneapi_work_group_static.
#pragma once
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp> // programs of DPC++ expect it of this header
#include <type_traits>

#define SYCL_EXT_ONEAPI_WORK_GROUP_STATIC 1

namespace sycl::ext::oneapi::experimental {

#if __cplusplus >= 202002L
template <class T, class Site = decltype([] {})> class work_group_static final {
#else
/// The declaration with that number, which the macro below gives.
template <class Site> struct aspen_declaration {
template <class T> class work_group_static final {
#endif
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "work_group_static: nothing makes or ends the object, so its type must be trivial");
  struct no_assignment {};
  using assigned = std::conditional_t<std::is_array_v<T>, no_assignment, T>;

public:
  work_group_static() = default;
  work_group_static(const work_group_static &) = delete;
  work_group_static &operator=(const work_group_static &) = delete;

  operator T &() const noexcept { return *operator&(); }
  const work_group_static &operator=(const assigned &value) const noexcept {
    *operator&() = value;
    return *this;
  }
  T *operator&() const noexcept { return sycl::detail::memory_of_call<T, Site>(); }
};
#if __cplusplus < 202002L
};
#define work_group_static aspen_declaration<sycl::detail::call_site<__ASPEN_NUMBER>>::template work_group_static
#endif

} // namespace sycl::ext::oneapi::experimental
