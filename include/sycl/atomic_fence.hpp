//! DPC++'s header of `atomic_fence`. Source: SYCL 2020 §4.15.1.
#pragma once
#include <sycl/atomic_ref.hpp>
