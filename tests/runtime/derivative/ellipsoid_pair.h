#pragma once

#include "runtime/derivative/smooth.h"
#include "runtime/derivative/witness_derivative.h"

namespace abut::test {

// Witness points of two ellipsoids by Newton's method on the unit sphere: an oracle independent of
// runtime/witness. It finds the local maximum of g(n) = <n,p> - h_A(n) - h_B(-R'n) that it is started next
// to.
template <class S>
struct EllipsoidPair {
  Vec3<S> a;  // semi-axes of A, m
  Vec3<S> b;

  static Vec3<S> support(const Vec3<S>& axes, const Vec3<S>& n) {
    return axes.cwiseAbs2().cwiseProduct(n) / axes.cwiseProduct(n).norm();
  }

  witness::Witness<S> at(const Pose<S>& X_AB, const Vec3<S>& n) const {
    witness::Witness<S> w{};
    w.n = n;
    w.p1 = support(a, n);
    w.p2 = X_AB * support(b, Vec3<S>(-(X_AB.R.transpose() * n)));
    w.distance = n.dot(w.p2 - w.p1);
    return w;
  }

  derivative::Curvature<S> curvature_A(const Vec3<S>& n) const {
    return derivative::curvature(witness::Core<S>(witness::Ellipsoid<S>{a}), n, Vec3<S>(Vec3<S>::Zero()));
  }
  derivative::Curvature<S> curvature_B(const Pose<S>& X_AB, const Vec3<S>& n) const {
    return derivative::curvature(witness::Core<S>(witness::Ellipsoid<S>{b}),
                                 Vec3<S>(-(X_AB.R.transpose() * n)), Vec3<S>(Vec3<S>::Zero()));
  }

  // The tangent matrix d I + H_D, in a basis of the tangent plane at w.n.
  Eigen::Matrix<S, 2, 2> tangent_matrix(const Pose<S>& X_AB, const witness::Witness<S>& w,
                                        const Eigen::Matrix<S, 3, 2>& T) const {
    const Mat3<S> H = curvature_A(w.n).H + X_AB.R * curvature_B(X_AB, w.n).H * X_AB.R.transpose();
    return w.distance * Eigen::Matrix<S, 2, 2>::Identity() + T.transpose() * H * T;
  }

  witness::Witness<S> solve(const Pose<S>& X_AB, Vec3<S> n) const {
    n.normalize();
    witness::Witness<S> w = at(X_AB, n);
    for (int iteration = 0; iteration < 300; ++iteration) {
      Eigen::Matrix<S, 3, 2> T = derivative::tangent_basis(w.n);
      const Eigen::Matrix<S, 2, 1> gradient = T.transpose() * (w.p2 - w.p1);  // of g on the sphere
      if (gradient.norm() < S(64) * std::numeric_limits<S>::epsilon()) break;
      const Eigen::Matrix<S, 2, 2> K = tangent_matrix(X_AB, w, T);
      const bool concave = K.determinant() > 0 && K.trace() > 0;  // - K is the Hessian of g
      Eigen::Matrix<S, 2, 1> step = concave ? Eigen::Matrix<S, 2, 1>(K.inverse() * gradient)
                                            : Eigen::Matrix<S, 2, 1>(gradient / K.norm());
      witness::Witness<S> next = at(X_AB, (w.n + T * step).normalized());
      const bool quadratic = concave && gradient.norm() < S(1e-6);
      for (int k = 0; k < 40 && !quadratic && next.distance < w.distance; ++k) {
        step /= 2;
        next = at(X_AB, (w.n + T * step).normalized());
      }
      w = next;
    }
    return w;
  }
};

}  // namespace abut::test
