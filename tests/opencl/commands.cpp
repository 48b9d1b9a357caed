// Random commands over buffers and allocated memory, of several threads on every device there is at once and their parts, beside a host that does one after
// the other. Arguments: the first seed, how many, and threads.
//# also: commands/areas.hpp
//# run: aspen++ -O1 commands.cpp -o a.out
//# run: env ASPEN_DEVICE_SELECTOR=*:* ./a.out 0 200 1
//# stdout: wrong 0
// Threads that wait for commands of one driver at once.
//# run: ./a.out 1000 200 4
//# stdout: wrong 0
//# run: env ASPEN_DEVICE_SELECTOR=*:* ./a.out 2000 200 3
//# stdout: wrong 0
#include "areas.hpp"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <thread>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

struct world {
  unsigned long long seed;
  random_numbers r;
  std::vector<sycl::queue> &queues;
  std::vector<any_area> areas;
  std::vector<allocation> allocations;
  std::string did;
  bool isRight = true;

  sycl::queue &queue() { return queues[r(unsigned(queues.size()))]; }
  void note(const char *what) { did += what, did += ' '; }
  void check(unsigned is, unsigned should, const char *what, size_t at) {
    if (is == should || !isRight)
      return;
    isRight = false;
    std::printf("seed %llu: %s at %zu is %u and not %u, after: %s\n", seed, what, at, is, should, did.c_str());
  }

  template <int D> area<D> made() {
    area<D> a{{}, {}, {}, {}};
    for (int d = 0; d < D; ++d)
      a.size[d] = 1 + r(D == 1 ? 700 : D == 2 ? 30 : 9);
    a.model.resize(a.size.size());
    for (unsigned &m : a.model)
      m = r(1 << 30);
    a.host = std::make_shared<std::vector<unsigned>>(a.model);
    switch (r(4)) {
    case 0: // a copy of what is constant
      a.buffer.emplace(static_cast<const unsigned *>(a.host->data()), a.size);
      a.isWrittenBack = false;
      break;
    case 1:
      a.buffer.emplace(a.host->data(), a.size, sycl::property_list{sycl::property::buffer::use_host_ptr()});
      break;
    case 2: {
      a.buffer.emplace(a.size);
      sycl::host_accessor to(*a.buffer, sycl::write_only, sycl::no_init);
      size_t at = 0;
      for (unsigned &element : to)
        element = a.model[at++];
      a.buffer->set_final_data(a.host->data());
      break;
    }
    default: a.buffer.emplace(a.host->data(), a.size);
    }
    if (r.chance(8)) {
      a.buffer->set_write_back(false);
      a.isWrittenBack = false;
    }
    return a;
  }
  void makeArea() {
    switch (r(3)) {
    case 0: areas.push_back(made<1>()); break;
    case 1: areas.push_back(made<2>()); break;
    default: areas.push_back(made<3>());
    }
  }
  template <int D> void destroy(area<D> &a) {
    a.buffer.reset();
    if (a.isWrittenBack)
      for (size_t at = 0; at < a.model.size(); ++at)
        check((*a.host)[at], a.model[at], "what was written back", at);
  }
  void makeAllocation() {
    sycl::queue &q = queue();
    const size_t n = 1 + r(900);
    const unsigned kind = r(3);
    auto *memory = static_cast<unsigned *>(sycl::malloc(n * sizeof(unsigned), q,
                                                        kind == 0   ? sycl::usm::alloc::device
                                                        : kind == 1 ? sycl::usm::alloc::shared
                                                                    : sycl::usm::alloc::host));
    if (!memory)
      return;
    allocation a{memory, q, std::vector<unsigned>(n), {}, {}};
    for (unsigned &m : a.model)
      m = r(1 << 30);
    q.memcpy(memory, a.model.data(), n * sizeof(unsigned)).wait();
    allocations.push_back(std::move(a));
  }

