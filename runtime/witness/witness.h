#pragma once

#include <cstdint>

#include "runtime/core/status.h"
#include "runtime/math/pose.h"

namespace abut::witness {

// Witness points, unit normal and signed distance of two convex sets A and B, with B posed by X_AB = (R, p).
// Everything is in frame A. With the support functions h_A and h_B, the signed distance is
//     d = max over unit n of <n,p> - h_A(n) - h_B(-R'n),
// positive when separated and negative when penetrating; p2 - p1 = d n in both cases (docs/conventions.md).
template <class S>
struct Witness {
  Vec3<S> p1;               // on A, m
  Vec3<S> p2;               // on B, m
  Vec3<S> n;                // unit normal from A to B
  S distance;               // signed distance d, m
  S lower_bound;            // certificate, m: lower_bound <= true signed distance <= upper_bound
  S upper_bound;            // certificate, m
  std::int32_t iterations;  // of GJK and EPA together; Newton steps where GJK is not needed; 1 in closed form
  Status status;            // kInvalidInput: every number is NaN
  // The simplex that carries the witness points: 1 to 3 pairs of vertices with weights >= 0 that sum to 1 (no
  // pairs if the input is invalid). p1 = sum over k of weight[k] times vertex vertex_A[k] of A, p2 likewise;
  // with a swept radius (core.h) these are points of the cores, and p1 and p2 lie that radius away along n.
  // A vertex may occur in several pairs. Indices are -1 beyond simplex_size and for spheres, ellipsoids and
  // half-spaces. Boxes and capsules number their cores' vertices as core_vertex() does, or give -1 where the
  // answer needs no vertices; cylinders and cones give -1 or the number of a rim.
  std::int32_t simplex_size;
  std::int32_t vertex_A[3];  // indices of vertices of A
  std::int32_t vertex_B[3];  // indices of vertices of B
  S weight[3];               // sum to 1
};

}  // namespace abut::witness
