//! One atomic operation with constant order and scope, for every code generator.
//!
//! Clang's `__scoped_atomic_*` serve all passes but for one thing: on SPIR-V their loads and stores become plain ones, so these go through
//! SPIR-V's own instructions. Floating-point loads and stores travel as integers of their size. On PTX what reads and writes is relaxed and
//! atomic for the device whatever is asked for, so fences order it, and PTX's own instructions make it atomic for the system.
#pragma once
#include <sycl/memory_enums.hpp>
#include <type_traits>

#if defined(__ASPEN_SPIRV__)
extern unsigned __spirv_AtomicLoad(const unsigned *, unsigned, unsigned);
extern unsigned long __spirv_AtomicLoad(const unsigned long *, unsigned, unsigned);
extern void __spirv_AtomicStore(unsigned *, unsigned, unsigned, unsigned);
extern void __spirv_AtomicStore(unsigned long *, unsigned, unsigned, unsigned long);
#endif

namespace sycl::detail {

template <size_t Size> struct atomic_word;
template <> struct atomic_word<4> { using type = unsigned; };
template <> struct atomic_word<8> { using type = unsigned long; };

constexpr int builtin_order(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return __ATOMIC_RELAXED;
  case memory_order::acquire:
    return __ATOMIC_ACQUIRE;
  case memory_order::release:
    return __ATOMIC_RELEASE;
  case memory_order::acq_rel:
    return __ATOMIC_ACQ_REL;
  default:
    return __ATOMIC_SEQ_CST;
  }
}
/// The order of a compare-exchange that fails: it stores nothing, so there is nothing to release.
constexpr memory_order failure_order(memory_order order) {
  return order == memory_order::acq_rel ? memory_order::acquire : order == memory_order::release ? memory_order::relaxed : order;
}
constexpr memory_order load_order(memory_order order) { return failure_order(order); }
constexpr memory_order store_order(memory_order order) {
  return order == memory_order::acq_rel ? memory_order::release : order == memory_order::acquire ? memory_order::relaxed : order;
}
constexpr int builtin_scope(memory_scope scope) {
  switch (scope) {
  case memory_scope::work_item:
    return __MEMORY_SCOPE_SINGLE;
  case memory_scope::sub_group:
    return __MEMORY_SCOPE_WVFRNT;
  case memory_scope::work_group:
    return __MEMORY_SCOPE_WRKGRP;
  case memory_scope::device:
    return __MEMORY_SCOPE_DEVICE;
  default:
    return __MEMORY_SCOPE_SYSTEM;
  }
}

#if defined(__ASPEN_PTX__)
/// Stands around an operation that reads and writes.
template <memory_order Order, memory_scope Scope> struct ptx_ordering {
  static constexpr unsigned scope = Scope == memory_scope::system ? 0 : Scope == memory_scope::device ? 1 : 2;
  ptx_ordering() {
    if constexpr (Order == memory_order::release || Order == memory_order::acq_rel || Order == memory_order::seq_cst)
      ptx::fence(scope, Order == memory_order::seq_cst);
  }
  ~ptx_ordering() {
    if constexpr (Order == memory_order::acquire || Order == memory_order::acq_rel || Order == memory_order::seq_cst)
      ptx::fence(scope, false);
  }
};
/// The type by which PTX calls a `T`.
template <class T>
using ptx_number = std::conditional_t<
    std::is_floating_point_v<T>, T,
    std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, long, unsigned long>,
                       std::conditional_t<std::is_signed_v<T>, int, unsigned>>>;
#define __ASPEN_ORDERED [[maybe_unused]] const ptx_ordering<Order, Scope> fences;
#if __SYCL_CUDA_ARCH__ < 700
/// Loads, stores and exchanges of these processors are relaxed too.
#define __ASPEN_ORDERED_AS(kind) [[maybe_unused]] const ptx_ordering<kind(Order), Scope> fences;
#define __ASPEN_BUILTIN_ORDER(order) __ATOMIC_RELAXED
#endif
#if __SYCL_CUDA_ARCH__ >= 600
#define __ASPEN_FOR_THE_SYSTEM(name)                                                                                                      \
  if constexpr (Scope == memory_scope::system)                                                                                             \
    return static_cast<T>(ptx::name(reinterpret_cast<ptx_number<T> *>(at), static_cast<ptx_number<T>>(value)));
#define __ASPEN_FOR_THE_SYSTEM_OR_LOOP(name, better)                                                                                      \
  if constexpr (Scope == memory_scope::system && std::is_floating_point_v<T>) {                                                            \
    T old = atomic_ops<T, memory_order::relaxed, Scope>::load(at);                                                                         \
    while (!atomic_ops<T, memory_order::relaxed, Scope>::compare_exchange(at, &old, better ? value : old, true))                           \
      ;                                                                                                                                    \
    return old;                                                                                                                            \
  } else                                                                                                                                   \
    __ASPEN_FOR_THE_SYSTEM(name)
#endif
#else
#define __ASPEN_ORDERED
#endif
#ifndef __ASPEN_ORDERED_AS
#define __ASPEN_ORDERED_AS(kind)
#define __ASPEN_BUILTIN_ORDER(order) builtin_order(order)
#endif
#ifndef __ASPEN_FOR_THE_SYSTEM
#define __ASPEN_FOR_THE_SYSTEM(name)
#define __ASPEN_FOR_THE_SYSTEM_OR_LOOP(name, better)
#endif

