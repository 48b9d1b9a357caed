// What both sides compute from: the same numbers on host and device. `BOTH`: what makes a function one for the device, too, if that is needed.
#pragma once
#ifndef BOTH
#define BOTH
#endif

namespace bench {

constexpr unsigned items = 1u << 25;    // of histogram and scan
constexpr unsigned sorted = 1u << 22;   // of the sort
constexpr unsigned rows = 1u << 19;     // of the sparse matrix
constexpr unsigned filled = 64;         // places of each of them that are not zero
constexpr unsigned doubles = 1u << 26;  // of STREAM
constexpr unsigned groups = 132 * 8;    // of what strides over its items

BOTH inline unsigned mixed(unsigned i) {
  const unsigned m = (i + 1) * 2654435769u;
  return m ^ (m >> 15);
}
BOTH inline unsigned small_number(unsigned i) { return mixed(i) & 7; }
/// The column of a row's place: near the diagonal, as in matrices of meshes.
BOTH inline unsigned column(unsigned row, unsigned place) { return (row + mixed(row * filled + place) % 4096) % rows; }
BOTH inline float element(unsigned row, unsigned place) { return static_cast<float>(mixed(row ^ place) % 16) * 0.25f; }
BOTH inline float factor(unsigned i) { return static_cast<float>(i % 8) * 0.5f; }

} // namespace bench
