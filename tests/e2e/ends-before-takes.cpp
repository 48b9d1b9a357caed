// Lanes that end in a condition of their own before the others ask their sub-group: what they gave then is not what others take.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: wrong 0, ended 80
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: wrong 0, ended 80
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  constexpr int N = 2048;
  unsigned *out = sycl::malloc_shared<unsigned>(N, q), *in = sycl::malloc_shared<unsigned>(1024, q);
  for (int i = 0; i < 1024; i++)
    in[i] = unsigned(i) * 2654435761u >> 7;
  const auto ends = [=](unsigned l, unsigned b) {
    unsigned a = l * 3, p[5] = {1, a, b, 4, 5};
    return l + 1 != 1024 && ((a * 765u) ^ p[b % 5]) % 16 == 5;
  };
  q.parallel_for(sycl::nd_range<2>({16, 128}, {8, 128}), [=](sycl::nd_item<2> it) [[sycl::reqd_sub_group_size(32)]] {
     const size_t l = it.get_local_linear_id(), g = it.get_global_linear_id();
     const unsigned b = in[g % 1024];
     const auto sg = it.get_sub_group();
     if (ends(unsigned(l), b)) {
       out[g] = 99;
       return;
     }
     unsigned r = 0;
     if (sycl::any_of_group(sg, (b >> 3) % 16 == 3))
       r += 5;
     if (sycl::all_of_group(sg, unsigned(l) % 8 != 3))
       r += 9;
     out[g] = r;
   }).wait();
  unsigned wrong = 0, ended = 0;
  for (unsigned w = 0; w < 2; w++)
    for (unsigned s = 0; s < 32; s++) {
      bool any = false, all = true;
      for (unsigned l = s * 32; l < s * 32 + 32; l++) {
        const unsigned b = in[l];
        if (ends(l, b))
          ended++;
        else
          any |= (b >> 3) % 16 == 3, all &= l % 8 != 3;
      }
      for (unsigned l = s * 32; l < s * 32 + 32; l++)
        wrong += out[w * 1024 + l] != (ends(l, in[l]) ? 99u : (any ? 5u : 0u) + (all ? 9u : 0u));
    }
  std::printf("wrong %u, ended %u\n", wrong, ended);
}
