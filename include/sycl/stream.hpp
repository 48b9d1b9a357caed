//! `sycl::stream`: text from kernels, printed on the standard output when the command is complete. Source: SYCL 2020 §4.16.
//!
//! The first `<<` of a statement makes a `detail::statement`, which gathers the text and puts it behind that of others when it ends, so
//! texts of work-items are not mixed (beyond some hundred characters they may be). It becomes the stream it is of again where a program
//! wants one, as in `const stream &operator<<(const stream &, const T &)` of its own. What does not fit the stream is left out.
//! Manipulators count until the end of their statement. Nothing here needs double but the printing of a double.
#pragma once
#include <sycl/atomic_ref.hpp>
#include <sycl/detail/decimal.hpp>
#include <sycl/half.hpp>
#include <sycl/handler.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/vec.hpp>

namespace sycl {

enum class stream_manipulator {
  flush, dec, hex, oct, noshowbase, showbase, noshowpos, showpos, endl, fixed, scientific, hexfloat, defaultfloat
};
inline constexpr stream_manipulator flush = stream_manipulator::flush;
inline constexpr stream_manipulator dec = stream_manipulator::dec;
inline constexpr stream_manipulator hex = stream_manipulator::hex;
inline constexpr stream_manipulator oct = stream_manipulator::oct;
inline constexpr stream_manipulator noshowbase = stream_manipulator::noshowbase;
inline constexpr stream_manipulator showbase = stream_manipulator::showbase;
inline constexpr stream_manipulator noshowpos = stream_manipulator::noshowpos;
inline constexpr stream_manipulator showpos = stream_manipulator::showpos;
inline constexpr stream_manipulator endl = stream_manipulator::endl;
inline constexpr stream_manipulator fixed = stream_manipulator::fixed;
inline constexpr stream_manipulator scientific = stream_manipulator::scientific;
inline constexpr stream_manipulator hexfloat = stream_manipulator::hexfloat;
inline constexpr stream_manipulator defaultfloat = stream_manipulator::defaultfloat;

class __precision_manipulator__ {
public:
  explicit __precision_manipulator__(int digits) : aspen_value(digits) {}
  int aspen_value;
};
class __width_manipulator__ {
public:
  explicit __width_manipulator__(int characters) : aspen_value(characters) {}
  int aspen_value;
};
/// Digits of the floating-point numbers that follow.
inline __precision_manipulator__ setprecision(int digits) { return __precision_manipulator__(digits); }
/// The least width of what is printed next.
inline __width_manipulator__ setw(int characters) { return __width_manipulator__(characters); }

namespace detail {
class statement;
template <class T> inline constexpr bool is_char_pointer = std::is_same_v<std::decay_t<T>, char *> || std::is_same_v<std::decay_t<T>, const char *>;
} // namespace detail

class stream {
public:
  /// `total`: the most characters of the whole command; `of_statement` those of a statement.
  stream(size_t total, size_t of_statement, handler &command, const property_list &properties = {})
      : memory_(static_cast<char *>(command.aspen_stream(total, &number_))), size_(total), of_statement_(of_statement) {
    (void)properties;
  }

  size_t size() const noexcept { return size_; }
  size_t get_work_item_buffer_size() const { return of_statement_; }
  /// Deprecated in SYCL 2020.
  size_t get_size() const { return size_; }
  size_t get_max_statement_size() const { return of_statement_; }
  /// A stream takes no property.
  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const { return property_list().get_property<P>(); }

  friend bool operator==(const stream &a, const stream &b) { return a.number_ == b.number_; }
#if __cplusplus < 202002L
  friend bool operator!=(const stream &a, const stream &b) { return !(a == b); }
#endif

  /// For the library: tells streams of the process apart.
  std::uint64_t aspen_number() const { return number_; }

private:
  friend class detail::statement;
  detail::statement *current_ = nullptr; // what goes on when an operator<< of the program's own gets the statement as its stream
  std::uint64_t number_ = 0;
  char *memory_; // the count of characters, then the characters
  size_t size_;
  size_t of_statement_;
};

namespace detail {

/// Not inlined: statements are long, and some drivers take minutes for what they are made of.
#define __ASPEN_APART [[clang::noinline]]

/// The text of one statement.
class statement {
public:
  /// Begins with `first`; goes on with the statement that `to` belongs to, if it does to one.
  template <class T> statement(const stream &to, const T &first) : to_(to), within_(to) {
    if (!within_.current_)
      within_.current_ = this;
    append(first);
  }
  statement(const statement &) = delete;
  statement &operator=(const statement &) = delete;
  ~statement() { send(); }

