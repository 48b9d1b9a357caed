//! `sycl::multi_ptr`. Pointers are generic on every device, so it is a plain pointer with a name for its address space.
//! Source: SYCL 2020 §4.7.7.
#pragma once
#include <sycl/memory_enums.hpp>
#include <type_traits>

namespace sycl {

template <class T, access::address_space Space, access::decorated Decorated = access::decorated::no> class multi_ptr {
public:
  using value_type = T;
  using element_type = T;
  using pointer = T *;
  using difference_type = std::ptrdiff_t;
  static constexpr access::address_space address_space = Space;
  static constexpr bool is_decorated = Decorated == access::decorated::yes;

  constexpr multi_ptr() = default;
  constexpr multi_ptr(std::nullptr_t) {}
  constexpr explicit multi_ptr(T *pointer) : pointer_(pointer) {}
  /// From a pointer to something less const, or to a named address space, or with the other decoration.
  template <class U, access::address_space S, access::decorated E,
            std::enable_if_t<std::is_convertible_v<U *, T *> && (S == Space || Space == access::address_space::generic_space), int> = 0>
  constexpr multi_ptr(const multi_ptr<U, S, E> &other) : pointer_(other.get_raw()) {}

  constexpr T *get() const { return pointer_; }
  constexpr T *get_raw() const { return pointer_; }
  constexpr T *get_decorated() const { return pointer_; }
  constexpr T *operator->() const { return pointer_; }
  constexpr operator T *() const { return pointer_; }
  template <class U = T> constexpr U &operator*() const { return *pointer_; }
  constexpr multi_ptr &operator++() { return ++pointer_, *this; }
  constexpr multi_ptr operator++(int) { return multi_ptr(pointer_++); }
  constexpr multi_ptr &operator--() { return --pointer_, *this; }
  constexpr multi_ptr operator--(int) { return multi_ptr(pointer_--); }
  constexpr multi_ptr &operator+=(difference_type n) { return pointer_ += n, *this; }
  constexpr multi_ptr &operator-=(difference_type n) { return pointer_ -= n, *this; }
  void prefetch(size_t) const {}

private:
  T *pointer_ = nullptr;
};

template <class T, access::decorated E = access::decorated::no> using global_ptr = multi_ptr<T, access::address_space::global_space, E>;
template <class T, access::decorated E = access::decorated::no> using local_ptr = multi_ptr<T, access::address_space::local_space, E>;
template <class T, access::decorated E = access::decorated::no> using private_ptr = multi_ptr<T, access::address_space::private_space, E>;
template <class T, access::decorated E = access::decorated::no> using generic_ptr = multi_ptr<T, access::address_space::generic_space, E>;
template <class T> using raw_global_ptr = global_ptr<T>;
template <class T> using raw_local_ptr = local_ptr<T>;
template <class T> using raw_private_ptr = private_ptr<T>;
template <class T> using raw_generic_ptr = generic_ptr<T>;
template <class T> using decorated_global_ptr = global_ptr<T, access::decorated::yes>;
template <class T> using decorated_local_ptr = local_ptr<T, access::decorated::yes>;
template <class T> using decorated_private_ptr = private_ptr<T, access::decorated::yes>;
template <class T> using decorated_generic_ptr = generic_ptr<T, access::decorated::yes>;

/// The caller promises that the pointer points into that address space.
template <access::address_space Space, access::decorated Decorated = access::decorated::no, class T>
constexpr multi_ptr<T, Space, Decorated> address_space_cast(T *pointer) {
  return multi_ptr<T, Space, Decorated>(pointer);
}
template <access::address_space Space, access::decorated Decorated = access::decorated::no, class T>
constexpr multi_ptr<T, Space, Decorated> static_address_space_cast(T *pointer) {
  return multi_ptr<T, Space, Decorated>(pointer);
}

} // namespace sycl
