#pragma once

#include <cstdint>

#include "runtime/core/status.h"
#include "runtime/math/pose.h"

namespace abut::witness {

// Witness points and signed distance of two convex sets A and B, B posed by X_AB. Everything in frame A.
// d = max over unit n of <n,p> - h_A(n) - h_B(-R'n): positive when separated, negative when penetrating, and
// p2 - p1 = d n in both cases (docs/conventions.md).
template <class S>
struct Witness {
  Vec3<S> p1;               // on A, m
  Vec3<S> p2;               // on B, m
  Vec3<S> n;                // unit normal from A to B
  S distance;               // signed distance d, m
  S lower_bound;            // certificate, m: lower_bound <= true signed distance <= upper_bound
  S upper_bound;            // certificate, m
  std::int32_t iterations;  // of GJK and EPA together
  Status status;            // kInvalidInput: every number is NaN
  // The simplex that carries the witness points, 1 to 3 pairs with weights >= 0 that sum to 1:
  // p1 = sum weight_k A's vertex_A[k], p2 likewise. A vertex may stand in several pairs. Indices are -1 for
  // shapes that are no hulls, and beyond simplex_size. Against a sphere the hull's point is the sum, the
  // sphere's is off its centre.
  std::int32_t simplex_size;
  std::int32_t vertex_A[3], vertex_B[3];  // indices in A's and in B's hull
  S weight[3];                            // sum to 1
};

}  // namespace abut::witness
