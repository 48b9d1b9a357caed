//! What the programs of this folder check with: a failed check is a line on stdout, and counts. `main` returns `failures != 0`.
//! The whole header, so that the suite has it precompiled once for all programs that begin with this one.
#pragma once
#include <cstdio>
#include <sycl/sycl.hpp>

inline int failures = 0;

#define CHECK(...)                                                                                                                         \
  do {                                                                                                                                     \
    if (!(__VA_ARGS__)) {                                                                                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                                                        \
      ++failures;                                                                                                                          \
    }                                                                                                                                      \
  } while (false)

/// Whether `f` throws an exception with that code.
template <class F> bool throws(sycl::errc code, F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    return e.code() == code;
  }
  return false;
}
