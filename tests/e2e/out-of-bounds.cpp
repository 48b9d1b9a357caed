// ASPEN_CHECK: accesses of kernels, of copies and of the program out of bounds, of memory that is gone, and through accessors of another command
// group, in a program that knows nothing of the check.
//# run: aspen++ -O2 -g -fsycl-targets=native_cpu {self} -o a.out
//# run: ASPEN_CHECK=1 ./a.out
//# stdout: 3 5 2
//# run: ASPEN_CHECK=begin ./a.out
//# stdout: 3 5 2
//# sh: ASPEN_CHECK=1 ./a.out behind 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'behind' in one of the work-items \(0, 0, \d+\) to \(0, 0, 100\) reads right behind the end of a buffer of 404 bytes \(element 101 of 101, if they have 4 bytes\) at .*out-of-bounds\.cpp:60:\d+ \(found by ASPEN_CHECK\): check the index against the size$
//# sh: ASPEN_CHECK=begin ./a.out before 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'before' in one of the work-items \(0, 0, 0\) to \(0, 0, \d+\) reads 4 bytes before the begin of a buffer of 404 bytes at .*out-of-bounds\.cpp:65:\d+ \(found by ASPEN_CHECK\): check the index against 0$
//# sh: ASPEN_CHECK=1 ./a.out local 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'local_sum' in work-group \(0, 0, [01]\) writes right behind the end of the 40 bytes of its local accessors at .*out-of-bounds\.cpp:74:\d+
//# sh: ASPEN_CHECK=1 ASPEN_CPU_GROUPS=items ./a.out local 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'local_sum' in work-group \(0, 0, [01]\) writes right behind the end of the 40 bytes of its local accessors
//# sh: ASPEN_CHECK=1 ./a.out usm 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'shared_memory' in one of the work-items \(0, 0, 0\) to \(0, 0, 0\) writes 8 bytes behind the end of a USM allocation of 404 bytes
//# sh: ASPEN_CHECK=1 ./a.out copy 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: a copy writes right behind the end of a USM allocation of 404 bytes
//# sh: ASPEN_CHECK=1 ./a.out freed 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'sums' in one of the work-items \(0, 0, 0\) to \(0, 0, 0\) writes byte 0 of a USM allocation of 404 bytes, which was freed
//# sh: ASPEN_CHECK=1 ./a.out foreign 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'foreign' .* writes byte 12 of a buffer of 404 bytes \(element 3 of 101, if they have 4 bytes\), for which its command group has no accessor at .*out-of-bounds\.cpp:96:\d+ \(found by ASPEN_CHECK\): make the accessor with the handler of the command group that uses it, or require it there$
//# sh: ASPEN_CHECK=1 ./a.out through 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'through' .* writes byte 8 of a buffer of 404 bytes \(element 2 of 101, if they have 4 bytes\), for which only accessors that read have been required
//# sh: ASPEN_CHECK=1 ./a.out stale 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: the program reads byte 20 of a buffer of 404 bytes \(element 5 of 101, if they have 4 bytes\), for which there is no host accessor at .*out-of-bounds\.cpp:106:\d+
//# run: ./a.out behind
//# stdout~: ^\d
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o plain.out
//# sh: ASPEN_CHECK=1 ./plain.out behind 2> said; test $? = 139 && cat said
//# stdout~: ^aspen: kernel 'behind' .* \(found by ASPEN_CHECK\): check the index against the size; -g tells the line$
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

class sums;
class behind;
class before;
class local_sum;
class shared_memory;
class foreign;
class through;

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "fine";
  sycl::queue q;
  const int n = 101;
  std::vector<int> host(n, 1);
  {
    sycl::buffer<int> a(host.data(), n), b{sycl::range(n)};
    const int by = what == "behind" ? 1 : 0, from = what == "before" ? -1 : 0;
    q.submit([&](sycl::handler &h) {
      sycl::accessor in(a, h, sycl::read_only);
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for<behind>(n, [=](sycl::id<1> i) { out[i] = in[i + by]; });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor in(b, h, sycl::read_only);
      sycl::accessor out(a, h, sycl::read_write);
      h.parallel_for<before>(n, [=](sycl::id<1> i) { out[i] += (&in[i])[from]; });
    });
    const int many = what == "local" ? 11 : 10;
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<int> tile(10, h);
      sycl::accessor out(a, h, sycl::read_write);
      h.parallel_for<local_sum>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it) {
        if (it.get_local_id(0) == 0)
          for (int i = 0; i < many; ++i)
            tile[i] = i;
        sycl::group_barrier(it.get_group());
        out[it.get_global_id()] += tile[it.get_local_id(0)];
      });
    });
    int *usm = sycl::malloc_shared<int>(n, q);
    const int last = what == "usm" ? n + 2 : n - 1;
    q.single_task<shared_memory>([=] { usm[last] = 1; }).wait();
    if (what == "copy")
      q.memcpy(usm, host.data(), 4 * n + 4).wait();
    sycl::free(usm, q);
    if (what == "freed")
      q.single_task<sums>([=] { usm[0] = 1; }).wait();
    std::optional<sycl::accessor<int, 1, sycl::access_mode::read_write>> kept;
    q.submit([&](sycl::handler &h) {
      kept.emplace(a, h);
      auto mine = *kept;
      h.single_task([=] { mine[0] += 1; });
    }).wait();
    if (what == "foreign")
      q.submit([&](sycl::handler &h) {
        auto other = *kept;
        h.single_task<foreign>([=] { other[3] += 1; });
      }).wait();
    if (what == "through")
      q.submit([&](sycl::handler &h) {
        sycl::accessor in(a, h, sycl::read_only);
        h.single_task<through>([=] { const_cast<int &>(in[2]) = 1; });
      }).wait();
    int *stale = nullptr;
    { stale = &sycl::host_accessor(a)[5]; }
    if (what == "stale")
      std::printf("%d\n", *stale);
  }
  std::printf("%d %d %d\n", host[0], host[7], host[100]);
}
