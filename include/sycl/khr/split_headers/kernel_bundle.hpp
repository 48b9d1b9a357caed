//! Brings kernels, their bundles and identifiers, specialization_id. Generated from data/split_headers.toml by `cargo xtask generate`; edit the table, not this file.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/specialization_id.hpp>
