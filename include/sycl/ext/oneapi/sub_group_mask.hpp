//! `sub_group_mask` and `group_ballot`: a bit for each work-item of a sub-group, of which no device here has more than 64.
//! Source: sycl_ext_oneapi_sub_group_mask.
#pragma once
#include <sycl/group_algorithm.hpp>
#include <sycl/marray.hpp>

#define SYCL_EXT_ONEAPI_SUB_GROUP_MASK 2

namespace sycl::ext::oneapi {

class sub_group_mask {
public:
  static constexpr size_t max_bits = 64;

  /// One bit that can be written.
  class reference {
  public:
    reference &operator=(bool x) { return mask_->set(at_, x), *this; }
    reference &operator=(const reference &x) { return *this = static_cast<bool>(x); }
    bool operator~() const { return !*this; }
    operator bool() const { return mask_->test(at_); }
    reference &flip() { return *this = !*this; }

  private:
    friend class sub_group_mask;
    reference(sub_group_mask &mask, id<1> at) : mask_(&mask), at_(at) {}
    sub_group_mask *mask_;
    id<1> at_;
  };

  sub_group_mask() : sub_group_mask(0) {}
  sub_group_mask(const sub_group_mask &) = default;
  sub_group_mask &operator=(const sub_group_mask &) = default;
  /// Bits of a number; those beyond the sub-group's size are cut. -1 is all of them.
  sub_group_mask(unsigned long long bits, size_t size = of_own_sub_group()) : bits_(bits), size_(static_cast<std::uint32_t>(size)) {
    bits_ &= everything();
  }
  template <class T, size_t N, class = std::enable_if_t<std::is_integral_v<T>>>
  sub_group_mask(const marray<T, N> &bits, size_t size = of_own_sub_group()) : size_(static_cast<std::uint32_t>(size)) {
    insert_bits(bits);
  }

  bool operator[](id<1> at) const { return test(at); }
  reference operator[](id<1> at) { return {*this, at}; }
  bool test(id<1> at) const { return at[0] < size_ && (bits_ >> at[0] & 1) != 0; }
  bool all() const { return bits_ == everything(); }
  bool any() const { return bits_ != 0; }
  bool none() const { return bits_ == 0; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcountll(bits_)); }
  std::uint32_t size() const { return size_; }
  /// The lowest and the highest bit that is set; size() if there is none.
  id<1> find_low() const { return id<1>(none() ? size_ : static_cast<size_t>(__builtin_ctzll(bits_))); }
  id<1> find_high() const { return id<1>(none() ? size_ : 63 - static_cast<size_t>(__builtin_clzll(bits_))); }

  /// Replaces the bits from `at` on by those of `bits`, and gives them back.
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>> void insert_bits(T bits, id<1> at = id<1>(0)) {
    if (at[0] < max_bits)
      put(static_cast<std::uint64_t>(bits), 8 * sizeof(T), at[0]);
  }
  template <class T, size_t N> void insert_bits(const marray<T, N> &bits, id<1> at = id<1>(0)) {
    for (size_t i = 0; i < N; ++i)
      insert_bits(bits[i], id<1>(at[0] + i * 8 * sizeof(T)));
  }
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>> void extract_bits(T &bits, id<1> at = id<1>(0)) const {
    bits = static_cast<T>(at[0] < max_bits ? bits_ >> at[0] : 0);
  }
  template <class T, size_t N> void extract_bits(marray<T, N> &bits, id<1> at = id<1>(0)) const {
    for (size_t i = 0; i < N; ++i)
      extract_bits(bits[i], id<1>(at[0] + i * 8 * sizeof(T)));
  }

  void set() { bits_ = everything(); }
  void set(id<1> at, bool x = true) { put(x, 1, at[0]); }
  void reset() { bits_ = 0; }
  void reset(id<1> at) { set(at, false); }
  void reset_low() { bits_ &= bits_ - 1; }
  void reset_high() {
    if (any())
      reset(find_high());
  }
  void flip() { bits_ ^= everything(); }
  void flip(id<1> at) { set(at, !test(at)); }