  template <class T> void append(const T &value) const { within_.current_->print(value); }
  /// The stream that goes on with this statement; lives as long.
  const stream &within() const { return within_; }
  /// What `operator<<` gives in SYCL 2020 §4.16.2: the stream it was called with. The text so far goes ahead of what is written there.
  operator const stream &() const {
    if (within_.current_ == this)
      within_.current_->send();
    return to_;
  }

private:
  /// Characters that are kept together.
  static constexpr unsigned room = 256;

  /// Puts the text behind that of other statements.
  __ASPEN_APART void send() {
    if (used_ == 0)
      return;
    write(0, used_);
    used_ = 0;
    ++sent_;
  }
  __ASPEN_APART void write(unsigned begin, unsigned length) {
    char *const memory = within_.memory_;
    const size_t size = within_.size_;
    const atomic_ref<std::uint32_t, memory_order::relaxed, memory_scope::device> count(*reinterpret_cast<std::uint32_t *>(memory));
    // Only then, so that the count does not run over.
    if (count.load() < size) {
      const size_t at = count.fetch_add(length);
      for (unsigned i = 0; i < length && at + i < size; ++i)
        memory[sizeof(std::uint32_t) + at + i] = text_[begin + i];
    }
  }
  /// Leaves what is to be padded.
  __ASPEN_APART void send_before() {
    if (begin_ == 0)
      return;
    write(0, begin_);
    used_ -= begin_;
    for (unsigned i = 0; i < used_; ++i)
      text_[i] = text_[begin_ + i];
    begin_ = 0;
  }
  void put(char c) {
    if (used_ == room)
      send_before();
    if (used_ == room)
      send();
    text_[used_++] = c;
  }
  __ASPEN_APART void put(const char *text) {
    for (; *text; ++text)
      put(*text);
  }

  /// Prints with the width that was asked for.
  template <class F> void padded(const F &f) {
    const unsigned sent = sent_;
    if (width_ != 0)
      begin_ = used_;
    f();
    if (width_ != 0)
      pad(sent);
    begin_ = 0;
  }
  __ASPEN_APART void pad(unsigned sent) {
    const unsigned width = std::exchange(width_, 0);
    const unsigned length = used_ - begin_;
    if (sent != sent_ || length >= width)
      return;
    unsigned more = width - length;
    if (used_ + more > room && length < room) {
      // What is before goes ahead, and so do spaces for which there is no room.
      send_before();
      text_[length] = ' ';
      for (; length + more > room; --more)
        write(length, 1);
    }
    for (unsigned i = length; i > 0; --i)
      text_[begin_ + more + i - 1] = text_[begin_ + i - 1];
    for (unsigned i = 0; i < more; ++i)
      text_[begin_ + i] = ' ';
    used_ += more;
  }

  template <class T> void print(const T &value) {
    if constexpr (std::is_same_v<T, char>)
      padded([&] { put(value); });
    else if constexpr (is_char_pointer<T>)
      padded([&] { put(static_cast<const char *>(value)); });
    else if constexpr (std::is_same_v<T, half>)
      padded([&] { floating(static_cast<float>(value)); });
    else if constexpr (std::is_floating_point_v<T>)
      padded([&] { floating(value); });
    else if constexpr (std::is_same_v<T, bool>)
      padded([&] { put(value ? "true" : "false"); }); // DPC++'s words; SYCL 2020 §4.16 names none
    else if constexpr (std::is_integral_v<T>)
      padded([&] { integer(value); });
    else if constexpr (std::is_pointer_v<T>)
      padded([&] { put("0x"), digits(reinterpret_cast<std::uintptr_t>(value), 16); });
    else
      parts(value);
  }

  void print(const stream_manipulator &how) {
    switch (how) {
    case stream_manipulator::endl:
      put('\n');
      return send();
    case stream_manipulator::flush:
      return send();
    case stream_manipulator::dec:
      return void(base_ = 10);
    case stream_manipulator::hex:
      return void(base_ = 16);
    case stream_manipulator::oct:
      return void(base_ = 8);
    case stream_manipulator::noshowbase:
      return void(show_base_ = false);
    case stream_manipulator::showbase:
      return void(show_base_ = true);
    case stream_manipulator::noshowpos:
      return void(show_plus_ = false);
    case stream_manipulator::showpos:
      return void(show_plus_ = true);
    case stream_manipulator::fixed:
    case stream_manipulator::scientific:
    case stream_manipulator::hexfloat:
    case stream_manipulator::defaultfloat:
      return void(form_ = how);
    }
  }
  void print(const __precision_manipulator__ &digits) { precision_ = digits.aspen_value < 0 ? 6 : digits.aspen_value; }
  void print(const __width_manipulator__ &width) { width_ = width.aspen_value < 0 ? 0 : unsigned(width.aspen_value); }