/// The operations on `T` under a constant order and scope.
template <class T, memory_order Order, memory_scope Scope> struct atomic_ops {
  using word = typename atomic_word<sizeof(T)>::type;
  static constexpr int scope = builtin_scope(Scope);
  static constexpr int order = builtin_order(Order);

  static void store(T *to, T value) {
#if defined(__ASPEN_SPIRV__)
    __spirv_AtomicStore(reinterpret_cast<word *>(to), spirv::scope_of(Scope), spirv::semantics_of(store_order(Order)),
                        __builtin_bit_cast(word, value));
#else
    __ASPEN_ORDERED_AS(store_order)
    __scoped_atomic_store(to, &value, __ASPEN_BUILTIN_ORDER(store_order(Order)), scope);
#endif
  }
  static T load(const T *from) {
#if defined(__ASPEN_SPIRV__)
    return __builtin_bit_cast(
        T, __spirv_AtomicLoad(reinterpret_cast<const word *>(from), spirv::scope_of(Scope), spirv::semantics_of(load_order(Order))));
#else
    __ASPEN_ORDERED_AS(load_order)
    T out;
    __scoped_atomic_load(from, &out, __ASPEN_BUILTIN_ORDER(load_order(Order)), scope);
    return out;
#endif
  }
  static T exchange(T *at, T value) {
    __ASPEN_ORDERED
    T out;
#if defined(__ASPEN_PTX__) && __SYCL_CUDA_ARCH__ >= 600
    if constexpr (Scope == memory_scope::system)
      return __builtin_bit_cast(T, ptx::atomic_exchange(reinterpret_cast<word *>(at), __builtin_bit_cast(word, value)));
#endif
    __scoped_atomic_exchange(at, &value, &out, order, scope);
    return out;
  }
  static bool compare_exchange(T *at, T *expected, T desired, bool weak) {
    __ASPEN_ORDERED_AS(static_cast<memory_order>)
    constexpr int order = __ASPEN_BUILTIN_ORDER(Order), failure = __ASPEN_BUILTIN_ORDER(failure_order(Order));
    return weak ? __scoped_atomic_compare_exchange(at, expected, &desired, true, order, failure, scope)
                : __scoped_atomic_compare_exchange(at, expected, &desired, false, order, failure, scope);
  }
  static T fetch_add(T *at, T value) {
    __ASPEN_ORDERED
    __ASPEN_FOR_THE_SYSTEM(atomic_add)
    return __scoped_atomic_fetch_add(at, value, order, scope);
  }
  static T fetch_sub(T *at, T value) {
#if !defined(__ASPEN_PTX__)
    if constexpr (!std::is_floating_point_v<T>)
      return __scoped_atomic_fetch_sub(at, value, order, scope);
#endif
    return fetch_add(at, -value); // SPIR-V has no floating-point subtraction, PTX none at all
  }
  static T fetch_min(T *at, T value) {
#if defined(__ASPEN_NATIVE_CPU__)
    if constexpr (Order == memory_order::relaxed)
      return replace_if(at, value, [](T old, T value) { return value < old; });
#endif
    __ASPEN_ORDERED
    __ASPEN_FOR_THE_SYSTEM_OR_LOOP(atomic_min, value < old)
    return __scoped_atomic_fetch_min(at, value, order, scope);
  }
  static T fetch_max(T *at, T value) {
#if defined(__ASPEN_NATIVE_CPU__)
    if constexpr (Order == memory_order::relaxed)
      return replace_if(at, value, [](T old, T value) { return old < value; });
#endif
    __ASPEN_ORDERED
    __ASPEN_FOR_THE_SYSTEM_OR_LOOP(atomic_max, old < value)
    return __scoped_atomic_fetch_max(at, value, order, scope);
  }
#if defined(__ASPEN_NATIVE_CPU__)
  /// Processors have no such instruction, and a loop that writes what was there takes the memory from all others each time: hardly any item has a
  /// new least or greatest value. Numbers replace what is none.
  template <class Better> static T replace_if(T *at, T value, Better better) {
    T old = load(at);
    while (better(old, value) || old != old)
      if (compare_exchange(at, &old, value, true))
        break;
    return old;
  }
#endif
  static T fetch_and(T *at, T value) {
    __ASPEN_ORDERED
    __ASPEN_FOR_THE_SYSTEM(atomic_and)
    return __scoped_atomic_fetch_and(at, value, order, scope);
  }
  static T fetch_or(T *at, T value) {
    __ASPEN_ORDERED
    __ASPEN_FOR_THE_SYSTEM(atomic_or)
    return __scoped_atomic_fetch_or(at, value, order, scope);
  }
  static T fetch_xor(T *at, T value) {
    __ASPEN_ORDERED
    __ASPEN_FOR_THE_SYSTEM(atomic_xor)
    return __scoped_atomic_fetch_xor(at, value, order, scope);
  }
};
#undef __ASPEN_ORDERED
#undef __ASPEN_ORDERED_AS
#undef __ASPEN_BUILTIN_ORDER
#undef __ASPEN_FOR_THE_SYSTEM
#undef __ASPEN_FOR_THE_SYSTEM_OR_LOOP

} // namespace sycl::detail
