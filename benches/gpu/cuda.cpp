// Runs kernels.cu by the driver, which is opened at run time: cuda FILE.cubin. No toolkit is needed to build it.
#include "measure.h"
#include <cmath>
#include <cstdint>
#include <dlfcn.h>

using namespace bench;
constexpr const char *side = "peer";
typedef std::uint64_t address;

// Source: NVIDIA "CUDA Driver API"; handles are pointers.
#define FUNCTIONS(X)                                                                                                                       \
  X(cuInit, int (*)(unsigned))                                                                                                             \
  X(cuDeviceGet, int (*)(int *, int))                                                                                                      \
  X(cuDevicePrimaryCtxRetain, int (*)(void **, int))                                                                                       \
  X(cuCtxSetCurrent, int (*)(void *))                                                                                                      \
  X(cuModuleLoad, int (*)(void **, const char *))                                                                                          \
  X(cuModuleGetFunction, int (*)(void **, void *, const char *))                                                                           \
  X(cuStreamCreate, int (*)(void **, unsigned))                                                                                            \
  X(cuStreamSynchronize, int (*)(void *))                                                                                                  \
  X(cuMemAlloc_v2, int (*)(address *, std::size_t))                                                                                        \
  X(cuMemFree_v2, int (*)(address))                                                                                                        \
  X(cuMemAllocAsync, int (*)(address *, std::size_t, void *))                                                                              \
  X(cuMemFreeAsync, int (*)(address, void *))                                                                                              \
  X(cuDeviceGetDefaultMemPool, int (*)(void **, int))                                                                                      \
  X(cuMemPoolSetAttribute, int (*)(void *, int, void *))                                                                                   \
  X(cuMemcpyHtoDAsync_v2, int (*)(address, const void *, std::size_t, void *))                                                             \
  X(cuMemcpyDtoHAsync_v2, int (*)(void *, address, std::size_t, void *))                                                                   \
  X(cuMemsetD32Async, int (*)(address, unsigned, std::size_t, void *))                                                                     \
  X(cuLaunchKernel, int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))
#define X(name, ...) static decltype(static_cast<__VA_ARGS__>(nullptr)) name;
FUNCTIONS(X)
#undef X

static void tried(int error, const char *what) {
  if (error != 0) {
    std::printf("%s: error %d of the CUDA driver\n", what, error);
    std::exit(1);
  }
}
#define TRY(call) tried(call, #call)

static void *module, *stream;
static void *kernel(const char *name) {
  void *out = nullptr;
  TRY(cuModuleGetFunction(&out, module, name));
  return out;
}
static address memory(std::size_t bytes) {
  address out = 0;
  TRY(cuMemAlloc_v2(&out, bytes));
  return out;
}
struct shape {
  unsigned x, y, threads_x, threads_y;
};
template <class... A> static void start(void *k, shape s, A... a) {
  void *arguments[sizeof...(A) + 1] = {&a...};
  TRY(cuLaunchKernel(k, s.x, s.y, 1, s.threads_x, s.threads_y, 1, 0, stream, arguments, nullptr));
}
static void wait() { TRY(cuStreamSynchronize(stream)); }
template <class T> static T at(address from) {
  T out{};
  TRY(cuMemcpyDtoHAsync_v2(&out, from, sizeof out, stream));
  wait();
  return out;
}

static void memory_bound() {
  const address x = memory(4ull * floats), y = memory(4ull * floats), sum = memory(4);
  const shape all{floats / 256, 1, 256, 1};
  start(kernel("start"), all, x, y);
  void *const saxpy = kernel("saxpy"), *const sums = kernel("sums"), *const reduce = kernel("reduce"), *const fold = kernel("fold");
  for (const char *label : {"saxpy, range", "saxpy, work-groups"})
    measure(side, label, 20, [&] { start(saxpy, all, y, x, 2.f, int(floats)); }, wait);
  right(side, "saxpy", at<float>(y + 4ull * (floats - 1)) == 1 + 2 * 3.f * 2 * 6 * 20);
  measure(
      side, "reduction, range", 20,
      [&] {
        TRY(cuMemsetD32Async(sum, 0, 1, stream));
        start(reduce, {132 * 8, 1, 256, 1}, sum, x, int(floats));
      },
      wait);
  right(side, "reduction, range", std::abs(at<float>(sum) / (1.5f * floats) - 1) < 1e-4f);
  measure(
      side, "reduction, groups of 256", 5,
      [&] {
        start(sums, all, y, x);
        start(fold, {1, 1, 1024, 1}, sum, y, int(floats / 256));
      },
      wait);
  right(side, "reduction, groups of 256", std::abs(at<float>(sum) / (1.5f * floats) - 1) < 1e-4f);
  measure(side, "sums of groups", 20, [&] { start(sums, all, y, x); }, wait);
  right(side, "sums of groups", at<float>(y + 4 * 77) == 384);
  measure(side, "fill of doubles", 20, [&] { start(kernel("fill"), {floats / 512, 1, 256, 1}, x, 1.5, int(floats / 2)); }, wait);
  for (address p : {x, y, sum})
    TRY(cuMemFree_v2(p));
}

