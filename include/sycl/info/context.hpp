//! DPC++'s header of the descriptors of `context::get_info`. Source: SYCL 2020 §4.6.
#pragma once
#include <sycl/context.hpp>
