//! Iterators of accessors with two and three dimensions: they run through the accessor's range in the order of linear ids, which need not be one
//! piece of memory. Source: SYCL 2020 §4.7.6.9 "begin", "end".
#pragma once
#include <iterator>
#include <sycl/range.hpp>
#include <type_traits>

namespace sycl::detail {

template <class T, int D> class range_iterator {
public:
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using reference = T &;
  using iterator_category = std::random_access_iterator_tag;

  range_iterator() = default;
  /// `first` is the element at the range's beginning, `memory` the range that it is a part of.
  range_iterator(T *first, const range<D> &extent, const range<D> &memory, size_t at)
      : first_(first), extent_(extent), memory_(memory), at_(static_cast<difference_type>(at)) {
    for (int d = 1; d < D; ++d)
      rows_ = rows_ || extent[d] != memory[d];
  }
  template <class U, std::enable_if_t<std::is_same_v<const U, T>, int> = 0>
  range_iterator(const range_iterator<U, D> &other)
      : first_(other.first_), extent_(other.extent_), memory_(other.memory_), at_(other.at_), rows_(other.rows_) {}

  reference operator*() const { return *place(at_); }
  pointer operator->() const { return place(at_); }
  reference operator[](difference_type n) const { return *place(at_ + n); }

  range_iterator &operator+=(difference_type n) { return at_ += n, *this; }
  range_iterator &operator-=(difference_type n) { return at_ -= n, *this; }
  range_iterator &operator++() { return *this += 1; }
  range_iterator &operator--() { return *this -= 1; }
  range_iterator operator++(int) {
    const range_iterator old(*this);
    ++*this;
    return old;
  }
  range_iterator operator--(int) {
    const range_iterator old(*this);
    --*this;
    return old;
  }
  friend range_iterator operator+(range_iterator a, difference_type n) { return a += n; }
  friend range_iterator operator+(difference_type n, range_iterator a) { return a += n; }
  friend range_iterator operator-(range_iterator a, difference_type n) { return a -= n; }
  friend difference_type operator-(const range_iterator &a, const range_iterator &b) { return a.at_ - b.at_; }
#define __ASPEN_COMPARE(op)                                                                                                               \
  friend bool operator op(const range_iterator &a, const range_iterator &b) { return a.at_ op b.at_; }
  __ASPEN_COMPARE(==)
  __ASPEN_COMPARE(!=)
  __ASPEN_COMPARE(<)
  __ASPEN_COMPARE(>)
  __ASPEN_COMPARE(<=)
  __ASPEN_COMPARE(>=)
#undef __ASPEN_COMPARE

private:
  template <class, int> friend class range_iterator;

  T *place(difference_type n) const {
    if (!rows_)
      return first_ + n;
    size_t rest = static_cast<size_t>(n), offset = 0, step = 1;
    for (int d = D - 1; d > 0; --d) {
      offset += rest % extent_[d] * step;
      rest /= extent_[d];
      step *= memory_[d];
    }
    return first_ + offset + rest * step;
  }

  T *first_ = nullptr;
  range<D> extent_;
  range<D> memory_;
  difference_type at_ = 0;
  bool rows_ = false; // whether memory goes on behind the end of a row
};

/// With one dimension a pointer does.
template <class T, int D> using iterator_of = std::conditional_t<D == 1, T *, range_iterator<T, D>>;

template <class T, int D> iterator_of<T, D> iterator_at(T *first, const range<D> &extent, const range<D> &memory, size_t at) {
  if constexpr (D == 1)
    return first + at;
  else
    return range_iterator<T, D>(first, extent, memory, at);
}

} // namespace sycl::detail
