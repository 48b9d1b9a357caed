//! Brings type traits. Generated from data/split_headers.toml by `cargo xtask generate`; edit the table, not this file.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/device_traits.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/known_identity.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/property_list.hpp>
