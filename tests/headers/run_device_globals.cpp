//! Device globals: where they may be declared, their members, properties and copies. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <cstring>
#include <vector>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
using ex::device_global;

struct pair {
  int a;
  float b;
};
struct node {
  int value;
};

device_global<int> counter;
static device_global<int[4]> table;
inline device_global<pair> both;
namespace {
device_global<float[2][3]> matrix;
}
struct holder {
  static device_global<long long> declared;
  static inline device_global<unsigned char> defined;
};
device_global<long long> holder::declared;
template <class T> struct of {
  static inline device_global<T> value;
};
template <class T> inline device_global<T> variable;
device_global<node *> linked;
device_global<int, decltype(ex::properties(ex::device_image_scope))> in_image;
static device_global<const int[3], decltype(ex::properties(ex::host_access_read))> read_only;
device_global<int, decltype(ex::properties(ex::device_image_scope, ex::host_access_write, ex::init_mode_reset, ex::implement_in_csr_on))> all_properties;
device_global<int, decltype(ex::properties(ex::device_constant))> only_read;
static_assert(decltype(only_read)::has_property<ex::device_constant_key>());
struct alignas(64) wide {
  int x[16];
};
device_global<wide> aligned;

using everything = decltype(all_properties);
static_assert(SYCL_EXT_ONEAPI_DEVICE_GLOBAL == 1);
static_assert(everything::has_property<ex::device_image_scope_key>() && everything::has_property<ex::init_mode_key>());
static_assert(!decltype(counter)::has_property<ex::device_image_scope_key>() && !decltype(counter)::has_property<ex::host_access_key>());
static_assert(everything::get_property<ex::host_access_key>() == ex::host_access_write && everything::get_property<ex::host_access_key>() != ex::host_access_read);
static_assert(everything::get_property<ex::init_mode_key>().value == ex::init_mode_enum::reset);
static_assert(everything::get_property<ex::implement_in_csr_key>().value && ex::implement_in_csr<true> == ex::implement_in_csr_on);
static_assert(ex::is_property_key<ex::host_access_key>::value && !ex::is_property_key<int>::value);
static_assert(ex::is_property_key_of<ex::device_image_scope_key, everything>::value && !ex::is_property_key_of<ex::device_image_scope_key, int>::value);
static_assert(std::is_same_v<device_global<int[4]>::element_type, int> && std::is_same_v<decltype(table[0]), int &>);
static_assert(!std::is_assignable_v<decltype(counter) &, const decltype(counter) &> && std::is_assignable_v<decltype(counter) &, int>);
static_assert(!std::is_copy_constructible_v<decltype(in_image)>);

#if __cpp_consteval
device_global<sycl::vec<float, 4>> four;
device_global<int> five{5};
device_global<const float[3]> constants{1.5f, 2.5f, 3.5f};
device_global<int[3], decltype(ex::properties(ex::device_image_scope))> in_image_constants{7, 8, 9};
device_global<pair, decltype(ex::properties(ex::device_image_scope))> in_image_pair{3, 4.5f};
device_global<long> copied{five};
device_global<const int, decltype(ex::properties(ex::device_image_scope))> in_image_six{6};
// Constants of an image have their values at compile time, as in DPC++.
constexpr device_global<int[2][2], decltype(ex::properties(ex::device_image_scope))> in_image_table{1, 2, 3, 4};
constexpr device_global<pair, decltype(ex::properties(ex::device_image_scope))> in_image_known{3, 4.5f};
static_assert(in_image_table[1][0] == 3 && in_image_known.get().b == 4.5f && static_cast<const pair &>(in_image_known).a == 3);
device_global<const short> copied_from_image{in_image_six};
struct made {
  int a = 4, b;
  constexpr made(int given) : b(given) {}
};
device_global<made> constructed{made(6)};
#endif

/// The values of a variable, by one copy.
template <class T, class G> static T value_of(sycl::queue &q, G &global) {
  T value = {};
  q.memcpy(&value, global).wait();
  return value;
}

