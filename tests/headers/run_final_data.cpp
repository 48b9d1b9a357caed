//! What becomes of the host memory that a buffer was made of: `set_write_back`, `set_final_data`. Exit status 0: all right.
//! Source: SYCL 2020 §4.7.2, §4.7.4.
#include "check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

using namespace sycl;

constexpr size_t large = 1 << 20; // bytes of which nobody keeps a copy unasked
constexpr size_t sizes[] = {1, 100, 4096, large};

static bool all(const std::vector<int> &v, int value) {
  return std::all_of(v.begin(), v.end(), [=](int x) { return x == value; });
}

static event add(queue &q, buffer<int> b, int by) {
  return q.submit([&](handler &h) {
    accessor a(b, h);
    h.parallel_for<class adds>(b.get_range(), [=](id<1> i) { a[i] += by; });
  });
}
static void look(queue &q, buffer<int> b, bool wanted) {
  bool *const right = malloc_shared<bool>(1, q);
  q.submit([&](handler &h) {
     accessor a(b, h, read_only);
     h.single_task<class looks>([=] { *right = a[0] == 1; });
   }).wait();
  CHECK(*right == wanted);
  sycl::free(right, q);
}

/// Right behind the constructor.
static void at_once(queue &q, size_t n) {
  std::vector<int> data(n, 1), other(n, 0);
  {
    buffer<int> b(data.data(), range<1>(n));
    b.set_write_back(false);
    add(q, b, 1);
    CHECK(host_accessor(b)[n - 1] == 2);
  }
  CHECK(all(data, 1));
  {
    buffer<int> b(data);
    b.set_final_data(nullptr);
    add(q, b, 1);
  }
  q.wait();
  CHECK(all(data, 1));
  {
    buffer<int> b(data);
    b.set_final_data(other.data());
    add(q, b, 1);
  }
  CHECK(all(data, 1) && all(other, 2));
  {
    buffer<int> b(data);
    b.set_final_data(other.begin());
    add(q, b, 2);
  }
  CHECK(all(data, 1) && all(other, 3));
  // To and fro: what was said last counts.
  {
    buffer<int> b(data);
    b.set_write_back(false);
    add(q, b, 1);
    b.set_write_back(true);
  }
  CHECK(all(data, 2));
  {
    buffer<int> b(data);
    b.set_final_data(nullptr);
    b.set_final_data(data.data());
    add(q, b, -1);
  }
  CHECK(all(data, 1));
  {
    buffer<int> b(data);
    b.set_final_data(data.data());
    add(q, b, 1);
  }
  CHECK(all(data, 2));
  {
    buffer<int> b(data);
    b.set_final_data(data.begin());
    add(q, b, 1);
  }
  CHECK(all(data, 3));
}

/// Behind commands that only read.
static void after_readers(queue &q, size_t n) {
  std::vector<int> data(n, 1);
  {
    buffer<int> b(data);
    look(q, b, true);
    CHECK(host_accessor(b, read_only)[0] == 1);
    b.set_write_back(false);
    add(q, b, 1);
    look(q, b, false);
  }
  CHECK(all(data, 1));
}

/// Behind commands that wrote: small buffers.
static void after_writers(queue &q, size_t n) {
  std::vector<int> data(n, 1), other(n, 0);
  {
    buffer<int> b(data);
    add(q, b, 1);
    b.set_write_back(false);
    add(q, b, 1);
    CHECK(host_accessor(b, read_only)[0] == 3);
  }
  CHECK(all(data, 1));
  {
    buffer<int> b(data);
    add(q, b, 1);
    b.set_final_data(other.data());
    add(q, b, 1);
  }
  CHECK(all(data, 1) && all(other, 3));
  {
    buffer<int> b(data);
    {
      host_accessor a(b);
      a[0] = 7;
    }
    b.set_final_data(nullptr);
  }
  CHECK(all(data, 1));
  // The destination is that memory.
  {
    buffer<int> b(data);
    add(q, b, 4);
    b.set_final_data(data.begin());
  }
  CHECK(all(data, 5));
  {
    buffer<int> b(data);
    add(q, b, 4);
    b.set_write_back(false);
    b.set_write_back();
  }
  CHECK(all(data, 9));
  {
    buffer<int> b(data);
    auto bytes = b.reinterpret<unsigned char>(range<1>(n * sizeof(int)));
    q.submit([&](handler &h) {
      accessor a(bytes, h);
      h.single_task<class one_byte>([=] { a[0] = 0; });
    });
    bytes.set_write_back(false);
  }
  CHECK(all(data, 9));
}

