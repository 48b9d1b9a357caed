//! `experimental::launch_policy`: the sizes of a launch with properties and local memory. Source: SYCLcompat's README, "launch_policy".
#pragma once
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <syclcompat/launch.hpp>
#include <tuple>

namespace syclcompat::experimental {

namespace sycl_exp = sycl::ext::oneapi::experimental;

/// Properties of the kernel, or a list of them.
template <class Properties> struct kernel_properties {
  using Props = Properties;
  template <class... P> kernel_properties(P... properties) : props(properties...) {}
  template <class... P> kernel_properties(sycl_exp::properties<P...> properties) : props(properties) {}
  Properties props;
};
template <class... P> kernel_properties(P...) -> kernel_properties<decltype(sycl_exp::properties(std::declval<P>()...))>;
template <class... P> kernel_properties(sycl_exp::properties<P...>) -> kernel_properties<sycl_exp::properties<P...>>;

/// Properties of the launch, likewise. Those that the kernel has too count once.
template <class Properties> struct launch_properties {
  using Props = Properties;
  template <class... P> launch_properties(P... properties) : props(properties...) {}
  template <class... P> launch_properties(sycl_exp::properties<P...> properties) : props(properties) {}
  Properties props;
};
template <class... P> launch_properties(P...) -> launch_properties<decltype(sycl_exp::properties(std::declval<P>()...))>;
template <class... P> launch_properties(sycl_exp::properties<P...>) -> launch_properties<sycl_exp::properties<P...>>;

/// Bytes of local memory, whose address the function gets as its last argument.
struct local_mem_size {
  explicit local_mem_size(size_t size = 0) : size(size) {}
  size_t size;
};

} // namespace syclcompat::experimental

namespace syclcompat::detail {

namespace sycl_exp = sycl::ext::oneapi::experimental;

template <template <class> class Kind, class T> inline constexpr bool is_of_kind = false;
template <template <class> class Kind, class P> inline constexpr bool is_of_kind<Kind, Kind<P>> = true;

template <template <class> class Kind, class... T> struct properties_among {
  using type = sycl_exp::empty_properties_t;
};
template <template <class> class Kind, class First, class... Rest>
struct properties_among<Kind, First, Rest...> : properties_among<Kind, Rest...> {};
template <template <class> class Kind, class P, class... Rest> struct properties_among<Kind, Kind<P>, Rest...> {
  using type = P;
};
template <template <class> class Kind> struct properties_to_find {
  template <class... T> using among = typename properties_among<Kind, T...>::type;
};
template <class... T> using kernel_properties_among = properties_to_find<experimental::kernel_properties>::among<T...>;
template <class... T> using launch_properties_among = properties_to_find<experimental::launch_properties>::among<T...>;
template <class... T> inline constexpr bool has_local_mem = (std::is_same_v<T, experimental::local_mem_size> || ...);

/// All of the first list and what of the second has another key.
template <class... A, class... B> auto merged(const sycl_exp::properties<A...> &a, const sycl_exp::properties<B...> &b) {
  const auto one = [&](const auto *what) {
    using P = std::remove_cv_t<std::remove_pointer_t<decltype(what)>>;
    if constexpr (sycl_exp::properties<A...>::template has_property<sycl::detail::key_of_t<P>>())
      return std::tuple<>();
    else
      return std::tuple<P>(b.template aspen_get<P>());
  };
  return std::apply([](const auto &...all) { return sycl_exp::properties(all...); },
                    std::tuple_cat(std::tuple<A...>(a.template aspen_get<A>()...), one(static_cast<const B *>(nullptr))...));
}

template <class T> inline constexpr bool is_nd_range = false;
template <int D> inline constexpr bool is_nd_range<sycl::nd_range<D>> = true;

} // namespace syclcompat::detail

