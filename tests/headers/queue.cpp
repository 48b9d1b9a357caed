//! queue and handler: the forms of every command.
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

class named;
struct functor {
  int *p;
  void operator()(sycl::id<1> i) const { p[i] = 1; }
};
template <class T> class templated;

void constructors(const sycl::device &d, const sycl::context &c) {
  auto handler = [](sycl::exception_list) {};
  auto selector = [](const sycl::device &) { return 1; };
  sycl::queue a, b(handler), e(selector), f(selector, handler), g(d), h(d, handler), i(c, d), j(c, selector, handler);
  sycl::queue k{sycl::property::queue::in_order()};
  sycl::queue l{sycl::gpu_selector_v, {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()}};
  sycl::queue m{sycl::default_selector_v, handler, sycl::property::queue::in_order()};
}

void commands(sycl::queue q, sycl::queue other, int *p, const std::vector<sycl::event> &events) {
  sycl::event e = q.single_task<named>([=]() { *p = 1; });
  e = q.single_task(e, [=]() { *p = 2; });
  q.parallel_for(16, [=](int i) { p[i] = i; });
  q.parallel_for(sycl::range<1>(16), functor{p});
  q.parallel_for({4, 4}, [=](sycl::id<2> i) { p[i[0]] = 1; });
  q.parallel_for(sycl::range<2>(4, 4), e, [=](sycl::item<2> i) { p[i.get_linear_id()] = 1; });
  q.parallel_for(sycl::range<3>(4, 4, 4), events, [=](auto i) { p[i.get_linear_id()] = 1; });
  q.parallel_for<templated<int>>(sycl::nd_range<1>(16, 4), [=](sycl::nd_item<1> i) { p[i.get_global_id(0)] = 1; });
  q.parallel_for<class in_place>(sycl::nd_range<2>({4, 4}, {2, 2}), events, [=](auto i) { p[i.get_global_linear_id()] = 1; });
  q.memcpy(p, p + 8, 4).wait();
  q.memset(p, 0, 4, e);
  q.fill(p, 7, 4, events);
  q.copy(p, p + 8, 4);
  q.prefetch(p, 4);
  q.mem_advise(p, 4, 0);
  q.submit([&](sycl::handler &h) { h.host_task([=]() { *p = 1; }); }).wait_and_throw();
  auto group = [&](sycl::handler &h) {
    h.depends_on(e);
    h.depends_on(events);
    h.parallel_for(sycl::range<1>(4), [=](sycl::item<1, true> i) { p[i] = 1; });
  };
  q.submit(group, other);
  q.submit([&](sycl::handler &h) {
    h.parallel_for_work_group(sycl::range<1>(4), sycl::range<1>(8), [=](sycl::group<1> g) {
      g.parallel_for_work_item([&](sycl::h_item<1> i) { p[i.get_global_id(0)] = 1; });
    });
  });
  q.wait();
  q.throw_asynchronous();
  q.wait_and_throw();
  sycl::event::wait({e, e});
}
static_assert(!std::is_copy_constructible_v<sycl::handler>);
