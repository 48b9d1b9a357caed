//! Variables of devices as objects of the host: `global_memory`, `constant_memory`, `shared_memory`. Source: SYCLcompat's README, "Memory
//! Operations", `device_memory`.
#pragma once
#include <cstring>
#include <initializer_list>
#include <memory>
#include <sycl/accessor.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/handler.hpp>
#include <sycl/usm.hpp>
#include <syclcompat/device.hpp>
#include <type_traits>
#include <utility>

namespace syclcompat {

/// The device's memory, memory that kernels only read, the work-group's, and memory of device and host.
enum class memory_region { global = 0, constant, local, usm_shared };
enum class target { device, local };

/// What a variable in a region is.
template <memory_region Memory, class T = std::uint8_t> class memory_traits {
public:
  static constexpr sycl::access::address_space asp =
      Memory == memory_region::local ? sycl::access::address_space::local_space : sycl::access::address_space::global_space;
  static constexpr syclcompat::target target = Memory == memory_region::local ? syclcompat::target::local : syclcompat::target::device;
  static constexpr sycl::access_mode mode = Memory == memory_region::constant ? sycl::access_mode::read : sycl::access_mode::read_write;
  static constexpr size_t type_size = sizeof(T);
  using element_t = std::conditional_t<Memory == memory_region::constant, const T, T>;
  using value_t = std::remove_cv_t<T>;
  template <size_t D = 1> using accessor_t =
      std::conditional_t<Memory == memory_region::local, sycl::local_accessor<T, int(D)>, sycl::accessor<T, int(D), mode>>;
  using pointer_t = T *;
};

template <class T, memory_region Memory, size_t D> class accessor;

/// A view of such a variable in kernels.
template <class T, memory_region Memory> class accessor<T, Memory, 3> {
public:
  using memory_t = memory_traits<Memory, T>;
  using element_t = typename memory_t::element_t;
  using pointer_t = typename memory_t::pointer_t;
  using accessor_t = typename memory_t::template accessor_t<3>;

  accessor(pointer_t data, const sycl::range<3> &range) : data_(data), range_(range) {}
  template <memory_region M = Memory> accessor(std::enable_if_t<M != memory_region::local, const accessor_t> &from)
      : accessor(from, from.get_range()) {}
  accessor(const accessor_t &from, const sycl::range<3> &range) : data_(const_cast<pointer_t>(&from[sycl::id<3>()])), range_(range) {}

  accessor<T, Memory, 2> operator[](size_t slice) const {
    return accessor<T, Memory, 2>(data_ + slice * range_[1] * range_[2], sycl::range<2>(range_[1], range_[2]));
  }
  pointer_t get_ptr() const { return data_; }

private:
  pointer_t data_;
  sycl::range<3> range_;
};
template <class T, memory_region Memory> class accessor<T, Memory, 2> {
public:
  using memory_t = memory_traits<Memory, T>;
  using element_t = typename memory_t::element_t;
  using pointer_t = typename memory_t::pointer_t;
  using accessor_t = typename memory_t::template accessor_t<2>;

  accessor(pointer_t data, const sycl::range<2> &range) : data_(data), range_(range) {}
  template <memory_region M = Memory> accessor(std::enable_if_t<M != memory_region::local, const accessor_t> &from)
      : accessor(from, from.get_range()) {}
  accessor(const accessor_t &from, const sycl::range<2> &range) : data_(const_cast<pointer_t>(&from[sycl::id<2>()])), range_(range) {}

  pointer_t operator[](size_t row) const { return data_ + row * range_[1]; }
  pointer_t get_ptr() const { return data_; }

private:
  pointer_t data_;
  sycl::range<2> range_;
};

/// A variable that is made on the default queue's device when somebody first asks for it, and has the initial value then (zeros where the
/// list is shorter than the range).
template <class T, memory_region Memory, size_t D> class device_memory {
  static_assert(Memory != memory_region::local, "device_memory: memory of work-groups is local_mem's");
  static constexpr size_t dimensions = D ? D : 1;
  using range_t = sycl::range<int(dimensions)>;

public:
  using value_t = typename memory_traits<Memory, T>::value_t;
  using accessor_t = typename memory_traits<Memory, T>::template accessor_t<dimensions>;
  using syclcompat_accessor_t = syclcompat::accessor<T, Memory, D>;

  device_memory() : device_memory(ones()) {}
  device_memory(const range_t &range) : range_(range) {}
  device_memory(const range_t &range, std::initializer_list<value_t> &&values) : range_(range) {
    keep(values.size());
    std::copy(values.begin(), values.end(), initial_.get());
  }
  template <size_t Dimensions = D>
  device_memory(const std::enable_if_t<Dimensions == 2, sycl::range<2>> &range,
                std::initializer_list<std::initializer_list<value_t>> &&rows)
      : range_(range) {
    keep(rows.size() * range[1]);
    value_t *to = initial_.get();
    for (const std::initializer_list<value_t> &row : rows) {
      if (row.size() > range[1])
        detail::throw_invalid("device_memory: a row of initial values is longer than the range");
      std::copy(row.begin(), row.end(), to);
      to += range[1];
    }
  }
  /// As many numbers as there are dimensions.
  template <class... Sizes, class = std::enable_if_t<sizeof...(Sizes) == D && (std::is_convertible_v<Sizes, size_t> && ...) && D != 0>>
  device_memory(Sizes... sizes) : device_memory(range_t(static_cast<size_t>(sizes)...)) {}
  device_memory(const device_memory &) = delete;
  device_memory &operator=(const device_memory &) = delete;
  /// Nobody may use the memory any more.
  ~device_memory() { release(); }

  void init() { init(get_default_queue()); }
  void init(sycl::queue queue) {
    if (data_)
      return;
    const size_t count = range_.size();
    if (count == 0)
      return;
    queue_.reset(new sycl::queue(queue));
    data_ = Memory == memory_region::usm_shared ? sycl::malloc_shared<value_t>(count, queue) : sycl::malloc_device<value_t>(count, queue);
    if (!data_)
      throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation), "device_memory: there is no memory for it");
    if (initial_)
      queue.memcpy(data_, initial_.get(), get_size()).wait();
  }
  /// Makes it stand for memory that is there, of so many bytes.
  void assign(value_t *memory, size_t bytes) {
    release();
    data_ = memory;
    assigned_ = bytes;
  }

  value_t *get_ptr() { return get_ptr(get_default_queue()); }
  value_t *get_ptr(sycl::queue queue) {
    init(queue);
    return data_;
  }
  /// In bytes.
  size_t get_size() const { return assigned_ ? assigned_ : range_.size() * sizeof(value_t); }

  template <size_t Dimensions = D> std::enable_if_t<Dimensions == 1, T> &operator[](size_t index) {
    init();
    return data_[index];
  }
  template <size_t Dimensions = D> std::enable_if_t<(Dimensions > 1), syclcompat_accessor_t> get_access(sycl::handler &) {
    return syclcompat_accessor_t(get_ptr(), range_);
  }

