//! Runs a program in the words of SYCLomatic's headers, namespace `dpct`, on SYCLcompat. Exit status 0: all right.
#include "check.hpp"

#include <complex>
#include <cstring>
#include <sycl/sycl.hpp>
#include <dpct/dpct.hpp> // where programs look, which is <syclcompat/dpct.hpp>
#include <dpct/graph.hpp>

namespace {

dpct::global_memory<float, 1> result(8);
dpct::constant_memory<float, 2> table(sycl::range<2>(2, 2), {{1, 2}, {3, 4}});

void scale(const float *from, float *to, float by, const sycl::nd_item<3> &item, const float *weights) {
  const int i = static_cast<int>(item.get_local_id(2));
  to[i] = dpct::max(from[i], 1.0f) * by * weights[i % 4];
}

template <int... D> sycl::range<sizeof...(D)> counted(dpct::integer_sequence<D...>) { return sycl::range<sizeof...(D)>(size_t(D + 1)...); }

} // namespace

/// A stream that is captured, and its graph by hand.
static void captures(sycl::queue &q) {
  namespace de = dpct::experimental;
  using ready_graph = std::remove_pointer_t<de::command_graph_exec_ptr>;
  dpct::queue_ptr stream = dpct::get_current_device().create_queue(true);
  int *const steps = sycl::malloc_shared<int>(1, q);
  *steps = 1;
  CHECK(DPCT_CHECK_ERROR(de::begin_recording(stream)) == 0);
  de::begin_recording(stream);
  stream->single_task([=] { *steps += 1; });
  stream->single_task([=] { *steps *= 3; });
  de::command_graph_ptr graph = nullptr, none = nullptr;
  CHECK(DPCT_CHECK_ERROR(de::end_recording(stream, &graph)) == 0 && graph);
  de::end_recording(stream, &none);
  CHECK(!none);
  std::size_t nodes = 0, roots = 0;
  de::get_nodes(graph, nullptr, &nodes);
  de::get_root_nodes(graph, nullptr, &roots);
  CHECK(nodes == 2 && roots == 1);
  de::node_ptr all[2], last = nullptr, other = nullptr;
  de::get_nodes(graph, all, &nodes);
  de::add_empty_node(&last, graph, all, 2);
  de::add_empty_node(&other, graph, nullptr, 0);
  de::add_dependencies(graph, &other, &last, 1);
  sycl::ext::oneapi::experimental::node_type type;
  de::get_node_type(last, &type);
  CHECK(type == sycl::ext::oneapi::experimental::node_type::empty && last->get_predecessors().size() == 3);
  const de::command_graph_exec_ptr ready = new ready_graph(graph->finalize());
  stream->ext_oneapi_graph(*ready);
  stream->ext_oneapi_graph(*ready).wait();
  CHECK(*steps == 21);
  delete ready;
  delete last;
  delete other;
  delete graph;
  dpct::get_current_device().destroy_queue(stream);
  sycl::free(steps, q);
}

