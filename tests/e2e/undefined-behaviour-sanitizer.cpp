// UndefinedBehaviorSanitizer finds what kernels on the embedded CPU device do wrong, in loops of items, with barriers and in functions, and
// names the line; what does nothing wrong runs and is right.
//# run: aspen++ -std=c++17 -O1 -fsanitize=undefined -fno-sanitize-recover=bounds -fsycl-targets=native_cpu {self} -o program
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 1 1 1
//# stdout: 2 20
//# count: 0 stderr .
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 2147483647 1 1
//# stdout: -2147483648 20
//# stderr~: undefined-behaviour-sanitizer\.cpp:32:68: runtime error: signed integer overflow: 2147483647 \+ 1 cannot be represented
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 1 40 1
//# stderr~: undefined-behaviour-sanitizer\.cpp:26:54: runtime error: shift exponent 40 is too large for 32-bit type 'int'
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 1 1 8
//# exit: 1
//# stderr~: undefined-behaviour-sanitizer\.cpp:37:38: runtime error: index 8 out of bounds for type 'const volatile int\[8\]'
//# deep: beside AddressSanitizer, and traps
// With AddressSanitizer beside it, and as traps, which need no functions.
//# run: aspen++ -std=c++17 -O2 -fsanitize=address,undefined -fno-sanitize=bounds -fsycl-targets=native_cpu {self} -o program
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 1 1 8
//# exit: 1
//# stderr~: ERROR: AddressSanitizer: stack-buffer-overflow
//# run: aspen++ -std=c++17 -fsanitize=undefined -fsanitize-trap=all -fsycl-targets=native_cpu {self} -o program
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./program 1 1 1
//# stdout: 2 20
#include <sycl/sycl.hpp>

static int shifted(int value, int by) { return value << by; }

int main(int, char **arguments) {
  const int value = std::atoi(arguments[1]), by = std::atoi(arguments[2]), index = std::atoi(arguments[3]);
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
  q.parallel_for(64, [=](sycl::id<1> i) { p[i < 2 ? 0 : 1] = value + 1; }).wait();
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int> shared(8, h);
     h.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
       volatile const int own[8] = {1, 2, 3, 4, 5, 6, 7, 8};
       shared[item.get_local_id()] = own[item.get_local_id(0) == 7 ? index : 7];
       sycl::group_barrier(item.get_group());
       if (item.get_local_id(0) == 0)
         p[1] = shifted(shared[0] + shared[7], by);
     });
   }).wait();
  std::printf("%d %d\n", p[0], p[1]);
  sycl::free(p, q);
}
