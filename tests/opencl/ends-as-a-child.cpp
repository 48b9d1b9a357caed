// A child of a process that has commands under way has none of its threads: when it ends, it does not wait for those commands.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
#include <sycl/sycl.hpp>
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

const pid_t parent = getpid();

// What the drivers do at exit comes later, and in a child some abort or wait there for ever.
void ended_its_waits() {
  if (getpid() != parent)
    _exit(3);
}

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  for (int command = 0; command < 6; ++command) {
    if (command == 5) // later than the driver registers its own functions, and before the runtime registers its wait once more
      std::atexit(ended_its_waits);
    q.parallel_for(64, [=](sycl::id<1> i) {
      unsigned x = i[0];
      for (int turn = 0; turn < 5'000'000; ++turn)
        x = x * 1664525u + 1013904223u;
      p[i] = x;
    });
  }
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    std::exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  q.wait();
  sycl::free(p, q);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 3;
}
