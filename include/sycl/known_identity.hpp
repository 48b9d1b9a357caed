//! DPC++'s header of `has_known_identity`. Source: SYCL 2020 §4.17.2.
#pragma once
#include <sycl/functional.hpp>
