#include "runtime/contact/pressure_field/filter_leaf.h"

#include <cmath>
#include <limits>

namespace abut::contact {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Steepest pressure (Pa/m) for which pressures are tested; only tiny bodies exceed it. Beyond it products
// would overflow, so the strength is set to kOverAll (Pa), whose rounding exceeds any pressure and makes
// every test pass.
constexpr float kSteepest = 1e30f, kOverAll = 1e30f;
// Lower bound of sizes (m), whose rounding then covers the underflow of the smallest floats.
constexpr float kLeastSize = 1e-32f;

// Reads tetrahedra; lanes beyond `count` repeat the first.
void read(const asset::VolumeView& volume, double modulus, std::int32_t first, int count,
          FourTetrahedra& four) {
  const auto strength = static_cast<float>(modulus);
  for (int lane = 0; lane < 4; ++lane) {
    const std::ptrdiff_t t = first + (lane < count ? lane : 0);
    for (int k = 0; k < 4; ++k) {
      const std::ptrdiff_t v = volume.tetrahedra[4 * t + k];
      const double *p = volume.vertices + 3 * v, *plane = volume.face_planes + 16 * t + 4 * k;
      for (int i = 0; i < 3; ++i) four.corners[k][i][lane] = static_cast<float>(p[i]);
      four.corners[k][3][lane] = strength * static_cast<float>(volume.extent[v]);
      for (int i = 0; i < 4; ++i) four.faces[k][i][lane] = static_cast<float>(plane[i]);
    }
    for (int i = 0; i < 3; ++i)
      four.gradient[i][lane] = strength * static_cast<float>(volume.gradients[3 * t + i]);
  }
}

ABUT_INLINE void turn(const Pose<float>& X, Quad* v) {
  const Quad x = v[0], y = v[1], z = v[2];
  for (int i = 0; i < 3; ++i) v[i] = X.R(i, 0) * x + X.R(i, 1) * y + X.R(i, 2) * z;
}

// Moves the tetrahedra to the frame of the query (null: they stay) and computes bounds of the coordinates'
// magnitude.
void place(const Pose<float>* X, FourTetrahedra& four) {
  four.size = four.face_size = Quad{};
  for (int k = 0; k < 4; ++k) {
    Quad *c = four.corners[k], *n = four.faces[k], sum{}, part{};
    for (int i = 0; i < 3; ++i) {
      size_of(c[i], part);
      sum += part;
    }
    raise(sum, four.size);
    size_of(n[3], part);
    raise(part, four.face_size);
    raise(Quad{} + kLeastSize, four.size);
    raise(Quad{} + kLeastSize, four.face_size);
    if (X == nullptr) continue;
    turn(*X, c);
    for (int i = 0; i < 3; ++i) c[i] += X->p[i];
    turn(*X, n);
    n[3] -= X->p[0] * n[0] + X->p[1] * n[1] + X->p[2] * n[2];
  }
  if (X == nullptr) return;
  const float shift = std::abs(X->p[0]) + std::abs(X->p[1]) + std::abs(X->p[2]);
  four.size += shift;
  four.face_size += shift;
  turn(*X, four.gradient);
}

// Computes the gradients' lengths, scaled by a power of two, which is 1 up to 1e18 Pa/m, so that squares do
// not overflow.
void find_steepness(FourTetrahedra& four) {
  const Quad unit = four.slope > 0x1p60f ? Quad{} + 0x1p-70f : Quad{} + 1.0f;
  Quad square{};
  for (int i = 0; i < 3; ++i) {
    const Quad g = four.gradient[i] * unit;
    square += g * g;
  }
  for (int lane = 0; lane < 4; ++lane) four.steepness[lane] = std::sqrt(square[lane]) / unit[lane];
}

void leave_pressures_out(int lane, FourTetrahedra& four) {
  for (Quad& g : four.gradient) g[lane] = 0;
  four.slope[lane] = four.steepness[lane] = 0;
  four.strength[lane] = kOverAll;
}

// Computes boxes and the other bounds. Lanes beyond `count` meet nothing.
void bound(int count, FourTetrahedra& four) {
  Quad *g = four.gradient, (&c)[4][4] = four.corners, part{};
  g[3] = c[0][3] - (g[0] * c[0][0] + g[1] * c[0][1] + g[2] * c[0][2]);
  four.slope = Quad{};
  for (int i = 0; i < 3; ++i) {
    size_of(g[i], part);
    four.slope += part;
  }
  find_steepness(four);
  for (int i = 0; i < 4; ++i) {
    Quad low = c[0][i], high = low;
    for (int k = 1; k < 4; ++k) {
      lower(c[k][i], low);
      raise(c[k][i], high);
    }
    if (i == 3) four.strength = high;
    const Quad room = kFilterRounding * (i < 3 ? four.size : high);
    four.low[i] = low - room;
    four.high[i] = high + room;
  }
  for (int lane = 0; lane < 4; ++lane)
    if (!(four.slope[lane] <= kSteepest)) leave_pressures_out(lane, four);
  for (int lane = count; lane < 4; ++lane) {
    four.low[0][lane] = kInfinity;
    four.high[0][lane] = -kInfinity;
  }
}

// Transposes four rows of four.
ABUT_INLINE void transpose(const Quad& a, const Quad& b, const Quad& c, const Quad& d, Quad* result) {
  const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  result[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  result[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  result[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  result[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// Calls to(row, value) for the rows of the quick tests.
template <class To>
ABUT_INLINE void for_rows(const FourTetrahedra& four, To&& to) {
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) to(kCorner + 4 * k + i, four.corners[k][i]);
  for (int i = 0; i < 4; ++i) {
    to(kGradient + i, four.gradient[i]);
    to(kLow + i, four.low[i]);
    to(kHigh + i, four.high[i]);
  }
  to(kSize, four.size);
  to(kSlope, four.slope);
  to(kSteepness, four.steepness);
  to(kStrength, four.strength);
}

}  // namespace

void load(const asset::VolumeView& volume, double modulus, std::int32_t first, int count,
          const Pose<float>* X_QC, FourTetrahedra& four) {
  read(volume, modulus, first, count, four);
  place(X_QC, four);
  bound(count, four);
}

void split(const FourTetrahedra& four, FilterTetrahedron* to) {
  constexpr Quad FilterTetrahedron::*kCorners[] = {&FilterTetrahedron::x, &FilterTetrahedron::y,
                                                   &FilterTetrahedron::z, &FilterTetrahedron::pressures};
  constexpr Quad FilterTetrahedron::*kFaces[] = {&FilterTetrahedron::nx, &FilterTetrahedron::ny,
                                                 &FilterTetrahedron::nz, &FilterTetrahedron::d};
  Quad columns[4];
  const auto &c = four.corners, &n = four.faces;
  for (int i = 0; i < 4; ++i) {
    transpose(c[0][i], c[1][i], c[2][i], c[3][i], columns);
    for (int lane = 0; lane < 4; ++lane) to[lane].*kCorners[i] = columns[lane];
    transpose(n[0][i], n[1][i], n[2][i], n[3][i], columns);
    for (int lane = 0; lane < 4; ++lane) to[lane].*kFaces[i] = columns[lane];
  }
  for (int lane = 0; lane < 4; ++lane) {
    for (int i = 0; i < 4; ++i) to[lane].gradient[i] = four.gradient[i][lane];
    to[lane].size = four.size[lane];
    to[lane].face_size = four.face_size[lane];
    to[lane].slope = four.slope[lane];
    to[lane].steepness = four.steepness[lane];
    to[lane].strength = four.strength[lane];
  }
}

void spread_rows(const FourTetrahedra& four, EightTetrahedra* eight) {
  for_rows(four, [&](int row, const Quad& v) {
    eight[0].rows[row][0] = __builtin_shufflevector(v, v, 0, 0, 0, 0);
    eight[0].rows[row][1] = __builtin_shufflevector(v, v, 1, 1, 1, 1);
    eight[1].rows[row][0] = __builtin_shufflevector(v, v, 2, 2, 2, 2);
    eight[1].rows[row][1] = __builtin_shufflevector(v, v, 3, 3, 3, 3);
  });
}

void copy_rows(const FourTetrahedra& four, Quad* rows) {
  for_rows(four, [&](int row, const Quad& v) { rows[row] = v; });
}

}  // namespace abut::contact
