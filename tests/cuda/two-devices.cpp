// Two GPUs of one machine as devices of one platform: contexts, memory, buffers, events. The fake driver runs no kernels, so there the values that
// kernels make are not looked at; `two-devices.out kernels` on a machine with two GPUs looks at all.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 {self} -o two-devices.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_DEVICES=2 ./two-devices.out
//# stdout: 2 devices
//# stdout: peers 1
//# stdout: failed 0
//# stdout!~: ^FAILED
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:1 FAKE_DEVICES=2 ./two-devices.out
//# stdout: 1 devices
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

static int failed = 0;
static bool runs_kernels = false;

static void check(bool holds, const char *what, int line) {
  if (!holds) {
    std::printf("FAILED %d: %s\n", line, what);
    ++failed;
  }
}
#define CHECK(...) check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__)
// What only a device that runs kernels makes true.
#define CHECK_RUN(...) check(!runs_kernels || static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__)

template <class F> static bool throws(sycl::errc code, F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    if (e.code() == code)
      return true;
    std::printf("another code: %s\n", e.what());
  }
  return false;
}

using devices = std::vector<sycl::device>;
constexpr int many = 1 << 20;

static void one_platform(const devices &gpus) {
  CHECK(gpus[0] != gpus[1]);
  CHECK(gpus[0].get_platform() == gpus[1].get_platform());
  CHECK(gpus[0].get_platform().get_devices().size() == gpus.size());
  std::set<std::size_t> hashes;
  for (const sycl::device &gpu : gpus)
    hashes.insert(std::hash<sycl::device>()(gpu));
  CHECK(hashes.size() == gpus.size());
  for (const sycl::device &gpu : gpus) {
    const auto wanted = [&](const sycl::device &d) { return d == gpu ? 1 : -1; };
    CHECK(sycl::device(wanted) == gpu);
    CHECK(sycl::queue(wanted).get_device() == gpu);
    CHECK(throws(sycl::errc::feature_not_supported, [&] { gpu.create_sub_devices<sycl::info::partition_property::partition_equally>(2); }));
    CHECK(gpu.get_info<sycl::info::device::partition_max_sub_devices>() == 0);
  }
  const sycl::context both(gpus);
  CHECK(both.get_devices() == gpus);
  // The context of a queue made of a device alone has them all.
  CHECK(sycl::queue(gpus[0]).get_context() == sycl::queue(gpus[1]).get_context());
}

static void refusals(const devices &gpus) {
  const sycl::context first(gpus[0]), both(gpus);
  CHECK(throws(sycl::errc::invalid, [&] { sycl::queue(first, gpus[1]); }));
  CHECK(throws(sycl::errc::invalid, [&] { sycl::malloc_device<int>(1, gpus[1], first); }));
  CHECK(throws(sycl::errc::invalid, [&] { sycl::malloc_shared<int>(1, gpus[1], first); }));
  CHECK(throws(sycl::errc::invalid, [&] { sycl::get_kernel_bundle<sycl::bundle_state::executable>(first, {gpus[1]}); }));
  int *const p = sycl::malloc_device<int>(1, gpus[1], both);
  CHECK(sycl::get_pointer_device(p, both) == gpus[1]);
  CHECK(sycl::get_pointer_type(p, both) == sycl::usm::alloc::device);
  // It was not allocated in that context.
  CHECK(sycl::get_pointer_type(p, first) == sycl::usm::alloc::unknown);
  CHECK(throws(sycl::errc::invalid, [&] { sycl::get_pointer_device(p, first); }));
  sycl::free(p, both);
  const sycl::queue of_first(first, gpus[0]);
  CHECK(of_first.get_context() == first && of_first.get_device() == gpus[0]);
}

