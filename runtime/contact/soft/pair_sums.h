#pragma once

#include "runtime/contact/soft/plane_force.h"
#include "runtime/math/adjoint.h"

// Sums over the points of a pair, weighted by the separation distribution [Beker2025, Eq. 23], as functions
// of the relative motion s = (xi; V), and their transformation to another frame.
namespace abut::contact::internal {

// Components of the sums: the wrench (6), soft distance times weight, weight.
inline constexpr int kComponents = 8;

// With the weight e_f = exp(-(Phi_f - reference) / eps2): the sums of e F, e (Phi - reference) and e. The
// wrench is that on the body that owns the field (the planes), about a point C of it, in its axes; s is the
// motion of a frame fixed in the owner at C, relative to the other body.
template <class S>
struct PairSums {
  Eigen::Matrix<S, kComponents, 1> value;
  // Meaningful only if requested.
  Eigen::Matrix<S, kComponents, 12> first = Eigen::Matrix<S, kComponents, 12>::Zero();
  std::array<Mat12<S>, kComponents> second;

  explicit PairSums(ssdf::Order order) { clear(order); }
  void clear(ssdf::Order order) {
    value.setZero();
    if (order != ssdf::Order::kValue) first.setZero();
    if (order == ssdf::Order::kHessian)
      for (auto& matrix : second) matrix.setZero();
  }
  void add(const PairSums& other, ssdf::Order order) {
    value += other.value;
    if (order == ssdf::Order::kValue) return;
    first += other.first;
    if (order != ssdf::Order::kHessian) return;
    for (int c = 0; c < kComponents; ++c) second[c] += other.second[c];
  }
};

// Turns a function of a point's position y and velocity v in the owner's frame into a function of s. A point
// at y of the other body moves as y(xi) = exp(xi)^-1 y with v = -(nu + omega x y), V = (omega; nu):
//   dy = Y dxi,  Y = [[y], -I],   dv = Y dV - omega x dy,
//   d2y = -(w x Y xi' + w' x Y xi) / 2,   d2v = -omega x d2y - domega x dy.
template <class S>
struct PointMotion {
  Eigen::Matrix<S, 3, 6> Y;
  Mat3<S> Omega;  // [omega]

  PointMotion(const Vec3<S>& y, const Vec3<S>& omega) : Omega(skew(omega)) {
    Y << skew(y), -Mat3<S>::Identity();
  }

  // Adds r . d2y, for a row r, to the upper left 6 x 6 block of a Hessian.
  void add_bend(const Vec3<S>& r, Mat12<S>& H) const {
    const Eigen::Matrix<S, 3, 6> half = S(0.5) * (skew(r) * Y);
    H.template block<3, 6>(0, 0) += half;
    H.template block<6, 3>(0, 0) += half.transpose();
  }

