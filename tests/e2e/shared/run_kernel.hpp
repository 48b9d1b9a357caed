//! Runs a kernel that gives a number and prints both, or why it is refused, in one line.
#pragma once
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>

inline void print_refusal(const sycl::exception &e) {
  std::string said = e.what();
  for (char &c : said)
    c = c == '\n' ? ' ' : c;
  std::puts(said.c_str());
}

template <typename Name, typename Kernel> void run(const char *name, Kernel kernel) {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  try {
    q.single_task<Name>([=] { *out = kernel(); }).wait();
    std::printf("%s %d\n", name, *out);
  } catch (const sycl::exception &e) {
    print_refusal(e);
  }
  sycl::free(out, q);
}
