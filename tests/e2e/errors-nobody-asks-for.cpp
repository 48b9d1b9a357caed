// Programs that only call wait() hear of what failed: from the queue when it goes, or when the process ends.
//# run: aspen++ -w -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out destroyed
//# exit: 3
//# stderr: asynchronous SYCL error without an async_handler: of a queue that goes
//# run: ./a.out static
//# exit: 3
//# stderr: asynchronous SYCL error without an async_handler: of a queue that goes
//# run: ./a.out kept
//# stderr: aspen: an asynchronous error that the program has not asked for (as queue::wait_and_throw does): of a queue that stays
//# run: ./a.out thrown
//# stderr: an async_handler threw while its queue was destroyed: of a queue that goes
//# stdout: went on
//# run: ./a.out asked
//# stdout: of a queue that goes
//# stdout: went on
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <sycl/sycl.hpp>

static void fails(sycl::queue &q, const char *what) {
  q.submit([&](sycl::handler &h) { h.host_task([=] { throw std::runtime_error(what); }); }).wait();
}

int main(int, char **arguments) {
  std::set_terminate([] { std::_Exit(3); });
  const auto is = [&](const char *name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("kept")) {
    auto *q = new sycl::queue; // as helpers of migrated programs keep theirs
    fails(*q, "of a queue that stays");
    return 0;
  }
  if (is("static")) {
    static sycl::queue q;
    fails(q, "of a queue that goes");
    return 0;
  }
  const auto tells = [&](sycl::exception_list errors) {
    for (const std::exception_ptr &one : errors)
      try {
        std::rethrow_exception(one);
      } catch (const std::exception &e) {
        if (is("thrown"))
          throw;
        std::puts(e.what());
      }
  };
  {
    sycl::queue q = is("destroyed") ? sycl::queue() : sycl::queue(tells);
    fails(q, "of a queue that goes");
  }
  std::puts("went on");
}
