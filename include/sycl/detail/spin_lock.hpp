//! A lock for what takes a few instructions. <mutex> costs compile time.
#pragma once

namespace sycl::detail {

class spin_lock {
public:
  void lock() noexcept {
    while (__atomic_test_and_set(&busy_, __ATOMIC_ACQUIRE)) {
    }
  }
  void unlock() noexcept { __atomic_clear(&busy_, __ATOMIC_RELEASE); }

private:
  bool busy_ = false;
};

/// Holds a lock as long as it lives.
template <class Lock> class [[nodiscard]] locked {
public:
  explicit locked(Lock &lock) : lock_(lock) { lock_.lock(); }
  locked(const locked &) = delete;
  locked &operator=(const locked &) = delete;
  ~locked() { lock_.unlock(); }

private:
  Lock &lock_;
};

} // namespace sycl::detail
