#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "runtime/asset/asset.h"
#include "runtime/core/simd.h"
#include "runtime/math/dual.h"
#include "runtime/math/pose.h"

// The plane polygon of equal pressure of two tetrahedra with linear pressures: the piece of the bodies'
// contact surface that lies in both [Elandt2019, Algorithm 1]. Everything is in B's frame.
namespace abut::contact {

template <class S>
using FourPoints = Eigen::Matrix<S, 3, 4>;
template <class S>
using FourValues = Eigen::Matrix<S, 1, 4>;

// A pressure linear in space: p(x) = offset + gradient . x.
template <class S>
struct LinearPressure {
  Vec3<S> gradient;  // Pa/m
  S offset;          // Pa, at the origin

  S operator()(const Vec3<S>& x) const { return offset + gradient.dot(x); }
};

// A tetrahedron, moved to the frame of the query.
template <class S>
struct PlacedTetrahedron {
  FourPoints<S> corners;    // m
  FourValues<S> pressures;  // at the corners, Pa
  LinearPressure<S> pressure;
  S reach;                    // upper bound of the coordinates' magnitude, m
  const double* face_planes;  // in its body's frame: n, d with n . x + d >= 0 inside
};

// Error of a linear solver that remains where an extent is 1.
inline constexpr double kExtentRounding = 1e-9;

// Extent of a vertex: exactly 1 throughout the core, so that the bodies' cores have equal pressures if their
// moduli are equal.
ABUT_INLINE double extent_at(const asset::VolumeView& volume, std::int32_t v) {
  const double extent = volume.extent[v];
  return extent > 1 - kExtentRounding ? 1 : extent;
}

ABUT_INLINE bool in_core(const asset::VolumeView& volume, std::int32_t t) {
  const std::int32_t* v = volume.tetrahedra + 4 * std::ptrdiff_t(t);
  return extent_at(volume, v[0]) == 1 && extent_at(volume, v[1]) == 1 && extent_at(volume, v[2]) == 1 &&
         extent_at(volume, v[3]) == 1;
}

// Gradient of the extent in tetrahedron t, 1/m.
template <class S>
ABUT_INLINE Vec3<S> extent_gradient(const asset::VolumeView& volume, std::int32_t t) {
  if (in_core(volume, t)) return Vec3<S>::Zero();
  const double* g = volume.gradients + 3 * std::ptrdiff_t(t);
  return {S(g[0]), S(g[1]), S(g[2])};
}

// The pressure of tetrahedron t in its own frame, for a modulus in Pa.
template <class S>
ABUT_INLINE LinearPressure<S> pressure_of(const asset::VolumeView& volume, std::int32_t t, S modulus) {
  const Vec3<S> gradient = modulus * extent_gradient<S>(volume, t);
  const std::int32_t v = volume.tetrahedra[4 * std::ptrdiff_t(t)];
  const double* p = volume.vertices + 3 * std::ptrdiff_t(v);
  return {gradient, modulus * S(extent_at(volume, v)) - gradient.dot(Vec3<S>(S(p[0]), S(p[1]), S(p[2])))};
}

// A tetrahedron of B, in its own frame.
template <class S>
struct StillTetrahedron {
  const asset::VolumeView& volume;
  std::int32_t index;
  S modulus;  // Pa
  LinearPressure<S> pressure = pressure_of<S>(volume, index, modulus);

