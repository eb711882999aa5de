#include <CGAL/alpha_wrap_3.h>

#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/surface_mesh.h"

namespace abut::preprocess {

TriangleMesh wrap(const TriangleMesh& soup, double alpha, double offset) {
  SurfaceMesh out;
  CGAL::alpha_wrap_3(to_points(soup), to_polygons(soup), alpha, offset, out);
  return to_triangle_mesh(out);
}

}  // namespace abut::preprocess
