//! DPC++'s header of the properties of images. Source: SYCL 2020 §4.7.3.
#pragma once
#include <sycl/image.hpp>
#include <sycl/legacy_image.hpp>
