// Explicit copies and fills write through accessors that were made to write, and read through those that were made to read: an error each, at the
// command's line. `select` takes integers of the elements' size.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 {self}
//# exit: 1
//# count: 7 stderr error:
//# stderr~: copies-of-wrong-modes\.cpp:20:7: error: .*the accessor that is copied to was made to read
//# stderr~: copies-of-wrong-modes\.cpp:21:7: error: .*the accessor that is filled was made to read
//# stderr~: copies-of-wrong-modes\.cpp:22:7: error: .*the accessor that is copied from was made to write
//# stderr~: copies-of-wrong-modes\.cpp:23:7: error: .*the accessor that is copied to was made to read
//# stderr~: copies-of-wrong-modes\.cpp:24:7: error: .*the accessor that is copied from was made to write
//# stderr~: copies-of-wrong-modes\.cpp:29:\d+: error: no matching function for call to 'select'
//# stderr~: copies-of-wrong-modes\.cpp:30:\d+: error: no matching function for call to 'select'
#include <sycl/sycl.hpp>

void copies(sycl::queue &q, sycl::buffer<int> &b, float *f, int *i) {
  q.submit([&](sycl::handler &h) {
    sycl::accessor reads(b, h, sycl::read_only);
    sycl::accessor writes(b, h, sycl::write_only);
    sycl::accessor both(b, h);
    h.copy(i, reads);
    h.fill(reads, 1);
    h.copy(writes, f);
    h.copy(both, reads);
    h.copy(writes, both);
  });
}

void choices(sycl::vec<float, 2> f) {
  (void)sycl::select(f, f, f);
  (void)sycl::select(f, f, sycl::vec<short, 2>(-1));
  (void)sycl::select(f, f, sycl::vec<unsigned, 2>(1) == sycl::vec<unsigned, 2>(1));
  (void)sycl::select(sycl::marray<double, 2>(1), sycl::marray<double, 2>(2), sycl::marray<bool, 2>(true));
  (void)sycl::select(sycl::vec<bool, 2>(1), sycl::vec<bool, 2>(0), sycl::vec<unsigned char, 2>(1));
}
