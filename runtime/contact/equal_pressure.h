#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

// Two tetrahedra with linear pressures meet in a plane polygon, the piece of their bodies' contact surface
// that lies in both [Elandt2019, Algorithm 1]. Everything here is in B's frame.
namespace abut::contact {

template <class S>
using FourPoints = Eigen::Matrix<S, 3, 4>;

// A pressure linear in space: p(x) = offset + gradient . x.
template <class S>
struct LinearPressure {
  Vec3<S> gradient;  // Pa/m
  S offset;          // Pa, at the origin

  S operator()(const Vec3<S>& x) const { return offset + gradient.dot(x); }
};

// A tetrahedron of A.
template <class S>
struct PlacedTetrahedron {
  FourPoints<S> corners;             // m
  Eigen::Matrix<S, 1, 4> pressures;  // at the corners, Pa
  LinearPressure<S> pressure;
  S reach;  // no coordinate is larger, m
};

// The pressure of tetrahedron t in its own frame, at a modulus (Pa).
template <class S>
LinearPressure<S> pressure_of(const asset::VolumeView& volume, std::int32_t t, S modulus) {
  using Stored = Eigen::Map<const Eigen::Vector3d>;
  const Vec3<S> gradient = modulus * Stored(volume.gradients + 3 * std::ptrdiff_t(t)).template cast<S>();
  const std::int32_t v = volume.tetrahedra[4 * std::ptrdiff_t(t)];
  const Vec3<S> corner = Stored(volume.vertices + 3 * std::ptrdiff_t(v)).template cast<S>();
  return {gradient, modulus * S(volume.extent[v]) - gradient.dot(corner)};
}

// Corners and their pressures. X_BA: null in its own frame.
template <class S>
void place_corners(const asset::VolumeView& volume, std::int32_t t, S modulus, const Pose<S>* X_BA,
                   PlacedTetrahedron<S>& result) {
  for (int k = 0; k < 4; ++k) {
    const std::int32_t v = volume.tetrahedra[4 * std::ptrdiff_t(t) + k];
    const double* p = volume.vertices + 3 * std::ptrdiff_t(v);
    const Vec3<S> x{S(p[0]), S(p[1]), S(p[2])};
    result.corners.col(k) = X_BA != nullptr ? Vec3<S>(*X_BA * x) : x;
    result.pressures[k] = modulus * S(volume.extent[v]);
  }
  result.reach = result.corners.cwiseAbs().maxCoeff();
}

// ... and then the pressure between them.
template <class S>
void place_pressure(const asset::VolumeView& volume, std::int32_t t, S modulus, const Pose<S>* X_BA,
                    PlacedTetrahedron<S>& result) {
  const double* g = volume.gradients + 3 * std::ptrdiff_t(t);
  const Vec3<S> gradient = modulus * Vec3<S>(S(g[0]), S(g[1]), S(g[2]));
  result.pressure.gradient = X_BA != nullptr ? Vec3<S>(X_BA->R * gradient) : gradient;
  result.pressure.offset = result.pressures[0] - result.pressure.gradient.dot(result.corners.col(0));
}

template <class S>
PlacedTetrahedron<S> placed(const asset::VolumeView& volume, std::int32_t t, S modulus, const Pose<S>& X_BA) {
  PlacedTetrahedron<S> result;
  place_corners<S>(volume, t, modulus, &X_BA, result);
  place_pressure<S>(volume, t, modulus, &X_BA, result);
  return result;
}

// A quadrilateral cut by four planes has eight corners at most; the others are room for corners that rounding
// puts on the wrong side of a plane.
inline constexpr int kMaxCorners = 12;

// A convex plane polygon.
template <class S>
struct Polygon {
  std::array<Vec3<S>, kMaxCorners> corners;  // m
  int size = 0;

