// Witness points of hulls by FCL and their derivatives by central differences, for pose_optimisation.py,
// which loads this through ctypes: what a differentiable wrapper of a collision library does, in C++.
#include <fcl/narrowphase/distance.h>

#include <memory>
#include <vector>

#include "runtime/core/parallel.h"
#include "runtime/math/pose.h"

namespace {

using abut::Pose;
using Values = Eigen::Matrix<double, 10, 1>;  // distance, p1, p2, n

fcl::Transform3d transform(const Pose<double>& X) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = X.R;
  result.translation() = X.p;
  return result;
}

Values ask(const fcl::Convexd& A, const fcl::Convexd& B, const Pose<double>& X_AB) {
  const fcl::DistanceRequestd request(true, true);
  fcl::DistanceResultd result;
  const double distance =
      fcl::distance(&A, fcl::Transform3d::Identity(), &B, transform(X_AB), request, result);
  const Eigen::Vector3d p1 = result.nearest_points[0], p2 = result.nearest_points[1];
  Values values;
  values << distance, p1, p2, (p2 - p1).normalized() * (distance < 0 ? -1 : 1);
  return values;
}

}  // namespace

extern "C" {

// A hull of vertices (V, 3) and triangles (T, 3). It is the caller's, for ever.
void* fcl_hull(int vertex_count, const double* vertices, int triangle_count, const int* triangles) {
  auto points = std::make_shared<std::vector<fcl::Vector3d>>();
  auto faces = std::make_shared<std::vector<int>>();
  for (int i = 0; i < vertex_count; ++i) points->push_back(fcl::Vector3d::Map(vertices + 3 * i));
  for (int t = 0; t < triangle_count; ++t) {
    faces->push_back(3);
    faces->insert(faces->end(), triangles + 3 * t, triangles + 3 * t + 3);
  }
  return std::make_unique<fcl::Convexd>(points, triangle_count, faces).release();
}

// Values (count, 10) of poses X_AB (count, 4, 4) and, unless it is null, their Jacobian (count, 10, 6) by xi
// of X_AB exp(xi), by central differences of `step` (rad, m).
void fcl_witness(const void* A, const void* B, int count, const double* poses, double step, int threads,
                 double* values, double* jacobian) {
  const auto& hull_A = *static_cast<const fcl::Convexd*>(A);
  const auto& hull_B = *static_cast<const fcl::Convexd*>(B);
  abut::parallel_for(
      count, threads,
      [&](std::int64_t i, int) {
        const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> X(poses + 16 * i);
        const Pose<double> X_AB{X.topLeftCorner<3, 3>(), X.topRightCorner<3, 1>()};
        Values::Map(values + 10 * i) = ask(hull_A, hull_B, X_AB);
        if (jacobian == nullptr) return;
        Eigen::Map<Eigen::Matrix<double, 10, 6, Eigen::RowMajor>> J(jacobian + 60 * i);
        for (int k = 0; k < 6; ++k) {
          const abut::Vec6<double> xi = step * abut::Vec6<double>::Unit(k);
          J.col(k) = (ask(hull_A, hull_B, X_AB * abut::exp(xi)) -
                      ask(hull_A, hull_B, X_AB * abut::exp(abut::Vec6<double>(-xi)))) /
                     (2 * step);
        }
      },
      8);
}
}
