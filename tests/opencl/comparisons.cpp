// Functions of <cstring> and what comes to them (`std::equal`, `operator==` of arrays and of views) give what the host's library gives.
//# run: aspen++ -O2 -fsycl-targets=spir64 {self} -o a.out
//# run: ./a.out
//# stdout: 0 -1 1 1 0 1 1 1 9 -1 0 -1
//# run: aspen++ -O1 -fsycl-targets=spir64 {self} -o a.out
//# run: ./a.out
//# stdout: 0 -1 1 1 0 1 1 1 9 -1 0 -1
#include <sycl/sycl.hpp>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

struct data {
  char name[16] = "sub-group", other[16] = "sub-groups";
  int values[8] = {1, 2, 3, 4, 1, 2, 3, 4};
  std::array<long, 3> left{1, 2, 3}, right{1, 2, 3};
  int out[12] = {};
};

static int sign(int value) { return value < 0 ? -1 : value > 0; }

int main() {
  sycl::queue q;
  data *d = sycl::malloc_shared<data>(1, q);
  *d = data();
  q.single_task([=] {
     int *out = d->out;
     const std::string_view name(d->name), other(d->other);
     *out++ = sign(std::memcmp(d->values, d->values + 4, 16));
     *out++ = sign(std::memcmp(d->values, d->values + 1, static_cast<size_t>(d->values[3])));
     *out++ = sign(std::memcmp(d->values + 1, d->values, 4));
     *out++ = name == "sub-group";
     *out++ = name == other;
     *out++ = std::string_view(d->other, 9) == name;
     *out++ = d->left == d->right;
     *out++ = std::equal(d->values, d->values + 4, d->values + 4);
     *out++ = static_cast<int>(std::strlen(d->name));
     *out++ = sign(std::strcmp(d->name, d->other));
     *out++ = sign(std::strncmp(d->name, d->other, 9));
     *out++ = sign(std::strncmp(d->name, d->other, 10));
   }).wait();
  for (int i = 0; i < 12; ++i)
    std::printf("%s%d", i ? " " : "", d->out[i]);
  std::puts("");
  sycl::free(d, q);
}
