#include "runtime/dynamics/frictional/contact_row.h"

#include "runtime/dynamics/frictional/islands.h"

namespace abut::dynamics {

namespace {

// Two unit vectors that make a right-handed frame with unit n [Duff2017].
Mat3<double> frame_of(const Vec3<double>& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  Mat3<double> R;
  R.col(0) = n;
  R.col(1) << 1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  R.col(2) << b, sign + n.y() * n.y() * a, -n.y();
  return R;
}

// Rows of one body: R' [ -[p] I ] in scaled coordinates, p from the centre of mass to the contact.
Eigen::Matrix<double, 6, 3> scaled_rows(const Mat3<double>& R, const Vec3<double>& p,
                                        const BodyScale& scale) {
  Eigen::Matrix<double, 6, 3> J;
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> e = R.col(k);
    J.col(k).head<3>() = scale.L.transpose() * p.cross(e);
    J.col(k).tail<3>() = scale.inverse_root_mass * e;
  }
  return J;
}

Vec3<double> free_velocity(const ContactBody& body, const Vec3<double>& p) {
  const Vec3<double> w = body.V_WB_W.head<3>();
  return body.V_WB_W.tail<3>() + w.cross(p);
}

// Turns t1 and t2 to the eigenvectors of S (a Jacobi rotation) and fills the law.
void diagonalise(const Mat3<double>& W, double mu, ContactRow& row) {
  CoulombContact<double>& law = row.law;
  law.mu = mu;
  law.W_nn = W(0, 0);
  const double trace = W.trace();
  if (!(law.W_nn > 1e-14 * trace)) {
    law.W_nn = 0;
    return;
  }
  const double S11 = W(1, 1) - W(1, 0) * W(1, 0) / law.W_nn, S22 = W(2, 2) - W(2, 0) * W(2, 0) / law.W_nn;
  const double S12 = W(1, 2) - W(1, 0) * W(2, 0) / law.W_nn;
  law.sigma = (S11 + S22) / 2;
  law.half = std::hypot((S11 - S22) / 2, S12);
  // cos and sin of half the angle of ((S11 - S22)/2, S12): t1 belongs to the larger eigenvalue
  double c = 1, s = 0;
  if (law.half > 0) {
    const double cos2 = (S11 - S22) / 2 / law.half, sin2 = S12 / law.half;
    c = std::sqrt(std::max(0.0, (1 + cos2) / 2));
    s = std::sqrt(std::max(0.0, (1 - cos2) / 2));
    if (sin2 < 0) s = -s;
  }
  // A direction that nothing moves along would divide by zero: a floor far below anything felt.
  law.sigma = std::max(law.sigma, law.half + 1e-14 * trace);
  Eigen::Matrix2d turn;
  turn << c, -s, s, c;
  row.J_A.rightCols<2>() = (row.J_A.rightCols<2>() * turn).eval();
  row.J_B.rightCols<2>() = (row.J_B.rightCols<2>() * turn).eval();
  row.R_WC.rightCols<2>() = (row.R_WC.rightCols<2>() * turn).eval();
  law.w1 = (c * W(0, 1) + s * W(0, 2)) / law.W_nn;
  law.w2 = (c * W(0, 2) - s * W(0, 1)) / law.W_nn;
}

}  // namespace

BodyScale body_scale(const ContactBody& body) {
  BodyScale scale;
  scale.inverse_root_mass = std::sqrt(body.inverse_mass);
  const Mat3<double>& I = body.inverse_inertia_W;
  scale.L.setZero();
  const double least = 1e-15 * I.trace();  // a pivot that is zero but for rounding: no inertia that way
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

ContactRow contact_row(const PairContact& contact, std::span<const ContactBody> bodies,
                       std::span<const BodyScale> scales) {
  ContactRow row;
  row.R_WC = frame_of(contact.n_W);
  row.J_A.setZero();
  row.J_B.setZero();
  row.A = is_moved(bodies, contact.A) ? contact.A : kFixed;
  row.B = is_moved(bodies, contact.B) ? contact.B : kFixed;
  Vec3<double> velocity = Vec3<double>::Zero();
  if (contact.A != kFixed) {
    const Vec3<double> p = contact.p_WC - bodies[contact.A].p_WBcm;
    velocity -= free_velocity(bodies[contact.A], p);
    if (row.A != kFixed) row.J_A = -scaled_rows(row.R_WC, p, scales[row.A]);
  }
  if (contact.B != kFixed) {
    const Vec3<double> p = contact.p_WC - bodies[contact.B].p_WBcm;
    velocity += free_velocity(bodies[contact.B], p);
    if (row.B != kFixed) row.J_B = scaled_rows(row.R_WC, p, scales[row.B]);
  }
  diagonalise(row.J_A.transpose() * row.J_A + row.J_B.transpose() * row.J_B, contact.mu, row);
  row.bias = row.R_WC.transpose() * velocity;
  row.bias[0] -= contact.least_speed;
  const Vec3<double> last = row.R_WC.transpose() * contact.J_B_W;
  row.q = 0;
  row.r = row.law.W_nn > 0 ? row.law.into_cone(last) : Vec3<double>::Zero();
  return row;
}

}  // namespace abut::dynamics
