//! Runs SYCLcompat's memory (allocations, copies of lines, rectangles and boxes, filling, freeing, variables of devices) and its devices
//! with their queues. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <syclcompat.hpp>
#include <sycl/sycl.hpp>
#include <thread>

namespace {

namespace sc = syclcompat;

sc::global_memory<int, 2> table(sycl::range<2>(2, 3), {{1, 2, 3}, {4, 5}});
sc::constant_memory<float, 1> weights(sycl::range<1>(4), {1.5f, 2.5f});
sc::global_memory<unsigned, 0> counter(7u);
sc::shared_memory<int, 1> both(10);
sc::global_memory<short, 3> cube(2, 3, 4);

void variables() {
  int of_table[6] = {};
  sc::memcpy(of_table, table.get_ptr(), sizeof of_table);
  CHECK(of_table[2] == 3 && of_table[4] == 5 && of_table[5] == 0);
  float of_weights[4];
  sc::memcpy<float>(of_weights, weights.get_ptr(), 4);
  CHECK(of_weights[1] == 2.5f && of_weights[3] == 0);
  unsigned n = 0;
  sc::memcpy(&n, counter.get_ptr(), sizeof n);
  CHECK(n == 7 && counter.get_size() == sizeof n);
  both[3] = 5;
  CHECK(both.get_ptr()[3] == 5 && both.get_size() == 10 * sizeof(int));
  sc::get_default_queue()
      .submit([&](sycl::handler &command) {
        const auto of_all = table.get_access(command);
        const auto of_cube = cube.get_access(command);
        const auto of_both = both.get_ptr();
        command.single_task([=] {
          auto rows = of_all;
          rows[1][2] = 60;
          for (int i = 0; i < 24; ++i)
            of_cube[i / 12][i / 4 % 3][i % 4] = static_cast<short>(i);
          of_both[4] = 9;
        });
      })
      .wait();
  sc::memcpy(of_table, table.get_ptr(), sizeof of_table);
  CHECK(of_table[5] == 60 && both[4] == 9);
  short of_cube[24];
  sc::memcpy(of_cube, cube.get_ptr(), sizeof of_cube);
  CHECK(of_cube[23] == 23 && of_cube[5] == 5);
  sc::global_memory<int, 1> other;
  int *const mine = sc::malloc<int>(4);
  other.assign(mine, 16);
  CHECK(other.get_ptr() == mine && other.get_size() == 16);
  sc::free(mine);
  CHECK(throws(sycl::errc::invalid, [&] { sc::global_memory<int, 1> wrong(sycl::range<1>(1), {1, 2}); }));
}

template <class T> void lines(T value) {
  const size_t count = 100;
  T *const on_device = sc::malloc<T>(count), *const on_host = sc::malloc_host<T>(count), *const shared = sc::malloc_shared<T>(count);
  sc::fill<T>(on_device, value, count);
  sc::fill_async<T>(on_device, T(value + 1), 1).wait();
  sc::memcpy<T>(on_host, on_device, count);
  sc::memcpy_async(shared, on_device, count * sizeof(T)).wait();
  bool right = on_host[0] == T(value + 1);
  for (size_t i = 1; i < count; ++i)
    right = right && on_host[i] == value && shared[i] == value;
  CHECK(right);
  sc::memset(shared, 0, sizeof(T));
  CHECK(shared[0] == T(0) && shared[1] == value);

  sc::pointer_attributes what;
  what.init(on_device);
  CHECK(what.get_memory_type() == sycl::usm::alloc::device && what.get_device_pointer() == on_device && !what.get_host_pointer());
  what.init(shared);
  CHECK(what.is_memory_shared() && what.get_host_pointer() == shared && what.get_device_id() == sc::get_current_device_id());
  what.init(on_host);
  CHECK(what.get_memory_type() == sycl::usm::alloc::host);
  what.init(&right);
  CHECK(what.get_memory_type() == sycl::usm::alloc::unknown && !what.get_device_pointer());
  sc::wait_and_free(on_device);
  sc::free(on_host);
  sc::enqueue_free({shared}, {sc::get_default_queue().single_task([=] { shared[5] = value; })}).wait();
}

void rectangles() {
  size_t pitch = 0;
  void *const memory = sc::malloc(pitch, 10, 4);
  CHECK(pitch >= 10);
  sc::memset(memory, pitch, 3, 10, 4);
  sc::memset_async(memory, pitch, 4, 5, 2).wait();
  char lines[4][12] = {};
  sc::memcpy(lines, 12, memory, pitch, 10, 4);
  CHECK(lines[0][4] == 4 && lines[0][5] == 3 && lines[2][0] == 3 && lines[3][9] == 3 && lines[3][10] == 0);
  sc::free(memory);
  std::uint32_t *const words = sc::malloc_shared<std::uint32_t>(8);
  sc::memset_d32(words, 0x12345678u, 8);
  sc::memset_d16(words, static_cast<unsigned short>(0xabcd), 3);
  CHECK(words[0] == 0xabcdabcd && words[1] == 0x1234abcd && words[7] == 0x12345678);
  sc::free(words);
}

void boxes() {
  const sycl::range<3> all(10, 4, 3);
  const sc::pitched_data on_device = sc::malloc(all);
  CHECK(on_device.get_pitch() >= 10 && on_device.get_x() == 10 && on_device.get_y() == 4);
  sc::memset(on_device, 1, all);
  unsigned char from[3][4][10], to[3][4][10];
  for (int i = 0; i < 120; ++i)
    from[i / 40][i / 10 % 4][i % 10] = static_cast<unsigned char>(100 + i);
  sc::memcpy(on_device, {1, 1, 1}, sc::pitched_data(from, 10, 10, 4), {2, 2, 1}, sycl::range<3>(3, 2, 2));
  sc::memset(on_device, 2, sycl::range<3>(1, 1, 3));
  sc::experimental::memcpy_parameter what;
  what.from.pitched = on_device;
  what.to.pitched = sc::pitched_data(to, 10, 10, 4);
  what.size = all;
  sc::experimental::memcpy(what);
  bool right = true;
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 10; ++x) {
        const bool is_copied = x >= 1 && x < 4 && y >= 1 && y < 3 && z >= 1;
        right = right && to[z][y][x] == (is_copied ? from[z][y + 1][x + 1] : x == 0 && y == 0 ? 2 : 1);
      }
  CHECK(right);
  sc::free(on_device.get_data_ptr());
}