private:
  static range_t ones() {
    if constexpr (dimensions == 1)
      return range_t(1);
    else if constexpr (dimensions == 2)
      return range_t(1, 1);
    else
      return range_t(1, 1, 1);
  }
  void keep(size_t given) {
    if (given > range_.size())
      detail::throw_invalid("device_memory: there are more initial values than the range has");
    initial_.reset(new value_t[range_.size()]());
  }
  void release() {
    if (data_ && queue_)
      sycl::free(data_, *queue_);
    queue_.reset();
    data_ = nullptr;
    assigned_ = 0;
  }

  range_t range_;
  std::unique_ptr<value_t[]> initial_;
  std::unique_ptr<sycl::queue> queue_; // where the memory is its own
  value_t *data_ = nullptr;
  size_t assigned_ = 0;
};

/// One value.
template <class T, memory_region Memory> class device_memory<T, Memory, 0> : public device_memory<T, Memory, 1> {
public:
  using base = device_memory<T, Memory, 1>;
  using value_t = typename base::value_t;
  using accessor_t = typename memory_traits<Memory, T>::template accessor_t<1>;
  device_memory(const value_t &value) : base(sycl::range<1>(1), {value}) {}
  device_memory() : base(sycl::range<1>(1)) {}
};

template <class T, size_t D> using global_memory = device_memory<T, memory_region::global, D>;
template <class T, size_t D> using constant_memory = device_memory<T, memory_region::constant, D>;
template <class T, size_t D> using shared_memory = device_memory<T, memory_region::usm_shared, D>;

} // namespace syclcompat
