//! Specialization constants: `sycl::specialization_id` and `sycl::kernel_handler`. Source: SYCL 2020 §4.9.5.
//!
//! A command group's values travel beside the kernel's closure, each under a hash of its constant's name; what was not set is the
//! constant's default, which the compiler knows. So every device has them and no image has to be built again for a new value; the
//! specification calls such constants emulated (`native_specialization_constant()` is false).
#pragma once
#include <sycl/detail/call_kernel.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/list.hpp>
#include <type_traits>
#include <utility>

namespace sycl {

template <class T> class specialization_id {
public:
  using value_type = T;
  using aspen_transferred = T; // the compiler's plugin looks for references in it
  template <class... Arguments, std::enable_if_t<std::is_constructible_v<T, Arguments...>, int> = 0>
  explicit constexpr specialization_id(Arguments &&...arguments) : default_(std::forward<Arguments>(arguments)...) {}
  specialization_id(const specialization_id &) = delete;
  specialization_id &operator=(const specialization_id &) = delete;

  /// For the library.
  constexpr const T &aspen_default() const { return default_; }

private:
  T default_;
};

namespace detail {

template <auto &Constant> class constant_name;
template <auto &Constant> using constant_value = typename std::remove_reference_t<decltype(Constant)>::value_type;

constexpr std::uint64_t name_hash(const char *name, std::uint64_t hash = 0xcbf29ce484222325u) { // FNV-1a
  for (; *name; ++name)
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3u;
  return hash;
}

/// Equal in all passes and objects. Units may have constants of their own with one name (`constexpr` ones at namespace scope are internal): of
/// different types, these are different. Those of one type are not told apart where one command group or bundle sets both.
template <auto &Constant>
inline constexpr std::uint64_t constant_key =
    name_hash(__builtin_sycl_unique_stable_name(constant_value<Constant>), name_hash(__builtin_sycl_unique_stable_name(constant_name<Constant>)));

/// Values as they travel to the device: for each a key and a size, two 64-bit words, then its bytes, padded to 16.
struct constant_block {
  const unsigned char *first = nullptr;
  std::uint64_t count = 0; // asked instead of `first`: comparing pointers is an instruction that older OpenCL drivers do not know

  struct entry {
    std::uint64_t key;
    std::uint64_t size;
  };
  static constexpr size_t padded(size_t size) { return (size + 15) / 16 * 16; }
  static entry head(const unsigned char *at) {
    entry out;
    __builtin_memcpy(&out, at, sizeof out);
    return out;
  }
  /// Calls `function(key, value, size)` for each until it returns true.
  template <class F> void until(F function) const {
    const unsigned char *at = first;
    for (std::uint64_t i = 0; i < count; ++i) {
      const entry own = head(at);
      if (function(own.key, at + sizeof own, own.size))
        break;
      at += sizeof own + padded(own.size);
    }
  }
};

template <auto &Constant> inline constant_value<Constant> constant_in(const constant_block &block) {
  constant_value<Constant> value = Constant.aspen_default();
  block.until([&](std::uint64_t key, const unsigned char *set, std::uint64_t) {
    const bool found = key == constant_key<Constant>;
    if (found)
      __builtin_memcpy(static_cast<void *>(&value), set, sizeof value);
    return found;
  });
  return value;
}

/// The values that the host has set so far; a block at any time.
class constant_values {
public:
  template <auto &Constant> void set(const constant_value<Constant> &value) {
    put(constant_key<Constant>, static_cast<const void *>(&value), sizeof value);
  }
  template <auto &Constant> constant_value<Constant> get() const { return constant_in<Constant>(block()); }
  /// Takes over all values of another one.
  void take(const constant_values &other) {
    other.block().until([&](std::uint64_t key, const unsigned char *value, std::uint64_t size) {
      put(key, value, size);
      return false;
    });
  }
  bool empty() const { return count_ == 0; }
  constant_block block() const { return {bytes_.data(), count_}; }
  size_t size() const { return bytes_.size(); }

private:
  void put(std::uint64_t key, const void *value, size_t size) {
    bool known = false;
    block().until([&](std::uint64_t old, const unsigned char *at, std::uint64_t) {
      known = old == key;
      if (known)
        __builtin_memcpy(bytes_.data() + (at - bytes_.data()), value, size);
      return known;
    });
    if (known)
      return;
    const constant_block::entry head = {key, size};
    append(&head, sizeof head);
    append(value, size);
    for (size_t i = size; i < constant_block::padded(size); ++i)
      bytes_.add(0);
    ++count_;
  }
  void append(const void *from, size_t count) {
    for (size_t i = 0; i < count; ++i)
      bytes_.add(static_cast<const unsigned char *>(from)[i]);
  }
  list<unsigned char> bytes_;
  std::uint64_t count_ = 0;
};

/// The constants that kernels of the program read, known to the host because each reading function registers its own. What is written down
/// outlives the library that registered it, and may be read while another one is loaded.
struct read_constant {
  explicit read_constant(std::uint64_t key) {
    if (is_read(key))
      return;
    entry *made = new entry{key, nullptr};
    made->next = __atomic_load_n(&first(), __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&first(), &made->next, made, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
  }
  static bool is_read(std::uint64_t key) {
    for (const entry *e = newest(); e; e = e->next)
      if (e->key == key)
        return true;
    return false;
  }
  static bool any() { return newest() != nullptr; }

private:
  struct entry {
    std::uint64_t key;
    entry *next;
  };
  static entry *&first() {
    __attribute__((visibility("default"))) static entry *head = nullptr;
    return head;
  }
  static const entry *newest() { return __atomic_load_n(&first(), __ATOMIC_ACQUIRE); }
};
#if defined(__ASPEN_HOST__)
template <auto &Constant> struct reads_constant {
  static inline read_constant registered{constant_key<Constant>};
};
#endif

} // namespace detail

/// What a kernel reads its specialization constants from. Source: SYCL 2020 §4.9.5.3.
class kernel_handler {
public:
  kernel_handler() = delete;
  template <auto &Constant> detail::constant_value<Constant> get_specialization_constant() const {
#if defined(__ASPEN_HOST__)
    (void)&detail::reads_constant<Constant>::registered;
#endif
    return detail::constant_in<Constant>(block_);
  }

  /// For the library.
  explicit kernel_handler(const detail::constant_block &block) : block_(block) {}

private:
  detail::constant_block block_;
};

namespace detail {
/// A kernel function that takes a kernel_handler, with the values that it reads.
template <class F> struct with_constants {
  using aspen_kernel_function = F; // where the compiler finds the kernel's attributes
  F function;
  constant_block block;
  void operator()() const {
    kernel_handler constants(block);
    function(constants);
  }
  template <class Item> void operator()(Item &at) const {
    kernel_handler constants(block);
    detail::call_kernel(function, at, constants);
  }
};
} // namespace detail

} // namespace sycl
