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

/// Bytes of the words that a value is read in; 0 if it is none of words. Vectors are aligned as a whole, and those of four bytes are one word. Larger ones are loaded
/// as a whole: LLVM parts a cached load of one into its elements and forgets how they may be cached.
template <class T> constexpr std::size_t word_size = std::is_trivially_copyable_v<T> && (std::is_scalar_v<T> || alignof(T) <= 4) ? alignof(T) : 0;
template <class T, int N> constexpr std::size_t word_size<vec<T, N>> = sizeof(vec<T, N>) <= 4 && N != 3 ? sizeof(vec<T, N>) : 0;
} // namespace detail
#endif

/// `*from`, of global memory that nothing writes while the kernel runs. On NVIDIA's GPUs numbers, and classes of words of at most four bytes, come
/// through the read-only cache, as do vectors of at most four; of other types, and on other devices, this is a load like any other.
template <class T> std::remove_cv_t<T> ldg(const T *from) {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  using value = std::remove_cv_t<T>;
  if constexpr (constexpr std::size_t size = detail::word_size<value>; size > 0) {
    using word = detail::cached_word<size>;
    struct words {
      typename word::type all[sizeof(value) / size];
    } read;
    for (std::size_t i = 0; i < sizeof(value) / size; ++i)
      read.all[i] = word::load(reinterpret_cast<const typename word::type *>(from) + i);
    return __builtin_bit_cast(value, read);
  }
#endif
  return *from;
}
} // namespace sycl::ext::oneapi::experimental::cuda