  // Adds the Hessian of a function with first derivatives by_y, by_v (by_y total: including the change of the
  // velocity) and second derivatives yy, yv, vv in (y, v).
  void add(const Vec3<S>& by_y, const Vec3<S>& by_v, const Mat3<S>& yy, const Mat3<S>& yv, const Mat3<S>& vv,
           Mat12<S>& H) const {
    const Mat3<S> mixed = yv * Omega;
    const Mat3<S> Q = yy - mixed - mixed.transpose() + Omega.transpose() * vv * Omega;
    const Mat3<S> R = yv - Omega.transpose() * vv;
    H.template block<6, 6>(0, 0) += Y.transpose() * Q * Y;
    Mat6<S> cross = Y.transpose() * R * Y;
    cross.template leftCols<3>() += Y.transpose() * skew(by_v).transpose();
    H.template block<6, 6>(0, 6) += cross;
    H.template block<6, 6>(6, 0) += cross.transpose();
    H.template block<6, 6>(6, 6) += Y.transpose() * vv * Y;
    add_bend(by_y, H);
  }
};

// Adds the contribution of one point at y (from C); F is the force on the point, and the owner gets the
// opposite one.
template <class S>
void add_point(const PointForce<S>& F, const Vec3<S>& y, const Vec3<S>& omega, S reference, S eps2,
               ssdf::Order order, PairSums<S>& sums) {
  using std::exp;
  const S height = F.distance.value - reference, e = exp(-height / eps2);
  const Vec3<S> m = e * F.force;
  sums.value.template segment<3>(0) -= y.cross(m);
  sums.value.template segment<3>(3) -= m;
  sums.value[6] += e * height;
  sums.value[7] += e;
  if (order == ssdf::Order::kValue) return;

  const PointMotion<S> motion(y, omega);
  const Vec3<S>& slope = F.distance.gradient;
  const Vec3<S> e_y = -e / eps2 * slope, p_y = e * slope + height * e_y;
  const Mat3<S> m_v = e * F.by_v;
  const Mat3<S> m_y = e * F.by_y + F.force * e_y.transpose();
  const Mat3<S> m_s = m_y - m_v * motion.Omega;
  Eigen::Matrix<S, 3, 12> dm;
  dm << m_s * motion.Y, m_v * motion.Y;
  Eigen::Matrix<S, 3, 12> dtau = skew(y) * dm;
  dtau.template leftCols<6>() -= skew(m) * motion.Y;
  sums.first.template topRows<3>() -= dtau;
  sums.first.template middleRows<3>(3) -= dm;
  sums.first.row(6).template head<6>() += p_y.transpose() * motion.Y;
  sums.first.row(7).template head<6>() += e_y.transpose() * motion.Y;
  if (order == ssdf::Order::kGradient) return;

  const Mat3<S> none = Mat3<S>::Zero();
  const Vec3<S> still = Vec3<S>::Zero();
  const Mat3<S> e_yy = e / eps2 * (slope * slope.transpose() / eps2 - F.distance.hessian);
  const Mat3<S> turned = slope * e_y.transpose();
  const Mat3<S> p_yy = e * F.distance.hessian + turned + turned.transpose() + height * e_yy;
  motion.add(p_y, still, p_yy, none, none, sums.second[6]);
  motion.add(e_y, still, e_yy, none, none, sums.second[7]);
  for (int a = 0; a < 3; ++a) {
    const Mat3<S> mixed = F.by_y.row(a).transpose() * e_y.transpose();
    const Mat3<S> yy = e * F.by_yy[a] + mixed + mixed.transpose() + F.force[a] * e_yy;
    const Mat3<S> yv = e * F.by_yv[a] + e_y * F.by_v.row(a);
    Mat12<S> H = Mat12<S>::Zero();
    motion.add(m_s.row(a).transpose(), m_v.row(a).transpose(), yy, yv, Mat3<S>(e * F.by_vv[a]), H);
    sums.second[3 + a] -= H;
    // Component b of the torque y x m has [y](b, a) times this Hessian, and the terms below.
    for (int b = 0; b < 3; ++b)
      if (b != a) sums.second[b] -= skew(y)(b, a) * H;
  }
  for (int b = 0; b < 3; ++b) {
    const Eigen::Matrix<S, 6, 12> C = motion.Y.transpose() * skew(Vec3<S>::Unit(b).eval()) * dm;
    Mat12<S>& H = sums.second[b];
    H.template topRows<6>() += C;
    H.template leftCols<6>() += C.transpose();
    Mat12<S> bend = Mat12<S>::Zero();
    motion.add_bend(m.cross(Vec3<S>::Unit(b)), bend);
    H -= bend;
  }
}

// Transforms the sums of a pair from motion and wrench of A to motion and wrench of B. With the pose X_AB
// exp(xi) of the frames,
//   s_A = (-Ad xi; -Ad exp(ad_xi) V),   F_B = -(Ad exp(ad_xi))' F_A,   Ad = Ad(X_AB).
template <class S>
PairSums<S> seen_from_other(const PairSums<S>& in, const Pose<S>& X_AB, const Vec6<S>& V, ssdf::Order order) {
  PairSums<S> out(order);
  const Mat6<S> Ad = adjoint(X_AB);
  out.value = in.value;
  out.value.template head<6>() = -(Ad.transpose() * in.value.template head<6>());
  if (order == ssdf::Order::kValue) return out;

  // ad_xi V = -ad_V xi
  Mat12<S> J;
  J << -Ad, Mat6<S>::Zero(), Ad * adjoint_derivative(V), -Ad;
  const Eigen::Matrix<S, kComponents, 12> first = in.first * J;
  const Vec6<S> G = Ad.transpose() * in.value.template head<6>();
  Eigen::Matrix<S, 6, 12> dG = Ad.transpose() * first.template topRows<6>();
  std::array<Mat6<S>, 6> ad;  // of the unit twists
  for (int k = 0; k < 6; ++k) ad[k] = adjoint_derivative(Vec6<S>::Unit(k).eval());
  out.first.template bottomRows<2>() = first.template bottomRows<2>();
  out.first.template topRows<6>() = -dG;
  for (int k = 0; k < 6; ++k) out.first.col(k).template head<6>() -= ad[k].transpose() * G;
  if (order == ssdf::Order::kGradient) return out;

  // Second derivatives of s_A itself, V part: rows k of -Ad (ad_i ad_j + ad_j ad_i) V / 2 and -Ad ad_i e_j.
  std::array<Mat12<S>, kComponents> second;
  for (int c = 0; c < kComponents; ++c) second[c] = J.transpose() * in.second[c] * J;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      const Vec6<S> twice = S(-0.5) * (Ad * (ad[i] * (ad[j] * V) + ad[j] * (ad[i] * V)));
      const Vec6<S> once = -(Ad * ad[i].col(j));
      for (int c = 0; c < kComponents; ++c) {
        const auto slope = in.first.row(c).template tail<6>();
        second[c](i, j) += slope.dot(twice);
        second[c](i, 6 + j) += slope.dot(once);
        second[c](6 + j, i) += slope.dot(once);
      }
    }
  }
  out.second[6] = second[6];
  out.second[7] = second[7];
  for (int c = 0; c < 6; ++c) {
    out.second[c].setZero();
    for (int k = 0; k < 6; ++k) out.second[c] -= Ad(k, c) * second[k];
  }
  for (int i = 0; i < 6; ++i) {
    const Eigen::Matrix<S, 6, 12> turned = ad[i].transpose() * dG;
    for (int c = 0; c < 6; ++c) {
      out.second[c].row(i) -= turned.row(c);
      out.second[c].col(i) -= turned.row(c).transpose();
    }
    for (int j = 0; j < 6; ++j) {
      const Vec6<S> both = S(0.5) * ((ad[i] * ad[j] + ad[j] * ad[i]).transpose() * G);
      for (int c = 0; c < 6; ++c) out.second[c](i, j) -= both[c];
    }
  }
  return out;
}

