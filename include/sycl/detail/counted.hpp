//! Reference-counted state behind SYCL's common reference semantics (queue, buffer, context). Small on purpose: <memory> costs compile time.
#pragma once
#include <sycl/detail/config.hpp>
#include <sycl/detail/spin_lock.hpp>
#include <utility>

namespace sycl::detail {

class counted;
struct weak_access; // ext/oneapi/weak_object.hpp

/// What references that keep nothing alive have of a state: it outlasts the state, and tells whether that still is.
class weak_link {
public:
  void retain() noexcept { __atomic_fetch_add(&count_, 1u, __ATOMIC_RELAXED); }
  void release() noexcept {
    if (__atomic_fetch_sub(&count_, 1u, __ATOMIC_ACQ_REL) == 1u)
      delete this;
  }
  /// Takes a reference of the state unless the last one is gone.
  bool revive(counted &state) noexcept;
  bool is_alive() noexcept {
    const locked hold(lock_);
    return alive_;
  }
  /// The state's last reference is gone.
  void end() noexcept {
    {
      const locked hold(lock_);
      alive_ = false;
    }
    release();
  }

private:
  spin_lock lock_; // while it is held, a state that is alive is there
  bool alive_ = true;
  unsigned count_ = 1; // the state's own
};

/// Base of shared states. Counts from one: the creator's `shared` takes that reference.
class counted {
public:
  counted() = default;
  counted(const counted &) = delete;
  counted &operator=(const counted &) = delete;
  void retain() noexcept { __atomic_fetch_add(&count_, 1u, __ATOMIC_RELAXED); }
  /// True when the last reference is gone.
  bool release() noexcept {
    if (__atomic_fetch_sub(&count_, 1u, __ATOMIC_ACQ_REL) != 1u)
      return false;
    unlink();
    return true;
  }
  /// For who has a reference.
  weak_link *link() noexcept {
    weak_link *link = __atomic_load_n(&link_, __ATOMIC_ACQUIRE);
    if (link)
      return link;
    weak_link *const made = new weak_link;
    if (__atomic_compare_exchange_n(&link_, &link, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return made;
    delete made;
    return link;
  }

protected:
  ~counted() = default;

private:
  friend class weak_link;
  [[gnu::noinline]] void unlink() noexcept {
    if (weak_link *const link = __atomic_load_n(&link_, __ATOMIC_ACQUIRE))
      link->end();
  }
  unsigned count_ = 1;
  weak_link *link_ = nullptr;
};

inline bool weak_link::revive(counted &state) noexcept {
  const locked hold(lock_);
  if (!alive_)
    return false;
  for (unsigned count = __atomic_load_n(&state.count_, __ATOMIC_RELAXED); count != 0;)
    if (__atomic_compare_exchange_n(&state.count_, &count, count + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return true;
  return false;
}

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

