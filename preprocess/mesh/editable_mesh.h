#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

using Corners = std::array<Eigen::Vector3d, 3>;

inline Corners corners_of(const TriangleMesh& mesh, const Triangle& t) {
  return {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
}

// A local operation on a surface: triangle added[i] replaces face faces[i], and the remaining faces are
// removed. At most one vertex moves. Collapse, flip and relaxation of a vertex all have this form, so that
// one set of checks serves them all.
struct Change {
  std::vector<std::int32_t> faces;
  std::vector<Triangle> added;
  std::int32_t moved = -1;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // of the moved vertex, m
};

// A closed manifold surface under local changes: triangles and, for each vertex, its incident faces. Faces
// keep their numbers until they are removed.
class EditableMesh {
 public:
  // Throws InvalidInput unless every edge has two oppositely directed faces and every vertex a single fan.
  explicit EditableMesh(const TriangleMesh& mesh);

  const Eigen::Vector3d& position(std::int32_t v) const { return positions_[v]; }
  const Triangle& face(std::int32_t f) const { return faces_[f]; }
  bool alive(std::int32_t f) const { return faces_[f][0] >= 0; }
  const std::vector<std::int32_t>& faces_of(std::int32_t v) const { return faces_of_[v]; }
  std::int32_t vertex_slots() const { return static_cast<std::int32_t>(positions_.size()); }
  std::int32_t face_slots() const { return static_cast<std::int32_t>(faces_.size()); }
  std::size_t live_faces() const { return live_faces_; }

  Corners corners(std::int32_t f) const;
  // Corners of a triangle after `change` is applied.
  Corners corners(const Triangle& t, const Change& change) const;
  // The face with the directed edge a -> b; -1 if there is none.
  std::int32_t face_with_edge(std::int32_t a, std::int32_t b) const;
  // Sets `out` to the vertices joined to v by an edge, ascending.
  void neighbours(std::int32_t v, std::vector<std::int32_t>& out) const;

  // Makes the change that collapses edge u-v into v at position x. Returns false if the result would not be
  // manifold (link condition [Dey et al. 1999]); `change` is then meaningless.
  bool make_collapse(std::int32_t u, std::int32_t v, const Eigen::Vector3d& x, Change& change) const;
  // Makes the change that replaces edge a-b by the other diagonal of its two faces; returns false if that
  // edge exists already.
  bool make_flip(std::int32_t a, std::int32_t b, Change& change) const;
  // Makes the change that moves vertex v to x.
  void make_move(std::int32_t v, const Eigen::Vector3d& x, Change& change) const;

  void apply(const Change& change);

  // The remaining vertices and faces, renumbered in the order of the input.
  TriangleMesh compact() const;

 private:
  std::vector<Eigen::Vector3d> positions_;
  std::vector<Triangle> faces_;  // {-1, -1, -1} once removed
  std::vector<std::vector<std::int32_t>> faces_of_;
  std::size_t live_faces_ = 0;
};

// 1 for an equilateral triangle, 0 for a degenerate one: 4 sqrt(3) area / (sum of squared edges).
double shape_quality(const Corners& t);

// Whether the triangle has no area, so that it intersects whatever it touches.
bool is_flat(const Corners& t);

// Unit normal; zero for a degenerate triangle.
Eigen::Vector3d unit_normal(const Corners& t);

}  // namespace abut::preprocess
