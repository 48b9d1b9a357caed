//! The name of before 2022.
#pragma once
#include <CL/sycl/INTEL/fpga_extensions.hpp>
