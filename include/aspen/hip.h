/* hip.h: what images for AMD's GPUs and whoever launches them promise each other.
 *
 * An image is a code object: an ELF file for amdgcn-amd-amdhsa, of code object version 5. For every kernel it has a kernel descriptor
 * (`<symbol>.kd`) and metadata under the kernel's symbol, and its own parameters, by value, are those of cuda.h:
 *   the closure;
 *   aspen_cuda_launch_t, unless the launch is ASPEN_LAUNCH_SINGLE_TASK;
 *   one unused 32-bit number for ASPEN_LAUNCH_WORK_GROUPS.
 * The hidden arguments of that version follow, which HIP's runtime and HSA's fill: kernels read hidden_block_count and hidden_group_size.
 *
 * The grid is cuda.h's, in whole work-groups; ASPEN_LAUNCH_WORK_GROUPS has work-groups of one work-item. Local memory of the launch is dynamic LDS. Work-groups have 1024 work-items at most.
 */
#ifndef ASPEN_HIP_H
#define ASPEN_HIP_H

#include <aspen/cuda.h>

#endif
