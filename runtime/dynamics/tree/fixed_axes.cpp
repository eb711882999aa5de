#include "runtime/dynamics/tree/fixed_axes.h"

#include "runtime/dynamics/tree/joint_groups.h"

namespace abut::dynamics {
namespace {

using detail::blocks;
using detail::for_each_group;
using detail::Parts;
using detail::right_jacobian_of_turn;
using detail::set_block;
using detail::Subspace;

const Mat3<double> kNone = Mat3<double>::Zero(), kOne = Mat3<double>::Identity();

// Coefficients B_k / k! (Bernoulli numbers B_k) of the series of Jr^-1 = x / (1 - exp(-x)), x = [phi],
// truncated after the fourth power: phi is the rotation of one step, and the next term, [phi]^6 / 30240, is
// beyond the order of the methods that use it.
constexpr double kPowers[] = {0.5, 1.0 / 12, 0, -1.0 / 720};

Mat3<double> inverse_right_jacobian(const Vec3<double>& phi) {
  Mat3<double> sum = kOne, power = kOne;
  for (const double c : kPowers) {
    power = (power * skew(phi)).eval();
    sum += c * power;
  }
  return sum;
}

// Derivative of Jr(phi)^-1 w by phi: applies d([phi] x) = [phi] dx - [x] dphi to one factor of each power
// after the other.
Mat3<double> inverse_right_jacobian_slope(const Vec3<double>& phi, const Vec3<double>& w) {
  Mat3<double> sum = kNone, power_slope = kNone;
  Vec3<double> power = w;
  for (const double c : kPowers) {
    power_slope = (skew(phi) * power_slope - skew(power)).eval();
    power = phi.cross(power).eval();
    sum += c * power_slope;
  }
  return sum;
}

// A joint's part of a vector (nv) such as v, and the joint's rotation along the path.
struct Part : Parts {
  Vec3<double> phi;
  Mat3<double> R;  // exp(phi)
  Part(const Subspace& S, int first, const VecX<double>& u, const VecX<double>& of)
      : Parts(S * of.segment(first, S.cols())),
        phi(Parts(S * u.segment(first, S.cols())).w),
        R(exp_rotation(phi)) {}
};

detail::GroupVector joined(const Subspace& S, const Vec3<double>& w, const Vec3<double>& v) {
  return S.transpose() * (Vec6<double>() << w, v).finished();
}

}  // namespace

void FixedAxes::coordinates(const VecX<double>& q0, VecX<double>& q) {
  turn_ = u_;
  shift_.setZero(tree_.nv());
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const auto count = S.cols();
    const Part u(S, first, u_, u_);
    turn_.segment(first, count) -= detail::shift_of(S, u_.segment(first, count));
    shift_.segment(first, count) = joined(S, Vec3<double>::Zero(), u.R.transpose() * u.v);
  });
  tree_.integrate(q0, turn_, q);
  tree_.integrate(q, shift_, q);
}

// With R = exp(phi) and the tangents (dtheta; dp) of q and (dtheta_0; dp_0) of q0,
//   dtheta = R' dtheta_0 + Jr dphi,  dp = R' (dp_0 - s x dtheta_0 + ds).
FixedAxes::CoordinateSlopes FixedAxes::coordinate_slopes() const {
  CoordinateSlopes slopes{identity(), identity()};
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const Part u(S, first, u_, u_);
    const Mat3<double> back = u.R.transpose();
    set_block(S, first, blocks(back, kNone, -back * skew(u.v), back), slopes.by_q0);
    set_block(S, first, blocks(right_jacobian_of_turn(u.phi), kNone, kNone, back), slopes.by_u);
  });
  return slopes;
}

void FixedAxes::velocity(const VecX<double>& y, VecX<double>& v) const {
  v = y;
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const Part of(S, first, u_, y);
    v.segment(first, S.cols()) = joined(S, of.w, of.R.transpose() * of.v);
  });
}

// d(R'x) = R'dx + R'x x Jr dphi.
FixedAxes::VelocitySlopes FixedAxes::velocity_slopes(const VecX<double>& y) const {
  VelocitySlopes slopes{identity(), zero()};
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const Part of(S, first, u_, y);
    const Mat3<double> back = of.R.transpose();
    set_block(S, first, blocks(kOne, kNone, kNone, back), slopes.by_y);
    set_block(S, first,
              blocks(kNone, kNone, skew<double>(back * of.v) * right_jacobian_of_turn(of.phi), kNone),
              slopes.by_u);
  });
  return slopes;
}

void FixedAxes::way_rate(const VecX<double>& v, VecX<double>& rate) const {
  rate = v;
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const Part of(S, first, u_, v);
    rate.segment(first, S.cols()) = joined(S, inverse_right_jacobian(of.phi) * of.w, of.R * of.v);
  });
}

// d(R x) = R (dx - x x Jr dphi).
FixedAxes::WayRateSlopes FixedAxes::way_rate_slopes(const VecX<double>& v) const {
  WayRateSlopes slopes{identity(), zero()};
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const Part of(S, first, u_, v);
    set_block(S, first, blocks(inverse_right_jacobian(of.phi), kNone, kNone, of.R), slopes.by_v);
    set_block(S, first,
              blocks(inverse_right_jacobian_slope(of.phi, of.w), kNone,
                     -of.R * skew(of.v) * right_jacobian_of_turn(of.phi), kNone),
              slopes.by_u);
  });
  return slopes;
}

void FixedAxes::acceleration(const VecX<double>& v, const VecX<double>& a, VecX<double>& rate) const {
  rate = a;
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const Part of_v(S, first, u_, v), of_a(S, first, u_, a);
    rate.segment(first, S.cols()) = joined(S, of_a.w, of_a.R * (of_a.v + of_v.w.cross(of_v.v)));
  });
}

FixedAxes::AccelerationSlopes FixedAxes::acceleration_slopes(const VecX<double>& v,
                                                             const VecX<double>& a) const {
  AccelerationSlopes slopes{identity(), zero(), zero()};
  for_each_group(tree_, [&](int first, const Subspace& S) {
    const Part of_v(S, first, u_, v), of_a(S, first, u_, a);
    const Mat3<double>& R = of_a.R;
    const Vec3<double> x = of_a.v + of_v.w.cross(of_v.v);
    set_block(S, first, blocks(kOne, kNone, kNone, R), slopes.by_a);
    set_block(S, first, blocks(kNone, kNone, -R * skew(of_v.v), R * skew(of_v.w)), slopes.by_v);
    set_block(S, first, blocks(kNone, kNone, -R * skew(x) * right_jacobian_of_turn(of_a.phi), kNone),
              slopes.by_u);
  });
  return slopes;
}

}  // namespace abut::dynamics
