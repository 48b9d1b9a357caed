//! Asynchronous errors of commands that another command waits for. Exit status 0: all right. Source: SYCL 2020 §4.6.6, §4.13.1.
#include "check.hpp"

#include <string>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>
#include <vector>

using namespace sycl;

struct heard {
  std::vector<std::string> texts;
  async_handler handler() {
    return [this](exception_list errors) {
      for (const std::exception_ptr &one : errors) {
        try {
          std::rethrow_exception(one);
        } catch (const std::exception &e) {
          texts.push_back(e.what());
        }
      }
    };
  }
};

struct own_error : std::runtime_error {
  using runtime_error::runtime_error;
};

/// What a task threw comes as it was, whatever its text is and whichever queue executes the graph that it is a node of.
static void thrown_objects(const device &d) {
  int own = 0, others = 0;
  const auto count = [&](exception_list errors) {
    for (const std::exception_ptr &one : errors)
      try {
        std::rethrow_exception(one);
      } catch (const own_error &) {
        ++own;
      } catch (...) {
        ++others;
      }
  };
  queue first(d, count), second(first.get_context(), d, count);
  const auto fails = [](handler &h) { h.host_task([] { throw own_error("caf\xe9"); }); };
  first.submit(fails);
  first.wait_and_throw();
  CHECK(own == 1 && others == 0);
  ext::oneapi::experimental::command_graph graph(first.get_context(), d);
  graph.add(fails);
  graph.begin_recording(first);
  first.submit(fails);
  graph.end_recording();
  const auto all = graph.finalize();
  second.ext_oneapi_graph(all);
  second.wait_and_throw();
  CHECK(own == 3 && others == 0);
  second.ext_oneapi_graph(all);
  second.wait_and_throw();
  CHECK(own == 5 && others == 0);
}

/// A command that writes the buffer and fails.
static event fails(queue &q, buffer<int> b, const char *what) {
  return q.submit([&](handler &h) {
    accessor a(b, h, write_only_host_task);
    h.host_task([=] {
      a[0] = 1;
      throw std::runtime_error(what);
    });
  });
}
static event reads(queue &q, buffer<int> from, buffer<int> to) {
  return q.submit([&](handler &h) {
    accessor a(from, h, read_only);
    accessor b(to, h, write_only);
    h.single_task<class copies>([=] { b[0] = a[0]; });
  });
}

int main() {
  heard first, second, third;
  const device d;
  queue a(d, first.handler()), b(d, second.handler()), c(d, third.handler());
  buffer<int> one{range<1>(1)}, two{range<1>(1)}, three{range<1>(1)};
  {
    // Through the buffer alone.
    fails(a, one, "through a buffer");
    const event e = reads(b, one, two);
    e.wait();
    CHECK(first.texts.empty());
    e.wait_and_throw();
    CHECK(first.texts == std::vector<std::string>{"through a buffer"} && second.texts.empty());
    e.wait_and_throw();
    CHECK(first.texts.size() == 1);
  }
  {
    // Through two of them.
    fails(a, one, "further away");
    reads(b, one, two);
    reads(c, two, three).wait_and_throw();
    CHECK(first.texts.size() == 2 && first.texts[1] == "further away");
  }
  {
    // Through a buffer and an event; by a fold into a buffer; of a queue whose name is gone, by the event's own.
    fails(a, one, "and an event");
    const event e = reads(b, one, two);
    c.submit([&](handler &h) {
       h.depends_on(e);
       h.single_task<class nothing>([] {});
     }).wait_and_throw();
    CHECK(first.texts.size() == 3);
    fails(a, one, "a sum");
    b.submit([&](handler &h) {
       h.parallel_for<class folds>(range<1>(4), reduction(one, h, std::plus<int>()), [=](id<1>, auto &sum) { sum += 1; });
     }).wait_and_throw();
    CHECK(first.texts.size() == 4);
  }
  {
    // What has nothing to do with it stays.
    fails(a, one, "not yet");
    buffer<int> other{range<1>(1)}, another{range<1>(1)};
    reads(b, other, another).wait_and_throw();
    a.wait();
    CHECK(first.texts.size() == 4 && second.texts.empty() && third.texts.empty());
    a.wait_and_throw();
    CHECK(first.texts.size() == 5);
  }
  {
    // Queues that end do not pile up in a buffer; they tell what nobody has asked for.
    for (int i = 0; i < 100; ++i) {
      heard own;
      {
        queue q(d, own.handler());
        fails(q, two, "nobody asks");
        q.wait();
        CHECK(own.texts.empty());
      }
      CHECK(own.texts == std::vector<std::string>{"nobody asks"});
    }
    reads(b, two, one).wait_and_throw();
  }
  thrown_objects(d);
  return failures != 0;
}
