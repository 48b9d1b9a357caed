//! Brings group, sub_group, group_barrier. Generated from data/split_headers.toml by `cargo xtask generate`; edit the table, not this file.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/group.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/sub_group.hpp>
