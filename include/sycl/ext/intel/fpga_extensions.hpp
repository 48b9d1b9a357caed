//! What of Intel's extensions for FPGAs means something on other devices: hints about hardware, which change no result, and selectors. Pipes are
//! absent (absent.hpp). Programs for all devices include this.
#pragma once
#include <sycl/ext/intel/fpga_device_selector.hpp>
#include <sycl/ext/intel/fpga_lsu.hpp>
#include <sycl/ext/intel/fpga_reg.hpp>
