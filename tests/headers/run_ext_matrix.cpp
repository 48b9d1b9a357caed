//! joint_matrix: products of all types and layouts against loops on the host, on sub-groups of several sizes; fill, copy, apply, coordinates, bounds
//! that are checked, and the queries. Source: sycl_ext_oneapi_matrix, sycl_ext_intel_matrix.
#include "check.hpp"

#include <algorithm>
#include <vector>
#include <sycl/sycl.hpp>

static_assert(SYCL_EXT_ONEAPI_MATRIX == 1 && SYCL_EXT_INTEL_MATRIX == 1);
using namespace sycl::ext::oneapi::experimental::matrix;
namespace ex = sycl::ext::oneapi::experimental;
namespace intel = sycl::ext::intel::experimental::matrix;
using sycl::ext::oneapi::bfloat16;

namespace {

constexpr sycl::access::decorated no = sycl::access::decorated::no;
template <class T> auto global(T *p) { return sycl::address_space_cast<sycl::access::address_space::global_space, no>(p); }

/// How a matrix of `rows` by `cols` lies in memory, written anew here: the tests' own answer to the header's.
template <class T> std::vector<T> laid_out(const std::vector<T> &of, size_t rows, size_t cols, layout how) {
  if (how == layout::row_major)
    return of;
  std::vector<T> out;
  if (how == layout::col_major) {
    for (size_t c = 0; c < cols; ++c)
      for (size_t r = 0; r < rows; ++r)
        out.push_back(of[r * cols + c]);
    return out;
  }
  const size_t together = 4 / sizeof(T);
  for (size_t block = 0; block < rows; block += together)
    for (size_t c = 0; c < cols; ++c)
      for (size_t r = 0; r < together; ++r)
        out.push_back(of[(block + r) * cols + c]);
  return out;
}
template <class T> T *shared(sycl::queue &q, const std::vector<T> &from) {
  T *out = sycl::malloc_shared<T>(from.size(), q);
  std::copy(from.begin(), from.end(), out);
  return out;
}

/// Whole numbers, so that sums are exact in every type.
template <class T> std::vector<T> numbers(size_t count, int start) {
  std::vector<T> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(static_cast<T>(static_cast<float>((start + int(i) * 7) % 9 - (std::is_unsigned_v<T> ? 0 : 4))));
  return out;
}

template <int Size, class... Types> struct name_of_product;

/// D = A * B + C of matrices twice as large as a joint one in each direction.
template <int Size, class Ta, class Tb, class Tc, class Td, size_t M, size_t N, size_t K, layout LayoutA, layout LayoutB>
void product(sycl::queue &q) {
  using namespace sycl::detail::matrix;
  using A = kept<Ta>;
  using B = kept<Tb>;
  const size_t m = 2 * M, n = 2 * N, k = 2 * K;
  const auto a = numbers<A>(m * k, 1);
  const auto b = numbers<B>(k * n, 5);
  const auto c = numbers<Tc>(m * n, 3);
  A *pa = shared(q, laid_out(a, m, k, LayoutA));
  B *pb = shared(q, laid_out(b, k, n, LayoutB));
  Tc *pc = shared(q, c);
  Td *pd = sycl::malloc_shared<Td>(m * n, q);
  q.parallel_for(sycl::nd_range<2>({2, 2 * Size}, {1, Size}), [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(Size)]] {
     const sycl::sub_group sg = item.get_sub_group();
     const size_t row = item.get_group(0) * M, col = item.get_group(1) * N;
     joint_matrix<sycl::sub_group, Ta, use::a, M, K, LayoutA> ja;
     joint_matrix<sycl::sub_group, Tb, use::b, K, N, LayoutB> jb;
     joint_matrix<sycl::sub_group, Tc, use::accumulator, M, N> jc;
     joint_matrix<sycl::sub_group, Td, use::accumulator, M, N> jd;
     joint_matrix_load(sg, jc, global(pc) + row * n + col, n, layout::row_major);
     for (size_t at = 0; at < k; at += K) {
       const size_t stride_a = LayoutA == layout::row_major ? k : m;
       joint_matrix_load(sg, ja, global(pa) + (LayoutA == layout::row_major ? row * k + at : at * m + row), stride_a);
       const size_t together = LayoutB == layout::ext_intel_packed ? 4 / sizeof(B) : 1;
       joint_matrix_load(sg, jb, global(pb) + (LayoutB == layout::col_major ? col * k + at : at / together * n * together + col * together),
                         LayoutB == layout::col_major ? k : n * together);
       joint_matrix_mad(sg, jd, ja, jb, jc);
       joint_matrix_copy(sg, jd, jc);
     }
     joint_matrix_store(sg, jd, global(pd) + row * n + col, n, layout::row_major);
   }).wait();
  size_t wrong = 0;
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = static_cast<double>(c[i * n + j]);
      for (size_t l = 0; l < k; ++l)
        sum += static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
      wrong += static_cast<double>(pd[i * n + j]) != sum;
    }
  CHECK(wrong == 0);
  sycl::free(pa, q);
  sycl::free(pb, q);
  sycl::free(pc, q);
  sycl::free(pd, q);
}

