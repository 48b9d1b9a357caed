//! `sycl::id`; lives beside range, on which it depends.
#pragma once
#include <sycl/range.hpp>
