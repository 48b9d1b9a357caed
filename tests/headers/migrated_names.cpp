// Names that helpers of migrated programs (dpct), Kokkos, torch-xpu-ops, dpctl and HeCBench have outside of templates, or with arguments by
// value. Nothing of it is an extension that is there but where its macro says so.
#include <CL/sycl/access/access.hpp>
#include <CL/sycl/backend/opencl.hpp>
#include <sycl/ext/oneapi/experimental/cuda/builtins.hpp>
#include <sycl/sycl.hpp>
#include <vector>

namespace se = sycl::ext::oneapi::experimental;

#if !SYCL_EXT_ONEAPI_CUDA_TEX_CACHE_READ || !SYCL_EXT_INTEL_GRF_SIZE || !SYCL_EXT_ONEAPI_COPY_OPTIMIZE || !SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY
#error "macros of extensions"
#endif

struct row_major : std::integral_constant<se::matrix::layout, se::matrix::layout::row_major> {};
struct a : std::integral_constant<se::matrix::use, se::matrix::use::a> {};
template <class Group, class Matrix> auto element(Group group, Matrix &matrix) { return sycl::ext::oneapi::detail::get_wi_data(group, matrix)[0]; }
template <class Group, class From, class To> void copied(Group group, From &from, To &to) { se::matrix::joint_matrix_copy(group, from, to); }

typedef se::physical_mem *physical_mem_ptr;
struct access_of {
  se::address_access_mode flags = se::address_access_mode::read_write;
};

se::node added(se::command_graph<se::graph_state::modifiable> &graph, const std::vector<se::node> &dependencies) {
  return graph.add(se::property::node::depends_on(dependencies));
}
se::node recorded(se::command_graph<se::graph_state::modifiable> &into, se::command_graph<se::graph_state::modifiable> &graph) {
  return into.add([&](sycl::handler &cgh) { cgh.ext_oneapi_graph(graph.finalize()); });
}

struct many_registers {
  int *out;
  void operator()(sycl::nd_item<1> item) const { out[item.get_global_id(0)] = se::cuda::ldg(out) + 1; }
  auto get(se::properties_tag) const { return se::properties{sycl::ext::intel::experimental::grf_size<256>}; }
};
static_assert(se::is_property_key<sycl::ext::intel::experimental::grf_size_key>::value);

// sycl-tla sorts the properties of a launch by this: those that are known when it is compiled, and those with values at run time.
namespace ix = sycl::ext::intel::experimental;
static_assert(se::is_property_value_v<decltype(se::sub_group_size<16>)> && se::is_property_value_v<se::work_group_scratch_size>);
static_assert(se::is_property_value_v<ix::cache_config> && se::is_property_value_v<const ix::event_mode>);
static_assert(se::is_property_key<se::use_root_sync_key>::value && !se::is_property_value_v<se::use_root_sync_key> && !se::is_property_value_v<int>);

// Its loops over sub-groups are constexpr templates, so a sub-group is of a literal type.
template <class T> constexpr T sum_of_all(T x) {
  auto sg = sycl::ext::oneapi::this_work_item::get_sub_group();
  return sycl::reduce_over_group(sg, x, sycl::plus<>());
}
void sums(sycl::queue &queue, int *out) {
  queue.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) { out[item.get_global_id(0)] = sum_of_all(1); });
}

// PyTorch asks for what Intel's newer GPUs are made of.
static_assert(std::is_same_v<sycl::ext::intel::info::device::xe_stack_count::return_type, std::uint32_t>);
std::uint32_t lanes(const sycl::device &of) { return of.get_info<sycl::ext::intel::info::device::max_lanes_per_hw_thread>(); }
using nothing = std::monostate;

sycl::context of_queues(sycl::queue &queue, int *out) {
  queue.parallel_for(sycl::nd_range<1>(32, 32), many_registers{out});
  se::prepare_for_device_copy(out, sizeof(int), queue);
  se::release_from_device_copy(out, queue);
  sycl::free(sycl::malloc_shared<int>(1, queue, {sycl::ext::oneapi::property::usm::device_read_only()}), queue);
  return queue.get_device().get_platform().khr_get_default_context();
}

void older(sycl::buffer<int> &buffer, sycl::handler &h) {
  sycl::accessor all(buffer, h, sycl::write_only, sycl::noinit);
  (void)all;
}

// What BatchLAS and sycl_points say to mem_advise.
sycl::event advised(sycl::queue &q, int *p) { return q.mem_advise(p, 4, UR_USM_ADVICE_FLAG_SET_READ_MOSTLY); }
static_assert(UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_DEVICE == 1 << 10);
