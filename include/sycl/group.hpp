//! `sycl::group` and `sycl::h_item`. Source: SYCL 2020 §4.9.1.7, §4.9.1.6.
#pragma once
#include <sycl/detail/call_kernel.hpp>
#include <sycl/detail/hierarchy.hpp>
#include <sycl/detail/work_item.hpp>
#include <sycl/item.hpp>
#include <sycl/memory_enums.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {

template <int D> class group;

/// A logical work-item inside parallel_for_work_item.
template <int D> class h_item {
public:
  static constexpr int dimensions = D;
  /// Of the physical work-item, which runs every logical one at its place modulo the physical range.
  item<D, false> get_global() const noexcept { return detail::item_access::make<false>(get_global_id(), get_global_range()); }
  id<D> get_global_id() const noexcept { return group_id_ * physical_ + get_physical_local_id(); }
  size_t get_global_id(int d) const noexcept { return get_global_id()[d]; }
  range<D> get_global_range() const noexcept { return group_range_ * physical_; }
  size_t get_global_range(int d) const noexcept { return get_global_range()[d]; }
  item<D, false> get_logical_local() const noexcept { return detail::item_access::make<false>(logical_id_, logical_); }
  item<D, false> get_physical_local() const noexcept { return detail::item_access::make<false>(get_physical_local_id(), physical_); }
  item<D, false> get_local() const noexcept { return get_logical_local(); }
  id<D> get_local_id() const noexcept { return logical_id_; }
  size_t get_local_id(int d) const noexcept { return logical_id_[d]; }
  range<D> get_local_range() const noexcept { return logical_; }
  size_t get_local_range(int d) const noexcept { return logical_[d]; }
  id<D> get_logical_local_id() const noexcept { return logical_id_; }
  size_t get_logical_local_id(int d) const noexcept { return logical_id_[d]; }
  range<D> get_logical_local_range() const noexcept { return logical_; }
  size_t get_logical_local_range(int d) const noexcept { return logical_[d]; }
#if defined(__ASPEN_PTX__)
  id<D> get_physical_local_id() const noexcept { return physical_id_; }
#else
  id<D> get_physical_local_id() const noexcept { return logical_id_ % physical_; }
#endif
  size_t get_physical_local_id(int d) const noexcept { return get_physical_local_id()[d]; }
  range<D> get_physical_local_range() const noexcept { return physical_; }
  size_t get_physical_local_range(int d) const noexcept { return physical_[d]; }

  friend bool operator==(const h_item &a, const h_item &b) noexcept {
    return a.logical_id_ == b.logical_id_ && a.logical_ == b.logical_ && a.physical_ == b.physical_ && a.group_id_ == b.group_id_ &&
           a.group_range_ == b.group_range_;
  }
#if __cplusplus < 202002L
  friend bool operator!=(const h_item &a, const h_item &b) noexcept { return !(a == b); }
#endif

private:
  friend class group<D>;
#if defined(__ASPEN_PTX__)
  h_item(const id<D> &at, const id<D> &physical_at, const range<D> &logical, const range<D> &physical, const id<D> &group_id,
         const range<D> &group_range)
      : physical_id_(physical_at), logical_id_(at), logical_(logical), physical_(physical), group_id_(group_id), group_range_(group_range) {}
  id<D> physical_id_; // who runs it knows, so that nobody divides
#else
  h_item(const id<D> &at, const range<D> &logical, const range<D> &physical, const id<D> &group_id, const range<D> &group_range)
      : logical_id_(at), logical_(logical), physical_(physical), group_id_(group_id), group_range_(group_range) {}
#endif
  id<D> logical_id_;
  range<D> logical_;
  range<D> physical_;
  id<D> group_id_;
  range<D> group_range_;
};

/// What an asynchronous copy returns. Copies are done by the work-items that ask for them, so it only stands for their barrier.
class device_event {
public:
  device_event() = delete;
  void wait() const noexcept {
    if (together_)
      item_.group_barrier();
  }

  /// For the library.
  device_event(const detail::work_item &at, bool together) noexcept : item_(at), together_(together) {}

private:
  detail::work_item item_;
  bool together_;
};

