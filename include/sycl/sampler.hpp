//! DPC++'s header of SYCL 1.2.1's `sampler`.
#pragma once
#include <sycl/legacy_image.hpp>
#include <sycl/image_sampler.hpp>
