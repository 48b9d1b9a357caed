//! SYCLcompat, a library for programs that come from CUDA. Source: SYCLcompat's README.
#pragma once
#include <syclcompat/syclcompat.hpp>
