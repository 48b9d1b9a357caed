//! Which joint matrices architectures multiply in hardware: `combination`, and what a device answers. Devices without such hardware, the embedded
//! CPU device too, answer with the shapes that Intel's processors have and some types more, since every device multiplies all.
//! Source: sycl_ext_oneapi_matrix "Runtime Query", "Supported Combinations Per Hardware".
#pragma once
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/experimental/device_architecture.hpp>
#include <vector>

namespace sycl::ext::oneapi::experimental::matrix {

enum class matrix_type { bf16, fp16, tf32, fp32, fp64, sint8, sint16, sint32, sint64, uint8, uint16, uint32, uint64 };

/// Of a * b + c = d. A size is either one that there is (`msize`), or the largest of which all smaller ones are there (`max_msize`); the
/// other is 0.
struct combination {
  size_t max_msize, max_nsize, max_ksize;
  size_t msize, nsize, ksize;
  matrix_type atype, btype, ctype, dtype;
};

} // namespace sycl::ext::oneapi::experimental::matrix

namespace sycl::detail::matrix {

using ext::oneapi::experimental::matrix::combination, ext::oneapi::experimental::matrix::matrix_type;

/// The processors of one table.
enum class family { any, amx, amx_of_half, xmx8, xmx16, tensor_70, tensor_72, tensor_80, mfma };

/// Whose an architecture's rows are: of a family, and of earlier ones of the maker.
constexpr family family_of(architecture of) {
  using a = architecture;
  const auto between = [&](a first, a last) { return of >= first && of <= last; };
  if (of == a::intel_cpu_spr)
    return family::amx;
  if (between(a::intel_cpu_gnr, a::intel_cpu_dmr))
    return family::amx_of_half;
  if (between(a::intel_gpu_acm_g10, a::intel_gpu_acm_g12) || of == a::intel_gpu_arl_h)
    return family::xmx8;
  if (between(a::intel_gpu_pvc, a::intel_gpu_pvc_vg) || between(a::intel_gpu_bmg_g21, a::intel_gpu_cri))
    return family::xmx16;
  if (between(a::nvidia_gpu_sm_70, a::nvidia_gpu_sm_70))
    return family::tensor_70;
  if (between(a::nvidia_gpu_sm_72, a::nvidia_gpu_sm_75))
    return family::tensor_72;
  if (between(a::nvidia_gpu_sm_80, a::nvidia_gpu_sm_121a))
    return family::tensor_80;
  if (of == a::amd_gpu_gfx90a || between(a::amd_gpu_gfx940, a::amd_gpu_gfx950))
    return family::mfma;
  return family::any;
}
constexpr bool includes(family mine, family of) {
  if (of == family::amx)
    return mine == family::amx || mine == family::amx_of_half || mine == family::any;
  if (of == family::amx_of_half)
    return mine == family::amx_of_half || mine == family::any;
  if (of >= family::tensor_70 && of <= family::tensor_80)
    return mine >= of && mine <= family::tensor_80;
  return mine == of;
}

struct row {
  family of;
  combination it;
};
/// The first of some types is the one that `matrix_params` takes by itself.
inline constexpr row rows[] = {
#define __ASPEN_ROW(of, max_m, max_n, max_k, m, n, k, a, b, c, d)                                                                         \
  {family::of, {max_m, max_n, max_k, m, n, k, matrix_type::a, matrix_type::b, matrix_type::c, matrix_type::d}},
#define __ASPEN_BYTES(of, ...)                                                                                                            \
  __ASPEN_ROW(of, __VA_ARGS__, uint8, uint8, sint32, sint32)                                                                               \
  __ASPEN_ROW(of, __VA_ARGS__, uint8, sint8, sint32, sint32)                                                                               \
  __ASPEN_ROW(of, __VA_ARGS__, sint8, uint8, sint32, sint32)                                                                               \
  __ASPEN_ROW(of, __VA_ARGS__, sint8, sint8, sint32, sint32)
#define __ASPEN_TENSOR(of, a, c, d)                                                                                                       \
  __ASPEN_ROW(of, 0, 0, 0, 16, 16, 16, a, a, c, d) __ASPEN_ROW(of, 0, 0, 0, 8, 32, 16, a, a, c, d)                                           \
  __ASPEN_ROW(of, 0, 0, 0, 32, 8, 16, a, a, c, d)
#define __ASPEN_MFMA(a, c) __ASPEN_ROW(mfma, 0, 0, 0, 32, 32, 8, a, a, c, c) __ASPEN_ROW(mfma, 0, 0, 0, 16, 16, 16, a, a, c, c)
    // clang-format off
    __ASPEN_BYTES(amx, 16, 16, 64, 0, 0, 0)
    __ASPEN_ROW(amx, 16, 16, 32, 0, 0, 0, bf16, bf16, fp32, fp32)
    __ASPEN_ROW(amx_of_half, 16, 16, 32, 0, 0, 0, fp16, fp16, fp32, fp32)
    __ASPEN_ROW(any, 16, 16, 32, 0, 0, 0, fp16, fp16, fp16, fp16)
    __ASPEN_ROW(any, 16, 16, 16, 0, 0, 0, tf32, tf32, fp32, fp32)
    __ASPEN_ROW(any, 16, 16, 16, 0, 0, 0, fp32, fp32, fp32, fp32)
    __ASPEN_ROW(any, 16, 16, 16, 0, 0, 0, fp64, fp64, fp64, fp64)
    __ASPEN_BYTES(xmx8, 8, 0, 0, 0, 8, 32)
    __ASPEN_ROW(xmx8, 8, 0, 0, 0, 8, 16, fp16, fp16, fp32, fp32)
    __ASPEN_ROW(xmx8, 8, 0, 0, 0, 8, 16, bf16, bf16, fp32, fp32)
    __ASPEN_ROW(xmx8, 0, 0, 0, 32, 32, 16, bf16, bf16, fp32, fp32)
    __ASPEN_BYTES(xmx16, 8, 0, 0, 0, 16, 32)
    __ASPEN_ROW(xmx16, 8, 0, 0, 0, 16, 16, fp16, fp16, fp32, fp32)
    __ASPEN_ROW(xmx16, 8, 0, 0, 0, 16, 16, bf16, bf16, fp32, fp32)
    __ASPEN_ROW(xmx16, 0, 0, 0, 16, 16, 16, bf16, bf16, fp32, fp32)
    __ASPEN_ROW(xmx16, 0, 0, 0, 1, 64, 16, bf16, bf16, fp32, fp32)
    __ASPEN_ROW(xmx16, 0, 0, 0, 32, 64, 16, bf16, bf16, fp32, fp32)
    __ASPEN_ROW(xmx16, 8, 0, 0, 0, 16, 8, tf32, tf32, fp32, fp32)
    __ASPEN_TENSOR(tensor_70, fp16, fp32, fp32) __ASPEN_TENSOR(tensor_70, fp16, fp16, fp16)
    __ASPEN_TENSOR(tensor_70, fp16, fp32, fp16) __ASPEN_TENSOR(tensor_70, fp16, fp16, fp32)
    __ASPEN_TENSOR(tensor_72, sint8, sint32, sint32) __ASPEN_TENSOR(tensor_72, uint8, sint32, sint32)
    __ASPEN_ROW(tensor_80, 0, 0, 0, 16, 16, 8, tf32, tf32, fp32, fp32)
    __ASPEN_TENSOR(tensor_80, bf16, fp32, fp32)
    __ASPEN_ROW(tensor_80, 0, 0, 0, 8, 8, 4, fp64, fp64, fp64, fp64)
    __ASPEN_MFMA(fp16, fp32) __ASPEN_MFMA(sint8, sint32) __ASPEN_MFMA(bf16, fp32)
    __ASPEN_ROW(mfma, 0, 0, 0, 16, 16, 4, fp64, fp64, fp64, fp64)
    // clang-format on
#undef __ASPEN_MFMA
#undef __ASPEN_TENSOR
#undef __ASPEN_BYTES
#undef __ASPEN_ROW
};

inline std::vector<combination> combinations_of(const device &of) {
  std::vector<combination> all;
  const family mine = family_of(architecture_of(of));
  for (const row &each : rows)
    if (includes(mine, each.of))
      all.push_back(each.it);
  return all;
}

} // namespace sycl::detail::matrix

namespace sycl::ext::oneapi::experimental::info::device {
/// What the device multiplies. Source: sycl_ext_oneapi_matrix "Runtime Query".
struct matrix_combinations {
  using return_type = std::vector<matrix::combination>;
  static return_type get(const sycl::device &of) { return sycl::detail::matrix::combinations_of(of); }
};
} // namespace sycl::ext::oneapi::experimental::info::device

namespace sycl::ext::intel::experimental::info::device::matrix {
/// Registers of matrices apart from the others; no device here has such.
struct numtiles {
  using return_type = int;
  static return_type get(const sycl::device &) { return 0; }
};
} // namespace sycl::ext::intel::experimental::info::device::matrix
