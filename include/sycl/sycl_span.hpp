//! DPC++'s header of `span`.
#pragma once
#include <sycl/span.hpp>
