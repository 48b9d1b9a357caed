//! `device_info`: what is known of a device, as plain numbers. Source: SYCLcompat's README, "Device Information".
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <sycl/id.hpp>
#include <sycl/range.hpp>
#include <type_traits>

// A namespace of its own: programs clear it by the C library's `memset`, and look-up by arguments would find SYCLcompat's too.
namespace syclcompat::detail::plain {

/// A number that nobody has set or can tell is 0.
class device_info {
  template <class T, class... Among> using one_of = std::enable_if_t<(std::is_same_v<T, Among> || ...), int>;

public:
  const char *get_name() const { return name_; }
  char *get_name() { return name_; }
  /// At most 255 characters of it.
  void set_name(const char *name) {
    const size_t length = std::strlen(name);
    const size_t taken = length < sizeof name_ ? length : sizeof name_ - 1;
    std::memcpy(name_, name, taken);
    name_[taken] = 0;
  }

  /// As a range, an id or a pointer to three numbers, the dimension that runs fastest last.
  template <class As = sycl::range<3>, one_of<As, sycl::range<3>, sycl::id<3>, int *> = 0> auto get_max_work_item_sizes() const {
    if constexpr (std::is_same_v<As, int *>)
      return static_cast<const int *>(work_item_sizes_);
    else
      return work_item_sizes<As>();
  }
  template <class As = sycl::range<3>, one_of<As, sycl::range<3>, sycl::id<3>, int *> = 0> auto get_max_work_item_sizes() {
    if constexpr (std::is_same_v<As, int *>)
      return static_cast<int *>(work_item_sizes_);
    else
      return work_item_sizes<As>();
  }
  void set_max_work_item_sizes(const sycl::range<3> sizes) { set(work_item_sizes_, sizes); }
  void set_max_work_item_sizes(const sycl::id<3> sizes) { set(work_item_sizes_, sizes); }

  /// How many work-items a launch may have in each dimension.
  template <class As = size_t *, one_of<As, size_t *, int *> = 0> auto get_max_nd_range_size() const {
    if constexpr (std::is_same_v<As, int *>)
      return static_cast<const int *>(nd_range_int_);
    else
      return static_cast<const size_t *>(nd_range_size_);
  }
  template <class As = size_t *, one_of<As, size_t *, int *> = 0> auto get_max_nd_range_size() {
    if constexpr (std::is_same_v<As, int *>)
      return static_cast<int *>(nd_range_int_);
    else
      return static_cast<size_t *>(nd_range_size_);
  }
  void set_max_nd_range_size(int size[]) { set_nd_range(size); }
  void set_max_nd_range_size(sycl::id<3> size) { set_nd_range(size); }

#define __ASPEN_MEMBER(type, name)                                                                                                        \
  type get_##name() const { return name##_; }                                                                                              \
  void set_##name(type value) { name##_ = value; }
  __ASPEN_MEMBER(bool, host_unified_memory)
  __ASPEN_MEMBER(int, major_version)
  __ASPEN_MEMBER(int, minor_version)
  __ASPEN_MEMBER(int, integrated)
  __ASPEN_MEMBER(int, max_clock_frequency) // MHz
  __ASPEN_MEMBER(int, max_compute_units)
  __ASPEN_MEMBER(int, max_work_group_size)
  __ASPEN_MEMBER(int, max_sub_group_size)
  __ASPEN_MEMBER(int, max_work_items_per_compute_unit)
  __ASPEN_MEMBER(int, max_register_size_per_work_group)
  __ASPEN_MEMBER(size_t, global_mem_size) // bytes
  __ASPEN_MEMBER(size_t, local_mem_size)
  __ASPEN_MEMBER(unsigned, memory_clock_rate) // MHz
  __ASPEN_MEMBER(unsigned, memory_bus_width)  // bits
  __ASPEN_MEMBER(std::uint32_t, device_id)
  using uuid_type = std::array<unsigned char, 16>;
  __ASPEN_MEMBER(uuid_type, uuid)
  __ASPEN_MEMBER(unsigned, global_mem_cache_size)
#undef __ASPEN_MEMBER

  int get_image1d_max() const { return image1d_; }
  const int *get_image2d_max() const { return image2d_; }
  int *get_image2d_max() { return image2d_; }
  const int *get_image3d_max() const { return image3d_; }
  int *get_image3d_max() { return image3d_; }
  void set_image1d_max(size_t width) { image1d_ = int(width); }
  void set_image2d_max(size_t width, size_t height) {
    image2d_[0] = int(width);
    image2d_[1] = int(height);
  }
  void set_image3d_max(size_t width, size_t height, size_t depth) {
    image3d_[0] = int(width);
    image3d_[1] = int(height);
    image3d_[2] = int(depth);
  }

private:
  template <class To> To work_item_sizes() const {
    return To(size_t(work_item_sizes_[0]), size_t(work_item_sizes_[1]), size_t(work_item_sizes_[2]));
  }
  template <class From> static void set(int (&to)[3], const From &from) {
    for (int d = 0; d < 3; ++d)
      to[d] = int(from[d]);
  }
  template <class From> void set_nd_range(const From &from) {
    for (int d = 0; d < 3; ++d) {
      nd_range_size_[d] = size_t(from[d]);
      nd_range_int_[d] = int(from[d]);
    }
  }

  char name_[256] = {};
  int work_item_sizes_[3] = {}, nd_range_int_[3] = {};
  size_t nd_range_size_[3] = {};
  bool host_unified_memory_ = false;
  int major_version_ = 0, minor_version_ = 0, integrated_ = 0, max_clock_frequency_ = 0, max_compute_units_ = 0;
  int max_work_group_size_ = 0, max_sub_group_size_ = 0, max_work_items_per_compute_unit_ = 0, max_register_size_per_work_group_ = 0;
  size_t global_mem_size_ = 0, local_mem_size_ = 0;
  unsigned memory_clock_rate_ = 0, memory_bus_width_ = 0;
  std::uint32_t device_id_ = 0;
  uuid_type uuid_ = {};
  unsigned global_mem_cache_size_ = 0;
  int image1d_ = 0, image2d_[2] = {}, image3d_[3] = {};
};

} // namespace syclcompat::detail::plain

namespace syclcompat {
using detail::plain::device_info;
}
