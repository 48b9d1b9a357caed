// What the values of a sub-group come to, by every operation and in every type that code generation folds by itself: in vectors where the
// sub-group is full, where it is not, where some items have ended, and item by item. What all have taken decides where all go.
//# run: aspen++ -O2 {self} -fsycl-targets=native_cpu -o a.out
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: ok
//# run: ASPEN_CPU_GROUPS=items ./a.out
//# stdout: ok
//# deep: other sizes and levels of optimisation
//# run: ASPEN_CPU_SUB_GROUP_SIZE=64 ./a.out
//# stdout: ok
//# run: aspen++ -O0 {self} -fsycl-targets=native_cpu -o b.out
//# run: ./b.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>

constexpr size_t items = 3 * 48;

/// Small numbers: products and sums in any order are exact, but for integers that wrap, which are so in any order, too.
template <class T> constexpr T value_of(size_t item) {
  const int number = int(item * 7 % 5) - (std::is_signed_v<T> ? 2 : 0);
  if constexpr (std::is_floating_point_v<T>)
    return T(number == 0 ? 0.5 : number * 0.5);
  else if constexpr (std::is_same_v<T, bool>)
    return item % 3 != 0;
  else
    return T(T(number) * T(std::numeric_limits<T>::max() / 3 + 1) + T(item));
}

template <class T, class Op> struct kernel {
  T *to;
  size_t running, most;
  void operator()(sycl::nd_item<1> it) const {
    const size_t g = it.get_global_linear_id();
    const auto lanes = it.get_sub_group();
    to[g] = T(0);
    if (it.get_local_linear_id() % most >= running) // of each sub-group
      return;
    T sum = sycl::reduce_over_group(lanes, value_of<T>(g), Op());
    // What the sum says is where all go.
    for (int turn = 0; turn < 2 && sycl::any_of_group(lanes, sum != T(0)); ++turn)
      if (sycl::group_broadcast(lanes, sum == sum, 0))
        sum = sycl::reduce_over_group(lanes, value_of<T>(g + turn), sum, Op());
    to[g] = sum;
  }
};

template <class T, class Op> bool right(sycl::queue &q, const char *name) {
  const size_t most = q.get_device().get_info<sycl::info::device::sub_group_sizes>().back();
  bool good = true;
  T *to = sycl::malloc_shared<T>(items, q);
  for (size_t group : {items, items / 3, size_t(9), size_t(1)})
    for (size_t running : {most, size_t(5)}) {
      q.parallel_for(sycl::nd_range<1>(items, group), kernel<T, Op>{to, running, most}).wait();
      for (size_t first = 0; first < items; first += group)
        for (size_t begin = first; begin < first + group; begin += most) {
          const size_t end = std::min({begin + most, first + group}), count = std::min(end - begin, running);
          const auto fold = [&](size_t more) {
            T sum = value_of<T>(begin + more);
            for (size_t i = 1; i < count; ++i)
              sum = T(Op()(sum, value_of<T>(begin + i + more)));
            return sum;
          };
          T sum = fold(0);
          for (int turn = 0; turn < 2 && sum != T(0); ++turn)
            sum = T(Op()(sum, fold(turn)));
          for (size_t i = begin; i < end; ++i)
            good = good && to[i] == (i < begin + count ? sum : T(0));
        }
      if (!good) {
        std::printf("%s of %zu bytes, groups of %zu, %zu running: wrong\n", name, sizeof(T), group, running);
        break;
      }
    }
  sycl::free(to, q);
  return good;
}

template <class T> bool numbers(sycl::queue &q) {
  bool good = right<T, sycl::plus<T>>(q, "plus");
  good = right<T, sycl::plus<>>(q, "plus of anything") && good;
  good = right<T, sycl::multiplies<T>>(q, "multiplies") && good;
  good = right<T, sycl::minimum<T>>(q, "minimum") && good;
  good = right<T, sycl::maximum<>>(q, "maximum") && good;
  good = right<T, sycl::logical_and<T>>(q, "logical_and") && good;
  good = right<T, sycl::logical_or<T>>(q, "logical_or") && good;
  if constexpr (std::is_integral_v<T>) {
    good = right<T, sycl::bit_and<T>>(q, "bit_and") && good;
    good = right<T, sycl::bit_or<>>(q, "bit_or") && good;
    good = right<T, sycl::bit_xor<T>>(q, "bit_xor") && good;
  }
  return good;
}

int main() {
  sycl::queue q;
  bool good = numbers<int>(q);
  good = numbers<signed char>(q) && good;
  good = numbers<unsigned short>(q) && good;
  good = numbers<unsigned>(q) && good;
  good = numbers<long>(q) && good;
  good = numbers<unsigned long long>(q) && good;
  good = numbers<bool>(q) && good;
  good = numbers<float>(q) && good;
  good = numbers<double>(q) && good;
  std::puts(good ? "ok" : "wrong");
}
