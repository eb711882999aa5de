#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace abut::preprocess {

using Triangle = std::array<std::int32_t, 3>;

// Triangles over indexed vertices: a soup as read, a closed oriented surface once cleaned.
struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<Triangle> triangles;        // counter-clockwise seen from outside

  // Length of the bounding box's diagonal, m; 0 without vertices.
  double diagonal() const;
};

// What a stage has to say of an object: collected along the pipeline, stored in the asset, printed in the
// summary.
struct Report {
  std::vector<std::string> warnings;       // one line each: what was found and what was done about it
  std::map<std::string, double> measures;  // named figures; the unit is the key's suffix (_m, _percent, ...)
};

// Told of what is going on, for people.
using Progress = std::function<void(const std::string& text)>;

}  // namespace abut::preprocess
