//! What DPC++'s own tests include in place of `<sycl/sycl.hpp>`. There it brings queues, buffers and the macros of all extensions; since
//! these stand in the extensions' headers here, it is all of SYCL.
#pragma once
#include <sycl/sycl.hpp>
