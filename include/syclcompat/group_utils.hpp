//! What a work-group does with several values in each of its work-items: loading, storing, exchanging, sorting. A blocked order has values
//! that follow each other in one work-item; a striped one has them in work-items that follow each other.
//! Source: SYCLcompat's header of that name, as its tests use it.
#pragma once
#include <cstdint>
#include <sycl/bit_cast.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/half.hpp>
#include <sycl/nd_item.hpp>
#include <type_traits>

namespace syclcompat::group {

enum class group_load_algorithm { blocked, striped };
enum class group_store_algorithm { blocked, striped };

#define __ASPEN_DIRECT(name, ...)                                                                                                         \
  template <class Item, class Iterator, class T, int N> inline void name(const Item &item, Iterator memory, T (&values)[N]) {              \
    const size_t id = item.get_local_linear_id();                                                                                          \
    [[maybe_unused]] const size_t items = item.get_group().get_local_linear_range();                                                       \
    for (int i = 0; i < N; ++i)                                                                                                            \
      __VA_ARGS__;                                                                                                                         \
  }
__ASPEN_DIRECT(load_direct_blocked, values[i] = memory[id * N + i])
__ASPEN_DIRECT(load_direct_striped, values[i] = memory[i * items + id])
__ASPEN_DIRECT(store_direct_blocked, memory[id * N + i] = values[i])
__ASPEN_DIRECT(store_direct_striped, memory[i * items + id] = values[i])
#undef __ASPEN_DIRECT

/// They need no local memory.
template <class T, int N, group_load_algorithm Algorithm = group_load_algorithm::blocked> class group_load {
public:
  static size_t get_local_memory_size([[maybe_unused]] size_t work_items) { return 1; }
  group_load(std::uint8_t *) {}
  template <class Item, class Iterator> void load(const Item &item, Iterator from, T (&to)[N]) const {
    if constexpr (Algorithm == group_load_algorithm::blocked)
      load_direct_blocked(item, from, to);
    else
      load_direct_striped(item, from, to);
  }
};
template <class T, int N, group_store_algorithm Algorithm = group_store_algorithm::blocked> class group_store {
public:
  static size_t get_local_memory_size([[maybe_unused]] size_t work_items) { return 1; }
  group_store(std::uint8_t *) {}
  template <class Item, class Iterator> void store(const Item &item, Iterator to, T (&from)[N]) const {
    if constexpr (Algorithm == group_store_algorithm::blocked)
      store_direct_blocked(item, to, from);
    else
      store_direct_striped(item, to, from);
  }
};

/// Other orders of the group's values, by local memory of `get_local_memory_size` bytes for so many work-items.
template <class T, int N> class exchange {
public:
  static size_t get_local_memory_size(size_t work_items) { return work_items * N * sizeof(T); }
  exchange(std::uint8_t *memory) : memory_(reinterpret_cast<T *>(memory)) {}

  template <class Item> void striped_to_blocked(const Item &item, T (&in)[N], T (&out)[N]) const {
    move(item, in, out, [&](int i) { return i * items(item) + id(item); }, [&](int i) { return id(item) * N + i; });
  }
  template <class Item> void blocked_to_striped(const Item &item, T (&in)[N], T (&out)[N]) const {
    move(item, in, out, [&](int i) { return id(item) * N + i; }, [&](int i) { return i * items(item) + id(item); });
  }
  /// Each value goes to the place that its rank says, in that order.
  template <class Item, class Rank> void scatter_to_blocked(const Item &item, T (&values)[N], Rank (&ranks)[N]) const {
    move(item, values, values, [&](int i) { return size_t(ranks[i]); }, [&](int i) { return id(item) * N + i; });
  }
  template <class Item, class Rank> void scatter_to_striped(const Item &item, T (&values)[N], Rank (&ranks)[N]) const {
    move(item, values, values, [&](int i) { return size_t(ranks[i]); }, [&](int i) { return i * items(item) + id(item); });
  }

private:
  template <class Item> static size_t id(const Item &item) { return item.get_local_linear_id(); }
  template <class Item> static size_t items(const Item &item) { return item.get_group().get_local_linear_range(); }
  template <class Item, class To, class From> void move(const Item &item, T (&in)[N], T (&out)[N], To to, From from) const {
    for (int i = 0; i < N; ++i)
      memory_[to(i)] = in[i];
    sycl::group_barrier(item.get_group());
    for (int i = 0; i < N; ++i)
      out[i] = memory_[from(i)];
    sycl::group_barrier(item.get_group());
  }

  T *memory_;
};

/// Sorts the group's numbers by their bits from `begin_bit` up to `end_bit`; what is equal there keeps its order. They are in blocked order
/// before, and after it in that of the function's name. With `Descending`, `sort` does what `sort_descending` does.
template <class T, int N, bool Descending = false> class group_radix_sort {
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || std::is_same_v<T, sycl::half>, "group_radix_sort: of numbers");
  template <class A, class B> using by_size = std::conditional_t<sizeof(T) == sizeof(A), A, B>;
  using bits_t = by_size<std::uint8_t, by_size<std::uint16_t, by_size<std::uint32_t, std::uint64_t>>>;

public:
  static size_t get_local_memory_size(size_t work_items) { return exchange<T, N>::get_local_memory_size(work_items); }
  group_radix_sort(std::uint8_t *memory) : exchange_(memory) {}

#define __ASPEN_SORT(name, descending, striped)                                                                                           \
  template <class Item> void name(const Item &item, T (&keys)[N], int begin_bit = 0, int end_bit = int(8 * sizeof(T))) const {             \
    by_bits<descending, striped>(item, keys, begin_bit, end_bit);                                                                          \
  }
  __ASPEN_SORT(sort, Descending, false)
  __ASPEN_SORT(sort_descending, true, false)
  __ASPEN_SORT(sort_blocked_to_striped, Descending, true)
  __ASPEN_SORT(sort_descending_blocked_to_striped, true, true)
#undef __ASPEN_SORT

private:
  /// Bits that have the order of the numbers.
  static bits_t ordered(const T &key) {
    constexpr bits_t sign = bits_t(bits_t(1) << (8 * sizeof(T) - 1));
    const bits_t bits = sycl::bit_cast<bits_t>(key);
    if constexpr (std::is_unsigned_v<T>)
      return bits;
    else if constexpr (std::is_integral_v<T>)
      return bits_t(bits ^ sign);
    else
      return bits_t(bits & sign ? ~bits : bits ^ sign);
  }
  /// Two bits at a time. How many values have the digits 0, 1 and 2 is counted in 21 bits of a number each.
  template <bool Falls, bool Striped, class Item> void by_bits(const Item &item, T (&keys)[N], int begin, int end) const {
    constexpr std::uint64_t field = (1 << 21) - 1;
    const auto group = item.get_group();
    const std::uint64_t first = item.get_local_linear_id() * N;
    for (int bit = begin; bit < end; bit += 2) {
      const unsigned mask = end - bit < 2 ? 1 : 3;
      unsigned digits[N], ranks[N];
      std::uint64_t own = 0;
      for (int i = 0; i < N; ++i) {
        const unsigned digit = unsigned(ordered(keys[i]) >> bit) & mask;
        digits[i] = Falls ? mask - digit : digit;
        own += digits[i] < 3 ? std::uint64_t(1) << (21 * digits[i]) : 0;
      }
      const std::uint64_t all = sycl::reduce_over_group(group, own, sycl::plus<std::uint64_t>());
      const std::uint64_t before = sycl::exclusive_scan_over_group(group, own, sycl::plus<std::uint64_t>());
      std::uint64_t next[4], start = 0, seen = 0;
      for (int d = 0; d < 4; ++d) {
        const std::uint64_t earlier = d < 3 ? before >> (21 * d) & field : first - seen;
        next[d] = start + earlier;
        seen += earlier;
        start += d < 3 ? all >> (21 * d) & field : 0;
      }
      for (int i = 0; i < N; ++i)
        ranks[i] = unsigned(next[digits[i]]++);
      exchange_.scatter_to_blocked(item, keys, ranks);
    }
    if constexpr (Striped)
      exchange_.blocked_to_striped(item, keys, keys);
  }

  exchange<T, N> exchange_;
};

} // namespace syclcompat::group
