#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace abut::preprocess {

struct Ball {
  Eigen::Vector3d center;  // m
  double radius = 0;       // m

  // Of a point over its surface, negative inside; and its distance, m.
  double height(const Eigen::Vector3d& x) const { return (x - center).norm() - radius; }
  double distance(const Eigen::Vector3d& x) const { return std::max(0.0, height(x)); }
};

}  // namespace abut::preprocess
