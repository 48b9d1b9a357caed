//! multi_ptr: pointers with a name for their address space.
#include <sycl/accessor.hpp>
#include <sycl/multi_ptr.hpp>

using sycl::access::address_space;
static_assert(std::is_same_v<sycl::addrspace, address_space> && sycl::addrspace_generic == address_space::generic_space);
static_assert(std::is_trivially_copyable_v<sycl::global_ptr<int>> && sizeof(sycl::local_ptr<int>) == sizeof(int *));
static_assert(std::is_convertible_v<sycl::global_ptr<int>, sycl::global_ptr<const int>>);
static_assert(std::is_convertible_v<sycl::global_ptr<int>, sycl::generic_ptr<int>>);
static_assert(!std::is_convertible_v<sycl::global_ptr<int>, sycl::local_ptr<int>>);

// Arithmetic keeps the address space and the decoration.
using decorated = sycl::decorated_local_ptr<int>;
static_assert(std::is_same_v<decltype(decorated() + 1), decorated> && std::is_same_v<decltype(size_t(1) + decorated()), decorated>);
static_assert(std::is_same_v<decltype(decorated() - 1), decorated> && std::is_same_v<decltype(decorated() - decorated()), std::ptrdiff_t>);
static_assert(std::is_same_v<decltype(decorated()[size_t(0)]), int &>);
static_assert(decorated() == nullptr && nullptr == decorated() && !(decorated() < nullptr) && decorated() <= decorated());
static_assert(std::is_same_v<std::iterator_traits<decorated>::reference, int &>);

// What converts by itself, what on request, and what not at all.
template <class From, class To> inline constexpr bool only_explicit = std::is_constructible_v<To, From> && !std::is_convertible_v<From, To>;
static_assert(std::is_convertible_v<sycl::global_ptr<int>, sycl::global_ptr<void>>);
static_assert(std::is_convertible_v<sycl::decorated_global_ptr<int>, sycl::raw_global_ptr<const void>>);
static_assert(only_explicit<sycl::global_ptr<void>, sycl::global_ptr<int>> && only_explicit<sycl::generic_ptr<int>, sycl::local_ptr<const int>>);
static_assert(!std::is_constructible_v<sycl::raw_global_ptr<int>, sycl::raw_global_ptr<const int>>);
static_assert(!std::is_constructible_v<sycl::decorated_global_ptr<int>, sycl::decorated_global_ptr<const int>>);
static_assert(!std::is_constructible_v<sycl::raw_global_ptr<int>, sycl::global_ptr<const int>>);
// SYCL 1.2.1's only: its accessors that read gave pointers to what is not const.
static_assert(std::is_convertible_v<sycl::global_ptr<const int>, sycl::global_ptr<int>> && std::is_convertible_v<sycl::global_ptr<const int>, int *>);
static_assert(!std::is_convertible_v<sycl::raw_global_ptr<const int>, int *> && !std::is_convertible_v<sycl::global_ptr<const int>, char *>);
static_assert(!std::is_constructible_v<sycl::global_ptr<int>, sycl::global_ptr<const void>>);
static_assert(!std::is_constructible_v<sycl::global_ptr<int>, sycl::local_ptr<int>>);

// From accessors.
using writes = sycl::accessor<int, 2, sycl::access_mode::read_write>;
using looks = sycl::accessor<int, 2, sycl::access_mode::read>;
static_assert(std::is_same_v<decltype(sycl::multi_ptr(std::declval<writes>())), sycl::raw_global_ptr<int>>);
static_assert(std::is_same_v<decltype(sycl::multi_ptr(std::declval<looks>())), sycl::raw_global_ptr<const int>>);
static_assert(std::is_same_v<decltype(sycl::multi_ptr(std::declval<sycl::local_accessor<int>>())), sycl::raw_local_ptr<int>>);
static_assert(std::is_constructible_v<sycl::generic_ptr<void>, writes> && std::is_constructible_v<sycl::raw_local_ptr<int>, sycl::local_accessor<int, 3>>);
static_assert(only_explicit<looks, sycl::global_ptr<int>> && only_explicit<looks, sycl::decorated_global_ptr<int>>);
static_assert(!std::is_constructible_v<sycl::global_ptr<float>, looks> && !std::is_constructible_v<sycl::local_ptr<int>, writes>);

static_assert(std::is_same_v<decltype(sycl::make_ptr<int, address_space::local_space>((int *)nullptr)),
                             sycl::multi_ptr<int, address_space::local_space, sycl::access::decorated::legacy>>);

int reads(int *p) {
  auto g = sycl::address_space_cast<address_space::global_space>(p);
  ++g;
  return g[1] + *g + *g.get_raw();
}