  friend bool operator==(const sub_group_mask &a, const sub_group_mask &b) { return a.bits_ == b.bits_ && a.size_ == b.size_; }
  friend bool operator!=(const sub_group_mask &a, const sub_group_mask &b) { return !(a == b); }
  sub_group_mask &operator&=(const sub_group_mask &b) { return bits_ &= b.bits_, *this; }
  sub_group_mask &operator|=(const sub_group_mask &b) { return bits_ = (bits_ | b.bits_) & everything(), *this; }
  sub_group_mask &operator^=(const sub_group_mask &b) { return bits_ = (bits_ ^ b.bits_) & everything(), *this; }
  sub_group_mask &operator<<=(size_t by) { return bits_ = by < max_bits ? bits_ << by & everything() : 0, *this; }
  sub_group_mask &operator>>=(size_t by) { return bits_ = by < max_bits ? bits_ >> by : 0, *this; }
  sub_group_mask operator~() const { return {~bits_, size_}; }
  sub_group_mask operator<<(size_t by) const { return sub_group_mask(*this) <<= by; }
  sub_group_mask operator>>(size_t by) const { return sub_group_mask(*this) >>= by; }
  friend sub_group_mask operator&(sub_group_mask a, const sub_group_mask &b) { return a &= b; }
  friend sub_group_mask operator|(sub_group_mask a, const sub_group_mask &b) { return a |= b; }
  friend sub_group_mask operator^(sub_group_mask a, const sub_group_mask &b) { return a ^= b; }

private:
  /// How many bits the masks have that the running work-item makes.
  static size_t of_own_sub_group() {
#if defined(__SYCL_DEVICE_ONLY__)
    return sub_group(sycl::detail::running_work_item()).get_max_local_range()[0];
#else
    return max_bits;
#endif
  }
  std::uint64_t everything() const { return size_ < max_bits ? (std::uint64_t(1) << size_) - 1 : ~std::uint64_t(0); }
  void put(std::uint64_t bits, size_t count, size_t at) {
    if (at >= size_)
      return;
    const std::uint64_t mask = (count < max_bits ? (std::uint64_t(1) << count) - 1 : ~std::uint64_t(0)) << at;
    bits_ = ((bits_ & ~mask) | (bits << at & mask)) & everything();
  }
  std::uint64_t bits_ = 0;
  std::uint32_t size_ = max_bits;
};

/// For which work-items of the sub-group `predicate` is true.
template <class Group> std::enable_if_t<std::is_same_v<std::decay_t<Group>, sub_group>, sub_group_mask> group_ballot(Group g, bool predicate = true) {
#if defined(__ASPEN_PTX__)
  const std::uint64_t bits = static_cast<unsigned>(__nvvm_vote_ballot_sync(sycl::detail::ptx::whole_warp, predicate));
#elif defined(__ASPEN_AMDGCN__)
  const std::uint64_t bits = sycl::detail::amdgcn::ballot(predicate);
#elif defined(__ASPEN_SPIRV__)
  const auto words = __builtin_spirv_subgroup_ballot(predicate);
  const std::uint64_t bits = words[0] | std::uint64_t(words[1]) << 32;
#else
  const std::uint64_t own = std::uint64_t(predicate) << g.get_local_linear_id();
  const std::uint64_t bits = reduce_over_group(g, own, sycl::bit_or<std::uint64_t>());
#endif
  return sub_group_mask(bits, g.get_max_local_range()[0]);
}

} // namespace sycl::ext::oneapi

namespace sycl::detail {
/// DPC++'s own way to a mask of given bits, which oneDPL and dpctl take where they take the compiler for DPC++.
struct Builder {
  template <class Mask> static Mask createSubGroupMask(std::uint64_t bits, size_t size) { return Mask(bits, size); }
};
} // namespace sycl::detail
namespace sycl::ext::oneapi::detail {
using sycl::detail::Builder;
}
