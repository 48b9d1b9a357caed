//! `ldg`: a load of what no work-item of the kernel writes. Source: sycl_ext_oneapi_cuda_tex_cache_read.
#pragma once
#include <cstddef>
#include <sycl/vec.hpp>
#include <type_traits>

#define SYCL_EXT_ONEAPI_CUDA_TEX_CACHE_READ 1

namespace sycl::ext::oneapi::experimental::cuda {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
namespace detail {
/// The word of so many bytes, and its load through the cache that no store of the launch updates.
template <std::size_t Bytes> struct cached_word;
template <> struct cached_word<1> {
  using type = unsigned char;
  static type load(const type *from) { return __nvvm_ldg_uc(from); }
};
template <> struct cached_word<2> {
  using type = unsigned short;
  static type load(const type *from) { return __nvvm_ldg_us(from); }
};
template <> struct cached_word<4> {
  using type = unsigned;
  static type load(const type *from) { return __nvvm_ldg_ui(from); }
};
template <> struct cached_word<8> {
  using type = unsigned long long;
  static type load(const type *from) { return __nvvm_ldg_ull(from); }
};

/// Vectors are aligned as a whole and loaded as a whole: LLVM parts a cached load of one into its elements and forgets how they may be cached.
template <class T> constexpr bool has_words = std::is_trivially_copyable_v<T> && (std::is_scalar_v<T> || alignof(T) <= 4);
template <class T, int N> constexpr bool has_words<vec<T, N>> = N == 1 && has_words<T>;
} // namespace detail
#endif

/// `*from`, of global memory that nothing writes while the kernel runs. On NVIDIA's GPUs numbers, and classes of words of at most four bytes, come
/// through the read-only cache; of other types, and on other devices, this is a load like any other.
template <class T> std::remove_cv_t<T> ldg(const T *from) {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  using value = std::remove_cv_t<T>;
  if constexpr (detail::has_words<value>) {
    using word = detail::cached_word<alignof(value)>;
    struct words {
      typename word::type all[sizeof(value) / alignof(value)];
    } read;
    for (std::size_t i = 0; i < sizeof(value) / alignof(value); ++i)
      read.all[i] = word::load(reinterpret_cast<const typename word::type *>(from) + i);
    return __builtin_bit_cast(value, read);
  }
#endif
  return *from;
}
} // namespace sycl::ext::oneapi::experimental::cuda
