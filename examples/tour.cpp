//! A tour of SYCL 2020 with Aspen: eight kernels, each with different needs of its device, each checked against the host.
//!
//! Build and run:
//!
//!     aspen++ -O2 examples/tour.cpp -o tour
//!     ./tour                                      # on this machine's CPU: everything runs
//!     ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./tour   # on a device without `double`: two kernels are refused, the rest run
//!     aspen inspect tour                          # which kernels need what
//!
//! The compiler finds out what each kernel needs, through all the functions it calls. It puts kernels of different needs into different
//! device images, and the runtime compares the needs with the device before it touches an image. Compiling this file gives one warning,
//! on purpose: see `feels_like` below.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

// The kernels' names. Naming a kernel is optional; names make messages and `aspen inspect` easier to read.
class saxpy_kernel;
class sum_kernel;
class half_kernel;
class histogram_kernel;
class tiles_kernel;
class neighbours_kernel;
class reverse_kernel;
class weather_kernel;

static int wrong = 0;

static void report(const char *what, bool ok) {
  std::printf("%s: %s\n", what, ok ? "ok" : "WRONG");
  if (!ok)
    ++wrong;
}

// Runs one stop of the tour. A kernel that the device cannot run is refused where it is submitted; the program may go on.
template <class Stop> static void visit(const char *what, Stop stop) {
  try {
    report(what, stop());
  } catch (const sycl::exception &e) {
    if (e.code() != sycl::errc::kernel_not_supported)
      throw;
    std::printf("%s: not on this device\n%s\n", what, e.what());
  }
}

// 1. Buffers and accessors: y = a * x + y. A buffer stands for memory that moves to where it is needed; an accessor says what a command
// does with it, and from that the runtime knows which commands must wait for which.
static bool saxpy(sycl::queue &queue) {
  const size_t n = 10000;
  std::vector<float> x(n), y(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = 0.25f * i;
    y[i] = 1000.0f - i;
  }
  {
    sycl::buffer x_buffer(x.data(), sycl::range<1>(n));
    sycl::buffer y_buffer(y.data(), sycl::range<1>(n));
    queue.submit([&](sycl::handler &h) {
      sycl::accessor in(x_buffer, h, sycl::read_only);
      sycl::accessor out(y_buffer, h, sycl::read_write);
      h.parallel_for<saxpy_kernel>(sycl::range<1>(n), [=](sycl::id<1> i) { out[i] = 2.0f * in[i] + out[i]; });
    });
  } // the buffers' end: the results are back in x and y
  for (size_t i = 0; i < n; ++i)
    if (y[i] != 2.0f * (0.25f * i) + (1000.0f - i))
      return false;
  return true;
}

// 2. Unified shared memory, and `double`: the sum of 1/k². `double` makes the kernel need aspect fp64; nobody had to say so.
static bool sum(sycl::queue &queue) {
  const size_t n = 1 << 16, groups = 64, width = 64;
  double *parts = sycl::malloc_shared<double>(groups, queue);
  double total = 0, expected = 0;
  try {
    queue
        .parallel_for<sum_kernel>(sycl::nd_range<1>(groups * width, width),
                                        [=](sycl::nd_item<1> item) {
                                          double own = 0;
                                          for (size_t k = item.get_global_id(0) + 1; k <= n; k += groups * width)
                                            own += 1.0 / (static_cast<double>(k) * static_cast<double>(k));
                                          const double all = sycl::reduce_over_group(item.get_group(), own, sycl::plus<>());
                                          if (item.get_local_id(0) == 0)
                                            parts[item.get_group(0)] = all;
                                        })
        .wait();
  } catch (...) {
    sycl::free(parts, queue);
    throw;
  }
  for (size_t g = 0; g < groups; ++g)
    total += parts[g];
  sycl::free(parts, queue);
  for (size_t k = n; k > 0; --k)
    expected += 1.0 / (static_cast<double>(k) * static_cast<double>(k));
  const double error = total - expected;
  return error < 1e-12 && error > -1e-12;
}

// 3. `sycl::half` needs aspect fp16. The type itself says so in the headers.
static bool halves(sycl::queue &queue) {
  const size_t n = 1000;
  std::vector<sycl::half> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = 0.5f * i;
  {
    sycl::buffer buffer(values);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor a(buffer, h);
      h.parallel_for<half_kernel>(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = a[i] * sycl::half(3.0f) + sycl::half(0.25f); });
    });
  }
  for (size_t i = 0; i < n; ++i)
    if (values[i] != sycl::half(0.5f * i) * sycl::half(3.0f) + sycl::half(0.25f))
      return false;
  return true;
}

// 4. Atomics on 8-byte types need aspect atomic64; on 4-byte types they need nothing.
static bool histogram(sycl::queue &queue) {
  const size_t n = 70000, bins = 7;
  std::vector<long long> counts(bins, 1LL << 40);
  {
    sycl::buffer buffer(counts);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor a(buffer, h);
      h.parallel_for<histogram_kernel>(sycl::range<1>(n), [=](sycl::id<1> i) {
        sycl::atomic_ref<long long, sycl::memory_order::relaxed, sycl::memory_scope::device> bin(a[i % bins]);
        bin.fetch_add(3);
      });
    });
  }
  for (long long count : counts)
    if (count != (1LL << 40) + 3 * static_cast<long long>(n / bins))
      return false;
  return true;
}

