#include "runtime/proximity/feature_derivative.h"

#include <algorithm>

namespace abut::proximity {
namespace {

using derivative::WitnessDerivative;

// Directions with a smaller sine, whose square is lost in rounding next to 1, count as parallel.
constexpr double kParallel = 1e-7;
constexpr double kTurns = 1e-2;   // relative deviation of n from the direction of points that are apart
constexpr double kAcross = 1e-6;  // cosine up to which directions count as perpendicular

// Hessian of the distance in the chart X_AB exp(xi): the symmetric part of the derivative of
//   dd = [s_B x n_B; n_B]',
// where s_B is p2 - p_AB in B and n_B is n in B.
Mat6<double> distance_hessian(const witness::Witness<double>& w, const Pose<double>& X_AB,
                              const WitnessDerivative<double>& d) {
  const Mat3<double> R_BA = X_AB.R.transpose();
  const Vec3<double> n_B = R_BA * w.n, s_B = R_BA * (w.p2 - X_AB.p);
  Mat36<double> dn_B = R_BA * d.dn_A_dxi_B, ds_B = R_BA * d.dp2_A_dxi_B;
  dn_B.leftCols<3>() += skew(n_B);
  ds_B.leftCols<3>() += skew(s_B);
  ds_B.rightCols<3>() -= Mat3<double>::Identity();
  Mat6<double> H;
  H.topRows<3>() = skew(s_B) * dn_B - skew(n_B) * ds_B;
  H.bottomRows<3>() = dn_B;
  return (H + H.transpose()) / 2;
}

// The directions in which the points may move: those of A, then those of B that A does not have. There are at
// most two, since all are perpendicular to n; directions that are not (those of a corner's or an edge's faces
// where n is the normal of another face) are left out. The other columns of N are 0.
struct Directions {
  Vec3<double> n;
  Eigen::Matrix<double, 3, 2> N = Eigen::Matrix<double, 3, 2>::Zero();
  int count = 0, of_A = 0;
  void add(const Vec3<double>& u, WitnessDerivative<double>& result) {
    const Mat3<double> beside = Mat3<double>::Identity() - N * gram().inverse() * N.transpose();
    if (count < 2 && (beside * u).norm() > kParallel && std::abs(n.dot(u)) <= kAcross) {
      N.col(count++) = u;
    } else if (result.clamped_count < 2) {
      result.clamped_A[result.clamped_count++] = u;
    }
  }
  Eigen::Matrix2d gram() const {  // N'N, with 1 on the diagonal where a column is missing
    Eigen::Matrix2d G = N.transpose() * N;
    for (int k = count; k < 2; ++k) G(k, k) = 1;
    return G;
  }
};

}  // namespace

WitnessDerivative<double> feature_derivative(const witness::Witness<double>& w, const Pose<double>& X_AB,
                                             const distance::FlatBasis& A, const distance::FlatBasis& B,
                                             Mat6<double>* hessian) {
  WitnessDerivative<double> result;
  result.clamped_count = 0;
  result.clamped_A.fill(Vec3<double>::Zero());
  Directions free{.n = w.n};
  for (int k = 0; k < A.dimension; ++k) free.add(A.along[static_cast<std::size_t>(k)], result);
  free.of_A = free.count;
  for (int k = 0; k < B.dimension; ++k) free.add(X_AB.R * B.along[static_cast<std::size_t>(k)], result);
  // N = [-U V], except for the sign of U, which dz absorbs. Under xi the point b of B moves by R (w x b + v),
  // and a direction V of B turns by R (w x V).
  const Mat3<double> R_BA = X_AB.R.transpose();
  Mat36<double> dc;
  dc << -X_AB.R * skew<double>(R_BA * (w.p2 - X_AB.p)), X_AB.R;
  const Vec3<double> r = w.p2 - w.p1;
  Eigen::Matrix<double, 2, 6> right = -free.N.transpose() * dc, turned = Eigen::Matrix<double, 2, 6>::Zero();
  for (int k = free.of_A; k < free.count; ++k) {
    const Mat3<double> dN = -X_AB.R * skew<double>(R_BA * free.N.col(k));
    right.row(k).head<3>() -= r.transpose() * dN;
    turned.row(k).head<3>() = -w.n.transpose() * dN;
  }
  const Eigen::Matrix2d G = free.gram().inverse();
  const Eigen::Matrix<double, 2, 6> dz = G * right;
  result.dp1_A_dxi_B.setZero();
  result.dp2_A_dxi_B = dc;
  for (int k = 0; k < free.count; ++k) {
    if (k < free.of_A)
      result.dp1_A_dxi_B -= free.N.col(k) * dz.row(k);
    else
      result.dp2_A_dxi_B += free.N.col(k) * dz.row(k);
  }
  result.dd_dxi_B = derivative::detail::distance_gradient(w, X_AB);
  result.dn_A_dxi_B = free.N * (G * turned);
  if (free.count < 2) {
    Mat36<double> rest = result.dp2_A_dxi_B - result.dp1_A_dxi_B;
    rest -= w.n * (w.n.transpose() * rest).eval();
    rest -= free.N * (G * (free.N.transpose() * rest)).eval();
    // n turns with the points where it is their direction; where the points coincide, they are kept
    // coincident.
    if (w.distance != 0 && (r - w.distance * w.n).norm() <= kTurns * std::abs(w.distance)) {
      result.dn_A_dxi_B += rest / w.distance;
    } else {
      result.dp1_A_dxi_B += rest / 2;
      result.dp2_A_dxi_B -= rest / 2;
      result.clamped_count = std::max(result.clamped_count, 1);
    }
  }
  if (!derivative::detail::finite(result)) return derivative::detail::invalid_derivative<double>();
  result.status = derivative::detail::status_of_derivative(w.status, result.clamped_count);
  if (hessian != nullptr) *hessian = distance_hessian(w, X_AB, result);
  return result;
}

}  // namespace abut::proximity
