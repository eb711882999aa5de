#include "preprocess/mesh/crossing_steps.h"

namespace CGAL::Polygon_mesh_processing {

template bool does_self_intersect<Sequential_tag>(const crossing::Faces&,
                                                  const abut::preprocess::SurfaceMesh&,
                                                  const parameters::Default_named_parameters&);
template bool does_self_intersect<Sequential_tag>(const crossing::FaceSet&,
                                                  const abut::preprocess::SurfaceMesh&,
                                                  const crossing::Checking&);

}  // namespace CGAL::Polygon_mesh_processing
