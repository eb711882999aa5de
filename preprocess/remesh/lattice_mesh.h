#pragma once

#include "preprocess/remesh/lattice.h"

namespace abut::preprocess {

// A triangle mesh whose edges are steps of a square lattice, under changes that keep the steps consistent: if
// they add up to zero around every face before a change, they do so afterwards.
class LatticeMesh {
 public:
  LatticeMesh(HalfedgeMesh mesh, Lattice lattice, std::vector<char> crease, std::vector<Hold> holds,
              std::vector<Eigen::Vector3d> points);

  const HalfedgeMesh& mesh() const { return mesh_; }
  const Offset& offset(std::int32_t h) const { return lattice_.offsets[h]; }
  bool crease(std::int32_t h) const { return crease_[h] != 0; }
  Hold hold(std::int32_t v) const { return holds_[v]; }
  // Mean of the lattice points of the vertices merged into v, m.
  Eigen::Vector3d point(std::int32_t v) const { return sums_[v] / counts_[v]; }
  // The vertex into which v was merged; v itself if it still exists.
  std::int32_t root(std::int32_t v) const;

  // Twice the face's area, in lattice steps.
  int area(std::int32_t f) const { return cross(offset(3 * f), offset(3 * f + 1)); }
  static int cross(const Offset& a, const Offset& b) { return a.x() * b.y() - a.y() * b.x(); }

  // Whether v may be moved by a step: it is not a singularity and no crease holds it.
  bool movable(std::int32_t v) const;
  // Moves v by a step in the axes of the face of leaving(v).
  void move(std::int32_t v, Offset step);

  // The step of half-edge h after a flip, in the axes of h's face; needed to evaluate a flip.
  Offset flipped_offset(std::int32_t h);
  bool can_flip(std::int32_t h) const { return !crease_[h] && mesh_.can_flip(h); }
  void flip(std::int32_t h);

  // From now on collapses may ignore the holds of creases.
  void release_holds() { released_ = true; }
  // Merges h's origin into its target, which may be some steps away if the origin is movable.
  bool can_collapse(std::int32_t h) const;
  void collapse(std::int32_t h);

  // Inserts a vertex on h, `part` of h's steps from its origin.
  std::int32_t split(std::int32_t h, const Offset& part);

  // Sum of the quarter turns around v, 0 to 3.
  int turns(std::int32_t v) const;
  std::uint8_t turn(std::int32_t h) const { return lattice_.turns[h]; }

 private:
  // Rotates the axes of the face across h into those of h's face.
  void align(std::int32_t h);
  void set_twin(std::int32_t h);

  HalfedgeMesh mesh_;
  Lattice lattice_;
  std::vector<char> crease_;
  std::vector<Hold> holds_;
  std::vector<Eigen::Vector3d> sums_;
  std::vector<double> counts_;
  std::vector<std::int32_t> merged_into_;
  bool released_ = false;
};

}  // namespace abut::preprocess
