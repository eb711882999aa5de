#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/proximity/surface_query.h"

// All contact regions of two surfaces.
namespace abut::proximity {

// The closest points of one contact region or, if the bodies overlap there, its deepest point.
struct SurfaceContact {
  SurfaceWitness found;
  // Codes, 32 bits each, of the features that carry the witness points. They stay the same from pose to pose
  // as long as the same features carry the points, and swap with A and B.
  std::uint32_t feature_A = 0, feature_B = 0;
};

struct SurfaceContacts {
  std::span<const SurfaceContact> contacts;  // nearest first; valid until the next call
  double margin = 0;  // m: as requested, or smaller where too many triangles were within it
};

// Finds the pairs of triangles within a distance and groups them into contact regions. Keeps its memory
// between calls; use one per thread.
class ContactFinder {
 public:
  // Returns the contacts of all regions. A region is a set of pairs of triangles (one of A, one of B) that
  // are within `margin` (m, >= 0) of each other and are connected by edges: (a, b) and (a, b') where b and b'
  // share an edge, and likewise for a. Its contact is its nearest pair; where the surfaces cross in the
  // region, it is the deepest point of either surface among the parts inside the other body that are reached
  // from the crossing triangles. A region whose nearest points face each other through the inside of a body
  // is not a contact. The result is empty if no region is within the margin; if the search for the
  // nearest pair was not finished and a nearer one may be within it, the result is the pair found, with
  // kNotConverged. X_AB must be valid.
  SurfaceContacts operator()(const asset::SurfaceView& A, const asset::SurfaceView& B,
                             const Pose<double>& X_AB, double margin);

 private:
  void join(const asset::SurfaceView& A, const asset::SurfaceView& B);
  std::size_t root(std::size_t pair);
  void add_crossing(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                    std::size_t region, const SurfaceWitness& nearest);
  void flood(const asset::SurfaceView& of, const asset::SurfaceView& within, const Pose<double>& X_WO,
             std::vector<std::int32_t>& triangles);

  void finish(const asset::SurfaceView& A, const asset::SurfaceView& B, const SurfaceWitness& nearest);

  SurfaceScratch scratch_;
  std::vector<distance::NearPair> pairs_;
  std::vector<std::size_t> parent_;
  std::vector<std::int32_t> triangles_A_, triangles_B_;
  std::vector<char> known_;
  std::vector<std::size_t> best_;  // by region root: index of its nearest pair
  std::vector<SurfaceContact> contacts_;
};

}  // namespace abut::proximity
