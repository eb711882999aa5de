#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace abut::preprocess {

// A surface of polygons over indexed vertices; face f has the corners corners[offsets[f] .. offsets[f + 1] -
// 1].
struct PolygonMesh {
  std::vector<Eigen::Vector3d> vertices;    // m
  std::vector<std::int32_t> offsets = {0};  // one more than the faces
  std::vector<std::int32_t> corners;        // counter-clockwise seen from outside

  std::int32_t face_count() const { return static_cast<std::int32_t>(offsets.size()) - 1; }
};

}  // namespace abut::preprocess
