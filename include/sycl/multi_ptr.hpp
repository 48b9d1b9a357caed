//! `sycl::multi_ptr`. Pointers are generic on every device, so it is a plain pointer with a name for its address space.
//! Source: SYCL 2020 §4.7.7.
#pragma once
#include <iterator>
#include <sycl/access.hpp>
#include <sycl/detail/accessor_class.hpp>
#include <type_traits>

namespace sycl {

template <class T, int D> class local_accessor;
/// In atomic.hpp.
template <class T, access::address_space Space = access::address_space::global_space> class atomic;

namespace detail {
/// A pointer to `U` is one to `T` too: of the same type, perhaps less const or volatile, or of no type.
template <class U, class T>
inline constexpr bool points_to = (std::is_const_v<T> || !std::is_const_v<U>) && (std::is_volatile_v<T> || !std::is_volatile_v<U>) &&
                                  (std::is_void_v<T> || std::is_same_v<std::remove_cv_t<U>, std::remove_cv_t<T>>);
} // namespace detail

template <class T, access::address_space Space, access::decorated Decorated = access::decorated::legacy> class multi_ptr {
  static constexpr bool legacy_ = Decorated == access::decorated::legacy;
  static constexpr bool generic_ = Space == access::address_space::generic_space;
  template <access::address_space S> static constexpr bool holds_ = S == Space || (generic_ && S != access::address_space::constant_space);
  template <access::address_space S> static constexpr bool was_ = S == access::address_space::generic_space && !generic_;

public:
  using value_type = T;
  using element_type = T;
  using pointer = T *;
  using reference = std::add_lvalue_reference_t<T>;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  // SYCL 1.2.1's names. Source: SYCL 2020 §4.7.7.
  using pointer_t = T *;
  using const_pointer_t = const T *;
  using reference_t = reference;
  using const_reference_t = std::add_lvalue_reference_t<const T>;
  static constexpr access::address_space address_space = Space;
  static constexpr bool is_decorated = Decorated == access::decorated::yes;

  constexpr multi_ptr() = default;
  constexpr multi_ptr(std::nullptr_t) {}
  /// From a pointer only: what converts to one, as pointers to other address spaces do, is none.
  template <class P, std::enable_if_t<std::is_pointer_v<P> && std::is_convertible_v<P, T *> && !legacy_, int> = 0>
  constexpr explicit multi_ptr(P pointer) : pointer_(pointer) {}
  template <class P, std::enable_if_t<std::is_pointer_v<P> && std::is_convertible_v<P, T *> && legacy_, int> = 0>
  constexpr multi_ptr(P pointer) : pointer_(pointer) {}
  /// From a pointer to something less const, or of a type, or to a named address space, or with the other decoration.
  template <class U, access::address_space S, access::decorated E, std::enable_if_t<detail::points_to<U, T> && holds_<S>, int> = 0>
  constexpr multi_ptr(const multi_ptr<U, S, E> &other) : pointer_(other.get_raw()) {}
  /// From what `get_pointer` of a reading accessor gives: see the conversion to a pointer below.
  template <class U, std::enable_if_t<legacy_ && !std::is_const_v<T> && std::is_same_v<U, const T>, int> = 0>
  constexpr multi_ptr(const multi_ptr<U, Space, access::decorated::legacy> &other) : pointer_(const_cast<T *>(other.get_raw())) {}
  /// The caller promises that the generic pointer points into this address space.
  template <class U, access::address_space S, access::decorated E,
            std::enable_if_t<detail::points_to<U, T> && was_<S> && Space != access::address_space::constant_space, int> = 0>
  constexpr explicit multi_ptr(const multi_ptr<U, S, E> &other) : pointer_(other.get_raw()) {}
  /// The caller promises that what lies there is a `T`.
  template <class U, access::decorated E,
            std::enable_if_t<std::is_void_v<U> && !std::is_void_v<T> && (std::is_const_v<T> || !std::is_const_v<U>), int> = 0>
  constexpr explicit multi_ptr(const multi_ptr<U, Space, E> &other) : pointer_(static_cast<T *>(other.get_raw())) {}
  /// To the first element of the buffer, whatever the accessor's offset.
  template <class U, int D, access_mode M, access::placeholder P,
            std::enable_if_t<holds_<access::address_space::global_space> &&
                                 detail::points_to<typename accessor<U, D, M, target::device, P>::value_type, T>, int> = 0>
  multi_ptr(accessor<U, D, M, target::device, P> from) : pointer_(from.get_multi_ptr().get_raw()) {}
  /// From a reading accessor to a pointer that is not to const: the constructor names the accessor's mode as any. Source: SYCL 2020 §4.7.7.1.
  template <class U, int D, access::placeholder P,
            std::enable_if_t<holds_<access::address_space::global_space> && std::is_same_v<U, T> && !std::is_const_v<U>, int> = 0>
  explicit multi_ptr(accessor<U, D, access_mode::read, target::device, P> from) : pointer_(const_cast<T *>(from.get_multi_ptr().get_raw())) {}
  /// The same of constants, which SYCL 1.2.1 has pointers to that are not const.
  template <class U, int D, access::placeholder P,
            std::enable_if_t<Space == access::address_space::constant_space && detail::points_to<U, T>, int> = 0>
  multi_ptr(accessor<U, D, access_mode::read, target::constant_buffer, P> from) : pointer_(from.get_pointer().get_raw()) {}
  template <class U, int D, std::enable_if_t<holds_<access::address_space::local_space> && detail::points_to<U, T>, int> = 0>
  multi_ptr(local_accessor<U, D> from) : pointer_(from.get_multi_ptr().get_raw()) {}

  constexpr T *get() const { return pointer_; }
  constexpr T *get_raw() const { return pointer_; }
  constexpr T *get_decorated() const { return pointer_; }
  constexpr T *operator->() const { return pointer_; }
  constexpr operator T *() const { return pointer_; }
  /// `get_pointer` of a reading accessor gave no pointer to const before SYCL 2020, and programs keep it in none. Source: SYCL 1.2.1 §4.7.6.9.
  template <class U, std::enable_if_t<legacy_ && !std::is_const_v<U> && std::is_same_v<const U, T>, int> = 0> constexpr operator U *() const {
    return const_cast<U *>(pointer_);
  }
  template <class U = T> constexpr U &operator*() const { return *pointer_; }
  template <class U = T> constexpr U &operator[](difference_type n) const { return pointer_[n]; }

  constexpr multi_ptr &operator++() { return ++pointer_, *this; }
  constexpr multi_ptr operator++(int) { return multi_ptr(pointer_++); }
  constexpr multi_ptr &operator--() { return --pointer_, *this; }
  constexpr multi_ptr operator--(int) { return multi_ptr(pointer_--); }
  constexpr multi_ptr &operator+=(difference_type n) { return pointer_ += n, *this; }
  constexpr multi_ptr &operator-=(difference_type n) { return pointer_ -= n, *this; }
  // They keep the address space, which the operators of the pointer that this converts to would lose.
  friend constexpr multi_ptr operator+(const multi_ptr &a, difference_type n) { return multi_ptr(a.pointer_ + n); }
  friend constexpr multi_ptr operator+(difference_type n, const multi_ptr &a) { return multi_ptr(a.pointer_ + n); }
  friend constexpr multi_ptr operator-(const multi_ptr &a, difference_type n) { return multi_ptr(a.pointer_ - n); }
  friend constexpr difference_type operator-(const multi_ptr &a, const multi_ptr &b) { return a.pointer_ - b.pointer_; }

  /// A null pointer is less than all others. Pointers are taken as they are: a conversion would make this no better than the comparison of
  /// the pointer that this converts to. Source: SYCL 2020 §4.7.7.1.
#define __ASPEN_COMPARE(op)                                                                                                               \
  friend constexpr bool operator op(const multi_ptr &a, const multi_ptr &b) { return a.pointer_ op b.pointer_; }                           \
  template <class P, std::enable_if_t<std::is_pointer_v<P>, int> = 0> friend constexpr bool operator op(const multi_ptr &a, P b) {         \
    return a.pointer_ op static_cast<const T *>(b);                                                                                        \
  }                                                                                                                                        \
  template <class P, std::enable_if_t<std::is_pointer_v<P>, int> = 0> friend constexpr bool operator op(P a, const multi_ptr &b) {         \
    return static_cast<const T *>(a) op b.pointer_;                                                                                        \
  }                                                                                                                                        \
  friend constexpr bool operator op(const multi_ptr &a, std::nullptr_t) { return a.pointer_ op static_cast<T *>(nullptr); }                \
  friend constexpr bool operator op(std::nullptr_t, const multi_ptr &b) { return static_cast<T *>(nullptr) op b.pointer_; }
  __ASPEN_COMPARE(==)
  __ASPEN_COMPARE(!=)
  __ASPEN_COMPARE(<)
  __ASPEN_COMPARE(>)
  __ASPEN_COMPARE(<=)
  __ASPEN_COMPARE(>=)
#undef __ASPEN_COMPARE

  /// A hint without effect.
  template <access::address_space S = Space, std::enable_if_t<S == access::address_space::global_space, int> = 0>
  void prefetch(size_t) const {}

private:
  T *pointer_ = nullptr;
};

template <class T, int D, access::placeholder P>
multi_ptr(accessor<T, D, access_mode::read, target::device, P>) -> multi_ptr<const T, access::address_space::global_space, access::decorated::no>;
template <class T, int D, access_mode M, access::placeholder P>
multi_ptr(accessor<T, D, M, target::device, P>) -> multi_ptr<T, access::address_space::global_space, access::decorated::no>;
template <class T, int D, access_mode M, access::placeholder P>
multi_ptr(accessor<T, D, M, target::constant_buffer, P>) -> multi_ptr<T, access::address_space::constant_space, access::decorated::no>;
template <class T, int D> multi_ptr(local_accessor<T, D>) -> multi_ptr<T, access::address_space::local_space, access::decorated::no>;

template <class T, access::decorated E = access::decorated::legacy> using global_ptr = multi_ptr<T, access::address_space::global_space, E>;
template <class T, access::decorated E = access::decorated::legacy> using local_ptr = multi_ptr<T, access::address_space::local_space, E>;
template <class T, access::decorated E = access::decorated::legacy> using private_ptr = multi_ptr<T, access::address_space::private_space, E>;
template <class T, access::decorated E = access::decorated::legacy> using generic_ptr = multi_ptr<T, access::address_space::generic_space, E>;
/// Deprecated in SYCL 2020, where constants lie in global memory.
template <class T, access::decorated E = access::decorated::legacy> using constant_ptr = multi_ptr<T, access::address_space::constant_space, E>;
template <class T> using raw_global_ptr = global_ptr<T, access::decorated::no>;
template <class T> using raw_local_ptr = local_ptr<T, access::decorated::no>;
template <class T> using raw_private_ptr = private_ptr<T, access::decorated::no>;
template <class T> using raw_generic_ptr = generic_ptr<T, access::decorated::no>;
template <class T> using decorated_global_ptr = global_ptr<T, access::decorated::yes>;
template <class T> using decorated_local_ptr = local_ptr<T, access::decorated::yes>;
template <class T> using decorated_private_ptr = private_ptr<T, access::decorated::yes>;
template <class T> using decorated_generic_ptr = generic_ptr<T, access::decorated::yes>;

/// Decorated pointers are plain ones here. Source: SYCL 2020 §4.7.7.
template <class T> struct remove_decoration {
  using type = T;
};
template <class T> using remove_decoration_t = typename remove_decoration<T>::type;

/// The caller promises that the pointer points into that address space.
template <access::address_space Space, access::decorated Decorated = access::decorated::no, class T>
constexpr multi_ptr<T, Space, Decorated> address_space_cast(T *pointer) {
  return multi_ptr<T, Space, Decorated>(pointer);
}
template <access::address_space Space, access::decorated Decorated = access::decorated::no, class T>
constexpr multi_ptr<T, Space, Decorated> static_address_space_cast(T *pointer) {
  return multi_ptr<T, Space, Decorated>(pointer);
}
/// SYCL 1.2.1's.
template <class T, access::address_space Space, access::decorated Decorated = access::decorated::legacy>
constexpr multi_ptr<T, Space, Decorated> make_ptr(T *pointer) {
  return multi_ptr<T, Space, Decorated>(pointer);
}

} // namespace sycl
