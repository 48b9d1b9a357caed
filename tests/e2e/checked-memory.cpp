// ASPEN_CHECK on what is at the edges: buffers without a byte, as large as no memory, parts of others, of other types; and more allocations than
// the system has mappings for: all as without it.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# sh: ./a.out 20000 > plain && ASPEN_CHECK=1 ./a.out 20000 > end 2> told && ASPEN_CHECK=begin ./a.out 20000 > begin && cmp plain end && cmp plain begin && cat plain && cat told
//# stdout: sum: 25850
//# stdout: small: 20000
//# stdout~: ^aspen: ASPEN_CHECK: the bounds of some memory are not checked: 
#include <sycl/sycl.hpp>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>
class reads_part;
class reads_other;
class nothing_there;
class vectors;
class many_small;
class last_ones;
int main(int argc, char **argv) {
  sycl::queue q;
  // None of it has a byte.
  sycl::buffer<int> none{sycl::range(0)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(none, h);
    h.parallel_for<nothing_there>(1, [=](sycl::id<1>) { (void)a.size(); });
  }).wait();
  // Never touched: the same answer as without checks.
  try {
    sycl::buffer<char> vast{sycl::range<1>(size_t(64) << 40)};
    std::puts("64 TiB: there");
  } catch (const sycl::exception &) {
    std::puts("64 TiB: no memory");
  }
  std::vector<int> host(100, 1);
  {
    sycl::buffer<int> whole(host);
    sycl::buffer<int> part(whole, 50, 50);
    auto bytes = whole.reinterpret<unsigned char>();
    auto wide = whole.reinterpret<sycl::int4>();
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(part, h);
      h.parallel_for<reads_part>(50, [=](sycl::id<1> i) { a[i] += 1; });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(bytes, h);
      h.parallel_for<reads_other>(400, [=](sycl::id<1> i) { a[i] += i % 4 == 1; });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(wide, h);
      h.parallel_for<vectors>(25, [=](sycl::id<1> i) { a[i] += sycl::int4(1); });
    });
  }
  std::printf("sum: %d\n", std::accumulate(host.begin(), host.end(), 0));
  // More than there are mappings for.
  const int count = argc > 1 ? std::stoi(argv[1]) : 100;
  std::vector<int *> small(count);
  for (int *&one : small)
    one = sycl::malloc_shared<int>(1, q);
  int **list = sycl::malloc_shared<int *>(count, q);
  std::copy(small.begin(), small.end(), list);
  q.parallel_for<many_small>(count, [=](sycl::id<1> i) { *list[i] = 1; }).wait();
  int sum = 0;
  for (int *one : small) {
    sum += *one;
    sycl::free(one, q);
  }
  sycl::free(list, q);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < count; ++i)
      sycl::free(sycl::malloc_device<int>(3, q), q);
  std::printf("small: %d\n", sum);
}
