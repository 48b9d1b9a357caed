//! Bits, what the work-items of a sub-group take from each other, parts of sub-groups, and a barrier of all work-groups.
//! Source: SYCLcompat's README, "Compatibility Utilities".
#pragma once
#include <cstdint>
#include <sycl/atomic_ref.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/sub_group.hpp>
#include <syclcompat/defs.hpp>
#include <syclcompat/device.hpp>
#include <syclcompat/dims.hpp>
#include <syclcompat/traits.hpp>
#include <type_traits>

namespace syclcompat {

namespace detail {
/// A number that only converts to and from its own type.
template <class Tag, class T> class generic_error_type {
public:
  generic_error_type() = default;
  generic_error_type(T value) : value_(value) {}
  operator T() const { return value_; }

private:
  T value_{};
};
} // namespace detail
using err0 = detail::generic_error_type<struct err0_tag, int>;
using err1 = detail::generic_error_type<struct err1_tag, int>;

/// A year, as SYCL_LANGUAGE_VERSION counts: 202001 and later.
inline int get_sycl_language_version() { return SYCL_LANGUAGE_VERSION; }

/// One half of a double's bits, and a double of two halves.
inline int cast_double_to_int(double d, bool use_high32 = true) {
  return int(std::uint32_t(sycl::bit_cast<std::uint64_t>(d) >> (use_high32 ? 32 : 0)));
}
inline double cast_ints_to_double(int high32, int low32) {
  return sycl::bit_cast<double>(std::uint64_t(std::uint32_t(high32)) << 32 | std::uint32_t(low32));
}

/// The bits of an unsigned integer in the other order.
template <class T> inline T reverse_bits(T a) {
  static_assert(std::is_unsigned_v<T>, "reverse_bits: of unsigned integers");
  T out = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i, a = T(a >> 1))
    out = T(out << 1 | (a & 1));
  return out;
}
/// Four of the eight bytes of `a` (0 to 3) and `b` (4 to 7), which the low three bits of each of the low four half bytes of `s` name.
inline unsigned byte_level_permute(unsigned a, unsigned b, unsigned s) {
  const std::uint64_t both = std::uint64_t(b) << 32 | a;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i)
    out |= unsigned(both >> (8 * (s >> (4 * i) & 7)) & 0xff) << (8 * i);
  return out;
}
/// The place of the lowest bit that is set, from 1 on; 0 if none is.
template <class T> inline int ffs(T a) {
  static_assert(std::is_integral_v<T>, "ffs: of integers");
  return __builtin_ffsll(static_cast<long long>(static_cast<std::make_unsigned_t<T>>(a)));
}
/// Bit by bit what the bit of `table` says at the place that the bits of `a`, `b` and `c` (the lowest) make. Source: PTX ISA, lop3.
inline std::uint32_t ternary_logic_op(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint8_t table) {
  std::uint32_t out = 0;
  for (int i = 0; i < 8; ++i)
    if (table >> i & 1)
      out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return out;
}

/// A queue where tools have put a number: 0, 1 and 2 are the default queue.
inline sycl::queue *int_as_queue_ptr(std::uintptr_t x) {
  return x <= 2 ? get_current_device().default_queue() : reinterpret_cast<sycl::queue *>(x);
}

// All of the sub-group do the following together. It counts as parts of `logical_sub_group_size` (a power of two), in which work-items take
// the value of another one; their own where the other one would be in another part.
template <class T> inline T select_from_sub_group(sycl::sub_group g, T x, int remote_local_id, int logical_sub_group_size = 32) {
  const unsigned id = g.get_local_linear_id(), size = unsigned(logical_sub_group_size);
  return sycl::select_from_group(g, x, id / size * size + unsigned(remote_local_id) % size);
}
template <class T> inline T shift_sub_group_left(sycl::sub_group g, T x, unsigned delta, int logical_sub_group_size = 32) {
  const unsigned id = g.get_local_linear_id(), size = unsigned(logical_sub_group_size);
  const bool is_within = delta < size - id % size && delta < g.get_local_linear_range() - id;
  return sycl::select_from_group(g, x, is_within ? id + delta : id);
}
template <class T> inline T shift_sub_group_right(sycl::sub_group g, T x, unsigned delta, int logical_sub_group_size = 32) {
  const unsigned id = g.get_local_linear_id(), size = unsigned(logical_sub_group_size);
  return sycl::select_from_group(g, x, delta <= id % size ? id - delta : id);
}
template <class T> inline T permute_sub_group_by_xor(sycl::sub_group g, T x, unsigned mask, int logical_sub_group_size = 32) {
  const unsigned id = g.get_local_linear_id(), size = unsigned(logical_sub_group_size), other = id % size ^ mask;
  const bool is_within = other < size && id / size * size + other < g.get_local_linear_range();
  return sycl::select_from_group(g, x, is_within ? id / size * size + other : id);
}

