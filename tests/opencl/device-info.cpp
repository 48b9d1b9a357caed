// Every descriptor of SYCL 2020 appendix A gives a right answer on the device that runs this: on OpenCL what its driver says, elsewhere what
// the specification allows. One table of both; a descriptor that is not in it is not counted.
//# run: aspen++ -w -O0 {self} -o a.out
//# run: ./a.out
//# stdout~: ^[0-9]+ descriptors, 0 wrong
//# run: env ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout~: ^[0-9]+ descriptors, 0 wrong
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout~: ^[0-9]+ descriptors, 0 wrong
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace info = sycl::info;
static int wrong = 0, asked = 0;
static void expect(const char *what, bool right) {
  ++asked;
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}

/// The driver's answer, as bytes; none without a driver, or if it does not know the question.
static std::vector<char> raw(const sycl::device &d, unsigned what, bool of_platform = false) {
  if (d.get_backend() != sycl::backend::opencl)
    return {};
  static void *const library = dlopen("libOpenCL.so.1", RTLD_NOW);
  using question = int(void *, unsigned, std::size_t, void *, std::size_t *);
  auto *const ask = reinterpret_cast<question *>(dlsym(library, of_platform ? "clGetPlatformInfo" : "clGetDeviceInfo"));
  void *const of = of_platform ? static_cast<void *>(sycl::get_native<sycl::backend::opencl>(d.get_platform()))
                               : static_cast<void *>(sycl::get_native<sycl::backend::opencl>(d));
  std::size_t size = 0;
  if (ask(of, what, 0, nullptr, &size) != 0)
    return {};
  std::vector<char> out(size);
  ask(of, what, size, out.data(), nullptr);
  return out;
}
static std::uint64_t number(const std::vector<char> &answer) {
  std::uint64_t out = 0;
  std::memcpy(&out, answer.data(), answer.size() < sizeof out ? answer.size() : sizeof out);
  return out;
}
static std::string text(const std::vector<char> &answer) { return answer.empty() ? std::string() : std::string(answer.data()); }
static bool is_opencl(const sycl::device &d) { return d.get_backend() == sycl::backend::opencl; }

/// A number: the driver's, else one that `allowed` is true of.
template <class D, class F> static void numeric(const sycl::device &d, const char *name, unsigned what, F allowed) {
  const auto value = d.get_info<D>();
  static_assert(std::is_same_v<decltype(d.get_info<D>()), typename D::return_type>);
  const std::vector<char> answer = raw(d, what);
  const bool right = answer.empty() ? allowed(value) : static_cast<std::uint64_t>(value) == number(answer);
  if (!right)
    std::printf("%s is %llu, the driver says %llu\n", name, static_cast<unsigned long long>(value), static_cast<unsigned long long>(number(answer)));
  expect(name, right);
}
template <class D> static void textual(const sycl::device &d, const char *name, unsigned what) {
  const std::string value = d.get_info<D>(), answer = text(raw(d, what));
  const auto trimmed = [](std::string s) { return s.substr(s.find_first_not_of(' ') == s.npos ? 0 : s.find_first_not_of(' ')); };
  expect(name, answer.empty() ? !value.empty() : trimmed(answer).compare(0, value.size(), value) == 0 && !value.empty());
}
template <class D> static void only_opencl(const sycl::device &d, const char *name) {
  try {
    (void)d.get_info<D>();
    expect(name, is_opencl(d));
  } catch (const sycl::exception &e) {
    expect(name, !is_opencl(d) && e.code() == sycl::errc::invalid);
  }
}
static std::vector<std::string> words(const std::string &of) {
  std::vector<std::string> out;
  std::string word;
  for (char c : of + " ")
    if (c != ' ')
      word += c;
    else if (!word.empty())
      out.push_back(std::exchange(word, {}));
  return out;
}
template <class T> static bool contains(const std::vector<T> &all, const T &one) { return std::find(all.begin(), all.end(), one) != all.end(); }

