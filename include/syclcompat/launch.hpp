//! `launch<F>`: a free function as the kernel of an nd_range. Source: SYCLcompat's README, "launch<function>", "Utilities".
#pragma once
#include <sycl/event.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/queue.hpp>
#include <syclcompat/device.hpp>
#include <syclcompat/dims.hpp>
#include <type_traits>
#include <utility>

namespace syclcompat {

/// Sizes of a launch that has at least so many work-items. errc::invalid if the work-group is larger than the range, or empty.
template <int D> inline sycl::nd_range<D> compute_nd_range(sycl::range<D> global, sycl::range<D> local) {
  for (int d = 0; d < D; ++d) {
    if (global[d] == 0 || local[d] == 0)
      detail::throw_invalid("compute_nd_range: a size is 0");
    if (global[d] < local[d])
      detail::throw_invalid("compute_nd_range: the work-group is larger than the range");
  }
  return sycl::nd_range<D>((global + local - 1) / local * local, local);
}
inline sycl::nd_range<1> compute_nd_range(int global, int local) {
  return compute_nd_range(sycl::range<1>(size_t(global)), sycl::range<1>(size_t(local)));
}

namespace detail {

template <auto F, class... A> inline constexpr bool takes_v = std::is_invocable_v<decltype(F), A...>;

/// Whether the first argument is a number of bytes of local memory, whose address comes behind the others: F takes them no other way.
template <auto F, class... A> struct begins_with_bytes : std::false_type {};
template <auto F, class First, class... Rest> struct begins_with_bytes<F, First, Rest...> {
  static constexpr bool value = std::is_integral_v<First> && !takes_v<F, First, Rest...> && takes_v<F, Rest..., char *>;
};

template <auto F, int D, class... A> inline sycl::event launch_plain(const sycl::nd_range<D> &shape, sycl::queue &queue, A... arguments) {
  static_assert(takes_v<F, A...>, "launch: the function does not take these arguments");
  return queue.parallel_for(shape, [=](sycl::nd_item<D>) { F(arguments...); });
}
template <auto F, int D, class... A>
inline sycl::event launch_with_bytes(const sycl::nd_range<D> &shape, sycl::queue &queue, size_t bytes, A... arguments) {
  return queue.submit([&](sycl::handler &command) {
    sycl::local_accessor<char, 1> memory(sycl::range<1>(bytes), command);
    command.parallel_for(shape, [=](sycl::nd_item<D>) {
      char *const begin = memory.template get_multi_ptr<sycl::access::decorated::no>().get();
      F(arguments..., begin);
    });
  });
}
template <auto F, int D, class... A> inline sycl::event launch_any(const sycl::nd_range<D> &shape, sycl::queue &queue, A... arguments) {
  if constexpr (begins_with_bytes<F, A...>::value)
    return launch_with_bytes<F>(shape, queue, arguments...);
  else
    return launch_plain<F>(shape, queue, arguments...);
}

inline sycl::nd_range<3> shape_of(const dim3 &grid, const dim3 &threads) {
  // CUDA's grids may have more threads than 32 bits count.
  const sycl::range<3> groups(grid), local(threads);
  return sycl::nd_range<3>(groups * local, local);
}

} // namespace detail

/// Calls `F(arguments...)` in each work-item. If the first argument is a number that F does not take there, and F takes a `char *` behind
/// the others, it is a size in bytes: work-groups have so much local memory each, and F gets its address (the library's form before
/// launch_policy). The queue is the default one unless another is given.
template <auto F, int D, class... A> inline sycl::event launch(const sycl::nd_range<D> &shape, sycl::queue queue, A... arguments) {
  return detail::launch_any<F>(shape, queue, arguments...);
}
template <auto F, int D, class... A> inline sycl::event launch(const sycl::nd_range<D> &shape, A... arguments) {
  sycl::queue queue = get_default_queue();
  return detail::launch_any<F>(shape, queue, arguments...);
}
template <auto F, int D, class Bytes, class... A>
inline std::enable_if_t<std::is_integral_v<Bytes>, sycl::event> launch(const sycl::nd_range<D> &shape, Bytes bytes, sycl::queue queue,
    A... arguments) {
  return detail::launch_with_bytes<F>(shape, queue, size_t(bytes), arguments...);
}
template <auto F, class... A> inline sycl::event launch(const dim3 &grid, const dim3 &threads, sycl::queue queue, A... arguments) {
  return detail::launch_any<F>(detail::shape_of(grid, threads), queue, arguments...);
}
template <auto F, class... A> inline sycl::event launch(const dim3 &grid, const dim3 &threads, A... arguments) {
  sycl::queue queue = get_default_queue();
  return detail::launch_any<F>(detail::shape_of(grid, threads), queue, arguments...);
}
template <auto F, class Bytes, class... A>
inline std::enable_if_t<std::is_integral_v<Bytes>, sycl::event>
launch(const dim3 &grid, const dim3 &threads, Bytes bytes, sycl::queue queue, A... arguments) {
  return detail::launch_with_bytes<F>(detail::shape_of(grid, threads), queue, size_t(bytes), arguments...);
}

} // namespace syclcompat
