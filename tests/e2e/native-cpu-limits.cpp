// Work-groups of the embedded CPU: 8192 work-items, also where they run one by one and wait for each other, but for kernels with large private
// variables, which say so; and what a kernel does wrong: a stack that overflows, a barrier that some pass by, groups that wait for others which cannot begin.
//# run: aspen++ -O2 {self} -fsycl-targets=native_cpu -Wno-sycl-strict -Rpass-missed=aspen-items -o a.out
//# stderr~: remark: kernel recursive: it runs item by item: a function that comes to a barrier or asks which item runs calls itself \(native-cpu-limits\.cpp:\d+:\d+\) \[-Rpass-missed=aspen-items\]
//# run: aspen inspect a.out
//# stdout~: kernel recursive +runs item by item: a function that comes to a barrier or asks which item runs calls itself \(native-cpu-limits\.cpp:\d+:\d+\)
//# stdout~: kernel large +runs a work-group at once
//# run: ./a.out
//# stdout~: large: 0 wrong, 8192 of 8192
//# stdout: recursive: 0 wrong, 8192 of 8192
//# run: aspen++ -O0 {self} -fsycl-targets=native_cpu -Wno-sycl-strict -o zero
//# run: aspen inspect zero
//# stdout~: kernel large +runs item by item: it is compiled without optimisation \(-O0\)
//# run: ./zero
//# stdout: large: 0 wrong, 8192 of 8192
//# stdout: recursive: 0 wrong, 8192 of 8192
//# run: ./zero declared
//# stdout: declared: 0 wrong
//# run: ./zero variables
//# stdout~: variables: nd_range, kernel 'variables' was launched with work-groups of 8192; it takes \d+ work-items at most, since its work-items wait for each other, each with 1073\d{6} bytes of private variables, of which this machine's memory has \d+ for each thread \(they run one by one: it is compiled without optimisation \(-O0\)\)
//# sh: ./zero overflow-and-wait 2> said; test $? = 139 && grep -q "aspen: kernel 'waits_too_deep' has overflowed its stack" said
//# run: ASPEN_CPU_THREADS=2 ASPEN_CHECK=1 ./a.out skip
//# stdout~: in work-group \(0, 0, 0\) work-item \d+ of sub-group \d passes by the barrier or group operation at native-cpu-limits\.cpp:\d+:\d+, where others of its group wait
//# run: ASPEN_CHECK=1 ./a.out early
//# stdout: early: 0 wrong
//# run: ASPEN_CHECK=1 ./a.out no-barrier
//# stdout: no barrier: 0 wrong
//# run: ASPEN_CPU_THREADS=2 ASPEN_CHECK=1 ./a.out wait 2
//# stdout: wait: 2 of 2 threads, 0 wrong
//# run: ASPEN_CPU_THREADS=2 ./a.out wait-in-function
//# stdout: in a function: 2
//# sh: taskset -c 0 ./a.out wait 1 | grep -q "1 of 1 threads"
//# sh: ASPEN_CPU_THREADS=2 ASPEN_CHECK=1 ./a.out hang 2> told & for i in $(seq 60); do sleep 0.5; grep -q "none of its 3 work-groups has ended, 0 have before; 2 run at once" told && break; done; kill -9 $!; test $i -lt 60
//# sh: ./a.out overflow 2> said; test $? = 139 && grep -q "aspen: kernel 'overflow' has overflowed its stack" said
//# sh: timeout -s INT -k 5 2 ./a.out endless; test $? = 124
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

class large;
class recursive;
class skip;
class early;
template <int> class no_barrier;
class waits;
class arrives;
class declared;
class overflow;
class waits_too_deep;
class variables;
class endless;

[[clang::noinline]] unsigned deep(unsigned n, sycl::group<1> group) {
  if (n == 0)
    return 0;
  sycl::group_barrier(group);
  unsigned below = deep(n / 2, group);
  sycl::group_barrier(group);
  return below * n + deep(n / 3, group) + 1;
}

unsigned on_host(unsigned n) { return n == 0 ? 0 : on_host(n / 2) * n + on_host(n / 3) + 1; }

[[clang::noinline]] unsigned without_end(volatile unsigned *p, unsigned n) {
  volatile unsigned own[200];
  own[n % 200] = *p;
  return own[n % 100] == 77 ? 0 : without_end(p, n + 1) + own[n % 200];
}

