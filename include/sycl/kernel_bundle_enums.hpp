//! DPC++'s header of `bundle_state`. Source: SYCL 2020 §4.11.3.
#pragma once
#include <sycl/kernel_bundle.hpp>