void devices() {
  CHECK(sc::device_count() > 0 && sc::get_device_id(sc::get_current_device()) == sc::get_current_device_id());
  CHECK(&sc::get_device(sc::get_current_device_id()) == &sc::get_current_device());
  CHECK(sc::get_default_queue().get_device() == sycl::device(sycl::default_selector_v));
  CHECK(sc::get_default_context() == sc::get_default_queue().get_context());
  CHECK(sc::create_queue().is_in_order() && !sc::create_queue(false, false).is_in_order());
  CHECK(sc::select_device(0u) == 0 && sc::int_as_queue_ptr(0) == sc::get_current_device().default_queue());
  try {
    sc::select_device(sc::device_count());
    CHECK(false);
  } catch (const std::runtime_error &) {
  }
  std::thread([] { CHECK(sc::get_current_device_id() == 0); }).join();

  sc::device_ext own;
  const sycl::queue first = *own.default_queue();
  own.set_default_queue(sc::create_queue());
  CHECK(*own.default_queue() != first && own.default_queue() == own.get_saved_queue());
  sc::queue_ptr made = own.create_queue();
  own.set_saved_queue(made);
  CHECK(own.get_saved_queue() == made);
  own.reset(false, false);
  CHECK(own.get_saved_queue() == own.default_queue() && !own.default_queue()->is_in_order());
  made = own.create_queue();
  own.destroy_queue(made);
  CHECK(!made);
  own.queues_wait_and_throw();

  own.has_capability_or_fail({sycl::aspect::usm_device_allocations});
  CHECK(throws(sycl::errc::feature_not_supported, [&] { own.has_capability_or_fail({sycl::aspect::custom}); }));
  sc::device_info known = own.get_device_info();
  CHECK(known.get_name() == own.get_info<sycl::info::device::name>().substr(0, 255));
  CHECK(known.get_max_work_group_size() == own.get_max_work_group_size() && known.get_max_sub_group_size() >= 1);
  CHECK(known.get_max_work_item_sizes() == own.get_info<sycl::info::device::max_work_item_sizes<3>>());
  CHECK(known.get_global_mem_size() == own.get_global_mem_size() && known.get_max_nd_range_size()[2] > 0);
  int sizes[] = {1, 2, 3};
  known.set_max_nd_range_size(sizes);
  CHECK(known.get_max_nd_range_size<int *>()[1] == 2 && known.get_max_nd_range_size()[2] == 3);
  CHECK(sc::get_kernel_function_info(nullptr).max_work_group_size == own.get_max_work_group_size());
  sc::destroy_event(new sycl::event);
}

void errors() {
  CHECK(SYCLCOMPAT_CHECK_ERROR() == sc::SUCCESS);
  CHECK(SYCLCOMPAT_CHECK_ERROR(throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "meant")) == sc::BACKEND_ERROR);
  CHECK(SYCLCOMPAT_CHECK_ERROR(throw std::runtime_error("meant too")) == sc::DEFAULT_ERROR);
  static_assert(SYCLCOMPAT_MAKE_VERSION(1, 2, 3) == 1002003 && SYCLCOMPAT_VERSION >= SYCLCOMPAT_MAKE_VERSION(0, 1, 0));
}

} // namespace

int main() {
  variables();
  lines<int>(42);
  lines<double>(2.5);
  lines<unsigned char>(200);
  rectangles();
  boxes();
  devices();
  errors();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