template <int Size> void products(sycl::queue &q) {
  constexpr layout row = layout::row_major, col = layout::col_major, packed = layout::ext_intel_packed;
  product<Size, bfloat16, bfloat16, float, float, 8, 16, 16, row, row>(q);
  product<Size, bfloat16, bfloat16, float, float, 16, 16, 32, col, packed>(q);
  product<Size, std::int8_t, std::int8_t, std::int32_t, std::int32_t, 8, 8, 32, row, packed>(q);
  product<Size, std::uint8_t, std::int8_t, std::int32_t, std::int32_t, 3, 5, 7, row, col>(q);
  product<Size, precision::tf32, precision::tf32, float, float, 16, 16, 8, row, row>(q);
  product<Size, float, float, float, float, 1, 64, 16, col, col>(q);
  if (q.get_device().has(sycl::aspect::fp16)) {
    product<Size, sycl::half, sycl::half, float, float, 32, 8, 16, row, col>(q);
    product<Size, sycl::half, sycl::half, sycl::half, sycl::half, 8, 32, 16, row, row>(q);
  }
  // All shapes of NVIDIA's units, and what mixes them with others.
  if constexpr (Size == 32) {
    product<Size, std::int8_t, std::int8_t, std::int32_t, std::int32_t, 16, 16, 16, row, col>(q);
    product<Size, std::int8_t, std::uint8_t, std::int32_t, std::int32_t, 32, 8, 16, row, row>(q);
    product<Size, std::uint8_t, std::int8_t, std::int32_t, std::int32_t, 8, 32, 16, row, packed>(q);
    product<Size, std::uint8_t, std::uint8_t, std::int32_t, std::int32_t, 16, 16, 16, col, row>(q);
    product<Size, bfloat16, bfloat16, float, float, 16, 16, 16, row, col>(q);
    product<Size, bfloat16, bfloat16, float, float, 8, 32, 16, row, row>(q);
    product<Size, bfloat16, bfloat16, float, float, 16, 64, 16, row, row>(q);
    product<Size, bfloat16, float, float, float, 16, 16, 16, row, row>(q);
    if (q.get_device().has(sycl::aspect::fp16)) {
      product<Size, sycl::half, sycl::half, float, sycl::half, 16, 16, 16, col, row>(q);
      product<Size, sycl::half, sycl::half, sycl::half, float, 16, 16, 16, row, col>(q);
    }
  }
  if (q.get_device().has(sycl::aspect::fp64))
    product<Size, double, double, double, double, 8, 8, 4, row, row>(q);
}

/// A sum becomes a factor, and times one is what it was: as attention does.
template <int Size, class T, size_t M, size_t N> void sum_as_factor(sycl::queue &q) {
  float *in = shared(q, numbers<float>(M * N, 4)), *out = sycl::malloc_shared<float>(M * N, q);
  using element = sycl::detail::matrix::kept<T>;
  element *one = sycl::malloc_shared<element>(N * N, q);
  for (size_t i = 0; i < N * N; ++i)
    one[i] = element(i % (N + 1) == 0 ? 2.0f : 0.0f);
  q.parallel_for(sycl::nd_range<1>(Size, Size), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
     const sycl::sub_group sg = item.get_sub_group();
     joint_matrix<sycl::sub_group, float, use::accumulator, M, N> sum, beside;
     joint_matrix<sycl::sub_group, T, use::a, M, N, layout::row_major> factor;
     joint_matrix<sycl::sub_group, T, use::b, N, N, layout::row_major> twice;
     joint_matrix_load(sg, sum, global(in), N, layout::row_major);
     joint_matrix_load(sg, twice, global(one), N);
     joint_matrix_copy(sg, sum, factor);
     joint_matrix_fill(sg, sum, 1.0f);
     joint_matrix_mad(sg, sum, factor, twice, sum);
     joint_matrix_apply(sg, sum, beside, [](const float &x, float &y) { y = x - 1.0f; });
     joint_matrix_store(sg, beside, global(out), N, layout::row_major);
   }).wait();
  size_t wrong = 0;
  for (size_t i = 0; i < M * N; ++i)
    wrong += out[i] != 2 * in[i];
  CHECK(wrong == 0);
  sycl::free(in, q);
  sycl::free(out, q);
  sycl::free(one, q);
}

