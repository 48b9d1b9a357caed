//! DPC++'s header of `usm_allocator`. Source: SYCL 2020 §4.8.4.
#pragma once
#include <sycl/usm.hpp>
