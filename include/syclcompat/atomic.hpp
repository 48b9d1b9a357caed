//! Atomic operations on what a pointer points to, and a class of such a value. Source: SYCLcompat's README, "Atomic Operations".
#pragma once
#include <sycl/atomic_ref.hpp>
#include <sycl/multi_ptr.hpp>
#include <syclcompat/traits.hpp>

namespace syclcompat {

// Each function has two forms: with the memory order as a template argument, or as the last argument, which the scope's may follow.
#define __ASPEN_ATOMIC(name, OPERAND, member)                                                                                             \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space,                                                \
            sycl::memory_order Order = sycl::memory_order::relaxed, sycl::memory_scope Scope = sycl::memory_scope::device, class T>        \
  inline T name(T *at, OPERAND operand) {                                                                                                  \
    return sycl::atomic_ref<T, Order, Scope, Space>(*at).member(operand);                                                                  \
  }                                                                                                                                        \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space,                                                \
            sycl::memory_scope Scope = sycl::memory_scope::device, class T>                                                                \
  inline T name(T *at, OPERAND operand, sycl::memory_order order) {                                                                        \
    return sycl::atomic_ref<T, sycl::memory_order::relaxed, Scope, Space>(*at).member(operand, order, Scope);                              \
  }                                                                                                                                        \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space, class T>                                       \
  inline T name(T *at, OPERAND operand, sycl::memory_order order, sycl::memory_scope scope) {                                              \
    return sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device, Space>(*at).member(operand, order, scope);         \
  }
__ASPEN_ATOMIC(atomic_fetch_add, arith_t<T>, fetch_add)
__ASPEN_ATOMIC(atomic_fetch_sub, arith_t<T>, fetch_sub)
__ASPEN_ATOMIC(atomic_fetch_and, type_identity_t<T>, fetch_and)
__ASPEN_ATOMIC(atomic_fetch_or, type_identity_t<T>, fetch_or)
__ASPEN_ATOMIC(atomic_fetch_xor, type_identity_t<T>, fetch_xor)
__ASPEN_ATOMIC(atomic_fetch_min, type_identity_t<T>, fetch_min)
__ASPEN_ATOMIC(atomic_fetch_max, type_identity_t<T>, fetch_max)
__ASPEN_ATOMIC(atomic_exchange, type_identity_t<T>, exchange)
#undef __ASPEN_ATOMIC

namespace detail {
/// Replaces the value by what `next` makes of it, and gives the one before.
template <sycl::access::address_space Space, class F>
inline unsigned atomic_update(unsigned *at, sycl::memory_order order, sycl::memory_scope scope, F next) {
  sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device, Space> value(*at);
  unsigned old = value.load(sycl::memory_order::relaxed, scope);
  while (!value.compare_exchange_strong(old, next(old), order, sycl::memory_order::relaxed, scope)) {
  }
  return old;
}
} // namespace detail

#define __ASPEN_ATOMIC(name, ...)                                                                                                         \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space,                                                \
            sycl::memory_order Order = sycl::memory_order::relaxed, sycl::memory_scope Scope = sycl::memory_scope::device>                 \
  inline unsigned name(unsigned *at, unsigned operand) {                                                                                   \
    return detail::atomic_update<Space>(at, Order, Scope, [=](unsigned old) { return __VA_ARGS__; });                                      \
  }                                                                                                                                        \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space,                                                \
            sycl::memory_scope Scope = sycl::memory_scope::device>                                                                         \
  inline unsigned name(unsigned *at, unsigned operand, sycl::memory_order order) {                                                         \
    return detail::atomic_update<Space>(at, order, Scope, [=](unsigned old) { return __VA_ARGS__; });                                      \
  }
/// One more, and 0 after `operand`.
__ASPEN_ATOMIC(atomic_fetch_compare_inc, old >= operand ? 0u : old + 1)
/// One less, and `operand` after 0 or where the value is above it.
__ASPEN_ATOMIC(atomic_fetch_compare_dec, old == 0 || old > operand ? operand : old - 1)
#undef __ASPEN_ATOMIC

/// Writes `desired` where the value is `expected`. Gives the value before.
#define __ASPEN_ATOMIC(name, member)                                                                                                      \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space,                                                \
            sycl::memory_order = sycl::memory_order::relaxed, sycl::memory_scope Scope = sycl::memory_scope::device, class T>              \
  inline T name(T *at, type_identity_t<T> expected, type_identity_t<T> desired,                                                            \
                sycl::memory_order success = sycl::memory_order::relaxed, sycl::memory_order fail = sycl::memory_order::relaxed) {         \
    sycl::atomic_ref<T, sycl::memory_order::relaxed, Scope, Space>(*at).member(expected, desired, success, fail, Scope);                   \
    return expected;                                                                                                                       \
  }                                                                                                                                        \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space,                                                \
            sycl::memory_order = sycl::memory_order::relaxed, sycl::memory_scope Scope = sycl::memory_scope::device, class T,              \
            sycl::access::decorated D>                                                                                                     \
  inline T name(sycl::multi_ptr<T, Space, D> at, type_identity_t<T> expected, type_identity_t<T> desired,                                  \
                sycl::memory_order success = sycl::memory_order::relaxed, sycl::memory_order fail = sycl::memory_order::relaxed) {         \
    sycl::atomic_ref<T, sycl::memory_order::relaxed, Scope, Space>(*at).member(expected, desired, success, fail, Scope);                   \
    return expected;                                                                                                                       \
  }
__ASPEN_ATOMIC(atomic_compare_exchange_strong, compare_exchange_strong)
/// The same, which may also fail where the value is `expected`.
__ASPEN_ATOMIC(atomic_compare_exchange_weak, compare_exchange_weak)
#undef __ASPEN_ATOMIC

/// A value that work-items change atomically.
template <class T, sycl::memory_scope DefaultScope = sycl::memory_scope::system,
          sycl::memory_order DefaultOrder = sycl::memory_order::seq_cst,
          sycl::access::address_space Space = sycl::access::address_space::generic_space>
class atomic {
  using ref = sycl::atomic_ref<T, DefaultOrder, DefaultScope, Space>;

public:
  using value_type = T;
  static constexpr sycl::memory_order default_read_order = ref::default_read_order;
  static constexpr sycl::memory_order default_write_order = ref::default_write_order;
  static constexpr sycl::memory_scope default_scope = DefaultScope;
  static constexpr sycl::memory_order default_read_modify_write_order = DefaultOrder;

