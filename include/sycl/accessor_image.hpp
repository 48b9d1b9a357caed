//! DPC++'s header of accessors of images. Source: SYCL 2020 §4.7.6.13.
#pragma once
#include <sycl/image_accessor.hpp>
#include <sycl/legacy_image.hpp>
