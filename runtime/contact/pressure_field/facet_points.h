#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/contact/pressure_field/visit_facets.h"

// Contact points of the pressure-field model, with derivatives. Internal to the model.
namespace abut::contact {

// The contact point of a facet: its centroid, where the common pressure p determines the depth in either body
// along the normal, p / (n . grad pA) and p / (-n . grad pB), limited to the depth of that body's deepest
// point, since next to a core the pressure is nearly uniform and in the core it carries no information. The
// depth in a rigid body is 0.
template <class T>
struct FacetPoint {
  T area = T(0);  // m^2; 0: no point
  T gap;          // m
  Vec3<T> p, n;   // in B; n into A
};

// Cosine of the angle between the normal and a body's gradient below which the contact surface cuts across
// the body's levels of pressure instead of following its surface: 84 degrees. The depth along the normal is
// then meaningless.
inline constexpr double kLeastRise = 0.1;

// Depth in a body: p / rise, at most `deepest` (m). Infinite where it is meaningless (kLeastRise) and where
// the pressure pulls, behind a core.
template <class T>
T depth(const T& p, const T& rise, const Vec3<T>& gradient, double deepest) {
  if (value_of(T(gradient.squaredNorm())) == 0) return T(deepest);
  const T least = T(kLeastRise) * sqrt(T(gradient.squaredNorm()));
  if (!(rise > least)) return T(std::numeric_limits<double>::infinity());
  const T along = p / rise;
  return along > T(deepest) ? T(deepest) : along;
}

// Depth of the deepest point of either body, m; 0 if rigid.
struct DeepestPoints {
  double in_A, in_B;
};

template <class T>
FacetPoint<T> point_of(const Facet<T>& facet, const DeepestPoints& deepest) {
  const auto [area, center] = place(facet);
  if (!(area > T(0))) return {};
  const T p = facet.pressure(center);
  const T in_A = depth<T>(p, facet.n.dot(facet.gradient_A), facet.gradient_A, deepest.in_A),
          in_B = depth<T>(p, T(-facet.n.dot(facet.gradient_B)), facet.gradient_B, deepest.in_B);
  if (!(p > T(0)) || !std::isfinite(value_of(T(in_A + in_B)))) return {};
  return {area, -(in_A + in_B), center + (in_B - in_A) / T(2) * facet.n, facet.n};
}

// A sink of facets that collects their contact points, and derivatives if requested.
class FacetPoints {
 public:
  FacetPoints(const Pose<double>& X_AB, const RateLaw& law, const DeepestPoints& deepest, Want want,
              std::vector<ContactPoint>& points, std::vector<ContactPointDerivative>& derivatives)
      : X_AB_(X_AB),
        X_BA_(X_AB.inverse()),
        law_(law),
        deepest_(deepest),
        wants_derivatives_(has(want, Want::kJacobian)),
        points_(points),
        derivatives_(derivatives) {
    points_.clear();
    derivatives_.clear();
    if (wants_derivatives_) moving_X_BA_ = moving<Moving>(X_BA_);
  }

  const Pose<double>& X_BA() const { return X_BA_; }
  const RateLaw& law() const { return law_; }

  template <class Build>
  void add(std::uint64_t feature, Build&& build) {
    const Facet<double> facet = build(X_BA_);
    const FacetPoint<double> point = point_of(facet, deepest_);
    if (!(point.area > 0)) return;
    const double counted = facet.polygon.weight() * point.area;
    total_ += counted;
    points_.push_back({X_AB_ * point.p, -(X_AB_.R * point.n), point.gap, counted, feature});
    if (wants_derivatives_) derivatives_.push_back(derivative_of(point_of(build(moving_X_BA_), deepest_)));
  }

  // Drops slivers, which carry no load.
  void finish() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].area < 1e-6 * total_) continue;
      points_[kept] = points_[i];
      if (wants_derivatives_) derivatives_[kept] = derivatives_[i];
      ++kept;
    }
    points_.resize(kept);
    if (wants_derivatives_) derivatives_.resize(kept);
  }

 private:
  using Moving = Dual<double, 6>;  // with respect to xi

  // Derivatives of x_A = X_AB exp(xi) x_B for a point or direction in B that itself depends on xi.
  ContactPointDerivative derivative_of(const FacetPoint<Moving>& point) const {
    ContactPointDerivative d;
    Mat36<double> dp, dn;
    Vec3<double> p, n;
    for (int i = 0; i < 3; ++i) {
      dp.row(i) = point.p[i].slopes.matrix().transpose();
      dn.row(i) = point.n[i].slopes.matrix().transpose();
      p[i] = point.p[i].value;
      n[i] = point.n[i].value;
    }
    dp.leftCols<3>() -= skew(p);
    dp.rightCols<3>() += Mat3<double>::Identity();
    dn.leftCols<3>() -= skew(n);
    return {X_AB_.R * dp, -(X_AB_.R * dn), point.gap.slopes.matrix().transpose()};
  }

  Pose<double> X_AB_, X_BA_;
  RateLaw law_;
  DeepestPoints deepest_;
  bool wants_derivatives_;
  Pose<Moving> moving_X_BA_;
  double total_ = 0;
  std::vector<ContactPoint>& points_;
  std::vector<ContactPointDerivative>& derivatives_;
};

// A contact point after exchanging the names of the bodies; derivatives are with respect to eta of X_BA
// exp(eta), eta = -Ad(X_AB) xi.
inline ContactPoint exchanged(const ContactPoint& point, const Pose<double>& X_AB) {
  return {X_AB * point.p_AC, -(X_AB.R * point.n_A), point.gap, point.area, point.feature};
}
inline ContactPointDerivative exchanged(const ContactPointDerivative& d, const ContactPoint& point,
                                        const Pose<double>& X_AB) {
  const Mat6<double> Ad = adjoint(X_AB);
  Mat36<double> dp = -d.dp_dxi_B * Ad, dn = -d.dn_dxi_B * Ad;
  dp.leftCols<3>() -= skew(point.p_AC);
  dp.rightCols<3>() += Mat3<double>::Identity();
  dn.leftCols<3>() -= skew(point.n_A);
  return {X_AB.R * dp, -(X_AB.R * dn), -d.dgap_dxi_B * Ad};
}

}  // namespace abut::contact
