// sycl::stream: what each type and manipulator prints, statements of work-items in one piece, and text that does not fit. The program
// reads its own standard output back, and compares numbers with what printf says.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <sycl/sycl.hpp>
#include <unistd.h>
#include <vector>

static int wrong = 0;

/// What a command prints.
template <class F> static std::string printed(sycl::queue &q, size_t size, const F &command) {
  std::fflush(stdout);
  char name[] = "/tmp/aspen-stream-XXXXXX";
  const int file = mkstemp(name), before = dup(1);
  dup2(file, 1);
  q.submit([&](sycl::handler &h) {
     sycl::stream out(size, 80, h);
     command(h, out);
   }).wait();
  dup2(before, 1);
  close(before);
  std::string text(size_t(lseek(file, 0, SEEK_END)), ' ');
  if (pread(file, text.data(), text.size(), 0) != ssize_t(text.size()))
    ++wrong;
  close(file);
  unlink(name);
  return text;
}

static void expect(const char *what, const std::string &said, const std::string &wanted) {
  if (said == wanted)
    return;
  ++wrong;
  std::fprintf(stderr, "wrong: %s: '%s', not '%s'\n", what, said.c_str(), wanted.c_str());
}

struct point {
  int x, y;
};
/// A program's own: several statements inside another one.
static const sycl::stream &operator<<(const sycl::stream &out, const point &p) {
  out << '<' << p.x;
  out << '|' << p.y << '>';
  return out;
}

/// As SYCL 2020 §4.16.2 types the operator: what `<<` gives is the stream that went in.
struct segment {
  point from, to;
};
static const sycl::stream &operator<<(const sycl::stream &out, const segment &s) { return out << s.from << " to " << s.to << ';'; }
/// Takes no template argument from a statement, only a stream.
template <class T> struct boxed {
  T value;
};
template <class T> static const sycl::stream &operator<<(const sycl::stream &out, const boxed<T> &b) { return out << sycl::hex << b.value; }
enum colour { red, green };
static const sycl::stream &operator<<(const sycl::stream &out, colour c) { return out << (c == red ? "red" : "green"); }
static void tells(const sycl::stream &out) { out << "told"; }

static void words(sycl::queue &q) {
  const std::string said = printed(q, 2000, [](sycl::handler &h, sycl::stream out) {
    h.single_task<class of_words>([=] {
      out << "text " << 'c' << ' ' << 1 << ' ' << -2L << ' ' << 3ull << ' ' << true << ' ' << (signed char)(-5) << sycl::endl;
      out << (short)-7 << ' ' << std::numeric_limits<long long>::min() << ' ' << std::numeric_limits<unsigned long long>::max() << '\n';
      out << sycl::hex << 255 << ' ' << sycl::showbase << 255u << ' ' << -1 << ' ' << 0 << sycl::oct << ' ' << 8 << sycl::dec << ' ' << 8
          << sycl::noshowbase << sycl::hex << ' ' << (unsigned char)200 << '\n';
      out << sycl::showpos << 5 << ' ' << -5 << sycl::noshowpos << ' ' << 5 << sycl::flush;
      out << '[' << sycl::setw(5) << 42 << "][" << sycl::setw(3) << "abcd" << "][" << sycl::setw(4) << 'x' << "][" << 1 << "]\n";
      out << sycl::vec<int, 4>(1, 2, 3, 4) << ' ' << sycl::id<2>(3, 4) << ' ' << sycl::range<3>(5, 6, 7) << ' '
          << sycl::nd_range<1>(8, 4) << '\n';
      const sycl::float4 letters(1, 2.5f, 3, 4);
      out << letters.odd() << ' ' << letters.swizzle<2>() << ' ' << sycl::int2(7, 8).swizzle<1, 0, 1>() << '\n';
      out << "a " << point{1, 2} << " b " << point{3, 4} << '\n';
      out << segment{{5, 6}, {7, 8}} << " first " << segment{{1, 2}, {3, 4}} << " inner " << boxed<int>{255} << ' ' << green << '\n';
      const sycl::stream &same = out << "kept ";
      same << 1 << ' ' << (&same == &out);
      tells(out << ' ');
      out << sycl::ext::oneapi::bfloat16(1.5f) << " bfloat16 " << sycl::ext::oneapi::bfloat16(-2.0f) << ' ';
      sycl::stream(out << ' ') << red << '\n';
      out << "pointer " << static_cast<void *>(nullptr) << ' ' << reinterpret_cast<int *>(0xABC) << '\n';
      const char array[] = "array";
      volatile int changing = 6; // others may write it
      out << array << ' ' << changing << '\n' << sycl::flush;
      out << changing << '\n';
    });
  });
  expect("words", said,
         "text c 1 -2 3 true -5\n-7 -9223372036854775808 18446744073709551615\nff 0xff 0xffffffff 0 010 8 c8\n"
         "+5 -5 5[   42][abcd][   x][1]\n"
         "1, 2, 3, 4 {3, 4} {5, 6, 7} nd_range(global_range: {8}, local_range: {4}, offset: {0})\n2.5, 4 3 8, 7, 8\n"
         "a <1|2> b <3|4>\n<5|6> to <7|8>; first <1|2> to <3|4>; inner ff green\nkept 1 true told1.5 bfloat16 -2  red\npointer 0x0 0xabc\narray 6\n6\n");
}