static void arithmetic() {
  const address p = memory(16ull * bodies), f = memory(16ull * bodies), v = memory(16ull * vectors);
  start(kernel("place_bodies"), {bodies / 256, 1, 256, 1}, p);
  void *const nbody = kernel("nbody"), *const terms = kernel("arithmetic");
  measure(side, "n-body", 5, [&] { start(nbody, {bodies / 256, 1, 256, 1}, f, p, int(bodies)); }, wait);
  TRY(cuMemsetD32Async(v, 0x3f000000, 4ull * vectors, stream));
  measure(side, "float4 arithmetic", 10, [&] { start(terms, {vectors / 256, 1, 256, 1}, v); }, wait);
  for (address a : {p, f, v})
    TRY(cuMemFree_v2(a));
}

static void two_dimensions() {
  const std::size_t cells = std::size_t(field) * field, all = std::size_t(matrix) * matrix;
  const address in = memory(4 * cells), out = memory(4 * cells);
  std::vector<float> host(cells);
  for (unsigned i = 0; i < cells; ++i)
    host[i] = first(i);
  TRY(cuMemcpyHtoDAsync_v2(in, host.data(), 4 * cells, stream));
  void *const stencil = kernel("stencil"), *const product = kernel("product");
  measure(side, "stencil", 20, [&] { start(stencil, {field / 256, field, 256, 1}, out, in, int(field)); }, wait);
  const unsigned k = 5000 * field + 8191;
  right(side, "stencil", std::abs(at<float>(out + 4ull * k) - (0.5f * host[k] + 0.125f * (host[k - 1] + host[k + 1] + host[k - field] + host[k + field]))) < 1e-5f);
  const address a = memory(4 * all), b = memory(4 * all), c = memory(4 * all);
  TRY(cuMemsetD32Async(a, 0x3f000000, all, stream));
  TRY(cuMemsetD32Async(b, 0x3e800000, all, stream));
  measure(side, "matrix product, tiles of 16", 3, [&] { start(product, {matrix / 16, matrix / 16, 16, 16}, c, a, b, int(matrix)); }, wait);
  right(side, "matrix product, tiles of 16", at<float>(c + 4 * 12345) == 512);
  for (address p : {in, out, a, b, c})
    TRY(cuMemFree_v2(p));
}

static void stream_of_doubles() {
  const address a = memory(8ull * doubles), b = memory(8ull * doubles), c = memory(8ull * doubles), sum = memory(8);
  const shape all{doubles / 256, 1, 256, 1};
  start(kernel("begin_stream"), all, a, b, c);
  void *const copy = kernel("copy"), *const scale = kernel("scale"), *const add = kernel("add"), *const triad = kernel("triad"), *const dot = kernel("dot");
  measure(side, "STREAM copy", 20, [&] { start(copy, all, c, a); }, wait);
  measure(side, "STREAM scale", 20, [&] { start(scale, all, b, c); }, wait);
  measure(side, "STREAM add", 20, [&] { start(add, all, c, a, b); }, wait);
  measure(side, "STREAM triad", 20, [&] { start(triad, all, a, b, c); }, wait);
  measure(
      side, "STREAM dot", 20,
      [&] {
        TRY(cuMemsetD32Async(sum, 0, 2, stream));
        start(dot, {groups, 1, 256, 1}, sum, a, b, int(doubles));
      },
      wait);
  right(side, "STREAM", stream_is_right(at<double>(a + 8ull * (doubles - 1)), at<double>(sum)));
  for (address p : {a, b, c, sum})
    TRY(cuMemFree_v2(p));
}

template <class T> static std::vector<T> all_of(address from, std::size_t count) {
  std::vector<T> out(count);
  TRY(cuMemcpyDtoHAsync_v2(out.data(), from, sizeof(T) * count, stream));
  wait();
  return out;
}

