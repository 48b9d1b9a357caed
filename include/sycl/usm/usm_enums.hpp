//! DPC++'s header of `usm::alloc`. Source: SYCL 2020 §4.8.2.
#pragma once
#include <sycl/usm.hpp>
