//! A register in a pipeline of an FPGA: nothing elsewhere. Source: sycl_ext_intel_fpga_reg.
#pragma once

namespace sycl::ext::intel {

template <class T> constexpr T fpga_reg(T value) { return value; }

} // namespace sycl::ext::intel
