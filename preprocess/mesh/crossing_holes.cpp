#include "preprocess/mesh/crossing_steps.h"

namespace CGAL::Polygon_mesh_processing {

template crossing::Output triangulate_hole_polyline(const crossing::Points&, const crossing::Points&,
                                                    crossing::Output, const crossing::Filling&);
template crossing::Output triangulate_hole_polyline(const crossing::Points&, const crossing::Points&,
                                                    crossing::Output, const crossing::FillingByAnyPoint&);

}  // namespace CGAL::Polygon_mesh_processing
