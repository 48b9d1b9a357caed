//! A growing array for the library's own use. std::vector's members cost a translation unit about 50 ms to instantiate; these do not.
#pragma once
#include <cstddef>
#include <new>
#include <utility>

namespace sycl::detail {

/// Room for the first elements of a list.
template <class T, std::size_t Count> class first_elements {
protected:
  T *first() noexcept { return reinterpret_cast<T *>(bytes_); }

private:
  alignas(T) unsigned char bytes_[Count * sizeof(T)];
};
template <class T> class first_elements<T, 0> {
protected:
  T *first() noexcept { return nullptr; }
};

/// `Here`: how many elements need no memory of their own; such a list stays where it is.
template <class T, std::size_t Here = 0> class list : first_elements<T, Here> {
public:
  list() = default;
  list(const T *from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      add(from[i]);
  }
  list(const list &other) : list(other.items_, other.size_) {}
  list(list &&other) noexcept
      : items_(std::exchange(other.items_, nullptr)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {
    static_assert(Here == 0, "what has elements in place is not moved");
  }
  list &operator=(list other) noexcept {
    static_assert(Here == 0, "what has elements in place is not moved");
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~list() {
    clear();
    free_items();
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
    free_items();
    items_ = items;
    room_ = room;
  }
  void free_items() noexcept {
    if (items_ != this->first())
      ::operator delete(static_cast<void *>(items_), std::align_val_t(alignof(T)));
  }
  T *items_ = this->first();
  std::size_t size_ = 0;
  std::size_t room_ = Here;
};

} // namespace sycl::detail
