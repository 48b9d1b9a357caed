// Kernels in which each item does much, then one atomic operation, and much with what that gives: pieces without the atomic become vectors, and every
// item still does it once.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

template <class T, sycl::access::address_space S = sycl::access::address_space::global_space>
using counter = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device, S>;

static float much(float x) {
  for (int k = 0; k < 6; ++k)
    x = sycl::sqrt(x * x * 0.25f + float(k)) * 0.5f + sycl::exp(-x) * 0.125f;
  return x;
}

// Of each group's items as many as say so end before.
int run(sycl::queue &q, size_t groups, size_t local, size_t ending) {
  const size_t n = groups * local;
  int *sum = sycl::malloc_shared<int>(3, q), *ticket = sycl::malloc_shared<int>(n, q);
  float *before = sycl::malloc_shared<float>(n, q), *behind = sycl::malloc_shared<float>(n, q);
  double *all = sycl::malloc_shared<double>(groups, q);
  for (int i = 0; i < 3; ++i)
    sum[i] = 0;
  for (size_t i = 0; i < n; ++i)
    ticket[i] = -1, before[i] = behind[i] = 0;
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<double, 1> in_group(1, h);
     h.parallel_for(sycl::nd_range<1>(n, local), [=](sycl::nd_item<1> it) {
       const size_t i = it.get_global_id(0);
       if (it.get_local_id(0) == 0)
         in_group[0] = 0;
       sycl::group_barrier(it.get_group());
       if (it.get_local_id(0) >= local - ending)
         return;
       const float x = much(float(i % 97) * 0.01f);
       before[i] = x;
       const int mine = counter<int>(sum[0]).fetch_add(1); // a number for each
       ticket[i] = mine;
       behind[i] = much(x + float(mine % 5));
       if (i % 3 == 0)
         counter<int>(sum[1]).fetch_add(int(i));
       int old = sum[2];
       counter<int>(sum[2]).compare_exchange_strong(old, old > int(i) ? old : int(i));
       counter<double, sycl::access::address_space::local_space>(in_group[0]).fetch_add(double(i));
       sycl::group_barrier(it.get_group());
       if (it.get_local_id(0) == 0)
         all[it.get_group(0)] = in_group[0];
     });
   }).wait();
  int wrong = 0, thirds = 0;
  std::vector<bool> seen(n);
  size_t count = 0;
  for (size_t g = 0; g < groups; ++g) {
    double of_group = 0;
    for (size_t l = 0; l < local; ++l) {
      const size_t i = g * local + l;
      if (l >= local - ending) {
        wrong += ticket[i] != -1 || before[i] != 0;
        continue;
      }
      ++count;
      of_group += double(i);
      thirds += i % 3 == 0 ? int(i) : 0;
      const bool fits = ticket[i] >= 0 && ticket[i] < int(n) && !seen[size_t(ticket[i])];
      wrong += !fits;
      if (fits)
        seen[size_t(ticket[i])] = true;
      const float x = much(float(i % 97) * 0.01f);
      wrong += sycl::fabs(before[i] - x) > 1e-5f || sycl::fabs(behind[i] - much(x + float(ticket[i] % 5))) > 1e-5f;
    }
    wrong += local > ending && all[g] != of_group;
  }
  wrong += sum[0] != int(count) || sum[1] != thirds;
  for (void *p : {static_cast<void *>(sum), static_cast<void *>(ticket), static_cast<void *>(before), static_cast<void *>(behind), static_cast<void *>(all)})
    sycl::free(p, q);
  return wrong;
}

int main() {
  sycl::queue q;
  int wrong = 0;
  for (size_t local : {1, 16, 33, 64, 250})
    for (size_t ending : {0, 1, 7})
      if (ending < local)
        wrong += run(q, 5, local, ending);
  // Without barriers: in strips.
  constexpr size_t n = 1000;
  float *sum = sycl::malloc_shared<float>(1, q), *out = sycl::malloc_shared<float>(n, q);
  *sum = 0;
  q.parallel_for(sycl::nd_range<1>(n, 50), [=](sycl::nd_item<1> it) {
     const size_t i = it.get_global_id(0);
     float x = float(i % 8);
     for (int k = 0; k < 20; ++k)
       x = x * 0.5f + float(k % 2);
     out[i] = x;
     counter<float>(*sum).fetch_add(float(i % 4));
   }).wait();
  wrong += *sum != 1500;
  for (size_t i = 0; i < n; ++i) {
    float x = float(i % 8);
    for (int k = 0; k < 20; ++k)
      x = x * 0.5f + float(k % 2);
    wrong += out[i] != x;
  }
  std::printf("wrong %d\n", wrong);
  sycl::free(sum, q);
  sycl::free(out, q);
}
