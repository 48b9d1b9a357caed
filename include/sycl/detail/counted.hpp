//! Reference-counted state behind SYCL's common reference semantics (queue, buffer, context). Small on purpose: <memory> costs compile time.
#pragma once
#include <sycl/detail/config.hpp>
#include <utility>

namespace sycl::detail {

/// Base of shared states. Counts from one: the creator's `shared` takes that reference.
class counted {
public:
  counted() = default;
  counted(const counted &) = delete;
  counted &operator=(const counted &) = delete;
  void retain() noexcept { __atomic_fetch_add(&count_, 1u, __ATOMIC_RELAXED); }
  /// True when the last reference is gone.
  bool release() noexcept { return __atomic_fetch_sub(&count_, 1u, __ATOMIC_ACQ_REL) == 1u; }

protected:
  ~counted() = default;

private:
  unsigned count_ = 1;
};

/// An owning pointer to a `counted` state; may be null.
template <class T> class shared {
public:
  constexpr shared() noexcept = default;
  /// Takes over the reference that `new T` made.
  explicit shared(T *created) noexcept : state_(created) {}
  shared(const shared &other) noexcept : state_(other.state_) {
    if (state_)
      state_->retain();
  }
  shared(shared &&other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  shared &operator=(shared other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~shared() {
    if (state_ && state_->release())
      delete state_;
  }
  T *get() const noexcept { return state_; }
  T *operator->() const noexcept { return state_; }
  T &operator*() const noexcept { return *state_; }
  explicit operator bool() const noexcept { return state_ != nullptr; }
  friend bool operator==(const shared &a, const shared &b) noexcept { return a.state_ == b.state_; }
  friend bool operator!=(const shared &a, const shared &b) noexcept { return a.state_ != b.state_; }

private:
  T *state_ = nullptr;
};

} // namespace sycl::detail

