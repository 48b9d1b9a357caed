//! `group_local_memory`: local memory where it is needed, without an accessor. Each call that stands in the source has memory of its own,
//! because a type of its own is part of the call: that of a lambda or, before C++20, which allows no lambdas there, one with a number; and
//! each function its own for that, so that instances of templates are apart. What comes to the same call again gets the same memory. Source: sycl_ext_oneapi_local_memory.
#pragma once
#include <new>
#include <sycl/group_algorithm.hpp>

#define SYCL_EXT_ONEAPI_LOCAL_MEMORY 1

namespace sycl {

namespace detail {
namespace {
/// The number of a call; units count for themselves.
template <int N> struct call_site {};
} // namespace

/// Each function that calls such a one gets a copy of it, with static variables of its own: instances of a template are different callers.
#define __ASPEN_OF_EACH_CALLER [[clang::annotate("aspen.of_each_caller")]]

/// The memory of one call in the source. A work-group of the native CPU is one thread's.
template <class T, class Site> __ASPEN_OF_EACH_CALLER inline T *memory_of_call() {
#if defined(__ASPEN_NATIVE_CPU__)
  alignas(T) static thread_local char memory[sizeof(T)];
  return (T *)memory;
#elif defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
  struct alignas(T) alignas(16) bytes { // 16: see local_accessor
    char memory[sizeof(T)];
  };
  __attribute__((opencl_local)) static bytes memory;
  return (T *)(bytes *)&memory;
#else
  return nullptr;
#endif
}

template <class T, class Group> using local_memory_of =
    std::enable_if_t<is_group_v<Group> && std::is_trivially_destructible_v<T>, multi_ptr<T, access::address_space::local_space, access::decorated::legacy>>;

template <class T, class Site, class Group, class Construct>
__ASPEN_OF_EACH_CALLER local_memory_of<T, Group> local_memory_by_leader(Group g, Construct construct) {
  T *const memory = memory_of_call<T, Site>();
  if (g.leader())
    construct(memory);
  group_barrier(g);
  return local_memory_of<T, Group>(memory);
}
} // namespace detail

namespace ext::oneapi {

#if __cplusplus >= 202002L
#define __ASPEN_LOCAL_MEMORY_OF(name)                                                                                                     \
  template <class T, class Group, class... A, class Site = decltype([] {})>                                                               \
  __ASPEN_OF_EACH_CALLER sycl::detail::local_memory_of<T, Group> name
#else
/// The call with that number, which the macros below give.
template <class Site> struct aspen_call {
#define __ASPEN_LOCAL_MEMORY_OF(name)                                                                                                     \
  template <class T, class Group, class... A> __ASPEN_OF_EACH_CALLER static sycl::detail::local_memory_of<T, Group> name
#endif
/// An object that all of the work-group share, made of `arguments` by one of them.
__ASPEN_LOCAL_MEMORY_OF(group_local_memory)(Group g, A &&...arguments) {
  return sycl::detail::local_memory_by_leader<T, Site>(g, [&](T *memory) { ::new (memory) T{static_cast<A &&>(arguments)...}; });
}
/// The same with whatever values are there; a type that nothing can be made of (a union of such that have initial values) is memory alone.
__ASPEN_LOCAL_MEMORY_OF(group_local_memory_for_overwrite)(Group g) {
  return sycl::detail::local_memory_by_leader<T, Site>(g, [](T *memory) {
    if constexpr (std::is_default_constructible_v<T>)
      ::new (memory) T;
  });
}
#undef __ASPEN_LOCAL_MEMORY_OF
#if __cplusplus < 202002L
};
#define group_local_memory aspen_call<sycl::detail::call_site<__ASPEN_NUMBER>>::template group_local_memory
#define group_local_memory_for_overwrite aspen_call<sycl::detail::call_site<__ASPEN_NUMBER>>::template group_local_memory_for_overwrite
#endif

} // namespace ext::oneapi

// Where DPC++ had them before 2024.
#if __cplusplus >= 202002L
using ext::oneapi::group_local_memory, ext::oneapi::group_local_memory_for_overwrite;
#else
using ext::oneapi::aspen_call; // what the macros name
#endif
} // namespace sycl
