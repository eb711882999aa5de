#pragma once

#include <algorithm>

#include "runtime/derivative/estimator.h"

namespace abut::test {

// By how much an answer breaks what follows from p2 - p1 = d n and n'n = 1, dp2 - dp1 = dd n + d dn and
// n'dn = 0, relative to its largest entry: rounding, clamped or not. `length` (m) is the pair's size.
inline double broken_witness_equation(const derivative::PairDerivative& r, double length) {
  const auto& d = r.derivative;
  const Vec3<double>& n = r.witness.n;
  const double turn = d.dn_A_dxi_B.cwiseAbs().maxCoeff(),
               largest = std::max({length, d.dp1_A_dxi_B.cwiseAbs().maxCoeff(),
                                   d.dp2_A_dxi_B.cwiseAbs().maxCoeff(), length * turn});
  const Mat36<double> broken =
      d.dp2_A_dxi_B - d.dp1_A_dxi_B - n * d.dd_dxi_B - r.witness.distance * d.dn_A_dxi_B;
  const double along = (n.transpose() * d.dn_A_dxi_B).cwiseAbs().maxCoeff();
  return std::max(broken.cwiseAbs().maxCoeff() / largest, along / std::max(1.0, turn));
}

}  // namespace abut::test
