// ASPEN_TRACE: what a program did, by queue and by thread, as trace events; a file that cannot be written is told, and changes nothing else.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_TRACE=trace.json ./a.out
//# stdout: 42
//# sh: python3 -m json.tool trace.json > pretty.json && echo JSON
//# stdout: JSON
//# sh: python3 read.py trace.json
//# stdout: check: first
//# stdout: load: image 'a_0' (native_cpu) of module 1
//# stdout: kernel first in a queue: Range [1, 1, 1000]
//# stdout: kernel second in a queue: NdRange [1, 1, 64] of [1, 1, 16]
//# stdout: copy of 168 bytes
//# stdout: host task in a queue
//# stdout: second waited for first
//# stdout: host task waited for second
//# stdout: every command was submitted on the main thread: True
//# stdout: lines do not overlap: True
//# stdout: every event is of the format: True
//# stdout: slices of a thread nest: True
//# run: env ASPEN_TRACE=/dev/full ./a.out
//# stdout: 42
//# stderr~: ^aspen: ASPEN_TRACE=/dev/full: the trace is not whole: No space left on device
//# run: env ASPEN_TRACE=missing/trace.json ./a.out
//# exit: 1
//# stdout~: ^ASPEN_TRACE=missing/trace.json: the trace cannot be written there: No such file or directory
#include <sycl/sycl.hpp>
#include <atomic>
#include <cstdio>
#include <thread>
class first;
class second;
static void run() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1000, q), home[42] = {};
  // Who is over when another command is submitted is not waited for, so nothing runs before all is submitted.
  std::atomic<bool> go{false};
  const sycl::event gate = q.submit([&](sycl::handler &h) {
    h.host_task([&] {
      while (!go)
        std::this_thread::yield();
    });
  });
  const sycl::event a = q.parallel_for<first>(sycl::range<1>(1000), gate, [=](sycl::id<1> i) { p[i] = int(i[0]); });
  const sycl::event b = q.parallel_for<second>(sycl::nd_range<1>(64, 16), a, [=](sycl::nd_item<1> i) { p[i.get_global_id(0)] += 1; });
  sycl::event last = q.submit([&](sycl::handler &h) {
    h.depends_on(b);
    h.host_task([=] { p[63] += 1; });
  });
  go = true;
  last.wait();
  q.memcpy(home, p, sizeof home).wait();
  std::printf("%d\n", home[41]);
  sycl::free(p, q);
}
int main() {
  try {
    run();
  } catch (const sycl::exception &e) {
    std::puts(e.what());
    return 1;
  }
}
//# file: read.py
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
host = next(e["pid"] for e in events if e["ph"] == "M" and e["args"]["name"] == "threads of the host")
slices = [e for e in events if e["ph"] == "X"]
for e in slices:
    if e["pid"] == host and e["cat"] in ("check", "load") and e["name"] != "second":
        print(f"{e['cat']}: {e['name']}")
commands = {e["args"]["command"]: e for e in slices if e["pid"] != host}
for e in commands.values():
    args = e["args"]
    if e["cat"] == "kernel":
        local = f" of {args['local']}" if "local" in args else ""
        print(f"kernel {e['name']} in a queue: {args['kind']} {args['global']}{local}")
    elif e["cat"] == "copy":
        print(f"copy of {args['bytes']} bytes")
    else:
        print(f"{e['cat']} in a queue")
def at(e):
    near = [c for c in commands.values() if (c["pid"], c["tid"]) == (e["pid"], e["tid"]) and c["ts"] <= e["ts"] <= c["ts"] + c["dur"]]
    return near[-1]["name"] if e["ph"] == "s" else near[0]["name"]
arrows = {}
for e in events:
    if e["ph"] in "sf":
        arrows.setdefault(e["id"], {})[e["ph"]] = e
for arrow in arrows.values():
    if arrow["s"]["cat"] == "waited for":
        print(f"{at(arrow['f'])} waited for {at(arrow['s'])}")
submits = [e for e in slices if e["cat"] == "submit"]
print("every command was submitted on the main thread:", sorted(e["args"]["command"] for e in submits) == sorted(commands) and {e["tid"] for e in submits} == {host})
lines = {}
for e in commands.values():
    lines.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
print("lines do not overlap:", all(a[1] <= b[0] + 1e-9 for line in lines.values() for a, b in zip(sorted(line), sorted(line)[1:])))
# "Trace Event Format": what each kind of event must have; perfetto's own reader would have to be downloaded.
text, whole, number = (lambda v: isinstance(v, str)), (lambda v: isinstance(v, int) and v >= 0), (lambda v: isinstance(v, (int, float)) and v >= 0)
always = {"name": text, "ph": text, "pid": whole, "tid": whole}
timed = {**always, "cat": text, "ts": number}
arrow = {**timed, "id": whole}
kinds = {
    "M": {**always, "args": lambda v: text(v["name"])},
    "X": {**timed, "dur": number},
    "s": arrow,
    "f": {**arrow, "bp": lambda v: v == "e"},
}
def is_event(e):
    needed = kinds.get(e.get("ph"), {"ph": lambda v: False})
    return all(key in e and test(e[key]) for key, test in needed.items()) and set(e) <= {*needed, "args"}
print("every event is of the format:", all(map(is_event, events)))
def nest(slices):
    open_until = []
    for begin, end in sorted(((round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)) for e in slices), key=lambda s: (s[0], -s[1])):
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        if open_until and end > open_until[-1]:
            return False
        open_until.append(end)
    return True
threads = {}
for e in slices:
    threads.setdefault((e["pid"], e["tid"]), []).append(e)
print("slices of a thread nest:", all(map(nest, threads.values())))