int main() {
  dpct::device_ext &device = dpct::get_current_device();
  sycl::queue &q = device.default_queue();
  CHECK(&q == &dpct::get_default_queue() && &q == &dpct::get_in_order_queue() && q.is_in_order());
  CHECK(!dpct::get_out_of_order_queue().is_in_order() && &dpct::get_out_of_order_queue() == &device.out_of_order_queue());
  dpct::device_info known;
  dpct::get_device_info(known, dpct::dev_mgr::instance().get_device(0));
  dpct::device_info cleared;
  memset(&cleared, 0, sizeof cleared); // the C library's
  memcpy(&cleared, &known, sizeof known);
  CHECK(cleared.get_max_work_group_size() == known.get_max_work_group_size());
  CHECK(dpct::get_error_string_dummy(0) != dpct::get_error_string_dummy(999));
  dpct::has_capability_or_fail(q.get_device(), {sycl::aspect::fp64});
  sycl::event all;
  dpct::event_ptr all_at = &all;
  CHECK(dpct::sync_barrier(all_at, &q) == 0 && dpct::sync_barrier(&q) == 0);
  all.wait();
  CHECK(known.get_max_work_group_size() == dpct::get_device(0).get_max_work_group_size());
  CHECK(dpct::select_device(0) == 0 && dpct::dev_mgr::instance().device_count() == dpct::device_count());

  float on_host[8];
  for (int i = 0; i < 8; ++i)
    on_host[i] = static_cast<float>(i);
  float *const memory = static_cast<float *>(dpct::dpct_malloc(sizeof on_host));
  dpct::dpct_memcpy(memory, on_host, sizeof on_host, dpct::host_to_device);
  result.init();
  table.init();
  q.submit([&](sycl::handler &command) {
    float *const to = result.get_ptr();
    const float *const weights = table.get_ptr();
    command.parallel_for<dpct_kernel_name<class scaled>>(sycl::nd_range<3>({1, 1, 8}, {1, 1, 8}),
                                                         [=](sycl::nd_item<3> item) { scale(memory, to, 10, item, weights); });
  });
  device.queues_wait_and_throw();
  dpct::async_dpct_memcpy(on_host, result.get_ptr(), sizeof on_host, dpct::automatic);
  q.wait();
  CHECK(on_host[0] == 10 && on_host[1] == 20 && on_host[5] == 100 && on_host[7] == 280);

  dpct::dpct_memset(memory, 0, sizeof on_host);
  dpct::matrix_mem_copy(on_host, memory, 3, 2, 2, 2); // columns of two, three apart
  CHECK(on_host[0] == 0 && on_host[2] != 0 && on_host[3] == 0 && on_host[5] == 100);
  dpct::async_dpct_free({memory}, {}, q);
  const dpct::pitched_data box = dpct::dpct_malloc(sycl::range<3>(8, 2, 2));
  dpct::dpct_memset(box, 0x11, sycl::range<3>(8, 2, 2));
  char last = 0;
  dpct::dpct_memcpy(&last, static_cast<char *>(box.get_data_ptr()) + 3 * box.get_pitch() + 7, 1);
  CHECK(last == 0x11);
  dpct::dpct_free(box.get_data_ptr());

  // The type first, as programs of 2021 have it, all of it deduced, and the address space first.
  unsigned *const counts = sycl::malloc_shared<unsigned>(4, q);
  q.fill(counts, 0u, 4).wait();
  q.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1>) {
     constexpr auto anywhere = sycl::access::address_space::generic_space;
     dpct::atomic_fetch_add<unsigned, sycl::access::address_space::global_space>(&counts[0], 1);
     dpct::atomic_fetch_add<unsigned>(&counts[0], 1, sycl::memory_order::relaxed, sycl::memory_scope::device);
     dpct::atomic_fetch_add(&counts[1], 1);
     dpct::atomic_fetch_add<anywhere>(&counts[1], 1);
     dpct::atomic_fetch_max<unsigned, anywhere>(&counts[2], 5);
     dpct::atomic_compare_exchange_strong<unsigned, anywhere>(&counts[3], 0, 7);
   }).wait();
  CHECK(counts[0] == 128 && counts[1] == 128 && counts[2] == 5 && counts[3] == 7);
  sycl::free(counts, q);

  captures(q);
  CHECK(DPCT_CHECK_ERROR(throw std::runtime_error("meant")) == dpct::DEFAULT_ERROR && DPCT_CHECK_ERROR() == 0);
  CHECK(dpct::vectorized_binary<sycl::short2>(0x00010005, 0x00040002, dpct::abs_diff()) == 0x00030003);
  CHECK(counted(dpct::make_index_sequence<3>()) == sycl::range<3>(1, 2, 3));
  static_assert(std::is_same_v<dpct::DataType<sycl::float2>::T2, std::complex<float>> && std::is_same_v<dpct::DataType<int>::T2, int>);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
