//! DPC++'s header of what descriptors of information are, which its tests include.
#pragma once
#include <sycl/info/info_desc.hpp>
