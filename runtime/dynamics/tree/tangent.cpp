#include "runtime/dynamics/tree/tangent.h"

#include "runtime/dynamics/tree/joint_groups.h"
#include "runtime/math/adjoint.h"

namespace abut::dynamics {
namespace {

using detail::for_each_group;
using detail::Subspace;

// Coefficients B_k / k! (Bernoulli numbers B_k) of the series of Jr^-1 = x / (1 - exp(-x)), x = ad(u).
constexpr double kFirst = 0.5, kSecond = 1.0 / 12, kFourth = -1.0 / 720;

}  // namespace

// Halves xi until its rotation is small, sums the series there, and doubles back by
// Jr(2 x) = (1 + Ad(exp(-x))) Jr(x) / 2.
Mat6<double> detail::right_jacobian(const Vec6<double>& xi) {
  constexpr int kTerms = 40;
  constexpr double kTurn = 2;  // rad: beyond, the terms of the series cancel
  int doublings = 0;
  Vec6<double> x = xi;
  for (; x.allFinite() && x.head<3>().norm() > kTurn; ++doublings) x /= 2;
  const Mat6<double> ad = abut::adjoint_derivative(x);
  Mat6<double> sum = Mat6<double>::Identity(), term = sum;
  for (int k = 1; k < kTerms; ++k) {
    term = (term * ad * (-1.0 / (k + 1))).eval();
    sum += term;
    if (term.cwiseAbs().maxCoeff() < 1e-18) break;
  }
  for (; doublings > 0; --doublings, x *= 2) sum = ((sum + adjoint(exp<double>(-x)) * sum) / 2).eval();
  return sum;
}

Mat3<double> detail::right_jacobian_of_turn(const Vec3<double>& turn) {
  return right_jacobian((Vec6<double>() << turn, Vec3<double>::Zero()).finished()).topLeftCorner<3, 3>();
}

ExponentialSlopes exponential_slopes(const Tree& tree, const VecX<double>& u) {
  ExponentialSlopes slopes{MatX<double>::Identity(tree.nv(), tree.nv()),
                           MatX<double>::Identity(tree.nv(), tree.nv())};
  for_each_group(tree, [&](int first, const Subspace& S) {
    const auto count = S.cols();
    const Vec6<double> xi = S * u.segment(first, count);
    slopes.transport.block(first, first, count, count) = S.transpose() * adjoint(exp<double>(-xi)) * S;
    slopes.right.block(first, first, count, count) = S.transpose() * detail::right_jacobian(xi) * S;
  });
  return slopes;
}

MatX<double> inverse_right_slope(const Tree& tree, const VecX<double>& u) {
  const MatX<double> ad = adjoint_derivative(tree, u), ad2 = ad * ad;
  return MatX<double>::Identity(tree.nv(), tree.nv()) + kFirst * ad + kSecond * ad2 + kFourth * (ad2 * ad2);
}

MatX<double> adjoint_derivative(const Tree& tree, const VecX<double>& v) {
  MatX<double> ad = MatX<double>::Zero(tree.nv(), tree.nv());
  for_each_group(tree, [&](int first, const Subspace& S) {
    const auto count = S.cols();
    ad.block(first, first, count, count) =
        S.transpose() * abut::adjoint_derivative<double>(S * v.segment(first, count)) * S;
  });
  return ad;
}

}  // namespace abut::dynamics
