//! Functions of <cstring> that compare and count: `std::equal`, `operator==` of `std::array` and `std::string_view` come to them. Copies and
//! fills are instructions everywhere.
//!
//! Weak and of C linkage as in c_math.hpp. LLVM must not take their loops for calls of themselves.
#pragma once
#include <cstddef>
#include <cstring>

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_PTX__)
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
#endif
