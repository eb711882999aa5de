#pragma once

#include <optional>
#include <vector>

#include "preprocess/remesh/quad_mesh.h"

namespace abut::preprocess {

// A closed manifold of quads under local changes. Quads and vertices keep their numbers; those that are gone
// are left out by compact().
class EditableQuads {
 public:
  explicit EditableQuads(const QuadMesh& mesh);

  std::int32_t quad_slots() const { return static_cast<std::int32_t>(mesh_.quads.size()); }
  std::int32_t vertex_slots() const { return static_cast<std::int32_t>(mesh_.vertices.size()); }
  bool alive(std::int32_t f) const { return mesh_.quads[f][0] >= 0; }
  const Quad& quad(std::int32_t f) const { return mesh_.quads[f]; }
  const QuadMesh& mesh() const { return mesh_; }
  const std::vector<std::int32_t>& quads_of(std::int32_t v) const { return quads_of_[v]; }
  int valence(std::int32_t v) const { return static_cast<int>(quads_of_[v].size()); }

  // The quad that has the directed edge from a to b; -1: none.
  std::int32_t quad_with_edge(std::int32_t a, std::int32_t b) const;

  // Whether quad f can be collapsed by joining its corners k and k + 2: the result is a manifold.
  bool can_collapse(std::int32_t f, int k) const;
  // Joins them at `position` (m); the vertex at corner k stays.
  void collapse(std::int32_t f, int k, const Eigen::Vector3d& position);

  // The two quads at the edge from a to b after it is turned: its ends move on by one around the hexagon that
  // the quads form, `forward` or backward. None where that is no manifold.
  std::optional<std::array<Quad, 2>> turned(std::int32_t f, int k, bool forward) const;
  // Puts `quads` in the place of f and its neighbour across edge k.
  void turn(std::int32_t f, int k, const std::array<Quad, 2>& quads);

  // Removes the vertex v of two quads; false where they share all corners.
  bool remove_doublet(std::int32_t v);

  QuadMesh compact() const;

 private:
  void detach(std::int32_t f);
  void attach(std::int32_t f, const Quad& q);
  bool joined(std::int32_t a, std::int32_t b) const;  // by an edge

  QuadMesh mesh_;  // dead quads have corner 0 below 0
  std::vector<std::vector<std::int32_t>> quads_of_;
};

}  // namespace abut::preprocess
