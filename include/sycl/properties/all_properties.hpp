//! DPC++'s header of all of SYCL 2020's properties.
#pragma once
#include <sycl/properties/accessor_properties.hpp>
#include <sycl/properties/buffer_properties.hpp>
#include <sycl/properties/context_properties.hpp>
#include <sycl/properties/image_properties.hpp>
#include <sycl/properties/property_traits.hpp>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/properties/reduction_properties.hpp>
