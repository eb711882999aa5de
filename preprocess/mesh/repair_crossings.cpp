#include "preprocess/mesh/crossing_steps.h"
// Must come after crossing_steps.h, whose steps are instantiated elsewhere.
#include <CGAL/Polygon_mesh_processing/repair_self_intersections.h>

#include "preprocess/mesh/repair.h"

namespace abut::preprocess {

namespace pmp = CGAL::Polygon_mesh_processing;

std::optional<TriangleMesh> remove_self_intersections(const TriangleMesh& mesh, bool keep_genus) {
  SurfaceMesh surface = to_surface_mesh(mesh);
  try {
    if (!pmp::experimental::remove_self_intersections(surface,
                                                      CGAL::parameters::preserve_genus(keep_genus))) {
      return std::nullopt;
    }
  } catch (const CGAL::Failure_exception&) {
    return std::nullopt;
  }
  return to_triangle_mesh(surface);
}

}  // namespace abut::preprocess
