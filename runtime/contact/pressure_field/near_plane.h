#pragma once

#include <cmath>

#include "runtime/contact/model.h"

// A half-space whose origin may be far away along its plane, where sums lose digits. Internal to the contact
// models.
namespace abut::contact {

// Sum of the products of two vectors as if in twice the precision, since they may nearly cancel: of a unit
// normal and a far point of the plane.
inline double precise_dot(const Vec3<double>& a, const Vec3<double>& b) {
  double sum = 0, rest = 0;
  for (int i = 0; i < 3; ++i) {
    const double product = a[i] * b[i], next = sum + product, back = next - sum;
    rest += std::fma(a[i], b[i], -product) + ((sum - (next - back)) + (product - back));
    sum = next;
  }
  return sum + rest;
}

// The same pair with the frame of a half-space as A moved to below Bo.
inline body::Pair under_B(const body::Pair& pair) {
  body::Pair result = pair;
  result.X_AB.p.head<2>().setZero();
  return result;
}

// Of a half-space as B: the same pair with the half-space's frame N at the foot of Ao in its plane, where
// coordinates and moments keep their digits, and the way back. N has the axes of B.
class NearPlane {
 public:
  explicit NearPlane(const body::Pair& pair) : pair_(pair) {
    const Pose<double>& X_AB = pair.X_AB;
    X_NB_.p = {precise_dot(X_AB.R.col(0), X_AB.p), precise_dot(X_AB.R.col(1), X_AB.p), 0};
    pair_.X_AB.p = precise_dot(X_AB.R.col(2), X_AB.p) * X_AB.R.col(2);
    Ad_ = adjoint(X_NB_);
    pair_.V_AB_B = Ad_ * pair.V_AB_B;
  }

  const body::Pair& pair() const { return pair_; }
  const Vec3<double>& p_NB() const { return X_NB_.p; }  // m

  // Of the pair as given, from what was computed of the near one: wrench and Jacobian about Bo by the twist
  // of B, for xi_N = Ad xi_B.
  PairWrench as_given(PairWrench near) const {
    near.F_BBo_B = Ad_.transpose() * near.F_BBo_B;
    near.dF_dxi_B = Ad_.transpose() * near.dF_dxi_B * Ad_;
    near.dF_dV_AB_B = Ad_.transpose() * near.dF_dV_AB_B * Ad_;
    return near;
  }
  ContactPointDerivative as_given(const ContactPointDerivative& near) const {
    return {near.dp_dxi_B * Ad_, near.dn_dxi_B * Ad_, near.dgap_dxi_B * Ad_};
  }

 private:
  body::Pair pair_;
  Pose<double> X_NB_;
  Mat6<double> Ad_;
};

}  // namespace abut::contact
