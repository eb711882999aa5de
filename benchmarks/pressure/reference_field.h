#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

// Pressure-field contact as it is usually written, to compare speeds with: double precision, a binary tree of
// boxes over the tetrahedra, boxes compared by the fifteen separating axes, a list of the pairs of leaves
// that overlap, each pair clipped, the surface stored as triangles around the polygons' centroids with all
// that a user might ask for, and the wrench summed over the stored surface. Nothing of it is shared with the
// library.
namespace abut::reference_field {

// A body, made ready offline.
class Body {
 public:
  explicit Body(const asset::VolumeView& volume);

  struct Node {
    Vec3<double> center, half;
    std::int32_t left = -1, right = -1, tetrahedron = -1;
  };
  struct Tetrahedron {
    std::array<Vec3<double>, 4> corners;
    std::array<double, 4> extents;
    Vec3<double> gradient;
    double offset = 0;
  };

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Tetrahedron>& tetrahedra() const { return tetrahedra_; }

 private:
  std::int32_t build(std::vector<std::int32_t>& order, std::size_t first, std::size_t last);
  std::vector<Node> nodes_;
  std::vector<Tetrahedron> tetrahedra_;
};

struct Surface {
  std::vector<Vec3<double>> vertices;
  std::vector<double> pressures;
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<Vec3<double>> normals, gradients_A, gradients_B, centroids;
  std::vector<double> areas;
};

struct Answer {
  Vec6<double> F_BBo_B;
  double area = 0;
  std::size_t candidates = 0;  // pairs of tetrahedra whose boxes overlap
};

std::vector<std::pair<std::int32_t, std::int32_t>> candidate_pairs(const Body& A, const Body& B,
                                                                   const Pose<double>& X_AB);

// The surface in A's frame at moduli of 1 Pa.
std::unique_ptr<Surface> surface(const Body& A, const Body& B, const Pose<double>& X_AB,
                                 const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs);

Answer wrench(const Body& A, const Body& B, const Pose<double>& X_AB);

}  // namespace abut::reference_field
