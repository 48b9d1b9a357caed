//! Reserved addresses, memory that is mapped there, and what is refused. Exit status 0: all right. Source: sycl_ext_oneapi_virtual_mem.
#include "check.hpp"

#include <cstdint>
#include <sycl/ext/oneapi/virtual_mem/virtual_mem.hpp>
#include <sycl/sycl.hpp>
#include <unistd.h>
#include <unordered_set>
#include <vector>

namespace ex = sycl::ext::oneapi::experimental;
using allowed = ex::address_access_mode;
using sycl::errc;

static_assert(SYCL_EXT_ONEAPI_VIRTUAL_MEM == 1);

/// Whether the system reads and writes there for the program: it says so, and sends no signal.
static bool can_read(const void *at) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  const bool can = write(ends[1], at, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return can;
}
static bool can_write(void *at) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  const bool can = write(ends[1], "x", 1) == 1 && read(ends[0], at, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return can;
}
static char *pointer(std::uintptr_t at) { return reinterpret_cast<char *>(at); }

/// One range of two memories, in which kernels, copies and fills work as in memory of the device.
static void grows(sycl::queue &q, size_t page) {
  const sycl::context in = q.get_context();
  const std::uintptr_t begin = ex::reserve_virtual_mem(4 * page, in);
  CHECK(begin % page == 0 && !can_read(pointer(begin)));
  const ex::physical_mem first(q.get_device(), in, page), second(q, 2 * page);
  CHECK(first.size() == page && second.size() == 2 * page && second.get_context() == in && second.get_device() == q.get_device());
  CHECK(first.map(begin, page, allowed::read_write) == pointer(begin));
  second.map(begin + page, page, allowed::read_write, page); // its second half, and its first
  second.map(begin + 2 * page, page, allowed::read_write);
  const size_t count = 3 * page / sizeof(int);
  int *const numbers = reinterpret_cast<int *>(begin);
  CHECK(numbers[0] == 0 && numbers[count - 1] == 0 && !can_read(pointer(begin + 3 * page)));
  q.parallel_for(count, [=](sycl::id<1> i) { numbers[i] = static_cast<int>(i[0]); }).wait();
  std::vector<int> copy(count);
  q.copy(numbers, copy.data(), count).wait();
  bool good = true;
  for (size_t i = 0; i < count; ++i)
    good = good && copy[i] == static_cast<int>(i);
  CHECK(good);
  q.fill(numbers + 8, 7, 16).wait();
  q.memset(numbers, 1, 4).wait();
  q.prefetch(numbers, page).wait();
  CHECK(numbers[0] == 0x01010101 && numbers[7] == 7 && numbers[8] == 7 && numbers[23] == 7 && numbers[24] == 24);
  CHECK(sycl::get_pointer_type(numbers, in) == sycl::usm::alloc::unknown);

  // What stays of the memory is seen at other addresses, and fresh memory is not what was there before.
  ex::unmap(numbers, page, in);
  CHECK(!can_read(numbers));
  ex::physical_mem(q, page).map(begin, page, allowed::read_write);
  CHECK(numbers[0] == 0);
  ex::unmap(numbers, page, in);
  first.map(begin + 3 * page, page, allowed::read);
  CHECK(reinterpret_cast<int *>(begin + 3 * page)[8] == 7);
  for (size_t i = 1; i < 4; ++i)
    ex::unmap(pointer(begin + i * page), page, in);
  ex::free_virtual_mem(begin, 4 * page, in);
}

static void same_memory_twice(sycl::queue &q, size_t page) {
  const sycl::context in = q.get_context();
  const std::uintptr_t begin = ex::reserve_virtual_mem(0, 2 * page, in);
  ex::physical_mem memory(q, page);
  int *const a = static_cast<int *>(memory.map(begin, page, allowed::read_write));
  const int *const b = static_cast<const int *>(memory.map(begin + page, page, allowed::read));
  q.single_task([=] { *a = 5; }).wait();
  CHECK(*b == 5);
  memory = ex::physical_mem(q, page); // what is mapped stays
  CHECK(*a == 5 && *b == 5);
  ex::unmap(a, page, in);
  CHECK(*b == 5);
  ex::unmap(b, page, in);
  ex::free_virtual_mem(begin, 2 * page, in);
}

