//! DPC++'s header of the ways and targets of access. Source: SYCL 2020 §4.7.6.
#pragma once
#include <sycl/access.hpp>
