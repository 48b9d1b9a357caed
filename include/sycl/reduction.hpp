//! `sycl::reduction`: kernels that combine one value of every work-item. Source: SYCL 2020 §4.9.2.
//!
//! A kernel with reductions runs in two or three steps. In the first, every part of the kernel (a run of work-items of a range; a work-item
//! of an nd_range) combines into reducers of its own and leaves what it has; the last folds that in the order of the parts, into the
//! variable. So nothing is atomic, and the same launch on the same device gives the same bits.
#pragma once
#include <sycl/accessor.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/queue.hpp>
#include <sycl/span.hpp>

namespace sycl {

namespace property::reduction {
class initialize_to_identity : public detail::flag_property<64u> {};
} // namespace property::reduction

template <class T, class Op, int Dimensions = 0, size_t Extent = 1> class reducer;

namespace detail {

/// How a reduction combines: the operation, and the identity if one is known or was given.
template <class T, class Op, bool HasIdentity> struct combination {
  static constexpr bool has_identity = HasIdentity;
  Op op;
  T identity;
};

template <class T, class Op> struct reducer_access;

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
    value_ = any_ ? static_cast<T>(op_(value_, partial)) : partial;
    any_ = true;
    return *this;
  }
  /// Only where it is known or was given.
  T identity() const { return identity_; }

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
  template <class O = Op, std::enable_if_t<detail::operation_of<O> == detail::operation::plus && std::is_integral_v<T>, int> = 0>
  friend reducer &operator++(reducer &r) {
    return r.combine(static_cast<T>(1));
  }
  /// Not in SYCL 2020; programs write it for the prefix. A reducer has no value to give back.
  template <class O = Op, std::enable_if_t<detail::operation_of<O> == detail::operation::plus && std::is_integral_v<T>, int> = 0>
  friend void operator++(reducer &r, int) {
    r.combine(static_cast<T>(1));
  }

private:
  template <class, class, int, size_t> friend class reducer;
  template <class, class> friend struct detail::reducer_access;
  reducer() = default;
  T value_;
  T identity_;
  Op op_;
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
    one() = default;
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
    using type = typename Parts::reducer_type;
    explicit own(const Parts &parts) {
      for (size_t i = 0; i < extent; ++i) {
        one &e = element(value, i);
        e.op_ = parts.how.op;
        if constexpr (has_identity) {
          e.identity_ = parts.how.identity;
          e.value_ = parts.how.identity;
          e.any_ = true;
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
        to.values[at] = e.value_;
    }
  }
  static void finish(const one &from, T &variable, bool initialize) {
    if (from.any_)
      variable = initialize ? from.value_ : static_cast<T>(from.op_(variable, from.value_));
  }
  template <class Parts> static void absorb(own<Parts> &to, const Parts &from, size_t part) {
    for (size_t i = 0; i < Parts::extent; ++i) {
      const size_t at = part * Parts::extent + i;
      if (own<Parts>::has_identity || from.is_value[at])
        element(to.value, i).combine(from.values[at]);
    }
  }
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
  with_reducers(targets.rest, done, made..., mine);
}
/// Calls `each(target, reducer)` side by side.
template <class Each> inline void zip(const pack<> &, const Each &) {}
template <class First, class... Rest, class Each, class Own, class... Owns>
inline void zip(const pack<First, Rest...> &targets, const Each &each, Own &own, Owns &...owns) {
  each(targets.first, own);
  zip(targets.rest, each, owns...);
}

/// The i-th of `parts` runs of `count` things begins here.
constexpr size_t run_begin(size_t count, size_t parts, size_t i) { return count / parts * i + (i < count % parts ? i : count % parts); }

template <class F, class Item, class... R> inline void call_reducing(const F &function, const constant_block &constants, const Item &item, R &...r) {
  if constexpr (takes_item<F, Item, R...>) {
    detail::call_kernel(function, item, r...);
  } else {
    static_assert(!is_mutable<F, Item, R...>, __ASPEN_KERNELS_ARE_CONST);
    kernel_handler handler(constants);
    detail::call_kernel(function, item, r..., handler);
  }
}

/// Step one of a kernel over a range: work-item i of `parts` runs a contiguous part of the kernel's work-items. It is launched over as many
/// dimensions, since the entry has the attributes of the user's function, a required work-group size among them.
template <class F, int D, class... Targets> struct reduce_range {
  using aspen_kernel_function = F;
  F function;
  range<D> extent;
  size_t parts;
  constant_block constants;
  pack<Targets...> targets;
  void operator()(const item<D> &at) const {
    const size_t part = at.get_linear_id(), count = extent.size(), last = run_begin(count, parts, part + 1);
    with_reducers(targets, [&](auto &...own) {
      for (size_t i = run_begin(count, parts, part); i < last; ++i)
        call_reducing(function, constants, item_access::make(delinearize(i, extent), extent), own.value...);
      zip(targets, [&](const auto &to, auto &from) { std::decay_t<decltype(to.parts)>::access::store(from, to.parts, part); }, own...);
    });
  }
};

/// Step one of a kernel over an nd_range: every work-item is a part.
template <class F, int D, class... Targets> struct reduce_nd_range {
  using aspen_kernel_function = F;
  F function;
  constant_block constants;
  pack<Targets...> targets;
  void operator()(const nd_item<D> &at) const {
    with_reducers(targets, [&](auto &...own) {
      call_reducing(function, constants, at, own.value...);
      const size_t part = at.get_global_linear_id();
      zip(targets, [&](const auto &to, auto &from) { std::decay_t<decltype(to.parts)>::access::store(from, to.parts, part); }, own...);
    });
  }
};

/// Folds `count` parts into `parts`, or into the variables.
template <class... Targets> struct reduce_parts {
  size_t count;
  size_t parts;
  pack<Targets...> from;
  pack<Targets...> to;
  void operator()(const item<1> &at) const {
    const size_t part = at.get_id(0), last = run_begin(count, parts, part + 1);
    with_reducers(from, [&](auto &...own) {
      for (size_t i = run_begin(count, parts, part); i < last; ++i)
        zip(from, [&](const auto &part_of, auto &own_one) { std::decay_t<decltype(part_of.parts)>::access::absorb(own_one, part_of.parts, i); }, own...);
      zip(to, [&](const auto &into, auto &own_one) { std::decay_t<decltype(into.parts)>::access::store(own_one, into.parts, part); }, own...);
    });
  }
  void operator()() const {
    with_reducers(from, [&](auto &...own) {
      for (size_t i = 0; i < count; ++i)
        zip(from, [&](const auto &part_of, auto &own_one) { std::decay_t<decltype(part_of.parts)>::access::absorb(own_one, part_of.parts, i); }, own...);
      zip(from, [&](const auto &into, auto &own_one) { into.finish(own_one); }, own...);
    });
  }
};

template <class Name> class reduction_fold;
template <class Name> class reduction_end;

/// What `sycl::reduction` returns.
template <class T, class Op, bool HasIdentity, size_t Extent, int Dimensions> class reduction_of : public reduction_tag {
public:
  using parts_type = partial_values<T, Op, HasIdentity, Extent, Dimensions>;
  using target_type = reduction_target<parts_type>;
  reduction_of(T *variable, aspen_buffer_t *buffer, size_t offset, const combination<T, Op, HasIdentity> &how, const property_list &properties)
      : variable_(variable), buffer_(buffer), offset_(offset), how_(how),
        initialize_(properties.has_property<property::reduction::initialize_to_identity>()) {}

  /// Memory for `count` parts.
  target_type target(handler &command, size_t count) const {
    const size_t values = (count * Extent * sizeof(T) + 63) / 64 * 64;
    char *memory = static_cast<char *>(command.aspen_scratch(values + (HasIdentity ? 0 : count * Extent), alignof(T) > 64 ? alignof(T) : 64));
    return {{reinterpret_cast<T *>(memory), reinterpret_cast<unsigned char *>(memory + values), how_}, variable(command), initialize_};
  }

private:
  T *variable(handler &command) const {
    if (!buffer_)
      return variable_;
    return reinterpret_cast<T *>(static_cast<char *>(command.aspen_use(buffer_, ASPEN_ACCESS_READ_WRITE, false)) + offset_);
  }
  T *variable_;
  aspen_buffer_t *buffer_;
  size_t offset_;
  combination<T, Op, HasIdentity> how_;
  bool initialize_;
};

/// The identity that is known, else anything: it is not looked at.
template <class T, class Op> inline combination<T, Op, has_known_identity_v<Op, T>> combination_of(const Op &op) {
  if constexpr (has_known_identity_v<Op, T>)
    return {op, known_identity_v<Op, T>};
  else
    return {op, T()};
}

template <class T, class A> inline aspen_buffer_t *single_variable(const buffer<T, 1, A> &variable) {
  if (variable.size() != 1)
    fail(errc::invalid, "a reduction's buffer has exactly one element");
  return variable.aspen_handle();
}

} // namespace detail

