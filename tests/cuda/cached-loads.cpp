// `ldg` of numbers, of classes of small words and of vectors of four bytes is a load through the read-only cache, of larger vectors one load as ever; the
// values are those of the memory on every device.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90,native_cpu -save-temps=made {self} -o a.out
//# sh: cat made/*.ptx
//# stdout~: ld\.global\.nc\.b8
//# stdout~: ld\.global\.nc\.b16
//# stdout~: ld\.global\.nc\.b32
//# stdout~: ld\.global\.nc\.b64
//# stdout~: ld\.global\.v4\.b32
//# run: ./a.out
//# stdout: right
#include <cstdio>
#include <cstring>
#include <sycl/ext/oneapi/experimental/cuda/builtins.hpp>
#include <sycl/sycl.hpp>

using sycl::ext::oneapi::experimental::cuda::ldg;

struct place {
  float x, y, z;
};
struct uneven {
  short number;
  char letters[2];
};

template <class T> bool is_read(sycl::queue &queue, T first, T second) {
  const T from[] = {first, second};
  T *const source = sycl::malloc_device<T>(2, queue), *const read = sycl::malloc_shared<T>(2, queue);
  queue.copy(from, source, 2).wait();
  queue.parallel_for(2, [=](sycl::id<1> at) { read[at] = ldg(source + at); }).wait();
  const bool is_same = std::memcmp(&read[0], &first, sizeof(T)) == 0 && std::memcmp(&read[1], &second, sizeof(T)) == 0;
  sycl::free(source, queue);
  sycl::free(read, queue);
  return is_same;
}

int main() {
  sycl::queue queue;
  const bool is_right = is_read<signed char>(queue, 3, -4) && is_read<short>(queue, 5, -6) && is_read(queue, 1.5f, -2.f) &&
                        is_read(queue, 1.25, -3.5) && is_read(queue, 1L << 40, -1L) && is_read(queue, sycl::half(1.5f), sycl::half(-2)) &&
                        is_read(queue, place{1, 2, 3}, place{4, 5, 6}) && is_read(queue, uneven{1, {2, 3}}, uneven{4, {5, 6}}) &&
                        is_read(queue, sycl::float2(1, 2), sycl::float2(3, 4)) && is_read(queue, sycl::char4(1, -2, 3, -4), sycl::char4(5)) &&
                        is_read(queue, sycl::half4(1, 2, 3, 4), sycl::half4(5)) && is_read(queue, sycl::float3(1, 2, 3), sycl::float3(4)) &&
                        is_read(queue, sycl::vec<short, 1>(1), sycl::vec<short, 1>(2)) && is_read(queue, sycl::int4(1, 2, 3, 4), sycl::int4(5)) &&
                        is_read(queue, sycl::marray<int, 3>(1, 2, 3), sycl::marray<int, 3>(4));
  std::puts(is_right ? "right" : "wrong");
}
