#pragma once

#include "runtime/contact/model.h"

// The contact point between a sample of one body and the distance field of the other.
namespace abut::contact::internal {

struct SampleContact {
  bool of_A;              // whether the sample is A's
  Vec3<double> p;         // in the frame of that body, m
  double distance;        // d, of the other body's field there, m
  Vec3<double> gradient;  // g, in the frame of the other body; not 0
  Mat3<double> hessian;   // H, 1/m
};

// Returns the point midway between the sample and the other surface; the caller sets area and feature.
inline ContactPoint contact_point(const Pose<double>& X_AB, const SampleContact& s) {
  const Vec3<double> u = s.gradient.normalized(), n = s.of_A ? Vec3<double>(-(X_AB.R * u)) : u,
                     p = s.of_A ? s.p : X_AB * s.p;
  return {p + (s.of_A ? s.distance : -s.distance) / 2 * n, n, s.distance, 0, 0};
}

// Derivatives of that point with respect to xi = (w; v). A sample of A at p is fixed in A and is at q =
// R'(p - p_AB) in B:
//   n = -R g / |g|,  dq = [q] w - v,  dn = -R ([w] g / |g| + P H dq / |g|),  P = I - g g' / |g|^2.
// A sample of B at p in B is at q = X_AB p in A: n = g / |g|, dq = R (v - [p] w), dn = P H dq / |g|.
inline ContactPointDerivative derivative(const Pose<double>& X_AB, const SampleContact& s) {
  const Mat3<double>& R = X_AB.R;
  const double slope = s.gradient.norm();
  const Vec3<double> u = s.gradient / slope;
  Mat36<double> dq;
  if (s.of_A)
    dq << skew(Vec3<double>(R.transpose() * (s.p - X_AB.p))), -Mat3<double>::Identity();
  else
    dq << -(R * skew(s.p)), R;
  Mat36<double> du = (s.hessian - u * (u.transpose() * s.hessian)) * dq / slope;
  ContactPointDerivative result;
  result.dgap_dxi_B = s.gradient.transpose() * dq;
  if (s.of_A) {
    du.leftCols<3>() -= skew(u);
    result.dn_dxi_B = -(R * du);
    result.dp_dxi_B = (s.distance * result.dn_dxi_B - R * u * result.dgap_dxi_B) / 2;
  } else {
    result.dn_dxi_B = du;
    result.dp_dxi_B = dq - (s.distance * du + u * result.dgap_dxi_B) / 2;
  }
  return result;
}

}  // namespace abut::contact::internal