/// What changes elements one by one.
template <int Size> void elements(sycl::queue &q) {
  constexpr size_t M = 8, N = 24;
  float *out = sycl::malloc_shared<float>(3 * M * N, q);
  size_t *counted = sycl::malloc_shared<size_t>(1, q);
  *counted = 0;
  q.parallel_for(sycl::nd_range<1>(Size, Size), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
     const sycl::sub_group sg = item.get_sub_group();
     joint_matrix<sycl::sub_group, float, use::accumulator, M, N> first, second;
     joint_matrix_fill(sg, first, 2);
     joint_matrix_apply(sg, first, [](float &x) { x *= 3; });
     joint_matrix_store(sg, first, global(out), M, layout::col_major);
     intel::joint_matrix_apply(sg, first, [](float &x, size_t row, size_t col) { x = float(row * 100 + col); });
     joint_matrix_apply(sg, first, second, [](float &x, float &y) { y = x + 0.5f; });
     joint_matrix_store(sg, second, ex::annotated_ptr(out + M * N), N, layout::row_major);
     auto mine = intel::get_wi_data(sg, second);
     for (size_t i = 0; i < mine.length(); ++i) {
       const auto [row, col] = mine[i].get_coord();
       mine[i] = mine[i] - float(col);
       mine[i] -= 0.5f + float(row);
     }
     sycl::atomic_ref<size_t, sycl::memory_order::relaxed, sycl::memory_scope::device>(*counted) += mine.length();
     joint_matrix<sycl::sub_group, bfloat16, use::a, M, N, layout::row_major> third;
     joint_matrix_copy(sg, second, third);
     joint_matrix_copy(sg, third, first);
     joint_matrix_store(sg, first, global(out) + 2 * M * N, N, layout::row_major);
     joint_matrix_prefetch<M, N>(sg, out, N, layout::row_major, ex::properties{ex::prefetch_hint_L2});
   }).wait();
  size_t wrong = 0;
  for (size_t row = 0; row < M; ++row)
    for (size_t col = 0; col < N; ++col) {
      wrong += out[col * M + row] != 6;
      wrong += out[M * N + row * N + col] != float(row * 100 + col) + 0.5f;
      wrong += out[2 * M * N + row * N + col] != float(bfloat16(float(row * 99)));
    }
  CHECK(wrong == 0);
  CHECK(*counted == M * N);
  sycl::free(out, q);
  sycl::free(counted, q);
}

