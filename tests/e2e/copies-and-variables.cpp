// What a kernel takes along is copied; what it would only seem to share with the host is refused at build time, at its place.
//# run: aspen++ {self} -o a.out
//# run: ./a.out
//# stdout: 42 7 5 1
//# run: aspen++ captures.cpp -o b.out
//# exit: 1
//# stderr~: ^captures\.cpp:8:38: error: the kernel captures 'name' of type 'std::string'.* is not device-copyable
//# stderr~: ^captures\.cpp:4:15: error: the kernel's member 'name' of type 'std::string'.* is not device-copyable
//# count: 2 stderr error:
//# absent: b.out
//# run: aspen++ variables.cpp -o c.out
//# exit: 1
//# stderr~: ^variables\.cpp:3:24: error: device code uses the variable 'step', which is neither const nor constexpr
//# stderr~: ^variables\.cpp:2:5: note: 'step' is declared here
//# count: 1 stderr error:
//# absent: c.out
#include <atomic>
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>
#include <thread>
#include <tuple>
#include <vector>

struct counted {
  int value;
  explicit counted(int value) : value(value) {}
  counted(const counted &other) : value(other.value) {}
  ~counted() {}
};
template <> struct sycl::is_device_copyable<counted> : std::true_type {};

struct adder {
  counted by;
  int *out;
  void operator()() const { out[1] = by.value; }
};

int calls = 0;
static const int table[] = {1, 3, 5};

constexpr int words = 16384;

/// A short copy of a variable that ends with the call.
__attribute__((noinline)) void put(sycl::queue &q, int *to, int value) {
  int own[words];
  for (int &word : own)
    word = value;
  q.memcpy(to, own, sizeof own);
  std::memset(own, 0xee, sizeof own);
  asm volatile("" ::"r"(own) : "memory");
}

/// Whether all such copies are over when the call is, while other threads wait for the queue.
bool copies_are_over() {
  sycl::queue q;
  std::vector<int> host(words);
  std::atomic<bool> stop = false;
  std::vector<std::thread> waiting;
  for (int i = 0; i < 3; ++i)
    waiting.emplace_back([&] {
      while (!stop)
        q.wait();
    });
  int *there = sycl::malloc_device<int>(words, q), wrong = 0;
  for (int i = 0; i < 5000; ++i) {
    put(q, there, i);
    q.memcpy(host.data(), there, words * sizeof(int)).wait();
    wrong += host.front() != i || host.back() != i;
  }
  stop = true;
  for (std::thread &thread : waiting)
    thread.join();
  sycl::free(there, q);
  return wrong == 0;
}

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(3, q);
  counted c(40);
  std::tuple<int, char> two(2, 'x');
  q.single_task([=] { out[0] = c.value + std::get<0>(two); }).wait();
  q.single_task(adder{counted(7), out}).wait();
  q.single_task([=] { out[2] = table[out[1] - 5] + int(sizeof(calls)) - 4; }).wait();
  ++calls;
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], copies_are_over());
}
//# file: captures.cpp
#include <sycl/sycl.hpp>
#include <string>
struct named {
  std::string name;
  void operator()() const {}
};
void f(sycl::queue q, std::string name) {
  q.single_task<class k>([=] { (void)name.size(); });
  q.single_task(named{"x"});
}
int main() {}
//# file: variables.cpp
#include <sycl/sycl.hpp>
int step = 1;
int next(int x) { x += step; return x; }
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class k>([=] { *p = next(*p) + int(sizeof(step)); }).wait();
}