/// A work-group.
template <int D = 1> class group {
public:
  using id_type = id<D>;
  using range_type = range<D>;
  using linear_id_type = size_t;
  static constexpr int dimensions = D;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  id<D> get_group_id() const noexcept { return detail::group_id_of<D>(item_); }
  size_t get_group_id(int d) const noexcept { return get_group_id()[d]; }
  id<D> get_id() const noexcept { return get_group_id(); }
  size_t get_id(int d) const noexcept { return get_group_id()[d]; }
  size_t operator[](int d) const noexcept { return get_group_id()[d]; }
  range<D> get_group_range() const noexcept { return detail::group_range_of<D>(item_); }
  size_t get_group_range(int d) const noexcept { return get_group_range()[d]; }
  id<D> get_local_id() const noexcept { return detail::local_id_of<D>(item_); }
  size_t get_local_id(int d) const noexcept { return get_local_id()[d]; }
  range<D> get_local_range() const noexcept { return local_; }
  size_t get_local_range(int d) const noexcept { return local_[d]; }
  range<D> get_max_local_range() const noexcept { return local_; }
  size_t get_group_linear_id() const noexcept { return detail::linear_id(get_group_id(), get_group_range()); }
  size_t get_group_linear_range() const noexcept { return get_group_range().size(); }
  size_t get_local_linear_id() const noexcept { return item_.local_linear_id(); }
  size_t get_local_linear_range() const noexcept { return local_.size(); }
  bool leader() const noexcept { return get_local_linear_id() == 0; }
  /// SYCL 1.2.1's.
  size_t get_linear_id() const noexcept { return get_group_linear_id(); }
  size_t get_linear() const noexcept { return get_group_linear_id(); }
  range<D> get_global_range() const noexcept { return get_group_range() * local_; }
  size_t get_global_range(int d) const noexcept { return get_global_range()[d]; }
  /// The mode may be one of reads, writes and both; it is of both.
  template <access_mode = access_mode::read_write> void mem_fence(access::fence_space = access::fence_space::global_and_local) const noexcept {
    atomic_fence(memory_order::acq_rel, memory_scope::work_group);
  }

  /// Between local and global memory: all work-items of the group call it with the same arguments. `stride` counts elements of the global
  /// side. Source: SYCL 2020 §4.9.1.7.
  template <class T, access::decorated A, class U, access::decorated B>
  device_event async_work_group_copy(multi_ptr<T, access::address_space::local_space, A> to, multi_ptr<U, access::address_space::global_space, B> from,
                                     size_t count, size_t stride = 1) const noexcept {
    static_assert(std::is_same_v<T, std::remove_const_t<U>>, "async_work_group_copy copies between elements of one type");
    T *const target = to.get_raw();
    const U *const source = from.get_raw();
    return copied(count, [&](size_t i) { target[i] = source[i * stride]; });
  }
  template <class T, access::decorated A, class U, access::decorated B>
  device_event async_work_group_copy(multi_ptr<T, access::address_space::global_space, A> to, multi_ptr<U, access::address_space::local_space, B> from,
                                     size_t count, size_t stride = 1) const noexcept {
    static_assert(std::is_same_v<T, std::remove_const_t<U>>, "async_work_group_copy copies between elements of one type");
    T *const target = to.get_raw();
    const U *const source = from.get_raw();
    return copied(count, [&](size_t i) { target[i * stride] = source[i]; });
  }
  template <class... Events> void wait_for(Events... events) const noexcept { (events.wait(), ...); }

  /// Hierarchical kernels: runs `function` for every logical work-item of the group, one after the other (NVIDIA's processors: side by side).
  template <class F> void parallel_for_work_item(const F &function) const noexcept { parallel_for_work_item(local_, function); }
  template <class F> void parallel_for_work_item(range<D> logical, const F &function) const noexcept {
#if defined(__ASPEN_PTX__)
    detail::in_each_thread<items_of_thread>(__aspen_group_thread(), __aspen_group_threads(), &function, this, logical[0],
                                            D > 1 ? logical[D > 1 ? 1 : 0] : 1, D > 2 ? logical[D > 2 ? 2 : 0] : 1);
#else
    const size_t count = logical.size();
    const id<D> at = get_group_id();
    const range<D> groups = get_group_range();
    for (size_t i = 0; i < count; ++i)
      detail::call_kernel(function, h_item<D>(detail::delinearize(i, logical), logical, local_, at, groups));
#endif
  }

  /// By what they were when they were made: a group may lie in a buffer and be compared by another kernel, or by the host.
  friend bool operator==(const group &a, const group &b) noexcept { return a.id_ == b.id_ && a.local_ == b.local_; }
#if __cplusplus < 202002L
  friend bool operator!=(const group &a, const group &b) noexcept { return !(a == b); }
#endif

  /// For the library.
  explicit group(const detail::work_item &at) noexcept : group(at, detail::local_range_of<D>(at), false) {}
  /// For the library, in hierarchical kernels: one physical work-item stands for the whole group.
  group(const detail::work_item &at, const range<D> &local, bool alone = true)
      : item_(at), id_(detail::group_id_of<D>(at)), local_(local), alone_(alone) {}
  const detail::work_item &work_item_() const { return item_; }

private:
#if defined(__ASPEN_PTX__)
  /// A thread's share of the logical work-items: those that one physical work-item runs stay together, for their private memory. If that is one
  /// for all, each thread stands for it.
  struct items_of_thread {
    template <class F>
    static void run(unsigned thread, unsigned threads, const F *function, const group *g, size_t first, size_t second, size_t third) {
      range<D> logical;
      const size_t sizes[3] = {first, second, third};
      for (int d = 0; d < D; ++d)
        logical[d] = sizes[d];
      const id<D> at = g->get_group_id();
      const range<D> groups = g->get_group_range(), physical = g->local_;
      id<D> begin;
      const auto call = [&](const id<D> &item) {
        detail::call_kernel(*function, h_item<D>(item, begin, logical, physical, at, groups));
      };
      const size_t count = physical.size();
      if (count == 1) {
        for (size_t i = thread; i < logical.size(); i += threads)
          call(detail::delinearize(i, logical));
        return;
      }
      for (size_t i = thread; i < count; i += threads) {
        begin = detail::delinearize(i, physical);
        id<D> item = begin;
        for (item[0] = begin[0]; item[0] < logical[0]; item[0] += physical[0]) {
          if constexpr (D == 1) {
            call(item);
          } else {
            for (item[1] = begin[1]; item[1] < logical[1]; item[1] += physical[1]) {
              if constexpr (D == 2) {
                call(item);
              } else {
                for (item[2] = begin[2]; item[2] < logical[2]; item[2] += physical[2])
                  call(item);
              }
            }
          }
        }
      }
    }
  };
  struct copies_of_thread {
    template <class Copy> static void run(unsigned thread, unsigned threads, const Copy *copy, size_t count) {
      for (size_t i = thread; i < count; i += threads)
        (*copy)(i);
    }
  };
#endif
  template <class Copy> device_event copied(size_t count, const Copy &copy) const {
#if defined(__ASPEN_NATIVE_CPU__)
    // By one that has not ended, which is known behind a barrier.
    std::uint32_t first = 0;
    if (!alone_) {
      item_.group_barrier();
      while (detail::has_ended(item_.cpu, first, false))
        ++first;
    }
    for (size_t i = 0; i < count && item_.local_linear_id() == first; ++i)
      copy(i);
#else
#if defined(__ASPEN_PTX__)
    if (alone_) {
      detail::in_each_thread<copies_of_thread>(__aspen_group_thread(), __aspen_group_threads(), &copy, count);
      return device_event(item_, false);
    }
#endif
    const size_t first = alone_ ? 0 : item_.local_linear_id(), step = alone_ ? 1 : item_.local_linear_range();
    for (size_t i = first; i < count; i += step)
      copy(i);
#endif
    return device_event(item_, !alone_);
  }
  detail::work_item item_;
  id<D> id_; // only for comparisons: elsewhere the work-item is asked, which costs nothing where it is known
  range<D> local_;
  bool alone_ = false; // one work-item runs the whole group
};

} // namespace sycl
