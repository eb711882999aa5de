#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/body/geometry.h"
#include "runtime/witness/core.h"

namespace abut::witness {

// The convex pieces of a body and their extents (support heights) along directions; a primitive is one
// piece. Everything in the body's frame. Directions are unit vectors, except for box_reach(); for a
// half-space only its normal.
class PieceSet {
 public:
  // Keeps a copy of the geometry.
  explicit PieceSet(const body::Geometry& geometry) : geometry_(geometry) { set(geometry); }
  // Switches to another geometry; allocates only if there are more pieces than before.
  void set(const body::Geometry& geometry);

  const body::Geometry& geometry() const { return geometry_; }  // the whole geometry
  bool hulls() const { return hulls_ != nullptr; }  // whether the pieces are polytopes of an asset
  const asset::ConvexView& hull(std::int32_t piece) const { return hulls_[piece]; }  // for an asset
  Core<double> core(std::int32_t piece) const;  // a piece as a core (core.h)
  // The hull of the whole asset, whichever piece the geometry refers to.
  const asset::ConvexView& whole() const { return whole_; }
  Core<double> whole_core() const;  // the primitive, or that hull
  double size() const;              // m, no point is farther from the frame's origin; 0 for a half-space

  // Height of a piece's support point along n, m.
  double reach(std::int32_t piece, const Vec3<double>& n) const;
  // Height of the support point of a piece's bounding box along n, m, an upper bound of reach(); piece -1:
  // the bounding box of all pieces. For a half-space, a box without size at its origin.
  double box_reach(std::int32_t piece, const Vec3<double>& n) const;
  // Greatest box_reach() of all pieces along n, m.
  double farthest(const Vec3<double>& n) const;
  // Index of the piece with the greatest reach() along n.
  std::int32_t farthest_piece(const Vec3<double>& n) const;

  // Chooses the pieces whose boxes reach farther than `least` (m) along n. Returns the greatest box_reach()
  // of the others, m.
  double choose(const Vec3<double>& n, double least);
  // Indices of the chosen pieces, in ascending order.
  const std::vector<std::int32_t>& chosen() const { return chosen_; }
  // Returns reach() of each chosen piece along n, m; infinite for those whose entry of `bounds` is at least
  // `limit`, and for the entries that pad the list to a multiple of four.
  const std::vector<double>& reaches(const Vec3<double>& n, const std::vector<double>& bounds, double limit);

 private:
  void set_box(std::int32_t piece, const Vec3<double>& low, const Vec3<double>& high);

  body::Geometry geometry_;
  std::int32_t count_ = 1;
  const asset::ConvexView* hulls_ = nullptr;
  asset::ConvexView whole_;
  // Centres and half sizes of the boxes (for an asset those of its tree), m; the last box contains all
  // pieces.
  std::array<std::vector<double>, 3> middle_, half_;
  std::vector<std::int32_t> chosen_;
  std::vector<double> reaches_;  // m
};

}  // namespace abut::witness
