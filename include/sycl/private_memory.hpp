//! `sycl::private_memory`: a value for each logical work-item that outlives one parallel_for_work_item. Source: SYCL 2020 §4.9.4.2.3.
#pragma once
#include <cstdint>
#include <new>
#include <type_traits>
#include <sycl/group.hpp>

namespace sycl {

template <class T, int D = 1> class private_memory {
public:
  private_memory(const private_memory &) = delete;
  private_memory &operator=(const private_memory &) = delete;

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_AMDGCN__)
  /// SPIR-V and AMD's GPUs have no memory of a size that is only known at run time; larger groups are out of bounds.
  static constexpr size_t capacity = 256;
  explicit private_memory(const group<D> &) {}
#elif defined(__ASPEN_PTX__)
  /// Each thread has the values of the work-items that it runs: usually one.
  explicit private_memory(const group<D> &g) : size_(g.get_local_range().size()), threads_(__aspen_group_threads()) {
    __aspen_of_thread(this);
    if (!std::is_trivially_default_constructible_v<T> || size_ > threads_)
      detail::in_each_thread<construction>(__aspen_group_thread(), threads_, this);
  }
  ~private_memory() {
    if (!std::is_trivially_destructible_v<T> || size_ > threads_)
      detail::in_each_thread<destruction>(__aspen_group_thread(), threads_, this);
  }
#else
  explicit private_memory(const group<D> &g)
      : size_(g.get_local_range().size()), memory_(__builtin_malloc(sizeof(T) * size_ + excess)), values_(aligned(memory_)) {
    for (size_t i = 0; i < size_; ++i)
      ::new (static_cast<void *>(values_ + i)) T;
  }
  ~private_memory() {
    if constexpr (!std::is_trivially_destructible_v<T>)
      for (size_t i = 0; i < size_; ++i)
        values_[i].~T();
    __builtin_free(memory_);
  }
#endif
  T &operator()(const h_item<D> &item) {
#if defined(__ASPEN_PTX__)
    if (size_ <= threads_)
      return first_;
    const size_t place = detail::linear_id(item.get_physical_local_id(), item.get_physical_local_range()) / threads_;
    return place == 0 ? first_ : rest_[place - 1];
#else
    return values_[detail::linear_id(item.get_physical_local_id(), item.get_physical_local_range())];
#endif
  }

private:
#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_AMDGCN__)
  T values_[capacity];
#elif defined(__ASPEN_PTX__)
  /// How many values a thread has besides the first.
  size_t others(unsigned thread) const { return size_ > thread ? (size_ - thread - 1) / threads_ : 0; }
  struct construction {
    static void run(unsigned thread, unsigned, private_memory *own) {
      ::new (static_cast<void *>(&own->first_)) T;
      const size_t count = own->others(thread);
      own->memory_ = count == 0 ? nullptr : __builtin_malloc(sizeof(T) * count + excess);
      own->rest_ = aligned(own->memory_);
      for (size_t i = 0; i < count; ++i)
        ::new (static_cast<void *>(own->rest_ + i)) T;
    }
  };
  struct destruction {
    static void run(unsigned thread, unsigned, private_memory *own) {
      own->first_.~T();
      const size_t count = own->others(thread);
      for (size_t i = 0; i < count; ++i)
        own->rest_[i].~T();
      if (count > 0)
        __builtin_free(own->memory_);
    }
  };
  size_t size_;
  unsigned threads_;
  union {
    T first_;
  };
  void *memory_;
  T *rest_;
#else
  size_t size_;
  void *memory_;
  T *values_;
#endif
#if !defined(__ASPEN_SPIRV__) && !defined(__ASPEN_AMDGCN__)
  /// What malloc gives is a multiple of 16.
  static constexpr size_t excess = alignof(T) > 16 ? alignof(T) - 1 : 0;
  static T *aligned(void *memory) {
    return reinterpret_cast<T *>((reinterpret_cast<std::uintptr_t>(memory) + excess) & ~std::uintptr_t(excess));
  }
#endif
};

} // namespace sycl
