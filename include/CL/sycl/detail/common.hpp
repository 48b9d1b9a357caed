//! The name of before SYCL 2020.
#pragma once
#include <CL/sycl.hpp>
