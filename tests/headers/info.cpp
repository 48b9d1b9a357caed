//! Every information descriptor of SYCL 2020 is there and has the specification's type. Source: SYCL 2020 §A.1 to §A.6.
#include <sycl/sycl.hpp>

namespace info = sycl::info;
template <class Descriptor, class Type> inline constexpr bool is = std::is_same_v<typename Descriptor::return_type, Type>;
using text = std::string;
using u32 = std::uint32_t;

static_assert(is<info::platform::version, text> && is<info::platform::name, text> && is<info::platform::vendor, text>);
static_assert(is<info::platform::extensions, std::vector<text>>); // deprecated

static_assert(is<info::context::platform, sycl::platform> && is<info::context::devices, std::vector<sycl::device>>);
static_assert(is<info::context::atomic_memory_order_capabilities, std::vector<sycl::memory_order>>);
static_assert(is<info::context::atomic_fence_order_capabilities, std::vector<sycl::memory_order>>);
static_assert(is<info::context::atomic_memory_scope_capabilities, std::vector<sycl::memory_scope>>);
static_assert(is<info::context::atomic_fence_scope_capabilities, std::vector<sycl::memory_scope>>);

namespace d = sycl::info::device;
static_assert(is<d::device_type, info::device_type> && is<d::vendor_id, u32> && is<d::max_compute_units, u32>);
static_assert(is<d::max_work_item_dimensions, u32> && is<d::max_work_item_sizes<1>, sycl::range<1>> &&
              is<d::max_work_item_sizes<2>, sycl::range<2>> && is<d::max_work_item_sizes<3>, sycl::range<3>>);
static_assert(is<d::max_work_group_size, size_t> && is<d::max_num_sub_groups, u32> && is<d::sub_group_sizes, std::vector<size_t>>);
static_assert(is<d::preferred_vector_width_char, u32> && is<d::preferred_vector_width_short, u32> && is<d::preferred_vector_width_int, u32> &&
              is<d::preferred_vector_width_long, u32> && is<d::preferred_vector_width_float, u32> &&
              is<d::preferred_vector_width_double, u32> && is<d::preferred_vector_width_half, u32>);
static_assert(is<d::native_vector_width_char, u32> && is<d::native_vector_width_short, u32> && is<d::native_vector_width_int, u32> &&
              is<d::native_vector_width_long, u32> && is<d::native_vector_width_float, u32> && is<d::native_vector_width_double, u32> &&
              is<d::native_vector_width_half, u32>);
static_assert(is<d::max_clock_frequency, u32> && is<d::address_bits, u32> && is<d::max_mem_alloc_size, std::uint64_t>);
static_assert(is<d::image_support, bool> && is<d::max_read_image_args, u32> && is<d::max_write_image_args, u32>); // the first is deprecated
static_assert(is<d::image2d_max_width, size_t> && is<d::image2d_max_height, size_t> && is<d::image3d_max_width, size_t> &&
              is<d::image3d_max_height, size_t> && is<d::image3d_max_depth, size_t> && is<d::image_max_buffer_size, size_t>);
static_assert(is<d::max_samplers, u32> && is<d::max_parameter_size, size_t> && is<d::mem_base_addr_align, u32>);
static_assert(is<d::half_fp_config, std::vector<info::fp_config>> && is<d::single_fp_config, std::vector<info::fp_config>> &&
              is<d::double_fp_config, std::vector<info::fp_config>>);
static_assert(is<d::global_mem_cache_type, info::global_mem_cache_type> && is<d::global_mem_cache_line_size, u32> &&
              is<d::global_mem_cache_size, std::uint64_t> && is<d::global_mem_size, std::uint64_t>);
static_assert(is<d::local_mem_type, info::local_mem_type> && is<d::local_mem_size, std::uint64_t>);
static_assert(is<d::error_correction_support, bool> && is<d::host_unified_memory, bool>); // the second is deprecated
static_assert(is<d::atomic_memory_order_capabilities, std::vector<sycl::memory_order>> &&
              is<d::atomic_fence_order_capabilities, std::vector<sycl::memory_order>> &&
              is<d::atomic_memory_scope_capabilities, std::vector<sycl::memory_scope>> &&
              is<d::atomic_fence_scope_capabilities, std::vector<sycl::memory_scope>>);
static_assert(is<d::profiling_timer_resolution, size_t> && is<d::is_endian_little, bool> && is<d::is_available, bool>); // the first two: deprecated
static_assert(is<d::is_compiler_available, bool> && is<d::is_linker_available, bool>);                                   // deprecated
static_assert(is<d::execution_capabilities, std::vector<info::execution_capability>> && is<d::queue_profiling, bool>); // deprecated
static_assert(is<d::built_in_kernels, std::vector<text>> && is<d::built_in_kernel_ids, std::vector<sycl::kernel_id>>); // the first is deprecated
static_assert(is<d::platform, sycl::platform> && is<d::name, text> && is<d::vendor, text> && is<d::driver_version, text> &&
              is<d::version, text> && is<d::backend_version, text> && is<d::aspects, std::vector<sycl::aspect>>);
static_assert(is<d::extensions, std::vector<text>> && is<d::printf_buffer_size, size_t> && is<d::preferred_interop_user_sync, bool>);
static_assert(is<d::partition_max_sub_devices, u32> && is<d::partition_properties, std::vector<info::partition_property>> &&
              is<d::partition_affinity_domains, std::vector<info::partition_affinity_domain>> &&
              is<d::partition_type_property, info::partition_property> &&
              is<d::partition_type_affinity_domain, info::partition_affinity_domain>);
static_assert(is<d::parent_device, sycl::device> && is<d::reference_count, u32>);

static_assert(is<info::queue::context, sycl::context> && is<info::queue::device, sycl::device>);

static_assert(is<info::kernel::num_args, u32> && is<info::kernel::attributes, text>);
static_assert(is<info::kernel::function_name, text> && is<d::opencl_c_version, text>); // SYCL 1.2.1's
namespace k = sycl::info::kernel_device_specific;
static_assert(is<k::ext_codeplay_num_regs, u32>); // DPC++'s
static_assert(is<k::global_work_size, sycl::range<3>> && is<k::work_group_size, size_t> && is<k::compile_work_group_size, sycl::range<3>> &&
              is<k::preferred_work_group_size_multiple, size_t> && is<k::private_mem_size, size_t> && is<k::max_num_sub_groups, u32> &&
              is<k::compile_num_sub_groups, u32> && is<k::max_sub_group_size, u32> && is<k::compile_sub_group_size, u32>);

static_assert(is<info::event::command_execution_status, info::event_command_status>);
static_assert(is<info::event_profiling::command_submit, std::uint64_t> && is<info::event_profiling::command_start, std::uint64_t> &&
              is<info::event_profiling::command_end, std::uint64_t>);
static_assert(info::event_command_status::submitted != info::event_command_status::running &&
              info::event_command_status::complete != info::event_command_status::running);
