// Operations of a sub-group that only some of its lanes come to, in the shapes of ported programs: lanes that have left a loop, or are in the other
// branch, wait for the others; also where work-items run one by one (-O0). ASPEN_CHECK=1 tells it, with the place.
//# run: aspen++ -O2 {self} -fsycl-targets=native_cpu -o a.out
//# run: ./a.out
//# stdout: scan: 0 wrong
//# stdout: branches: 0 wrong
//# stdout: loops: 0 wrong
//# run: aspen++ -O0 {self} -fsycl-targets=native_cpu -o zero
//# run: ./zero scan
//# stdout: scan: 0 wrong
//# run: ASPEN_CHECK=1 ./a.out scan
//# exit: 1
//# stdout~: kernel 'scan': in work-group \(0, 0, 0\) work-item \d+ of sub-group \d passes by the barrier or group operation at native-cpu-parted\.cpp:\d+:\d+, where others of its group wait
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>

class scan;
class branches;
class loops;

constexpr int Size = 83, Items = 64;

/// A scan of 83 numbers by 64 work-items: in the second turn of the loop only 19 lanes take part.
int wrong_in_scan(sycl::queue &q, int *in, int *out) {
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int> sums(4, h);
     h.parallel_for<scan>(sycl::nd_range<1>(Items, Items), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(32)]] {
       const auto warp = it.get_sub_group();
       const int lane = warp.get_local_linear_id();
       for (int i = it.get_local_id(0); i < Size; i += Items) {
         int sum = in[i];
         for (int step = 1; step < 32; step *= 2) {
           const int other = sycl::shift_group_right(warp, sum, step);
           if (lane >= step)
             sum += other;
         }
         out[i] = sum;
         if (lane == 31)
           sums[i / 32] = sum;
       }
       sycl::group_barrier(it.get_group());
       for (int i = it.get_local_id(0); i < Size; i += Items)
         for (int block = 0; block < i / 32; ++block)
           out[i] += sums[block];
     });
   }).wait_and_throw();
  int wrong = 0, sum = 0;
  for (int i = 0; i < Size; ++i)
    wrong += out[i] != (sum += in[i]);
  return wrong;
}

int main(int argc, char **argv) {
  sycl::queue q([](sycl::exception_list all) { std::rethrow_exception(*all.begin()); });
  int *in = sycl::malloc_shared<int>(Size, q), *out = sycl::malloc_shared<int>(Size, q);
  for (int i = 0; i < Size; ++i)
    in[i] = i % 7 + 1;
  try {
    std::printf("scan: %d wrong\n", wrong_in_scan(q, in, out));
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  if (argc > 1)
    return 0;
  q.parallel_for<branches>(sycl::nd_range<1>(Items, Items), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(32)]] {
     const auto warp = it.get_sub_group();
     const int l = it.get_local_id(0), lane = warp.get_local_linear_id();
     int x;
     if (lane < 10)
       x = sycl::select_from_group(warp, l, (lane + 1) % 10);
     else
       x = 1000 + sycl::group_broadcast(warp, l * 2, 20);
     x += 10000 * sycl::reduce_over_group(warp, 1, sycl::plus<>());
     sycl::group_barrier(it.get_group());
     out[l] = x;
   }).wait_and_throw();
  int wrong = 0;
  for (int l = 0; l < Items; ++l) {
    const int lane = l % 32, first = l - lane;
    wrong += out[l] != 320000 + (lane < 10 ? first + (lane + 1) % 10 : 1000 + (first + 20) * 2);
  }
  std::printf("branches: %d wrong\n", wrong);
  q.parallel_for<loops>(sycl::nd_range<1>(Items, Items), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(32)]] {
     const auto warp = it.get_sub_group();
     const int l = it.get_local_id(0), lane = warp.get_local_linear_id();
     int sum = 0, turns = 0;
     for (int i = 0; i < in[l]; ++i, ++turns)
       sum += sycl::reduce_over_group(warp, lane, sycl::plus<>());
     sum += 100000 * sycl::reduce_over_group(warp, 1, sycl::plus<>());
     out[l] = sum;
     sycl::group_barrier(it.get_group());
     out[l] += turns;
   }).wait_and_throw();
  wrong = 0;
  for (int l = 0; l < Items; ++l) {
    int sum = 3200000 + in[l];
    for (int turn = 0; turn < in[l]; ++turn)
      for (int other = l / 32 * 32, lane = 0; lane < 32; ++lane)
        sum += in[other + lane] > turn ? lane : 0;
    wrong += out[l] != sum;
  }
  std::printf("loops: %d wrong\n", wrong);
  sycl::free(in, q), sycl::free(out, q);
}
