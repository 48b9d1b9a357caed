// Barriers and shuffles are right on 1, 2 and 16 threads, under every sub-group size.
//# run: aspen++ -O2 {self} -o a.out
//# run: ASPEN_CPU_THREADS=1 ./a.out
//# stdout: ok
//# run: ASPEN_CPU_THREADS=2 ./a.out
//# stdout: ok
//# run: ASPEN_CPU_THREADS=16 ./a.out
//# stdout: ok
//# run: aspen++ -O0 {self} -o b.out
//# run: ./b.out
//# stdout: ok
//# run: ASPEN_CPU_SUB_GROUP_SIZE=64 ./a.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdio>

template <int Size> struct exchange {
  int *out;
  sycl::local_accessor<int, 1> scratch;
  [[sycl::reqd_sub_group_size(Size)]] void operator()(sycl::nd_item<1> item) const {
    auto lanes = item.get_sub_group();
    int id = int(item.get_local_id(0));
    int from_neighbour = sycl::permute_group_by_xor(lanes, id, 1);
    scratch[id] = from_neighbour;
    sycl::group_barrier(item.get_group());
    int across = scratch[item.get_local_range(0) - 1 - id];
    int sum = sycl::reduce_over_group(lanes, 1, sycl::plus<>());
    int before = sycl::exclusive_scan_over_group(lanes, 1, sycl::plus<>());
    bool layout = lanes.get_max_local_range()[0] == Size && before == int(lanes.get_local_linear_id()) && id / Size == int(lanes.get_group_linear_id());
    out[item.get_global_id(0)] = layout && sum == int(lanes.get_local_linear_range()) ? across : -1;
  }
};

template <int Size> bool right(sycl::queue &q, size_t groups, size_t local) {
  size_t n = groups * local;
  int *out = sycl::malloc_shared<int>(n, q);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int, 1> scratch(sycl::range<1>(local), h);
    h.parallel_for(sycl::nd_range<1>(n, local), exchange<Size>{out, scratch});
  }).wait();
  bool good = true;
  for (size_t i = 0; i < n; ++i)
    good = good && out[i] == int((local - 1 - i % local) ^ 1);
  sycl::free(out, q);
  if (!good)
    std::printf("sub-group size %d, work-group size %zu: wrong\n", Size, local);
  return good;
}

template <int Size> bool right(sycl::queue &q) { return right<Size>(q, 37, 128) && right<Size>(q, 3, Size) && right<Size>(q, 5, 40); }

int main() {
  sycl::queue q;
  bool good = right<4>(q);
  good = right<8>(q) && good;
  good = right<16>(q) && good;
  good = right<32>(q) && good;
  const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (sizes.back() == 64)
    good = right<64>(q) && good;
  std::puts(good ? "ok" : "wrong");
}
