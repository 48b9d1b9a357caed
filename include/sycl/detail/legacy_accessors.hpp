//! What SYCL 2020 deprecates of `sycl::accessor`: targets `local` and `host_buffer`, which have classes of their own now, and mode `atomic`.
//! Source: SYCL 1.2.1 §4.7.6; SYCL 2020 §4.7.6 says what of it is deprecated.
#pragma once
#include <sycl/accessor.hpp>
#include <sycl/atomic.hpp>

namespace sycl {

namespace detail {

/// What SYCL 1.2.1 asks of every accessor.
template <class Base> class legacy_accessor : public Base {
public:
  using Base::Base;
  using Base::operator=;
  legacy_accessor() = default;
  legacy_accessor(const Base &of) : Base(of) {}
  bool is_placeholder() const { return false; }
  size_t get_count() const { return Base::size(); }
  size_t get_size() const { return Base::byte_size(); }
};

template <class Atomic, class Row> class atomic_row;
/// The element as an atomic, or the row as one of atomics.
template <class Atomic, class X> auto as_atomic(X &&of) {
  if constexpr (std::is_lvalue_reference_v<X>)
    return Atomic::aspen_at(&of);
  else
    return atomic_row<Atomic, X>(of);
}
template <class Atomic, class Row> class atomic_row {
public:
  explicit atomic_row(const Row &row) : row_(row) {}
  auto operator[](size_t index) const { return as_atomic<Atomic>(row_[index]); }

private:
  Row row_;
};

template <class Base, class Atomic> class accessor_of_atomics : public Base {
public:
  using Base::Base;
  using Base::operator=;
  template <class I> auto operator[](const I &at) const { return as_atomic<Atomic>(Base::operator[](at)); }
};
template <class Base, class Atomic> class accessor_of_one_atomic : public Base {
public:
  using Base::Base;
  using Base::operator=;
  operator Atomic() const { return as_atomic<Atomic>(this->one_[0]); }
};

template <class T, int D> using legacy_local = legacy_accessor<local_accessor<T, D>>;
template <class T, int D, access_mode M> using legacy_host = legacy_accessor<host_accessor<T, D, M>>;
template <class T, int D, target P, access::placeholder H> using read_write_accessor = accessor<T, D, access_mode::read_write, P, H>;
template <class T> using local_atomic = atomic<T, access::address_space::local_space>;

} // namespace detail

/// Constructors and assignments are those of `base`.
#define __ASPEN_LEGACY(base)                                                                                                              \
public:                                                                                                                                    \
  using base::base;                                                                                                                        \
  using base::operator=;

template <class T, int D, access_mode M, access::placeholder H>
class accessor<T, D, M, target::local, H> : public detail::legacy_local<T, D> {
  using base = detail::legacy_local<T, D>;
  __ASPEN_LEGACY(base)
};
template <class T, access_mode M, access::placeholder H> class accessor<T, 0, M, target::local, H> : public detail::legacy_local<T, 0> {
  using base = detail::legacy_local<T, 0>;
  __ASPEN_LEGACY(base)
};
template <class T, int D, access_mode M, access::placeholder H>
class accessor<T, D, M, target::host_buffer, H> : public detail::legacy_host<T, D, M> {
  using base = detail::legacy_host<T, D, M>;
  __ASPEN_LEGACY(base)
  accessor() = default;
  /// With DPC++ a host_accessor is one of these.
  accessor(const host_accessor<T, D, M> &of) : base(of) {}
};
template <class T, int D, access_mode M>
accessor(const host_accessor<T, D, M> &) -> accessor<T, D, M, target::host_buffer, access::placeholder::false_t>;
template <class T, access_mode M, access::placeholder H>
class accessor<T, 0, M, target::host_buffer, H> : public detail::legacy_host<T, 0, M> {
  using base = detail::legacy_host<T, 0, M>;
  __ASPEN_LEGACY(base)
};
template <class T, int D, target P, access::placeholder H>
class accessor<T, D, access_mode::atomic, P, H> : public detail::accessor_of_atomics<detail::read_write_accessor<T, D, P, H>, atomic<T>> {
  using base = detail::accessor_of_atomics<detail::read_write_accessor<T, D, P, H>, atomic<T>>;
  __ASPEN_LEGACY(base)
};
template <class T, target P, access::placeholder H>
class accessor<T, 0, access_mode::atomic, P, H>
    : public detail::accessor_of_one_atomic<detail::read_write_accessor<T, 0, P, H>, atomic<T>> {
  using base = detail::accessor_of_one_atomic<detail::read_write_accessor<T, 0, P, H>, atomic<T>>;
  __ASPEN_LEGACY(base)
};
template <class T, int D, access::placeholder H>
class accessor<T, D, access_mode::atomic, target::local, H>
    : public detail::accessor_of_atomics<detail::legacy_local<T, D>, detail::local_atomic<T>> {
  using base = detail::accessor_of_atomics<detail::legacy_local<T, D>, detail::local_atomic<T>>;
  __ASPEN_LEGACY(base)
};
template <class T, access::placeholder H>
class accessor<T, 0, access_mode::atomic, target::local, H>
    : public detail::accessor_of_one_atomic<detail::legacy_local<T, 0>, detail::local_atomic<T>> {
  using base = detail::accessor_of_one_atomic<detail::legacy_local<T, 0>, detail::local_atomic<T>>;
  __ASPEN_LEGACY(base)
};
#undef __ASPEN_LEGACY

} // namespace sycl
