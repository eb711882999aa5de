#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

double TriangleMesh::diagonal() const {
  if (vertices.empty()) return 0;
  Eigen::Vector3d lo = vertices.front(), hi = lo;
  for (const Eigen::Vector3d& v : vertices) {
    lo = lo.cwiseMin(v);
    hi = hi.cwiseMax(v);
  }
  return (hi - lo).norm();
}

Eigen::AlignedBox3d TriangleMesh::box_of_faces() const {
  Eigen::AlignedBox3d box;
  for (const Triangle& t : triangles)
    for (const std::int32_t v : t) box.extend(vertices[static_cast<std::size_t>(v)]);
  return box;
}

}  // namespace abut::preprocess
