/* Kernels of every kind: numbers come out right on any number of threads. */
#include "harness.h"
#include <aspen/native_cpu.h>
#include <time.h>

static void *shared(size_t size) {
  void *memory;
  OK(aspen_usm_alloc(first_device(), ASPEN_USM_SHARED, size, 0, &memory));
  CHECK(memory && (uintptr_t)memory % 128 == 0);
  return memory;
}

static aspen_queue_t *new_queue(uint32_t flags) {
  aspen_queue_t *queue;
  OK(aspen_queue_create(first_device(), flags, &queue));
  CHECK(aspen_queue_device(queue) == first_device());
  return queue;
}

static void tasks_and_ranges(int argc, char **argv) {
  (void)argc, (void)argv;
  aspen_queue_t *q = new_queue(0);
  long *counter = shared(sizeof *counter);
  *counter = 5;
  struct { long *c; long times, plus; } step = {counter, 3, 1};
  aspen_launch_t once = task_of("_ZTS4step", &step, sizeof step);
  run(q, &once);
  CHECK(*counter == 16);

  size_t sizes[][3] = {{1, 1, 1}, {1, 1, 5}, {1, 1, 4096}, {1, 1, 100003}, {1, 7, 9}, {4, 5, 6}, {300, 2, 1}};
  float *x = shared(100003 * sizeof *x), *y = shared(100003 * sizeof *y);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    size_t n = sizes[s][0] * sizes[s][1] * sizes[s][2];
    for (size_t i = 0; i < n; i++) x[i] = (float)(i % 1000) * 0.25f, y[i] = 1000.0f - (float)(i % 77);
    struct { const float *x; float *y; float a; } saxpy = {x, y, 2.0f};
    aspen_launch_t launch = range_of("_ZTS5saxpy", n, &saxpy, sizeof saxpy);
    launch.dimensions = sizes[s][0] > 1 ? 3 : sizes[s][1] > 1 ? 2 : 1;
    for (uint32_t d = 0; d < launch.dimensions; d++) {
      launch.global[d] = sizes[s][3 - launch.dimensions + d];
      launch.offset[d] = 10 * d + 1;
    }
    run(q, &launch);
    for (size_t i = 0; i < n; i++) CHECK(y[i] == 2.0f * ((float)(i % 1000) * 0.25f) + (1000.0f - (float)(i % 77)));
  }
  aspen_launch_t none = range_of("_ZTS5saxpy", 0, &sizes, 24);
  run(q, &none);
  aspen_usm_free(counter), aspen_usm_free(x), aspen_usm_free(y);
  aspen_queue_release(q);
}

static void barriers(int argc, char **argv) {
  (void)argc, (void)argv;
  aspen_queue_t *q = new_queue(0);
  int *in = shared(8192 * sizeof *in), *out = shared(8192 * sizeof *out);
  size_t locals[] = {1, 2, 3, 7, 16, 64, 100, 256, 1000, 1024};
  for (size_t l = 0; l < sizeof locals / sizeof *locals; l++) {
    size_t local = locals[l], groups = 8192 / local;
    for (size_t i = 0; i < groups * local; i++) in[i] = (int)(i * 7 % 31) - 15;
    struct { const int *in; int *out; } reduce = {in, out};
    aspen_launch_t launch = nd_of("_ZTS6reduce", groups * local, local, &reduce, sizeof reduce);
    launch.local_memory = local * sizeof(int);
    for (int round = 0; round < 3; round++) {
      memset(out, 0xff, groups * sizeof *out);
      run(q, &launch);
      for (size_t g = 0; g < groups; g++) {
        int sum = 0;
        for (size_t i = 0; i < local; i++) sum += in[g * local + i];
        CHECK(out[g] == sum);
      }
    }
  }
  struct { int *out; } stack = {out};
  aspen_launch_t deep = nd_of("_ZTS5stack", 256, 64, &stack, sizeof stack);
  run(q, &deep);
  for (int i = 0; i < 256; i++) CHECK(out[i] == 100 * 101 / 2);
  aspen_launch_t diverge = nd_of("_ZTS7diverge", 64, 8, NULL, 0);
  run(q, &diverge);
  CHECK(!aspen_queue_take_async_error(q)); /* items that have ended count as arrived */
  run(q, &deep);
  aspen_queue_release(q);
}

