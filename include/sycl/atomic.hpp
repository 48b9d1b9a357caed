//! `sycl::atomic` of SYCL 1.2.1, which SYCL 2020 deprecates in favour of `atomic_ref`: relaxed operations on what a pointer points to.
//! Source: SYCL 1.2.1 §4.11; SYCL 2020 §C.2.
#pragma once
#include <sycl/atomic_ref.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {

template <class T, access::address_space Space> class atomic {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "sycl::atomic is for types of 4 and of 8 bytes");
  using reference = atomic_ref<T, memory_order::relaxed, memory_scope::device, Space>;
  T *word_;
  reference object() const { return reference(*word_); }
  explicit atomic(T *word) : word_(word) {}

public:
  /// For the library.
  static atomic aspen_at(T *word) { return atomic(word); }
  template <class Pointer, access::decorated Decorated> atomic(multi_ptr<Pointer, Space, Decorated> pointer)
      : word_(reinterpret_cast<T *>(pointer.get_raw())) {
    static_assert(sizeof(Pointer) == sizeof(T), "the pointer is to objects of another size");
  }

  void store(T operand, memory_order = memory_order::relaxed) const { object().store(operand); }
  T load(memory_order = memory_order::relaxed) const { return object().load(); }
  T exchange(T operand, memory_order = memory_order::relaxed) const { return object().exchange(operand); }
  bool compare_exchange_strong(T &expected, T desired, memory_order = memory_order::relaxed,
                               memory_order = memory_order::relaxed) const {
    return object().compare_exchange_strong(expected, desired);
  }
#define __ASPEN_ATOMIC_FETCH(name)                                                                                                        \
  T name(T operand, memory_order = memory_order::relaxed) const { return object().name(operand); }
  __ASPEN_ATOMIC_FETCH(fetch_add)
  __ASPEN_ATOMIC_FETCH(fetch_sub)
  __ASPEN_ATOMIC_FETCH(fetch_and)
  __ASPEN_ATOMIC_FETCH(fetch_or)
  __ASPEN_ATOMIC_FETCH(fetch_xor)
  __ASPEN_ATOMIC_FETCH(fetch_min)
  __ASPEN_ATOMIC_FETCH(fetch_max)
#undef __ASPEN_ATOMIC_FETCH
};

#define __ASPEN_ATOMIC_FUNCTION(name)                                                                                                     \
  template <class T, access::address_space Space> T atomic_##name(atomic<T, Space> object, T operand, memory_order = memory_order::relaxed) { \
    return object.name(operand);                                                                                                           \
  }
__ASPEN_ATOMIC_FUNCTION(exchange)
__ASPEN_ATOMIC_FUNCTION(fetch_add)
__ASPEN_ATOMIC_FUNCTION(fetch_sub)
__ASPEN_ATOMIC_FUNCTION(fetch_and)
__ASPEN_ATOMIC_FUNCTION(fetch_or)
__ASPEN_ATOMIC_FUNCTION(fetch_xor)
__ASPEN_ATOMIC_FUNCTION(fetch_min)
__ASPEN_ATOMIC_FUNCTION(fetch_max)
#undef __ASPEN_ATOMIC_FUNCTION
template <class T, access::address_space Space> void atomic_store(atomic<T, Space> object, T operand, memory_order = memory_order::relaxed) {
  object.store(operand);
}
template <class T, access::address_space Space> T atomic_load(atomic<T, Space> object, memory_order = memory_order::relaxed) {
  return object.load();
}
template <class T, access::address_space Space>
bool atomic_compare_exchange_strong(atomic<T, Space> object, T &expected, T desired, memory_order = memory_order::relaxed,
                                    memory_order = memory_order::relaxed) {
  return object.compare_exchange_strong(expected, desired);
}

} // namespace sycl
