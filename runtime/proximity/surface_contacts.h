#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/proximity/surface_query.h"

// All contact regions of two surfaces.
namespace abut::proximity {

// The closest points of one contact region, or its deepest.
struct SurfaceContact {
  SurfaceWitness found;
  // The features that carry the witness points, 32 bits each: the same from pose to pose while they do; with
  // A and B exchanged, exchanged.
  std::uint32_t feature_A = 0, feature_B = 0;
};

struct SurfaceContacts {
  std::span<const SurfaceContact> contacts;  // nearest first; valid until the next call
  double margin = 0;  // m: the one asked, or less where too many triangles were within it
};

// Pairs of triangles within a distance, regions of them: memory of a thread.
class ContactFinder {
 public:
  // A region is a set of pairs of triangles (one of A, one of B) that are within `margin` (m, >= 0) of one
  // another and joined by edges: (a, b) and (a, b') where b and b' share an edge, and so for a. Its contact
  // is its nearest pair; where the surfaces cross in it, the deepest point of either surface in the parts
  // inside the other that the crossing triangles lead to. A region whose nearest points face each other
  // through the inside of a body is none. None within the margin is an answer. X_AB valid.
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
  std::vector<std::size_t> best_;  // by region: that pair
  std::vector<SurfaceContact> contacts_;
};

}  // namespace abut::proximity