  constexpr atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}

  void store(T value, sycl::memory_order order = default_write_order, sycl::memory_scope scope = default_scope) noexcept {
    ref(value_).store(value, order, scope);
  }
  T load(sycl::memory_order order = default_read_order, sycl::memory_scope scope = default_scope) const noexcept {
    return ref(const_cast<T &>(value_)).load(order, scope);
  }
  T exchange(T value, sycl::memory_order order = default_read_modify_write_order, sycl::memory_scope scope = default_scope) noexcept {
    return ref(value_).exchange(value, order, scope);
  }
#define __ASPEN_ATOMIC(name)                                                                                                              \
  bool name(T &expected, T desired, sycl::memory_order success, sycl::memory_order failure,                                                \
            sycl::memory_scope scope = default_scope) noexcept {                                                                           \
    return ref(value_).name(expected, desired, success, failure, scope);                                                                   \
  }                                                                                                                                        \
  bool name(T &expected, T desired, sycl::memory_order order = default_read_modify_write_order,                                            \
            sycl::memory_scope scope = default_scope) noexcept {                                                                           \
    return ref(value_).name(expected, desired, order, scope);                                                                              \
  }
  __ASPEN_ATOMIC(compare_exchange_weak)
  __ASPEN_ATOMIC(compare_exchange_strong)
#undef __ASPEN_ATOMIC
  T fetch_add(arith_t<T> operand, sycl::memory_order order = default_read_modify_write_order,
      sycl::memory_scope scope = default_scope) noexcept {
    return ref(value_).fetch_add(operand, order, scope);
  }
  T fetch_sub(arith_t<T> operand, sycl::memory_order order = default_read_modify_write_order,
      sycl::memory_scope scope = default_scope) noexcept {
    return ref(value_).fetch_sub(operand, order, scope);
  }

private:
  T value_{};
};

} // namespace syclcompat