/// A buffer that gives nothing back waits for nobody, if it knew before it was used. Source: SYCL 2020 §4.7.2.3.
static void waits_for_nobody(queue &q) {
  auto data = std::make_unique<int>(1);
  std::promise<void> go;
  event last;
  {
    buffer<int> b(data.get(), range<1>(1));
    b.set_write_back(false);
    last = q.submit([&](handler &h) {
      accessor a(b, h, read_write_host_task);
      h.host_task([=, ready = go.get_future().share()] {
        ready.wait();
        a[0] = 2;
      });
    });
  }
  CHECK(*data == 1);
  data.reset();
  go.set_value();
  last.wait();
}

template <class T> static auto read_by_task(buffer<T> &of, handler &h) { return accessor(of, h, read_only_host_task); }
static auto read_by_task(sampled_image<1> &of, handler &h) { return of.get_access<int4, image_target::host_task>(h); }
static auto read_by_task(unsampled_image<1> &of, handler &h) { return of.get_access<int4, access_mode::read, image_target::host_task>(h); }
/// The end of what was made of memory of the program waits for its readers, whether anything goes back or not. Source: SYCL 2020 §4.7.2.3, §4.7.3.4.
template <class Made> static void waits(queue &q, Made &&made) {
  std::promise<void> go;
  std::atomic<bool> over = false;
  std::thread late;
  {
    auto object = made();
    q.submit([&](handler &h) {
      auto a = read_by_task(object, h);
      h.host_task([a, &over, ready = go.get_future().share()] {
        (void)a;
        ready.wait();
        over = true;
      });
    });
    late = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      go.set_value();
    });
  }
  CHECK(over);
  late.join();
  q.wait();
}
static void waits_for_readers(queue &q) {
  std::vector<int> data(16, 1);
  const std::vector<int> constants(16, 1);
  std::mutex mutex;
  waits(q, [&] { return buffer<int>(data); });
  waits(q, [&] { return buffer<int>(constants.data(), range<1>(16)); });
  waits(q, [&] { return buffer<int>(constants); });
  waits(q, [&] { return buffer<const int>(constants.data(), range<1>(16)); });
  waits(q, [&] { return buffer<int>(data.data(), range<1>(16), {property::buffer::use_mutex(mutex)}); });
  const image_sampler sampler{addressing_mode::none, coordinate_normalization_mode::unnormalized, filtering_mode::nearest};
  waits(q, [&] { return sampled_image<1>(constants.data(), image_format::r32b32g32a32_sint, sampler, range<1>(4)); });
  waits(q, [&] { return unsampled_image<1>(data.data(), image_format::r32b32g32a32_sint, range<1>(4), {property::image::use_mutex(mutex)}); });
}

/// Source: SYCL 2020 §4.7.2.2, "use_host_ptr".
static void same_memory(queue &q, size_t n) {
  const property_list there{property::buffer::use_host_ptr()};
  static const int constants[] = {1, 2, 3, 4};
  buffer<const int> read(constants, range<1>(4), there);
  CHECK(&host_accessor(read)[0] == constants);
  std::shared_ptr<int[]> shared(new int[n]);
  std::fill_n(shared.get(), n, 1);
  const auto look_there = [&](auto &b) {
    add(q, b, 1);
    host_accessor a(b, read_only);
    CHECK(&a[0] == shared.get() && a[n - 1] == shared[n - 1]);
  };
  {
    buffer<int> b(shared, range<1>(n), there);
    look_there(b);
    add(q, b, 1);
  }
  CHECK(shared.use_count() == 1 && shared[0] == 3);
  {
    buffer<int> b(std::unique_ptr<int[]>(new int[n]()), range<1>(n), there);
    add(q, b, 1);
  }
}

static void images(queue &q) {
  if (!q.get_device().has(aspect::image))
    return;
  std::vector<float> pixels(4 * 4, 1.0f);
  {
    unsampled_image<1> image(pixels.data(), image_format::r32g32b32a32_sfloat, range<1>(4));
    image.set_write_back(false);
    q.submit([&](handler &h) {
      unsampled_image_accessor<float4, 1, access_mode::write> to(image, h);
      h.parallel_for<class paints>(range<1>(4), [=](item<1> i) { to.write(int(i.get_id(0)), float4(2.0f)); });
    });
  }
  q.wait();
  CHECK(std::all_of(pixels.begin(), pixels.end(), [](float x) { return x == 1.0f; }));
}

