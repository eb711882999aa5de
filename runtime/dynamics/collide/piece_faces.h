#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/body/geometry.h"
#include "runtime/dynamics/collide/support_feature.h"

namespace abut::dynamics {

// Cosine of 1e-3 rad, within which triangles make one face.
inline constexpr double kOneFace = 1 - 5e-7;

// A flat face of a convex piece, in the asset's frame.
struct PieceFace {
  Vec3<double> normal;  // unit, outward
  double height = 0;    // m: the piece lies where normal . x <= height
  double area = 0;      // m^2
  bool inner = false;   // other pieces of the asset cover it, so that nothing reaches it from outside
  int size = 0;         // of `corner`
  // In the plane, counter-clockwise seen from outside; of a face with more corners than a rim has, those
  // farthest in so many directions, m.
  std::array<Vec3<double>, kRimCorners> corner;
};

// Of all pieces of an asset.
class PieceFaces {
 public:
  // Triangles within kOneFace of a larger one make one face with it. The geometry must have pieces. Throws
  // InvalidInput for more pieces or vertices of a piece than contact features have room for (2^20, 2^16).
  explicit PieceFaces(const body::Geometry& asset);

  // Of one piece.
  std::span<const PieceFace> of(std::int32_t piece) const {
    const std::int32_t first = first_[static_cast<std::size_t>(piece)];
    return std::span(faces_).subspan(
        static_cast<std::size_t>(first),
        static_cast<std::size_t>(first_[static_cast<std::size_t>(piece) + 1] - first));
  }

  // The face of a piece that looks most along a direction.
  const PieceFace& facing(std::int32_t piece, const Vec3<double>& direction) const;

  // How far a point (m, in the asset's frame) is outside of the plane that it is farthest outside of, or the
  // least deep beneath, m.
  double outside(std::int32_t piece, const Vec3<double>& p) const;

 private:
  void add_piece(const asset::ConvexView& piece);
  void find_inner(const asset::PiecesView& pieces);

  std::vector<PieceFace> faces_;
  std::vector<std::int32_t> first_{0};  // of each piece, and the end
};

// How far a point is outside of a face's plane, m.
inline double above(const PieceFace& face, const Vec3<double>& p) { return face.normal.dot(p) - face.height; }

}  // namespace abut::dynamics