static void memory(const devices &gpus) {
  const sycl::context both(gpus);
  sycl::queue queues[] = {sycl::queue(both, gpus[0]), sycl::queue(both, gpus[1])};
  int *const there[] = {sycl::malloc_device<int>(many, queues[0]), sycl::malloc_device<int>(many, queues[1])};
  int *const shared = sycl::malloc_shared<int>(many, queues[0]), *const host = sycl::malloc_host<int>(many, both);
  std::vector<int> values(many), back(many);
  for (int i = 0; i < many; ++i)
    values[i] = 3 * i;
  // To one, from it to the other, and home, by either queue.
  for (int way = 0; way < 2; ++way) {
    const int from = way, to = 1 - way;
    queues[from].copy(values.data(), there[from], many).wait();
    queues[to].memset(there[to], 0, many * sizeof(int)).wait();
    queues[way].memcpy(there[to], there[from], many * sizeof(int)).wait();
    queues[to].copy(there[to], back.data(), many).wait();
    CHECK(back == values);
    // From a place in the middle, by the other queue.
    queues[to].fill(there[to], 7, many).wait();
    queues[1 - way].copy(there[from] + 1000, there[to] + 3, 5000).wait();
    queues[from].copy(there[to], back.data(), many).wait();
    CHECK(back[2] == 7 && std::memcmp(&back[3], &values[1000], 5000 * sizeof(int)) == 0 && back[5003] == 7);
  }
  // Kernels, the one's result in the other's.
  queues[0].parallel_for(many, [p = there[0]](sycl::id<1> i) { p[i] = int(i); }).wait();
  queues[0].copy(there[0], there[1], many).wait();
  queues[1].parallel_for(many, [p = there[1]](sycl::id<1> i) { p[i] += 5; }).wait();
  queues[1].copy(there[1], back.data(), many).wait();
  CHECK_RUN(back[0] == 5 && back[many - 1] == many + 4);
  // Memory that both reach, in turn.
  for (int *both_reach : {shared, host}) {
    std::memset(both_reach, 0, many * sizeof(int));
    for (int turn = 0; turn < 6; ++turn) {
      queues[turn % 2].parallel_for(many, [=](sycl::id<1> i) { both_reach[i] += turn; }).wait();
      both_reach[turn] += 100;
    }
    CHECK_RUN(both_reach[0] == 115 && both_reach[5] == 115 && both_reach[many - 1] == 15);
  }
  CHECK(sycl::get_pointer_type(shared, both) == sycl::usm::alloc::shared && sycl::get_pointer_type(host, both) == sycl::usm::alloc::host);
  sycl::free(there[0], both), sycl::free(there[1], both), sycl::free(shared, both), sycl::free(host, both);
}

static void peers(const devices &gpus) {
  const sycl::context both(gpus);
  sycl::queue q0(both, gpus[0]), q1(both, gpus[1]);
  using sycl::ext::oneapi::peer_access;
  CHECK(!gpus[0].ext_oneapi_can_access_peer(gpus[0]));
  CHECK(throws(sycl::errc::feature_not_supported, [&] { gpus[0].ext_oneapi_enable_peer_access(gpus[0]); }));
  CHECK(throws(sycl::errc::invalid, [&] { gpus[0].ext_oneapi_disable_peer_access(gpus[1]); }));
  const bool can = gpus[0].ext_oneapi_can_access_peer(gpus[1], peer_access::access_supported);
  CHECK(!gpus[0].ext_oneapi_can_access_peer(gpus[1], peer_access::atomics_supported)); // nobody asks
  std::printf("peers %d\n", can);
  if (!can) {
    CHECK(throws(sycl::errc::feature_not_supported, [&] { gpus[0].ext_oneapi_enable_peer_access(gpus[1]); }));
    return;
  }
  gpus[0].ext_oneapi_enable_peer_access(gpus[1]);
  CHECK(throws(sycl::errc::invalid, [&] { gpus[0].ext_oneapi_enable_peer_access(gpus[1]); }));
  int *const far = sycl::malloc_device<int>(many, q1), *const near = sycl::malloc_device<int>(many, q0);
  q1.parallel_for(many, [=](sycl::id<1> i) { far[i] = int(i); }).wait();
  q0.parallel_for(many, [=](sycl::id<1> i) {
      near[i] = 2 * far[i];
      far[i] = -1;
    }).wait();
  std::vector<int> back(many);
  q0.copy(near, back.data(), many).wait();
  CHECK_RUN(back[1] == 2 && back[many - 1] == 2 * (many - 1));
  q1.copy(far, back.data(), many).wait();
  CHECK_RUN(back[0] == -1 && back[many - 1] == -1);
  gpus[0].ext_oneapi_disable_peer_access(gpus[1]);
  CHECK(throws(sycl::errc::invalid, [&] { gpus[0].ext_oneapi_disable_peer_access(gpus[1]); }));
  sycl::free(far, both), sycl::free(near, both);
}

static void buffers(const devices &gpus) {
  sycl::queue queues[] = {sycl::queue(gpus[0]), sycl::queue(gpus[1])};
  for (const int size : {100, many}) {
    std::vector<int> values(size, 1);
    {
      sycl::buffer<int> b(values.data(), size), c(size);
      for (int turn = 0; turn < 20; ++turn)
        queues[turn % 2].submit([&](sycl::handler &h) {
          sycl::accessor to(b, h);
          h.parallel_for(size, [=](sycl::id<1> i) { to[i] = 2 * to[i] + turn; });
        });
      // Both read it at once, and write what is theirs.
      sycl::buffer<int> sums(2);
      for (int own = 0; own < 2; ++own)
        queues[own].submit([&](sycl::handler &h) {
          sycl::accessor from(b, h, sycl::read_only);
          sycl::accessor to(sums, h);
          h.single_task([=] { to[own] = from[0] + own; });
        });
      const sycl::host_accessor sum(sums);
      CHECK_RUN(sum[1] == sum[0] + 1);
    }
    int wanted = 1;
    for (int turn = 0; turn < 20; ++turn)
      wanted = 2 * wanted + turn;
    CHECK_RUN(values[0] == wanted && values[size - 1] == wanted);
  }
}