static void algorithms() {
  const address x = memory(4ull * items), y = memory(4ull * items), few = memory(4ull * items / 1024);
  start(kernel("mix"), {items / 256, 1, 256, 1}, x);
  TRY(cuMemsetD32Async(few, 0, bins, stream));
  void *const histogram = kernel("histogram");
  measure(side, "histogram", 20, [&] { start(histogram, {groups, 1, 256, 1}, few, x, int(items)); }, wait);
  right(side, "histogram", histogram_is_right(all_of<unsigned>(few, bins), 6 * 20));
  void *const step = kernel("sort_step");
  measure(
      side, "bitonic sort", 3,
      [&] {
        for (unsigned size = 2; size <= sorted; size *= 2)
          for (unsigned distance = size / 2; distance > 0; distance /= 2)
            start(step, {sorted / 512, 1, 256, 1}, x, size, distance);
      },
      wait);
  right(side, "bitonic sort", sort_is_right(all_of<unsigned>(x, sorted)));
  start(kernel("small_numbers"), {items / 256, 1, 256, 1}, x);
  void *const blocks = kernel("scan_blocks"), *const totals = kernel("scan_totals"), *const add = kernel("scan_add");
  measure(
      side, "scan", 20,
      [&] {
        start(blocks, {items / 1024, 1, 256, 1}, y, few, x);
        start(totals, {1, 1, 1024, 1}, few, int(items / 1024));
        start(add, {items / 1024, 1, 256, 1}, y, few);
      },
      wait);
  right(side, "scan", scan_is_right(all_of<unsigned>(y, items)));
  for (address p : {x, y, few})
    TRY(cuMemFree_v2(p));
  const address columns = memory(4ull * rows * filled), elements = memory(4ull * rows * filled), factors = memory(4ull * rows), out = memory(4ull * rows);
  start(kernel("place_elements"), {rows / 256, 1, 256, 1}, columns, elements);
  start(kernel("place_factors"), {rows / 256, 1, 256, 1}, factors);
  void *const sparse = kernel("sparse");
  measure(side, "SpMV, a sub-group a row", 20, [&] { start(sparse, {rows / 8, 1, 256, 1}, out, columns, elements, factors); }, wait);
  right(side, "SpMV", product_is_right(all_of<float>(out, rows)));
  for (address p : {columns, elements, factors, out})
    TRY(cuMemFree_v2(p));
}

static void launches(int device) {
  const address p = memory(4);
  void *const nothing = kernel("nothing"), *const one = kernel("one"), *const increase = kernel("increase");
  const shape single{1, 1, 1, 1};
  measure(side, "empty kernel and its wait", 2000, [&] { start(nothing, single), wait(); }, [] {});
  measure(side, "10000 in order", 10000, [&] { start(one, single, p); }, wait);
  void *streams[8], *const own = stream;
  for (void *&s : streams)
    TRY(cuStreamCreate(&s, 1));
  unsigned turn = 0;
  measure(
      side, "10000 that follow nothing", 10000,
      [&] {
        stream = streams[turn++ % 8];
        start(one, single, p);
      },
      [&] {
        for (void *s : streams)
          TRY(cuStreamSynchronize(s));
      });
  stream = own;
  // The pool keeps what is freed. CU_MEMPOOL_ATTR_RELEASE_THRESHOLD is 4.
  void *pool = nullptr;
  std::uint64_t most = ~0ull;
  TRY(cuDeviceGetDefaultMemPool(&pool, device));
  TRY(cuMemPoolSetAttribute(pool, 4, &most));
  std::vector<float> host(1024, 1.f);
  measure(
      side, "small buffer", 300,
      [&] {
        address b = 0;
        TRY(cuMemAllocAsync(&b, 4096, stream));
        TRY(cuMemcpyHtoDAsync_v2(b, host.data(), 4096, stream));
        start(increase, {4, 1, 256, 1}, b);
        TRY(cuMemcpyDtoHAsync_v2(host.data(), b, 4096, stream));
        TRY(cuMemFreeAsync(b, stream));
        wait();
      },
      [] {});
  right(side, "small buffer", host[7] == 1 + 6 * 300);
}

int main(int count, char **arguments) {
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (count != 2 || !driver) {
    std::printf("usage: %s FILE.cubin, where NVIDIA's driver is (%s)\n", arguments[0], driver ? "found" : "not found");
    return 1;
  }
#define X(name, ...)                                                                                                                       \
  name = reinterpret_cast<decltype(name)>(dlsym(driver, #name));                                                                           \
  tried(name ? 0 : -1, #name);
  FUNCTIONS(X)
#undef X
  int device = 0;
  void *context = nullptr;
  TRY(cuInit(0));
  TRY(cuDeviceGet(&device, 0));
  TRY(cuDevicePrimaryCtxRetain(&context, device));
  TRY(cuCtxSetCurrent(context));
  TRY(cuModuleLoad(&module, arguments[1]));
  TRY(cuStreamCreate(&stream, 1));
  memory_bound();
  arithmetic();
  two_dimensions();
  stream_of_doubles();
  algorithms();
  launches(device);
  return wrong != 0;
}
