//! `sycl::reduction`: kernels that combine one value of every work-item. Source: SYCL 2020 §4.9.2.
//!
//! There are two ways: in parts that a last kernel folds (processors, OpenCL), and in groups that fold each other's values (GPUs by CUDA).
//! Both give the same bits for the same launch on the same device. Since a name belongs to one kernel, each pass over the source has the
//! kernel of one way, and the host chooses by the device.
#pragma once
#include <sycl/detail/reduction_kernels.hpp>
#include <sycl/queue.hpp>
#include <sycl/span.hpp>

#define SYCL_EXT_ONEAPI_ND_RANGE_REDUCTIONS 1

namespace sycl {
namespace detail {

template <class Name> class reduction_fold;
template <class Name> class reduction_end;

/// What `sycl::reduction` returns.
template <class T, class Op, bool HasIdentity, size_t Extent, int Dimensions> class reduction_of : public reduction_tag {
public:
  using parts_type = partial_values<T, Op, HasIdentity, Extent, Dimensions>;
  using target_type = reduction_target<parts_type>;
  reduction_of(T *variable, const buffer_state *buffer, size_t offset, const combination<T, Op, HasIdentity> &how, const property_list &properties)
      : variable_(variable), buffer_(buffer), offset_(offset), how_(how),
        initialize_(properties.has_property<property::reduction::initialize_to_identity>()) {}

  /// Bytes for `count` parts, and as which the memory must be aligned.
  static size_t size(size_t count) { return value_bytes(count) + (HasIdentity ? 0 : count * Extent); }
  static constexpr size_t alignment = alignof(T) > 64 ? alignof(T) : 64;
  target_type target(handler &command, char *memory, size_t count) const {
    return {{reinterpret_cast<T *>(memory), reinterpret_cast<unsigned char *>(memory + value_bytes(count)), how_}, variable(command), initialize_};
  }

private:
  static size_t value_bytes(size_t count) { return (count * Extent * sizeof(T) + 63) / 64 * 64; }
  T *variable(handler &command) const {
    if (!buffer_)
      return variable_;
    return reinterpret_cast<T *>(static_cast<char *>(command.aspen_use(*buffer_, ASPEN_ACCESS_READ_WRITE, false)) + offset_);
  }
  T *variable_;
  const buffer_state *buffer_;
  size_t offset_;
  combination<T, Op, HasIdentity> how_;
  bool initialize_;
};

/// With the identity, if one is known.
template <class T, class Op> inline combination<T, Op, has_known_identity_v<Op, T>> combination_of(const Op &op) {
  if constexpr (has_known_identity_v<Op, T>)
    return {op, known_identity_v<Op, T>};
  else
    return {op};
}

/// The same; who wants to begin with the identity must have one. Source: SYCL 2020 §4.9.2.2.
template <class T, class Op> inline auto combination_of(const Op &op, const property_list &properties) {
  if (!has_known_identity_v<Op, T> && properties.has_property<property::reduction::initialize_to_identity>())
    fail(errc::invalid, "initialize_to_identity: no identity of this reduction's operator is known; give one to sycl::reduction");
  return combination_of<T>(op);
}

template <class T, int D, class A> inline const buffer_state *single_variable(const buffer<T, D, A> &variable) {
  if (variable.size() != 1)
    fail(errc::invalid, "a reduction's buffer has exactly one element");
  return variable.aspen_state();
}

template <class T, int D, access_mode M, target P, access::placeholder H, class L>
inline const buffer_state *single_variable(const accessor<T, D, M, P, H, L> &variable) {
  static_assert(P == target::device && !std::is_const_v<T> && M != access_mode::read, "a reduction's accessor writes a buffer on the device");
  if (variable.size() != 1)
    fail(errc::invalid, "a reduction's accessor has exactly one element");
  return variable.aspen_buffer();
}
/// Whoever only writes does not want what was there.
template <access_mode M> inline property_list reduced_by(const property_list &given) {
  const bool only_writes = M == access_mode::write || M == access_mode::discard_write || M == access_mode::discard_read_write;
  return only_writes ? property_list{property::reduction::initialize_to_identity()} : given;
}

} // namespace detail

/// Into a buffer of one element, of any dimensions. An identity's type is the variable's, not what its argument has.
template <class T, int D, class A, class Op>
auto reduction(buffer<T, D, A> variable, handler &, Op op, const property_list &properties = {}) {
  const auto how = detail::combination_of<T>(op, properties);
  return detail::reduction_of<T, Op, decltype(how)::has_identity, 1, 0>(nullptr, detail::single_variable(variable), variable.aspen_offset(), how,
                                                                          properties);
}
template <class T, int D, class A, class Op>
auto reduction(buffer<T, D, A> variable, handler &, const typename buffer<T, D, A>::value_type &identity, Op op, const property_list &properties = {}) {
  return detail::reduction_of<T, Op, true, 1, 0>(nullptr, detail::single_variable(variable), variable.aspen_offset(), {op, identity}, properties);
}
/// Into what an accessor reaches: the form of SYCL 2020's drafts, which AdaptiveCpp takes, too. One that only writes begins with the identity.
template <class T, int D, access_mode M, target P, access::placeholder H, class L, class Op>
auto reduction(const accessor<T, D, M, P, H, L> &variable, Op op, const property_list &properties = {}) {
  const auto how = detail::combination_of<T>(op);
  return detail::reduction_of<T, Op, decltype(how)::has_identity, 1, 0>(nullptr, detail::single_variable(variable), variable.aspen_start(), how,
                                                                          detail::reduced_by<M>(properties));
}
template <class T, int D, access_mode M, target P, access::placeholder H, class L, class Op>
auto reduction(const accessor<T, D, M, P, H, L> &variable, const std::common_type_t<T> &identity, Op op, const property_list &properties = {}) {
  return detail::reduction_of<T, Op, true, 1, 0>(nullptr, detail::single_variable(variable), variable.aspen_start(), {op, identity},
                                                 detail::reduced_by<M>(properties));
}
/// Into USM that the device can reach.
template <class T, class Op> auto reduction(T *variable, Op op, const property_list &properties = {}) {
  const auto how = detail::combination_of<T>(op, properties);
  return detail::reduction_of<T, Op, decltype(how)::has_identity, 1, 0>(variable, nullptr, 0, how, properties);
}
template <class T, class Op>
auto reduction(T *variable, const std::common_type_t<T> &identity, Op op, const property_list &properties = {}) {
  return detail::reduction_of<T, Op, true, 1, 0>(variable, nullptr, 0, {op, identity}, properties);
}
template <class T, size_t Extent, class Op> auto reduction(span<T, Extent> variables, Op op, const property_list &properties = {}) {
  static_assert(Extent != dynamic_extent, "a reduction needs a span whose extent is part of its type");
  const auto how = detail::combination_of<T>(op, properties);
  return detail::reduction_of<T, Op, decltype(how)::has_identity, Extent, 1>(variables.data(), nullptr, 0, how, properties);
}
template <class T, size_t Extent, class Op>
auto reduction(span<T, Extent> variables, const typename span<T, Extent>::value_type &identity, Op op, const property_list &properties = {}) {
  static_assert(Extent != dynamic_extent, "a reduction needs a span whose extent is part of its type");
  return detail::reduction_of<T, Op, true, Extent, 1>(variables.data(), nullptr, 0, {op, identity}, properties);
}

namespace detail {

/// `memory(bytes, alignment)` gives what the parts of a reduction are kept in.
template <class Memory> inline pack<> make_targets(handler &, const Memory &, size_t) { return {}; }
template <class Memory, class R, class... Rest>
inline pack<typename R::target_type, typename Rest::target_type...> make_targets(handler &command, const Memory &memory, size_t count,
                                                                                  const R &first, const Rest &...rest) {
  typename R::target_type own = first.target(command, memory(R::size(count), R::alignment), count);
  return {own, make_targets(command, memory, count, rest...)};
}

/// Parts that keep a device busy, and few enough for one work-item to fold.
inline size_t part_count(const device &on, size_t count) {
  const size_t units = aspen_device_number(on.aspen_handle(), ASPEN_DEVICE_MAX_COMPUTE_UNITS);
  const size_t most = on.is_cpu() ? (units ? units : 1) * 4 : 4096;
  return count < most ? count : most;
}

/// So many parts one work-item folds alone.
inline constexpr size_t few_parts = 4096;

/// Runs `first` and folds the `count` parts that it leaves. `InGroups`: which way the pass goes with this kernel.
template <class Name, bool InGroups, class... R, class First> inline void reduce_in_steps(handler &command, size_t count, const First &first, const R &...reductions) {
  const bool many = count > few_parts;
  const size_t fewer = many ? part_count(command.aspen_device(), count) : 1;
  const auto memory = [&](size_t bytes, size_t alignment) { return static_cast<char *>(command.aspen_scratch(bytes, alignment)); };
  const auto parts = make_targets(command, memory, count, reductions...);
  const auto folded = many ? make_targets(command, memory, fewer, reductions...) : parts;
  first(parts);
  using fold = reduce_parts<typename R::target_type...>;
  if (many)
    command.template aspen_then<reduction_fold<Name>, !InGroups>(range<1>(fewer), fold{count, fewer, parts, folded});
  command.template aspen_then<reduction_end<Name>>(fold{many ? fewer : count, 1, folded, folded});
}

/// The work-group size that a kernel requires, 0 without; it must divide the range.
template <class Name, int D> [[gnu::visibility("hidden")]] inline range<D> required_group(const device &on, const range<D> &extent) {
  const kernel_identity kernel = identify_kernel<Name>();
  aspen_kernel_facts_t facts = {};
  check(aspen_kernel_load(on.aspen_handle(), kernel.module, kernel.tag, kernel.symbol, &facts));
  range<D> out;
  for (int d = 0; d < D; ++d)
    out[d] = facts.work_group_size[d];
  for (int d = 0; d < D; ++d)
    if (out[d] && extent[d] % out[d] != 0) {
      std::string why = "a kernel with reductions has reqd_work_group_size " + std::to_string(out[0]), over = std::to_string(extent[0]);
      for (int e = 1; e < D; ++e) {
        why += "x" + std::to_string(out[e]);
        over += "x" + std::to_string(extent[e]);
      }
      fail(errc::nd_range, (why + ", which does not divide the range " + over + " that it was launched over").c_str());
    }
  return out;
}

/// Over how many work-items a kernel over `extent` runs in parts: about `parts`, in groups of the size that the kernel requires, if it does.
template <class Name, int D> [[gnu::visibility("hidden")]] inline range<D> range_of_parts(const device &on, const range<D> &extent, size_t parts) {
  range<D> out = required_group<Name>(on, extent);
  for (int d = 0; d < D; ++d)
    out[d] = out[d] ? out[d] : 1;
  const size_t group = out.size();
  out[D - 1] *= parts / group > 0 || parts == 0 ? parts / group : 1;
  return out;
}

/// The groups that stride over `extent`: as many work-items as keep a GPU's units busy, or as there are.
template <class Name, int D> [[gnu::visibility("hidden")]] inline nd_range<D> striding_groups(const device &on, const range<D> &extent) {
  constexpr size_t usual_group = 256, items_of_unit = 4096; // twice what runs at once: few groups would end unevenly
  range<D> local = required_group<Name>(on, extent);
  for (int d = 0; d < D; ++d)
    local[d] = local[d] ? local[d] : local.size() == 0 && d == D - 1 ? usual_group : 1;
  const size_t units = aspen_device_number(on.aspen_handle(), ASPEN_DEVICE_MAX_COMPUTE_UNITS);
  const size_t group = local.size(), needed = (extent.size() + group - 1) / group, busy = (units ? units : 1) * items_of_unit / group;
  const size_t most = busy < reduction_tree::most_groups ? busy : reduction_tree::most_groups;
  range<D> global = local;
  global[D - 1] *= needed < most ? (needed ? needed : 1) : (most ? most : 1);
  return nd_range<D>(global, local);
}

/// Calls `launch(tree, targets)` for a kernel of so many groups, and folds what they leave if it does not.
template <class Name, bool InGroups, class... R, class Launch> inline void reduce_in_groups(handler &command, size_t groups, const Launch &launch, const R &...reductions) {
  constexpr size_t group = 256, each = 4, count_bytes = 64;
  const size_t folding = (groups + group * each - 1) / (group * each);
  reduction_tree tree = {groups}, second = {folding < reduction_tree::most_groups ? folding : reduction_tree::most_groups};
  const size_t parts = tree.parts(), second_parts = tree.is_whole() ? 0 : second.parts();
  char *next = nullptr;
  if (parts > 0) {
    constexpr auto room = [](size_t values, size_t alignment) { return values + alignment; };
    const size_t bytes = (... + (room(R::size(parts), R::alignment) + room(R::size(second_parts), R::alignment)));
    next = static_cast<char *>(command.aspen_reused_scratch(count_bytes + bytes));
    tree.arrived = second.arrived = reinterpret_cast<unsigned *>(next); // one of them counts
    next += count_bytes;
  }
  const auto memory = [&](size_t bytes, size_t alignment) {
    char *const own = next + (alignment - reinterpret_cast<size_t>(next) % alignment) % alignment;
    next = own + bytes;
    return own;
  };
  const auto targets = make_targets(command, memory, parts, reductions...);
  launch(tree, targets);
  if (!tree.is_whole())
    command.template aspen_then<reduction_fold<Name>, InGroups>(
        nd_range<1>(second.groups * group, group),
        reduce_parts<typename R::target_type...>{groups, 0, targets, make_targets(command, memory, second_parts, reductions...), second});
}

/// Groups where they are cheap.
inline bool prefers_groups(const device &on) { return !reduces_in_parts || on.get_backend() == backend::cuda || on.get_backend() == backend::ext_oneapi_hip; }

template <class Name, int D, class F, class... R> inline void reduce(handler &command, const range<D> &extent, const F &f, const R &...reductions) {
  using N = kernel_name_t<Name, F>;
  using kernel = reduce_range<F, D, typename R::target_type...>;
  const constant_block constants = command.aspen_constants();
  if (prefers_groups(command.aspen_device())) {
    const nd_range<D> shape = striding_groups<N>(command.aspen_device(), extent);
    const size_t items = shape.get_global_range().size();
    const size_t count = extent.size();
    const id<D> step = count ? delinearize(items, extent) : id<D>();
    reduce_in_groups<N, reduces_in_groups>(
        command, shape.get_group_range()[D - 1],
        [&](const reduction_tree &tree, const auto &targets) {
          command.template aspen_over<N, reduces_in_groups>(shape, kernel{f, extent, constants, targets, 0, tree, step, count / items, count % items});
        },
        reductions...);
    return;
  }
  const range<D> items = range_of_parts<N>(command.aspen_device(), extent, part_count(command.aspen_device(), extent.size()));
  const size_t parts = items.size();
  reduce_in_steps<N, reduces_in_groups>(
      command, parts,
      [&](const auto &targets) {
        command.template aspen_over<N, reduces_in_parts>(items, kernel{f, extent, constants, targets, parts});
      },
      reductions...);
}
template <class Name, int D, class F, class... R> inline void reduce(handler &command, const nd_range<D> &shape, const F &f, const R &...reductions) {
  using N = kernel_name_t<Name, F>;
  using kernel = reduce_nd_range<F, D, typename R::target_type...>;
  constexpr bool in_groups = folds_in_groups<typename R::target_type...>;
  const constant_block constants = command.aspen_constants();
  const device &on = command.aspen_device();
  if (prefers_groups(on) || (are_wide<typename R::target_type...> && on.get_backend() == backend::ext_oneapi_native_cpu)) {
    const size_t groups = shape.get_global_range().size() ? shape.get_group_range().size() : 0;
    reduce_in_groups<N, in_groups>(
        command, groups,
        [&](const reduction_tree &tree, const auto &targets) {
          const nd_range<D> one(shape.get_local_range(), shape.get_local_range());
          command.template aspen_over<N, in_groups>(groups ? shape : one, kernel{f, constants, targets, tree});
        },
        reductions...);
    return;
  }
  reduce_in_steps<N, in_groups>(
      command, shape.get_global_range().size(),
      [&](const auto &targets) { command.template aspen_over<N, !in_groups>(shape, kernel{f, constants, targets}); }, reductions...);
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
  using F = std::decay_t<decltype(argument<sizeof...(I)>(arguments...))>;
  static_assert(!std::is_pointer_v<F>, __ASPEN_KERNELS_ARE_OBJECTS);
  const F &function = argument<sizeof...(I)>(arguments...);
  using N = kernel_name_t<Name, F>;
  if constexpr (is_properties<Properties>) {
    static_assert(agree_with_own<F>(static_cast<const Properties *>(nullptr)));
    using with = typename add_properties<own_wrapped<F>, Properties>::type;
    static_assert(!has_scratch<with>, "Aspen does not take work_group_scratch_size beside reductions: use a local_accessor");
    reduce<N>(command, shape, with(function), argument<I>(arguments...)...);
  } else if constexpr (has_own_properties<F>) {
    reduce_arguments<Name, own_properties_t<F>>(command, shape, std::index_sequence<I...>(), arguments...);
  } else {
    reduce<N>(command, shape, function, argument<I>(arguments...)...);
  }
}

} // namespace detail
} // namespace sycl
