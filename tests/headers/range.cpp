//! range, id, nd_range: construction, conversions, arithmetic.
#include <sycl/range.hpp>

using sycl::id;
using sycl::nd_range;
using sycl::range;

static_assert(std::is_trivially_copyable_v<id<3>> && std::is_trivially_copyable_v<range<3>> && std::is_trivially_copyable_v<nd_range<3>>);
static_assert(sizeof(id<1>) == sizeof(size_t) && sizeof(range<3>) == 3 * sizeof(size_t));
static_assert(std::is_convertible_v<int, range<1>> && std::is_convertible_v<id<1>, size_t> && !std::is_convertible_v<id<2>, size_t>);
static_assert(std::is_same_v<decltype(range(1, 2)), range<2>> && std::is_same_v<decltype(id(1, 2, 3)), id<3>>);
static_assert(range<3>(2, 3, 4).size() == 24);
static_assert(id<2>(1, 2) + id<2>(3, 4) == id<2>(4, 6) && id<2>(1, 2) * 2 == id<2>(2, 4) && 10 - id<2>(1, 2) == id<2>(9, 8));
static_assert(id<2>(1, 2) + range<2>(1, 1) == id<2>(2, 3));
static_assert(id<1>(3) == 3 && 3 == id<1>(3) && id<1>(3) != 4 && id<1>(3) < 4 && id<1>(3) + 1 == 4);
// With floating point an id is its number, as an item is; programs write `i * 2.0f`.
static_assert(id<1>(3) * 2.0f == 6.0f && 0.5 * id<1>(3) == 1.5 && id<1>(3) < 3.5 && 2.5 != id<1>(3) && 1.0f / (id<1>(3) + 1) == 0.25f);
static_assert(std::is_same_v<decltype(id<1>() * 2.0f), float> && std::is_same_v<decltype(id<1>() - 1.0), double>);
enum places { first, second };
static_assert(id<1>(3) + second == 4 && second < id<1>(3) && id<2>(1, 2) * second == id<2>(1, 2) && id<1>(1) == second);
static_assert(nd_range<3>().get_global_range() == range<3>(0, 0, 0));
static_assert(nd_range<1>(64, 16).get_group_range() == range<1>(4));
static_assert(nd_range<2>({4, 8}, {2, 4}).get_local_range()[1] == 4);

constexpr id<2> changed() {
  id<2> i(1, 2);
  i += 1;
  ++i;
  i[0] = 7;
  return i;
}
static_assert(changed() == id<2>(7, 4));
int indexes_pointers(const int *p, id<1> i) { return p[i] + p[i + 1] + p[i % 2]; }