/// Into a buffer of one element.
template <class T, class A, class Op> auto reduction(buffer<T, 1, A> variable, handler &, Op op, const property_list &properties = {}) {
  const auto how = detail::combination_of<T>(op);
  return detail::reduction_of<T, Op, decltype(how)::has_identity, 1, 0>(nullptr, detail::single_variable(variable), variable.aspen_offset(), how,
                                                                          properties);
}
template <class T, class A, class Op>
auto reduction(buffer<T, 1, A> variable, handler &, const T &identity, Op op, const property_list &properties = {}) {
  return detail::reduction_of<T, Op, true, 1, 0>(nullptr, detail::single_variable(variable), variable.aspen_offset(), {op, identity}, properties);
}
/// Into USM that the device can reach.
template <class T, class Op> auto reduction(T *variable, Op op, const property_list &properties = {}) {
  const auto how = detail::combination_of<T>(op);
  return detail::reduction_of<T, Op, decltype(how)::has_identity, 1, 0>(variable, nullptr, 0, how, properties);
}
template <class T, class Op> auto reduction(T *variable, const T &identity, Op op, const property_list &properties = {}) {
  return detail::reduction_of<T, Op, true, 1, 0>(variable, nullptr, 0, {op, identity}, properties);
}
template <class T, size_t Extent, class Op> auto reduction(span<T, Extent> variables, Op op, const property_list &properties = {}) {
  static_assert(Extent != dynamic_extent, "a reduction needs a span whose extent is part of its type");
  const auto how = detail::combination_of<T>(op);
  return detail::reduction_of<T, Op, decltype(how)::has_identity, Extent, 1>(variables.data(), nullptr, 0, how, properties);
}
template <class T, size_t Extent, class Op>
auto reduction(span<T, Extent> variables, const T &identity, Op op, const property_list &properties = {}) {
  static_assert(Extent != dynamic_extent, "a reduction needs a span whose extent is part of its type");
  return detail::reduction_of<T, Op, true, Extent, 1>(variables.data(), nullptr, 0, {op, identity}, properties);
}

