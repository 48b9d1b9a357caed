//! Groups that programs make of a sub-group's work-items: chunks of neighbours, fragments (those that agree, or that happen to be together)
//! and tangles (those that come the same way). All group functions and algorithms take them (group_algorithm.hpp).
//!
//! Members are known by their lanes, a bit each. On SPIR-V they meet by instructions that those execute who are there, on PTX by masks, and
//! on the native CPU at barriers of their own. Work-items of the native CPU do not run side by side: an opportunistic group is the one that
//! asks, which the specification allows and which costs nothing, and there are no tangles (aspect::ext_oneapi_tangle).
//! Source: sycl_ext_oneapi_non_uniform_groups, with the names of its first version; sycl_ext_oneapi_tangle.
#pragma once
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/sub_group_mask.hpp>

#define SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS 1
#define SYCL_EXT_ONEAPI_TANGLE 1

namespace sycl {

namespace detail {

/// The lanes of the sub-group for which `x` is true, of those that are there.
inline std::uint64_t lanes_where(const sub_group &g, bool x) {
  std::uint64_t lanes = 0;
  ext::oneapi::group_ballot(g, x).extract_bits(lanes);
  return lanes;
}

/// Some work-items of a sub-group: `group` of `groups` that it was parted in.
class sub_group_part {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  linear_id_type get_group_linear_id() const { return group_; }
  linear_id_type get_group_linear_range() const { return groups_; }
  linear_id_type get_local_linear_id() const { return count(members_ & ((std::uint64_t(1) << item_.lane()) - 1)); }
  linear_id_type get_local_linear_range() const { return count(members_); }
  id<1> get_group_id() const { return id<1>(group_); }
  range<1> get_group_range() const { return range<1>(groups_); }
  id<1> get_local_id() const { return id<1>(get_local_linear_id()); }
  range<1> get_local_range() const { return range<1>(get_local_linear_range()); }
  range<1> get_max_local_range() const { return get_local_range(); }
  bool leader() const { return get_local_linear_id() == 0; }

