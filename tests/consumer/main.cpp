// What a user of the installed library writes: two hulls, their distance and its derivative, in whatever
// coordinates the pose is held.
#include <abut/asset/writer.h>
#include <abut/contact/model.h>
#include <abut/derivative/estimator.h>
#include <abut/witness/pair_query.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace {

// Two balls that press on each other: the Jacobian's numbers as they are in the library.
bool presses() {
  const abut::body::Body ball{abut::body::Geometry(abut::body::Sphere<double>{0.5})};
  const abut::contact::PairWrench contact = abut::contact::contact_wrench(
      "point", {&ball, &ball, {Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.99, 0, 0)}},
      {{"stiffness", 100.0}}, abut::contact::Want::kJacobian);
  std::printf("force %.17g N, its derivative %.17g N/m\n", contact.F_BBo_B[3], contact.dF_dxi_B(3, 3));
  return std::abs(contact.F_BBo_B[3] - 1) < 1e-12 && std::abs(contact.dF_dxi_B(3, 3) + 100) < 1e-9;
}

// The cube [-1, 1]^3 with its twelve face triangles and the adjacency that they make.
abut::asset::ConvexPiece cube() {
  abut::asset::ConvexPiece piece;
  for (int axis = 0; axis < 3; ++axis)
    for (int v = 0; v < 8; ++v) piece.vertices.push_back((v >> axis & 1) != 0 ? 1 : -1);
  piece.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  bool joined[8][8] = {};
  for (std::size_t t = 0; t < piece.triangles.size(); t += 3)
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = piece.triangles[t + k], b = piece.triangles[t + (k + 1) % 3];
      joined[a][b] = joined[b][a] = true;
    }
  piece.adjacency_offsets.push_back(0);
  for (const auto& row : joined) {
    for (int b = 0; b < 8; ++b)
      if (row[b]) piece.adjacency.push_back(b);
    piece.adjacency_offsets.push_back(static_cast<int>(piece.adjacency.size()));
  }
  // One cell a cube face: the support vertex of +x, -x, +y, -y, +z, -z.
  piece.support_lookup = {1, 0, 2, 0, 4, 0};
  return piece;
}

// From the twist xi = (w; v) of B, in B, to the coordinates that an optimiser holds: a quaternion (w, x, y,
// z) of unit length and the position. X exp(xi) turns q by q (1, w / 2), so w = 2 vec(conj(q) dq) and v = R'
// dp. Any derivative with respect to xi times this (6 x 7) is one with respect to (q; p), along the unit
// sphere.
Eigen::Matrix<double, 6, 7> twist_from_quaternion_and_position(const Eigen::Quaterniond& q) {
  Eigen::Matrix<double, 6, 7> J = Eigen::Matrix<double, 6, 7>::Zero();
  J.block<3, 1>(0, 0) = -2 * q.vec();
  J.block<3, 3>(0, 1) = 2 * (q.w() * Eigen::Matrix3d::Identity() - abut::skew<double>(q.vec()));
  J.block<3, 3>(3, 4) = q.toRotationMatrix().transpose();
  return J;
}

abut::Pose<double> pose(const Eigen::Matrix<double, 7, 1>& x) {
  return {abut::rotation_from_quaternion(x[0], x[1], x[2], x[3]), x.tail<3>()};
}

// The chained gradient of the distance against differences in the seven coordinates.
bool chains_to_quaternions(const abut::body::Body& object) {
  Eigen::Matrix<double, 7, 1> x;
  x << Eigen::Vector4d(0.8, 0.3, -0.2, 0.4).normalized(), 3, 0.25, 0.1;
  const auto at = [&](const Eigen::Matrix<double, 7, 1>& y) {
    return abut::derivative::witness_derivative({&object, &object, pose(y)});
  };
  const Eigen::Quaterniond q(x[0], x[1], x[2], x[3]);
  const Eigen::Matrix<double, 1, 7> gradient =
      at(x).derivative.dd_dxi_B * twist_from_quaternion_and_position(q);
  double worst = 0;
  for (int k = 0; k < 7; ++k) {
    Eigen::Matrix<double, 7, 1> plus = x, minus = x;  // pose() normalises: differences along the sphere
    plus[k] += 1e-6;
    minus[k] -= 1e-6;
    const double slope = (at(plus).witness.distance - at(minus).witness.distance) / 2e-6;
    // along q itself nothing happens; the chain is for steps that keep the length
    const double along = k < 4 ? gradient.head<4>().dot(x.head<4>()) * x[k] : 0;
    worst = std::max(worst, std::abs(slope - (gradient[k] - along)));
  }
  std::printf("gradient in (quaternion; position): largest difference from differences %.1e\n", worst);
  return worst < 1e-8;
}

}  // namespace

int main() {
  abut::asset::Asset asset;
  asset.name = "cube";
  asset.convex.push_back(cube());
  const abut::body::Body body{abut::body::Geometry(std::move(asset))};

  abut::body::Pair pair{&body, &body, {}};
  pair.X_AB.p = {3, 0.25, 0};
  const abut::derivative::PairDerivative result = abut::derivative::witness_derivative(pair);
  std::printf("distance %.17g m, d distance / d x %.17g\n", result.witness.distance,
              result.derivative.dd_dxi_B[3]);
  const bool right =
      std::abs(result.witness.distance - 1) < 1e-12 && std::abs(result.derivative.dd_dxi_B[3] - 1) < 1e-12;

  // The same against a primitive: nothing to preprocess, nothing to load.
  const abut::body::Body ball{abut::body::Geometry(abut::body::Sphere<double>{0.5})};
  const double to_ball = abut::witness::separation({&body, &ball, pair.X_AB}).distance;
  std::printf("distance of a ball %.17g m\n", to_ball);
  return right && std::abs(to_ball - 1.5) < 1e-12 && presses() && chains_to_quaternions(body) ? 0 : 1;
}
