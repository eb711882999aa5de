#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace abut::preprocess {

struct Ball {
  Eigen::Vector3d center;  // m
  double radius = 0;       // m

  // Height of a point above the ball's surface, negative inside, and its distance from the ball (0 inside),
  // m.
  double height(const Eigen::Vector3d& x) const { return (x - center).norm() - radius; }
  double distance(const Eigen::Vector3d& x) const { return std::max(0.0, height(x)); }
};

}  // namespace abut::preprocess
