//! Headers behind `using namespace std;`, as headers of ported programs write it before they include these: what `std` and a namespace here
//! both have (`type_identity_t`, since C++20) must not be named so that both are found.
#include <bit>
#include <complex>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
using namespace std;

#include <dpct/dpct.hpp>
#include <sycl/sycl.hpp>
#include <syclcompat/syclcompat.hpp>

int added(int *to) { return dpct::atomic_fetch_add<int, sycl::access::address_space::generic_space>(to, 1); }