/// The same as printf, which has other words for the manipulators.
template <class T> static void numbers(sycl::queue &q, const char *of) {
  using limits = std::numeric_limits<T>;
  const std::vector<T> values = {T(0), -T(0), T(1), T(-1.5), T(0.1), T(123456), T(1234567), T(0.0001), T(0.00001234), T(2.5), T(3.5), T(0.5),
                                 T(9.9999995), T(99999.95), T(1e10), T(1) / 3, limits::max(), limits::min(), limits::denorm_min(),
                                 limits::infinity(), -limits::infinity(), T(8388609), T(0.000099999999), T(5e-324 > 0 ? 1e-20 : 0)};
  const int count = int(values.size());
  const T *from = values.data();
  T *at = sycl::malloc_shared<T>(values.size(), q);
  for (int i = 0; i < count; ++i)
    at[i] = from[i];
  const std::string said = printed(q, 1 << 16, [=](sycl::handler &h, sycl::stream out) {
    h.single_task([=] {
      for (int i = 0; i < count; ++i) {
        const T v = at[i];
        out << v << ' ' << sycl::setprecision(3) << v << ' ' << sycl::scientific << v << ' ' << sycl::fixed << sycl::setprecision(2) << v << '\n';
        out << sycl::setprecision(17) << v << ' ' << sycl::setprecision(0) << v << ' ' << sycl::fixed << v << ' ' << sycl::scientific << v << '\n';
      }
      out << sycl::hexfloat << at[3] << ' ' << at[0] << '\n';
    });
  });
  sycl::free(at, q);
  std::string wanted;
  for (const T v : values) {
    char line[2000];
    const double d = double(v);
    std::snprintf(line, sizeof line, "%g %.3g %.3e %.2f\n%.17g %.0g %.0f %.0e\n", d, d, d, d, d, d, d, d);
    wanted += line;
  }
  expect(of, said, wanted + "-0x1.8p+0 0x0p+0\n");
}

static void items(sycl::queue &q) {
  // Every line in one piece, whatever the order.
  const std::string said = printed(q, 1 << 18, [](sycl::handler &h, sycl::stream out) {
    h.parallel_for<class of_lines>(sycl::range<1>(1000), [=](sycl::id<1> i) { out << "line " << i[0] << " and " << i[0] * 3 << sycl::endl; });
  });
  std::vector<int> seen(1000);
  for (size_t at = 0; at < said.size();) {
    unsigned first = 0, second = 0;
    int length = 0;
    if (std::sscanf(said.c_str() + at, "line %u and %u\n%n", &first, &second, &length) != 2 || first >= 1000 || second != 3 * first) {
      expect("lines", said.substr(at, 40), "a whole line");
      break;
    }
    ++seen[first];
    at += size_t(length);
  }
  for (const int n : seen)
    if (n != 1)
      return expect("every work-item's line", std::to_string(n), "once");

  const std::string shapes = printed(q, 4000, [](sycl::handler &h, sycl::stream out) {
    h.parallel_for<class of_shapes>(sycl::nd_range<2>({2, 2}, {1, 2}), [=](sycl::nd_item<2> i) {
      if (i.get_global_linear_id() == 3)
        out << i << ' ' << i.get_group() << '\n';
    });
  });
  expect("shapes", shapes, "nd_item(global_id: {1, 1}, local_id: {0, 1}) group(id: {1, 0}, local_range: {1, 2}, group_range: {2, 1})\n");
  const std::string item = printed(q, 4000, [](sycl::handler &h, sycl::stream out) {
    h.parallel_for<class of_items>(sycl::range<1>(2), [=](sycl::item<1, false> i) {
      if (i[0] == 1)
        out << i << '\n';
    });
  });
  expect("items", item, "item(range: {2}, id: {1})\n");
}

static void limits(sycl::queue &q) {
  const std::string cut = printed(q, 10, [](sycl::handler &h, sycl::stream out) {
    h.single_task<class of_too_much>([=] {
      for (int i = 0; i < 3; ++i)
        out << "123456" << sycl::flush;
    });
  });
  expect("what does not fit is left out", cut, "1234561234");
  expect("a stream of nothing", printed(q, 0, [](sycl::handler &h, sycl::stream out) { h.single_task<class of_zero>([=] { out << 1; }); }), "");
  std::string wanted;
  for (int i = 0; i < 100; ++i)
    wanted += "0123456789";
  const std::string length = printed(q, 5000, [](sycl::handler &h, sycl::stream out) {
    h.single_task<class of_long_statement>([=] {
      const auto &all = out << "";
      for (int i = 0; i < 100; ++i)
        all << "0123456789";
    });
  });
  expect("a long statement", length, wanted);
}

/// Two streams of one command, and facts of a stream on the host.
static void facts(sycl::queue &q) {
  q.submit([&](sycl::handler &h) {
    sycl::stream a(100, 20, h), b(100, 20, h), c = a;
    if (!(a == c) || a == b || a.size() != 100 || a.get_work_item_buffer_size() != 20 || std::hash<sycl::stream>()(a) != std::hash<sycl::stream>()(c))
      expect("facts", "other", "these");
    h.single_task<class of_two>([=] { a << "", b << ""; });
  }).wait();
}

int main() {
  sycl::queue q;
  words(q);
  numbers<float>(q, "float");
  if (q.get_device().has(sycl::aspect::fp64))
    numbers<double>(q, "double");
  items(q);
  limits(q);
  facts(q);
  if (!wrong)
    std::puts("ok");
  return wrong != 0;
}
