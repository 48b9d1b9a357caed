//! Virtual functions that kernels call: objects made by one kernel and used by others, over ranges and in groups, with a barrier in the function, of
//! sets with needs of their own. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;

#if SYCL_EXT_ONEAPI_VIRTUAL_FUNCTIONS != 1
#error its macro
#endif
struct doubles;
static_assert(ex::is_property_key<ex::indirectly_callable_key>::value && ex::is_property_key<ex::calls_indirectly_key>::value);
static_assert(decltype(ex::properties{ex::assume_indirect_calls})::has_property<ex::calls_indirectly_key>());
static_assert(std::is_same_v<decltype(ex::indirectly_callable), const ex::indirectly_callable_key::value_t<void>>);

class shape {
public:
  explicit shape(int size) : size(size) {}
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(ex::indirectly_callable)
  virtual int area() const { return 0; }
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(ex::indirectly_callable)
  virtual int summed(int *room, const sycl::nd_item<1> &item) const;
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(ex::indirectly_callable_in<doubles>)
  virtual void halve(double *what) const { *what /= 2 * size; }

protected:
  int size;
};
int shape::summed(int *room, const sycl::nd_item<1> &item) const {
  room[item.get_local_id(0)] = size;
  sycl::group_barrier(item.get_group());
  int sum = 0;
  for (size_t i = 0; i < item.get_local_range(0); ++i)
    sum += room[i];
  return sum;
}

struct square : shape {
  using shape::shape;
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(ex::indirectly_callable)
  int area() const override { return size * size; }
};
struct bar final : square {
  bar(int size, int length) : square(size), length(length) {}
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(ex::indirectly_callable)
  int area() const override { return size * length; }
  int length;
};
union any {
  any() {}
  shape plain;
  square even;
  bar uneven;
};

/// A function object whose properties are its own.
struct areas {
  any *of;
  int *to;
  void operator()(sycl::id<1> i) const {
    const shape *const one = &of[i].plain;
    to[i] = one->area();
  }
  auto get(ex::properties_tag) const { return ex::properties{ex::assume_indirect_calls_to<void, doubles>}; }
};

int main() {
  sycl::queue q;
  any *const all = sycl::malloc_device<any>(3, q);
  int *const out = sycl::malloc_shared<int>(12, q);
  q.single_task([=] {
     new (&all[0].plain) shape(2);
     new (&all[1].even) square(3);
     new (&all[2].uneven) bar(4, 5);
   }).wait();
  q.parallel_for(3, areas{all, out}).wait();
  CHECK(out[0] == 0 && out[1] == 9 && out[2] == 20);

  q.submit([&](sycl::handler &h) {
     const sycl::local_accessor<int> room(4, h);
     h.parallel_for(sycl::nd_range<1>(12, 4), ex::properties{ex::assume_indirect_calls}, [=](sycl::nd_item<1> item) {
       const shape *const one = &all[item.get_group(0)].plain;
       out[item.get_global_id(0)] = one->summed(&room[0], item) + one->area();
     });
   }).wait();
  for (int i = 0; i < 12; ++i)
    CHECK(out[i] == (i < 4 ? 8 : i < 8 ? 21 : 36));

  // Its image is another one than that of the kernel which made the objects, and GPUs do not call functions of other modules (docs/SYCL.md).
  if (q.get_device().has(sycl::aspect::fp64) && q.get_device().is_cpu()) {
    double *const value = sycl::malloc_shared<double>(1, q);
    *value = 12;
    q.single_task(ex::properties{ex::assume_indirect_calls_to<doubles>}, [=] {
       const shape *const one = &all[2].plain;
       one->halve(value);
     }).wait();
    CHECK(*value == 1.5);
    sycl::free(value, q);
  }
  sycl::free(all, q);
  sycl::free(out, q);
  return failures;
}
