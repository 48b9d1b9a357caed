//! A growing array for the library's own use. std::vector's members cost a translation unit about 50 ms to instantiate; these do not.
#pragma once
#include <cstddef>
#include <new>
#include <utility>

namespace sycl::detail {

template <class T> class list {
public:
  list() = default;
  list(const T *from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      add(from[i]);
  }
  list(const list &other) : list(other.items_, other.size_) {}
  list(list &&other) noexcept
      : items_(std::exchange(other.items_, nullptr)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {}
  list &operator=(list other) noexcept {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~list() {
    clear();
    ::operator delete(static_cast<void *>(items_), std::align_val_t(alignof(T)));
  }
  void add(T value) {
    if (size_ == room_)
      grow();
    ::new (static_cast<void *>(items_ + size_)) T(std::move(value));
    ++size_;
  }
  void pop() noexcept { items_[--size_].~T(); }
  void clear() noexcept {
    while (size_)
      pop();
  }
  std::size_t size() const noexcept { return size_; }
  T *data() noexcept { return items_; }
  const T *data() const noexcept { return items_; }
  const T *begin() const noexcept { return items_; }
  const T *end() const noexcept { return items_ + size_; }

private:
  [[gnu::noinline]] void grow() {
    const std::size_t room = room_ ? 2 * room_ : 4;
    T *items = static_cast<T *>(::operator new(room * sizeof(T), std::align_val_t(alignof(T))));
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void *>(items + i)) T(std::move(items_[i]));
      items_[i].~T();
    }
    ::operator delete(static_cast<void *>(items_), std::align_val_t(alignof(T)));
    items_ = items;
    room_ = room;
  }
  T *items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

} // namespace sycl::detail
