//! References that keep nothing alive, also where objects end while others ask for them. Exit status 0: all right.
#include "check.hpp"

#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <vector>
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;

/// `other` is another object.
template <class T> static void refers(const T &object, const T &other) {
  using weak = oneapi::weak_object<T>;
  static_assert(std::is_same_v<typename weak::object_type, T>);
  weak none, to(object), copy = to, beside;
  beside = other;
  CHECK(none.expired() && !none.try_lock() && throws(sycl::errc::invalid, [&] { (void)none.lock(); }));
  CHECK(!to.expired() && to.lock() == object && *copy.try_lock() == object && !(beside.lock() == object));
  const oneapi::owner_less<T> less;
  CHECK(!less(object, to) && !less(to, object) && !to.owner_before(copy) && !object.ext_oneapi_owner_before(to) && !less(none, weak()));
  CHECK(less(object, other) != less(other, object) && less(to, beside) == less(object, other) && to.owner_before(other) == less(object, beside));
  CHECK(object.ext_oneapi_owner_before(other) == less(object, other) && less(none, to) && !less(to, none));
  std::map<weak, int, oneapi::owner_less<T>> numbers{{to, 1}, {beside, 2}};
  CHECK(numbers[copy] == 1 && numbers[weak(other)] == 2);
  std::set<T, oneapi::owner_less<T>> all{object, other, object};
  CHECK(all.size() == 2);
  to.swap(beside);
  CHECK(to.lock() == other && beside.lock() == object);
  to = std::move(beside);
  CHECK(to.lock() == object);
  to.reset();
  CHECK(to.expired());
}

template <class Make> static void ends(Make make) {
  using object = decltype(make());
  oneapi::weak_object<object> weak;
  {
    std::optional<object> first(make());
    weak = *first;
    const object second = *first;
    first.reset();
    CHECK(!weak.expired() && weak.lock() == second);
  }
  CHECK(weak.expired() && !weak.try_lock() && throws(sycl::errc::invalid, [&] { (void)weak.lock(); }));
  const oneapi::weak_object<object> copy = weak;
  CHECK(copy.expired() && !copy.owner_before(weak));
}

/// Its content is written when the last owner goes, whoever that is.
static void contents(sycl::queue &q) {
  int data[4] = {};
  oneapi::weak_object<sycl::buffer<int>> weak;
  {
    sycl::buffer<int> b(sycl::range<1>(4));
    b.set_final_data(data);
    weak = b;
    std::optional<sycl::buffer<int>> again = weak.try_lock();
    q.submit([&](sycl::handler &h) { h.fill(sycl::accessor(*again, h, sycl::write_only), 5); });
    CHECK(again->size() == 4);
  }
  CHECK(weak.expired() && data[3] == 5);
}

static void threads(sycl::queue &q) {
  for (int round = 0; round < 200; ++round) {
    std::optional<sycl::queue> one(std::in_place, q.get_device());
    const oneapi::weak_object<sycl::queue> weak(*one);
    std::atomic<bool> go{false};
    std::vector<std::thread> askers;
    for (int i = 0; i < 3; ++i)
      askers.emplace_back([&] {
        while (!go) {
        }
        for (int n = 0; n < 50; ++n)
          if (const std::optional<sycl::queue> mine = weak.try_lock())
            CHECK(mine->is_in_order() == false);
      });
    go = true;
    one.reset();
    for (std::thread &asker : askers)
      asker.join();
    CHECK(weak.expired());
  }
}

int main() {
  sycl::queue q, other;
  refers(q, other);
  refers(sycl::context(q.get_device()), sycl::context(q.get_device()));
  refers(sycl::buffer<int, 2>({2, 3}), sycl::buffer<int, 2>({2, 3}));
  oneapi::weak_object<sycl::device> device(q.get_device());
  CHECK(!device.expired() && device.lock() == q.get_device() && !oneapi::weak_object(q.get_device().get_platform()).expired());
  ends([&] { return sycl::queue(q.get_device()); });
  ends([&] { return sycl::context(q.get_device()); });
  ends([] { return sycl::buffer<float>(sycl::range<1>(8)); });
  contents(q);
  threads(q);
  return failures != 0;
}
