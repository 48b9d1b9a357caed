// Arrays that items keep while their sub-groups go through rows, behind a first stretch that the whole group does together: there they are not.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>

using Element = sycl::ext::oneapi::bfloat16;
constexpr int Width = 8, Size = 64, Groups = 3;

struct alignas(16) Pack {
  Element of[Width];
  explicit Pack(sycl::int4 bits) { *reinterpret_cast<sycl::int4 *>(of) = bits; }
  sycl::int4 bits() const { return *reinterpret_cast<const sycl::int4 *>(of); }
};

static Pack load(const Element *from) { return Pack{*reinterpret_cast<const sycl::int4 *>(from)}; }

static void add(float &to, float much) { sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(to).fetch_add(much); }

int main() {
  sycl::queue q;
  int wrong = 0;
  for (int count : {256, 512, 1024}) {
    const int rows = 7;
    Element *const in = sycl::malloc_shared<Element>(rows * count, q), *const out = sycl::malloc_shared<Element>(rows * count, q);
    float *const sums = sycl::malloc_shared<float>(Groups * count, q);
    for (int i = 0; i < rows * count; i++)
      in[i] = float(i % 13 - 6), out[i] = float(i % 5);
    q.submit([&](sycl::handler &h) {
       sycl::local_accessor<float> near(2 * count, h);
       h.parallel_for(sycl::nd_range<1>(Groups * Size, Size), [=](sycl::nd_item<1> it) {
         const int l = it.get_local_id(0);
         auto sg = it.get_sub_group();
         const int width = sg.get_max_local_range()[0], first = l / width, lane = l % width, many = Size / width;
         for (int i = l; i < count; i += Size)
           near[i] = near[count + i] = 0;
         sycl::group_barrier(it.get_group());
         for (int row = int(it.get_group(0)) * many + first; row < rows; row += many * Groups) {
           const float all = sycl::reduce_over_group(sg, float(in[row * count + lane]), sycl::plus<float>());
           for (int i = 0; i < count / (width * Width); i++) {
             const int at = lane * Width + i * width * Width;
             Pack a = load(in + row * count + at), b = load(out + row * count + at);
#pragma clang loop unroll(disable)
             for (int x = 0; x < Width; x++) {
               const float one = float(a.of[x]);
               add(near[i * width * Width + x * width + lane], one);
               add(near[count + i * width * Width + x * width + lane], one * all);
               b.of[x] = Element(float(b.of[x]) + one + (all > 0 ? 1.f : 0.f));
             }
             *reinterpret_cast<sycl::int4 *>(out + row * count + at) = b.bits();
           }
         }
         sycl::group_barrier(it.get_group());
         for (int i = l; i < count; i += Size)
           sums[it.get_group(0) * count + i] = near[i] + near[count + i];
       });
     }).wait();
    // With sub-groups of 32, the default.
    for (int row = 0; row < rows; row++) {
      float all = 0;
      for (int lane = 0; lane < 32; lane++)
        all += float(in[row * count + lane]);
      for (int i = 0; i < count; i++)
        wrong += float(out[row * count + i]) != float((row * count + i) % 5) + float(in[row * count + i]) + (all > 0 ? 1.f : 0.f);
    }
    float total = 0, want = 0;
    for (int i = 0; i < Groups * count; i++)
      total += sums[i];
    for (int row = 0; row < rows; row++) {
      float all = 1;
      for (int lane = 0; lane < 32; lane++)
        all += float(in[row * count + lane]);
      for (int i = 0; i < count; i++)
        want += float(in[row * count + i]) * all;
    }
    wrong += total != want;
  }
  std::printf("wrong %d\n", wrong);
}
