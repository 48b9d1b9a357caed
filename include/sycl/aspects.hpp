//! `sycl::aspect`, from the one table of aspects (data/aspects.toml). Source: SYCL 2020 §4.6.4.5.
#pragma once
#include <sycl/detail/config.hpp>

namespace sycl {

enum class aspect : std::uint32_t {
#define __SYCL_ASPECT(name, number) name = number,
#define __SYCL_ASPECT_DEPRECATED(name, number) name [[deprecated("this aspect is no longer part of SYCL")]] = number,
#define __SYCL_ASPECT_ARCHITECTURE(name, number) name = number,
#include <sycl/aspects.def>
  /// First names, of when the groups had them too. Source: sycl_ext_oneapi_non_uniform_groups, revision 1.
  ext_oneapi_ballot_group = ext_oneapi_fragment,
  ext_oneapi_fixed_size_group = ext_oneapi_chunk,
  ext_oneapi_opportunistic_group = ext_oneapi_fragment,
  ext_oneapi_tangle_group = ext_oneapi_tangle,
  usm_system_allocator [[deprecated("this aspect is called usm_system_allocations")]] = usm_system_allocations,
};

} // namespace sycl
