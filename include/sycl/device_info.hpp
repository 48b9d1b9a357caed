//! What `device::get_info` can be asked. Source: SYCL 2020 §4.6.4.4.
#pragma once
#include <sycl/device.hpp>

namespace sycl {
class kernel_id;
}

namespace sycl::detail {
/// As info::partition_property counts.
inline int how_divided(const aspen_device_t *part) {
  int how = ASPEN_PARTITION_NONE;
  aspen_device_part_of(part, &how);
  return how;
}

/// What OpenCL's driver answers to a question of clGetDeviceInfo; `otherwise` of other devices, and where it does not know the question.
template <class T> T driver_says(const aspen_device_t *of, std::uint32_t what, T otherwise) {
  T out = {};
  return aspen_native_device_info(of, what, &out, sizeof out) == sizeof out ? out : otherwise;
}
inline bool driver_says(const aspen_device_t *of, std::uint32_t what, bool otherwise) {
  return driver_says<std::uint32_t>(of, what, otherwise) != 0;
}
/// Throws for descriptors that only devices of OpenCL have.
inline void only_opencl(const device &of) {
  if (of.get_backend() != backend::opencl)
    fail(errc::invalid, "get_info: only devices of OpenCL have an answer to this; see get_backend");
}
/// OpenCL's cl_device_fp_config as a list.
template <class Vector> Vector fp_config_of(const device &of, std::uint32_t what) {
  // Those that every device has which runs images of Aspen.
  constexpr std::uint64_t usual = 1u | 2u | 4u | 32u;
  const std::uint64_t bits = driver_says<std::uint64_t>(of.aspen_handle(), what, usual);
  Vector out;
  constexpr int order[] = {0, 1, 2, 3, 4, 5, 7, 6}; // OpenCL counts the last two the other way round
  for (int bit = 0; bit < 8; ++bit)
    if (bits >> bit & 1)
      out.push_back(static_cast<typename Vector::value_type>(order[bit]));
  return out;
}
} // namespace sycl::detail

