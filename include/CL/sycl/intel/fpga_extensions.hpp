//! The name of before 2020.
#pragma once
#include <CL/sycl/INTEL/fpga_extensions.hpp>
