//! DPC++'s header of the names of backends.
#pragma once
#include <sycl/backend.hpp>
