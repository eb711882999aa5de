#include "runtime/dynamics/collide/convex_contact.h"

#include <cmath>
#include <numbers>

#include "runtime/dynamics/collide/support_feature.h"
#include "runtime/witness/pair_query.h"

namespace abut::dynamics {
namespace {

constexpr double kParallel = 0.02;  // rad: edges within this angle touch along a segment
constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr std::uint16_t kSingle = 0x7fff;  // feature of a single witness point

// Appends the ends of the segment that two parallel edges share. Returns false if they are not parallel or
// share none.
bool along_edges(const PlacedShape& A, const PlacedShape& B, const Vec3<double>& n_W, double margin,
                 std::vector<SurfacePoint>& points) {
  const SupportFeature a = facing_edge(A, n_W, kParallel), b = facing_edge(B, -n_W, kParallel);
  if (a.size == 0 || b.size == 0) return false;
  const Vec3<double> u = a.corner[1] - a.corner[0], v = b.corner[1] - b.corner[0];
  const double of_u = u.norm(), of_v = v.norm();
  if (u.cross(v).norm() > kParallel * of_u * of_v) return false;
  const Vec3<double> along = (u / of_u + v / std::copysign(of_v, u.dot(v))).normalized();
  double low = along.dot(b.corner[0] - a.corner[0]), high = low + along.dot(v);
  if (low > high) std::swap(low, high);
  const double from = std::max(0.0, low), to = std::min(along.dot(u), high);
  if (!(from < to)) return false;
  for (int k = 0; k < 2; ++k) {
    const double t = k == 0 ? from : to;
    const Vec3<double> on_A = a.corner[0] + t / along.dot(u) * u;
    const Vec3<double> on_B = b.corner[0] + (t - along.dot(b.corner[0] - a.corner[0])) / along.dot(v) * v;
    const double gap = n_W.dot(on_B - on_A);
    if (gap <= margin)
      points.push_back({(on_A + on_B) / 2, n_W, gap, 0.0, static_cast<std::uint16_t>(kSingle - 1 - k)});
  }
  return true;
}

// Appends points of equal area on the disc of a rim, at the centroid radii of rings, so that the friction
// moment of a disc under uniform pressure is exact.
void disc_points(const PlacedShape& plane, const PlacedShape& rims, const Vec3<double>& n_W, double margin,
                 std::vector<SurfacePoint>& points) {
  constexpr int kRings = 3, kPerRing = 4;
  const double side = (rims.X_WS.R.transpose() * n_W).z() > 0 ? -1 : 1;
  const double radius = side > 0 ? rims.core.top_radius : rims.core.size.x();
  const double area = kTwoPi / 2 * radius * radius / (kPerRing * kRings * kRings);
  std::uint16_t feature = side > 0 ? 64 : 0;
  for (int ring = 1; ring <= kRings; ++ring) {
    const double outer = ring, inner = ring - 1, count = kPerRing * (2 * ring - 1);
    const double r = radius / kRings * 2 / 3 * (outer * outer * outer - inner * inner * inner) /
                     (outer * outer - inner * inner);
    for (int k = 0; k < kPerRing * (2 * ring - 1); ++k) {
      const double angle = kTwoPi * (k + 0.5 * (ring % 2)) / count;
      const Vec3<double> p =
          rims.X_WS * Vec3<double>(r * std::cos(angle), r * std::sin(angle), side * rims.half[2]);
      const double gap = n_W.dot(p - plane.X_WS.p);
      if (gap <= margin) points.push_back({p - gap / 2 * n_W, n_W, gap, area, feature});
      ++feature;
    }
  }
}

}  // namespace

void witness_points(const PlacedShape& A, const PlacedShape& B, double margin,
                    witness::Workspace<double>& workspace, std::vector<SurfacePoint>& points) {
  const witness::Witness<double> witness =
      witness::separation(A.body.geometry, B.body.geometry, A.X_WS.inverse() * B.X_WS, workspace);
  if (!(witness.distance <= margin)) return;
  const Vec3<double> n_W = A.X_WS.R * witness.n;
  const std::size_t before = points.size();
  if (!smooth(A) && !smooth(B)) {
    const SupportFeature a = facing_feature(A, n_W), b = facing_feature(B, -n_W);
    if (lies_across(a, n_W))
      clip_features(a, b, n_W, false, margin, points);
    else if (lies_across(b, -n_W))
      clip_features(b, a, n_W, true, margin, points);
    else if (along_edges(A, B, n_W, margin, points))
      return;
    if (!misses_nearest(points, before, witness.distance, A, B)) return;
  }
  points.push_back(
      {A.X_WS * Vec3<double>((witness.p1 + witness.p2) / 2), n_W, witness.distance, 0.0, kSingle});
}

void plane_points(const PlacedShape& A, const PlacedShape& B, double margin, ContactSampling sampling,
                  std::vector<SurfacePoint>& points) {
  const Vec3<double> n_W = A.X_WS.R.col(2);
  if (B.kind == ShapeKind::kPoint) {
    const double gap = n_W.dot(B.X_WS.p - A.X_WS.p) - B.half[0];
    if (gap <= margin) points.push_back({B.X_WS.p - (B.half[0] + gap / 2) * n_W, n_W, gap, 0.0, kSingle});
    return;
  }
  const SupportFeature low = facing_feature(B, -n_W);
  if (sampling == ContactSampling::kPatch && B.kind == ShapeKind::kRims && lies_across(low, -n_W))
    return disc_points(A, B, n_W, margin, points);
  for (int k = 0; k < low.size; ++k) {
    const double gap = n_W.dot(low.corner[k] - A.X_WS.p);
    if (gap <= margin)
      points.push_back({low.corner[k] - gap / 2 * n_W, n_W, gap, 0.0, static_cast<std::uint16_t>(k)});
  }
}

}  // namespace abut::dynamics
