//! `sycl::local_accessor`; lives beside accessor.
#pragma once
#include <sycl/accessor.hpp>
