//! DPC++'s header of group_barrier. Source: SYCL 2020 §4.17.3.
#pragma once
#include <sycl/nd_item.hpp>
