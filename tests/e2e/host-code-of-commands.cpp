// What the host needs of a command is compiled once a unit: programs with hundreds of kernels were compiled for a minute, nearly all of it
// the same code for each place that submits one. It shows by size, whatever the machine is busy with: 50 commands took 126 KB of code.
//
//# run: aspen++ -O2 -fsycl-host-only -c host-code-of-commands.cpp -o few.o
//# run: aspen++ -O2 -fsycl-host-only -DMORE -c host-code-of-commands.cpp -o many.o
//# sh: few=$(llvm-size-22 few.o | awk 'NR == 2 { print $1 }'); many=$(llvm-size-22 many.o | awk 'NR == 2 { print $1 }'); echo $(((many - few) / 50)); test $(((many - few) / 50)) -lt 1000
#include <sycl/sycl.hpp>

template <int N> void submit(sycl::queue &q, sycl::buffer<int> &b) {
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(sycl::range<1>(4), [=](sycl::item<1> i) { a[i] += N; });
  });
}

template <int... N> void all(sycl::queue &q, sycl::buffer<int> &b, std::integer_sequence<int, N...>) { (submit<N>(q, b), ...); }

int main() {
  sycl::queue q;
  sycl::buffer<int> b(4);
#ifdef MORE
  all(q, b, std::make_integer_sequence<int, 60>());
#else
  all(q, b, std::make_integer_sequence<int, 10>());
#endif
}
