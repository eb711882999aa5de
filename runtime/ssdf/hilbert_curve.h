#pragma once

#include <cstdint>

namespace abut::ssdf::internal {

// The index of a cell of a cube along Hilbert's curve: consecutive cells share a face.
//
// At every level the curve enters its cube at corner e and leaves it along axis d; the eight cubes of the
// next level follow a Gray code, mirrored by e and rotated by d [Hamilton, Compact Hilbert Indices, 2006].
// The pairs (e, d) are 24 states; for each state and each eighth a table holds the eighth's index in the
// order and the state within it.
class HilbertCurve {
 public:
  static constexpr int kLevels = 8;  // cells along an edge: 2^kLevels

  constexpr HilbertCurve() {
    for (unsigned e = 0; e < 8; ++e)
      for (unsigned d = 0; d < 3; ++d)
        for (unsigned eighth = 0; eighth < 8; ++eighth) {
          const unsigned place = place_in_gray_code(turned_right(eighth ^ e, d + 1));
          const unsigned next_e = e ^ turned_left(entry(place), d + 1);
          const unsigned next_d = (d + axis(place) + 1) % 3;
          steps_[3 * e + d][eighth] = static_cast<std::uint8_t>((3 * next_e + next_d) << 3 | place);
        }
  }

  // Coordinates must be below 2^kLevels.
  constexpr std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    std::uint32_t place = 0, state = 0;
    for (int level = kLevels - 1; level >= 0; --level) {
      const std::uint32_t eighth = (x >> level & 1) | (y >> level & 1) << 1 | (z >> level & 1) << 2;
      const std::uint32_t step = steps_[state][eighth];
      place = place << 3 | (step & 7);
      state = step >> 3;
    }
    return place;
  }

 private:
  static constexpr unsigned turned_left(unsigned bits, unsigned by) {
    return (bits << by % 3 | bits >> (3 - by % 3)) & 7;
  }
  static constexpr unsigned turned_right(unsigned bits, unsigned by) { return turned_left(bits, 3 - by % 3); }
  static constexpr unsigned gray_code(unsigned i) { return i ^ i >> 1; }
  static constexpr unsigned place_in_gray_code(unsigned code) { return code ^ code >> 1 ^ code >> 2; }
  // Corner at which the curve enters the eighth with that index, and the axis along which it crosses it.
  static constexpr unsigned entry(unsigned place) { return place == 0 ? 0 : gray_code((place - 1) & ~1U); }
  static constexpr unsigned axis(unsigned place) {
    if (place == 0) return 0;
    return trailing_ones(place % 2 == 0 ? place - 1 : place) % 3;
  }
  static constexpr unsigned trailing_ones(unsigned i) {
    unsigned count = 0;
    for (; i & 1; i >>= 1) ++count;
    return count;
  }

  std::uint8_t steps_[24][8] = {};  // 8 times the next state, plus the index
};

}  // namespace abut::ssdf::internal
