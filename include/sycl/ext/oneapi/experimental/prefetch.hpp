//! `prefetch` and `joint_prefetch` in kernels: hints, which code for CPUs passes on. Source: sycl_ext_oneapi_prefetch.
#pragma once
#include <sycl/accessor.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/group_algorithm.hpp>

#define SYCL_EXT_ONEAPI_PREFETCH 1

namespace sycl::ext::oneapi::experimental {

enum class cache_level { L1 = 0, L2 = 1, L3 = 2, L4 = 3 };
struct nontemporal;
struct prefetch_hint_key {
  template <cache_level Level, class Hint> using value_t = property_value<prefetch_hint_key, std::integral_constant<cache_level, Level>, Hint>;
};
/// The level of the cache that memory is brought to.
template <cache_level Level, class Hint> inline constexpr prefetch_hint_key::value_t<Level, Hint> prefetch_hint;
#define __ASPEN_PREFETCH_HINTS(level)                                                                                                     \
  inline constexpr prefetch_hint_key::value_t<cache_level::level, void> prefetch_hint_##level;                                             \
  inline constexpr prefetch_hint_key::value_t<cache_level::level, nontemporal> prefetch_hint_##level##_nt;
__ASPEN_PREFETCH_HINTS(L1)
__ASPEN_PREFETCH_HINTS(L2)
__ASPEN_PREFETCH_HINTS(L3)
__ASPEN_PREFETCH_HINTS(L4)
#undef __ASPEN_PREFETCH_HINTS

/// Memory at `from`; of `count` elements, or bytes where the pointer has no type.
template <class... P> void prefetch(const void *from, properties<P...> = {}) {
#if defined(__ASPEN_NATIVE_CPU__)
  __builtin_prefetch(from);
#else
  (void)from;
#endif
}
template <class... P> void prefetch(const void *from, size_t, properties<P...> = {}) { experimental::prefetch(from); }
template <class G, class... P> sycl::detail::if_group<G, void> joint_prefetch(G g, const void *from, properties<P...> = {}) {
  if (g.leader())
    experimental::prefetch(from);
}
template <class G, class... P> sycl::detail::if_group<G, void> joint_prefetch(G g, const void *from, size_t, properties<P...> = {}) {
  experimental::joint_prefetch(g, from);
}

/// Elements of an accessor that may be read, from that one on.
#define __ASPEN_ACCESSOR                                                                                                                   \
  class T, int D, access_mode M, access::placeholder P, class... Q, std::enable_if_t<(D > 0 && M != access_mode::write), int> = 0
/// Of one dimension, a number says where.
#define __ASPEN_READS accessor<T, D, M, target::device, P> from, std::common_type_t<id<D>> at
template <__ASPEN_ACCESSOR> void prefetch(__ASPEN_READS, properties<Q...> = {}) { experimental::prefetch(&from[at]); }
template <__ASPEN_ACCESSOR> void prefetch(__ASPEN_READS, size_t, properties<Q...> = {}) { experimental::prefetch(&from[at]); }
template <class G, __ASPEN_ACCESSOR> sycl::detail::if_group<G, void> joint_prefetch(G g, __ASPEN_READS, properties<Q...> = {}) {
  experimental::joint_prefetch(g, &from[at]);
}
template <class G, __ASPEN_ACCESSOR> sycl::detail::if_group<G, void> joint_prefetch(G g, __ASPEN_READS, size_t, properties<Q...> = {}) {
  experimental::joint_prefetch(g, &from[at]);
}
#undef __ASPEN_READS
#undef __ASPEN_ACCESSOR

} // namespace sycl::ext::oneapi::experimental