  // --- buffers
  template <int D> area<D> *other() {
    for (unsigned tries = 0; tries < 4; ++tries)
      if (auto *a = std::get_if<area<D>>(&areas[r(unsigned(areas.size()))]))
        return a;
    return nullptr;
  }
  template <int D> void change(area<D> &a) {
    const region<D> in = a.any(r);
    const unsigned with = r(1 << 20);
    queue().submit([&](sycl::handler &h) {
      sycl::accessor to(*a.buffer, h, in.size, in.offset, sycl::read_write);
      h.parallel_for(in.size, [=](sycl::item<D> at) { to[at.get_id()] = mixed(to[at.get_id()], with + unsigned(at.get_linear_id())); });
    });
    a.each(in, [&](size_t place, size_t at) { a.model[place] = mixed(a.model[place], with + unsigned(at)); });
    note("change");
  }
  template <int D> void overwrite(area<D> &a) {
    const region<D> in = a.any(r);
    const unsigned with = r(1 << 20);
    const bool all = r.chance(2); // the accessor may tell that nothing of before is asked for only where all of it is written
    queue().submit([&](sycl::handler &h) {
      if (all) {
        sycl::accessor to(*a.buffer, h, in.size, in.offset, sycl::write_only, sycl::no_init);
        h.parallel_for(in.size, [=](sycl::id<D> at) { to[at] = mixed(unsigned(at[0]), with); });
      } else {
        sycl::accessor to(*a.buffer, h, in.size, in.offset, sycl::write_only);
        h.parallel_for(in.size, [=](sycl::id<D> at) {
          if (at[D - 1] % 2 == 0)
            to[at] = mixed(unsigned(at[0]), with);
        });
      }
    });
    a.each(in, [&](size_t place, size_t at) {
      const size_t last = at % in.size[D - 1], first = D == 1 ? at : at / (in.size.size() / in.size[0]);
      if (all || last % 2 == 0)
        a.model[place] = mixed(unsigned(first), with);
    });
    note(all ? "overwrite" : "half");
  }
  // One buffer's part added to another's, or copied there.
  template <int D> void combine(area<D> &a, bool copies) {
    area<D> *b = other<D>();
    if (!b || b == &a)
      return;
    region<D> from = b->any(r), to = a.any(r);
    for (int d = 0; d < D; ++d)
      from.size[d] = to.size[d] = std::min(from.size[d], to.size[d]);
    queue().submit([&](sycl::handler &h) {
      sycl::accessor in(*b->buffer, h, from.size, from.offset, sycl::read_only);
      if (copies) {
        h.copy(in, sycl::accessor(*a.buffer, h, to.size, to.offset, sycl::write_only));
      } else {
        sycl::accessor out(*a.buffer, h, to.size, to.offset);
        h.parallel_for(from.size, [=](sycl::id<D> at) { out[at] += in[at]; });
      }
    });
    std::vector<unsigned> values(from.size.size());
    b->each(from, [&](size_t place, size_t at) { values[at] = b->model[place]; });
    a.each(to, [&](size_t place, size_t at) { a.model[place] = values[at] + (copies ? 0 : a.model[place]); });
    note(copies ? "copy" : "add");
  }
  template <int D> void copyOut(area<D> &a) {
    const region<D> in = a.any(r);
    auto to = std::make_shared<std::vector<unsigned>>(in.size.size(), 7);
    sycl::event copied = queue().submit([&](sycl::handler &h) {
      sycl::accessor from(*a.buffer, h, in.size, in.offset, sycl::read_only);
      if (seed % 2)
        h.copy(from, to->data());
      else
        h.copy(from, std::shared_ptr<unsigned>(to, to->data()));
    });
    copied.wait();
    note("copyOut");
    a.each(in, [&](size_t place, size_t at) { check((*to)[at], a.model[place], "what was copied out", at); });
  }
  template <int D> void copyIn(area<D> &a) {
    const region<D> in = a.any(r);
    auto from = std::make_shared<std::vector<unsigned>>(in.size.size());
    for (unsigned &f : *from)
      f = r(1 << 30);
    queue().submit([&](sycl::handler &h) {
      sycl::accessor to(*a.buffer, h, in.size, in.offset, sycl::write_only);
      h.copy(std::shared_ptr<unsigned>(from, from->data()), to);
    });
    a.each(in, [&](size_t place, size_t at) { a.model[place] = (*from)[at]; });
    note("copyIn");
  }
  template <int D> void fill(area<D> &a) {
    const region<D> in = a.any(r);
    const unsigned with = r(1 << 30);
    queue().submit([&](sycl::handler &h) {
      sycl::accessor to(*a.buffer, h, in.size, in.offset, sycl::write_only);
      h.fill(to, with);
    });
    a.each(in, [&](size_t place, size_t) { a.model[place] = with; });
    note("fill");
  }
  template <int D> void onHost(area<D> &a) {
    const region<D> in = a.any(r);
    const unsigned with = r(1 << 20);
    sycl::host_accessor to(*a.buffer, in.size, in.offset, sycl::read_write);
    std::vector<unsigned> seen;
    for (unsigned &element : to) {
      seen.push_back(element);
      element += with;
    }
    note("onHost");
    a.each(in, [&](size_t place, size_t at) {
      check(seen[at], a.model[place], "what the host sees", at);
      a.model[place] += with;
    });
  }
  template <int D> void hostTask(area<D> &a) {
    const region<D> in = a.any(r);
    const unsigned with = r(1 << 20);
    queue().submit([&](sycl::handler &h) {
      sycl::accessor<unsigned, D, sycl::access_mode::read_write, sycl::target::host_task> to(*a.buffer, h, in.size, in.offset);
      h.host_task([=] {
        for (unsigned &element : to)
          element ^= with;
      });
    });
    a.each(in, [&](size_t place, size_t) { a.model[place] ^= with; });
    note("hostTask");
  }
  template <int D> void updateHost(area<D> &a) {
    queue().submit([&](sycl::handler &h) {
      sycl::accessor from(*a.buffer, h, sycl::read_only);
      h.update_host(from);
    });
    note("updateHost");
  }
  // A part that is whole rows, as a buffer; also with elements of another size.
  template <int D> void part(area<D> &a) {
    const size_t pitch = a.size.size() / a.size[0], aligned = 1024; // elements
    size_t first = r(unsigned(a.size[0]));
    while (first && first * pitch % aligned != 0)
      --first;
    region<D> in{a.size, {}};
    in.offset[0] = first;
    in.size[0] = 1 + r(unsigned(a.size[0] - first));
    const unsigned with = r(1 << 20);
    sycl::buffer<unsigned, D> some(*a.buffer, in.offset, in.size);
    const bool bytes = r.chance(2);
    if (bytes) {
      auto small = some.template reinterpret<unsigned char, 1>(sycl::range<1>(in.size.size() * 4));
      queue().submit([&](sycl::handler &h) {
        sycl::accessor to(small, h);
        h.parallel_for(to.get_range(), [=](sycl::id<1> at) { to[at] = static_cast<unsigned char>(to[at] ^ (at[0] + with)); });
      });
    } else {
      queue().submit([&](sycl::handler &h) {
        sycl::accessor to(some, h);
        h.parallel_for(in.size, [=](sycl::id<D> at) { to[at] = mixed(to[at], with); });
      });
    }
    a.each(in, [&](size_t place, size_t at) {
      unsigned flips = 0;
      for (unsigned byte = 0; byte < 4; ++byte)
        flips |= ((unsigned(at) * 4 + byte + with) & 255) << 8 * byte;
      a.model[place] = bytes ? a.model[place] ^ flips : mixed(a.model[place], with);
    });
    note(bytes ? "bytes" : "part");
  }
  // Work-groups that turn their elements round in local memory.
  template <int D> void turn(area<D> &a) {
    if constexpr (D == 1) {
      const size_t local = size_t(1) << r(7), groups = a.size[0] / local;
      if (groups == 0)
        return;
      queue().submit([&](sycl::handler &h) {
        sycl::accessor to(*a.buffer, h);
        sycl::local_accessor<unsigned, 1> kept(sycl::range<1>(local), h);
        h.parallel_for(sycl::nd_range<1>(groups * local, local), [=](sycl::nd_item<1> it) {
          kept[it.get_local_id()] = to[it.get_global_id()];
          sycl::group_barrier(it.get_group());
          to[it.get_global_id()] = kept[local - 1 - it.get_local_id(0)];
        });
      });
      for (size_t g = 0; g < groups; ++g)
        std::reverse(a.model.begin() + g * local, a.model.begin() + (g + 1) * local);
      note("turn");
    }
  }
  template <int D> void sum(area<D> &a) {
    const region<D> in = a.any(r);
    sycl::buffer<unsigned> into(1);
    unsigned expected = 0;
    const bool begins = r.chance(2);
    if (begins) {
      sycl::host_accessor(into, sycl::write_only)[0] = 5;
      expected = 5;
    }
    queue().submit([&](sycl::handler &h) {
      sycl::accessor from(*a.buffer, h, in.size, in.offset, sycl::read_only);
      auto property = begins ? sycl::property_list{} : sycl::property_list{sycl::property::reduction::initialize_to_identity()};
      h.parallel_for(in.size, sycl::reduction(into, h, sycl::plus<unsigned>(), property), [=](sycl::id<D> at, auto &all) { all += from[at]; });
    });
    a.each(in, [&](size_t place, size_t) { expected += a.model[place]; });
    note("sum");
    check(sycl::host_accessor(into, sycl::read_only)[0], expected, "a sum", 0);
  }
  // A command group that throws leaves everything as it is; one without a command is nothing.
  template <int D> void leave(area<D> &a) {
    const bool throws = r.chance(2);
    try {
      queue().submit([&](sycl::handler &h) {
        sycl::accessor to(*a.buffer, h, sycl::write_only, sycl::no_init);
        if (throws)
          throw 1;
      });
    } catch (int) {
    }
    note(throws ? "throws" : "nothing");
  }
  // From a buffer into allocated memory and back.
  template <int D> void across(area<D> &a) {
    if (allocations.empty())
      return;
    allocation &to = allocations[r(unsigned(allocations.size()))];
    region<D> in = a.any(r);
    if (in.size.size() > to.model.size())
      return;
    const bool out = r.chance(2);
    unsigned *memory = to.memory;
    sycl::event done = to.queue.submit([&](sycl::handler &h) {
      h.depends_on(to.writes);
      if (out) {
        h.depends_on(to.reads);
        sycl::accessor from(*a.buffer, h, in.size, in.offset, sycl::read_only);
        h.copy(from, memory);
      } else {
        sycl::accessor into(*a.buffer, h, in.size, in.offset, sycl::write_only);
        h.copy(memory, into);
      }
    });
    if (out)
      to.writes = {done}, to.reads.clear();
    else
      to.reads.push_back(done);
    a.each(in, [&](size_t place, size_t at) { (out ? to.model[at] : a.model[place]) = out ? a.model[place] : to.model[at]; });
    note(out ? "toMemory" : "fromMemory");
  }