/* Argument: the sub-group size that `_ZTS8exchange<suffix>` must get. */
static void sub_groups(int argc, char **argv) {
  CHECK(argc == 2);
  uint32_t size = (uint32_t)atoi(argv[0]);
  char symbol[64];
  snprintf(symbol, sizeof symbol, "_ZTS8exchange%s", argv[1]);
  aspen_queue_t *q = new_queue(0);
  uint32_t *out = shared(4096 * 4), *sizes = shared(4096 * 4);
  long *sums = shared(4096 * sizeof *sums);
  uint32_t locals[] = {1, 5, 16, 40, 64, 100, 128};
  for (size_t l = 0; l < sizeof locals / sizeof *locals; l++) {
    uint32_t local = locals[l], groups = 12;
    struct { uint32_t *out, *sizes; long *sums; } exchange = {out, sizes, sums};
    aspen_launch_t launch = nd_of(symbol, groups * local, local, &exchange, sizeof exchange);
    run(q, &launch);
    for (uint32_t g = 0; g < groups; g++) {
      long sum = 0;
      for (uint32_t i = 0; i < local; i++) {
        uint32_t sub = i / size, lane = i % size, here = local - sub * size < size ? local - sub * size : size, acc = 0;
        for (uint32_t mask = 1; mask < size; mask *= 2) {
          uint32_t other = lane ^ mask;
          acc = acc * 31 + ((other < here ? sub * size + other : i) * 7 + 1);
        }
        CHECK(out[g * local + i] == acc);
        CHECK(sizes[g * local + i] == (here | size << 8 | sub << 16));
        sum += acc;
      }
      CHECK(sums[g] == sum);
    }
  }
  aspen_queue_release(q);
}

