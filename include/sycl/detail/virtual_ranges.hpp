//! Ranges of addresses that a program has reserved, what is mapped there, and memory without an address. All of it is the host's: the embedded
//! CPU device alone offers it. Source: sycl_ext_oneapi_virtual_mem; mmap(2), mremap(2).
#pragma once
#include <sycl/context.hpp>
#include <sycl/detail/counted.hpp>
#include <sycl/detail/list.hpp>

// Labels, since <sys/mman.h> would be everybody's.
extern "C" void *__aspen_mmap(void *at, std::size_t size, int access, int flags, int file, long offset) noexcept __asm__("mmap");
extern "C" void *__aspen_mremap(void *at, std::size_t size, std::size_t new_size, int flags, ...) noexcept __asm__("mremap");
extern "C" int __aspen_munmap(void *at, std::size_t size) noexcept __asm__("munmap");
extern "C" int __aspen_mprotect(void *at, std::size_t size, int access) noexcept __asm__("mprotect");

namespace sycl {

namespace ext::oneapi::experimental {
enum class address_access_mode : char { none = 0, read = 1, read_write = 2 };
}

namespace detail {

namespace pages {
using mode = ext::oneapi::experimental::address_access_mode;
inline constexpr size_t size = 4096; // of x86-64
inline void *pointer(std::uintptr_t at) noexcept { return reinterpret_cast<void *>(at); }
/// Null if there is no room. `fixed`: instead of what is there.
inline void *map(void *at, size_t bytes, bool shared, bool fixed = false) noexcept {
  enum { none = 0, as_shared = 0x1, as_private = 0x2, here = 0x10, anonymous = 0x20, no_reserve = 0x4000 };
  void *const got = __aspen_mmap(at, bytes, none, (shared ? as_shared : as_private) | (fixed ? here : 0) | anonymous | no_reserve, -1, 0);
  return got == pointer(~std::uintptr_t(0)) ? nullptr : got;
}
/// The pages have a second address besides, which is what a size of 0 means where they are shared.
inline bool map_also(void *at, void *pages, size_t bytes) noexcept {
  enum { may_move = 0x1, there = 0x2 };
  return __aspen_mremap(pages, 0, bytes, may_move | there, at) == at;
}
inline bool allow(void *at, size_t bytes, mode what) noexcept {
  enum { none = 0, read = 1, write = 2 };
  return __aspen_mprotect(at, bytes, what == mode::none ? none : what == mode::read ? read : read | write) == 0;
}
} // namespace pages

/// Memory, at an address where nobody may use it. What is mapped of it elsewhere stays there when this is gone.
struct physical_memory : counted {
  physical_memory(const sycl::context &in, const sycl::device &on, size_t bytes) : context(in), device(on), size(bytes) {
    // Pages are taken when they are written, so that what is too large must be said before.
    if (bytes <= aspen_device_number(on.aspen_handle(), ASPEN_DEVICE_GLOBAL_MEM_SIZE))
      memory = pages::map(nullptr, bytes, true);
    if (!memory)
      fail(errc::memory_allocation, "physical_mem: there is not so much memory");
  }
  ~physical_memory() { __aspen_munmap(memory, size); }
  const sycl::context context;
  const sycl::device device;
  const size_t size;
  void *memory = nullptr;
};

/// All ranges of the process.
class virtual_ranges {
public:
  /// One object for all that the loader brings together, as ranges may be of one library and mapped by another.
  __attribute__((visibility("default"))) static virtual_ranges &get() {
    [[clang::no_destroy]] static virtual_ranges all;
    return all;
  }