  const double* face_planes() const { return volume.face_planes + 16 * std::ptrdiff_t(index); }
};

// Sets the corners and their pressures. X_BA: null for the body's own frame.
template <class S>
void place_corners(const asset::VolumeView& volume, std::int32_t t, S modulus, const Pose<S>* X_BA,
                   PlacedTetrahedron<S>& result) {
  for (int k = 0; k < 4; ++k) {
    const std::int32_t v = volume.tetrahedra[4 * std::ptrdiff_t(t) + k];
    const double* p = volume.vertices + 3 * std::ptrdiff_t(v);
    const Vec3<S> x{S(p[0]), S(p[1]), S(p[2])};
    result.corners.col(k) = X_BA != nullptr ? Vec3<S>(*X_BA * x) : x;
    result.pressures[k] = modulus * S(extent_at(volume, v));
  }
  result.reach = result.corners.cwiseAbs().maxCoeff();
}

// Sets the pressure between the corners, which must be set.
template <class S>
void place_pressure(const asset::VolumeView& volume, std::int32_t t, S modulus, const Pose<S>* X_BA,
                    PlacedTetrahedron<S>& result) {
  const Vec3<S> gradient = modulus * extent_gradient<S>(volume, t);
  result.pressure.gradient = X_BA != nullptr ? Vec3<S>(X_BA->R * gradient) : gradient;
  result.pressure.offset = result.pressures[0] - result.pressure.gradient.dot(result.corners.col(0));
}

template <class S>
PlacedTetrahedron<S> placed(const asset::VolumeView& volume, std::int32_t t, S modulus, const Pose<S>& X_BA) {
  PlacedTetrahedron<S> result;
  place_corners<S>(volume, t, modulus, &X_BA, result);
  place_pressure<S>(volume, t, modulus, &X_BA, result);
  result.face_planes = volume.face_planes + 16 * std::ptrdiff_t(t);
  return result;
}

// A quadrilateral cut by four planes has at most eight corners; the rest is room for corners that rounding
// puts on the wrong side of a plane.
inline constexpr int kMaxCorners = 12;

// A convex plane polygon on which a linear function is zero.
template <class S>
struct Polygon {
  std::array<Vec3<S>, kMaxCorners> corners;  // m
  int size = 0;
  // Whether the polygon lies in a face of its tetrahedron: it is then the limit of polygons on one side of
  // the face and of none on the other. It counts half in each of the two neighbours: in total once where the
  // function passes through zero there, and as the mean of the limits where it does not.
  bool in_face = false;

