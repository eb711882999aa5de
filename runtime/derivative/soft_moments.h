#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/derivative/tangent.h"

// The two loops of the Gumbel estimate: heights of a set of hull vertices in the frame of a tangent plane,
// and the moments of the soft maximum over them. The templates are the reference; for double, versions that
// take four vertices at a time are used, whose results are bit-identical on every x86 machine (AVX2 where the
// processor has it, no fused multiply-add).
namespace abut::derivative {

// Coordinates of vertices relative to the first one: depth below the plane through it (m, along -n) and
// position in the tangent plane. The arrays have room for `capacity` vertices and three more.
template <class S>
struct Heights {
  std::vector<S> depth, u, v;  // m: along -n; along the columns of T

  // Makes room for `capacity` vertices; never shrinks.
  void reserve(std::size_t capacity) {
    if (depth.size() >= capacity + 3) return;
    for (std::vector<S>* list : {&depth, &u, &v}) list->resize(capacity + 3);
  }
};

// Least value and sum of the depths of a set of vertices.
template <class S>
struct HeightRange {
  S least, sum;  // m
};

// Moments of the positions (u, v) under softmax weights a_i = exp(-(depth_i - least) / temperature).
template <class S>
struct SoftMoments {
  S weight = 0;              // sum a
  Vec2<S> first;             // sum a (u, v)
  S uu = 0, uv = 0, vv = 0;  // sum a (u u, u v, v v)

  // Covariance (m^2) of the positions under the normalised weights; their mean is the support point of the
  // soft maximum.
  Mat2<S> covariance() const {
    const Vec2<S> mean = first / weight;
    Mat2<S> C;
    C << uu / weight - mean[0] * mean[0], uv / weight - mean[0] * mean[1], 0, vv / weight - mean[1] * mean[1];
    C(1, 0) = C(0, 1);
    return C;
  }
};

// Reference for `measure_heights`, which is tested against it: one vertex at a time, any scalar type.
template <class S>
HeightRange<S> measure_heights_reference(const asset::ConvexView& hull,
                                         std::span<const std::int32_t> vertices, const Vec3<S>& n,
                                         const Mat32<S>& T, Heights<S>& heights) {
  const auto at = [&](std::int32_t i) {
    return Vec3<S>(static_cast<S>(hull.x[i]), static_cast<S>(hull.y[i]), static_cast<S>(hull.z[i]));
  };
  const Vec3<S> origin = at(vertices[0]);
  HeightRange<S> range{0, 0};
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3<S> r = at(vertices[i]) - origin;
    heights.depth[i] = -n.dot(r);
    heights.u[i] = T.col(0).dot(r);
    heights.v[i] = T.col(1).dot(r);
    range.least = std::min(range.least, heights.depth[i]);
    range.sum += heights.depth[i];
  }
  return range;
}

// Reference for `soft_moments`, which is tested against it: one vertex at a time, any scalar type.
template <class S>
SoftMoments<S> soft_moments_reference(const Heights<S>& heights, std::size_t count, S least, S temperature) {
  using std::exp;
  SoftMoments<S> m;
  m.first.setZero();
  for (std::size_t i = 0; i < count; ++i) {
    const S a = exp((least - heights.depth[i]) / temperature);
    const S u = heights.u[i], v = heights.v[i];
    m.weight += a;
    m.first += a * Vec2<S>(u, v);
    m.uu += a * u * u;
    m.uv += a * u * v;
    m.vv += a * v * v;
  }
  return m;
}

// Fills `heights`, which must have room, for the given vertices (at least one). The returned `least` is at
// most 0, since the first vertex has depth 0.
template <class S>
HeightRange<S> measure_heights(const asset::ConvexView& hull, std::span<const std::int32_t> vertices,
                               const Vec3<S>& n, const Mat32<S>& T, Heights<S>& heights) {
  return measure_heights_reference(hull, vertices, n, T, heights);
}
// Specialisation for double: four vertices at a time.
template <>
HeightRange<double> measure_heights(const asset::ConvexView& hull, std::span<const std::int32_t> vertices,
                                    const Vec3<double>& n, const Mat32<double>& T, Heights<double>& heights);

// Computes the moments over the first `count` >= 1 entries of `heights` at temperature > 0 (m). In double,
// weights below 2^-1000 (about 1e-301) are zero.
template <class S>
SoftMoments<S> soft_moments(const Heights<S>& heights, std::size_t count, S least, S temperature) {
  return soft_moments_reference(heights, count, least, temperature);
}
// Specialisation for double: four vertices at a time.
template <>
SoftMoments<double> soft_moments(const Heights<double>& heights, std::size_t count, double least,
                                 double temperature);

}  // namespace abut::derivative
