//! The least of SYCL that the plugin's tests need: aspects, kernel entries, external device functions.

#ifndef MINI_HPP
#define MINI_HPP

#define SYCL_EXTERNAL [[clang::sycl_external]]

namespace sycl {
inline namespace v1 {
enum class aspect { cpu = 1, gpu = 2, accelerator = 3, custom = 4, fp16 = 5, fp64 = 6, image = 9, atomic64 = 27, emulated = 38 };
template <int D> struct nd_item {
  int id;
};
} // namespace v1
} // namespace sycl

// The layers between entry and functor stand for what a header does there.
template <class F> void enter(const F &f) { f(); }
template <class N, class F> [[clang::sycl_kernel_entry_point(N)]] void entry(const F &f) { enter(f); }
template <class N, class F> [[clang::sycl_kernel_entry_point(N)]] void entry_of_items(F f) { f(sycl::nd_item<1>{}); }

template <class N, int D, class F> [[clang::sycl_kernel_entry_point(N)]] void entry_range(F f) { f(sycl::nd_item<D>{}); }
template <class N, int D, class F> [[clang::sycl_kernel_entry_point(N)]] void entry_nd_range(F f) { f(sycl::nd_item<D>{}); }

template <class N, class F> void launch(const F &f) { entry<N>(f); }
template <class F> void launch(const F &f) { entry<F>(f); }
template <class N, class F> void launch_items(F f) { entry_of_items<N>(f); }
template <class N, int D, class F> void launch_range(F f) { entry_range<N, D>(f); }
template <class N, int D, class F> void launch_nd_range(F f) { entry_nd_range<N, D>(f); }

#endif
