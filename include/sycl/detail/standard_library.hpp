//! What programs expect `<sycl/sycl.hpp>` to bring, since the headers of every other implementation do. `ASPEN_LEAN_HEADERS` leaves it out.
#pragma once
#ifndef ASPEN_LEAN_HEADERS
#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#endif
