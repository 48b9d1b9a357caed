//! `sycl::h_item`; lives beside group, which makes it.
#pragma once
#include <sycl/group.hpp>
