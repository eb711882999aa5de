#pragma once

#include <span>

#include "runtime/body/body.h"
#include "runtime/core/status.h"

// Volume that two closed surfaces have in common, exact for their triangles, and its derivative by the pose.
//
//   const proximity::OverlapVolume v = proximity::overlap_volume(view(mug), view(box), X_AB);
namespace abut::proximity {

// What two surfaces have in common.
struct OverlapVolume {
  double volume = 0;  // m^3
  double error = 0;   // m^3: of rounding, no more
  // By the twist xi = (w; v) of B, in B: m^3/rad, m^2. It is the integral of (x cross n; n) over the part of
  // B's surface within A, n outward; 0 where there is no overlap, beside flush faces the slope apart.
  Row6<double> dvolume_dxi_B = Row6<double>::Zero();
  // kNoOverlap: no volume beyond the error; kClamped: faces coincide, where the derivative jumps;
  // kInvalidInput: NaN in every number.
  Status status = Status::kNoOverlap;
};

// Above every point of a plane the surfaces are a column of intervals, so that with z_a, z_b the heights of
// triangles a of A and b of B above it, and s_a, s_b the signs of their normals' heights,
//   volume = - sum over a, b of s_a s_b integral over the ground that both cover of max(z_a - z_b, 0):
// polygons of at most seven corners under a linear function, without any case to tell apart: what is
// coplanar, parallel or touches adds what rounding adds. The height is along the way from A's centre to B's,
// so that where the bodies overlap little few pairs of triangles have a above b; tilted, so that faces along
// the axes are no walls. The surfaces need be closed and without a neighbourhood alone; where one covers a
// point twice the point counts twice. Allocates nothing.
OverlapVolume overlap_volume(const asset::SurfaceView& A, const asset::SurfaceView& B,
                             const Pose<double>& X_AB);

// results[i] answers pairs[i], on `threads` threads (0: one per core), the same bits for any number of them.
// Throws InvalidInput, naming `who`, before any work if the spans differ in length or a pair is not of two
// assets with surfaces in a finite pose.
void overlap_volumes(std::span<const body::Pair> pairs, std::span<OverlapVolume> results, int threads,
                     const char* who = "overlap_volume");

}  // namespace abut::proximity
