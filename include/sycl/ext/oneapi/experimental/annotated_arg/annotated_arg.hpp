//! DPC++'s header of `annotated_arg`.
#pragma once
#include <sycl/ext/oneapi/experimental/annotated_arg.hpp>
