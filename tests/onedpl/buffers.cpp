// oneDPL's algorithms over buffers do what those of the standard library do.
//# run: aspen++ -O1 -std=c++17 -fsycl-targets=native_cpu -DONEDPL_USE_TBB_BACKEND=0 -DONEDPL_USE_OPENMP_BACKEND=0 {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong
#include <oneapi/dpl/execution>
#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/iterator>
#include <oneapi/dpl/numeric>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

namespace dpl = oneapi::dpl;

constexpr int n = 20011;
static int wrong;

static void same(const char *what, bool is) {
  if (!is) {
    ++wrong;
    std::printf("%s\n", what);
  }
}

template <class F> static std::vector<int> changed(std::vector<int> v, const F &change) {
  {
    sycl::buffer<int> b(v);
    change(b);
  }
  return v;
}

int main() {
  sycl::queue q;
  const auto policy = dpl::execution::make_device_policy(q);
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i)
    v[i] = int(unsigned(i) * 2654435761u >> 18);
  const auto third = [](int x) { return x % 3 == 0; };
  {
    std::vector<int> out(n), want;
    std::copy_if(v.begin(), v.end(), std::back_inserter(want), third);
    long count = 0;
    {
      sycl::buffer<int> from(v), to(out);
      count = dpl::copy_if(policy, dpl::begin(from), dpl::end(from), dpl::begin(to), third) - dpl::begin(to);
    }
    same("copy_if", size_t(count) == want.size() && std::equal(want.begin(), want.end(), out.begin()));
  }
  {
    std::vector<int> out(n), want(n);
    {
      sycl::buffer<int> from(v), to(out);
      dpl::exclusive_scan(policy, dpl::begin(from), dpl::end(from), dpl::begin(to), 5);
    }
    std::exclusive_scan(v.begin(), v.end(), want.begin(), 5);
    same("exclusive_scan", out == want);
  }
  {
    auto want = v;
    std::sort(want.begin(), want.end());
    same("sort", changed(v, [&](sycl::buffer<int> &b) { dpl::sort(policy, dpl::begin(b), dpl::end(b)); }) == want);
  }
  {
    long sum = 0, squares = 0;
    {
      sycl::buffer<int> b(v);
      sum = dpl::reduce(policy, dpl::begin(b), dpl::end(b), 0L);
      squares = dpl::transform_reduce(policy, dpl::begin(b), dpl::end(b), 0L, std::plus<long>(), [](int x) { return long(x) * x; });
    }
    same("reduce", sum == std::accumulate(v.begin(), v.end(), 0L));
    same("transform_reduce", squares == std::inner_product(v.begin(), v.end(), v.begin(), 0L, std::plus<long>(), [](long a, long b) { return a * b; }));
  }
  {
    auto want = v;
    std::transform(want.begin(), want.end(), want.begin(), [](int x) { return x / 2 + 1; });
    same("for_each", changed(v, [&](sycl::buffer<int> &b) { dpl::for_each(policy, dpl::begin(b), dpl::end(b), [](int &x) { x = x / 2 + 1; }); }) == want);
  }
  std::printf("%d wrong\n", wrong);
}
