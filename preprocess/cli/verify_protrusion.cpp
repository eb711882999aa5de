#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/convex_hull_3.h>

#include <algorithm>
#include <cmath>

#include "preprocess/cli/verify_geometry.h"
#include "preprocess/cli/verify_mesh.h"

namespace abut::preprocess {

double protrusion(const asset::SurfaceView& surface, const asset::ConvexView& piece) {
  using Mesh = VerifiedMesh;
  using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
  const std::optional<Mesh> hull = verified_mesh(points_of(piece), piece.triangles, piece.triangle_count);
  if (!hull) return 0;  // reported by convexity_problems
  using Primitive = CGAL::AABB_face_graph_triangle_primitive<Mesh>;
  const CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>> tree(faces(*hull).first, faces(*hull).second,
                                                                   *hull);
  const CGAL::Side_of_triangle_mesh<Mesh, Kernel> side(*hull);
  // The point that protrudes farthest is a vertex of the surface's own hull.
  Mesh outer;
  const std::vector<Mesh::Point> points = points_of(surface);
  CGAL::convex_hull_3(points.begin(), points.end(), outer);
  double furthest = 0;
  for (const auto v : outer.vertices()) {
    const Mesh::Point& p = outer.point(v);
    if (side(p) == CGAL::ON_UNBOUNDED_SIDE)
      furthest = std::max(furthest, std::sqrt(tree.squared_distance(p)));
  }
  return furthest;
}

}  // namespace abut::preprocess
