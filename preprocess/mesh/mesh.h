#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace abut::preprocess {

using Triangle = std::array<std::int32_t, 3>;

// Triangles over indexed vertices: a soup when read from a file, a closed oriented surface after repair.
struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Triangle> triangles;        // counter-clockwise seen from outside

  // Length of the bounding box's diagonal, m; 0 without vertices.
  double diagonal() const;
  // The bounding box of the vertices that faces use, m.
  Eigen::AlignedBox3d box_of_faces() const;
};

// Findings about an object: collected along the pipeline, stored in the asset, printed in the summary.
struct Report {
  std::vector<std::string> warnings;       // one line each: what was found and what was done about it
  std::map<std::string, double> measures;  // named numbers; a key's suffix is the unit (_m, _percent, ...)
};

// Callback that receives progress messages for the user.
using Progress = std::function<void(const std::string& text)>;

}  // namespace abut::preprocess
