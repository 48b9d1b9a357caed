/* Device code for the ABI tests: what aspen++ would make of SYCL kernels for native_cpu, written by hand. One image is all of it; macros
 * rename single kernels so that images with other requirements can be cut from the same source. */
#include <aspen/native_cpu.h>

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#ifndef SUFFIX
#define SUFFIX
#endif
#define KERNEL(name) __attribute__((visibility("default"))) void CAT(name, SUFFIX)

/* y += a * x over a box, by linear id without offset. */
struct saxpy { const float *x; float *y; float a; };
KERNEL(_ZTS5saxpy)(const void *closure, const aspen_cpu_range_t *r) {
  const struct saxpy *f = closure;
  for (uint64_t i = r->begin[0]; i < r->end[0]; i++)
    for (uint64_t j = r->begin[1]; j < r->end[1]; j++)
      for (uint64_t k = r->begin[2]; k < r->end[2]; k++) {
        uint64_t n = ((i - r->offset[0]) * r->global_range[1] + (j - r->offset[1])) * r->global_range[2] + (k - r->offset[2]);
        f->y[n] += f->a * f->x[n];
      }
}

/* Adds to a counter: order matters to whoever reads it. */
struct step { long *counter; long times; long plus; };
KERNEL(_ZTS4step)(const void *closure, const aspen_cpu_range_t *r) {
  const struct step *f = closure;
  (void)r;
  *f->counter = *f->counter * f->times + f->plus;
}

/* Spins until told to go on. */
struct gate { volatile int *open; };
KERNEL(_ZTS4gate)(const void *closure, const aspen_cpu_range_t *r) {
  const struct gate *f = closure;
  (void)r;
  while (!__atomic_load_n(f->open, __ATOMIC_ACQUIRE)) __builtin_ia32_pause();
}

/* Which image is this? The number is patched into the bytes. */
#ifndef WHICH
#define WHICH 0x600dcafe
#endif
volatile int aspen_test_which = WHICH;
struct which { int *out; };
KERNEL(_ZTS5which)(const void *closure, const aspen_cpu_range_t *r) {
  const struct which *f = closure;
  (void)r;
  *f->out = aspen_test_which;
}

/* Sum of each work-group by a tree in local memory. */
struct reduce { const int *in; int *out; };
KERNEL(_ZTS6reduce)(const void *closure, aspen_cpu_item_t *it) {
  const struct reduce *f = closure;
  int *l = (int *)it->local_memory;
  uint32_t me = it->local_linear_id, n = (uint32_t)(it->local_range[0] * it->local_range[1] * it->local_range[2]);
  uint64_t g = (it->group_id[0] * it->group_range[1] + it->group_id[1]) * it->group_range[2] + it->group_id[2];
  l[me] = f->in[g * n + me];
  for (uint32_t s = 1; s < n; s *= 2) {
    it->ops->group_barrier(it);
    if (me % (2 * s) == 0 && me + s < n) l[me] += l[me + s];
  }
  it->ops->group_barrier(it);
  if (me == n - 1) f->out[g] = l[0];
}

/* Every lane takes the value of lane ^ mask, for all masks, through the slots; then the group's first item sums the group's slots. */
struct exchange { uint32_t *out; uint32_t *sizes; long *sums; };
KERNEL(_ZTS8exchange)(const void *closure, aspen_cpu_item_t *it) {
  const struct exchange *f = closure;
  uint32_t n = (uint32_t)it->local_range[2], v = it->local_linear_id * 7 + 1, acc = 0;
  uint64_t base = it->group_id[2] * n;
  for (uint32_t mask = 1; mask < it->sub_group_max_size; mask *= 2) {
    uint32_t other = it->lane ^ mask;
    *(uint32_t *)(it->sub_group_slots + (size_t)it->lane * ASPEN_CPU_SLOT_SIZE) = v;
    it->ops->sub_group_barrier(it);
    acc = acc * 31 + (other < it->sub_group_size ? *(uint32_t *)(it->sub_group_slots + (size_t)other * ASPEN_CPU_SLOT_SIZE) : v);
    it->ops->sub_group_barrier(it);
  }
  f->out[base + it->local_linear_id] = acc;
  f->sizes[base + it->local_linear_id] = it->sub_group_size | it->sub_group_max_size << 8 | it->sub_group_id << 16;
  *(long *)(it->group_slots + (size_t)it->local_linear_id * ASPEN_CPU_SLOT_SIZE) = acc;
  it->ops->group_barrier(it);
  if (it->local_linear_id == 0) {
    long sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += *(long *)(it->group_slots + (size_t)i * ASPEN_CPU_SLOT_SIZE);
    f->sums[it->group_id[2]] = sum;
  }
}

/* All that an item says of itself. */
struct ids { aspen_cpu_item_t *out; };
KERNEL(_ZTS3ids)(const void *closure, aspen_cpu_item_t *it) {
  const struct ids *f = closure;
  uint64_t n = 0;
  for (int d = 0; d < 3; d++) n = n * it->global_range[d] + (it->global_id[d] - it->offset[d]);
  f->out[n] = *it;
}

/* Half of the items never reach the barrier. */
KERNEL(_ZTS7diverge)(const void *closure, aspen_cpu_item_t *it) {
  (void)closure;
  if (it->local_linear_id % 2) it->ops->group_barrier(it);
}

/* Once a group: writes the logical group's size. */
struct hierarchy { uint64_t *out; };
KERNEL(_ZTS9hierarchy)(const void *closure, aspen_cpu_item_t *it) {
  const struct hierarchy *f = closure;
  it->ops->group_barrier(it);
  uint64_t g = (it->group_id[0] * it->group_range[1] + it->group_id[1]) * it->group_range[2] + it->group_id[2];
  f->out[g] += it->local_range[0] * 10000 + it->local_range[1] * 100 + it->local_range[2];
}

/* Deep frames and a barrier in each: a stack of its own for every item. */
static int deep(aspen_cpu_item_t *it, int depth) {
  volatile char frame[1024];
  frame[depth] = (char)depth;
  if (depth == 100) {
    it->ops->group_barrier(it);
    return frame[depth];
  }
  int below = deep(it, depth + 1);
  return below + frame[depth];
}
struct stack { int *out; };
KERNEL(_ZTS5stack)(const void *closure, aspen_cpu_item_t *it) {
  const struct stack *f = closure;
  f->out[it->global_id[2]] = deep(it, 0);
}