  template <class T, int N> void parts(const vec<T, N> &v) {
    for (int i = 0; i < N; ++i) {
      if (i > 0)
        put(", ");
      print(T(v[i]));
    }
  }
  template <class T, int N, int... I> void parts(const swizzled<vec<T, N>, I...> &v) { parts(vec<T, sizeof...(I)>(v)); }
  template <class T, int N, int... I> void parts(const swizzled<const vec<T, N>, I...> &v) { parts(vec<T, sizeof...(I)>(v)); }
  template <class T, access::address_space S, access::decorated D> void parts(const multi_ptr<T, S, D> &p) {
    print(static_cast<const void *>(p.get_raw()));
  }
  template <int D, class Numbers> void numbers(const Numbers &n) {
    put('{');
    for (int d = 0; d < D; ++d) {
      if (d > 0)
        put(", ");
      print(size_t(n[d]));
    }
    put('}');
  }
  template <int D> void parts(const id<D> &v) { numbers<D>(v); }
  template <int D> void parts(const range<D> &v) { numbers<D>(v); }
  template <int D, bool O> void parts(const item<D, O> &v) {
    put("item(range: "), parts(v.get_range()), put(", id: "), parts(v.get_id());
    if constexpr (O)
      put(", offset: "), parts(v.get_offset());
    put(')');
  }
  template <int D> void parts(const nd_item<D> &v) {
    put("nd_item(global_id: "), parts(v.get_global_id()), put(", local_id: "), parts(v.get_local_id()), put(')');
  }
  template <int D> void parts(const nd_range<D> &v) {
    put("nd_range(global_range: "), parts(v.get_global_range()), put(", local_range: "), parts(v.get_local_range());
    put(", offset: "), parts(v.get_offset()), put(')');
  }
  template <int D> void parts(const group<D> &v) {
    put("group(id: "), parts(v.get_group_id()), put(", local_range: "), parts(v.get_local_range());
    put(", group_range: "), parts(v.get_group_range()), put(')');
  }
  template <int D> void parts(const h_item<D> &v) {
    put("h_item(global: "), parts(v.get_global()), put(", local: "), parts(v.get_local()), put(')');
  }

  __ASPEN_APART void digits(std::uint64_t value, unsigned base) {
    char reversed[24];
    unsigned length = 0;
    do {
      const unsigned digit = unsigned(value % base);
      reversed[length++] = char(digit < 10 ? '0' + digit : 'a' + (digit - 10));
      value /= base;
    } while (value != 0);
    while (length > 0)
      put(reversed[--length]);
  }
  template <class T> void integer(T value) {
    whole(static_cast<std::uint64_t>(value), static_cast<std::make_unsigned_t<T>>(value), value < T(0));
  }
  /// `bits`: the number as one without a sign, for bases other than 10.
  __ASPEN_APART void whole(std::uint64_t value, std::uint64_t bits, bool negative) {
    if (base_ != 10) {
      if (show_base_ && bits != 0)
        put(base_ == 16 ? "0x" : "0");
      return digits(bits, base_);
    }
    if (negative)
      put('-');
    else if (show_plus_)
      put('+');
    digits(negative ? 0 - value : value, 10);
  }

