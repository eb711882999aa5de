#pragma once

#include <cstdint>
#include <utility>

#include "runtime/math/pose.h"
#include "runtime/witness/direction_cell.h"

namespace abut::preprocess {

// Index of the cell at column x, row y along the Hilbert curve through a square of 2^bits cells a side.
constexpr std::uint64_t hilbert_index(std::uint32_t x, std::uint32_t y, int bits) {
  std::uint64_t index = 0;
  for (std::uint32_t s = 1u << (bits - 1); s > 0; s /= 2) {
    const bool right = (x & s) != 0, up = (y & s) != 0;
    index += std::uint64_t(s) * s * ((right ? 3u : 0u) ^ (up ? 1u : 0u));
    // Transform the quadrant so that its curve has the standard orientation.
    if (!up) {
      if (right) {
        x = s - 1 - (x & (s - 1));
        y = s - 1 - (y & (s - 1));
      }
      std::swap(x, y);
    }
    x &= s - 1;
    y &= s - 1;
  }
  return index;
}

// Key of a direction (any length) along a Hilbert curve on each face of the direction cube, the faces one
// after the other: sorting by it places similar directions close to each other.
inline std::uint64_t hilbert_key(const Vec3<double>& direction) {
  constexpr int kBits = 10;
  constexpr std::int32_t k = 1 << kBits;
  const std::int32_t cell = witness::direction_cell<double>(direction, k);
  // Faces are numbered in opposite pairs; the order +x, +y, +z, -x, -y, -z makes consecutive faces adjacent.
  const std::int32_t face = cell / (k * k);
  const auto rank = static_cast<std::uint64_t>(face) / 2 + 3 * (static_cast<std::uint64_t>(face) % 2);
  const auto column = static_cast<std::uint32_t>(cell % k), row = static_cast<std::uint32_t>(cell / k % k);
  return rank << (2 * kBits) | hilbert_index(column, row, kBits);
}

}  // namespace abut::preprocess