// 5. A required work-group size is a need too. Launched with another size, the kernel is refused with errc::nd_range.
static bool tiles(sycl::queue &queue) {
  const size_t rows = 64, columns = 64;
  std::vector<int> out(rows * columns);
  {
    sycl::buffer<int, 2> buffer(out.data(), sycl::range<2>(rows, columns));
    queue.submit([&](sycl::handler &h) {
      sycl::accessor a(buffer, h, sycl::write_only, sycl::no_init);
      h.parallel_for<tiles_kernel>(sycl::nd_range<2>({rows, columns}, {4, 16}),
                                         [=](sycl::nd_item<2> item) [[sycl::reqd_work_group_size(4, 16)]] {
                                           a[item.get_global_id()] = static_cast<int>(item.get_group_linear_id());
                                         });
    });
  }
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      if (out[r * columns + c] != static_cast<int>(r / 4 * (columns / 16) + c / 16))
        return false;
  return true;
}

// 6. A required sub-group size. The 16 work-items of a sub-group swap values with their neighbours without touching memory.
static bool neighbours(sycl::queue &queue) {
  const size_t n = 1024;
  std::vector<int> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = static_cast<int>(i * i % 1009);
  const std::vector<int> before = values;
  {
    sycl::buffer buffer(values);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor a(buffer, h);
      h.parallel_for<neighbours_kernel>(sycl::nd_range<1>(n, 64), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(16)]] {
        const sycl::sub_group lanes = item.get_sub_group();
        const int own = a[item.get_global_id()];
        a[item.get_global_id()] = 1000 * sycl::permute_group_by_xor(lanes, own, 1) + static_cast<int>(lanes.get_local_linear_range());
      });
    });
  }
  for (size_t i = 0; i < n; ++i)
    if (values[i] != 1000 * before[i ^ 1] + 16)
      return false;
  return true;
}

// 7. Local memory: the work-items of a group reverse a block together. The barrier makes all of them wait for the last one.
static bool reverse(sycl::queue &queue) {
  const size_t n = 4096, width = 128;
  int *data = sycl::malloc_shared<int>(n, queue);
  for (size_t i = 0; i < n; ++i)
    data[i] = static_cast<int>(i);
  queue
      .submit([&](sycl::handler &h) {
        sycl::local_accessor<int> block(sycl::range<1>(width), h);
        h.parallel_for<reverse_kernel>(sycl::nd_range<1>(n, width), [=](sycl::nd_item<1> item) {
          const size_t own = item.get_local_id(0);
          block[own] = data[item.get_global_id(0)];
          sycl::group_barrier(item.get_group());
          data[item.get_global_id(0)] = block[width - 1 - own];
        });
      })
      .wait();
  bool ok = true;
  for (size_t i = 0; i < n; ++i)
    ok = ok && data[i] == static_cast<int>(i / width * width + width - 1 - i % width);
  sycl::free(data, queue);
  return ok;
}

// 8. A promise, and what becomes of it. `device_has` says that `feels_like` needs nothing but fp16. Two calls deeper `double` slipped in,
// so the compiler warns here, with the chain of calls, and on a device without fp64 the kernel is refused.
static float exact(float celsius) {
  double precise = celsius;
  return static_cast<float>(precise * 1.8 + 32.0);
}
static float fahrenheit(float celsius) { return exact(celsius); }
[[sycl::device_has(sycl::aspect::fp16)]] static float feels_like(float celsius) { return fahrenheit(celsius) - 4.0f; }

static bool weather(sycl::queue &queue) {
  float *value = sycl::malloc_shared<float>(1, queue);
  *value = 20.0f;
  try {
    queue.single_task<weather_kernel>([=]() { *value = feels_like(*value); }).wait();
  } catch (...) {
    sycl::free(value, queue);
    throw;
  }
  const bool ok = *value == 64.0f;
  sycl::free(value, queue);
  return ok;
}

int main() {
  try {
    // The default device; errors that turn up later than the submit end the program.
    sycl::queue queue(sycl::default_selector_v, [](sycl::exception_list errors) {
      for (const std::exception_ptr &e : errors)
        std::rethrow_exception(e);
    });
    std::printf("device: %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());

    visit("saxpy", [&] { return saxpy(queue); });
    visit("double sum", [&] { return sum(queue); });
    visit("half", [&] { return halves(queue); });
    visit("64-bit histogram", [&] { return histogram(queue); });
    visit("work-group of 4x16", [&] { return tiles(queue); });
    visit("sub-group of 16", [&] { return neighbours(queue); });
    visit("local memory", [&] { return reverse(queue); });
    visit("device_has", [&] { return weather(queue); });
    queue.wait_and_throw();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "tour: %s\n", e.what());
    return 1;
  }
  return wrong ? 1 : 0;
}
