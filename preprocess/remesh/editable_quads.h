#pragma once

#include <optional>
#include <vector>

#include "preprocess/remesh/quad_mesh.h"

namespace abut::preprocess {

// A closed manifold of quads under local changes. Quads and vertices keep their numbers until they are
// removed; compact() renumbers.
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

  // The quad with the directed edge from a to b; -1 if there is none.
  std::int32_t quad_with_edge(std::int32_t a, std::int32_t b) const;

  // Whether the mesh stays manifold when quad f is collapsed by merging its corners k and k + 2.
  bool can_collapse(std::int32_t f, int k) const;
  // Merges them at `position` (m); the vertex at corner k remains.
  void collapse(std::int32_t f, int k, const Eigen::Vector3d& position);

  // The two quads at edge k of quad f after the edge is rotated: its ends advance by one around the hexagon
  // that the quads form, `forward` or backward. Empty if the result would not be manifold.
  std::optional<std::array<Quad, 2>> turned(std::int32_t f, int k, bool forward) const;
  // Replaces f and its neighbour across edge k by `quads`.
  void turn(std::int32_t f, int k, const std::array<Quad, 2>& quads);

  // Removes the vertex v of valence two; returns false if its two quads share all corners.
  bool remove_doublet(std::int32_t v);

  QuadMesh compact() const;

 private:
  void detach(std::int32_t f);
  void attach(std::int32_t f, const Quad& q);
  bool joined(std::int32_t a, std::int32_t b) const;  // whether an edge joins them

  QuadMesh mesh_;  // removed quads have a negative corner 0
  std::vector<std::vector<std::int32_t>> quads_of_;
};

}  // namespace abut::preprocess
