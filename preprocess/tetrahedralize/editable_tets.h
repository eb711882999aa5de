#pragma once

#include <optional>
#include <span>
#include <vector>

#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

// A tetrahedral mesh under local changes. Internal to improve() and snap_to_core().
namespace abut::preprocess {

// Tetrahedra in slots, some of which are free, and for each vertex the slots that use it.
class EditableTets {
 public:
  explicit EditableTets(const TetrahedralMesh& mesh);

  std::size_t slots() const { return tets_.size(); }
  bool alive(std::int32_t slot) const { return tets_[slot][0] >= 0; }
  const Tetrahedron& tet(std::int32_t slot) const { return tets_[slot]; }
  const std::vector<std::int32_t>& star(std::int32_t vertex) const { return stars_[vertex]; }
  const Eigen::Vector3d& point(std::int32_t vertex) const { return points_[vertex]; }
  bool inner(std::int32_t vertex) const { return inner_[vertex] != 0; }

  // The smallest sine of a dihedral angle, minus 2 if no vertex is inside the solid; -10 unless the volume is
  // positive.
  double quality(const Tetrahedron& t) const;
  double quality(std::int32_t slot) const { return quality(tets_[slot]); }
  double worst(std::span<const std::int32_t> slots) const;
  double worst(std::span<const Tetrahedron> tets) const;

  void replace(std::span<const std::int32_t> removed, std::span<const Tetrahedron> added);
  void move(std::int32_t vertex, const Eigen::Vector3d& point);
  std::int32_t add_vertex(const Eigen::Vector3d& point, bool inner);

  // Changes between begin() and commit() or rollback() can be undone; not nested. After rollback() slots and
  // vertices have their previous numbers.
  void begin();
  void commit();
  void rollback();
  // The slots changed since begin(): refilled, or with a moved vertex.
  std::vector<std::int32_t> changed() const;

  // Slots around the edge a-b in order, and the vertices of the ring: slot i is the tetrahedron (a, b,
  // ring[i], ring[i + 1]). Empty for an edge on the surface.
  struct Ring {
    std::vector<std::int32_t> slots, vertices;
  };
  std::optional<Ring> ring(std::int32_t a, std::int32_t b) const;

  // The slot across the face opposite corner k, -1 at the surface; and that slot's vertex that is not on the
  // face.
  std::int32_t across(std::int32_t slot, int k) const;
  std::int32_t apex(std::int32_t slot, const Tetrahedron& of, int k) const;

  TetrahedralMesh mesh() const;

 private:
  // Undo record: one slot filled or freed, or one vertex moved.
  struct Step {
    std::int32_t slot = -1, vertex = -1;
    Tetrahedron before{};
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
  };

  void fill(std::int32_t slot, const Tetrahedron& t);
  void empty(std::int32_t slot);

  std::vector<Eigen::Vector3d> points_;
  std::vector<Tetrahedron> tets_;
  std::vector<std::vector<std::int32_t>> stars_;
  std::vector<std::int32_t> free_;
  std::vector<char> inner_;  // flag for each vertex
  bool recording_ = false;
  std::vector<Step> journal_;
  std::size_t vertices_at_begin_ = 0;
};

}  // namespace abut::preprocess
