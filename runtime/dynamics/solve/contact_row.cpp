#include "runtime/dynamics/solve/contact_row.h"

#include "runtime/dynamics/solve/islands.h"

namespace abut::dynamics {

namespace {

// Returns a right-handed frame whose first column is the unit vector n [Duff2017].
Mat3<double> frame_of(const Vec3<double>& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  Mat3<double> R;
  R.col(0) = n;
  R.col(1) << 1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  R.col(2) << b, sign + n.y() * n.y() * a, -n.y();
  return R;
}

Vec3<double> free_velocity(const ContactBody& body, const Vec3<double>& p) {
  const Vec3<double> w = body.V_WB_W.head<3>();
  return body.V_WB_W.tail<3>() + w.cross(p);
}

// Fills the law from K, W as a matrix in the world's axes (velocity per impulse), and rotates the tangents of
// R to the eigenvectors of S by a Jacobi rotation.
void diagonalise(const Mat3<double>& K, double mu, CoulombContact<double>& law, Mat3<double>& R) {
  const Mat3<double> KR = K * R;
  const double W_nn = R.col(0).dot(KR.col(0)), W_n1 = R.col(0).dot(KR.col(1)), W_n2 = R.col(0).dot(KR.col(2));
  const double W_11 = R.col(1).dot(KR.col(1)), W_12 = R.col(1).dot(KR.col(2)), W_22 = R.col(2).dot(KR.col(2));
  const double trace = W_nn + W_11 + W_22;
  law.mu = mu;
  law.W_nn = W_nn > 1e-14 * trace ? W_nn : 0;
  if (law.W_nn == 0) {
    law.w1 = law.w2 = law.half = law.per_n = 0;
    law.sigma = law.per_1 = law.per_2 = 1;
    return;
  }
  const double w1 = W_n1 / W_nn, w2 = W_n2 / W_nn;
  const double half_difference = (W_11 - w1 * W_n1 - W_22 + w2 * W_n2) / 2, S_12 = W_12 - w1 * W_n2;
  law.half = std::sqrt(half_difference * half_difference + S_12 * S_12);
  // cos and sin of half the angle of (half_difference, S_12): t1 gets the larger eigenvalue
  double c = 1, s = 0;
  if (law.half > 0) {
    const double cos2 = half_difference / law.half;
    c = std::sqrt(std::max(0.0, (1 + cos2) / 2));
    s = std::copysign(std::sqrt(std::max(0.0, (1 - cos2) / 2)), S_12);
  }
  // A direction along which nothing moves would give a division by zero; the floor is far below any relevant
  // eigenvalue.
  law.sigma = std::max((W_11 - w1 * W_n1 + W_22 - w2 * W_n2) / 2, law.half + 1e-14 * trace);
  law.per_n = 1 / W_nn;
  law.per_1 = 1 / (law.sigma + law.half);
  law.per_2 = 1 / (law.sigma - law.half);
  const Vec3<double> t1 = R.col(1);
  R.col(1) = c * t1 + s * R.col(2);
  R.col(2) = c * R.col(2) - s * t1;
  law.w1 = c * w1 + s * w2;
  law.w2 = c * w2 - s * w1;
}

// L'[p]: maps an impulse at p from the body's centre of mass to the change of its scaled angular velocity;
// its transpose maps scaled angular velocity to the velocity at p.
Mat3<double> scaled_arm(const BodyScale& scale, const Vec3<double>& p) {
  return scale.L.transpose() * skew(p);
}

// Fills the columns of one body: sign (L'[p] R; R/sqrt(m)).
void fill_rows(const Mat3<double>& arm, double inverse_root_mass, const Mat3<double>& R, double sign,
               SpatialRows& J) {
  J.topRows<3>().noalias() = sign * arm * R;
  J.middleRows<3>(4) = sign * inverse_root_mass * R;
  J.row(3).setZero();
  J.row(7).setZero();
}

}  // namespace

BodyScale body_scale(const ContactBody& body) {
  BodyScale scale;
  scale.inverse_root_mass = std::sqrt(body.inverse_mass);
  const Mat3<double>& I = body.inverse_inertia_W;
  scale.L.setZero();
  // Smaller pivots are rounding errors of zero: no inertia about that axis.
  const double least = 1e-15 * I.trace();
  for (int j = 0; j < 3; ++j) {
    const double pivot = I(j, j) - scale.L.row(j).head(j).squaredNorm();
    if (!(pivot > least)) continue;
    scale.L(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < 3; ++i) {
      scale.L(i, j) = (I(i, j) - scale.L.row(i).head(j).dot(scale.L.row(j).head(j))) / scale.L(j, j);
    }
  }
  return scale;
}

void make_row(const PairContact& contact, std::span<const ContactBody> bodies,
              std::span<const BodyScale> scales, ContactRow& row, const Mat3<double>* K_trees) {
  row.A = has_inertia(bodies, contact.A) ? contact.A : kFixed;
  row.B = has_inertia(bodies, contact.B) ? contact.B : kFixed;
  Mat3<double> K = Mat3<double>::Zero(), arm_A, arm_B;
  if (K_trees != nullptr) K = *K_trees;
  Vec3<double> u = Vec3<double>::Zero();
  const auto add_body = [&](std::int32_t body, bool moved, double sign, Mat3<double>& arm) {
    if (body == kFixed) return;
    const Vec3<double> p = contact.p_WC - bodies[body].p_WBcm;
    u += sign * free_velocity(bodies[body], p);
    if (!moved) return;
    arm = scaled_arm(scales[body], p);
    K += arm.transpose() * arm;
    K.diagonal().array() += bodies[body].inverse_mass;
  };
  add_body(contact.A, row.A != kFixed, -1, arm_A);
  add_body(contact.B, row.B != kFixed, 1, arm_B);
  row.R_WC = frame_of(contact.n_W);
  diagonalise(K, contact.mu, row.law, row.R_WC);
  if (row.A != kFixed) fill_rows(arm_A, scales[row.A].inverse_root_mass, row.R_WC, -1, row.J_A);
  if (row.B != kFixed) fill_rows(arm_B, scales[row.B].inverse_root_mass, row.R_WC, 1, row.J_B);
  row.bias = row.R_WC.transpose() * u;
  row.bias[0] -= contact.target_velocity;
  row.q = 0;
  row.r_way.setZero();
  row.r = Vec3<double>::Zero();
  if (row.law.W_nn > 0) row.r = row.law.into_cone(row.R_WC.transpose() * contact.J_B_W);
  row.r_last = row.r;
}

}  // namespace abut::dynamics