  void add(const Vec3<S>& x) {
    if (size < kMaxCorners) corners[size++] = x;
  }
  double weight() const { return in_face ? 0.5 : 1; }
};

// Computes the zero polygon in a tetrahedron of the linear function with these values at the corners: it has
// no, three or four corners.
template <class S>
void zero_polygon(const FourPoints<S>& corners, const FourValues<S>& values, Polygon<S>& polygon) {
  int inside[4], outside[4], n = 0, m = 0, zeros = 0;
  for (int k = 0; k < 4; ++k) {
    (values[k] >= S(0) ? inside[n++] : outside[m++]) = k;
    zeros += values[k] == S(0) ? 1 : 0;
  }
  polygon.size = 0;
  polygon.in_face = zeros == 3;
  const auto cross = [&](int a, int b) {
    polygon.add(corners.col(a) + values[a] / (values[a] - values[b]) * (corners.col(b) - corners.col(a)));
  };
  if (zeros == 3) {
    for (int k = 0; k < 4; ++k)
      if (values[k] == S(0)) polygon.add(corners.col(k));
  } else if (n == 1) {
    for (int k = 0; k < 3; ++k) cross(inside[0], outside[k]);
  } else if (m == 1) {
    for (int k = 0; k < 3; ++k) cross(inside[k], outside[0]);
  } else if (n == 2) {
    cross(inside[0], outside[0]);
    cross(inside[0], outside[1]);
    cross(inside[1], outside[1]);
    cross(inside[1], outside[0]);
  }
}

// Clips a polygon to the side of a plane where `heights` (of its corners above the plane, m) are not negative
// [Sutherland1974]. Corners within `rounding` of the plane are on it: for a side that lies in the plane the
// quotient below is meaningless.
template <class S>
void clip(const Polygon<S>& polygon, const std::array<S, kMaxCorners>& heights, const S& rounding,
          Polygon<S>& kept) {
  const S low = -rounding;
  kept.size = 0;
  kept.in_face = polygon.in_face;
  for (int i = 0; i < polygon.size; ++i) {
    const int j = i + 1 < polygon.size ? i + 1 : 0;
    const S &h = heights[i], &g = heights[j];
    if (h >= low) kept.add(polygon.corners[i]);
    if ((h > rounding && g < low) || (h < low && g > rounding))
      kept.add(polygon.corners[i] + h / (h - g) * (polygon.corners[j] - polygon.corners[i]));
  }
}

// Rounding of a height above a plane, for coordinates of magnitude up to `reach`.
template <class T>
T height_rounding(const T& reach) {
  return T(8) * Eigen::NumTraits<T>::epsilon() * reach;
}

// Clips `polygon`, whose coordinates are at most `reach`, to the inner side n . x + d >= 0 of a plane (n
// unit, inward, d in m). Uses `spare`, and may exchange the two pointers.
template <class T>
void clip_to_plane(Polygon<T>*& polygon, Polygon<T>*& spare, const Vec3<T>& n, const T& d, const T& reach) {
  std::array<T, kMaxCorners> heights;
  T low = heights[0] = n.dot(polygon->corners[0]) + d, high = low;
  for (int i = 1; i < polygon->size; ++i) {
    heights[i] = n.dot(polygon->corners[i]) + d;
    low = heights[i] < low ? heights[i] : low;
    high = heights[i] > high ? heights[i] : high;
  }
  const T rounding = height_rounding<T>(reach);
  if (high <= rounding) {
    if (low < -rounding) polygon->size = 0;
    polygon->in_face = true;
  } else if (low < -rounding) {
    clip<T>(*polygon, heights, rounding, *spare);
    std::swap(polygon, spare);
  }
}

// Clips `polygon` to up to four planes: the k-th, which plane(k, n, d) computes in the polygon's frame, if
// bit k of `cut` is set.
template <class T, class Plane>
void clip_to_faces(Polygon<T>& polygon, unsigned cut, const T& reach, Plane&& plane) {
  Polygon<T> other;
  Polygon<T>*from = &polygon, *to = &other;
  for (int k = 0; k < 4 && from->size >= 3; ++k) {
    if ((cut >> k & 1u) == 0) continue;
    Vec3<T> n;
    T d;
    plane(k, n, d);
    clip_to_plane<T>(from, to, n, d, reach);
  }
  if (from != &polygon) polygon = *from;
}

inline constexpr unsigned kAllFaces = 15;

// Plane (n, d) of a face of a tetrahedron, in the frame of its body.
template <class T>
ABUT_INLINE void face_plane(const double* face_planes, int k, Vec3<T>& n, T& d) {
  const double* plane = face_planes + 4 * k;
  n = Vec3<T>(T(plane[0]), T(plane[1]), T(plane[2]));
  d = T(plane[3]);
}

// The same in a frame in which the body has the pose X.
template <class T>
ABUT_INLINE void face_plane(const double* face_planes, int k, const Pose<T>& X, Vec3<T>& n, T& d) {
  Vec3<T> own;
  face_plane<T>(face_planes, k, own, d);
  n = X.R * own;
  d -= n.dot(X.p);
}

// Returns the one corner whose value differs when the other three are equal; -1 if there is none.
template <class Values>
ABUT_INLINE int off_level(const Values& p) {
  if (p[0] == p[1]) return p[2] == p[3] ? -1 : p[2] == p[0] ? 3 : p[3] == p[0] ? 2 : -1;
  return p[2] != p[3] ? -1 : p[0] == p[2] ? 1 : p[1] == p[2] ? 0 : -1;
}

// Returns `cut` without a face of B's tetrahedron at which the polygon ends without clipping: a face of
// uniform pressure, beyond which A's tetrahedron has no such pressure. `of_A`: A's pressures; the polygon
// must not lie in a face. Such faces are where, at the rim of the contact surface, the surfaces of both
// bodies cut the plane of equal pressure in the same line, and likewise cores of equal pressure.
template <class T>
unsigned without_rim(const FourValues<T>& of_A, const StillTetrahedron<T>& of_B, unsigned cut) {
  const std::int32_t* corners = of_B.volume.tetrahedra + 4 * std::ptrdiff_t(of_B.index);
  double extent[4];
  for (int k = 0; k < 4; ++k) extent[k] = extent_at(of_B.volume, corners[k]);
  const int off = off_level(extent);
  if (off < 0) return cut;
  const double own = extent[off], other = extent[off == 0 ? 1 : 0];
  const T level = of_B.modulus * T(other), rounding = T(4) * Eigen::NumTraits<T>::epsilon() * level;
  const bool ends = own > other ? of_A.minCoeff() >= level - rounding : of_A.maxCoeff() <= level + rounding;
  return ends ? cut & ~(1u << off) : cut;
}

template <class T>
ABUT_INLINE bool is_level(const FourValues<T>& pressures) {
  return pressures[0] == pressures[1] && pressures[0] == pressures[2] && pressures[0] == pressures[3];
}

// Returns true if A's tetrahedron lies outside a face of B's: a polygon that they have in this face then
// bounds no common volume.
template <class T>
bool apart(const PlacedTetrahedron<T>& of_A, const StillTetrahedron<T>& of_B) {
  for (int k = 0; k < 4; ++k) {
    Vec3<T> n;
    T d;
    face_plane<T>(of_B.face_planes(), k, n, d);
    if ((n.transpose() * of_A.corners).maxCoeff() + d <= height_rounding<T>(of_A.reach)) return true;
  }
  return false;
}

// The polygon for a tetrahedron of A with uniform pressure: part of a level set of B's pressure. Each corner
// of B's tetrahedron is above, below or on the level independently of the pose, so that cores of equal
// pressure meet consistently in all their tetrahedra.
template <class T>
void level_polygon(const PlacedTetrahedron<T>& of_A, const Pose<T>& X_BA, const StillTetrahedron<T>& of_B,
                   Polygon<T>& polygon) {
  PlacedTetrahedron<T> own;
  place_corners<T>(of_B.volume, of_B.index, of_B.modulus, nullptr, own);
  zero_polygon<T>(own.corners, FourValues<T>::Constant(of_A.pressures[0]) - own.pressures, polygon);
  clip_to_faces<T>(polygon, kAllFaces, T(own.reach + of_A.reach),
                   [&](int k, Vec3<T>& n, T& d) { face_plane<T>(of_A.face_planes, k, X_BA, n, d); });
}

// Computes the polygon of equal pressure of a tetrahedron of A, whose body has the pose X_BA, and one of B.
// `cut`: the faces of B's tetrahedron that A's may cross, as bits.
template <class T>
void equal_pressure_polygon(const PlacedTetrahedron<T>& of_A, const Pose<T>& X_BA,
                            const StillTetrahedron<T>& of_B, unsigned cut, Polygon<T>& polygon) {
  polygon.size = 0;
  if (is_level<T>(of_A.pressures)) {
    level_polygon<T>(of_A, X_BA, of_B, polygon);
    if (polygon.in_face && apart<T>(of_A, of_B)) polygon.size = 0;
    return;
  }
  const Vec3<T>& gradient_B = of_B.pressure.gradient;
  FourValues<T> difference =
      of_A.pressures - gradient_B.transpose() * of_A.corners - FourValues<T>::Constant(of_B.pressure.offset);
  // Sets differences that are zero up to rounding to zero, so that zero_polygon() detects polygons in faces.
  // Tetrahedra that share a corner agree on it.
  const T rounding = T(4) * Eigen::NumTraits<T>::epsilon() *
                     (of_A.pressures.maxCoeff() + gradient_B.cwiseAbs().sum() * of_A.reach);
  bool above = false, below = false;
  for (int k = 0; k < 4; ++k) {
    if (difference[k] <= rounding && difference[k] >= -rounding) difference[k] -= T(value_of(difference[k]));
    above = above || difference[k] >= T(0);
    below = below || difference[k] <= T(0);
  }
  if (!above || !below) return;
  zero_polygon<T>(of_A.corners, difference, polygon);
  if (polygon.size == 0) return;
  if (!polygon.in_face) cut = without_rim<T>(of_A.pressures, of_B, cut);
  clip_to_faces<T>(polygon, cut, of_A.reach,
                   [&](int k, Vec3<T>& n, T& d) { face_plane<T>(of_B.face_planes(), k, n, d); });
  if (polygon.in_face && apart<T>(of_A, of_B)) polygon.size = 0;
}

// Moments of a polygon about its first corner o: its area and the integrals of y = x - o and of y y'.
template <class S>
struct PolygonMoments {
  S area = 0;                        // m^2, not negative
  Vec3<S> first = Vec3<S>::Zero();   // m^3
  Mat3<S> second = Mat3<S>::Zero();  // m^4
  int turn = 1;                      // 1: corners run counter-clockwise about n; -1: clockwise
};

// Computes the moments. `n`: unit normal, of either sign. Triangles fan out from o; for one of area T with
// the edges a and b from o
//   int y = T (a + b) / 3,   int y y' = T (a a' + b b' + (a + b)(a + b)') / 12,
// the latter only if kSecond.
template <bool kSecond = true, class S>
PolygonMoments<S> moments(const Polygon<S>& polygon, const Vec3<S>& n) {
  PolygonMoments<S> result;
  const Vec3<S>& o = polygon.corners[0];
  Vec3<S> a = polygon.corners[1] - o;
  for (int i = 2; i < polygon.size; ++i) {
    const Vec3<S> b = polygon.corners[i] - o, sum = a + b;
    const S area = n.dot(a.cross(b)) / 2;
    result.area += area;
    result.first += area / 3 * sum;
    if constexpr (kSecond)
      result.second += area / 12 * (a * a.transpose() + b * b.transpose() + sum * sum.transpose());
    a = b;
  }
  if (result.area < S(0)) {
    result.turn = -1;
    result.area = -result.area;
    result.first = -result.first;
    result.second = -result.second;
  }
  return result;
}

}  // namespace abut::contact