static void starts_zero(sycl::queue &q) {
  CHECK(value_of<int>(q, counter) == 0);
  int *seen = sycl::malloc_shared<int>(8, q);
  q.single_task([=] {
     seen[0] = counter, seen[1] = table[3], seen[2] = both.get().a, seen[3] = static_cast<int>(matrix[1][2]);
     seen[4] = static_cast<int>(holder::declared), seen[5] = holder::defined, seen[6] = in_image, seen[7] = read_only[2];
   }).wait();
  for (int i = 0; i < 8; ++i)
    CHECK(seen[i] == 0);
  sycl::free(seen, q);
}

static void members(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(16, q);
  node *n = sycl::malloc_shared<node>(1, q);
  n->value = 11;
  q.single_task([=] {
     counter = 3;
     counter += 4;
     out[0] = counter + 1;
     table[2] = 5;
     table.get()[1] = out[0];
     both = pair{6, 0.5f};
     both.get().a += 1;
     matrix[1][2] = 2.5f;
     holder::declared = 1LL << 40;
     holder::defined = 200;
     of<int>::value = 21;
     of<short>::value = 22;
     variable<float> = 0;
     variable<unsigned> = 23;
     linked = n;
     out[1] = linked->value;
     in_image += 31;
     all_properties = in_image * 2;
     aligned.get().x[15] = 41;
     const auto &constant = counter;
     const int &through = constant.get();
     out[2] = through;
     out[3] = *counter.get_multi_ptr<sycl::access::decorated::no>();
     out[4] = counter.get_multi_ptr<sycl::access::decorated::yes>().get() != nullptr;
     sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> atomic(table[0]);
     atomic.fetch_add(17);
     out[5] = reinterpret_cast<std::uintptr_t>(&aligned.get()) % 64 == 0;
   }).wait();
  CHECK(out[0] == 8 && out[1] == 11 && out[2] == 7 && out[3] == 7 && out[4] == 1 && out[5] == 1);
  CHECK(value_of<int>(q, counter) == 7 && value_of<pair>(q, both).a == 7 && value_of<pair>(q, both).b == 0.5f);
  CHECK(value_of<long long>(q, holder::declared) == 1LL << 40 && value_of<unsigned char>(q, holder::defined) == 200);
  CHECK(value_of<int>(q, of<int>::value) == 21 && value_of<short>(q, of<short>::value) == 22 && value_of<unsigned>(q, variable<unsigned>) == 23);
  CHECK(value_of<int>(q, in_image) == 31 && value_of<wide>(q, aligned).x[15] == 41);
  // What a kernel left is there for the next one.
  q.parallel_for(sycl::range(4), [=](sycl::id<1> i) { out[i] = table[static_cast<std::ptrdiff_t>(i[0])] + static_cast<int>(matrix[1][2]); }).wait();
  CHECK(out[0] == 19 && out[1] == 10 && out[2] == 7 && out[3] == 2);
  q.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> item) {
     if (item.get_local_linear_id() == 0)
       sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(counter).fetch_add(1);
   }).wait();
  CHECK(value_of<int>(q, counter) == 11);
  sycl::free(out, q), sycl::free(n, q);
}

static void copies(sycl::queue &q) {
  const int four_ints[] = {1, 2, 3, 4};
  int back[4] = {};
  sycl::event e = q.copy(four_ints, table);
  e = q.copy(&four_ints[3], table, 1, 0, e);
  e = q.copy(table, back, 2, 2, std::vector<sycl::event>{e});
  e.wait();
  CHECK(back[0] == 3 && back[1] == 4 && back[2] == 0);
  q.copy(table, back).wait();
  CHECK(back[0] == 4 && back[1] == 2 && back[3] == 4);
  e = q.memcpy(table, four_ints, 8, 8);
  e = q.memcpy(back, table, sizeof back, 0, e);
  q.memcpy(&back[3], table, 4, 12, {e}).wait();
  CHECK(back[2] == 1 && back[3] == 2);
  q.submit([&](sycl::handler &h) { h.copy(four_ints, table, 3, 1); }).wait();
  q.submit([&](sycl::handler &h) { h.memcpy(&back[0], table, 4, 12); }).wait();
  CHECK(back[0] == 3);
  const float numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
  float some[3] = {};
  q.copy(&numbers[0][0], matrix).wait();
  q.copy(matrix, some, 3, 2).wait();
  CHECK(some[0] == 3 && some[2] == 5);
  // Memory of the device on the other side.
  int *shared = sycl::malloc_device<int>(4, q);
  q.copy(table, shared).wait();
  q.memcpy(back, shared, sizeof back).wait();
  CHECK(back[1] == 1 && back[3] == 3);
  sycl::free(shared, q);
  q.copy(four_ints, in_image).wait();
  q.single_task([=] { in_image = in_image * 10; }).wait();
  CHECK(value_of<int>(q, in_image) == 10);
  q.copy(four_ints + 1, all_properties).wait();
  q.single_task([=] { in_image = all_properties; }).wait();
  CHECK(value_of<int>(q, in_image) == 2);
  CHECK(throws(sycl::errc::invalid, [&] { q.copy(four_ints, table, 4, 1); }));
  CHECK(throws(sycl::errc::invalid, [&] { q.copy(table, back, 5); }));
  CHECK(throws(sycl::errc::invalid, [&] { q.copy(table, back, 1, ~size_t(0) / 2); }));
  CHECK(throws(sycl::errc::invalid, [&] { q.memcpy(table, four_ints, 17); }));
  CHECK(throws(sycl::errc::invalid, [&] { q.memcpy(back, table, 0, 17); }));
  CHECK(throws(sycl::errc::invalid, [&] { q.submit([&](sycl::handler &h) { h.memcpy(back, table, ~size_t(0), 2); }); }));
}

