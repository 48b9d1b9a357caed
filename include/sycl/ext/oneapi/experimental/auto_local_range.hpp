//! `auto_range`: a local range that the implementation chooses. Source: sycl_ext_oneapi_auto_local_range.
#pragma once
#include <sycl/range.hpp>

#define SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE 1

namespace sycl::ext::oneapi::experimental {

/// The local range of an nd_range that does not matter to the kernel; the nd_range has the one that was chosen.
template <int D> range<D> auto_range() {
  range<D> out;
  for (int d = 0; d < D; ++d)
    out[d] = sycl::detail::chosen_local;
  return out;
}

} // namespace sycl::ext::oneapi::experimental
