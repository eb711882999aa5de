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

}  // namespace abut::preprocess
