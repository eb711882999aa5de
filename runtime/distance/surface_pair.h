#pragma once

#include <cstdint>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/distance/triangle_pair.h"

// Finds the two closest triangles of two surfaces, or all pairs within a distance of one another.
//
//   distance::NearestTriangles nearest = distance::nearest_triangles(A, B, X_AB);
namespace abut::distance {

// Number of visited leaf pairs at which a search ends, after some tenths of a second. Objects far from the
// origin of their own frame, in units of their size, reach it: their bounding boxes, in single precision,
// are too coarse to exclude pairs.
inline constexpr std::int32_t kMaxVisits = 1 << 20;

// The closest triangles of two surfaces, or the closest met within kMaxVisits.
struct NearestTriangles {
  std::int32_t triangle_A = -1, triangle_B = -1;  // -1: none within reach
  TrianglePair<double> pair;                      // in A's frame
  std::int32_t visits = 0;                        // number of leaf pairs that were compared
  double bound = 0;  // m: no pair is nearer; the distance of `pair` unless `visits` reached kMaxVisits
  bool complete() const { return visits < kMaxVisits; }  // whether `pair` is proved to be the closest
};

// Finds the nearest pair of triangles, B posed by X_AB, exact to rounding (1e-14 of the coordinates).
// first_A, first_B: triangles to start from, such as those of a neighbouring pose (-1: none). X_AB must be
// finite and within 1e15 m. Does not allocate.
NearestTriangles nearest_triangles(const asset::SurfaceView& A, const asset::SurfaceView& B,
                                   const Pose<double>& X_AB, std::int32_t first_A = -1,
                                   std::int32_t first_B = -1);

// A pair of near triangles and their closest points.
struct NearPair {
  std::int32_t triangle_A, triangle_B;  // indices in A's and in B's surface
  TrianglePair<double> pair;            // in A's frame
};

// Finds exactly the pairs of triangles within a distance of one another, and writes them to `found`. That
// distance, which is returned, is `reach` (m), or less if there are more than `most` such pairs or the search
// ended at kMaxVisits; at least half of `most` pairs remain unless too many are equally near. Allocates only
// if `found` has to grow.
double near_triangles(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                      double reach, std::size_t most, std::vector<NearPair>& found);

}  // namespace abut::distance
