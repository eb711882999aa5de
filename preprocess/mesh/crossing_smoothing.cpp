#include "preprocess/mesh/crossing_steps.h"

namespace CGAL::Polygon_mesh_processing {

template void angle_and_area_smoothing(const crossing::Faces&, abut::preprocess::SurfaceMesh&,
                                       const crossing::Smoothing&);

}  // namespace CGAL::Polygon_mesh_processing
