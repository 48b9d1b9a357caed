//! `ldg`: a load of what no work-item of the kernel writes. Source: sycl_ext_oneapi_cuda_tex_cache_read.
#pragma once
#include <sycl/detail/config.hpp>
#include <type_traits>

#define SYCL_EXT_ONEAPI_CUDA_TEX_CACHE_READ 1

namespace sycl::ext::oneapi::experimental::cuda {
/// A plain load: the promise is not passed on.
template <class T> std::remove_cv_t<T> ldg(const T *from) { return *from; }
} // namespace sycl::ext::oneapi::experimental::cuda
