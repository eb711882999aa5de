#include <CGAL/Polygon_mesh_processing/bbox.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Side_of_triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/surface_mesh.h"
#include "preprocess/mesh/weld.h"

namespace abut::preprocess {
namespace {

namespace pmp = CGAL::Polygon_mesh_processing;

// Limit of the faces that take part in unions, summed over all steps: some 5 s.
constexpr std::size_t kMaxUnited = 1'500'000;

// Groups of parts whose bounding boxes overlap, directly or through others; groups and parts in ascending
// order.
std::vector<std::vector<std::int32_t>> group_by_boxes(const TriangleMesh& mesh, const Components& parts) {
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts);
  std::vector<std::vector<std::int32_t>> groups;
  std::vector<char> taken(boxes.size(), 0);
  for (std::int32_t p = 0; p < parts.count; ++p) {
    if (taken[p] != 0) continue;
    std::vector<std::int32_t> group{p};
    taken[p] = 1;
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::int32_t q = 0; q < parts.count; ++q) {
        if (taken[q] != 0 || !boxes[group[i]].intersects(boxes[q])) continue;
        taken[q] = 1;
        group.push_back(q);
      }
    }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

// Unites solids. `work_` counts the faces that took part in a step, summed over all steps.
class SolidUniter {
 public:
  // Unites solids that face outward, recursively by halves, so that each face takes part in few steps. Empty
  // if a step fails.
  std::optional<SurfaceMesh> unite(std::span<SurfaceMesh> solids) {
    if (solids.size() == 1) return std::move(solids.front());
    std::optional<SurfaceMesh> whole = unite(solids.first(solids.size() / 2));
    if (!whole) return std::nullopt;
    std::optional<SurfaceMesh> rest = unite(solids.subspan(solids.size() / 2));
    if (!rest || !take(*whole, *rest, false)) return std::nullopt;
    return whole;
  }

  // Unites solids in descending size. One marked in `cavity` is not a solid: it is subtracted only from the
  // solid that contains it, so that others may reach into it.
  std::optional<SurfaceMesh> unite(std::span<SurfaceMesh> solids, const std::vector<char>& cavity) {
    std::vector<SurfaceMesh> rest;
    for (std::size_t i = 1; i < solids.size(); ++i)
      if (cavity[i] != 0 && !take(solids[holder_of(solids, cavity, i)], solids[i], true)) return std::nullopt;
    for (std::size_t i = 0; i < solids.size(); ++i)
      if (i == 0 || cavity[i] == 0) rest.push_back(std::move(solids[i]));
    return unite(rest);
  }

 private:
  // The smallest of the larger solids that contains all vertices of the cavity; the first solid if there is
  // none.
  std::size_t holder_of(std::span<const SurfaceMesh> solids, const std::vector<char>& cavity, std::size_t i) {
    const CGAL::Bbox_3 box = pmp::bbox(solids[i]);
    for (std::size_t k = i; k-- > 1 && work_ <= kMaxUnited;) {
      if (cavity[k] != 0 || pmp::bbox(solids[k]) + box != pmp::bbox(solids[k])) continue;
      work_ += solids[k].number_of_faces();
      const CGAL::Side_of_triangle_mesh<SurfaceMesh, CGAL::Exact_predicates_inexact_constructions_kernel>
          side_of(solids[k]);
      const auto corners = solids[i].vertices();
      if (std::all_of(corners.begin(), corners.end(), [&](SurfaceMesh::Vertex_index v) {
            return side_of(solids[i].point(v)) == CGAL::ON_BOUNDED_SIDE;
          }))
        return k;
    }
    return 0;
  }

  bool take(SurfaceMesh& whole, SurfaceMesh& solid, bool away) {
    work_ += whole.number_of_faces() + solid.number_of_faces();
    if (work_ > kMaxUnited) return false;
    const auto checked = CGAL::parameters::throw_on_self_intersection(true);
    return away ? pmp::corefine_and_compute_difference(whole, solid, whole, checked)
                : pmp::corefine_and_compute_union(whole, solid, whole, checked);
  }

  std::size_t work_ = 0;
};

}  // namespace

std::optional<TriangleMesh> unite_parts(const TriangleMesh& mesh) {
  const Components parts = find_components(mesh);
  const std::vector<double> volumes = part_volumes(mesh, parts);
  SolidUniter uniter;
  TriangleMesh result;
  for (std::vector<std::int32_t>& group : group_by_boxes(mesh, parts)) {
    // A solid that contains a cavity is larger than it, and one that floats in the cavity is smaller.
    std::stable_sort(group.begin(), group.end(), [&](std::int32_t p, std::int32_t q) {
      return std::abs(volumes[p]) > std::abs(volumes[q]);
    });
    std::vector<SurfaceMesh> solids;
    std::vector<char> cavity;
    for (const std::int32_t p : group) {
      std::vector<char> keep(mesh.triangles.size());
      for (std::size_t f = 0; f < keep.size(); ++f) keep[f] = parts.of_face[f] == p ? 1 : 0;
      solids.push_back(to_surface_mesh(select_faces(mesh, keep)));
      cavity.push_back(volumes[p] < 0 ? 1 : 0);
      if (group.size() == 1) break;
      if (pmp::does_self_intersect(solids.back())) return std::nullopt;
      if (cavity.back() != 0 && p != group.front()) pmp::reverse_face_orientations(solids.back());
    }
    const bool has_cavities = std::count(cavity.begin(), cavity.end(), 1) > 0;
    try {
      std::optional<SurfaceMesh> whole = has_cavities ? uniter.unite(solids, cavity) : uniter.unite(solids);
      if (!whole) return std::nullopt;
      append_mesh(result, to_triangle_mesh(*whole));
    } catch (const std::exception&) {  // self-intersections and other unsupported input
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace abut::preprocess