  // --- allocated memory
  template <class F> void write(allocation &a, F submit) {
    std::vector<sycl::event> before = a.writes;
    before.insert(before.end(), a.reads.begin(), a.reads.end());
    a.writes = {submit(before)};
    a.reads.clear();
  }
  void inMemory(allocation &a) {
    const unsigned n = unsigned(a.model.size()), first = r(n), some = 1 + r(n - first), with = r(1 << 20);
    unsigned *memory = a.memory;
    switch (r(9)) {
    case 0:
      write(a, [&](auto &before) {
        return a.queue.parallel_for(some, before, [=](sycl::id<1> at) { memory[first + at[0]] = mixed(memory[first + at[0]], with); });
      });
      for (unsigned at = first; at < first + some; ++at)
        a.model[at] = mixed(a.model[at], with);
      return note("kernel");
    case 1:
      write(a, [&](auto &before) { return a.queue.fill(memory + first, with, some, before); });
      std::fill_n(a.model.begin() + first, some, with);
      return note("usmFill");
    case 2:
      write(a, [&](auto &before) { return a.queue.memset(memory + first, int(with & 255), some * 4, before); });
      std::fill_n(a.model.begin() + first, some, (with & 255) * 0x01010101u);
      return note("memset");
    case 3: { // from another allocation of the queue's context
      allocation &b = allocations[r(unsigned(allocations.size()))];
      const unsigned m = unsigned(b.model.size()), start = r(m), size = std::min(some, m - start);
      if (&b == &a || b.queue.get_context() != a.queue.get_context() || b.queue.get_device() != a.queue.get_device())
        return;
      write(a, [&](auto before) {
        before.insert(before.end(), b.writes.begin(), b.writes.end());
        return a.queue.memcpy(memory + first, b.memory + start, size * 4, before);
      });
      b.reads.push_back(a.writes[0]);
      std::copy_n(b.model.begin() + start, size, a.model.begin() + first);
      return note("memcpy");
    }
    case 4: {
      std::vector<unsigned> out(some);
      a.queue.copy(memory + first, out.data(), some, a.writes).wait();
      note("copyBack");
      for (unsigned at = 0; at < some; ++at)
        check(out[at], a.model[first + at], "memory that was copied", at);
      return;
    }
    case 5: // the host waits for it, and writes where it can
      for (auto *events : {&a.writes, &a.reads})
        sycl::event::wait(*events);
      if (sycl::get_pointer_type(memory, a.queue.get_context()) != sycl::usm::alloc::device)
        for (unsigned at = first; at < first + some; ++at) {
          check(memory[at], a.model[at], "memory that the host sees", at);
          memory[at] = a.model[at] = mixed(at, with);
        }
      return note("host");
    case 6: { // a sum in its first element
      write(a, [&](auto &before) {
        return a.queue.parallel_for(sycl::range<1>(some), before, sycl::reduction(memory, sycl::plus<unsigned>()),
                                    [=](sycl::id<1> at, auto &all) { all += unsigned(at[0]) * with; });
      });
      for (unsigned at = 0; at < some; ++at)
        a.model[0] += at * with;
      return note("usmSum");
    }
    case 7: // a host task
      if (sycl::get_pointer_type(memory, a.queue.get_context()) == sycl::usm::alloc::device)
        return;
      write(a, [&](auto &before) {
        return a.queue.submit([&](sycl::handler &h) {
          h.depends_on(before);
          h.host_task([=] {
            for (unsigned at = first; at < first + some; ++at)
              memory[at] += with;
          });
        });
      });
      for (unsigned at = first; at < first + some; ++at)
        a.model[at] += with;
      return note("usmTask");
    default: graph(a);
    }
  }
  // A graph of a few kernels one after the other and side by side, run twice.
  void graph(allocation &a) {
    const unsigned n = unsigned(a.model.size()), half = n / 2, with = r(1 << 20), kernels = 1 + r(3);
    unsigned *memory = a.memory;
    graphs::command_graph made(a.queue.get_context(), a.queue.get_device());
    const bool recorded = r.chance(2);
    auto lower = [&](sycl::handler &h, unsigned k) { h.parallel_for(half, [=](sycl::id<1> at) { memory[at] = mixed(memory[at], with + k); }); };
    auto upper = [&](sycl::handler &h, unsigned k) {
      h.parallel_for(n - half, [=](sycl::id<1> at) { memory[half + at[0]] = mixed(memory[half + at[0]], with - k); });
    };
    if (recorded) {
      sycl::queue recorder(a.queue.get_context(), a.queue.get_device());
      made.begin_recording(recorder);
      std::optional<sycl::event> l, u;
      for (unsigned k = 0; k < kernels; ++k) {
        if (half)
          l = recorder.submit([&](sycl::handler &h) {
            if (l)
              h.depends_on(*l);
            lower(h, k);
          });
        u = recorder.submit([&](sycl::handler &h) {
          if (u)
            h.depends_on(*u);
          upper(h, k);
        });
      }
      made.end_recording();
    } else {
      std::optional<graphs::node> l, u;
      for (unsigned k = 0; k < kernels; ++k) {
        if (half) {
          graphs::node now = made.add([&](sycl::handler &h) { lower(h, k); });
          if (l)
            made.make_edge(*l, now);
          l = now;
        }
        graphs::node now = made.add([&](sycl::handler &h) { upper(h, k); });
        if (u)
          made.make_edge(*u, now);
        u = now;
      }
    }
    auto whole = made.finalize();
    for (int times = 0; times < 2; ++times) {
      write(a, [&](auto &before) {
        return a.queue.submit([&](sycl::handler &h) {
          h.depends_on(before);
          h.ext_oneapi_graph(whole);
        });
      });
      for (unsigned k = 0; k < kernels; ++k)
        for (unsigned at = 0; at < n; ++at)
          a.model[at] = mixed(a.model[at], at < half ? with + k : with - k);
    }
    note(recorded ? "recorded" : "graph");
  }