template <class Name> size_t most(const sycl::queue &q) {
  auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  return bundle.get_kernel<Name>().template get_info<sycl::info::kernel_device_specific::work_group_size>(q.get_device());
}

void sizes(sycl::queue &q, unsigned *out) {
  const unsigned size = q.get_device().get_info<sycl::info::device::max_work_group_size>();
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<unsigned, 1> m(size, h);
     h.parallel_for<large>(sycl::nd_range<1>(2 * size, size), [=](sycl::nd_item<1> it) {
       const unsigned l = it.get_local_id(0);
       unsigned own[5];
       for (unsigned i = 0; i < 5; ++i)
         own[i] = l * i;
       m[l] = l;
       sycl::group_barrier(it.get_group());
       for (unsigned step = size / 2; step > 0; step /= 2) {
         if (l < step)
           m[l] += m[l + step];
         sycl::group_barrier(it.get_group());
       }
       out[it.get_global_id(0)] = m[0] + own[l % 5] + sycl::reduce_over_group(it.get_sub_group(), 1u, sycl::plus<unsigned>());
     });
   }).wait();
  unsigned wrong = 0;
  for (unsigned i = 0; i < 2 * size; ++i)
    wrong += out[i] != size * (size - 1) / 2 + i % size * (i % size % 5) + 32;
  std::printf("large: %u wrong, %zu of %u\n", wrong, most<large>(q), size);
  // Behind it, the stacks of large groups are used again, by smaller ones too.
  for (unsigned n : {size, 1024u, size, 3000u}) {
    q.parallel_for<recursive>(sycl::nd_range<1>(n, n), [=](sycl::nd_item<1> it) {
       out[it.get_local_id(0)] = deep(9 + it.get_group(0), it.get_group());
     }).wait();
    wrong = 0;
    for (unsigned i = 0; i < n; ++i)
      wrong += out[i] != on_host(9);
    if (wrong != 0 || n == 3000)
      std::printf("recursive: %u wrong, %zu of %u\n", wrong, most<recursive>(q), size);
  }
}

/// Items pass by where a barrier stands, but nobody comes to it: a condition that is the same for all says no.
void pass_by_nothing(sycl::queue &q, unsigned *out, bool no) {
  q.parallel_for<no_barrier<1>>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
     unsigned l = it.get_local_id(0), v = 7;
     if (l % 32 < 4) {
       v = l * 3;
       if (no)
         v = sycl::reduce_over_group(it.get_sub_group(), l, sycl::plus<unsigned>());
     }
     out[l] = v;
   }).wait_and_throw();
  q.parallel_for<no_barrier<2>>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
     unsigned l = it.get_local_id(0), v = 7;
     if (l < 4) {
       v = l * 3;
       if (no)
         sycl::group_barrier(it.get_group());
     }
     out[64 + l] = v;
   }).wait_and_throw();
  // The first sub-group has somebody who passes by, and ends; the second comes to the barrier.
  q.parallel_for<no_barrier<3>>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
     unsigned l = it.get_local_id(0), v = 7;
     if (l < 4 || l >= 32) {
       v = l * 3;
       if (l >= 32)
         sycl::group_barrier(it.get_sub_group());
     }
     out[128 + l] = v;
   }).wait_and_throw();
  unsigned wrong = 0;
  for (unsigned l = 0; l < 64; ++l) {
    wrong += out[l] != (l % 32 < 4 ? l * 3 : 7);
    wrong += out[64 + l] != (l < 4 ? l * 3 : 7);
    wrong += out[128 + l] != (l < 4 || l >= 32 ? l * 3 : 7);
  }
  std::printf("no barrier: %u wrong\n", wrong);
}

/// Groups that meet at a counter; none waits for longer than `patience` turns.
unsigned meet(sycl::queue &q, unsigned *out, unsigned groups, unsigned long long patience) {
  out[0] = out[1] = 0;
  q.parallel_for<waits>(sycl::nd_range<1>(groups, 1), [=](sycl::nd_item<1>) {
     using counter = sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>;
     ++counter(out[0]);
     for (unsigned long long turn = 0; counter(out[0]).load() < groups; ++turn)
       if (turn == patience) {
         ++counter(out[1]);
         return;
       }
   }).wait();
  return out[1];
}

