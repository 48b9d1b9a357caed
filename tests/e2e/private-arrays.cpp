// Every work-item has its own private variables, also where the item loop is vectorised and they stay in memory (computed indices).
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# stdout: ok
//# deep: further levels of optimisation, what became vectors
//# run: aspen++ -O3 {self} -o b.out
//# run: ./b.out
//# stdout: ok
// The functor's own arrays are read only and do not keep a loop from being vectorised.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images scaling.cpp -o c.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'mulps.*[xyz]mm'
//# stdout~: ^[1-9]
// Nor are those of functions that come in at the link alone.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -c elsewhere.cpp
//# run: aspen++ -O2 -fsycl-targets=native_cpu caller.cpp elsewhere.o -o d.out
//# run: ./d.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdio>

constexpr int size = 1000;

struct ring {
  int kept[4];
  int count = 0;
  void push(int value) { kept[count++ & 3] = value; }
  int sum() const {
    int all = 0;
    for (int i = 0; i < (count < 4 ? count : 4); ++i)
      all += kept[i];
    return all;
  }
};

inline int scatter(int value, int place) {
  int cells[4] = {0, 0, 0, 0};
  cells[value & 3] = place;
  return cells[0] + 2 * cells[1] + 3 * cells[2] + 4 * cells[3];
}

inline int pushed(int value, int place) {
  ring last;
  for (int k = 0; k < (value & 7) + 1; ++k)
    last.push(place + k);
  return last.sum();
}

inline int sorted(int value) {
  int cells[6], mixed = 0;
  for (int k = 0; k < 6; ++k)
    cells[k] = value * (k + 13) % 31;
  for (int x = 1; x < 6; ++x) {
    int moving = cells[x], y = x;
    for (; y > 0 && cells[y - 1] > moving; --y)
      cells[y] = cells[y - 1];
    cells[y] = moving;
  }
  for (int cell : cells)
    mixed = mixed * 31 + cell;
  return mixed;
}

/// The variable's address goes through memory.
inline int indirect(int value, int place) {
  int left[2] = {place, place + 1}, right[2] = {place + 2, place + 3};
  int *sides[2] = {left, right};
  sides[value & 1][value >> 1 & 1] += 100;
  return left[0] + 3 * left[1] + 5 * right[0] + 7 * right[1];
}

class scaling;

int main() {
  sycl::queue q;
  int *in = sycl::malloc_shared<int>(size, q), *out = sycl::malloc_shared<int>(4 * size, q);
  float *scaled = sycl::malloc_shared<float>(size, q);
  for (int i = 0; i < size; ++i)
    in[i] = i * 7919 % 97;
  q.parallel_for(size, [=](sycl::id<1> i) { out[i] = scatter(in[i], int(i)); });
  q.parallel_for(size, [=](sycl::item<1> i) { out[size + i] = pushed(in[i], int(i)); });
  q.parallel_for(sycl::range<2>(20, 50), [=](sycl::id<2> i) {
    int at = int(i[0] * 50 + i[1]);
    out[2 * size + at] = sorted(in[at]);
  });
  q.parallel_for(size, [=](sycl::id<1> i) { out[3 * size + i] = indirect(in[i], int(i)); });
  float factors[4] = {1, 2, 3, 4};
  q.parallel_for<scaling>(size, [=](sycl::id<1> i) { scaled[i] = float(in[i]) * factors[i & 3]; });
  q.wait();
  int wrong = 0;
  for (int i = 0; i < size; ++i)
    wrong += (out[i] != scatter(in[i], i)) + (out[size + i] != pushed(in[i], i)) + (out[2 * size + i] != sorted(in[i])) +
             (out[3 * size + i] != indirect(in[i], i)) + (scaled[i] != float(in[i]) * factors[i & 3]);
  std::puts(wrong ? "wrong" : "ok");
}
//# file: scaling.cpp
#include <sycl/sycl.hpp>
void scale(sycl::queue &q, const int *in, float *scaled) {
  float factors[4] = {1, 2, 3, 4};
  q.parallel_for(1000, [=](sycl::id<1> i) { scaled[i] = float(in[i]) * factors[i & 3]; });
}
int main() {}
//# file: elsewhere.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int scatter(int value, int place) {
  int cells[4] = {0, 0, 0, 0};
  cells[value & 3] = place;
  return cells[0] + 2 * cells[1] + 3 * cells[2] + 4 * cells[3];
}
//# file: caller.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
SYCL_EXTERNAL int scatter(int value, int place);
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1000, q);
  q.parallel_for(1000, [=](sycl::id<1> i) { out[i] = scatter(int(i) * 7919 % 97, int(i)); }).wait();
  int wrong = 0;
  for (int i = 0; i < 1000; ++i)
    wrong += out[i] != ((i * 7919 % 97 & 3) + 1) * i;
  std::puts(wrong ? "wrong" : "ok");
}