  void step() {
    if (areas.empty() || r.chance(25))
      return makeArea();
    if (r.chance(25))
      return makeAllocation();
    if (!allocations.empty() && r.chance(3))
      return inMemory(allocations[r(unsigned(allocations.size()))]);
    if (r.chance(30)) {
      const unsigned which = r(unsigned(areas.size()));
      note("destroy");
      std::visit([&](auto &a) { destroy(a); }, areas[which]);
      areas.erase(areas.begin() + which);
      return;
    }
    if (r.chance(30)) {
      note("wait");
      return r.chance(2) ? queue().wait() : queue().ext_oneapi_submit_barrier().wait();
    }
    std::visit(
        [&](auto &a) {
          switch (r(16)) {
          case 0:
          case 1:
          case 2: return change(a);
          case 3: return overwrite(a);
          case 4:
          case 5:
          case 6: return combine(a, r.chance(3));
          case 7: return copyOut(a);
          case 8: return copyIn(a);
          case 9: return fill(a);
          case 10: return onHost(a);
          case 11: return hostTask(a);
          case 12: return part(a);
          case 13: return turn(a);
          case 14: return r.chance(2) ? sum(a) : across(a);
          default: return r.chance(2) ? updateHost(a) : leave(a);
          }
        },
        areas[r(unsigned(areas.size()))]);
  }
  void finish() {
    for (any_area &a : areas)
      std::visit([&](auto &of) { destroy(of); }, a);
    for (allocation &a : allocations) {
      for (auto *events : {&a.writes, &a.reads})
        sycl::event::wait(*events);
      std::vector<unsigned> out(a.model.size());
      a.queue.memcpy(out.data(), a.memory, out.size() * 4).wait();
      for (size_t at = 0; at < out.size(); ++at)
        check(out[at], a.model[at], "memory at the end", at);
      sycl::free(a.memory, a.queue);
    }
  }
};

} // namespace

