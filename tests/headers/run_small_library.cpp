//! Small things: what kernels call of <cstring>, <cstdlib>, <bitset> and <variant>, numbers of 16 bits in streams of characters, and
//! extensions of one function or class. Exit status 0: all right.
#include "check.hpp"

#include <bitset>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <memory>
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/throttled_wait.hpp>
#include <variant>

namespace ex = sycl::ext::oneapi::experimental;
using bfloat16 = sycl::ext::oneapi::bfloat16;

static void searches(sycl::queue &q) {
  char *const text = sycl::malloc_shared<char>(32, q), *const copy = sycl::malloc_shared<char>(32, q);
  long *const at = sycl::malloc_shared<long>(16, q);
  std::strcpy(text, "hello, world");
  q.single_task([=] {
     const char *const constant = text;
     at[0] = std::strchr(text, 'l') - text;
     at[1] = std::strrchr(constant, 'o') - constant;
     at[2] = std::strchr(text, '\0') - text;
     at[3] = std::strchr(constant, 'z') == nullptr && std::strrchr(text, 'z') == nullptr;
     at[4] = std::strstr(text, "wor") - text;
     at[5] = std::strstr(text, "worm") == nullptr;
     at[6] = std::strstr(text, "") == text;
     at[7] = static_cast<char *>(std::memchr(text, 'w', 8)) - text;
     at[8] = std::memchr(text, 'w', 7) == nullptr;
     std::strcpy(copy, text + 7);
     std::strcat(copy, "!");
     at[9] = static_cast<long>(std::strlen(copy));
     std::strncpy(copy + 8, "abcdef", 3);
   }).wait();
  for (const auto &[n, expected] : {std::pair<int, long>{0, 2}, {1, 8}, {2, 12}, {3, 1}, {4, 7}, {5, 1}, {6, 1}, {7, 7}, {8, 1}, {9, 6}})
    CHECK(at[n] == expected);
  CHECK(std::strcmp(copy, "world!") == 0 && std::strncmp(copy + 8, "abc", 3) == 0);
  sycl::free(text, q);
  sycl::free(copy, q);
  sycl::free(at, q);
}

static void values(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(24, q);
  const int seven = static_cast<int>(std::strlen("seven!!"));
  const std::variant<int, float> either = seven < 0 ? std::variant<int, float>(seven) : 2.5f;
  q.single_task([=] {
     const std::div_t d = std::div(-seven, 2);
     out[0] = d.quot, out[1] = d.rem;
     const std::ldiv_t l = std::ldiv(17l, 5l);
     out[2] = static_cast<int>(l.quot), out[3] = static_cast<int>(l.rem);
     out[4] = static_cast<int>(std::lldiv(1ll << 40, 1ll << 38).quot), out[5] = static_cast<int>(std::div(9l, 4l).rem);

     std::bitset<70> bits;
     bits[3] = bits[static_cast<size_t>(seven) + 60] = true;
     bits <<= 1;
     out[6] = static_cast<int>(bits.count()), out[7] = bits[4] && bits[68] && !bits[3], out[8] = static_cast<int>((~bits).count());
     out[9] = bits.any() && !bits.all(), out[10] = static_cast<int>(std::bitset<8>(0xa5).to_ulong());

     std::variant<int, float> own = either;
     const auto twice = [](auto x) { return static_cast<int>(x * 2); };
     out[11] = std::visit(twice, own);
     own = 4;
     out[12] = std::visit(twice, own) + std::get<0>(own);
     const float *const other = std::get_if<1>(&own);
     out[13] = other == nullptr && std::holds_alternative<int>(own);
   }).wait();
  int n = 0;
  for (int expected : {-3, -1, 3, 2, 4, 1, 2, 1, 68, 1, 0xa5, 5, 12, 1}) {
    CHECK(out[n] == expected);
    ++n;
  }
  sycl::free(out, q);
}

static void short_numbers() {
  std::istringstream in("1.5 -2 0.1 7 x");
  sycl::half h, i;
  bfloat16 b, c;
  in >> h >> b >> i >> c;
  CHECK(h == 1.5f && b == bfloat16(-2.0f) && i == sycl::half(0.1f) && c == bfloat16(7.0f) && in);
  CHECK(!(in >> h) && h == 0.0f); // as with float
  std::ostringstream out;
  out << sycl::half(2.25f) << ' ' << b << ' ' << c << '|';
  CHECK(out.str() == "2.25 -2 7|");
}

static_assert(SYCL_EXT_ONEAPI_TERNARY_BITWISE == 1 && SYCL_EXT_ONEAPI_USM_RAII == 1 && SYCL_EXT_ONEAPI_THROTTLED_WAIT == 1);
template <std::uint8_t... I> constexpr bool is_as_its_index(std::integer_sequence<std::uint8_t, I...>) {
  return ((ex::ternary_bitwise<I, std::uint8_t>(0xaa, 0xcc, 0xf0) == I) && ...);
}
static_assert(is_as_its_index(std::make_integer_sequence<std::uint8_t, 255>()) && ex::ternary_bitwise<255>(1, 2, 3) == -1);

static void small_extensions(sycl::queue &q) {
  std::unique_ptr<sycl::int4, ex::usm_deleter> v{sycl::malloc_shared<sycl::int4>(1, q), {q}};
  const std::shared_ptr<sycl::marray<long, 2>> m(sycl::malloc_shared<sycl::marray<long, 2>>(1, q), ex::usm_deleter(q.get_context()));
  sycl::event done = q.single_task([v = v.get(), m = m.get()] {
    *v = ex::ternary_bitwise<(0xaa & 0xcc) ^ 0xf0>(sycl::int4(7, 6, 5, 4), sycl::int4(3), sycl::int4(8, 0, 8, 1));
    *m = ex::ternary_bitwise<0xaa | 0xcc | 0xf0>(sycl::marray<long, 2>(1, 2), sycl::marray<long, 2>(4), sycl::marray<long, 2>(0, 16));
  });
  ex::ext_oneapi_throttled_wait(done, std::chrono::microseconds(100));
  CHECK(v->x() == 11 && v->y() == 2 && v->z() == 9 && v->w() == 1 && (*m)[0] == 5 && (*m)[1] == 22);
  std::vector<sycl::event> all{q.single_task([] {}), done};
  ex::ext_oneapi_throttled_wait_and_throw(all, std::chrono::milliseconds(1));
  ex::ext_oneapi_throttled_wait_and_throw(done, std::chrono::milliseconds(1));
}

int main() {
  sycl::queue q;
  searches(q);
  values(q);
  short_numbers();
  small_extensions(q);
  // Into a kernel's stream.
  q.submit([](sycl::handler &h) {
     const sycl::stream to(256, 64, h);
     h.single_task([=] { to << "bfloat16 " << bfloat16(1.5f) << ' ' << true << sycl::endl; });
   }).wait();
  return failures != 0;
}