  /// For the library.
  sub_group_part(const work_item &at, std::uint64_t members, std::uint32_t group, std::uint32_t groups)
      : item_(at), members_(members), group_(group), groups_(groups) {}
  const work_item &work_item_() const { return item_; }
  std::uint64_t aspen_members() const { return members_; }
  /// The lane of a member; of the last one if there are fewer.
  unsigned aspen_lane(size_t i) const {
    std::uint64_t rest = members_;
    while (i-- > 0 && (rest & (rest - 1)) != 0)
      rest &= rest - 1;
    return static_cast<unsigned>(__builtin_ctzll(rest));
  }
  /// Waits for all members.
  void aspen_meet() const {
#if defined(__ASPEN_NATIVE_CPU__)
    wait_for_members(item_.cpu, members_);
#elif defined(__ASPEN_SPIRV__)
    __spirv_MemoryBarrier(spirv::sub_group_scope,
                          spirv::acquire_release | spirv::sub_group_memory | spirv::work_group_memory | spirv::global_memory);
    (void)__builtin_spirv_subgroup_ballot(true); // those that execute it do so together
#elif defined(__ASPEN_PTX__)
    __nvvm_bar_warp_sync(static_cast<unsigned>(members_));
#elif defined(__ASPEN_AMDGCN__)
    amdgcn::wave_barrier();
#endif
  }
#if defined(__ASPEN_NATIVE_CPU__)
  /// The value that a member passes in; the own one if there are fewer. Parts exchange values of different types at the same time, so each
  /// lane keeps to its own 64 bytes (native_cpu.h), and what is done once to the second ones.
  template <bool IsBroadcast, class T> T aspen_take(const T &value, size_t from) const {
    const unsigned lane = from < get_local_linear_range() ? aspen_lane(from) : item_.lane();
    raw_bytes<T> out;
    for (size_t begin = 0; begin < sizeof(T); begin += ASPEN_CPU_SLOT_SIZE) {
      const size_t size = sizeof(T) - begin < ASPEN_CPU_SLOT_SIZE ? sizeof(T) - begin : ASPEN_CPU_SLOT_SIZE;
      __builtin_memcpy(slot(item_.lane()), reinterpret_cast<const char *>(&value) + begin, size);
      aspen_meet();
      if (IsBroadcast && has_ended(item_.cpu, first() + lane, true))
        asked_ended(item_.cpu, first() + lane);
      __builtin_memcpy(out.of + begin, slot(lane), size);
      aspen_meet();
    }
    return __builtin_bit_cast(T, out);
  }
  /// The values of all members that have not ended, in the order of lanes: `use(value, lane)` for each.
  template <class T, class F> void aspen_for_each(const T &value, F &&use) const {
    write_slot(slot(item_.lane()), value);
    aspen_meet();
    for (std::uint64_t rest = here(); rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctzll(rest));
      use(read_slot<T>(slot(lane)), lane);
    }
    aspen_meet();
  }
  /// What all ask for with the same arguments is done by one member.
  template <class F> void aspen_by_one(F &&compute) const {
    aspen_meet();
    if ((here() & ((std::uint64_t(1) << item_.lane()) - 1)) == 0)
      compute();
    aspen_meet();
  }
  template <class T, class F> T aspen_value_by_one(F &&compute) const {
    static_assert(sizeof(T) <= ASPEN_CPU_SLOT_SIZE, "joint algorithms are of values of at most 64 bytes");
    char *const result = slot(item_.cpu->sub_group_max_size + aspen_lane(0));
    aspen_by_one([&] { write_slot(result, static_cast<T>(compute())); });
    return read_slot<T>(result);
  }
#endif
  /// The lanes of members for which `x` is true.
  std::uint64_t aspen_ballot(bool x) const {
#if defined(__ASPEN_SPIRV__)
    const auto words = __builtin_spirv_subgroup_ballot(x);
    return (words[0] | std::uint64_t(words[1]) << 32) & members_;
#elif defined(__ASPEN_PTX__)
    return static_cast<unsigned>(__nvvm_vote_ballot_sync(static_cast<unsigned>(members_), x));
#elif defined(__ASPEN_AMDGCN__)
    return amdgcn::ballot(x) & members_;
#else
    return reduce_over_members(std::uint64_t(x) << item_.lane());
#endif
  }

protected:
#if defined(__ASPEN_NATIVE_CPU__)
  char *slot(size_t index) const { return item_.cpu->sub_group_slots + index * ASPEN_CPU_SLOT_SIZE; }
  std::uint32_t first() const { return item_.cpu->local_linear_id - item_.cpu->lane; }
  /// The lanes of members that have not ended; known while all the others wait.
  std::uint64_t here() const {
    std::uint64_t lanes = members_;
    for (std::uint64_t rest = members_; rest != 0; rest &= rest - 1)
      if (const unsigned lane = static_cast<unsigned>(__builtin_ctzll(rest)); has_ended(item_.cpu, first() + lane, true))
        lanes &= ~(std::uint64_t(1) << lane);
    return lanes;
  }
#endif
  std::uint64_t reduce_over_members(std::uint64_t own) const;
  static std::uint32_t count(std::uint64_t lanes) { return static_cast<std::uint32_t>(__builtin_popcountll(lanes)); }
  work_item item_;
  std::uint64_t members_;
  std::uint32_t group_, groups_;
};

inline std::uint64_t sub_group_part::reduce_over_members(std::uint64_t own) const {
  return combine<scan_kind::reduce>(*this, own, static_cast<const std::uint64_t *>(nullptr), bit_or<std::uint64_t>());
}

/// The first lanes of a sub-group.
constexpr std::uint64_t first_lanes(std::uint32_t count) { return count < 64 ? (std::uint64_t(1) << count) - 1 : ~std::uint64_t(0); }

/// The last sub-group of a work-group may have fewer work-items than a chunk: nobody waits for lanes that are not there.
template <size_t Size, class Parent> sub_group_part neighbours(const Parent &parent) {
  const std::uint32_t lane = parent.work_item_().lane(), own = parent.get_local_linear_id(), count = parent.get_local_linear_range();
  const std::uint64_t there = first_lanes(sub_group(parent.work_item_()).get_local_linear_range());
  return {parent.work_item_(), first_lanes(Size) << (lane / Size * Size) & there, static_cast<std::uint32_t>(own / Size), static_cast<std::uint32_t>(count / Size)};
}

} // namespace detail

namespace ext::oneapi::experimental {

/// Any subset of a sub-group.
template <class Parent> class [[__sycl_detail__::__uses_aspects__(aspect::ext_oneapi_fragment)]] fragment : public sycl::detail::sub_group_part {
public:
  using sycl::detail::sub_group_part::sub_group_part;
};

/// `Size` neighbours.
template <size_t Size, class Parent> class [[__sycl_detail__::__uses_aspects__(aspect::ext_oneapi_chunk)]] chunk : public sycl::detail::sub_group_part {
  static_assert(Size > 0 && Size <= 64 && (Size & (Size - 1)) == 0, "the size of a chunk is a power of two, and sub-groups have at most 64 work-items");

public:
  explicit chunk(const sycl::detail::sub_group_part &part) : sub_group_part(part) {}
  operator fragment<Parent>() const { return {item_, members_, group_, groups_}; }
  linear_id_type get_local_linear_id() const { return item_.lane() % Size; }
  linear_id_type get_local_linear_range() const { return Size; }
  id<1> get_local_id() const { return id<1>(get_local_linear_id()); }
  range<1> get_local_range() const { return range<1>(Size); }
  range<1> get_max_local_range() const { return range<1>(Size); }
  bool leader() const { return get_local_linear_id() == 0; }
  unsigned aspen_lane(size_t i) const { return static_cast<unsigned>(item_.lane() / Size * Size + i % Size); }
};

/// Those of a sub-group that come to the same place in the same way.
template <class Parent> class [[__sycl_detail__::__uses_aspects__(aspect::ext_oneapi_tangle)]] tangle : public sycl::detail::sub_group_part {
public:
  using sycl::detail::sub_group_part::sub_group_part;
};

template <class T> struct is_fixed_topology_group : std::false_type {};
template <int D> struct is_fixed_topology_group<group<D>> : std::true_type {};
template <> struct is_fixed_topology_group<sub_group> : std::true_type {};
template <class T> inline constexpr bool is_fixed_topology_group_v = is_fixed_topology_group<T>::value;
template <class T> struct is_user_constructed_group : std::is_base_of<sycl::detail::sub_group_part, T> {};
template <class T> inline constexpr bool is_user_constructed_group_v = is_user_constructed_group<T>::value;

} // namespace ext::oneapi::experimental

