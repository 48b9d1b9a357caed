//! What run_reductions asks, of the way that GPUs reduce (reduce_groups.hpp), on every device.
#define __ASPEN_REDUCE_IN_GROUPS
#include "run_reductions.cpp"
