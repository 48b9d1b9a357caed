// Loops that go through memory by a pointer that grows by a pitch: up, down, one behind the other, in rows and columns, behind guards and with barriers.
//# run: aspen++ -O2 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
//# deep: further levels of optimisation
//# run: aspen++ -O3 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

static float *behind(float *p, long bytes) { return reinterpret_cast<float *>(reinterpret_cast<char *>(p) + bytes); }

// Down a column and up again, what is kept on the way; as an item does it, and as the host does.
static void column(float *c, unsigned length, int pitch) {
  float last = *c = *c * 0.5f;
  for (unsigned n = 1; n < length; ++n) {
    c = behind(c, pitch);
    *c = last = 0.25f * *c + 0.5f * last;
  }
  for (int n = static_cast<int>(length) - 2; n >= 0; --n) {
    c = behind(c, -pitch);
    *c = last = 0.5f * (last - *c);
  }
}

static float row_sum(const float *p, const float *end, long stride) {
  float sum = 0;
  for (; p < end; p += stride)
    sum = sum * 0.5f + *p;
  return sum;
}

int main() {
  sycl::queue q;
  int wrong = 0;
  for (unsigned width : {1u, 33u, 100u, 256u})
    for (unsigned height : {1u, 2u, 17u}) {
      const size_t size = size_t(width) * height;
      float *data = sycl::malloc_shared<float>(size, q), *sums = sycl::malloc_shared<float>(width, q);
      std::vector<float> want(size), want_sums(width);
      for (size_t i = 0; i < size; ++i)
        data[i] = want[i] = float(i * 37 % 64);
      const int pitch = int(width * sizeof(float));
      const sycl::nd_range<1> range((width + 31) / 32 * 32, 32);
      q.parallel_for(range, [=](sycl::nd_item<1> it) {
         const unsigned x = unsigned(it.get_global_id(0));
         if (x < width)
           column(data + x, height, pitch);
       }).wait();
      for (unsigned x = 0; x < width; ++x)
        column(want.data() + x, height, pitch);
      for (size_t i = 0; i < size; ++i)
        wrong += data[i] != want[i];
      // Two pointers, and a barrier between two loops.
      q.parallel_for(range, [=](sycl::nd_item<1> it) {
         const size_t x = it.get_global_id(0) % width;
         const float *p = data + x, *r = data + (width - 1 - x);
         float sum = row_sum(p, data + size, long(width));
         sycl::group_barrier(it.get_group());
         for (unsigned n = 0; n < height; ++n, p += width, r += width)
           sum += *p - *r * 2;
         if (it.get_global_id(0) < width)
           sums[x] = sum;
       }).wait();
      for (size_t x = 0; x < width; ++x) {
        float sum = row_sum(want.data() + x, want.data() + size, long(width));
        for (unsigned n = 0; n < height; ++n)
          sum += want[n * width + x] - want[n * width + (width - 1 - x)] * 2;
        wrong += sums[x] != sum;
      }
      sycl::free(data, q);
      sycl::free(sums, q);
    }
  std::printf("wrong %d\n", wrong);
}
