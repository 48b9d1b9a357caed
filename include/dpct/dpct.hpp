//! Where programs that SYCLomatic has migrated look for its helper headers. A copy of theirs in the program's own folders (`-I`) comes first.
#pragma once
#include <syclcompat/dpct.hpp>
