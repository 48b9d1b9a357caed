// What owns memory of the host is no element of a buffer and no argument, and what is no property is in no list of properties: one error each, at the line that says
// so. Classes that copy as their bytes do are taken although they do not say that they are device-copyable.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 {self}
//# exit: 1
//# count: 7 stderr error:
//# stderr~: no-elements-of-buffers\.cpp:22:16: error: .*the elements of a buffer are device-copyable .*strings, vectors and smart pointers own memory
//# stderr~: no-elements-of-buffers\.cpp:23:\d+: error: .*the elements of a buffer are device-copyable
//# stderr~: no-elements-of-buffers\.cpp:24:\d+: error: .*the elements of a buffer are device-copyable
//# stderr~: no-elements-of-buffers\.cpp:25:\d+: error: .*the elements of a buffer are device-copyable
//# stderr~: no-elements-of-buffers\.cpp:30:\d+: error: .*a property list is made of properties; one of these is something else
//# stderr~: no-elements-of-buffers\.cpp:31:\d+: error: .*a property list is made of properties
//# stderr~: no-elements-of-buffers\.cpp:35:\d+: error: .*set_arg takes values that are device-copyable
#include <memory>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace ext = sycl::ext::oneapi::experimental;

void buffers() {
  std::vector<std::string> words{"one", "two"};
  sycl::buffer of_strings(words.data(), sycl::range<1>(2));
  sycl::buffer<const std::wstring> of_const_strings(sycl::range<1>(2));
  sycl::buffer<std::vector<int>, 2> of_vectors(sycl::range<2>(2, 2));
  sycl::buffer<std::unique_ptr<int>> of_pointers(sycl::range<1>(2));
}

void lists(sycl::queue &q) {
  q.parallel_for(sycl::nd_range<1>(8, 8), ext::properties{ext::sub_group_size<8>}, [=](sycl::nd_item<1>) {});
  const auto size = ext::properties{ext::sub_group_size<8>, 8};
  const auto none = ext::properties{sycl::range<1>(8)};
}

void argument(sycl::handler &h) {
  h.set_arg(0, std::string("one"));
}

struct copied {
  copied(int x = 0) : value(x) {}
  copied(const copied &other) : value(other.value) {}
  ~copied() {}
  int value;
  sycl::buffer<copied> *others = nullptr;
};
void right() {
  sycl::buffer<copied> some(sycl::range<1>(2));
  const auto two = ext::properties{ext::sub_group_size<8>, ext::work_group_scratch_size(8)};
}
