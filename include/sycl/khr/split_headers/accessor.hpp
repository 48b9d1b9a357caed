//! Brings accessor, host_accessor, local_accessor. Generated from data/split_headers.toml by `cargo xtask generate`; edit the table, not this file.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/accessor.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/local_accessor.hpp>