namespace sycl::info {

enum class local_mem_type : int { none, local, global };
enum class global_mem_cache_type : int { none, read_only, read_write };
enum class execution_capability : unsigned { exec_kernel, exec_native_kernel };
enum class fp_config : int {
  denorm,
  inf_nan,
  round_to_nearest,
  round_to_zero,
  round_to_inf,
  fma,
  correctly_rounded_divide_sqrt,
  soft_float
};

namespace device {

// Lists are templates of their type, so that the vectors of answers that nobody asks for are not instantiated.
#define __ASPEN_INFO(descriptor, type, expression)                                                                                        \
  struct descriptor {                                                                                                                      \
    using return_type = type;                                                                                                              \
    static return_type get(const sycl::device &device) {                                                                                   \
      const aspen_device_t *const handle = device.aspen_handle();                                                                          \
      (void)handle;                                                                                                                        \
      return expression;                                                                                                                   \
    }                                                                                                                                      \
  };
#define __ASPEN_INFO_LIST(descriptor, type, ...)                                                                                          \
  struct descriptor {                                                                                                                      \
    using return_type = std::vector<type>;                                                                                                 \
    template <class R = return_type> static R get(const sycl::device &) { return {__VA_ARGS__}; }                                          \
  };
#define __ASPEN_INFO_NUMBER(descriptor, type, code) __ASPEN_INFO(descriptor, type, static_cast<type>(aspen_device_number(handle, code)))
/// A number of the driver's where that is OpenCL's.
#define __ASPEN_INFO_DRIVER(descriptor, type, code, otherwise)                                                                            \
  __ASPEN_INFO(descriptor, type, static_cast<type>(sycl::detail::driver_says(handle, code, otherwise)))
#define __ASPEN_INFO_STRING(descriptor, code) __ASPEN_INFO(descriptor, std::string, aspen_device_string(handle, code))

__ASPEN_INFO(device_type, info::device_type, static_cast<info::device_type>(aspen_device_type(handle)))
__ASPEN_INFO(platform, sycl::platform, device.get_platform())
__ASPEN_INFO_STRING(name, ASPEN_DEVICE_NAME)
__ASPEN_INFO_STRING(vendor, ASPEN_DEVICE_VENDOR)
__ASPEN_INFO_STRING(driver_version, ASPEN_DEVICE_DRIVER_VERSION)
__ASPEN_INFO_STRING(version, ASPEN_DEVICE_VERSION)
__ASPEN_INFO_STRING(backend_version, ASPEN_DEVICE_BACKEND_VERSION)
__ASPEN_INFO_NUMBER(vendor_id, std::uint32_t, ASPEN_DEVICE_VENDOR_ID)
__ASPEN_INFO_NUMBER(max_compute_units, std::uint32_t, ASPEN_DEVICE_MAX_COMPUTE_UNITS)
__ASPEN_INFO_NUMBER(max_work_group_size, size_t, ASPEN_DEVICE_MAX_WORK_GROUP_SIZE)
// A device without sub-groups has work-groups of one. Source: SYCL 2020 §4.6.4.4: at least 1.
__ASPEN_INFO(max_num_sub_groups, std::uint32_t,
             static_cast<std::uint32_t>(aspen_device_number(handle, ASPEN_DEVICE_MAX_NUM_SUB_GROUPS) | !aspen_device_number(handle, ASPEN_DEVICE_MAX_NUM_SUB_GROUPS)))
__ASPEN_INFO_NUMBER(max_clock_frequency, std::uint32_t, ASPEN_DEVICE_MAX_CLOCK_FREQUENCY_MHZ)
__ASPEN_INFO_NUMBER(address_bits, std::uint32_t, ASPEN_DEVICE_ADDRESS_BITS)
__ASPEN_INFO_NUMBER(max_mem_alloc_size, std::uint64_t, ASPEN_DEVICE_MAX_MEM_ALLOC_SIZE)
__ASPEN_INFO_NUMBER(max_parameter_size, size_t, ASPEN_DEVICE_MAX_PARAMETER_SIZE)
__ASPEN_INFO_NUMBER(mem_base_addr_align, std::uint32_t, ASPEN_DEVICE_MEM_BASE_ADDR_ALIGN_BITS)
__ASPEN_INFO_NUMBER(global_mem_cache_line_size, std::uint32_t, ASPEN_DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE)
__ASPEN_INFO_NUMBER(global_mem_cache_size, std::uint64_t, ASPEN_DEVICE_GLOBAL_MEM_CACHE_SIZE)
__ASPEN_INFO_NUMBER(global_mem_size, std::uint64_t, ASPEN_DEVICE_GLOBAL_MEM_SIZE)
__ASPEN_INFO_NUMBER(local_mem_size, std::uint64_t, ASPEN_DEVICE_LOCAL_MEM_SIZE)
__ASPEN_INFO_NUMBER(profiling_timer_resolution, size_t, ASPEN_DEVICE_PROFILING_TIMER_RESOLUTION)
__ASPEN_INFO(max_work_item_dimensions, std::uint32_t, 3)
__ASPEN_INFO_DRIVER(max_constant_buffer_size, std::uint64_t, 0x1020, aspen_device_number(handle, ASPEN_DEVICE_MAX_MEM_ALLOC_SIZE))
__ASPEN_INFO_DRIVER(max_constant_args, std::uint32_t, 0x1021, 8u)
__ASPEN_INFO_DRIVER(is_endian_little, bool, 0x1026, true)
__ASPEN_INFO(is_available, bool, !sycl::detail::runs_nothing(device))
__ASPEN_INFO(is_compiler_available, bool, device.has(aspect::online_compiler))
__ASPEN_INFO(is_linker_available, bool, device.has(aspect::online_linker))
__ASPEN_INFO(queue_profiling, bool, device.has(aspect::queue_profiling))
__ASPEN_INFO(usm_device_allocations, bool, device.has(aspect::usm_device_allocations))
__ASPEN_INFO(usm_host_allocations, bool, device.has(aspect::usm_host_allocations))
__ASPEN_INFO(usm_shared_allocations, bool, device.has(aspect::usm_shared_allocations))
__ASPEN_INFO(usm_restricted_shared_allocations, bool, device.has(aspect::usm_restricted_shared_allocations))
__ASPEN_INFO(usm_system_allocations, bool, device.has(aspect::usm_system_allocations))
// Names of before SYCL 2020 was final, which DPC++ has kept.
__ASPEN_INFO(usm_system_allocator, bool, device.has(aspect::usm_system_allocations))
__ASPEN_INFO(atomic64, bool, device.has(aspect::atomic64))
__ASPEN_INFO(image_support, bool, device.has(aspect::image))
// Of DPC++'s extensions for what no device here has: pipes between kernels, images in sRGB.
__ASPEN_INFO(kernel_kernel_pipe_support, bool, false)
__ASPEN_INFO(ext_oneapi_srgb, bool, device.has(aspect::ext_oneapi_srgb))
// Images are software over buffers, so memory is their limit, and what coordinates can tell apart: a float counts texels up to 2^24.
#define __ASPEN_INFO_IMAGE(descriptor, type, number) __ASPEN_INFO(descriptor, type, device.has(aspect::image) ? type(number) : type(0))
__ASPEN_INFO_IMAGE(max_read_image_args, std::uint32_t, 128)
__ASPEN_INFO_IMAGE(max_write_image_args, std::uint32_t, 128)
__ASPEN_INFO_IMAGE(max_samplers, std::uint32_t, 128)
__ASPEN_INFO_IMAGE(image2d_max_width, size_t, 1 << 24)
__ASPEN_INFO_IMAGE(image2d_max_height, size_t, 1 << 24)
__ASPEN_INFO_IMAGE(image3d_max_width, size_t, 1 << 24)
__ASPEN_INFO_IMAGE(image3d_max_height, size_t, 1 << 24)
__ASPEN_INFO_IMAGE(image3d_max_depth, size_t, 1 << 24)
__ASPEN_INFO_IMAGE(image_max_buffer_size, size_t, 1 << 24)
__ASPEN_INFO_IMAGE(image_max_array_size, size_t, 1 << 24)
#undef __ASPEN_INFO_IMAGE
__ASPEN_INFO_DRIVER(host_unified_memory, bool, 0x1035, device.is_cpu())
__ASPEN_INFO_DRIVER(error_correction_support, bool, 0x1024, false)
__ASPEN_INFO(preferred_interop_user_sync, bool, (sycl::detail::only_opencl(device), sycl::detail::driver_says(handle, 0x1048, true)))
__ASPEN_INFO_DRIVER(sub_group_independent_forward_progress, bool, 0x105D, false)
__ASPEN_INFO_DRIVER(printf_buffer_size, size_t, 0x1049, size_t(1) << 20)
__ASPEN_INFO(partition_max_sub_devices, std::uint32_t,
             aspen_device_can_divide(handle, ASPEN_PARTITION_EQUALLY)
                 ? static_cast<std::uint32_t>(aspen_device_number(handle, ASPEN_DEVICE_MAX_COMPUTE_UNITS))
                 : 0)
__ASPEN_INFO(reference_count, std::uint32_t, 1)
// OpenCL counts both as SYCL does, but that local is 1 and global is 2 without a name for none.
__ASPEN_INFO_DRIVER(local_mem_type, info::local_mem_type, 0x1022, std::uint32_t(device.is_cpu() ? 2 : 1))
__ASPEN_INFO_DRIVER(global_mem_cache_type, info::global_mem_cache_type, 0x101C, 2u)
__ASPEN_INFO(partition_type_property, info::partition_property, static_cast<info::partition_property>(detail::how_divided(handle)))
__ASPEN_INFO(partition_type_affinity_domain, info::partition_affinity_domain,
             detail::how_divided(handle) == ASPEN_PARTITION_BY_NUMA ? info::partition_affinity_domain::numa
                                                                    : info::partition_affinity_domain::not_applicable)
__ASPEN_INFO_LIST(built_in_kernels, std::string, )
__ASPEN_INFO_LIST(built_in_kernel_ids, kernel_id, )
struct extensions {
  using return_type = std::vector<std::string>;
  template <class R = return_type> static R get(const sycl::device &of) {
    return sycl::detail::words<R>(aspen_device_string(of.aspen_handle(), ASPEN_DEVICE_EXTENSIONS));
  }
};
struct execution_capabilities {
  using return_type = std::vector<info::execution_capability>;
  template <class R = return_type> static R get(const sycl::device &of) {
    sycl::detail::only_opencl(of);
    const std::uint64_t can = sycl::detail::driver_says<std::uint64_t>(of.aspen_handle(), 0x1029, 1u);
    return can & 2 ? R{info::execution_capability::exec_kernel, info::execution_capability::exec_native_kernel}
                   : R{info::execution_capability::exec_kernel};
  }
};
struct profile {
  using return_type = std::string;
  static return_type get(const sycl::device &of) {
    sycl::detail::only_opencl(of);
    char text[64] = {};
    aspen_native_device_info(of.aspen_handle(), 0x102E, text, sizeof text - 1);
    return text;
  }
};
/// SYCL 1.2.1's; empty where there is no OpenCL C.
struct opencl_c_version {
  using return_type = std::string;
  static return_type get(const sycl::device &of) {
    char text[256] = {};
    aspen_native_device_info(of.aspen_handle(), 0x103D, text, sizeof text - 1);
    return text;
  }
};

// The width of a vector register is the code generator's business, or that of OpenCL's driver; 1 says that scalar code is vectorised well.
#define __ASPEN_INFO_WIDTHS(type, preferred, native, has)                                                                                 \
  __ASPEN_INFO(preferred_vector_width_##type, std::uint32_t, has ? sycl::detail::driver_says(handle, preferred, 1u) : 0u)                  \
  __ASPEN_INFO(native_vector_width_##type, std::uint32_t, has ? sycl::detail::driver_says(handle, native, 1u) : 0u)
__ASPEN_INFO_WIDTHS(char, 0x1006, 0x1036, true)
__ASPEN_INFO_WIDTHS(short, 0x1007, 0x1037, true)
__ASPEN_INFO_WIDTHS(int, 0x1008, 0x1038, true)
__ASPEN_INFO_WIDTHS(long, 0x1009, 0x1039, true)
__ASPEN_INFO_WIDTHS(long_long, 0x1009, 0x1039, true)
__ASPEN_INFO_WIDTHS(float, 0x100A, 0x103A, true)
__ASPEN_INFO_WIDTHS(double, 0x100B, 0x103B, device.has(aspect::fp64))
__ASPEN_INFO_WIDTHS(half, 0x1034, 0x103C, device.has(aspect::fp16))
#undef __ASPEN_INFO_WIDTHS

#undef __ASPEN_INFO
#undef __ASPEN_INFO_DRIVER
#undef __ASPEN_INFO_LIST
#undef __ASPEN_INFO_NUMBER
#undef __ASPEN_INFO_STRING

/// Ascending; as the active profile presents them.
struct sub_group_sizes {
  using return_type = std::vector<size_t>;
  template <class R = return_type> static R get(const sycl::device &device) {
    size_t count = 0;
    const size_t *sizes = aspen_device_sub_group_sizes(device.aspen_handle(), &count);
    return R(sizes, sizes + count);
  }
};

struct aspects {
  using return_type = std::vector<aspect>;
  template <class R = return_type> static R get(const sycl::device &device) {
    size_t count = 0;
    const std::uint32_t *numbers = aspen_device_aspects(device.aspen_handle(), &count);
    R out;
    out.reserve(count);
    for (size_t i = 0; i < count; ++i)
      out.push_back(static_cast<aspect>(numbers[i]));
    return out;
  }
};

template <int D = 3> struct max_work_item_sizes {
  static_assert(detail::valid_dimensions<D>, "max_work_item_sizes<D>: D is 1, 2 or 3");
  using return_type = range<D>;
  static return_type get(const sycl::device &device) {
    range<D> out;
    for (int d = 0; d < D; ++d) {
      const int code = ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_0 + 3 - D + d;
      out[d] = static_cast<size_t>(aspen_device_number(device.aspen_handle(), static_cast<aspen_device_number_t>(code)));
    }
    return out;
  }
};

struct partition_properties {
  using return_type = std::vector<partition_property>;
  template <class R = return_type> static R get(const sycl::device &device) {
    R out;
    for (int how = ASPEN_PARTITION_EQUALLY; how <= ASPEN_PARTITION_BY_NUMA; ++how)
      if (aspen_device_can_divide(device.aspen_handle(), how))
        out.push_back(static_cast<partition_property>(how));
    return out;
  }
};
struct partition_affinity_domains {
  using return_type = std::vector<partition_affinity_domain>;
  template <class R = return_type> static R get(const sycl::device &device) {
    R out;
    if (aspen_device_can_divide(device.aspen_handle(), ASPEN_PARTITION_BY_NUMA))
      out.push_back(partition_affinity_domain::numa);
    return out;
  }
};
struct parent_device {
  using return_type = sycl::device;
  static return_type get(const sycl::device &device) {
    const aspen_device_t *const whole = aspen_device_part_of(device.aspen_handle(), nullptr);
    if (!whole)
      detail::fail(errc::invalid, "parent_device: the device is no sub-device");
    return sycl::device(whole);
  }
};

struct single_fp_config {
  using return_type = std::vector<fp_config>;
  template <class R = return_type> static R get(const sycl::device &device) { return sycl::detail::fp_config_of<R>(device, 0x101B); }
};
struct half_fp_config {
  using return_type = std::vector<fp_config>;
  template <class R = return_type> static R get(const sycl::device &device) {
    return device.has(aspect::fp16) ? sycl::detail::fp_config_of<R>(device, 0x1033) : R{};
  }
};
struct double_fp_config {
  using return_type = std::vector<fp_config>;
  template <class R = return_type> static R get(const sycl::device &device) {
    return device.has(aspect::fp64) ? sycl::detail::fp_config_of<R>(device, 0x1032) : R{};
  }
};

struct atomic_memory_order_capabilities {
  using return_type = std::vector<memory_order>;
  template <class R = return_type> static R get(const sycl::device &) {
    return {memory_order::relaxed, memory_order::acquire, memory_order::release, memory_order::acq_rel, memory_order::seq_cst};
  }
};
struct atomic_fence_order_capabilities : atomic_memory_order_capabilities {};
struct atomic_memory_scope_capabilities {
  using return_type = std::vector<memory_scope>;
  template <class R = return_type> static R get(const sycl::device &) {
    return {memory_scope::sub_group, memory_scope::work_group, memory_scope::device, memory_scope::system};
  }
};
/// Fences have the work-item's scope, too, which atomic operations do not have since revision 12 of SYCL 2020.
struct atomic_fence_scope_capabilities {
  using return_type = std::vector<memory_scope>;
  template <class R = return_type> static R get(const sycl::device &) {
    return {memory_scope::work_item, memory_scope::sub_group, memory_scope::work_group, memory_scope::device, memory_scope::system};
  }
};

} // namespace device
} // namespace sycl::info