static void modes(sycl::queue &q, size_t page) {
  const sycl::context in = q.get_context();
  const std::uintptr_t begin = ex::reserve_virtual_mem(4 * page, in);
  const ex::physical_mem memory(q, 4 * page);
  char *const at = static_cast<char *>(memory.map(begin, 4 * page));
  CHECK(ex::get_access_mode(at, 4 * page, in) == allowed::none && !can_read(at));
  ex::set_access_mode(at, 4 * page, allowed::read_write, in);
  CHECK(ex::get_access_mode(at, 4 * page, in) == allowed::read_write && can_write(at) && can_write(at + 3 * page));
  ex::set_access_mode(at + page, 2 * page, allowed::read, in);
  CHECK(can_read(at + page) && !can_write(at + page) && !can_write(at + 2 * page) && can_write(at + 3 * page) && can_write(at));
  ex::set_access_mode(at + 2 * page, page, allowed::none, in);
  CHECK(!can_read(at + 2 * page) && can_read(at + page));
  CHECK(ex::get_access_mode(at, page, in) == allowed::read_write && ex::get_access_mode(at + page, page, in) == allowed::read);
  CHECK(ex::get_access_mode(at + 2 * page, page, in) == allowed::none && ex::get_access_mode(at + 3 * page, page, in) == allowed::read_write);
  CHECK(ex::get_access_mode(at, 2 * page, in) == allowed::read && ex::get_access_mode(at, 4 * page, in) == allowed::none);
  CHECK(throws(errc::invalid, [&] { ex::unmap(at, page, in); }) && throws(errc::invalid, [&] { ex::unmap(at + page, 3 * page, in); }));
  ex::unmap(at, 4 * page, in); // one mapping, whatever its pages may be used for
  CHECK(throws(errc::invalid, [&] { ex::get_access_mode(at, page, in); }) && throws(errc::invalid, [&] { ex::unmap(at, 4 * page, in); }));
  ex::free_virtual_mem(begin, 4 * page, in);
}

