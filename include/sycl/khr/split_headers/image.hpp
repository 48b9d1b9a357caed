//! Brings images, their accessors and samplers. Generated from data/split_headers.toml by `cargo xtask generate`; edit the table, not this file.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/image.hpp>
#include <sycl/image_accessor.hpp>
#include <sycl/image_sampler.hpp>
