#include <cmath>

#include "runtime/dynamics/collide/convex_contact.h"
#include "runtime/dynamics/collide/support_feature.h"

namespace abut::dynamics {
namespace {

// The separation of an edge axis must exceed that of the best face by this fraction of the smaller box's
// least half size: ties are common (a box on a box), and the result must not jump between two equally good
// axes.
constexpr double kPreference = 1e-2;

// Faces that are parallel within this angle, rad, share the mean of their normals, so that neither box is
// preferred. Up to twice the angle the normal blends to that of the face with the larger separation.
constexpr double kFaceToFace = 1e-2;

struct Axis {
  double separation = -std::numeric_limits<double>::infinity();  // m
  int a = -1, b = -1;  // axis of A's face or of B's face; of an edge of each where both are >= 0
};

class Boxes {
 public:
  Boxes(const PlacedShape& A, const PlacedShape& B)
      : a_(A.half), b_(B.half), R_(A.X_WS.R.transpose() * B.X_WS.R), size_(R_.cwiseAbs()) {
    p_ = A.X_WS.R.transpose() * (B.X_WS.p - A.X_WS.p);
  }

  // Returns the axis of greatest separation; its indices are -1 where a separation exceeds the margin.
  Axis best(double margin) const {
    const double preference = kPreference * std::min(a_.minCoeff(), b_.minCoeff());
    Axis face;
    for (int k = 0; k < 3; ++k) {
      const double s = std::abs(p_[k]) - a_[k] - size_.row(k).dot(b_);
      if (s > margin) return {};
      if (s > face.separation) face = {s, k, -1};
    }
    for (int k = 0; k < 3; ++k) {
      const double s = std::abs(R_.col(k).dot(p_)) - b_[k] - size_.col(k).dot(a_);
      if (s > margin) return {};
      if (s > face.separation) face = {s, -1, k};
    }
    Axis edge;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const double sine2 = 1 - R_(i, j) * R_(i, j);
        if (sine2 < 1e-6) continue;
        const double s = edge_separation(i, j) / std::sqrt(sine2);
        if (s > margin) return {};
        if (s > edge.separation) edge = {s, i, j};
      }
    }
    return edge.separation > face.separation + preference ? edge : face;
  }

  // Returns the unit normal from A to B, in A's axes.
  Vec3<double> normal(const Axis& axis) const {
    Vec3<double> n;
    if (axis.b < 0)
      n = Vec3<double>::Unit(axis.a);
    else if (axis.a < 0)
      n = R_.col(axis.b);
    else
      n = Vec3<double>::Unit(axis.a).cross(R_.col(axis.b)).normalized();
    return n.dot(p_) < 0 ? Vec3<double>(-n) : n;
  }

 private:
  // Separation along the cross product of edges i and j, m, times the length of that product.
  double edge_separation(int i, int j) const {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const double distance = std::abs(p_[i2] * R_(i1, j) - p_[i1] * R_(i2, j));
    const double reach_A = a_[i1] * size_(i2, j) + a_[i2] * size_(i1, j);
    const double reach_B = b_[j1] * size_(i, j2) + b_[j2] * size_(i, j1);
    return distance - reach_A - reach_B;
  }

  Vec3<double> a_, b_, p_;
  Mat3<double> R_, size_;
};

// Contact point where the edges of A and B that face each other are closest; the gap is along n_W.
SurfacePoint edge_point(const PlacedShape& A, const PlacedShape& B, const Axis& axis,
                        const Vec3<double>& n_W) {
  const Vec3<double> n_A = A.X_WS.R.transpose() * n_W, n_B = B.X_WS.R.transpose() * n_W;
  Vec3<double> end_A, end_B;
  std::uint16_t feature = static_cast<std::uint16_t>(0x4000 + 16 * axis.a + 4 * axis.b);
  for (int k = 0; k < 3; ++k) {
    end_A[k] = k == axis.a ? 0 : std::copysign(A.half[k], n_A[k]);
    end_B[k] = k == axis.b ? 0 : std::copysign(B.half[k], -n_B[k]);
    if (end_A[k] < 0) feature = static_cast<std::uint16_t>(feature | 64 << k);
    if (end_B[k] < 0) feature = static_cast<std::uint16_t>(feature | 512 << k);
  }
  const Vec3<double> p_A = A.X_WS * end_A, p_B = B.X_WS * end_B;  // middles of the edges
  const Vec3<double> u = A.X_WS.R.col(axis.a), v = B.X_WS.R.col(axis.b), r = p_B - p_A;
  const double uv = u.dot(v), determinant = 1 - uv * uv;
  const double s = (u.dot(r) - uv * v.dot(r)) / determinant;
  const double t = (uv * u.dot(r) - v.dot(r)) / determinant;
  const double limit_s = A.half[axis.a], limit_t = B.half[axis.b];
  const Vec3<double> on_A = p_A + std::clamp(s, -limit_s, limit_s) * u;
  const Vec3<double> on_B = p_B + std::clamp(t, -limit_t, limit_t) * v;
  return {(on_A + on_B) / 2, n_W, axis.separation, 0.0, feature};
}

// Weight of the mean of two outward normals, from 1 down to 0.
double share_of_mean(const Vec3<double>& n_A, const Vec3<double>& n_B) {
  return n_A.dot(n_B) < 0 ? std::clamp(2 - n_A.cross(n_B).norm() / kFaceToFace, 0.0, 1.0) : 0;
}

}  // namespace

void box_box_points(const PlacedShape& A, const PlacedShape& B, double margin,
                    std::vector<SurfacePoint>& points) {
  const Boxes boxes(A, B);
  const Axis axis = boxes.best(margin);
  if (axis.a < 0 && axis.b < 0) return;
  const Vec3<double> axis_W = A.X_WS.R * boxes.normal(axis);
  if (axis.a >= 0 && axis.b >= 0) {
    points.push_back(edge_point(A, B, axis, axis_W));
    return;
  }
  const SupportFeature of_A = facing_feature(A, axis_W), of_B = facing_feature(B, -axis_W);
  const double share = share_of_mean(of_A.normal, of_B.normal);
  if (share == 1 || axis.a >= 0) {
    const Vec3<double> n_W = (of_A.normal - share * of_B.normal).normalized();
    clip_features(of_A, of_B, n_W, false, margin, points);
  } else {
    const Vec3<double> n_W = (share * of_A.normal - of_B.normal).normalized();
    clip_features(of_B, of_A, n_W, true, margin, points);
  }
}

}  // namespace abut::dynamics
