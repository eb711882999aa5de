#pragma once

#include <cstdio>

#include "runtime/derivative/gumbel.h"
#include "runtime/derivative/soft_bodies.h"
#include "runtime/witness/separation.h"
#include "tests/support/worst_of.h"

namespace abut::test {

// Largest errors of the derivatives of soft witnesses, relative to the largest entry of each.
struct SoftDifferences {
  double first = 0, second = 0;  // in long double, against central differences
  double rounding = 0;           // of the same in double, against long double
  int compared = 0;

  void print(const char* what) const {
    std::printf("%s, %d pairs: first derivatives to %.1e, second to %.1e, in double to %.1e\n", what,
                compared, first, second, rounding);
  }
};

// B shifted along the normal until the hulls are `distance` (m) apart, or that deep.
inline void place_at(const asset::ConvexView& A, const asset::ConvexView& B, double distance,
                     Pose<double>& X_AB) {
  for (int k = 0; k < 5; ++k) {
    const auto w = witness::separation<double>(A, B, X_AB);
    X_AB.p += (distance - w.distance) * w.n;
  }
}

// Points, normal and distance of a witness in one column, and its derivatives.
template <class S>
Eigen::Matrix<S, 10, 1> stacked(const witness::Witness<S>& w) {
  Eigen::Matrix<S, 10, 1> x;
  x << w.p1, w.p2, w.n, w.distance;
  return x;
}
template <class S>
Eigen::Matrix<S, 10, 6> stacked(const derivative::WitnessDerivative<S>& d) {
  Eigen::Matrix<S, 10, 6> x;
  x << d.dp1_A_dxi_B, d.dp2_A_dxi_B, d.dn_A_dxi_B, d.dd_dxi_B;
  return x;
}
// Row k: of component k, the second derivatives by (xi_i, xi_j) at column 6 i + j.
template <class S>
Eigen::Matrix<S, 10, 36> stacked(const derivative::WitnessHessian<S>& h) {
  Eigen::Matrix<S, 10, 36> x;
  for (int k = 0; k < 10; ++k) {
    const Mat6<S>& m = k < 3 ? h.p1_A[k] : k < 6 ? h.p2_A[k - 3] : k < 9 ? h.n_A[k - 6] : h.d;
    for (int i = 0; i < 36; ++i) x(k, i) = m(i / 6, i % 6);
  }
  return x;
}

// Largest gap of the rows of points, of the normal and of the distance, over the largest entry of each.
template <class Matrix>
double stacked_gap(const Matrix& found, const Matrix& expected) {
  double worst = 0;
  for (const auto& [row, count] : {std::pair(0, 3), std::pair(3, 3), std::pair(6, 3), std::pair(9, 1)}) {
    const auto difference =
        (found - expected).middleRows(row, count).cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    worst = test::worst_of(worst, double(difference / expected.middleRows(row, count).cwiseAbs().maxCoeff()));
  }
  return worst;
}

// Compares at one pose and temperature (m); leaves out a clamped answer.
inline void compare_soft_differences(const asset::ConvexView& A, const asset::ConvexView& B, double t,
                                     const Pose<double>& X_AB, SoftDifferences& worst) {
  using Real = long double;
  const Vec3<double> n = witness::separation<double>(A, B, X_AB).n;
  const double size = derivative::hull_size(A) + derivative::hull_size(B);
  const derivative::SoftHull<Real> a{A, Real(t)}, b{B, Real(t)};
  Pose<Real> X = X_AB.template cast<Real>();
  X.R = Eigen::Quaternion<Real>(X.R).normalized().toRotationMatrix();
  const auto soft = derivative::soft_witness<Real>(a, b, X, n.cast<Real>().normalized());
  const auto d = derivative::soft_derivative<Real>(soft, X, size);
  if (d.status != Status::kOk) return;
  const auto at = [&](const Vec6<Real>& xi) {
    return derivative::soft_witness<Real>(a, b, X * exp<Real>(xi), soft.witness.n);
  };
  const auto unit = [&](int i, Real h) { return Vec6<Real>((i < 3 ? h : h * size) * Vec6<Real>::Unit(i)); };
  const auto scale = [&](int i) { return i < 3 ? Real(1) : Real(size); };
  // Central differences of fourth order, of steps h and 2 h, in rad and in sizes, small beside the turn that
  // takes the weights from one vertex to the next. Second derivatives by exp's coordinates are the symmetric
  // part of those of the first ones, which are by a twist at the pose itself.
  const Real step = 1e-4L * std::min(1.0, t / size);
  const auto difference = [&](int i, const auto& f) {
    const auto slope = [&](Real h) { return ((f(unit(i, h)) - f(unit(i, -h))) / (2 * h * scale(i))).eval(); };
    return ((4 * slope(step) - slope(2 * step)) / 3).eval();
  };
  Eigen::Matrix<Real, 10, 6> first;
  Eigen::Matrix<Real, 10, 36> second = Eigen::Matrix<Real, 10, 36>::Zero();
  for (int i = 0; i < 6; ++i) {
    first.col(i) = difference(i, [&](const Vec6<Real>& xi) { return stacked(at(xi).witness); });
    const Eigen::Matrix<Real, 10, 6> turned = difference(i, [&](const Vec6<Real>& xi) {
      return stacked(derivative::soft_derivative<Real>(at(xi), X * exp<Real>(xi), size));
    });
    for (int j = 0; j < 6; ++j) {
      second.col(6 * i + j) += turned.col(j) / 2;
      second.col(6 * j + i) += turned.col(j) / 2;
    }
  }
  const auto hessian = derivative::soft_hessian<Real>(a, b, soft, X, size);
  worst.first = test::worst_of(worst.first, stacked_gap(stacked(d), first));
  worst.second = test::worst_of(worst.second, stacked_gap(stacked(hessian), second));

  const derivative::SoftHull<double> a_double{A, t}, b_double{B, t};
  const auto again = derivative::soft_witness<double>(a_double, b_double, X_AB, n);
  const auto first_again = stacked(derivative::soft_derivative<double>(again, X_AB, size));
  const auto second_again = stacked(derivative::soft_hessian<double>(a_double, b_double, again, X_AB, size));
  worst.rounding = std::max(
      {worst.rounding, stacked_gap<Eigen::Matrix<double, 10, 6>>(first_again, stacked(d).cast<double>()),
       stacked_gap<Eigen::Matrix<double, 10, 36>>(second_again, stacked(hessian).cast<double>())});
  ++worst.compared;
}

}  // namespace abut::test
