//! Naming a kernel towards the runtime: its symbol, the module and the object that launch it.
#pragma once
#include <aspen/aspen.h>
#include <cstring>
#include <sycl/detail/config.hpp>
#include <sycl/range.hpp>
#include <type_traits>

#if defined(__ASPEN_HOST__)
/// Defined by the registration object that aspen++ links: a program linked by another compiler driver stops here.
extern "C" __attribute__((visibility("hidden"))) const char __aspen_link_with_aspenxx;

namespace sycl::detail {
#if defined(__ASPEN_EDITOR__)
/// Editors read without the plugin, and nobody defines this: what is compiled so has no device code, and must not be linked.
extern "C" const char __aspen_compiled_for_an_editor_by_ASPEN_EDITOR__;
[[maybe_unused]] static constexpr const char *object_tag = &__aspen_compiled_for_an_editor_by_ASPEN_EDITOR__;
#else
/// Distinguishes equally named kernels of internal linkage. The compiler plugin puts the digits here; clang without it stops at the name.
[[maybe_unused]] static constexpr const char *object_tag = __ASPEN_OBJECT_TAG__;
#endif
} // namespace sycl::detail
#endif

namespace sycl::detail {

struct buffer_state;
class native_arguments;

/// How a kernel that is a function is launched through its kernel object: ext/oneapi/experimental/free_function_traits.hpp.
struct function_launcher {
  std::uint32_t parameters;
  int mark; // dimensions of its nd_range; 4: a single task
  void (*launch)(handler &command, const native_arguments &arguments, const aspen_launch_t &shape);
  /// Makes the kernel's function object of arguments and hands it to `take`, which copies its bytes.
  void (*pack)(const native_arguments &arguments, void (*take)(void *to, const void *closure), void *to);
};

/// What the runtime finds a kernel by.
struct kernel_identity {
  const void *module = nullptr;
  const char *tag = nullptr;
  const char *symbol = nullptr;
  const function_launcher *function = nullptr; // of a kernel that is a function and was named as one
};

/// Of the kernel that this module launches. Hidden, as is all that asks for a kernel by its name alone: another library's kernel of the same name
/// must not stand in for this one's when the loader binds equal symbols to the first.
template <class Name> [[gnu::visibility("hidden")]] inline kernel_identity identify_kernel() {
#if defined(__ASPEN_HOST__)
  return {&__aspen_link_with_aspenxx, object_tag, __builtin_sycl_unique_stable_name(kernel_class_t<Name>)};
#else
  return {};
#endif
}

/// A launch of nothing yet.
inline aspen_launch_t launch_of(int kind, const kernel_identity &kernel) {
  aspen_launch_t l = {};
  l.struct_size = sizeof l;
  l.kind = kind;
  l.module = kernel.module;
  l.object_tag = kernel.tag;
  l.symbol = kernel.symbol;
  return l;
}
/// Over a range in so many dimensions; `local` is null where there are no work-groups, or the device chooses them.
template <int D>
inline void set_shape(aspen_launch_t &l, const range<D> &global, const std::common_type_t<range<D>> *local, const id<D> &offset) {
  l.dimensions = D;
  for (int d = 0; d < 3; ++d) {
    l.global[d] = d < D ? global[d] : 1;
    l.local[d] = !local ? 0 : d < D ? (*local)[d] : 1;
    l.offset[d] = d < D ? offset[d] : 0;
  }
}

/// What a local accessor knows of its memory. The word beside the offset lets a launch see whether a function holds one: a kernel without
/// work-groups must not, but its command group may make one and not use it. Source: SYCL 2020 §4.7.6.11.
struct local_place {
  static constexpr std::uint32_t is_local = 0x6c0ca1a5;
  std::uint32_t offset = 0; // bytes from the start of the launch's local memory
  std::uint32_t tag = 0;

  /// Whether there is one in the object, of a command with `limit` bytes of local memory.
  static bool is_in(const void *object, size_t size, size_t limit) {
    for (size_t at = 0; at + sizeof(local_place) <= size; at += alignof(void *)) {
      local_place here;
      std::memcpy(&here, static_cast<const char *>(object) + at, sizeof here);
      if (here.tag == is_local && here.offset <= limit)
        return true;
    }
    return false;
  }
};

/// An accessor of one dimension or more, in the place of one of none.
template <class A> const auto &in_line(const A &a) {
  if constexpr (A::dimensions == 0)
    return a.aspen_one();
  else
    return a;
}

/// What an accessor knows of its buffer, on the host. The word beside it lets a launch see placeholders that its function holds.
struct buffer_place {
  static constexpr std::uint64_t is_placeholder = 0x5c3e1d9a706c6800, no_init = 1;
  buffer_state *buffer = nullptr;
  std::uint64_t what = 0;

#if !defined(__SYCL_DEVICE_ONLY__)
  /// Where an accessor was, another object may leave holes that nobody writes, and no launch is to find the word there.
  ~buffer_place() {
    if (placeholder())
      *const_cast<volatile std::uint64_t *>(&what) = 0;
  }
#endif
  bool placeholder() const { return is_one(what); }
  static bool is_one(std::uint64_t what) { return (what & ~no_init) == is_placeholder; }
  void hold() {
    what |= is_placeholder;
    __atomic_store_n(&were_held, true, __ATOMIC_RELAXED);
  }
  /// What a command requires by a placeholder: its memory where the command runs, and where a placeholder shows it that no command has required.
  struct required {
    const buffer_state *buffer;
    std::uintptr_t address, unbound;
    size_t size;
  };
  /// Has the placeholders in the object whose buffers are among `known` lead to the command's memory: they may be copies that were made before it
  /// required them. Returns whether no others are there. Source: SYCL 2020 §4.5.2.
  static bool bind_required(const void *object, size_t size, const required *known, size_t count) {
    if (!__atomic_load_n(&were_held, __ATOMIC_RELAXED))
      return true;
    bool all_known = true;
    for (size_t at = 0; at + sizeof(buffer_place) <= size; at += alignof(void *)) {
      const char *const here = static_cast<const char *>(object) + at;
      const buffer_state *buffer;
      std::uint64_t word;
      std::memcpy(&buffer, here, sizeof buffer);
      std::memcpy(&word, here + offsetof(buffer_place, what), sizeof word);
      if (!is_one(word))
        continue;
      bool is_known = false;
      for (size_t i = 0; i < count; ++i) {
        if (known[i].buffer != buffer)
          continue;
        if (!is_known && at >= sizeof(void *))
          bind(const_cast<char *>(here) - sizeof(void *), known[i]);
        is_known = true;
      }
      all_known = all_known && is_known;
    }
    return all_known;
  }
  inline static bool were_held = false; // programs without any need no search

private:
  /// `where`: an accessor's pointer, which stands before its place.
  static void bind(char *where, const required &to) {
    std::uintptr_t element;
    std::memcpy(&element, where, sizeof element);
    if (element - to.address <= to.size || element - to.unbound > to.size)
      return;
    element += to.address - to.unbound;
    std::memcpy(where, &element, sizeof element);
  }
};

} // namespace sycl::detail
