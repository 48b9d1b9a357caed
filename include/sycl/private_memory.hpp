//! `sycl::private_memory`: a value for each logical work-item that outlives one parallel_for_work_item. Source: SYCL 2020 §4.9.4.2.3.
#pragma once
#include <new>
#include <sycl/group.hpp>

namespace sycl {

template <class T, int D = 1> class private_memory {
public:
  private_memory(const private_memory &) = delete;
  private_memory &operator=(const private_memory &) = delete;

#if defined(__ASPEN_SPIRV__)
  /// SPIR-V has no memory of a size that is only known at run time; larger groups are out of bounds.
  static constexpr size_t capacity = 256;
  explicit private_memory(const group<D> &) {}
#else
  explicit private_memory(const group<D> &g) : values_(static_cast<T *>(__builtin_malloc(sizeof(T) * g.get_local_range().size()))) {
    for (size_t i = 0; i < g.get_local_range().size(); ++i)
      ::new (static_cast<void *>(values_ + i)) T;
  }
  ~private_memory() { __builtin_free(values_); }
#endif
  T &operator()(const h_item<D> &item) {
    return values_[detail::linear_id(item.get_physical_local_id(), item.get_physical_local_range())];
  }

private:
#if defined(__ASPEN_SPIRV__)
  T values_[capacity];
#else
  T *values_;
#endif
};

} // namespace sycl
