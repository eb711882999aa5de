#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/body/geometry.h"
#include "runtime/dynamics/collide/support_feature.h"

namespace abut::dynamics {

// Cosine of 1e-3 rad, the largest angle between the normals of triangles that form one face.
inline constexpr double kOneFace = 1 - 5e-7;

// A flat face of a convex piece, in the asset's frame.
struct PieceFace {
  Vec3<double> normal;  // unit, outward
  double height = 0;    // m: the piece lies in the half-space normal . x <= height
  double area = 0;      // m^2
  bool inner = false;   // whether other pieces of the asset cover it, so that nothing touches it from outside
  int size = 0;         // number of corners
  // Corners in the plane, counter-clockwise as seen from outside, m. Of a face with more than kRimCorners,
  // those farthest in kRimCorners directions.
  std::array<Vec3<double>, kRimCorners> corner;
};

// The faces of all convex pieces of an asset.
class PieceFaces {
 public:
  // Merges triangles into one face with a larger one whose normal is within kOneFace. The geometry must have
  // pieces. Throws InvalidInput for more pieces, or vertices of a piece, than contact features can number
  // (2^20, 2^16), and for a flat piece.
  explicit PieceFaces(const body::Geometry& asset);

  // Returns the faces of one piece.
  std::span<const PieceFace> of(std::int32_t piece) const {
    const std::int32_t first = first_[static_cast<std::size_t>(piece)];
    return std::span(faces_).subspan(
        static_cast<std::size_t>(first),
        static_cast<std::size_t>(first_[static_cast<std::size_t>(piece) + 1] - first));
  }

  // Returns the face of a piece whose normal is closest to a direction.
  const PieceFace& facing(std::int32_t piece, const Vec3<double>& direction) const;

  // Returns the largest signed distance, m, of a point (m, in the asset's frame) from the planes of a piece's
  // faces; negative inside the piece.
  double outside(std::int32_t piece, const Vec3<double>& p) const;

 private:
  void add_piece(const asset::ConvexView& piece);
  void find_inner(const asset::PiecesView& pieces);

  std::vector<PieceFace> faces_;
  std::vector<std::int32_t> first_{0};  // first face of each piece, and the end
};

// Signed distance of a point from a face's plane, m, positive outside.
inline double above(const PieceFace& face, const Vec3<double>& p) { return face.normal.dot(p) - face.height; }

}  // namespace abut::dynamics