static void refused(sycl::queue &q, size_t page) {
  const sycl::context in = q.get_context(), other(q.get_device());
  const sycl::device on = q.get_device();
  for (size_t bytes : {size_t(0), size_t(1), page + 1}) {
    CHECK(throws(errc::invalid, [&] { ex::reserve_virtual_mem(bytes, in); }));
    CHECK(throws(errc::invalid, [&] { ex::physical_mem(q, bytes); }));
  }
  CHECK(throws(errc::invalid, [&] { ex::reserve_virtual_mem(page + 1, page, in); }));
  CHECK(throws(errc::memory_allocation, [&] { ex::reserve_virtual_mem(~size_t(0) / page * page, in); }));
  CHECK(throws(errc::memory_allocation, [&] { ex::physical_mem(q, ~size_t(0) / page * page); }));
  const std::uintptr_t begin = ex::reserve_virtual_mem(2 * page, in);
  const std::uintptr_t elsewhere = ex::reserve_virtual_mem(begin, page, in);
  CHECK(elsewhere != begin);
  ex::free_virtual_mem(elsewhere, page, in);
  CHECK(ex::reserve_virtual_mem(elsewhere, page, in) == elsewhere); // it is free again
  ex::free_virtual_mem(elsewhere, page, in);
  const ex::physical_mem memory(on, in, page);
  const auto map = [&](std::uintptr_t at, size_t bytes, size_t offset) {
    return throws(errc::invalid, [&] { memory.map(at, bytes, allowed::read_write, offset); });
  };
  CHECK(map(begin + 1, page, 0) && map(begin, 1, 0) && map(begin, 0, 0) && map(begin, page, 1) && map(begin, page, page));
  CHECK(map(begin, 2 * page, 0) && map(begin, page, ~size_t(0) / page * page) && map(begin + 2 * page, page, 0) && map(begin - page, page, 0));
  CHECK(throws(errc::invalid, [&] { ex::physical_mem(on, other, page).map(begin, page, allowed::read); }));
  memory.map(begin + page, page, allowed::read);
  CHECK(map(begin + page, page, 0));
  char *const at = pointer(begin + page);
  CHECK(throws(errc::invalid, [&] { ex::set_access_mode(at + 1, page, allowed::read, in); }));
  CHECK(throws(errc::invalid, [&] { ex::set_access_mode(at, 1, allowed::read, in); }));
  CHECK(throws(errc::invalid, [&] { ex::set_access_mode(at - page, 2 * page, allowed::read, in); }));
  CHECK(throws(errc::invalid, [&] { ex::set_access_mode(at, page, allowed::read, other); }));
  CHECK(throws(errc::invalid, [&] { ex::unmap(at, page, other); }) && throws(errc::invalid, [&] { ex::unmap(at - page, 2 * page, in); }));
  CHECK(throws(errc::invalid, [&] { ex::free_virtual_mem(begin, 2 * page, in); }));
  ex::unmap(at, page, in);
  CHECK(throws(errc::invalid, [&] { ex::free_virtual_mem(begin, page, in); }));
  CHECK(throws(errc::invalid, [&] { ex::free_virtual_mem(begin + page, page, in); }));
  CHECK(throws(errc::invalid, [&] { ex::free_virtual_mem(begin, 2 * page, other); }));
  ex::free_virtual_mem(begin, 2 * page, in);
  CHECK(throws(errc::invalid, [&] { ex::free_virtual_mem(begin, 2 * page, in); }));
}

/// More memories than a process usually may have files.
static void many(sycl::queue &q, size_t page) {
  constexpr size_t count = 3000;
  const sycl::context in = q.get_context();
  const std::uintptr_t begin = ex::reserve_virtual_mem(count * page, in);
  std::vector<ex::physical_mem> memories;
  for (size_t i = 0; i < count; ++i) {
    memories.emplace_back(q, page);
    *static_cast<int *>(memories[i].map(begin + i * page, page, allowed::read_write)) = static_cast<int>(i);
  }
  int *const first = reinterpret_cast<int *>(begin);
  CHECK(first[0] == 0 && first[(count - 1) * page / sizeof(int)] == int(count) - 1);
  CHECK(std::unordered_set<ex::physical_mem>(memories.begin(), memories.end()).size() == count);
  const ex::physical_mem copy = memories[1];
  CHECK(copy == memories[1] && copy != memories[2]);
  for (size_t i = 0; i < count; ++i)
    ex::unmap(pointer(begin + i * page), page, in);
  ex::free_virtual_mem(begin, count * page, in);
}

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  const size_t page = ex::get_mem_granularity(q.get_device(), q.get_context(), ex::granularity_mode::minimum);
  CHECK(q.get_device().has(sycl::aspect::ext_oneapi_virtual_mem) && page != 0);
  CHECK(ex::get_mem_granularity(q.get_context(), ex::granularity_mode::minimum) == page && ex::get_mem_granularity(q) % page == 0);
  CHECK(ex::get_mem_granularity(q.get_context()) % page == 0 && ex::get_mem_granularity(ex::physical_mem(q, page)) % page == 0);
  grows(q, page);
  same_memory_twice(q, page);
  modes(q, page);
  refused(q, page);
  many(q, page);
  const std::vector<sycl::device> parts = q.get_device().get_info<sycl::info::device::max_compute_units>() < 2
                                              ? std::vector<sycl::device>()
                                              : q.get_device().create_sub_devices<sycl::info::partition_property::partition_equally>(1);
  for (const sycl::device &part : parts)
    CHECK(ex::physical_mem(part, q.get_context(), page).get_device() == part);
  return failures;
}