namespace syclcompat::experimental {

/// A range or nd_range, and in any order kernel_properties, launch_properties and local_mem_size, once each. One dim3 is a range, two
/// are numbers of work-groups and of work-items in each, as for `syclcompat::launch`.
template <class Range, class KProps, class LProps, bool LocalMem> class launch_policy {
  static_assert(!LocalMem || detail::is_nd_range<Range>, "launch_policy: only launches over an nd_range have local memory");

public:
  using KPropsT = KProps;
  using LPropsT = LProps;
  using RangeT = Range;
  static constexpr bool HasLocalMem = LocalMem;

  template <class... T> launch_policy(Range range, T... more) : launch_policy(std::tuple<T...>(more...), range) {}
  template <class... T> launch_policy(dim3 range, T... more) : launch_policy(std::tuple<T...>(more...), sycl::range<3>(range)) {}
  template <class... T>
  launch_policy(dim3 grid, dim3 threads, T... more) : launch_policy(std::tuple<T...>(more...), detail::shape_of(grid, threads)) {}

  KProps get_kernel_properties() const { return kernel_.props; }
  LProps get_launch_properties() const { return launch_.props; }
  size_t get_local_mem_size() const { return local_.size; }
  Range get_range() const { return range_; }

private:
  template <class... T>
  launch_policy(const std::tuple<T...> &more, const Range &range)
      : range_(range), kernel_(pick<kernel_properties<KProps>>(more)), launch_(pick<launch_properties<LProps>>(more)),
        local_(pick<local_mem_size>(more)) {
    static_assert(((detail::is_of_kind<kernel_properties, T> || detail::is_of_kind<launch_properties, T> ||
                    std::is_same_v<T, local_mem_size>) && ...),
                  "launch_policy: behind the range come kernel_properties, launch_properties and local_mem_size");
    static_assert((0 + ... + detail::is_of_kind<kernel_properties, T>) < 2 && (0 + ... + detail::is_of_kind<launch_properties, T>) < 2 &&
                      (0 + ... + std::is_same_v<T, local_mem_size>) < 2,
                  "launch_policy: each kind of argument once");
  }
  template <class One, class... T> static One pick(const std::tuple<T...> &more) {
    if constexpr ((std::is_same_v<One, T> || ...))
      return std::get<One>(more);
    else
      return One{};
  }

  Range range_;
  kernel_properties<KProps> kernel_;
  launch_properties<LProps> launch_;
  local_mem_size local_;
};
template <class Range, class... T>
launch_policy(Range, T...)
    -> launch_policy<Range, detail::kernel_properties_among<T...>, detail::launch_properties_among<T...>, detail::has_local_mem<T...>>;
template <class... T> launch_policy(dim3, T...)
    -> launch_policy<sycl::range<3>, detail::kernel_properties_among<T...>, detail::launch_properties_among<T...>,
                     detail::has_local_mem<T...>>;
template <class... T> launch_policy(dim3, dim3, T...)
    -> launch_policy<sycl::nd_range<3>, detail::kernel_properties_among<T...>, detail::launch_properties_among<T...>,
                     detail::has_local_mem<T...>>;

/// Calls `F(arguments...)` in each work-item, with the address of the local memory behind them if the policy has some.
template <auto F, class Range, class K, class L, bool LocalMem, class... A>
sycl::event launch(launch_policy<Range, K, L, LocalMem> policy, sycl::queue queue, A... arguments) {
  const auto properties = detail::merged(policy.get_kernel_properties(), policy.get_launch_properties());
  return queue.submit([&](sycl::handler &command) {
    if constexpr (LocalMem) {
      static_assert(detail::takes_v<F, A..., char *>, "launch: the function does not take these arguments and a char *");
      sycl::local_accessor<char, 1> memory(sycl::range<1>(policy.get_local_mem_size()), command);
      command.parallel_for(policy.get_range(), properties, [=](auto) {
        char *const begin = memory.template get_multi_ptr<sycl::access::decorated::no>().get();
        F(arguments..., begin);
      });
    } else {
      static_assert(detail::takes_v<F, A...>, "launch: the function does not take these arguments");
      command.parallel_for(policy.get_range(), properties, [=](auto) { F(arguments...); });
    }
  });
}
template <auto F, class Range, class K, class L, bool LocalMem, class... A>
sycl::event launch(launch_policy<Range, K, L, LocalMem> policy, A... arguments) {
  return experimental::launch<F>(policy, get_default_queue(), arguments...);
}

} // namespace syclcompat::experimental
