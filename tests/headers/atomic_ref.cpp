//! atomic_ref: operations of integers, floating-point numbers and pointers; only 8-byte types go through the decorated class.
#include <sycl/atomic_ref.hpp>

template <class T> using ref = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device>;
template <class T, size_t S>
inline constexpr bool goes_through =
    std::is_base_of_v<sycl::detail::atomic_ref_impl<T, S, sycl::memory_order::relaxed, sycl::memory_scope::device>, ref<T>>;

static_assert(goes_through<int, 4> && goes_through<float, 4> && goes_through<long long, 8> && goes_through<double, 8> &&
              goes_through<int *, 8>);
static_assert(ref<int>::default_scope == sycl::memory_scope::device && ref<int>::is_always_lock_free);
static_assert(std::is_same_v<ref<int *>::difference_type, std::ptrdiff_t> && !std::is_copy_assignable_v<ref<int>>);

SYCL_EXTERNAL int integers(int &object) {
  const ref<int> r(object);
  int expected = r.load(sycl::memory_order::acquire);
  r.store(1);
  r.store(2, sycl::memory_order::release, sycl::memory_scope::system);
  r = 3;
  ++r;
  r--;
  r += 2;
  r |= 1;
  return r.fetch_add(1) + r.fetch_sub(1) + r.fetch_and(7) + r.fetch_or(8) + r.fetch_xor(1) + r.fetch_min(5) + r.fetch_max(9) +
         r.exchange(3) + r.compare_exchange_strong(expected, 4) +
         r.compare_exchange_weak(expected, 4, sycl::memory_order::acq_rel, sycl::memory_order::acquire) + r.is_lock_free() + r;
}
SYCL_EXTERNAL float floats(float &object) {
  const ref<float> r(object);
  r += 1.0f;
  r.fetch_sub(0.5f);
  return r.fetch_max(2.0f) + r.fetch_min(1.0f) + r.exchange(0.0f);
}
SYCL_EXTERNAL int *pointers(int *&object) {
  const ref<int *> r(object);
  ++r;
  r.fetch_sub(2);
  return r += 3;
}