namespace detail {

inline pack<> make_targets(handler &, size_t) { return {}; }
template <class R, class... Rest>
inline pack<typename R::target_type, typename Rest::target_type...> make_targets(handler &command, size_t count, const R &first, const Rest &...rest) {
  typename R::target_type own = first.target(command, count);
  return {own, make_targets(command, count, rest...)};
}

/// Parts that keep a device busy, and few enough for one work-item to fold.
inline size_t part_count(const device &on, size_t count) {
  const size_t units = aspen_device_number(on.aspen_handle(), ASPEN_DEVICE_MAX_COMPUTE_UNITS);
  const size_t most = on.is_cpu() ? (units ? units : 1) * 4 : 4096;
  return count < most ? count : most;
}

/// So many parts one work-item folds alone.
inline constexpr size_t few_parts = 4096;

/// Runs `first` and folds the `count` parts that it leaves.
template <class Name, class... R, class First> inline void reduce_in_steps(handler &command, size_t count, const First &first, const R &...reductions) {
  const bool many = count > few_parts;
  const size_t fewer = many ? part_count(command.aspen_device(), count) : 1;
  const auto parts = make_targets(command, count, reductions...);
  const auto folded = many ? make_targets(command, fewer, reductions...) : parts;
  first(parts);
  using fold = reduce_parts<typename R::target_type...>;
  if (many)
    command.template aspen_then<reduction_fold<Name>>(fold{count, fewer, parts, folded}, fewer);
  command.template aspen_then<reduction_end<Name>>(fold{many ? fewer : count, 1, folded, folded});
}

/// Over how many work-items a kernel over `extent` runs: about `parts`, in groups of the size that the kernel requires, if it does.
template <class Name, int D> inline range<D> range_of_parts(const device &on, const range<D> &extent, size_t parts) {
  const kernel_identity kernel = identify_kernel<Name>();
  aspen_kernel_facts_t facts = {};
  check(aspen_kernel_load(on.aspen_handle(), kernel.module, kernel.tag, kernel.symbol, &facts));
  range<D> out;
  size_t group = 1;
  for (int d = 0; d < D; ++d) {
    out[d] = facts.work_group_size[d] ? facts.work_group_size[d] : 1;
    group *= out[d];
  }
  for (int d = 0; d < D; ++d)
    if (extent[d] % out[d] != 0) {
      std::string why = "a kernel with reductions has reqd_work_group_size " + std::to_string(out[0]), over = std::to_string(extent[0]);
      for (int e = 1; e < D; ++e) {
        why += "x" + std::to_string(out[e]);
        over += "x" + std::to_string(extent[e]);
      }
      fail(errc::nd_range, (why + ", which does not divide the range " + over + " that it was launched over").c_str());
    }
  out[D - 1] *= parts / group > 0 || parts == 0 ? parts / group : 1;
  return out;
}

template <class Name, int D, class F, class... R> inline void reduce(handler &command, const range<D> &extent, const F &f, const R &...reductions) {
  using N = kernel_name_t<Name, F>;
  using kernel = reduce_range<F, D, typename R::target_type...>;
  const constant_block constants = command.aspen_constants();
  const range<D> items = range_of_parts<N>(command.aspen_device(), extent, part_count(command.aspen_device(), extent.size()));
  const size_t parts = items.size();
  reduce_in_steps<N>(
      command, parts,
      [&](const auto &targets) {
        command.template parallel_for<N>(items, kernel{f, extent, parts, constants, targets});
      },
      reductions...);
}
template <class Name, int D, class F, class... R> inline void reduce(handler &command, const nd_range<D> &shape, const F &f, const R &...reductions) {
  using N = kernel_name_t<Name, F>;
  using kernel = reduce_nd_range<F, D, typename R::target_type...>;
  const constant_block constants = command.aspen_constants();
  reduce_in_steps<N>(
      command, shape.get_global_range().size(),
      [&](const auto &targets) { command.template parallel_for<N>(shape, kernel{f, constants, targets}); }, reductions...);
}

template <size_t I, class First, class... Rest> inline decltype(auto) argument(const First &first, const Rest &...rest) {
  if constexpr (I == 0)
    return (first);
  else
    return argument<I - 1>(rest...);
}

/// The function comes last; the reductions are those before it.
template <class Name, class Properties, class Shape, class... Arguments, size_t... I>
inline void reduce_arguments(handler &command, const Shape &shape, std::index_sequence<I...>, const Arguments &...arguments) {
  const auto &function = argument<sizeof...(I)>(arguments...);
  using F = std::decay_t<decltype(function)>;
  using N = kernel_name_t<Name, F>;
  if constexpr (is_properties<Properties>)
    reduce<N>(command, shape, typename add_properties<F, Properties>::type(function), argument<I>(arguments...)...);
  else
    reduce<N>(command, shape, with_own_properties(function), argument<I>(arguments...)...);
}

} // namespace detail
} // namespace sycl
