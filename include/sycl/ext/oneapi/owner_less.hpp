//! DPC++'s header of `owner_less`.
#pragma once
#include <sycl/ext/oneapi/weak_object.hpp>