  void add(const Vec3<S>& x) {
    if (size < kMaxCorners) corners[size++] = x;
  }
};

// Where a linear function with these values at the corners is zero in a tetrahedron: no, three or four
// corners. A value of zero counts as positive, so that of two tetrahedra with a common face of zeros one has
// the polygon and one has none.
template <class S>
void zero_polygon(const FourPoints<S>& corners, const Eigen::Matrix<S, 1, 4>& values, Polygon<S>& polygon) {
  int inside[4], outside[4], n = 0, m = 0;
  for (int k = 0; k < 4; ++k) (values[k] >= S(0) ? inside[n++] : outside[m++]) = k;
  polygon.size = 0;
  const auto cross = [&](int a, int b) {
    polygon.add(corners.col(a) + values[a] / (values[a] - values[b]) * (corners.col(b) - corners.col(a)));
  };
  if (n == 1)
    for (int k = 0; k < 3; ++k) cross(inside[0], outside[k]);
  else if (m == 1)
    for (int k = 0; k < 3; ++k) cross(inside[k], outside[0]);
  else if (n == 2) {
    cross(inside[0], outside[0]);
    cross(inside[0], outside[1]);
    cross(inside[1], outside[1]);
    cross(inside[1], outside[0]);
  }
}

// The part of a polygon where `height` (of its corners above a plane, m) is not negative [Sutherland1974].
template <class S>
void clip(const Polygon<S>& polygon, const std::array<S, kMaxCorners>& heights, Polygon<S>& kept) {
  kept.size = 0;
  for (int i = 0; i < polygon.size; ++i) {
    const int j = i + 1 < polygon.size ? i + 1 : 0;
    const S &h = heights[i], &g = heights[j];
    if (h >= S(0)) kept.add(polygon.corners[i]);
    if ((h >= S(0)) != (g >= S(0)))
      kept.add(polygon.corners[i] + h / (h - g) * (polygon.corners[j] - polygon.corners[i]));
  }
}

// Cuts a polygon down to the inner side of a plane n . x + d >= 0 (n unit, inward, d in m) and exchanges it
// with `spare`. `normal`: of the polygon, the way along which pA - pB grows; no coordinate of it is larger
// than `reach`. A polygon that lies in the plane belongs to one of the two neighbours that share the face:
// the one towards which a little more of pA would move it. Without that rule bodies with faces along one
// another would press twice or not at all.
template <class T>
void clip_to_plane(Polygon<T>*& polygon, Polygon<T>*& spare, const Vec3<T>& n, const T& d,
                   const Vec3<T>& normal, const T& reach) {
  std::array<T, kMaxCorners> heights;
  T low = heights[0] = n.dot(polygon->corners[0]) + d, high = low;
  for (int i = 1; i < polygon->size; ++i) {
    heights[i] = n.dot(polygon->corners[i]) + d;
    low = heights[i] < low ? heights[i] : low;
    high = heights[i] > high ? heights[i] : high;
  }
  const T rounding = T(8) * Eigen::NumTraits<T>::epsilon() * reach;
  if (high <= rounding) {
    if (!(low >= -rounding && n.dot(normal) < T(0))) polygon->size = 0;
  } else if (low < T(0)) {
    clip(*polygon, heights, *spare);
    std::swap(polygon, spare);
  }
}

// Cuts `polygon` down to four planes (n, d), of which bit k of `cut` asks for the k-th, turned and shifted by
// plane(k, n, d).
template <class T, class Plane>
void clip_to_faces(Polygon<T>& polygon, unsigned cut, const Vec3<T>& normal, const T& reach, Plane&& plane) {
  Polygon<T> other;
  Polygon<T>*from = &polygon, *to = &other;
  for (int k = 0; k < 4 && from->size >= 3; ++k) {
    if ((cut >> k & 1u) == 0) continue;
    Vec3<T> n;
    T d;
    plane(k, n, d);
    clip_to_plane<T>(from, to, n, d, normal, reach);
  }
  if (from != &polygon) polygon = *from;
}

inline constexpr unsigned kAllFaces = 15;

// The polygon of equal pressure of A's tetrahedron and B's tetrahedron with the pressure `of_B`. `cut`: the
// faces of B's that A's may cross.
template <class T>
void equal_pressure_polygon(const PlacedTetrahedron<T>& of_A, const LinearPressure<T>& of_B,
                            const double* face_planes_B, unsigned cut, Polygon<T>& polygon) {
  polygon.size = 0;
  Eigen::Matrix<T, 1, 4> difference = of_A.pressures - of_B.gradient.transpose() * of_A.corners -
                                      Eigen::Matrix<T, 1, 4>::Constant(of_B.offset);
  // What is zero but for rounding is zero, so that zero_polygon() sees the faces of zeros. Tetrahedra that
  // share a corner agree on it.
  const T rounding = T(4) * Eigen::NumTraits<T>::epsilon() *
                     (of_A.pressures.maxCoeff() + of_B.gradient.cwiseAbs().sum() * of_A.reach);
  bool above = false, below = false;
  for (int k = 0; k < 4; ++k) {
    if (difference[k] <= rounding && difference[k] >= -rounding) difference[k] = T(0);
    (difference[k] >= T(0) ? above : below) = true;
  }
  if (!above || !below) return;
  zero_polygon<T>(of_A.corners, difference, polygon);
  clip_to_faces<T>(polygon, cut, of_A.pressure.gradient - of_B.gradient, of_A.reach,
                   [&](int k, Vec3<T>& n, T& d) {
                     const double* plane = face_planes_B + 4 * k;
                     n = Vec3<T>(T(plane[0]), T(plane[1]), T(plane[2]));
                     d = T(plane[3]);
                   });
}

// Moments of a polygon about its first corner o: area, integrals of y = x - o and of y y'.
template <class S>
struct PolygonMoments {
  S area = 0;                        // m^2
  Vec3<S> first = Vec3<S>::Zero();   // m^3
  Mat3<S> second = Mat3<S>::Zero();  // m^4
};

// `n`: unit normal, of either sign. Triangles fan out from o:
//   int y = T (a + b) / 3,   int y y' = T (a a' + b b' + (a + b)(a + b)') / 12.
template <class S>
PolygonMoments<S> moments(const Polygon<S>& polygon, const Vec3<S>& n) {
  PolygonMoments<S> result;
  const Vec3<S>& o = polygon.corners[0];
  Vec3<S> a = polygon.corners[1] - o;
  for (int i = 2; i < polygon.size; ++i) {
    const Vec3<S> b = polygon.corners[i] - o, sum = a + b;
    const S area = n.dot(a.cross(b)) / 2;
    result.area += area;
    result.first += area / 3 * sum;
    result.second += area / 12 * (a * a.transpose() + b * b.transpose() + sum * sum.transpose());
    a = b;
  }
  if (result.area < S(0)) {
    result.area = -result.area;
    result.first = -result.first;
    result.second = -result.second;
  }
  return result;
}

}  // namespace abut::contact
