//! `sycl::item`. Source: SYCL 2020 §4.9.1.4.
#pragma once
#include <sycl/range.hpp>

namespace sycl {

namespace detail {
struct item_access;
}

/// One work-item of a kernel over a range: its id, and the range it is part of.
template <int D, bool WithOffset> class item : public detail::one_number<item<D, WithOffset>, D> {
public:
  static constexpr int dimensions = D;
  item() = delete;
  id<D> get_id() const noexcept { return id_; }
  size_t get_id(int dimension) const noexcept { return id_[dimension]; }
  size_t operator[](int dimension) const noexcept { return id_[dimension]; }
  range<D> get_range() const noexcept { return extent_; }
  size_t get_range(int dimension) const noexcept { return extent_[dimension]; }
  /// The kernel's offset. Deprecated in SYCL 2020, as offsets are.
  id<D> get_offset() const noexcept { return offset_; }
  size_t get_linear_id() const noexcept { return detail::linear_id(id_ - offset_, extent_); }
  /// Either kind from the other: a kernel may take the kind without an offset, which a launch without one then hands over.
  template <bool O, std::enable_if_t<O != WithOffset, int> = 0> operator item<D, O>() const noexcept { return {id_, extent_, offset_}; }
  friend bool operator==(const item &a, const item &b) noexcept { return a.id_ == b.id_ && a.extent_ == b.extent_ && a.offset_ == b.offset_; }
#if __cplusplus < 202002L
  friend bool operator!=(const item &a, const item &b) noexcept { return !(a == b); }
#endif

private:
  friend struct detail::item_access;
  template <int, bool> friend class item;
  item(const id<D> &at, const range<D> &extent, const id<D> &offset) noexcept : id_(at), extent_(extent), offset_(offset) {}
  id<D> id_;
  range<D> extent_;
  id<D> offset_;
};

namespace detail {
struct item_access {
  template <bool O = true, int D> static item<D, O> make(const id<D> &at, const range<D> &extent, const id<D> &offset = id<D>()) noexcept {
    return {at, extent, offset};
  }
};
} // namespace detail

} // namespace sycl