static void events(const devices &gpus, bool in_order) {
  const sycl::context both(gpus);
  const sycl::property_list order = in_order ? sycl::property_list{sycl::property::queue::in_order()} : sycl::property_list{};
  sycl::queue queues[] = {sycl::queue(both, gpus[0], order), sycl::queue(both, gpus[1], order)};
  int *const p = sycl::malloc_host<int>(2, both);
  p[0] = p[1] = 0;
  sycl::event last;
  // Each of the other device's last; what is not held in between follows in its queue all the same.
  for (int turn = 0; turn < 400; ++turn) {
    const int own = turn / (1 + turn % 3) % 2;
    last = queues[own].submit([&](sycl::handler &h) {
      h.depends_on(last);
      h.single_task([=] { *p = *p * 3 % 1000003 + 1; });
    });
  }
  last.wait();
  int wanted = 0;
  for (int turn = 0; turn < 400; ++turn)
    wanted = wanted * 3 % 1000003 + 1;
  CHECK_RUN(p[0] == wanted);
  // The host between both.
  for (int turn = 0; turn < 20; ++turn) {
    last = queues[turn % 2].submit([&](sycl::handler &h) {
      h.depends_on(last);
      h.single_task([=] { p[1] += 1; });
    });
    last = queues[1 - turn % 2].submit([&](sycl::handler &h) {
      h.depends_on(last);
      h.host_task([=] { p[1] *= 2; });
    });
  }
  last.wait();
  int doubled = 0;
  for (int turn = 0; turn < 20; ++turn)
    doubled = 2 * (doubled + 1);
  CHECK_RUN(p[1] == doubled);
  sycl::event barrier = queues[1].ext_oneapi_submit_barrier({last, queues[0].single_task([=] { p[0] = 9; })});
  barrier.wait();
  CHECK_RUN(p[0] == 9);
  sycl::free(p, both);
}

static void threads(const devices &gpus) {
  const sycl::context both(gpus);
  std::vector<std::thread> all;
  int *const counts = sycl::malloc_host<int>(8, both);
  std::memset(counts, 0, 8 * sizeof(int));
  for (int number = 0; number < 8; ++number)
    all.emplace_back([=, &gpus] {
      sycl::queue q(both, gpus[number % 2], sycl::property::queue::in_order());
      for (int i = 0; i < 1000; ++i)
        q.single_task([=] { counts[number] += 1; });
      q.wait();
    });
  for (std::thread &one : all)
    one.join();
  for (int number = 0; number < 8; ++number)
    CHECK_RUN(counts[number] == 1000);
  sycl::free(counts, both);
}

// Kernels of half a second on both at once: how long they take together, by one alone.
static void at_once(const devices &gpus) {
  using clock = std::chrono::steady_clock;
  sycl::queue queues[] = {sycl::queue(gpus[0]), sycl::queue(gpus[1])};
  float *const out[] = {sycl::malloc_device<float>(1024, queues[0]), sycl::malloc_device<float>(1024, queues[1])};
  const auto begin = [&](int own) {
    return queues[own].parallel_for(1024, [p = out[own]](sycl::id<1> i) {
      float x = i[0];
      for (int k = 0; k < 40000000; ++k)
        x = x * 0.999f + 0.5f;
      p[i] = x;
    });
  };
  begin(0).wait(), begin(1).wait();
  const clock::time_point zero = clock::now();
  begin(0).wait();
  const clock::time_point one = clock::now();
  sycl::event a = begin(0), b = begin(1);
  a.wait(), b.wait();
  const clock::time_point two = clock::now();
  const double alone = std::chrono::duration<double>(one - zero).count(), together = std::chrono::duration<double>(two - one).count();
  if (runs_kernels)
    std::printf("one %.3f s, both at once %.3f s\n", alone, together);
  CHECK_RUN(together < 1.5 * alone);
  sycl::free(out[0], queues[0]), sycl::free(out[1], queues[1]);
}

int main(int count, char **arguments) {
  runs_kernels = count > 1 && std::strcmp(arguments[1], "kernels") == 0;
  const devices gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  std::printf("%zu devices\n", gpus.size());
  if (gpus.size() < 2)
    return 0;
  const devices two(gpus.begin(), gpus.begin() + 2);
  one_platform(gpus);
  refusals(two);
  memory(two);
  peers(two);
  buffers(two);
  events(two, false);
  events(two, true);
  threads(two);
  at_once(two);
  std::printf("failed %d\n", failed);
}
