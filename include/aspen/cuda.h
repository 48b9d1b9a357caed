/* cuda.h: what images for NVIDIA's GPUs and the CUDA backend promise each other.
 *
 * An image is PTX or a cubin. For every kernel it has one entry under the kernel's symbol with '$' for every '.', and "$x" with two
 * hexadecimal digits for every other byte that names in PTX cannot have, and these parameters by value:
 *   the closure;
 *   aspen_cuda_launch_t, unless the launch is ASPEN_LAUNCH_SINGLE_TASK;
 *   one unused 32-bit number for ASPEN_LAUNCH_WORK_GROUPS.
 *
 * The grid, by kind of launch (x is the last dimension in SYCL's order):
 *   ASPEN_LAUNCH_SINGLE_TASK   one thread
 *   ASPEN_LAUNCH_RANGE         enough threads in x for all work-items of that dimension; any grid in y and z
 *   ASPEN_LAUNCH_ND_RANGE      one thread a work-item, one block a work-group
 *   ASPEN_LAUNCH_WORK_GROUPS   one block a work-group, of any number of threads in x; of one thread if the entry says `.maxntid 1`
 *
 * Local memory of the launch is the block's dynamic shared memory.
 */
#ifndef ASPEN_CUDA_H
#define ASPEN_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In SYCL's order and right-aligned: a 1-D launch uses index 2. */
typedef struct aspen_cuda_launch {
  uint64_t global_range[3]; /* ASPEN_LAUNCH_WORK_GROUPS: of groups */
  uint64_t offset[3];       /* added to ids */
  uint64_t local_range[3];  /* ASPEN_LAUNCH_WORK_GROUPS: the logical group; else as the device chose */
} aspen_cuda_launch_t;

#ifdef __cplusplus
}
#endif

#endif
