//! Local memory whose size the nodes of a graph may be told anew, as it stands in a kernel's function object: a launch finds it there by the
//! word that it begins with, as it does local accessors. Source: sycl_ext_oneapi_graph.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sycl::detail {

/// What its object begins with. A reference to what its copies share follows, and then its extent.
struct dynamic_place {
  static constexpr std::uint64_t is_dynamic = 0x6c0ca1a5d1a4c0de, unplaced = ~std::uint64_t(0);
  std::uint64_t tag = is_dynamic;
  std::uint64_t number = 0; // which one it is
  std::uint64_t bytes = 0, alignment = 1;
  std::uint64_t offset = 0;        // from the start of the launch's local memory
  std::uint64_t before = unplaced; // the end of the launch's other local memory

  /// Calls `f` with the place of each object in another one and what it is, which is written back.
  template <class F> static void each(void *object, std::size_t size, const F &f) {
    char *const first = static_cast<char *>(object);
    for (std::size_t at = 0; at + sizeof(dynamic_place) <= size; at += alignof(void *)) {
      dynamic_place here;
      std::memcpy(&here, first + at, sizeof here);
      if (here.tag != is_dynamic)
        continue;
      f(first + at, here);
      std::memcpy(first + at, &here, sizeof here);
    }
  }
  static bool is_in(const void *object, std::size_t size) {
    if (!__atomic_load_n(&were_made, __ATOMIC_RELAXED))
      return false;
    for (std::size_t at = 0; at + sizeof(dynamic_place) <= size; at += alignof(void *)) {
      std::uint64_t word;
      std::memcpy(&word, static_cast<const char *>(object) + at, sizeof word);
      if (word == is_dynamic)
        return true;
    }
    return false;
  }
  inline static bool were_made = false; // programs without any need no search
};

} // namespace sycl::detail
