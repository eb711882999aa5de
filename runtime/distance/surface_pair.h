#pragma once

#include <cstdint>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/distance/triangle_pair.h"

// The two closest triangles of two surfaces, and all that are within a distance of one another.
//
//   distance::NearestTriangles nearest = distance::nearest_triangles(A, B, X_AB);
namespace abut::distance {

// A search ends there: some tenths of a second. Objects that are far from the origin of their own frame, in
// units of their size, have boxes in single precision that tell nothing.
inline constexpr std::int32_t kMaxVisits = 1 << 20;

// The closest triangles of two surfaces, or the closest met within kMaxVisits.
struct NearestTriangles {
  std::int32_t triangle_A = -1, triangle_B = -1;  // -1: none within reach
  TrianglePair<double> pair;                      // in A's frame
  std::int32_t visits = 0;                        // pairs of leaves that were compared
  double bound = 0;  // m: no pair is nearer; that pair's distance but where `visits` reached kMaxVisits
  bool complete() const { return visits < kMaxVisits; }  // whether they are the closest
};

// Nearest pair of triangles, B posed by X_AB, exact to rounding (1e-14 of the coordinates). first_A, first_B:
// triangles to begin with, such as those of a neighbouring pose (-1: none). X_AB finite and within 1e15 m.
// Allocates nothing.
NearestTriangles nearest_triangles(const asset::SurfaceView& A, const asset::SurfaceView& B,
                                   const Pose<double>& X_AB, std::int32_t first_A = -1,
                                   std::int32_t first_B = -1);

// Two triangles that are near, and their closest points.
struct NearPair {
  std::int32_t triangle_A, triangle_B;  // of A's and of B's surface
  TrianglePair<double> pair;            // in A's frame
};

// All pairs of triangles within `reach` (m) of one another and no others. Returns `reach`, or less where that
// would be more than `most` (then a half of that at least) or the search ended at kMaxVisits. Allocates where
// `found` has to grow.
double near_triangles(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                      double reach, std::size_t most, std::vector<NearPair>& found);

}  // namespace abut::distance
