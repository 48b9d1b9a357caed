//! DPC++'s header of the properties of contexts. Source: SYCL 2020 §4.6.3.
#pragma once
#include <sycl/context.hpp>