static void ids(int argc, char **argv) {
  (void)argc, (void)argv;
  aspen_queue_t *q = new_queue(0);
  aspen_cpu_item_t *items = shared(24 * 6 * 4 * sizeof *items);
  struct { aspen_cpu_item_t *out; } closure = {items};
  aspen_launch_t launch = nd_of("_ZTS3ids", 24, 12, &closure, sizeof closure);
  launch.dimensions = 3;
  uint64_t global[3] = {24, 6, 4}, local[3] = {12, 3, 2}, offset[3] = {1, 20, 300};
  memcpy(launch.global, global, sizeof global), memcpy(launch.local, local, sizeof local), memcpy(launch.offset, offset, sizeof offset);
  launch.local_memory = 100;
  run(q, &launch);
  for (uint64_t a = 0; a < 24; a++)
    for (uint64_t b = 0; b < 6; b++)
      for (uint64_t c = 0; c < 4; c++) {
        aspen_cpu_item_t *it = &items[(a * 6 + b) * 4 + c];
        uint64_t id[3] = {a, b, c};
        for (int d = 0; d < 3; d++) {
          CHECK(it->global_id[d] == id[d] + offset[d] && it->local_id[d] == id[d] % local[d] && it->group_id[d] == id[d] / local[d]);
          CHECK(it->global_range[d] == global[d] && it->local_range[d] == local[d] && it->group_range[d] == global[d] / local[d]);
          CHECK(it->offset[d] == offset[d]);
        }
        uint32_t linear = (uint32_t)((a % 12 * 3 + b % 3) * 2 + c % 2);
        CHECK(it->local_linear_id == linear && it->lane == linear % 32 && it->sub_group_id == linear / 32);
        CHECK(it->sub_group_count == 3 && it->sub_group_max_size == 32 && it->sub_group_size == (linear / 32 == 2 ? 8 : 32));
        CHECK((uintptr_t)it->local_memory % 128 == 0 && (uintptr_t)it->group_slots % 128 == 0);
      }
  aspen_launch_t two = nd_of("_ZTS3ids", 8, 4, &closure, sizeof closure);
  two.dimensions = 2;
  two.global[1] = 3, two.local[1] = 3;
  run(q, &two);
  CHECK(items[3 * 5 + 2].global_id[0] == 0 && items[3 * 5 + 2].global_id[1] == 5 && items[3 * 5 + 2].global_id[2] == 2);
  CHECK(items[0].global_range[0] == 1 && items[0].local_range[0] == 1 && items[0].local_range[1] == 4 && items[0].local_range[2] == 3);

  uint64_t *sizes = (uint64_t *)items;
  memset(sizes, 0, 100 * sizeof *sizes);
  struct { uint64_t *out; } hierarchy = {sizes};
  aspen_launch_t groups = launch_of("_ZTS9hierarchy", ASPEN_LAUNCH_WORK_GROUPS, &hierarchy, sizeof hierarchy);
  groups.global[0] = 100;
  run(q, &groups);
  for (int g = 0; g < 100; g++) CHECK(sizes[g] == 10000 + 100 + 1);
  groups.local[0] = 8;
  run(q, &groups);
  for (int g = 0; g < 100; g++) CHECK(sizes[g] == 2 * 10100 + 9);
  aspen_queue_release(q);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Prints what a launch costs; asserts only what no load of the machine can break. */
static void overhead(int argc, char **argv) {
  (void)argc, (void)argv;
  long *counter = shared(sizeof *counter);
  for (uint32_t flags = 0; flags < 2; flags++) {
    aspen_queue_t *q = new_queue(flags);
    struct { long *c; long times, plus; } step = {counter, 1, 1};
    aspen_launch_t launch = task_of("_ZTS4step", &step, sizeof step);
    *counter = 0;
    run(q, &launch);
    double best = 1e18;
    for (int round = 0; round < 10; round++) {
      double begin = now();
      for (int i = 0; i < 2000; i++) run(q, &launch);
      double each = (now() - begin) / 2000;
      if (each < best) best = each;
    }
    printf("%s single_task submit+wait ns=%.0f\n", flags ? "in-order" : "out-of-order", best);
    if (flags) {
      double begin = now();
      for (int i = 0; i < 20000; i++) OK(aspen_submit_kernel(q, &launch, NULL, NULL));
      double submitted = now();
      aspen_queue_wait(q);
      printf("in-order chain of 20000: submit ns=%.0f, with wait ns=%.0f each\n", (submitted - begin) / 20000, (now() - begin) / 20000);
      CHECK(*counter == 40001);
    }
    aspen_queue_release(q);
  }
  int *in = shared((1 << 20) * sizeof *in), *out = shared((1 << 14) * sizeof *out);
  for (int i = 0; i < 1 << 20; i++) in[i] = 1;
  struct { const int *in; int *out; } reduce = {in, out};
  aspen_queue_t *q = new_queue(0);
  aspen_launch_t launch = nd_of("_ZTS6reduce", 1 << 20, 256, &reduce, sizeof reduce);
  launch.local_memory = 1024;
  double begin = now();
  run(q, &launch);
  run(q, &launch);
  printf("reduction with 9 barriers ns=%.1f an item and barrier\n", (now() - begin) / 2 / (1 << 20) / 9);
  CHECK(out[7] == 256);
  aspen_queue_release(q);
}

const struct scenario basic_scenarios[] = {
    {"tasks_and_ranges", tasks_and_ranges}, {"barriers", barriers}, {"sub_groups", sub_groups},
    {"ids", ids},                           {"overhead", overhead}, {NULL, NULL}};
