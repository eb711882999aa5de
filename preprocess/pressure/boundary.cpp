#include "preprocess/pressure/boundary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// The same triangle with the same orientation, its least vertex first.
Triangle least_first(Triangle t) {
  std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  return t;
}

class BoundaryCheck {
 public:
  BoundaryCheck(const VolumeBoundary& boundary, const std::string& file)
      : mesh_(boundary.mesh), tetrahedra_(boundary.tetrahedra), file_(file) {}

  void check() {
    check_edges();
    check_points();
    check_crossings();
    check_nesting();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw InvalidInput(file_ + ": " + what); }

  void check_edges() {
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t a = mesh_.triangles[t][k], b = mesh_.triangles[t][(k + 1) % 3];
        const auto [at, fresh] = edges_.try_emplace({a, b}, t);
        if (!fresh)
          refuse(
              fmt::format("tetrahedra {} and {} meet at the edge of points {} and {} and share no faces "
                          "around it; move them apart, or fill the gap between them",
                          tetrahedra_[at->second], tetrahedra_[t], a, b));
      }
  }

  // Checks that all triangles at a vertex are met on a walk around it.
  void check_points() const {
    std::vector<char> met(3 * mesh_.triangles.size(), 0), done(mesh_.vertices.size(), 0);
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        if (met[3 * t + k]) continue;
        const std::int32_t v = mesh_.triangles[t][k];
        if (done[static_cast<std::size_t>(v)])
          refuse(
              fmt::format("tetrahedron {} meets others at point {} alone; give it a point of its own, apart "
                          "from theirs, or fill the gap between them",
                          tetrahedra_[t], v));
        done[static_cast<std::size_t>(v)] = 1;
        std::size_t at = t, corner = k;
        do {
          met[3 * at + corner] = 1;
          at = edges_.at({v, mesh_.triangles[at][(corner + 2) % 3]});
          const Triangle& next = mesh_.triangles[at];
          corner = static_cast<std::size_t>(std::find(next.begin(), next.end(), v) - next.begin());
        } while (at != t);
      }
  }

  void check_crossings() const {
    const auto pairs = find_self_intersections(mesh_);
    if (!pairs.empty())
      refuse(fmt::format(
          "tetrahedra {} and {} overlap or touch without a face that both have; move bodies apart, "
          "or let them share points and faces",
          tetrahedra_[pairs[0][0]], tetrahedra_[pairs[0][1]]));
  }

  // Checks nesting: a part that faces outward must lie in as many other bodies as in cavities of bodies.
  void check_nesting() const {
    const Components parts = find_components(mesh_);
    if (parts.count < 2) return;
    const std::vector<double> volumes = part_volumes(mesh_, parts);
    const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh_, parts);
    for (std::int32_t inner = 0; inner < parts.count; ++inner) {
      if (volumes[inner] < 0) continue;
      int around = 0;
      for (std::int32_t outer = 0; outer < parts.count; ++outer)
        if (outer != inner && boxes[outer].contains(boxes[inner]) && lies_within(mesh_, parts, inner, outer))
          around += volumes[outer] > 0 ? 1 : -1;
      if (around == 0) continue;
      const auto first = std::find(parts.of_face.begin(), parts.of_face.end(), inner) - parts.of_face.begin();
      refuse(fmt::format("the body of tetrahedron {} lies within another; take one of them away",
                         tetrahedra_[static_cast<std::size_t>(first)]));
    }
  }

  const TriangleMesh& mesh_;
  const std::vector<std::int32_t>& tetrahedra_;
  const std::string& file_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> edges_;  // directed edge -> triangle
};

}  // namespace

VolumeBoundary boundary_of(const TetrahedralMesh& mesh, const std::string& file) {
  struct Face {
    int count;
    Triangle outside;
    std::int32_t tetrahedron;
  };
  std::map<Triangle, Face> faces;  // by sorted corners
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t)
    for (const auto& f : kFaces) {
      const Tetrahedron& tet = mesh.tetrahedra[t];
      const Triangle outside = {tet[f[0]], tet[f[2]], tet[f[1]]};
      Triangle key = outside;
      std::sort(key.begin(), key.end());
      const auto number = static_cast<std::int32_t>(t);
      const auto [at, fresh] = faces.try_emplace(key, Face{1, outside, number});
      if (fresh) continue;
      Face& face = at->second;
      if (++face.count > 2)
        throw InvalidInput(fmt::format(
            "{}: tetrahedron {} shares a face with two others; remove those that overlap", file, t));
      if (least_first(face.outside) == least_first(outside))
        throw InvalidInput(
            fmt::format("{}: tetrahedra {} and {} overlap: they lie on the same side of the face that they "
                        "share; remove one, or mend its fourth corner",
                        file, face.tetrahedron, t));
    }
  VolumeBoundary result;
  result.mesh.vertices = mesh.vertices;
  for (const auto& [key, face] : faces)
    if (face.count == 1) {
      result.mesh.triangles.push_back(face.outside);
      result.tetrahedra.push_back(face.tetrahedron);
    }
  return result;
}

void check_boundary(const VolumeBoundary& boundary, const std::string& file) {
  BoundaryCheck(boundary, file).check();
}

}  // namespace abut::preprocess