  template <class T> __ASPEN_APART void floating(T value) {
    constexpr bool is_float = sizeof(T) == sizeof(float);
    constexpr int bits = is_float ? 23 : 52, largest = is_float ? 255 : 2047, bias = is_float ? 127 : 1023;
    using raw_type = std::conditional_t<is_float, std::uint32_t, std::uint64_t>;
    static_assert(sizeof(T) == sizeof(raw_type), "a stream prints half, float and double");
    const raw_type raw = __builtin_bit_cast(raw_type, value);
    const int exponent = int(raw >> bits) & largest;
    std::uint64_t fraction = raw & ((raw_type(1) << bits) - 1);
    if (raw >> (sizeof(T) * 8 - 1))
      put('-');
    else if (show_plus_)
      put('+');
    if (exponent == largest)
      return put(fraction ? "nan" : "inf");
    if (form_ == stream_manipulator::hexfloat) {
      put(exponent ? "0x1" : "0x0");
      // Whole hexadecimal digits.
      fraction <<= 63 - bits;
      if (fraction != 0)
        put('.');
      for (; fraction != 0; fraction = (fraction << 4) & ((std::uint64_t(1) << 63) - 1))
        digits(fraction >> 59, 16);
      return power('p', exponent ? exponent - bias : raw << 1 ? 1 - bias : 0, 1);
    }
    if (exponent != 0)
      fraction |= std::uint64_t(1) << bits;
    // Long enough for the smallest number times its power of five, and one more for rounding.
    decimal<is_float ? 15 : 90> number(fraction, (exponent ? exponent : 1) - bias - bits);
    if (form_ == stream_manipulator::fixed) {
      number.round(number.point() - precision_);
      return plain(number, precision_);
    }
    const bool general = form_ == stream_manipulator::defaultfloat;
    const int significant = general ? (precision_ > 0 ? precision_ : 1) : precision_ + 1;
    number.round(number.length() - significant);
    const int power_of_ten = number.length() - 1 - number.point();
    int behind = significant - 1;
    if (general && power_of_ten >= -4 && power_of_ten < significant) {
      behind -= power_of_ten;
      while (behind > 0 && number.digit(number.point() - behind) == 0)
        --behind;
      return plain(number, behind);
    }
    const int first = number.length() - 1;
    while (general && behind > 0 && number.digit(first - behind) == 0)
      --behind;
    put(char('0' + number.digit(first)));
    if (behind > 0)
      put('.');
    for (int i = 1; i <= behind; ++i)
      put(char('0' + number.digit(first - i)));
    power('e', power_of_ten, 2);
  }
  template <int Words> void plain(const decimal<Words> &number, int behind) {
    const int first = number.length() - 1 > number.point() ? number.length() - 1 : number.point();
    for (int at = first; at >= number.point() - behind; --at) {
      if (at == number.point() - 1)
        put('.');
      put(char('0' + number.digit(at)));
    }
  }
  void power(char letter, int value, int least) {
    put(letter);
    put(value < 0 ? '-' : '+');
    const unsigned positive = unsigned(value < 0 ? -value : value);
    if (least > 1 && positive < 10)
      put('0');
    digits(positive, 10);
  }

  const stream &to_;
  stream within_;
  unsigned used_ = 0;
  unsigned sent_ = 0; // how often
  unsigned begin_ = 0; // of what is to be padded
  unsigned width_ = 0;
  unsigned base_ = 10;
  int precision_ = 6;
  stream_manipulator form_ = stream_manipulator::defaultfloat;
  bool show_base_ = false;
  bool show_plus_ = false;
  char text_[room];
};

#undef __ASPEN_APART

/// Whether a stream prints it by itself.
template <class T> inline constexpr bool is_printed = std::is_arithmetic_v<T> || std::is_pointer_v<T>;
template <> inline constexpr bool is_printed<half> = true;
template <> inline constexpr bool is_printed<stream_manipulator> = true;
template <> inline constexpr bool is_printed<__precision_manipulator__> = true;
template <> inline constexpr bool is_printed<__width_manipulator__> = true;
template <class T, int N> inline constexpr bool is_printed<vec<T, N>> = true;
template <class V, int... I> inline constexpr bool is_printed<swizzled<V, I...>> = true;
template <class T, access::address_space S, access::decorated D> inline constexpr bool is_printed<multi_ptr<T, S, D>> = true;
template <int D> inline constexpr bool is_printed<id<D>> = true;
template <int D> inline constexpr bool is_printed<range<D>> = true;
template <int D, bool O> inline constexpr bool is_printed<item<D, O>> = true;
template <int D> inline constexpr bool is_printed<nd_item<D>> = true;
template <int D> inline constexpr bool is_printed<nd_range<D>> = true;
template <int D> inline constexpr bool is_printed<group<D>> = true;
template <int D> inline constexpr bool is_printed<h_item<D>> = true;

} // namespace detail

template <class T, std::enable_if_t<detail::is_printed<std::decay_t<const T>>, int> = 0>
detail::statement operator<<(const stream &to, const T &value) {
  if constexpr (std::is_volatile_v<T>)
    return detail::statement(to, std::decay_t<const T>(value));
  else
    return detail::statement(to, static_cast<const std::decay_t<const T> &>(value));
}
namespace detail {
template <class T, std::enable_if_t<is_printed<std::decay_t<const T>>, int> = 0>
const statement &operator<<(const statement &to, const T &value) {
  if constexpr (std::is_volatile_v<T>)
    to.append(std::decay_t<const T>(value));
  else
    to.append(static_cast<const std::decay_t<const T> &>(value));
  return to;
}
/// A program's own operator for a stream, in the midst of a statement.
template <class T, std::enable_if_t<!is_printed<std::decay_t<const T>>, int> = 0>
auto operator<<(const statement &to, const T &value) -> decltype(void(std::declval<const stream &>() << value), std::declval<const statement &>()) {
  to.within() << value;
  return to;
}
} // namespace detail

} // namespace sycl

template <> struct std::hash<sycl::stream> {
  std::size_t operator()(const sycl::stream &s) const noexcept { return static_cast<std::size_t>(s.aspen_number()); }
};