// Divides the sums by the sum of weights and moves them from C to Bo: xi_C = Ad(X_CB) xi_B, F_B = Ad(X_CB)'
// F_C.
template <class S>
void finish(const PairSums<S>& sums, const Vec3<S>& p_BC, S reference, ssdf::Order order,
            SoftMinimum<S>& out) {
  out = SoftMinimum<S>();
  const S z = sums.value[7];
  Pose<S> X_CB;
  X_CB.p = -p_BC;
  const Mat6<S> Ad = adjoint(X_CB);
  const Eigen::Matrix<S, 7, 1> q = sums.value.template head<7>() / z;
  out.F_BBo_B = Ad.transpose() * q.template head<6>();
  out.distance = reference + q[6];
  if (order == ssdf::Order::kValue) return;
  const Eigen::Matrix<S, 1, 12> dz = sums.first.row(7) / z;
  const Eigen::Matrix<S, 7, 12> dq = sums.first.template topRows<7>() / z - q * dz;
  Mat12<S> Ad2 = Mat12<S>::Zero();
  Ad2.template topLeftCorner<6, 6>() = Ad;
  Ad2.template bottomRightCorner<6, 6>() = Ad;
  out.jacobian = Ad.transpose() * dq.template topRows<6>() * Ad2;
  out.distance_gradient = Ad.transpose() * dq.row(6).template head<6>().transpose();
  if (order == ssdf::Order::kGradient) return;
  std::array<Mat12<S>, 7> second;
  for (int c = 0; c < 7; ++c) {
    const Mat12<S> cross = dq.row(c).transpose() * dz;
    const Mat12<S> own = (sums.second[c] - q[c] * sums.second[7]) / z - cross - cross.transpose();
    second[c] = Ad2.transpose() * own * Ad2;
  }
  for (int c = 0; c < 6; ++c) {
    out.hessian[c].setZero();
    for (int k = 0; k < 6; ++k) out.hessian[c] += Ad(k, c) * second[k];
  }
  out.distance_hessian = second[6].template topLeftCorner<6, 6>();
}

}  // namespace abut::contact::internal
