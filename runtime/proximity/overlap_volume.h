#pragma once

#include <span>

#include "runtime/body/body.h"
#include "runtime/core/status.h"

// Volume of the intersection of two closed surfaces, exact for their triangles, and its derivative with
// respect to the pose.
//
//   const proximity::OverlapVolume v = proximity::overlap_volume(view(mug), view(box), X_AB);
namespace abut::proximity {

// Volume of the intersection of two surfaces.
struct OverlapVolume {
  double volume = 0;  // m^3
  double error = 0;   // m^3: bound of the rounding error
  // Derivative with respect to the twist xi = (w; v) of B, in B; m^3/rad, m^2. It is the integral of
  // (x cross n; n) over the part of B's surface within A, with n the outward normal; 0 where there is no
  // overlap, which for bodies that only touch along flush faces is the slope on the side where they are
  // apart.
  Row6<double> dvolume_dxi_B = Row6<double>::Zero();
  // kNoOverlap: the volume does not exceed the error; kClamped: faces coincide, and the derivative jumps
  // there; kInvalidInput: every number is NaN.
  Status status = Status::kNoOverlap;
};

// Computes the volume of the intersection of A and B. Above every point of a plane each body occupies a
// column of intervals, so that with z_a, z_b the heights of triangles a of A and b of B above the plane, and
// s_a, s_b the signs of the vertical components of their normals,
//   volume = - sum over a, b of s_a s_b integral over the ground that both cover of max(z_a - z_b, 0).
// Each term is the integral of a linear function over a polygon of at most seven corners, without any special
// cases: coplanar, parallel or touching faces contribute only rounding. "Up" is the direction from A's centre
// to B's, so that few pairs of triangles have a above b where the bodies overlap little; it is tilted, so
// that faces along the axes are not vertical. The surfaces must be closed; adjacency is not used. A point
// that a surface covers twice counts twice. Allocates nothing.
OverlapVolume overlap_volume(const asset::SurfaceView& A, const asset::SurfaceView& B,
                             const Pose<double>& X_AB);

// Stores the answer for pairs[i] in results[i], on `threads` threads (0: one per core), bit-identical for any
// number of threads. Throws InvalidInput, naming `who`, before any work if the spans differ in length or a
// pair does not consist of two assets with surfaces in a finite pose.
void overlap_volumes(std::span<const body::Pair> pairs, std::span<OverlapVolume> results, int threads,
                     const char* who = "overlap_volume");

}  // namespace abut::proximity