int main(int argc, char **argv) {
  auto argument = [&](int at, unsigned long long otherwise) { return argc > at ? std::strtoull(argv[at], nullptr, 10) : otherwise; };
  const unsigned long long first = argument(1, 0), end = first + argument(2, 100);
  std::vector<sycl::queue> queues;
  auto fail = [](sycl::exception_list all) {
    for (auto &error : all)
      std::rethrow_exception(error);
  };
  for (const sycl::device &d : sycl::device::get_devices()) {
    queues.emplace_back(d, fail);
    queues.emplace_back(d, fail, sycl::property_list{sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()});
    if (d.get_info<sycl::info::device::partition_max_sub_devices>() > 1)
      for (const sycl::device &part : d.create_sub_devices<sycl::info::partition_property::partition_equally>(1))
        queues.emplace_back(part, fail);
  }
  std::atomic<unsigned long long> wrong = queues.empty(), next = first;
  auto work = [&] {
    for (unsigned long long seed = next++; seed < end; seed = next++) {
      world w{seed, {seed * 2 + 1}, queues, {}, {}, {}};
      w.r(1);
      try {
        for (unsigned steps = 4 + w.r(60); steps > 0; --steps)
          w.step();
        w.finish();
      } catch (const sycl::exception &error) {
        std::printf("seed %llu: %s, after: %s\n", seed, error.what(), w.did.c_str());
        w.isRight = false;
      }
      wrong += !w.isRight;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned long long t = argument(3, 1); t > 0; --t)
    threads.emplace_back(work);
  for (auto &t : threads)
    t.join();
  std::printf("wrong %llu\n", wrong.load());
}
