//! Reducers: what a work-item combines into, and where the values of a kernel's parts are kept. Source: SYCL 2020 §4.9.2.
#pragma once
#include <sycl/accessor.hpp>
#include <sycl/functional.hpp>
#include <new>

namespace sycl {

namespace property::reduction {
class initialize_to_identity : public detail::flag_property<64u> {};
} // namespace property::reduction

template <class T, class Op, int Dimensions = 0, size_t Extent = 1> class reducer;

namespace detail {

// Which way the kernels of this pass go (reduction.hpp). Tests have all devices reduce in groups.
#if defined(__ASPEN_GPU__) || defined(__ASPEN_REDUCE_IN_GROUPS)
inline constexpr bool reduces_in_groups = true;
#else
inline constexpr bool reduces_in_groups = false;
#endif
inline constexpr bool reduces_in_parts = !reduces_in_groups;

/// How a reduction combines: the operation, and the identity if one is known or was given.
template <class T, class Op, bool HasIdentity> struct combination {
  static constexpr bool has_identity = HasIdentity;
  Op op;
  T identity;
};
template <class T, class Op> struct combination<T, Op, false> {
  static constexpr bool has_identity = false;
  Op op;
};

/// Room for a value that is put there later: neither a reduction's type nor its operation (a lambda) need be made of nothing.
template <class T> union held {
  held() {}
  ~held() {}
  void set(const T &to) { ::new (static_cast<void *>(&value)) T(to); }
  T value;
};

template <class T, class Op> struct reducer_access;

/// What a reducer of sums counts up: numbers, and vectors of them, as DPC++ does.
template <class T> inline constexpr bool counts_up = std::is_integral_v<T>;
template <class T, int N> inline constexpr bool counts_up<vec<T, N>> = std::is_integral_v<T>;

/// What the parts of a kernel leave: `Extent` values a part, and whether each is one (without an identity not every part has one).
template <class T, class Op, bool HasIdentity, size_t Extent, int Dimensions> struct partial_values {
  using value_type = T;
  using reducer_type = reducer<T, Op, Dimensions, Extent>;
  using access = reducer_access<T, Op>;
  static constexpr bool has_identity = HasIdentity;
  static constexpr size_t extent = Extent;
  T *values;
  unsigned char *is_value;
  combination<T, Op, HasIdentity> how;
};

} // namespace detail

/// One variable of a kernel's reduction, as a work-item sees it.
template <class T, class Op> class reducer<T, Op, 0, 1> {
public:
  using value_type = T;
  using binary_operation = Op;
  static constexpr int dimensions = 0;
  reducer(const reducer &) = delete;
  reducer &operator=(const reducer &) = delete;

  reducer &combine(const T &partial) {
    value_.set(any_ ? combined(partial) : partial);
    any_ = true;
    return *this;
  }
  /// Only where it is known or was given.
  T identity() const { return identity_.value; }

#define __ASPEN_REDUCER_OPERATOR(op, which)                                                                                               \
  template <class O = Op, std::enable_if_t<detail::operation_of<O> == detail::operation::which, int> = 0>                                  \
  friend reducer &operator op(reducer &r, const T &partial) {                                                                              \
    return r.combine(partial);                                                                                                             \
  }
  __ASPEN_REDUCER_OPERATOR(+=, plus)
  __ASPEN_REDUCER_OPERATOR(*=, multiplies)
  __ASPEN_REDUCER_OPERATOR(|=, bit_or)
  __ASPEN_REDUCER_OPERATOR(&=, bit_and)
  __ASPEN_REDUCER_OPERATOR(^=, bit_xor)
#undef __ASPEN_REDUCER_OPERATOR
  template <class O = Op, std::enable_if_t<detail::operation_of<O> == detail::operation::plus && detail::counts_up<T>, int> = 0>
  friend reducer &operator++(reducer &r) {
    return r.combine(static_cast<T>(1));
  }
  /// Not in SYCL 2020; programs write it for the prefix. A reducer has no value to give back.
  template <class O = Op, std::enable_if_t<detail::operation_of<O> == detail::operation::plus && detail::counts_up<T>, int> = 0>
  friend void operator++(reducer &r, int) {
    r.combine(static_cast<T>(1));
  }

private:
  template <class, class, int, size_t> friend class reducer;
  template <class, class> friend struct detail::reducer_access;
  reducer() {}
  /// The order of values is nobody's. Where it may not be changed, sums of floating point are no vectors.
  T combined(const T &partial) const {
#if defined(__ASPEN_NATIVE_CPU__)
    if constexpr (std::is_floating_point_v<T> && detail::operation_of<Op> == detail::operation::plus) {
#pragma clang fp reassociate(on)
      return value_.value + partial;
    }
    // The same but for what is no number and for the sign of zero, of which the order decides. LLVM makes vectors of the C library's kind only
    // where nothing else is reduced beside it.
    if constexpr (std::is_floating_point_v<T> && detail::operation_of<Op> == detail::operation::maximum)
      return __builtin_elementwise_maximumnum(value_.value, partial);
    if constexpr (std::is_floating_point_v<T> && detail::operation_of<Op> == detail::operation::minimum)
      return __builtin_elementwise_minimumnum(value_.value, partial);
#endif
    return static_cast<T>(op_.value(value_.value, partial));
  }
  detail::held<T> value_;
  detail::held<T> identity_;
  detail::held<Op> op_;
  bool any_ = false;
};

/// Several variables, a span's.
template <class T, class Op, size_t Extent> class reducer<T, Op, 1, Extent> {
public:
  using value_type = T;
  using binary_operation = Op;
  static constexpr int dimensions = 1;
  reducer(const reducer &) = delete;
  reducer &operator=(const reducer &) = delete;
  reducer<T, Op, 0, 1> &operator[](size_t index) { return elements_[index]; }
  T identity() const { return elements_[0].identity(); }

private:
  template <class, class> friend struct detail::reducer_access;
  reducer() {}
  struct one : reducer<T, Op, 0, 1> {
    one() {}
  };
  one elements_[Extent];
};

namespace detail {

template <class T, class Op> struct reducer_access {
  using one = reducer<T, Op, 0, 1>;
  static one &element(one &r, size_t) { return r; }
  template <size_t E> static one &element(reducer<T, Op, 1, E> &r, size_t i) { return r[i]; }

  /// A reducer that a kernel part starts with.
  template <class Parts> struct own {
    using access = reducer_access;
    using type = typename Parts::reducer_type;
    explicit own(const Parts &parts) { begin(parts); }
    void begin(const Parts &parts) {
      for (size_t i = 0; i < extent; ++i) {
        one &e = element(value, i);
        e.op_.set(parts.how.op);
        e.any_ = has_identity;
        if constexpr (has_identity) {
          e.identity_.set(parts.how.identity);
          e.value_.set(parts.how.identity);
        }
      }
    }
    static constexpr bool has_identity = Parts::has_identity;
    static constexpr size_t extent = Parts::extent;
    type value;
  };
  template <class Parts> static void store(own<Parts> &from, const Parts &to, size_t part) {
    for (size_t i = 0; i < Parts::extent; ++i) {
      const one &e = element(from.value, i);
      const size_t at = part * Parts::extent + i;
      if constexpr (!own<Parts>::has_identity)
        to.is_value[at] = e.any_;
      if (e.any_)
        ::new (static_cast<void *>(to.values + at)) T(e.value_.value);
    }
  }
  static void finish(const one &from, T &variable, bool initialize) {
    if (from.any_)
      variable = initialize ? from.value_.value : static_cast<T>(from.op_.value(variable, from.value_.value));
  }
  template <class Parts> static void absorb(own<Parts> &to, const Parts &from, size_t part) {
    for (size_t i = 0; i < Parts::extent; ++i) {
      const size_t at = part * Parts::extent + i;
      if (own<Parts>::has_identity || from.is_value[at])
        element(to.value, i).combine(from.values[at]);
    }
  }
  /// What one variable of a reducer has, and whether that is a value.
  static T &value_of(one &of) { return of.value_.value; }
  static bool &any_of(one &of) { return of.any_; }
  static const Op &operation_of(const one &of) { return of.op_.value; }
};

/// Where a reduction ends.
template <class Parts> struct reduction_target {
  Parts parts;
  typename Parts::value_type *variable;
  bool initialize; // the variable's old value does not count

  void finish(typename Parts::access::template own<Parts> &from) const {
    for (size_t i = 0; i < Parts::extent; ++i)
      Parts::access::finish(Parts::access::element(from.value, i), variable[i], initialize);
  }
};

/// How many bytes a work-item has to leave.
template <class T> inline constexpr size_t bytes_of_target = 0;
template <class Parts> inline constexpr size_t bytes_of_target<reduction_target<Parts>> = Parts::extent * sizeof(typename Parts::value_type);

/// Whether that is too much to keep for each work-item of an nd_range: the bins of a histogram, for a million of them, are gigabytes.
template <class... Targets> inline constexpr bool are_wide = (0 + ... + bytes_of_target<Targets>) > 64;

/// Which way the kernel over an nd_range goes in this pass. Groups of the embedded CPU are cheap enough for wide reductions; not all drivers of
/// SPIR-V have group algorithms.
#if defined(__ASPEN_NATIVE_CPU__)
template <class... Targets> inline constexpr bool folds_in_groups = reduces_in_groups || are_wide<Targets...>;
#else
template <class... Targets> inline constexpr bool folds_in_groups = reduces_in_groups;
#endif

/// A list of values with their types; a tuple that costs no header.
template <class... Ts> struct pack {};
template <class First, class... Rest> struct pack<First, Rest...> {
  First first;
  pack<Rest...> rest;
};

/// Calls `done(reducers...)` with one reducer for each target of the pack.
template <class Done, class... Made> inline void with_reducers(const pack<> &, const Done &done, Made &...made) { done(made...); }
template <class Parts, class... Rest, class Done, class... Made>
inline void with_reducers(const pack<reduction_target<Parts>, Rest...> &targets, const Done &done, Made &...made) {
  typename Parts::access::template own<Parts> mine(targets.first.parts);
  detail::with_reducers(targets.rest, done, made..., mine);
}
/// Calls `each(target, reducer)` side by side.
template <class Each> inline void zip(const pack<> &, const Each &) {}
template <class First, class... Rest, class Each, class Own, class... Owns>
inline void zip(const pack<First, Rest...> &targets, const Each &each, Own &own, Owns &...owns) {
  each(targets.first, own);
  detail::zip(targets.rest, each, owns...);
}

template <class F, class Item, class... R> inline void call_reducing(const F &function, const constant_block &constants, const Item &item, R &...r) {
  if constexpr (takes_item<F, Item, R...>) {
    detail::call_kernel(function, item, r...);
  } else if constexpr (takes_item<F, Item, R..., kernel_handler>) {
    kernel_handler handler(constants);
    detail::call_kernel(function, item, r..., handler);
  } else {
    static_assert(!is_mutable<F, Item, R...>, __ASPEN_KERNELS_ARE_CONST);
    static_assert(is_mutable<F, Item, R...>, "a kernel with reductions takes its item, then by reference a reducer for each of them, and perhaps a "
                                             "sycl::kernel_handler");
  }
}

} // namespace detail
} // namespace sycl