template <class P> struct is_group<ext::oneapi::experimental::fragment<P>> : std::true_type {};
template <size_t N, class P> struct is_group<ext::oneapi::experimental::chunk<N, P>> : std::true_type {};
template <class P> struct is_group<ext::oneapi::experimental::tangle<P>> : std::true_type {};

template <class G, std::enable_if_t<ext::oneapi::experimental::is_user_constructed_group_v<G>, int> = 0>
void group_barrier(G g, memory_scope scope = G::fence_scope) {
  if (scope > memory_scope::sub_group)
    atomic_fence(memory_order::seq_cst, scope);
  g.aspen_meet();
}

namespace ext::oneapi::experimental {

/// Those of `parent` for which `predicate` is the same.
inline fragment<sub_group> binary_partition(sub_group parent, bool predicate) {
  const std::uint64_t yes = sycl::detail::lanes_where(parent, predicate), no = sycl::detail::lanes_where(parent, !predicate);
  return {parent.work_item_(), predicate ? yes : no, predicate, 2};
}
template <class P> fragment<fragment<P>> binary_partition(fragment<P> parent, bool predicate) {
  const std::uint64_t yes = parent.aspen_ballot(predicate), no = parent.aspen_ballot(!predicate);
  return {parent.work_item_(), predicate ? yes : no, predicate, 2};
}
template <size_t Size, class P> fragment<chunk<Size, P>> binary_partition(chunk<Size, P> parent, bool predicate) {
  const std::uint64_t yes = parent.aspen_ballot(predicate), no = parent.aspen_ballot(!predicate);
  return {parent.work_item_(), predicate ? yes : no, predicate, 2};
}

/// The `Size` neighbours in `parent` that the calling work-item is one of. The parent's size is a multiple of `Size`.
template <size_t Size> chunk<Size, sub_group> chunked_partition(sub_group parent) {
  return chunk<Size, sub_group>(sycl::detail::neighbours<Size>(parent));
}
template <size_t Size, size_t Of, class P> chunk<Size, chunk<Of, P>> chunked_partition(chunk<Of, P> parent) {
  static_assert(Size <= Of, "a chunk is at most as large as its parent");
  return chunk<Size, chunk<Of, P>>(sycl::detail::neighbours<Size>(parent));
}

/// Those that are here now. On the native CPU that is known of one only.
inline tangle<sub_group> entangle(sub_group parent) { return {parent.work_item_(), sycl::detail::lanes_where(parent, true), 0, 1}; }

} // namespace ext::oneapi::experimental

namespace ext::oneapi::this_work_item {
/// Some of those that call it together.
inline experimental::fragment<sub_group> get_opportunistic_group() {
  const sycl::detail::work_item item = sycl::detail::running_work_item();
#if defined(__ASPEN_SPIRV__)
  const std::uint64_t members = sycl::detail::lanes_where(sub_group(item), true);
#elif defined(__ASPEN_PTX__)
  unsigned members;
  asm volatile("activemask.b32 %0;" : "=r"(members));
#elif defined(__ASPEN_AMDGCN__)
  const std::uint64_t members = sycl::detail::amdgcn::ballot(true);
#else
  const std::uint64_t members = std::uint64_t(1) << item.lane();
#endif
  return {item, members, 0, 1};
}
} // namespace ext::oneapi::this_work_item

namespace ext::oneapi::experimental {
// The first version's names.
template <class Parent> using ballot_group = fragment<Parent>;
template <size_t Size, class Parent> using fixed_size_group = chunk<Size, Parent>;
template <class Parent> using tangle_group = tangle<Parent>;
/// A type of its own, as it was then: programs specialise their templates for each.
class opportunistic_group : public fragment<sub_group> {
public:
  explicit opportunistic_group(const fragment<sub_group> &found) : fragment<sub_group>(found) {}
};
namespace this_kernel {
inline opportunistic_group get_opportunistic_group() { return opportunistic_group(this_work_item::get_opportunistic_group()); }
} // namespace this_kernel
inline fragment<sub_group> get_ballot_group(sub_group parent, bool predicate) { return binary_partition(parent, predicate); }
template <size_t Size> chunk<Size, sub_group> get_fixed_size_group(sub_group parent) { return chunked_partition<Size>(parent); }
inline tangle<sub_group> get_tangle_group(sub_group parent) { return entangle(parent); }

} // namespace ext::oneapi::experimental

template <> struct is_group<ext::oneapi::experimental::opportunistic_group> : std::true_type {};
} // namespace sycl
