//! Brings device, its descriptors and selectors, aspect. Generated from data/split_headers.toml by `cargo xtask generate`; edit the table, not this file.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/aspects.hpp>
#include <sycl/device.hpp>
#include <sycl/device_info.hpp>
#include <sycl/device_selector.hpp>
