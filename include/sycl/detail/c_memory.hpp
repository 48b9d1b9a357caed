//! Functions of <cstring> that compare, count and search: `std::equal`, `operator==` of `std::array` and `std::string_view` come to some of
//! them; copies and fills of memory are instructions everywhere. Of <cstdlib>, division with both results, and `abort`, which `std::visit`
//! names and never calls if no alternative's constructor can throw: it ends the kernel where a device can do that.
//!
//! Weak and of C linkage as in c_math.hpp. LLVM must not take their loops for calls of themselves. The searches have two forms in C++ that
//! are one function of C, whose name only a label can have.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
extern "C" __attribute__((weak, no_builtin)) int memcmp(const void *a, const void *b, size_t size) noexcept {
  const unsigned char *x = static_cast<const unsigned char *>(a), *y = static_cast<const unsigned char *>(b);
  for (size_t i = 0; i < size; ++i)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}
extern "C" __attribute__((weak, no_builtin)) size_t strlen(const char *text) noexcept {
  size_t length = 0;
  while (text[length] != 0)
    ++length;
  return length;
}
extern "C" __attribute__((weak, no_builtin)) int strncmp(const char *a, const char *b, size_t size) noexcept {
  for (size_t i = 0; i < size; ++i) {
    const unsigned char x = static_cast<unsigned char>(a[i]), y = static_cast<unsigned char>(b[i]);
    if (x != y)
      return x < y ? -1 : 1;
    if (x == 0)
      break;
  }
  return 0;
}
extern "C" __attribute__((weak, no_builtin)) int strcmp(const char *a, const char *b) noexcept { return strncmp(a, b, ~size_t(0)); }
extern "C" __attribute__((weak, no_builtin)) char *strcpy(char *__restrict to, const char *__restrict from) noexcept {
  for (size_t i = 0; (to[i] = from[i]) != 0; ++i)
    continue;
  return to;
}
extern "C" __attribute__((weak, no_builtin)) char *strncpy(char *__restrict to, const char *__restrict from, size_t size) noexcept {
  for (size_t i = 0, more = 1; i < size; ++i)
    more = (to[i] = more ? from[i] : '\0') != 0;
  return to;
}
extern "C" __attribute__((weak, no_builtin)) char *strcat(char *__restrict to, const char *__restrict from) noexcept {
  strcpy(to + strlen(to), from);
  return to;
}
#endif

#if defined(__SYCL_DEVICE_ONLY__)
#define __ASPEN_SEARCH(result, name, ...)                                                                                                 \
  extern "C" result *__aspen_##name(__VA_ARGS__) noexcept __asm__(#name);                                                                  \
  extern "C" __attribute__((weak, no_builtin)) result *__aspen_##name(__VA_ARGS__) noexcept
__ASPEN_SEARCH(void, memchr, const void *in, int wanted, size_t size) {
  const unsigned char *bytes = static_cast<const unsigned char *>(in);
  for (size_t i = 0; i < size; ++i)
    if (bytes[i] == static_cast<unsigned char>(wanted))
      return const_cast<unsigned char *>(bytes + i);
  return nullptr;
}
__ASPEN_SEARCH(char, strchr, const char *in, int wanted) {
  for (;; ++in) {
    if (*in == static_cast<char>(wanted))
      return const_cast<char *>(in);
    if (*in == 0)
      return nullptr;
  }
}
__ASPEN_SEARCH(char, strrchr, const char *in, int wanted) {
  const char *last = nullptr;
  for (;; ++in) {
    if (*in == static_cast<char>(wanted))
      last = in;
    if (*in == 0)
      return const_cast<char *>(last);
  }
}
__ASPEN_SEARCH(char, strstr, const char *in, const char *wanted) {
  for (;; ++in) {
    size_t same = 0;
    while (wanted[same] != 0 && in[same] == wanted[same])
      ++same;
    if (wanted[same] == 0)
      return const_cast<char *>(in);
    if (*in == 0)
      return nullptr;
  }
}
#undef __ASPEN_SEARCH

extern "C" __attribute__((weak)) div_t div(int a, int b) noexcept { return {a / b, a % b}; }
extern "C" __attribute__((weak)) ldiv_t ldiv(long a, long b) noexcept { return {a / b, a % b}; }
extern "C" __attribute__((weak)) lldiv_t lldiv(long long a, long long b) noexcept { return {a / b, a % b}; }
extern "C" __attribute__((weak, noreturn)) void abort() noexcept { __builtin_trap(); }
#endif