int main() {
  sycl::queue q{sycl::property::queue::enable_profiling()};
  const sycl::device d = q.get_device();
  namespace i = sycl::info::device;
  const auto any = [](auto) { return true; };
  const auto positive = [](auto v) { return v > 0; };
  const auto yes = [](auto v) { return v; };
  const bool fp64 = d.has(sycl::aspect::fp64), fp16 = d.has(sycl::aspect::fp16), image = d.has(sycl::aspect::image);
  const auto width = [](auto v) { return v >= 1; };
#define N(descriptor, what, allowed) numeric<i::descriptor>(d, #descriptor, what, allowed)
#define T(descriptor, what) textual<i::descriptor>(d, #descriptor, what)
  N(vendor_id, 0x1001, any);
  N(max_compute_units, 0x1002, positive);
  N(max_work_item_dimensions, 0x1003, [](auto v) { return v == 3; });
  N(max_work_group_size, 0x1004, positive);
  N(max_num_sub_groups, number(raw(d, 0x105C)) ? 0x105C : 0, positive);
  N(max_clock_frequency, 0x100C, any);
  N(address_bits, 0x100D, [](auto v) { return v == 64; });
  N(max_mem_alloc_size, 0x1010, positive);
  N(max_parameter_size, 0x1017, [](auto v) { return v >= 1024; });
  N(mem_base_addr_align, 0x1019, [](auto v) { return v >= 1024; });
  N(global_mem_cache_line_size, 0x101D, any);
  N(global_mem_cache_size, 0x101E, any);
  N(global_mem_size, 0x101F, positive);
  N(max_constant_buffer_size, 0x1020, [](auto v) { return v >= 64 * 1024; });
  N(max_constant_args, 0x1021, [](auto v) { return v >= 8; });
  N(local_mem_type, 0x1022, [](auto v) { return v != info::local_mem_type::none; });
  N(local_mem_size, 0x1023, [](auto v) { return v >= 32 * 1024; });
  N(error_correction_support, 0x1024, any);
  N(host_unified_memory, 0x1035, any);
  N(profiling_timer_resolution, 0x1025, positive);
  N(is_endian_little, 0x1026, yes);
  N(is_available, 0x1027, yes);
  N(global_mem_cache_type, 0x101C, any);
  N(printf_buffer_size, 0x1049, [](auto v) { return v >= 1024 * 1024; });
  N(preferred_vector_width_char, 0x1006, width);
  N(preferred_vector_width_short, 0x1007, width);
  N(preferred_vector_width_int, 0x1008, width);
  N(preferred_vector_width_long, 0x1009, width);
  N(preferred_vector_width_float, 0x100A, width);
  N(native_vector_width_char, 0x1036, width);
  N(native_vector_width_short, 0x1037, width);
  N(native_vector_width_int, 0x1038, width);
  N(native_vector_width_long, 0x1039, width);
  N(native_vector_width_float, 0x103A, width);
  N(preferred_vector_width_double, fp64 ? 0x100B : 0, [&](auto v) { return (v > 0) == fp64; });
  N(native_vector_width_double, fp64 ? 0x103B : 0, [&](auto v) { return (v > 0) == fp64; });
  N(preferred_vector_width_half, fp16 ? 0x1034 : 0, [&](auto v) { return (v > 0) == fp16; });
  N(native_vector_width_half, fp16 ? 0x103C : 0, [&](auto v) { return (v > 0) == fp16; });
  T(name, 0x102B);
  T(vendor, 0x102C);
  T(driver_version, 0x102D);
  T(version, 0x102F);
  expect("backend_version", !d.get_info<i::backend_version>().empty());
  // Images are software: their limits are Aspen's, and at least those of the specification.
#define IMAGE(descriptor, least) expect(#descriptor, image ? d.get_info<i::descriptor>() >= least : true)
  IMAGE(max_read_image_args, 128);
  IMAGE(max_write_image_args, 8);
  IMAGE(image2d_max_width, 8192);
  IMAGE(image2d_max_height, 8192);
  IMAGE(image3d_max_width, 2048);
  IMAGE(image3d_max_height, 2048);
  IMAGE(image3d_max_depth, 2048);
  IMAGE(image_max_buffer_size, 65536);
  IMAGE(max_samplers, 16);
  // What only OpenCL's devices have.
  only_opencl<i::execution_capabilities>(d, "execution_capabilities");
  only_opencl<i::profile>(d, "profile");
  only_opencl<i::preferred_interop_user_sync>(d, "preferred_interop_user_sync");
  if (is_opencl(d)) {
    expect("profile's text", d.get_info<i::profile>() == text(raw(d, 0x102E)));
    expect("exec_kernel", contains(d.get_info<i::execution_capabilities>(), info::execution_capability::exec_kernel));
    expect("preferred_interop_user_sync's value", d.get_info<i::preferred_interop_user_sync>() == (number(raw(d, 0x1048)) != 0));
  }
  expect("extensions", d.get_info<i::extensions>() == words(text(raw(d, 0x1030))));
  for (const std::string &name : d.get_info<i::extensions>())
    expect("has_extension", d.has_extension(name));
  expect("has_extension of nothing", !d.has_extension("") && !d.has_extension("cl_khr_no_such_thing"));
  // Configurations of numbers. Source: OpenCL's cl_device_fp_config.
  const auto configured = [&](const char *name, const std::vector<info::fp_config> &have, unsigned what, bool has) {
    const std::vector<char> answer = has ? raw(d, what) : std::vector<char>();
    std::uint64_t bits = 0;
    for (info::fp_config one : have)
      bits |= one == info::fp_config::soft_float ? 64 : one == info::fp_config::correctly_rounded_divide_sqrt ? 128 : 1ull << int(one);
    expect(name, !has ? have.empty() : answer.empty() ? (bits & 4) != 0 : bits == (number(answer) & 255));
  };
  configured("single_fp_config", d.get_info<i::single_fp_config>(), 0x101B, true);
  configured("double_fp_config", d.get_info<i::double_fp_config>(), 0x1032, fp64);
  configured("half_fp_config", d.get_info<i::half_fp_config>(), 0x1033, fp16);
  // What aspects say, too.
  expect("image_support", d.get_info<i::image_support>() == image);
  expect("queue_profiling", d.get_info<i::queue_profiling>() == d.has(sycl::aspect::queue_profiling));
  expect("is_compiler_available", d.get_info<i::is_compiler_available>() == d.has(sycl::aspect::online_compiler));
  expect("is_linker_available", d.get_info<i::is_linker_available>() == d.has(sycl::aspect::online_linker));
  bool all = true;
  for (sycl::aspect one : d.get_info<i::aspects>())
    all = all && d.has(one);
  expect("aspects", all && contains(d.get_info<i::aspects>(), sycl::aspect::cpu) == d.is_cpu());
  expect("device_type", d.is_cpu() == (d.get_info<i::device_type>() == info::device_type::cpu));
  expect("platform", d.get_info<i::platform>() == d.get_platform());
  // Sizes: the last dimension is the driver's first.
  const std::vector<char> sizes = raw(d, 0x1005);
  const sycl::range<3> three = d.get_info<i::max_work_item_sizes<3>>();
  expect("max_work_item_sizes", three[0] >= 1 && three[2] >= 1 &&
                                    (sizes.size() < 24 || (number({sizes.begin(), sizes.begin() + 8}) == three[2] &&
                                                           number({sizes.begin() + 16, sizes.begin() + 24}) == three[0])));
  expect("max_work_item_sizes<1>, <2>", d.get_info<i::max_work_item_sizes<1>>()[0] == three[2] && d.get_info<i::max_work_item_sizes<2>>()[0] == three[1]);
  const std::vector<std::size_t> groups = d.get_info<i::sub_group_sizes>();
  // PoCL 3.1 and the FPGA emulator have no sub-groups.
  const bool has_groups = !is_opencl(d) || number(raw(d, 0x105C)) > 0;
  expect("sub_group_sizes", groups.empty() != has_groups && std::is_sorted(groups.begin(), groups.end()) && (groups.empty() || groups[0] > 0));
  // Memory model: at least what every device must have.
  expect("memory orders", contains(d.get_info<i::atomic_memory_order_capabilities>(), sycl::memory_order::relaxed));
  expect("fence orders", contains(d.get_info<i::atomic_fence_order_capabilities>(), sycl::memory_order::acq_rel));
  for (const auto &scopes : {d.get_info<i::atomic_memory_scope_capabilities>(), d.get_info<i::atomic_fence_scope_capabilities>()})
    expect("scopes", contains(scopes, sycl::memory_scope::sub_group) && contains(scopes, sycl::memory_scope::work_group));
  expect("built-in kernels", d.get_info<i::built_in_kernels>().empty() && d.get_info<i::built_in_kernel_ids>().empty());
  // Parts.
  const std::vector<info::partition_property> ways = d.get_info<i::partition_properties>();
  expect("partition_max_sub_devices", (d.get_info<i::partition_max_sub_devices>() > 0) == contains(ways, info::partition_property::partition_equally));
  expect("partition_affinity_domains",
         contains(ways, info::partition_property::partition_by_affinity_domain) != d.get_info<i::partition_affinity_domains>().empty());
  expect("not a part", d.get_info<i::partition_type_property>() == info::partition_property::no_partition &&
                           d.get_info<i::partition_type_affinity_domain>() == info::partition_affinity_domain::not_applicable);
  try {
    (void)d.get_info<i::parent_device>();
    expect("parent_device", false);
  } catch (const sycl::exception &e) {
    expect("parent_device", e.code() == sycl::errc::invalid);
  }
  // Platform, context, queue, event, kernel.
  const sycl::platform p = d.get_platform();
  const auto of_platform = [&](const char *name, const std::string &value, unsigned what) {
    const std::string answer = text(raw(d, what, true));
    expect(name, answer.empty() ? !value.empty() : answer.find(value) != answer.npos && !value.empty());
  };
  of_platform("platform::version", p.get_info<info::platform::version>(), 0x0901);
  of_platform("platform::name", p.get_info<info::platform::name>(), 0x0902);
  of_platform("platform::vendor", p.get_info<info::platform::vendor>(), 0x0903);
  expect("platform::extensions", p.get_info<info::platform::extensions>() == words(text(raw(d, 0x0904, true))));
  const sycl::context c = q.get_context();
  expect("context::platform", c.get_info<info::context::platform>() == p);
  expect("context::devices", contains(c.get_info<info::context::devices>(), d));
  expect("context::orders", contains(c.get_info<info::context::atomic_memory_order_capabilities>(), sycl::memory_order::relaxed) &&
                                contains(c.get_info<info::context::atomic_fence_order_capabilities>(), sycl::memory_order::acquire));
  expect("context::scopes", contains(c.get_info<info::context::atomic_memory_scope_capabilities>(), sycl::memory_scope::work_group) &&
                                contains(c.get_info<info::context::atomic_fence_scope_capabilities>(), sycl::memory_scope::work_group));
  expect("queue", q.get_info<info::queue::context>() == c && q.get_info<info::queue::device>() == d);
  sycl::event e = q.single_task<class a_task>([] {});
  e.wait();
  expect("event", e.get_info<info::event::command_execution_status>() == info::event_command_status::complete);
  if (d.has(sycl::aspect::queue_profiling)) {
    const auto submit = e.get_profiling_info<info::event_profiling::command_submit>();
    const auto start = e.get_profiling_info<info::event_profiling::command_start>(), end = e.get_profiling_info<info::event_profiling::command_end>();
    expect("event_profiling", submit <= start && start <= end);
  }
  namespace k = sycl::info::kernel_device_specific;
  const sycl::kernel kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(c).get_kernel(sycl::get_kernel_id<class a_task>());
  expect("work_group_size", kernel.get_info<k::work_group_size>(d) > 0 && kernel.get_info<k::work_group_size>(d) <= d.get_info<i::max_work_group_size>());
  expect("compile_work_group_size", kernel.get_info<k::compile_work_group_size>(d) == sycl::range<3>(0, 0, 0));
  expect("preferred_work_group_size_multiple", kernel.get_info<k::preferred_work_group_size_multiple>(d) > 0);
  expect("private_mem_size", kernel.get_info<k::private_mem_size>(d) < 1 << 20);
  expect("sub-groups", !has_groups || (kernel.get_info<k::max_num_sub_groups>(d) > 0 &&
                                       contains(groups, std::size_t(kernel.get_info<k::max_sub_group_size>(d)))));
  expect("required", kernel.get_info<k::compile_num_sub_groups>(d) == 0 && kernel.get_info<k::compile_sub_group_size>(d) == 0);
  expect("attributes", kernel.get_info<info::kernel::attributes>().empty());
  std::printf("%d descriptors, %d wrong\n", asked, wrong);
}
