//! Brings mathematical functions, in native and half precision, too. Generated from data/split_headers.toml by `cargo xtask generate`; edit the table, not this file.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/math.hpp>
#include <sycl/vec_math.hpp>