/// A matrix of 10 by 13 in tiles of 8 by 8; what lies behind its lines stays as it is.
template <int Size> void bounds(sycl::queue &q) {
  constexpr size_t height = 10, width = 13, stride = 15, tile = 8;
  const auto in = numbers<std::int32_t>(height * stride, 2);
  std::int32_t *from = shared(q, in), *to = shared(q, std::vector<std::int32_t>(height * stride, 77)), *sums = shared(q, std::vector<std::int32_t>(4, 0));
  q.parallel_for(sycl::nd_range<2>({2, 2 * Size}, {1, Size}), [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(Size)]] {
     const sycl::sub_group sg = item.get_sub_group();
     const size_t row = item.get_group(0) * tile, col = item.get_group(1) * tile;
     joint_matrix<sycl::sub_group, std::int32_t, use::accumulator, tile, tile> some, ones;
     intel::joint_matrix_load_checked(sg, some, global(from), stride, layout::row_major, height, width, row, col);
     intel::joint_matrix_fill_checked(sg, ones, 1, height, width, row, col);
     std::int32_t mine = 0;
     joint_matrix_apply(sg, some, ones, [&](std::int32_t &x, std::int32_t &one) {
       mine += x;
       x += one;
     });
     mine = sycl::reduce_over_group(sg, mine, sycl::plus<>());
     if (sg.leader())
       sums[item.get_group_linear_id()] = mine;
     intel::joint_matrix_store_checked(sg, some, global(to), stride, layout::row_major, height, width, row, col);
     // Of the matrix turned: its lines are the columns, and there are fewer places than in a tile.
     joint_matrix<sycl::sub_group, std::int32_t, use::b, tile, tile, layout::col_major> turned;
     intel::joint_matrix_load_checked(sg, turned, global(from), stride, height, width, row, col);
     intel::joint_matrix_apply(sg, turned, [&](std::int32_t &x, size_t r, size_t c) {
       if (row + c < height && col + r < width ? x != from[(row + c) * stride + col + r] : x != 0)
         sums[item.get_group_linear_id()] = 1000;
     });
   }).wait();
  size_t wrong = 0;
  std::int32_t expected[4] = {};
  for (size_t i = 0; i < height * stride; ++i) {
    const size_t row = i / stride, col = i % stride;
    wrong += to[i] != (col < width ? in[i] + 1 : 77);
    if (col < width)
      expected[row / tile * 2 + col / tile] += in[i];
  }
  for (int i = 0; i < 4; ++i)
    wrong += sums[i] != expected[i];
  CHECK(wrong == 0);
  sycl::free(from, q);
  sycl::free(to, q);
  sycl::free(sums, q);
}

/// What the compiler knows of architectures, and a device of itself.
void queries(const sycl::device &of) {
  using on_pvc = matrix_params<ex::architecture::intel_gpu_pvc, std::int8_t, std::int8_t, int>;
  static_assert(on_pvc::M == 8 && on_pvc::N == 16 && on_pvc::K == 32);
  static_assert(std::is_same_v<on_pvc::joint_matrix_b<sycl::sub_group, layout::row_major>,
                               joint_matrix<sycl::sub_group, std::int8_t, use::b, 32, 16, layout::row_major>>);
  using on_spr = matrix_params<ex::architecture::intel_cpu_spr, bfloat16, bfloat16, float, float, 3, 16, 32>;
  static_assert(on_spr::M == 3);
  using on_ampere = matrix_params<ex::architecture::nvidia_gpu_sm_86, sycl::half, sycl::half, float, sycl::half>;
  static_assert(on_ampere::M == 16 && on_ampere::N == 16 && on_ampere::K == 16);
  static_assert(matrix_params<ex::architecture::amd_gpu_gfx90a, double, double, double>::K == 4);
  static_assert(sycl::detail::matrix::row_for<sycl::half, sycl::half, float, float>(ex::architecture::intel_cpu_spr, 0, 0, 0) ==
                sizeof(sycl::detail::matrix::rows) / sizeof(sycl::detail::matrix::rows[0]));
  const std::vector<combination> all = of.get_info<ex::info::device::matrix_combinations>();
  CHECK(!all.empty());
  for (const combination &each : all) {
    CHECK((each.max_msize == 0) != (each.msize == 0));
    CHECK((each.max_nsize == 0) != (each.nsize == 0));
    CHECK((each.max_ksize == 0) != (each.ksize == 0));
  }
  CHECK(of.get_info<sycl::ext::intel::experimental::info::device::matrix::numtiles>() == 0);
  CHECK(round_to_tf32(1.0f + 0x1p-11f) == 1.0f && round_to_tf32(1.0f + 0x3p-11f) == 1.0f + 0x1p-9f && round_to_tf32(-0x1.8p-3f) == -0x1.8p-3f);
}

template <int Size> void everything_on(sycl::queue &q) {
  const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (std::find(sizes.begin(), sizes.end(), size_t(Size)) == sizes.end())
    return;
  products<Size>(q);
  sum_as_factor<Size, bfloat16, 16, 16>(q);
  sum_as_factor<Size, precision::tf32, 8, 24>(q);
  if (q.get_device().has(sycl::aspect::ext_intel_matrix)) {
    elements<Size>(q);
    bounds<Size>(q);
  }
}

} // namespace

int main() {
  sycl::queue q;
  queries(q.get_device());
  everything_on<16>(q);
#ifndef ONE_SIZE
  everything_on<8>(q);
  everything_on<32>(q);
#endif
  return failures != 0;
}
