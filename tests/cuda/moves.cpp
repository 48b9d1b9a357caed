// Values that go by way of a variable into local memory are moves between address spaces, of which LLVM's back end drops the large ones.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=kept words.cpp -o words
//# sh: grep -c 'st.shared' kept/words_0.nvidia_gpu_sm_90.ptx
//# stdout~: ^[1-9][0-9]*$
//# run: aspen++ -O0 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=plain words.cpp -o words
//# sh: grep -c 'st.shared' plain/words_0.nvidia_gpu_sm_90.ptx
//# stdout~: ^[1-9][0-9]*$
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -DLARGE -save-temps=large words.cpp -o words
//# sh: grep -c 'st.shared' large/words_0.nvidia_gpu_sm_90.ptx
//# stdout~: ^[1-9][0-9]*$
//# file: words.cpp
#include <sycl/sycl.hpp>
#ifdef LARGE
struct value { char a[601]; };
#else
struct value { int a[60]; };
#endif
int main() {
  sycl::queue q;
  value *p = sycl::malloc_shared<value>(96, q);
  q.parallel_for(sycl::nd_range<1>(96, 96), [=](sycl::nd_item<1> i) {
     const value got = sycl::group_broadcast(i.get_group(), p[i.get_local_id(0)], 33);
     sycl::group_barrier(i.get_group());
     p[i.get_local_id(0)] = got;
   }).wait();
}
