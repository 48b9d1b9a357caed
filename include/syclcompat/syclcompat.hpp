//! All of SYCLcompat: what programs that come from CUDA know (dim3, free functions as kernels, a current device and its queue) in SYCL.
//! Nothing in <sycl/> knows of it, and <sycl/sycl.hpp> does not include it.
//! Source: SYCLcompat's README, of which each header implements a section.
#pragma once
#include <syclcompat/atomic.hpp>
#include <syclcompat/defs.hpp>
#include <syclcompat/device.hpp>
#include <syclcompat/dims.hpp>
#include <syclcompat/group_utils.hpp>
#include <syclcompat/id_query.hpp>
#include <syclcompat/kernel.hpp>
#include <syclcompat/kernel_launcher.hpp>
#include <syclcompat/launch.hpp>
#include <syclcompat/launch_policy.hpp>
#include <syclcompat/math.hpp>
#include <syclcompat/memory.hpp>
#include <syclcompat/traits.hpp>
#include <syclcompat/util.hpp>
