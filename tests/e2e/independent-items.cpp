// Work-items of a range are known to be independent at every level, also where what they do is in functions that take pointers.
//# run: aspen++ -O3 -fsycl-targets=native_cpu -fsycl-device-only -S -emit-llvm {self} -o 3.ll
//# run: sh -c "grep -c 'store i32.*llvm.access.group' 3.ll"
//# stdout: 1
//# run: aspen++ -Ofast -w -fsycl-targets=native_cpu -fsycl-device-only -S -emit-llvm {self} -o fast.ll
//# run: sh -c "grep -c 'store i32.*llvm.access.group' fast.ll; grep -c 'fmul fast' fast.ll"
//# stdout: 1
//# stdout: 1
#include <sycl/sycl.hpp>

static void put(unsigned *to, const float &factor, unsigned at) { to[at] = factor * 3; }

int main() {
  sycl::queue q;
  unsigned *v = sycl::malloc_shared<unsigned>(1024, q);
  q.parallel_for(1024, [=, factor = float(q.is_in_order())](sycl::id<1> at) { put(v, factor, at); }).wait();
}
