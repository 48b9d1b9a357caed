//! `sycl::atomic_ref`. References to 8-byte types need aspect atomic64, so these, and only these, derive from a decorated class.
//! Source: SYCL 2020 §4.15.3; S0 "Appendix: Adding an attribute to 8-byte atomic_ref".
#pragma once
#include <sycl/aspects.hpp>
#include <sycl/detail/atomic_ops.hpp>

namespace sycl {

/// The orders of reads and writes by an atomic_ref whose default order is this one. Source: SYCL 2020 §4.15.3.
template <memory_order ReadModifyWriteOrder> struct memory_order_traits {
  static_assert(ReadModifyWriteOrder == memory_order::relaxed || ReadModifyWriteOrder == memory_order::acq_rel ||
                    ReadModifyWriteOrder == memory_order::seq_cst,
                "memory_order_traits: relaxed, acq_rel or seq_cst");
  static constexpr memory_order read_order = detail::load_order(ReadModifyWriteOrder);
  static constexpr memory_order write_order = detail::store_order(ReadModifyWriteOrder);
};


namespace detail {

/// Calls an operation with an order that is known only at run time: one constant case for each order. A scope other than the default is
/// widened to the whole system, which is always allowed.
#define __ASPEN_ATOMIC_DISPATCH(operation, ...)                                                                                           \
  do {                                                                                                                                     \
    if (scope == DefaultScope)                                                                                                             \
      switch (order) {                                                                                                                     \
      case memory_order::relaxed:                                                                                                          \
        return atomic_ops<word_type, memory_order::relaxed, DefaultScope>::operation(__VA_ARGS__);                                         \
      case memory_order::acquire:                                                                                                          \
        return atomic_ops<word_type, memory_order::acquire, DefaultScope>::operation(__VA_ARGS__);                                         \
      case memory_order::release:                                                                                                          \
        return atomic_ops<word_type, memory_order::release, DefaultScope>::operation(__VA_ARGS__);                                         \
      case memory_order::acq_rel:                                                                                                          \
        return atomic_ops<word_type, memory_order::acq_rel, DefaultScope>::operation(__VA_ARGS__);                                         \
      case memory_order::seq_cst:                                                                                                          \
        break;                                                                                                                             \
      }                                                                                                                                    \
    return atomic_ops<word_type, memory_order::seq_cst, memory_scope::system>::operation(__VA_ARGS__);                                     \
  } while (false)

/// The operations that every referenced type has. `word_type` is what the hardware sees: T, or an integer for a pointer.
template <class T, class Word, memory_order DefaultOrder, memory_scope DefaultScope> class atomic_ref_storage {
protected:
  using word_type = Word;
  word_type *word() const { return reinterpret_cast<word_type *>(address_); }
  static word_type to_word(T value) { return __builtin_bit_cast(word_type, value); }
  static T from_word(word_type value) { return __builtin_bit_cast(T, value); }
  using fixed = atomic_ops<word_type, DefaultOrder, DefaultScope>;

  void store_word(word_type value, memory_order order, memory_scope scope) const { __ASPEN_ATOMIC_DISPATCH(store, word(), value); }
  word_type load_word(memory_order order, memory_scope scope) const { __ASPEN_ATOMIC_DISPATCH(load, word()); }
  word_type exchange_word(word_type value, memory_order order, memory_scope scope) const {
    __ASPEN_ATOMIC_DISPATCH(exchange, word(), value);
  }
  bool compare_exchange_word(word_type *expected, word_type desired, bool weak, memory_order order, memory_scope scope) const {
    __ASPEN_ATOMIC_DISPATCH(compare_exchange, word(), expected, desired, weak);
  }

public:
  explicit atomic_ref_storage(T &object) : address_(&object) {}

  void store(T value) const noexcept { fixed::store(word(), to_word(value)); }
  void store(T value, memory_order order, memory_scope scope = DefaultScope) const noexcept { store_word(to_word(value), order, scope); }
  T load() const noexcept { return from_word(fixed::load(word())); }
  T load(memory_order order, memory_scope scope = DefaultScope) const noexcept { return from_word(load_word(order, scope)); }
  operator T() const noexcept { return load(); }
  T exchange(T value) const noexcept { return from_word(fixed::exchange(word(), to_word(value))); }
  T exchange(T value, memory_order order, memory_scope scope = DefaultScope) const noexcept {
    return from_word(exchange_word(to_word(value), order, scope));
  }

#define __ASPEN_COMPARE_EXCHANGE(name, weak)                                                                                              \
  bool name(T &expected, T desired) const noexcept {                                                                                       \
    word_type before = to_word(expected);                                                                                                  \
    const bool done = fixed::compare_exchange(word(), &before, to_word(desired), weak);                                                    \
    expected = from_word(before);                                                                                                          \
    return done;                                                                                                                           \
  }                                                                                                                                        \
  bool name(T &expected, T desired, memory_order order, memory_scope scope = DefaultScope) const noexcept {                                \
    word_type before = to_word(expected);                                                                                                  \
    const bool done = compare_exchange_word(&before, to_word(desired), weak, order, scope);                                                \
    expected = from_word(before);                                                                                                          \
    return done;                                                                                                                           \
  }                                                                                                                                        \
  bool name(T &expected, T desired, memory_order success, memory_order failure, memory_scope scope = DefaultScope) const noexcept {        \
    /* one order that is as strong as both */                                                                                              \
    const bool strong = failure == memory_order::seq_cst || (failure == memory_order::acquire && success == memory_order::release);        \
    const memory_order both = strong ? memory_order::seq_cst : success < failure ? failure : success;                                      \
    return name(expected, desired, both, scope);                                                                                           \
  }
  __ASPEN_COMPARE_EXCHANGE(compare_exchange_strong, false)
  __ASPEN_COMPARE_EXCHANGE(compare_exchange_weak, true)
#undef __ASPEN_COMPARE_EXCHANGE

private:
  T *address_;
};

#define __ASPEN_ATOMIC_FETCH(name, argument, value)                                                                                       \
  T name(argument operand) const noexcept { return this->from_word(base::fixed::name(this->word(), value)); }                              \
  T name(argument operand, memory_order order, memory_scope scope = DefaultScope) const noexcept {                                         \
    return this->from_word(name##_word(value, order, scope));                                                                              \
  }
#define __ASPEN_ATOMIC_FETCH_WORD(name)                                                                                                   \
  word_type name##_word(word_type value, memory_order order, memory_scope scope) const {                                                   \
    __ASPEN_ATOMIC_DISPATCH(name, this->word(), value);                                                                                    \
  }

/// All member functions of atomic_ref, for integers and floating-point numbers.
template <class T, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_impl_base : public atomic_ref_storage<T, T, DefaultOrder, DefaultScope> {
  using base = atomic_ref_storage<T, T, DefaultOrder, DefaultScope>;
  using word_type = T;
  __ASPEN_ATOMIC_FETCH_WORD(fetch_add)
  __ASPEN_ATOMIC_FETCH_WORD(fetch_sub)
  __ASPEN_ATOMIC_FETCH_WORD(fetch_min)
  __ASPEN_ATOMIC_FETCH_WORD(fetch_max)
  __ASPEN_ATOMIC_FETCH_WORD(fetch_and)
  __ASPEN_ATOMIC_FETCH_WORD(fetch_or)
  __ASPEN_ATOMIC_FETCH_WORD(fetch_xor)

public:
  using base::base;
  using value_type = T;
  using difference_type = T;
  __ASPEN_ATOMIC_FETCH(fetch_add, T, operand)
  __ASPEN_ATOMIC_FETCH(fetch_sub, T, operand)
  __ASPEN_ATOMIC_FETCH(fetch_min, T, operand)
  __ASPEN_ATOMIC_FETCH(fetch_max, T, operand)
  __ASPEN_ATOMIC_FETCH(fetch_and, T, operand)
  __ASPEN_ATOMIC_FETCH(fetch_or, T, operand)
  __ASPEN_ATOMIC_FETCH(fetch_xor, T, operand)

  T operator=(T value) const noexcept {
    this->store(value);
    return value;
  }
  T operator+=(T value) const noexcept { return static_cast<T>(fetch_add(value) + value); }
  T operator-=(T value) const noexcept { return static_cast<T>(fetch_sub(value) - value); }
  T operator&=(T value) const noexcept { return static_cast<T>(fetch_and(value) & value); }
  T operator|=(T value) const noexcept { return static_cast<T>(fetch_or(value) | value); }
  T operator^=(T value) const noexcept { return static_cast<T>(fetch_xor(value) ^ value); }
  T operator++() const noexcept { return static_cast<T>(fetch_add(T(1)) + T(1)); }
  T operator++(int) const noexcept { return fetch_add(T(1)); }
  T operator--() const noexcept { return static_cast<T>(fetch_sub(T(1)) - T(1)); }
  T operator--(int) const noexcept { return fetch_sub(T(1)); }
};

/// Pointers count in elements.
template <class E, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_impl_base<E *, DefaultOrder, DefaultScope>
    : public atomic_ref_storage<E *, unsigned long, DefaultOrder, DefaultScope> {
  using T = E *;
  using base = atomic_ref_storage<T, unsigned long, DefaultOrder, DefaultScope>;
  using word_type = unsigned long;
  static word_type bytes(std::ptrdiff_t count) { return static_cast<word_type>(count) * sizeof(E); }
  __ASPEN_ATOMIC_FETCH_WORD(fetch_add)
  __ASPEN_ATOMIC_FETCH_WORD(fetch_sub)

public:
  using base::base;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  __ASPEN_ATOMIC_FETCH(fetch_add, std::ptrdiff_t, bytes(operand))
  __ASPEN_ATOMIC_FETCH(fetch_sub, std::ptrdiff_t, bytes(operand))

  T operator=(T value) const noexcept {
    this->store(value);
    return value;
  }
  T operator+=(std::ptrdiff_t count) const noexcept { return fetch_add(count) + count; }
  T operator-=(std::ptrdiff_t count) const noexcept { return fetch_sub(count) - count; }
  T operator++() const noexcept { return fetch_add(1) + 1; }
  T operator++(int) const noexcept { return fetch_add(1); }
  T operator--() const noexcept { return fetch_sub(1) - 1; }
  T operator--(int) const noexcept { return fetch_sub(1); }
};
#undef __ASPEN_ATOMIC_FETCH
#undef __ASPEN_ATOMIC_FETCH_WORD
#undef __ASPEN_ATOMIC_DISPATCH

/// Specialised by the size of the referenced type.
template <class T, size_t Size, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_impl : public atomic_ref_impl_base<T, DefaultOrder, DefaultScope> {
public:
  using atomic_ref_impl_base<T, DefaultOrder, DefaultScope>::atomic_ref_impl_base;
  using atomic_ref_impl_base<T, DefaultOrder, DefaultScope>::operator=;
};

/// Only 8-byte types are an optional feature.
template <class T, memory_order DefaultOrder, memory_scope DefaultScope>
class [[__sycl_detail__::__uses_aspects__(aspect::atomic64)]] atomic_ref_impl<T, 8, DefaultOrder, DefaultScope>
    : public atomic_ref_impl_base<T, DefaultOrder, DefaultScope> {
public:
  using atomic_ref_impl_base<T, DefaultOrder, DefaultScope>::atomic_ref_impl_base;
  using atomic_ref_impl_base<T, DefaultOrder, DefaultScope>::operator=;
};

} // namespace detail

template <class T, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space AddressSpace = access::address_space::generic_space>
class atomic_ref : public detail::atomic_ref_impl<T, sizeof(T), DefaultOrder, DefaultScope> {
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || std::is_pointer_v<T>,
                "sycl::atomic_ref refers to integers, floating-point numbers and pointers");
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "sycl::atomic_ref refers to types of 4 or 8 bytes");
  static_assert(DefaultOrder == memory_order::relaxed || DefaultOrder == memory_order::acq_rel || DefaultOrder == memory_order::seq_cst,
                "the default order of sycl::atomic_ref is relaxed, acq_rel or seq_cst");
  static_assert(AddressSpace != access::address_space::constant_space && AddressSpace != access::address_space::private_space,
                "sycl::atomic_ref refers to global or local memory, or to the generic address space");
  using impl = detail::atomic_ref_impl<T, sizeof(T), DefaultOrder, DefaultScope>;

public:
  static constexpr size_t required_alignment = sizeof(T);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_order = memory_order_traits<DefaultOrder>::read_order;
  static constexpr memory_order default_write_order = memory_order_traits<DefaultOrder>::write_order;
  static constexpr memory_order default_read_modify_write_order = DefaultOrder;
  static constexpr memory_scope default_scope = DefaultScope;

  explicit atomic_ref(T &object) : impl(object) {}
  atomic_ref(const atomic_ref &) noexcept = default;
  atomic_ref &operator=(const atomic_ref &) = delete;
  using impl::operator=;
  bool is_lock_free() const noexcept { return true; }
};

} // namespace sycl