/// `update_host` still has somewhere to go.
static void update(queue &q) {
  std::vector<int> data(10, 1);
  {
    buffer<int> b(data);
    b.set_write_back(false);
    add(q, b, 1);
    q.submit([&](handler &h) {
       accessor a(b, h, read_only);
       h.update_host(a);
     }).wait();
    CHECK(all(data, 2));
    add(q, b, 1);
  }
  CHECK(all(data, 2));
  { // the buffer lasts until it has been there
    buffer<int> b(data);
    b.set_write_back(false);
    q.submit([&](handler &h) {
      accessor<int, 1, access_mode::read_write, target::host_task> a(b, h);
      h.host_task([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        a[0] = 7;
      });
    });
    q.submit([&](handler &h) {
      accessor a(b, h, read_only);
      h.update_host(a);
    });
  }
  CHECK(data[0] == 7 && data[1] == 2);
}

/// Nobody wrote it, so nothing goes there. Source: SYCL 2020 §4.7.2.
static void nobody_writes(queue &q, size_t n) {
  std::vector<int> from(n, 1), to(n, 7);
  {
    buffer<int> b(from.begin(), from.end());
    b.set_final_data(to.begin());
    look(q, b, true);
  }
  CHECK(all(to, 7));
  {
    buffer<int> b{range<1>(n)};
    b.set_final_data(to.data());
  }
  CHECK(all(to, 7));
  {
    buffer<int> b(from.begin(), from.end());
    b.set_final_data(to.begin());
    host_accessor a(b, write_only);
  }
  CHECK(all(to, 1));
}

/// A task has the last of a buffer that it uses itself.
static void kept_by_a_task(queue &q) {
  std::vector<int> data(4, 1);
  const auto user = std::make_shared<int>(0);
  event e;
  {
    buffer<int> b(data);
    e = q.submit([&](handler &h) {
      accessor a(b, h, read_write_host_task);
      h.host_task([a, b, user] {
        for (size_t i = 0; i < b.size(); ++i)
          a[i] += 1;
      });
    });
  }
  e.wait();
  CHECK(all(data, 2) && user.use_count() == 1); // what it has captured is gone when it is over
  std::promise<void> begin;
  {
    auto b = std::make_unique<buffer<int>>(data);
    e = q.submit([&](handler &h) {
      accessor a(*b, h, read_write_host_task);
      h.host_task([a, keep = *b, wait = begin.get_future().share()] {
        wait.wait();
        a[3] = 5;
      });
    });
    std::thread([&] { b.reset(); }).join(); // the task has one more
  }
  begin.set_value();
  e.wait();
  q.wait();
  CHECK(data[3] == 5);
}

/// Any elements that lie side by side.
static void parts() {
  std::vector<int> data(32, 0);
  buffer<int, 2> b(data.data(), {4, 8});
  buffer<int, 2> row(b, {2, 1}, {1, 4});
  host_accessor{row}[id<2>(0, 3)] = 1;
  CHECK(host_accessor{b}[id<2>(2, 4)] == 1);
  buffer<char, 3> deep{{2, 3, 4}};
  CHECK(!throws(errc::invalid, [&] { buffer<char, 3>(deep, {1, 1, 0}, {1, 2, 4}); }) && throws(errc::invalid, [&] { buffer<char, 3>(deep, {0, 1, 0}, {2, 2, 4}); }));
  CHECK(throws(errc::invalid, [&] { buffer<char, 3>(deep, {1, 1, 0}, {1, 2, 3}); }) && throws(errc::invalid, [&] { buffer<int, 2>(b, {~size_t(0), 0}, {2, 8}); }));
}

int main() {
  queue q;
  kept_by_a_task(q);
  parts();
  for (const size_t n : sizes) {
    nobody_writes(q, n);
    at_once(q, n);
    same_memory(q, n);
    after_readers(q, n);
    if (n * sizeof(int) <= 16384)
      after_writers(q, n);
  }
  waits_for_nobody(q);
  waits_for_readers(q);
  images(q);
  update(q);
  return failures != 0;
}
