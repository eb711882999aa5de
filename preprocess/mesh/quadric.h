#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

namespace abut::preprocess {

// Error quadrics of a vertex during simplification: the sum over its triangles of area times squared distance
// to the triangle's plane [Garland and Heckbert 1997], and the sum of area times mean squared distance to the
// triangle's points. The first determines where the vertex belongs; the second, with a small weight, keeps
// the regions that vertices represent compact and similar in size where the first is indifferent (in the
// manner of probabilistic quadrics [Trettner and Kobbelt 2020], but without pulling vertices off corners).
class Quadric {
 public:
  Quadric() = default;

  explicit Quadric(const std::array<Eigen::Vector3d, 3>& t) {
    const Eigen::Vector3d cross = (t[1] - t[0]).cross(t[2] - t[0]);
    const double length = cross.norm();
    if (!(length > 0)) return;
    const Eigen::Vector3d n = cross / length, centroid = (t[0] + t[1] + t[2]) / 3;
    const double d = n.dot(centroid);
    area_ = length / 2;
    A_ = area_ * n * n.transpose();
    b_ = area_ * d * n;
    c_ = area_ * d * d;
    first_ = area_ * centroid;
    // Integral of |p|^2 over the triangle.
    second_ = area_ / 12 *
              (t[0].squaredNorm() + t[1].squaredNorm() + t[2].squaredNorm() + 9 * centroid.squaredNorm());
  }

  Quadric& operator+=(const Quadric& other) {
    A_ += other.A_;
    b_ += other.b_;
    c_ += other.c_;
    area_ += other.area_;
    first_ += other.first_;
    second_ += other.second_;
    return *this;
  }

  double plane_error(const Eigen::Vector3d& x) const {
    return std::max(0.0, x.dot(A_ * x) - 2 * b_.dot(x) + c_);
  }
  double point_error(const Eigen::Vector3d& x) const {
    return std::max(0.0, area_ * x.squaredNorm() - 2 * first_.dot(x) + second_);
  }

  // The point that minimises the plane error along the axes that the planes determine and is nearest to
  // `anchor` along the others: a corner stays, a point on an edge slides along it, a point of a face within
  // the face.
  Eigen::Vector3d place(const Eigen::Vector3d& anchor) const {
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(A_);
    const Eigen::Vector3d residual = b_ - A_ * anchor;
    Eigen::Vector3d x = anchor;
    for (int k = 0; k < 3; ++k) {
      const double value = solver.eigenvalues()[k];
      if (!(value > kDetermined * solver.eigenvalues()[2])) continue;
      const Eigen::Vector3d axis = solver.eigenvectors().col(k);
      x += axis * (axis.dot(residual) / value);
    }
    return x;
  }

  Eigen::Vector3d centroid() const {
    return area_ > 0 ? Eigen::Vector3d(first_ / area_) : Eigen::Vector3d::Zero();
  }

 private:
  static constexpr double kDetermined = 1e-3;  // least eigenvalue of a determined axis, over the largest

  Eigen::Matrix3d A_ = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b_ = Eigen::Vector3d::Zero(), first_ = Eigen::Vector3d::Zero();
  double c_ = 0, area_ = 0, second_ = 0;
};

}  // namespace abut::preprocess