/// Which of the members have the same value as the work-item, which is 0 in those that are none. A bit is a work-item.
template <class T> inline unsigned match_any_over_sub_group(sycl::sub_group g, unsigned member_mask, T value) {
  unsigned out = 0;
  const unsigned count = g.get_local_linear_range();
  for (unsigned i = 0; i < count && i < 32; ++i)
    if (sycl::select_from_group(g, value, i) == value)
      out |= 1u << i;
  return member_mask >> g.get_local_linear_id() & 1 ? out & member_mask : 0;
}
/// All members if they have the same value, with `*pred` 1, else 0.
template <class T> inline unsigned match_all_over_sub_group(sycl::sub_group g, unsigned member_mask, T value, int *pred) {
  const unsigned count = g.get_local_linear_range();
  const unsigned members = count >= 32 ? member_mask : member_mask & ((1u << count) - 1);
  const bool is_member = members >> g.get_local_linear_id() & 1;
  const bool all = match_any_over_sub_group(g, members, value) == members;
  *pred = is_member && all;
  return *pred ? members : 0;
}

namespace experimental {

/// The same with a mask of those that take part, as migrated `__shfl_*_sync` are. All of the sub-group do it together here too, so that the
/// mask says nothing more. Source: SYCLcompat, "Sub-group functions"; SYCLomatic's DPCT1108.
#define __ASPEN_MASKED(name, Operand)                                                                                                     \
  template <class T> inline T name(unsigned, sycl::sub_group g, T x, Operand operand, int logical_sub_group_size = 32) {                   \
    return syclcompat::name(g, x, operand, logical_sub_group_size);                                                                       \
  }
__ASPEN_MASKED(select_from_sub_group, int)
__ASPEN_MASKED(shift_sub_group_left, unsigned)
__ASPEN_MASKED(shift_sub_group_right, unsigned)
__ASPEN_MASKED(permute_sub_group_by_xor, unsigned)
#undef __ASPEN_MASKED

#if defined(__ASPEN_PTX__)
inline constexpr sycl::memory_order barrier_memory_order = sycl::memory_order::acq_rel;
#else
inline constexpr sycl::memory_order barrier_memory_order = sycl::memory_order::seq_cst;
#endif

/// Waits for all work-items of the kernel. The counter is 0 at first and the kernel's alone. The device has to run all work-groups at once:
/// the embedded CPU does if there are no more of them than it has threads; otherwise, and elsewhere, the kernel may never end.
template <int D = 3>
inline void nd_range_barrier(sycl::nd_item<D> item, sycl::atomic_ref<unsigned, barrier_memory_order, sycl::memory_scope::device,
                                                                     sycl::access::address_space::global_space> &counter) {
  constexpr unsigned turn = 0x80000000; // changes each time that all have come
  const size_t groups = item.get_group_range().size();
  if (groups == 1)
    return sycl::group_barrier(item.get_group());
  sycl::group_barrier(item.get_group(), sycl::memory_scope::device);
  if (item.get_local_linear_id() == 0) {
    const unsigned mine = item.get_group_linear_id() == 0 ? turn - unsigned(groups - 1) : 1;
    const unsigned before = counter.fetch_add(mine);
    while (((counter.load() ^ before) & turn) == 0) {
    }
  }
  sycl::group_barrier(item.get_group(), sycl::memory_scope::device);
}

/// So many work-items of a group that follow each other; the last ones may be fewer.
template <int D = 3> class logical_group {
public:
  logical_group(sycl::nd_item<D> item, sycl::group<D> parent, std::uint32_t size) {
    const std::uint32_t all = std::uint32_t(parent.get_local_linear_range()), id = std::uint32_t(item.get_local_linear_id());
    id_ = id % size;
    group_ = id / size;
    groups_ = (all + size - 1) / size;
    size_ = group_ + 1 < groups_ ? size : all - group_ * size;
  }
  std::uint32_t get_local_linear_id() const { return id_; }
  std::uint32_t get_group_linear_id() const { return group_; }
  std::uint32_t get_local_linear_range() const { return size_; }
  std::uint32_t get_group_linear_range() const { return groups_; }

private:
  std::uint32_t id_, group_, groups_, size_;
};

enum class group_type { work_group, sub_group, logical_group, root_group };

/// A group of one of these kinds.
template <int D = 3> class group_base {
public:
  group_base(sycl::nd_item<D> item) : item_(item) { take(item.get_group(), group_type::work_group); }

  size_t get_local_linear_range() const { return size_; }
  size_t get_local_linear_id() const { return id_; }
  /// A logical group waits with its sub-group, of which it is a part; a root group of several work-groups has `nd_range_barrier`.
  void barrier() const {
    if (type_ == group_type::work_group || type_ == group_type::root_group)
      sycl::group_barrier(item_.get_group());
    else
      sycl::group_barrier(item_.get_sub_group());
  }

protected:
  template <class G> void take(const G &group, group_type type) {
    type_ = type;
    size_ = group.get_local_linear_range();
    id_ = group.get_local_linear_id();
  }
  sycl::nd_item<D> item_;
  group_type type_ = group_type::work_group;
  size_t size_ = 0, id_ = 0;
};
template <class G, int D = 3> class group : public group_base<D> {
public:
  group(G g, sycl::nd_item<D> item) : group_base<D>(item) {
    constexpr bool is_work_group = std::is_same_v<G, sycl::group<D>>, is_sub_group = std::is_same_v<G, sycl::sub_group>;
    constexpr bool is_logical = std::is_same_v<G, logical_group<D>>;
    this->take(g, is_work_group ? group_type::work_group
                  : is_sub_group ? group_type::sub_group
                  : is_logical   ? group_type::logical_group
                                 : group_type::root_group);
  }
};

/// How many work-groups an Xe core runs. errc::feature_not_supported: no device that Aspen has tells what this needs (the numbers of
/// execution units and of their threads, aspect::ext_intel_gpu_eu_count_per_subslice and aspect::ext_intel_gpu_hw_threads_per_eu).
inline int calculate_max_active_wg_per_xecore(int *, int, int = 0, int = 32, bool = false, bool = false) {
  syclcompat::detail::throw_unsupported("calculate_max_active_wg_per_xecore: no device says how many threads its Xe cores run");
}
inline int calculate_max_potential_wg(int *, int *, int, int = 0, int = 32, bool = false, bool = false) {
  syclcompat::detail::throw_unsupported("calculate_max_potential_wg: no device says how many threads its Xe cores run");
}

} // namespace experimental

/// How many work-groups of that shape and with that much local memory a compute unit has at a time, of those that may wait for each other.
template <class KernelName> size_t max_active_work_groups_per_cu(dim3 shape, size_t bytes, sycl::queue q = get_default_queue()) {
  using most = sycl::ext::oneapi::experimental::info::kernel_queue_specific::max_num_work_groups;
  const auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context()).template get_kernel<KernelName>();
  const size_t groups = kernel.template ext_oneapi_get_info<most>(q, sycl::range<3>(shape), bytes);
  const size_t units = q.get_device().template get_info<sycl::info::device::max_compute_units>();
  return (groups + units - 1) / units;
}
template <class KernelName, int D>
size_t max_active_work_groups_per_cu(sycl::range<D> shape, size_t bytes, sycl::queue q = get_default_queue()) {
  return syclcompat::max_active_work_groups_per_cu<KernelName>(dim3(shape), bytes, q);
}
} // namespace syclcompat
