// Lanes that end in the piece in which the others give to a broadcast: its lane number, which only the launch knows, was read from the first lane, which may be one of
// those. And amounts that are a loop's counter: alike for all in the loop, and not behind it where lanes leave it one by one.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>

constexpr int Turns = 9, Most = 256;

/// Whether the work-item comes to the end of its turns.
static bool runs(const int *in, int i, int turns, int &sum) {
  for (int turn = 0; turn < turns; ++turn) {
    if (in[(i * 7 + turn * 13) % Most] % 64 < 2)
      return false;
    sum = sum * 3 + in[(sum ^ turn) & (Most - 1)];
  }
  return true;
}

/// How far a lane's counter comes.
static unsigned counted(const int *in, int lane) {
  unsigned i = 0;
  while (in[i] < lane % 8)
    ++i;
  return i;
}
static int amounts(sycl::queue &q) {
  int wrong = 0, *const in = sycl::malloc_shared<int>(64, q), *const out = sycl::malloc_shared<int>(64, q);
  for (int i = 0; i < 64; ++i)
    in[i] = i / 4 * 4;
  q.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> it) {
     const int lane = it.get_local_id(0);
     const unsigned amount = counted(in, lane);
     out[lane] = sycl::permute_group_by_xor(it.get_sub_group(), lane, amount);
     out[32 + lane] = sycl::shift_group_left(it.get_sub_group(), lane, amount);
   }).wait();
  for (int lane = 0; lane < 32; ++lane) {
    const int amount = static_cast<int>(counted(in, lane));
    wrong += out[lane] != (lane ^ amount) || (lane + amount < 32 && out[32 + lane] != lane + amount);
  }
  sycl::free(in, q);
  sycl::free(out, q);
  return wrong;
}

int main() {
  sycl::queue q;
  int wrong = amounts(q), told = 0, *const out = sycl::malloc_shared<int>(Most, q), *const in = sycl::malloc_shared<int>(Most, q);
  for (int i = 0; i < Most; ++i)
    in[i] = (i * 7919 + 13) % 1009;
  for (int group : {64, 20})
    for (int who : {5, 3, 17, 9}) {
      const int count = 3 * group;
      int turns = Turns; // known at the launch only
      for (int i = 0; i < count; ++i)
        out[i] = -1;
      q.parallel_for(sycl::nd_range<1>(count, group), [=](sycl::nd_item<1> it) {
         const int i = it.get_global_id(0);
         const auto sg = it.get_sub_group();
         int sum = i;
         if (!runs(in, i, turns, sum))
           return;
         out[i] = sycl::group_broadcast(sg, sum, who % sg.get_local_linear_range()) + sum;
       }).wait();
      for (int i = 0; i < count; ++i) {
        const int first = i - i % group % 32, size = sycl::min(32, group - (first % group)), giver = first + who % size;
        int sum = i, given = giver;
        const bool gives = runs(in, giver, Turns, given);
        if (!runs(in, i, Turns, sum)) {
          wrong += out[i] != -1;
        } else if (gives) { // who has ended gives nothing that is known
          wrong += out[i] != given + sum;
          ++told;
        }
      }
    }
  std::printf("wrong %d\n", told > 100 ? wrong : -1);
  sycl::free(in, q);
  sycl::free(out, q);
}
