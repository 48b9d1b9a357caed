// Loops that end after another number of turns in each item, with mathematical functions in them, and with results of several types, which are vectors.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0 0 0 0 0 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0 0 0 0 0 0
//# run: ./a.out
//# stdout: wrong 0 0 0 0 0 0
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: wrong 0 0 0 0 0 0
//# deep: what became vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images kepler.cpp -o b.out
//# sh: llvm-objdump-22 -dr --no-show-raw-insn images/* | grep -cE '_ZGV[bde]N[0-9]+v_sinf'
//# stdout~: ^[1-9]
#include <cmath>
#include <cstdio>
#include <limits>
#include <sycl/sycl.hpp>
#include <vector>

constexpr int Size = 1003, Local = 64;

struct result {
  double value = 0;
  int turns = 0;
  unsigned char way = 0;
};

// Kepler's equation by Newton's steps: a sine and a cosine a turn.
template <class T> result kepler(int i) {
  const T mean = T(i % 97) / 16, eccentricity = T(i % 10) / 12;
  T e = mean;
  int turns = 0;
  for (T step = 1; sycl::fabs(step) > T(1e-5) && turns < 50; ++turns)
    e -= step = (e - eccentricity * sycl::sin(e) - mean) / (1 - eccentricity * sycl::cos(e));
  return {e, 0, 0};
}

// Ends in three ways, and tells by which.
result decay(int i) {
  float x = float(i) / 8, sum = 0;
  result out;
  for (out.turns = 0; out.turns < 40; ++out.turns) {
    x = x * 0.7f - sycl::exp(-x);
    sum += sycl::log(1 + x * x);
    if (x < -3) {
      out.way = 1;
      break;
    }
    if (sum > 60) {
      out.way = 2;
      break;
    }
  }
  out.value = out.way == 1 ? 0 : sum;
  return out;
}

// A loop in a loop, behind a condition that some items pass; bits, words and numbers come out of it.
result nested(int i) {
  float of = float(i % 31), sum = 0;
  unsigned seed = unsigned(i) * 747796405u + 1;
  bool odd = false;
  int turns = 0;
  if (i % 3 != 0)
    for (int n = 0; n < i % 7; ++n) {
      odd = !odd;
      for (float x = of; x > 1; x *= 0.5f, ++turns) {
        seed = seed * 1664525u + 1013904223u;
        sum += sycl::sqrt(x) * sycl::cos(float(seed >> 28) / 16);
      }
    }
  return {sum, turns + int(seed >> 31), odd};
}

// Lanes that have ended go on with what a power of makes no number.
result powers(int i) {
  double x = 1 + double(i % 13) / 4, sum = 0;
  int turns = 0;
  while (x > 0.5) {
    sum += sycl::pow(x, 1.5) + sycl::exp2(-x);
    x -= 0.75;
    ++turns;
  }
  return {sum, turns, 0};
}

// A mantissa and its exponent, made a number again; of what has no exponent of its own, too.
template <class T> result parts(int i) {
  const T x = i % 50 == 0 ? T(i % 100) : T(i - 500) * (i % 3 ? T(1) : std::numeric_limits<T>::denorm_min());
  int exponent = 0;
  const T mantissa = sycl::frexp(x, &exponent);
  return {double(mantissa + T(exponent)), exponent, 0};
}

template <class F> int check(sycl::queue &queue, F value) {
  std::vector<result> out(Size);
  {
    sycl::buffer<result> buffer(out.data(), Size);
    queue.submit([&](sycl::handler &handler) {
      sycl::accessor to(buffer, handler);
      handler.parallel_for(sycl::nd_range<1>(1024, Local), [=](sycl::nd_item<1> item) {
        const int i = int(item.get_global_id(0));
        if (i < Size)
          to[i] = value(i);
      });
    });
  }
  int wrong = 0;
  for (int i = 0; i < Size; ++i) {
    const result expected = value(i);
    wrong += out[i].turns != expected.turns || out[i].way != expected.way || !(std::fabs(out[i].value - expected.value) <= 2e-5 * (1 + std::fabs(expected.value)));
  }
  return wrong;
}

int main() {
  sycl::queue queue;
  const int floats = check(queue, [](int i) { return kepler<float>(i); }), doubles = check(queue, [](int i) { return kepler<double>(i); });
  const int ways = check(queue, [](int i) { return decay(i); }), loops = check(queue, [](int i) { return nested(i); });
  const int of_parts = check(queue, [](int i) { return parts<float>(i); }) + check(queue, [](int i) { return parts<double>(i); });
  std::printf("wrong %d %d %d %d %d %d\n", floats, doubles, ways, loops, check(queue, [](int i) { return powers(i); }), of_parts);
}
//# file: kepler.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue queue;
  float *out = sycl::malloc_shared<float>(1024, queue);
  int *turns = sycl::malloc_shared<int>(1024, queue);
  queue.parallel_for(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> item) {
    const float mean = float(item.get_global_id(0)) / 512;
    float e = mean;
    int n = 0;
    for (float step = 1; sycl::fabs(step) > 1e-5f && n < 50; ++n)
      e -= step = (e - 0.3f * sycl::sin(e) - mean) / (1 - 0.3f * sycl::cos(e));
    out[item.get_global_id(0)] = e;
    turns[item.get_global_id(0)] = n;
  });
  queue.wait();
}
