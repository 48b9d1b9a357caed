//! `sycl::aspect`: numbers are the table's, and the type is what attributes take.
#include <sycl/aspects.hpp>
#include <type_traits>

static_assert(std::is_same_v<std::underlying_type_t<sycl::aspect>, std::uint32_t>);
static_assert(static_cast<int>(sycl::aspect::cpu) == 1 && static_cast<int>(sycl::aspect::fp16) == 5);
static_assert(static_cast<int>(sycl::aspect::fp64) == 6 && static_cast<int>(sycl::aspect::atomic64) == 27);
static_assert(static_cast<int>(sycl::aspect::ext_intel_gpu_bdw) == 10000);
