//! Classes that programs derive from sub-groups and groups, and what else libraries took from DPC++'s insides. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <sycl/sycl.hpp>

static_assert(__LIBSYCL_MAJOR_VERSION >= 9 && __LIBSYCL_MINOR_VERSION >= 0 && __SYCL_COMPILER_VERSION >= 20221105);

/// As Ginkgo's: made of any group, it is the sub-group that runs.
template <unsigned Size> class tile : public sycl::sub_group {
public:
  template <class G> explicit tile(const G &) : sub_group() {}
  bool any(bool p) const { return sycl::any_of_group(*this, p); }
  int from(int v, int lane) const { return sycl::select_from_group(*this, v, id_type(static_cast<size_t>(lane))); }
  int sum(int v) const { return sycl::reduce_over_group(*this, v, sycl::plus<>()); }
  int before(int v) const { return sycl::exclusive_scan_over_group(*this, v, sycl::plus<>()); }
  int turned(int v) const { return sycl::permute_group_by_xor(*this, v, 1); }
  void sync() const { sycl::group_barrier(*this); }
};

struct whole : sycl::group<1> {
  whole(const sycl::group<1> &g) : sycl::group<1>(g) {}
};

namespace sycl::detail {
template <unsigned S> struct is_sub_group<::tile<S>> : std::true_type {};
namespace spirv {
template <typename Group> struct group_scope;
template <unsigned S> struct group_scope<::tile<S>> {
  static constexpr __spv::Scope::Flag value = __spv::Scope::Flag::Subgroup;
};
} // namespace spirv
} // namespace sycl::detail

static_assert(sycl::is_group_v<tile<32>> && sycl::is_group_v<whole> && !sycl::is_group_v<int> && !sycl::is_group_v<void>);

int main() {
  sycl::queue q;
  constexpr int count = 128;
  int *out = sycl::malloc_shared<int>(count * 6, q);
  q.parallel_for(sycl::nd_range<1>(count, 64), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(32)]] {
     const tile<32> t(it.get_group());
     const whole g(it.get_group());
     const int i = static_cast<int>(it.get_global_id(0)), lane = i % 32;
     int *r = out + i * 6;
     r[0] = t.any(lane == 5);
     r[1] = t.from(i, 7);
     r[2] = t.sum(i);
     r[3] = t.before(1);
     r[4] = t.turned(i);
     t.sync();
     r[5] = sycl::reduce_over_group(g, i, sycl::plus<>());
     sycl::group_barrier(g);
   }).wait();
  for (int i = 0; i < count; ++i) {
    const int first = i / 32 * 32, *r = out + i * 6, begin = i / 64 * 64;
    CHECK(r[0] == 1);
    CHECK(r[1] == first + 7);
    CHECK(r[2] == first * 32 + 31 * 16);
    CHECK(r[3] == i % 32);
    CHECK(r[4] == (i ^ 1));
    CHECK(r[5] == begin * 64 + 63 * 32);
  }
  std::puts(failures ? "failed" : "ok");
  return failures != 0;
}
