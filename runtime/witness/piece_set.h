#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/body/geometry.h"
#include "runtime/witness/core.h"

namespace abut::witness {

// The convex pieces of a body, and how far they reach along directions; a primitive is one piece. All in the
// body's frame. Directions are unit vectors but for box_reach(), of a half-space its normal.
class PieceSet {
 public:
  // Of a geometry, which is kept.
  explicit PieceSet(const body::Geometry& geometry) : geometry_(geometry) { set(geometry); }
  // Of another one; allocates for more pieces alone.
  void set(const body::Geometry& geometry);

  const body::Geometry& geometry() const { return geometry_; }  // all of it
  bool hulls() const { return hulls_ != nullptr; }              // whether they are polytopes of an asset
  const asset::ConvexView& hull(std::int32_t piece) const { return hulls_[piece]; }  // of an asset
  Core<double> core(std::int32_t piece) const;                                       // as the searches see it
  // Of an asset its own hull, whichever piece the geometry stands for.
  const asset::ConvexView& whole() const { return whole_; }
  Core<double> whole_core() const;  // a primitive, or that hull
  double size() const;              // m, no point is farther from the frame's origin; of a half-space 0

  // How far a piece reaches, m: the height of its support point.
  double reach(std::int32_t piece, const Vec3<double>& n) const;
  // How far its box does, m, which holds it; -1: a box about all. Of a half-space a box about its origin.
  double box_reach(std::int32_t piece, const Vec3<double>& n) const;
  // How far any box reaches, m.
  double farthest(const Vec3<double>& n) const;
  // The piece that reaches farthest.
  std::int32_t farthest_piece(const Vec3<double>& n) const;

  // Chooses the pieces whose boxes reach farther than `least` (m). How far the boxes of the others do, m.
  double choose(const Vec3<double>& n, double least);
  // Those chosen, in the order of their numbers.
  const std::vector<std::int32_t>& chosen() const { return chosen_; }
  // How far each of them reaches, m; infinite for those whose entry of `bounds` is not less than `limit`, and
  // for as many more as make them fours.
  const std::vector<double>& reaches(const Vec3<double>& n, const std::vector<double>& bounds, double limit);

 private:
  void set_box(std::int32_t piece, const Vec3<double>& low, const Vec3<double>& high);

  body::Geometry geometry_;
  std::int32_t count_ = 1;
  const asset::ConvexView* hulls_ = nullptr;
  asset::ConvexView whole_;
  // Of the boxes, those of an asset's tree, m; the last is about all.
  std::array<std::vector<double>, 3> middle_, half_;
  std::vector<std::int32_t> chosen_;
  std::vector<double> reaches_;  // m
};

}  // namespace abut::witness