  std::uintptr_t reserve(std::uintptr_t wanted, size_t bytes, const context &in) {
    if (wanted % pages::size != 0)
      fail(errc::invalid, "reserve_virtual_mem: the address is no multiple of get_mem_granularity");
    must_be_pages(bytes);
    void *const got = pages::map(pages::pointer(wanted), bytes, false);
    if (!got)
      fail(errc::memory_allocation, "reserve_virtual_mem: there are not so many addresses in a row");
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(got);
    const locked hold(lock_);
    reserved_.add({begin, begin + bytes, in});
    return begin;
  }
  void free(std::uintptr_t begin, size_t bytes, const context &in) {
    const locked hold(lock_);
    reservation *const found = within(begin, bytes, in);
    if (!found || found->begin != begin || found->end - begin != bytes)
      fail(errc::invalid, "free_virtual_mem: reserve_virtual_mem has given no such range in this context");
    if (mapped_in(begin, begin + bytes) != 0)
      fail(errc::invalid, "free_virtual_mem: physical memory is mapped in the range; unmap it first");
    forget(reserved_, found);
    __aspen_munmap(pages::pointer(begin), bytes);
  }
  void map(std::uintptr_t begin, size_t bytes, pages::mode mode, const physical_memory &of, size_t offset) {
    if (begin % pages::size != 0 || offset % pages::size != 0)
      fail(errc::invalid, "physical_mem::map: an address or an offset that is no multiple of get_mem_granularity");
    must_be_pages(bytes);
    if (offset > of.size || bytes > of.size - offset)
      fail(errc::invalid, "physical_mem::map: more than the physical memory has");
    const locked hold(lock_);
    if (!within(begin, bytes, of.context))
      fail(errc::invalid, "physical_mem::map: the range is not within one that reserve_virtual_mem has given in the memory's context");
    if (mapped_in(begin, begin + bytes) != 0)
      fail(errc::invalid, "physical_mem::map: physical memory is mapped in the range already; unmap it first");
    void *const at = pages::pointer(begin);
    if (!pages::map_also(at, static_cast<char *>(of.memory) + offset, bytes) || !pages::allow(at, bytes, mode)) {
      pages::map(at, bytes, false, true);
      fail(errc::memory_allocation, "physical_mem::map: the system has no room for one more mapping");
    }
    mapped_.add({begin, begin + bytes, begin, mode});
  }
  void unmap(std::uintptr_t begin, size_t bytes, const context &in) {
    const locked hold(lock_);
    size_t own = 0;
    for (const piece &one : mapped_)
      own += one.of == begin ? one.end - one.begin : 0;
    if (own == 0 || own != bytes || !within(begin, bytes, in))
      fail(errc::invalid, "unmap: physical_mem::map has mapped no such range in this context");
    if (!pages::map(pages::pointer(begin), bytes, false, true))
      fail(errc::memory_allocation, "unmap: the system has no room for one more mapping");
    for (size_t i = mapped_.size(); i-- > 0;)
      if (mapped_.data()[i].of == begin)
        forget(mapped_, mapped_.data() + i);
  }
  void set_mode(std::uintptr_t begin, size_t bytes, pages::mode mode, const context &in) {
    const locked hold(lock_);
    must_be_mapped(begin, bytes, in);
    if (!pages::allow(pages::pointer(begin), bytes, mode))
      fail(errc::memory_allocation, "set_access_mode: the system has no room for one more mapping");
    const std::uintptr_t end = begin + bytes;
    for (size_t i = 0, count = mapped_.size(); i < count; ++i) {
      const piece whole = mapped_.data()[i];
      if (whole.end <= begin || whole.begin >= end)
        continue;
      piece &part = mapped_.data()[i];
      part.mode = mode;
      if (whole.begin < begin)
        part.begin = begin;
      if (whole.end > end)
        part.end = end;
      if (whole.begin < begin)
        mapped_.add({whole.begin, begin, whole.of, whole.mode});
      if (whole.end > end)
        mapped_.add({end, whole.end, whole.of, whole.mode});
    }
  }
  /// What all of the range may be used for.
  pages::mode mode(std::uintptr_t begin, size_t bytes, const context &in) {
    const locked hold(lock_);
    must_be_mapped(begin, bytes, in);
    pages::mode least = pages::mode::read_write;
    for (const piece &one : mapped_)
      if (one.end > begin && one.begin < begin + bytes && one.mode < least)
        least = one.mode;
    return least;
  }

  static void must_be_pages(size_t bytes) {
    if (bytes == 0 || bytes % pages::size != 0)
      fail(errc::invalid, "virtual memory: sizes are multiples of get_mem_granularity, and not 0");
  }

private:
  struct reservation {
    std::uintptr_t begin, end;
    context in;
  };
  /// Of a mapping, which is named by where it begins, with one mode.
  struct piece {
    std::uintptr_t begin, end, of;
    pages::mode mode;
  };
  reservation *within(std::uintptr_t begin, size_t bytes, const context &in) {
    for (size_t i = 0; i < reserved_.size(); ++i) {
      reservation &one = reserved_.data()[i];
      if (one.begin <= begin && begin < one.end && bytes <= one.end - begin && one.in == in)
        return &one;
    }
    return nullptr;
  }
  /// How many bytes.
  size_t mapped_in(std::uintptr_t begin, std::uintptr_t end) const {
    size_t bytes = 0;
    for (const piece &one : mapped_)
      if (one.end > begin && one.begin < end)
        bytes += (one.end < end ? one.end : end) - (one.begin > begin ? one.begin : begin);
    return bytes;
  }
  void must_be_mapped(std::uintptr_t begin, size_t bytes, const context &in) {
    if (begin % pages::size != 0)
      fail(errc::invalid, "virtual memory: the address is no multiple of get_mem_granularity");
    must_be_pages(bytes);
    if (!within(begin, bytes, in) || mapped_in(begin, begin + bytes) != bytes)
      fail(errc::invalid, "virtual memory: physical memory is not mapped in all of the range in this context");
  }
  template <class T> static void forget(list<T> &of, T *one) {
    *one = of.data()[of.size() - 1];
    of.pop();
  }
  list<reservation> reserved_;
  list<piece> mapped_;
  spin_lock lock_;
};

} // namespace detail
} // namespace sycl