#if __cpp_consteval
static void initial_values(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(8, q);
  CHECK(value_of<int>(q, five) == 5 && value_of<long>(q, copied) == 5 && value_of<short>(q, copied_from_image) == 6);
  q.single_task([=] {
     out[0] = five, out[1] = static_cast<int>(constants[1] * 2), out[2] = in_image_constants[2], out[3] = in_image_pair.get().a;
     out[4] = constructed.get().a, out[5] = constructed.get().b, out[6] = static_cast<int>(copied);
     four = sycl::vec<float, 4>(1, 2, 3, 4);
     four.get().y() = 9;
     five = 50, in_image_constants[2] = 90;
   }).wait();
  CHECK(out[0] == 5 && out[1] == 5 && out[2] == 9 && out[3] == 3 && out[4] == 4 && out[5] == 6 && out[6] == 5);
  CHECK((value_of<sycl::vec<float, 4>>(q, four).y() == 9));
  int three[3] = {};
  q.memcpy(three, in_image_constants).wait();
  CHECK(value_of<int>(q, five) == 50 && three[0] == 7 && three[2] == 90 && value_of<pair>(q, in_image_pair).b == 4.5f);
  sycl::free(out, q);
}
#endif

/// A graph copies each time that it is executed.
static void graphs(sycl::queue &q) {
  int seen = 0;
  const int zero = 0;
  ex::command_graph<> graph(q.get_context(), q.get_device());
  auto first = graph.add([&](sycl::handler &h) { h.single_task([=] { counter += 1; }); });
  graph.add([&](sycl::handler &h) { h.copy(counter, &seen); }, {ex::property::node::depends_on(first)});
  auto execution = graph.finalize();
  q.copy(&zero, counter).wait();
  q.ext_oneapi_graph(execution).wait();
  q.ext_oneapi_graph(execution).wait();
  CHECK(seen == 2);
}

#if __cpp_consteval
/// What nobody writes can still be read.
const ex::device_global<const int[3]> fixed{1, 2, 3};
void copies_of_constants(sycl::queue &q) {
  int there[3] = {};
  q.copy(fixed, there).wait();
  CHECK(there[0] == 1 && there[2] == 3);
}
#endif

/// Memory that kernels only read, as CUDA's `__constant__`: the host writes it.
device_global<const float[4]> constant_memory;
static void constants_from_the_host(sycl::queue &q) {
  const float values[] = {1, 2, 3, 4};
  q.memcpy(constant_memory, values).wait();
  q.memcpy(constant_memory, values + 3, sizeof(float), sizeof(float)).wait();
  float *out = sycl::malloc_shared<float>(4, q);
  q.parallel_for(4, [=](auto i) { out[i] = constant_memory[i]; }).wait();
  CHECK(out[0] == 1 && out[1] == 4 && out[3] == 4);
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  starts_zero(q);
  constants_from_the_host(q);
  members(q);
  copies(q);
#if __cpp_consteval
  initial_values(q);
  copies_of_constants(q);
#endif
  graphs(q);
  return failures != 0;
}
