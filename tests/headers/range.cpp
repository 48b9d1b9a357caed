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

// Nothing here throws, and says so since revision 11 of SYCL 2020.
template <class I> constexpr bool throws_nothing([[maybe_unused]] I a, [[maybe_unused]] I b) {
  [[maybe_unused]] const I &c = a;
#define OF_TWO(op) static_assert(noexcept(a op b) && noexcept(a op 1) && noexcept('\2' op a) && std::is_same_v<decltype(a op b), I>);
  OF_TWO(+) OF_TWO(-) OF_TWO(*) OF_TWO(/) OF_TWO(%) OF_TWO(<<) OF_TWO(>>) OF_TWO(&) OF_TWO(|) OF_TWO(^)
  OF_TWO(&&) OF_TWO(||) OF_TWO(<) OF_TWO(>) OF_TWO(<=) OF_TWO(>=)
#undef OF_TWO
#define TO_ONE(op) static_assert(noexcept(a op b) && noexcept(a op 1) && std::is_same_v<decltype(a op 1), I &>);
  TO_ONE(+=) TO_ONE(-=) TO_ONE(*=) TO_ONE(/=) TO_ONE(%=) TO_ONE(<<=) TO_ONE(>>=) TO_ONE(&=) TO_ONE(|=) TO_ONE(^=)
#undef TO_ONE
  static_assert(noexcept(+a) && noexcept(-a) && noexcept(++a) && noexcept(--a) && noexcept(a++) && noexcept(a--));
  static_assert(noexcept(a[0]) && noexcept(c[0]) && noexcept(a.get(0)) && noexcept(a == b) && noexcept(a != 1));
  return std::is_nothrow_default_constructible_v<I>;
}
static_assert(throws_nothing(id<1>(), id<1>()) && throws_nothing(id<3>(), id<3>()) && throws_nothing(range<2>(), range<2>()));
static_assert(std::is_nothrow_constructible_v<range<3>, size_t, size_t, size_t> && std::is_nothrow_constructible_v<id<1>, size_t> &&
              std::is_nothrow_constructible_v<id<2>, range<2>> && std::is_nothrow_constructible_v<nd_range<2>, range<2>, range<2>, id<2>>);
static_assert(noexcept(range<2>().size()) && noexcept(size_t(id<1>())) && noexcept(nd_range<1>().get_global_range()) &&
              noexcept(nd_range<1>().get_local_range()) && noexcept(nd_range<1>().get_group_range()) && noexcept(nd_range<1>().get_offset()));
