// A child of a process that has commands under way has none of its threads: when it ends, it does not wait for those commands.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
#include <sycl/sycl.hpp>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  for (int command = 0; command < 6; ++command)
    q.parallel_for(64, [=](sycl::id<1> i) {
      unsigned x = i[0];
      for (int turn = 0; turn < 5'000'000; ++turn)
        x = x * 1664525u + 1013904223u;
      p[i] = x;
    });
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    exit(3); // in which a driver may abort
  }
  int status = 0;
  waitpid(child, &status, 0);
  q.wait();
  sycl::free(p, q);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}