[[clang::noinline]] void arrive(unsigned *at, unsigned groups) {
  sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device> counter(*at);
  ++counter;
  while (counter.load() < groups)
    ;
}

int main(int argc, char **argv) {
  sycl::queue q([](sycl::exception_list all) {
    for (auto &one : all)
      std::rethrow_exception(one);
  });
  auto *out = sycl::malloc_shared<unsigned>(1 << 15, q);
  const auto is = [&](const char *what) { return argc > 1 && std::strcmp(argv[1], what) == 0; };
  try {
    if (argc == 1)
      sizes(q, out);
    if (is("skip"))
      q.parallel_for<skip>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
        unsigned l = it.get_local_id(0), v = 7;
        if (l % 32 < 4)
          v = sycl::reduce_over_group(it.get_sub_group(), l, sycl::plus<unsigned>());
        out[l] = v;
      });
    if (is("early")) {
      q.parallel_for<early>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
         unsigned l = it.get_local_id(0);
         if (l >= 50)
           return;
         out[l] = sycl::reduce_over_group(it.get_sub_group(), l, sycl::plus<unsigned>());
       }).wait_and_throw();
      std::printf("early: %d wrong\n", out[0] != 31 * 16 || out[49] != 18 * 81 / 2);
    }
    if (is("no-barrier"))
      pass_by_nothing(q, out, argc > 5);
    if (is("wait")) {
      const unsigned threads = q.get_device().get_info<sycl::info::device::max_compute_units>();
      unsigned gave_up = 0;
      // The second launch knows that the first one was short.
      for (int round = 0; round < 50; ++round)
        gave_up += meet(q, out, std::atoi(argv[2]), ~0ull);
      std::printf("wait: %s of %u threads, %u wrong\n", argv[2], threads, gave_up);
    }
    if (is("wait-in-function")) {
      for (int round = 0; round < 50; ++round) {
        out[0] = 0;
        const bool waits = round >= 40; // after many short launches
        q.parallel_for<arrives>(sycl::nd_range<1>(2, 1), [=](sycl::nd_item<1> it) {
           if (waits)
             arrive(out, 2);
           sycl::group_barrier(it.get_group());
         }).wait();
      }
      std::printf("in a function: %u\n", out[0]);
    }
    if (is("declared")) {
      // A size that the kernel declares was checked with its image, whatever the limit of kernels whose items run one by one is.
      q.parallel_for<declared>(sycl::nd_range<1>(2048, 2048), [=](sycl::nd_item<1> it) [[sycl::reqd_work_group_size(2048)]] {
         sycl::group_barrier(it.get_group());
         out[it.get_local_id(0)] = 2048;
       }).wait();
      unsigned wrong = 0;
      for (unsigned i = 0; i < 2048; ++i)
        wrong += out[i] != 2048;
      std::printf("declared: %u wrong\n", wrong);
    }
    if (is("variables"))
      try {
        q.parallel_for<variables>(sycl::nd_range<1>(8192, 8192), [=](sycl::nd_item<1> it) {
          volatile char own[1u << 30];
          own[out[0]] = 1;
          sycl::group_barrier(it.get_group());
          out[0] = own[out[0]];
        });
      } catch (const sycl::exception &e) {
        std::printf("variables: %s, %s\n", e.code() == sycl::errc::nd_range ? "nd_range" : "another error", e.what());
      }
    if (is("overflow-and-wait"))
      q.parallel_for<waits_too_deep>(sycl::nd_range<1>(8192, 8192), [=](sycl::nd_item<1> it) {
        sycl::group_barrier(it.get_group());
        out[0] = it.get_local_id(0) == 5000 ? without_end(out, 1) : 0;
      });
    if (is("hang"))
      meet(q, out, 3, ~0ull);
    if (is("overflow"))
      q.single_task<overflow>([=] { out[0] = without_end(out, 1); });
    if (is("endless"))
      q.single_task<endless>([=] {
        volatile unsigned *p = out;
        while (p[0] != 1234567)
          p[1] = 3;
      });
    q.wait_and_throw();
  } catch (const sycl::exception &e) {
    std::puts(e.what());
  }
  sycl::free(out, q);
}
