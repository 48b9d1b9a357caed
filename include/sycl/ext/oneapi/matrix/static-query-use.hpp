//! `matrix_params`: shapes of joint matrices that an architecture multiplies, known when the program is compiled.
//! Source: sycl_ext_oneapi_matrix "Compile-Time Query".
#pragma once
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <sycl/ext/oneapi/matrix/query-types.hpp>

namespace sycl::detail::matrix {

template <class T> struct type_of {
  static constexpr bool is_known = false;
  static constexpr matrix_type value = matrix_type::uint64;
};
#define __ASPEN_TYPE(T, name)                                                                                                             \
  template <> struct type_of<T> {                                                                                                          \
    static constexpr bool is_known = true;                                                                                                 \
    static constexpr matrix_type value = matrix_type::name;                                                                                \
  };
__ASPEN_TYPE(ext::oneapi::bfloat16, bf16)
__ASPEN_TYPE(half, fp16)
__ASPEN_TYPE(ext::oneapi::experimental::matrix::precision::tf32, tf32)
__ASPEN_TYPE(float, fp32)
__ASPEN_TYPE(double, fp64)
__ASPEN_TYPE(std::int8_t, sint8)
__ASPEN_TYPE(std::int16_t, sint16)
__ASPEN_TYPE(std::int32_t, sint32)
__ASPEN_TYPE(std::int64_t, sint64)
__ASPEN_TYPE(std::uint8_t, uint8)
__ASPEN_TYPE(std::uint16_t, uint16)
__ASPEN_TYPE(std::uint32_t, uint32)
#undef __ASPEN_TYPE

constexpr bool fits(size_t wanted, size_t largest, size_t only) { return largest != 0 ? wanted >= 1 && wanted <= largest : wanted == only; }

/// The first row of an architecture for the types, and for the sizes unless they are 0; the number of rows if there is none.
template <class Ta, class Tb, class Tc, class Td> constexpr size_t row_for(architecture of, size_t m, size_t n, size_t k) {
  constexpr size_t count = sizeof(rows) / sizeof(rows[0]);
  if (!type_of<Ta>::is_known || !type_of<Tb>::is_known || !type_of<Tc>::is_known || !type_of<Td>::is_known)
    return count;
  for (size_t i = 0; i < count; ++i) {
    const combination &it = rows[i].it;
    if (includes(family_of(of), rows[i].of) && it.atype == type_of<Ta>::value && it.btype == type_of<Tb>::value &&
        it.ctype == type_of<Tc>::value && it.dtype == type_of<Td>::value &&
        ((m == 0 && n == 0 && k == 0) ||
         (fits(m, it.max_msize, it.msize) && fits(n, it.max_nsize, it.nsize) && fits(k, it.max_ksize, it.ksize))))
      return i;
  }
  return count;
}

} // namespace sycl::detail::matrix

namespace sycl::ext::oneapi::experimental::matrix {

/// The matrices of a * b + c = d on an architecture: of the sizes given, or of its largest ones. An error where it multiplies no such.
template <architecture Arch, class Ta, class Tb, class Tc, class Td = Tc, size_t SizeM = 0, size_t SizeN = 0, size_t SizeK = 0>
struct matrix_params {
private:
  static constexpr size_t row_ = sycl::detail::matrix::row_for<Ta, Tb, Tc, Td>(Arch, SizeM, SizeN, SizeK);
  static constexpr bool is_there_ = row_ < sizeof(sycl::detail::matrix::rows) / sizeof(sycl::detail::matrix::rows[0]);
  static_assert(is_there_, "this architecture multiplies no matrices of these types and sizes; "
                           "info::device::matrix_combinations lists what a device multiplies");
  static constexpr const combination &it_ = sycl::detail::matrix::rows[is_there_ ? row_ : 0].it;

public:
  static constexpr size_t M = SizeM != 0 ? SizeM : it_.max_msize != 0 ? it_.max_msize : it_.msize;
  static constexpr size_t N = SizeN != 0 ? SizeN : it_.max_nsize != 0 ? it_.max_nsize : it_.nsize;
  static constexpr size_t K = SizeK != 0 ? SizeK : it_.max_ksize != 0 ? it_.max_ksize : it_.ksize;
  template <class Group, layout Layout> using joint_matrix_a = joint_matrix<Group, Ta, use::a, M, K, Layout>;
  template <class Group, layout Layout> using joint_matrix_b = joint_matrix<Group, Tb, use::b, K, N, Layout>;
  template <class Group> using joint_matrix_c = joint_matrix<Group, Tc, use::accumulator, M, N>;
  template <class Group> using joint_matrix_d = joint_matrix<Group, Td, use::accumulator, M, N>;
};

} // namespace sycl::ext::oneapi::experimental::matrix
