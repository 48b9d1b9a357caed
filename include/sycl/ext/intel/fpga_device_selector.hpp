//! Selectors of programs for FPGAs. What emulates one is a CPU that runs the kernels as any other: Intel's emulator where it is installed, and
//! else a CPU device. Source: DPC++'s documentation of FPGA selectors.
#pragma once
#include <sycl/device.hpp>

namespace sycl::ext::intel {

/// A board. None of the backends here brings one but OpenCL with Intel's platform for them.
inline int fpga_selector_v(const device &d) {
  return d.get_platform().get_info<sycl::info::platform::name>() == "Intel(R) FPGA SDK for OpenCL(TM)" ? 1 : -1;
}
inline int fpga_emulator_selector_v(const device &d) {
  if (d.get_platform().get_info<sycl::info::platform::name>() == "Intel(R) FPGA Emulation Platform for OpenCL(TM)")
    return 2;
  return cpu_selector_v(d);
}
/// Simulators come with the platform of boards.
inline int fpga_simulator_selector_v(const device &d) { return fpga_selector_v(d); }

// Classes before 2023.
#define __ASPEN_SELECTOR(name)                                                                                                            \
  class name : public device_selector {                                                                                                    \
  public:                                                                                                                                  \
    int operator()(const device &d) const override { return name##_v(d); }                                                                \
  };
__ASPEN_SELECTOR(fpga_selector)
__ASPEN_SELECTOR(fpga_emulator_selector)
__ASPEN_SELECTOR(fpga_simulator_selector)
#undef __ASPEN_SELECTOR

} // namespace sycl::ext::intel
