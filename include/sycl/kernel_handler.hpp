//! DPC++'s header of `kernel_handler`. Source: SYCL 2020 §4.9.6.
#pragma once
#include <sycl/specialization_id.hpp>
