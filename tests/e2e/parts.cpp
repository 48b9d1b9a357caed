// An image of many kernels is made in parts, each by a process of its own; what changes is one for all of them: the value of a device global that lies
// in the image, a local variable, and the item that runs. Its bytes do not depend on how many processes there are.
//# run: aspen++ -O1 -c -fsycl-targets=native_cpu {self} -o a.o
//# run: aspen++ -v -fsycl-targets=native_cpu -fsycl-max-parallel-link-jobs=1 a.o -o a.out
//# stderr~: -shared -fPIC image0\.o image0\.1\.o image0\.2\.o
//# count: 1 stderr -shared -fPIC image
//# run: ./a.out
//# stdout: 48 kernels, wrong 0
//# run: cp a.out one.out
//# run: aspen++ -fsycl-targets=native_cpu -fsycl-max-parallel-link-jobs=3 a.o -o a.out
//# run: cmp a.out one.out
// With lines for debuggers.
//# deep: a build for debugging
//# run: aspen++ -g -O0 -fsycl-targets=native_cpu {self} -o c.out
//# run: ./c.out
//# stdout: 48 kernels, wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;

ex::device_global<int, decltype(ex::properties(ex::device_image_scope))> counter;
ex::work_group_static<unsigned[16]> tile;

template <int K> struct long_one;

// Some three hundred instructions.
template <int... N> unsigned much(unsigned x, std::integer_sequence<int, N...>) {
  ((x = x * (2 * N + 3) + (x >> (N % 5 + 1)) * N), ...);
  return x;
}

template <int K> int run(sycl::queue &q, int *data) {
  using numbers = std::make_integer_sequence<int, 64 + K>;
  q.parallel_for<long_one<K>>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) {
     const size_t i = it.get_local_id(0);
     tile[15 - i] = much(static_cast<unsigned>(i) + K, numbers());
     sycl::group_barrier(it.get_group());
     data[i] = static_cast<int>(tile[i]);
     if (i == 0)
       counter = counter + 1;
   }).wait();
  int wrong = 0;
  for (int i = 0; i < 16; ++i)
    wrong += data[i] != static_cast<int>(much(15 - i + K, numbers()));
  return wrong;
}

template <int... K> int all(sycl::queue &q, int *data, std::integer_sequence<int, K...>) { return (run<K>(q, data) + ...); }

int main() {
  sycl::queue q;
  int *data = sycl::malloc_shared<int>(17, q);
  const int wrong = all(q, data, std::make_integer_sequence<int, 48>());
  q.single_task<class read>([=] { data[16] = counter; }).wait();
  std::printf("%d kernels, wrong %d\n", data[16], wrong);
  sycl::free(data, q);
}
