#include "runtime/proximity/feature_cone.h"

#include <algorithm>
#include <cmath>

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using distance::Feature;

constexpr double kParallel = 1e-9;  // sine of an angle that counts as zero
// The same for directions that differ only by rounding: half its square is the relative rounding of a
// distance.
constexpr double kSlides = 2e-7;
// The same for directions along faces of coplanar vertices that were rounded to single precision.
constexpr double kStraight = 5e-7;

// Calls take(n) for the unit normals of the triangles about a point of a feature.
template <class Take>
void visit_normals(const SurfaceView& surface, std::int32_t triangle, Feature feature, Take&& take) {
  const auto take_of = [&](std::int32_t t) {
    const Vec3<double> n = distance::internal::face_normal<double>(surface, t);
    if (n.squaredNorm() > 0.5) take(n);  // it is 0 for a triangle without area
  };
  if (feature >= Feature::kVertex0)
    return distance::internal::visit_fan(surface, triangle, int(feature) - int(Feature::kVertex0),
                                         [&](std::int32_t t, int) { take_of(t); });
  take_of(triangle);
  if (feature != Feature::kFace)
    take_of(surface.neighbours[std::ptrdiff_t(3) * triangle + (int(feature) - int(Feature::kEdge0))]);
}

}  // namespace

Feature feature_of(const Vec3<double>& w) {
  const int zeros = (w[0] == 0) + (w[1] == 0) + (w[2] == 0);
  for (int k = 0; k < 3; ++k) {
    if (zeros == 2 && w[k] != 0) return Feature(int(Feature::kVertex0) + k);
    if (zeros == 1 && w[k] == 0) return Feature(int(Feature::kEdge0) + (k + 1) % 3);  // opposite corner k
  }
  return Feature::kFace;
}

Vec3<double> weights_at(const distance::Triangle<double>& t, Feature feature, const Vec3<double>& p) {
  if (feature >= Feature::kVertex0) return Vec3<double>::Unit(int(feature) - int(Feature::kVertex0));
  if (feature == Feature::kFace) return distance::closest_of_triangles<double>(t, {p, p, p}).weight_A;
  const int k = int(feature) - int(Feature::kEdge0), next = (k + 1) % 3;
  const Vec3<double> edge = t[next] - t[k];
  Vec3<double> weight = Vec3<double>::Zero();
  weight[next] = (p - t[k]).dot(edge) / edge.squaredNorm();
  weight[k] = 1 - weight[next];
  return weight;
}

Feature feature_within(const SurfaceView& surface, const SurfacePoint& at, double tolerance) {
  Vec3<double> p[3], weight = at.weight, here = Vec3<double>::Zero();
  for (int k = 0; k < 3; ++k) {
    p[k] = distance::internal::corner<double>(surface, at.triangle, k);
    here += at.weight[k] * p[k];
  }
  for (int k = 0; k < 3; ++k)
    if ((here - p[k]).norm() <= tolerance) return Feature(int(Feature::kVertex0) + k);
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> edge = p[(k + 2) % 3] - p[(k + 1) % 3];
    const double height = edge.cross(p[k] - p[(k + 1) % 3]).norm() / edge.norm();
    if (!(weight[k] * height > tolerance)) return Feature(int(Feature::kEdge0) + (k + 1) % 3);
  }
  return Feature::kFace;
}

SurfacePoint settled(const SurfaceView& surface, const SurfacePoint& at, double tolerance) {
  const Feature feature = feature_within(surface, at, tolerance);
  SurfacePoint result = at;
  if (feature >= Feature::kVertex0)
    result.weight = Vec3<double>::Unit(int(feature) - int(Feature::kVertex0));
  else if (feature != Feature::kFace)
    result.weight[(int(feature) - int(Feature::kEdge0) + 2) % 3] = 0;  // the opposite corner
  return result;
}

TouchingNormal touching_normal(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB,
                               const SurfacePoint& at_A, const SurfacePoint& at_B, double tolerance) {
  const Feature of_A = feature_within(A, at_A, tolerance), of_B = feature_within(B, at_B, tolerance);
  Vec3<double> best = Vec3<double>::Zero();
  double least = std::numeric_limits<double>::infinity(), most = 0;
  const auto consider = [&](const Vec3<double>& n) {
    const Vec3<double> n_B = X_AB.R.transpose() * n;
    double out = kParallel, facing_A = -1, facing_B = -1;  // how far surfaces stick out; how faces align
    visit_directions(A, at_A.triangle, of_A, [&](const Vec3<double>& u) { out = std::max(out, n.dot(u)); });
    visit_directions(B, at_B.triangle, of_B,
                     [&](const Vec3<double>& u) { out = std::max(out, -n_B.dot(u)); });
    if (out > least) return;
    visit_normals(A, at_A.triangle, of_A,
                  [&](const Vec3<double>& f) { facing_A = std::max(facing_A, n.dot(f)); });
    visit_normals(B, at_B.triangle, of_B,
                  [&](const Vec3<double>& f) { facing_B = std::max(facing_B, -n_B.dot(f)); });
    if (out == least && !(facing_A + facing_B > most)) return;
    least = out, most = facing_A + facing_B, best = n;
  };
  visit_normals(A, at_A.triangle, of_A, consider);
  visit_normals(B, at_B.triangle, of_B, [&](const Vec3<double>& f) { consider(X_AB.R * -f); });
  if (least <= kParallel) return {best, true};
  visit_directions(A, at_A.triangle, of_A, [&](const Vec3<double>& u) {
    visit_directions(B, at_B.triangle, of_B, [&](const Vec3<double>& v) {
      const Vec3<double> n = u.cross(X_AB.R * v);
      if (!(n.norm() > kParallel)) return;
      consider(n.normalized());
      consider(-n.normalized());
    });
  });
  return {best, least <= kParallel};
}

namespace {

// The plane normal to n.
struct Plane {
  Vec3<double> n, x = n.unitOrthogonal(), y = n.cross(x);
  bool has(const Vec3<double>& u, double tolerance) const { return std::abs(n.dot(u)) <= tolerance; }
  Eigen::Vector2d operator()(const Vec3<double>& u) const { return {x.dot(u), y.dot(u)}; }
};

// A part of such a plane: one direction, or all directions between two.
struct Arc {
  Eigen::Vector2d from, to;
  bool has(const Eigen::Vector2d& d, double tolerance) const {
    const auto turn = [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
      return a.x() * b.y() - a.y() * b.x();
    };
    const auto same = [&](const Eigen::Vector2d& a) { return (a - d).norm() <= 2 * tolerance; };
    if (same(from) || same(to)) return true;
    const double side = turn(from, to);
    return std::abs(side) > tolerance && turn(from, d) * side > 0 && turn(d, to) * side > 0;
  }
};

// Calls take(arc) for the part of each of the surface's wedges that lies in the plane.
template <class Take>
void visit_arcs(const SurfaceView& surface, const Mat3<double>& R, const SurfacePoint& at, const Plane& plane,
                double tolerance, Take&& take) {
  internal::visit_wedges(surface, at.triangle, feature_of(at.weight),
                         [&](const Vec3<double>& u, const Vec3<double>& v) {
                           const Vec3<double> a = R * u, b = R * v;
                           if (plane.has(a, tolerance))
                             take(Arc{plane(a), plane(plane.has(b, tolerance) ? b : a)});
                         });
}

}  // namespace

bool slides(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB, const SurfacePoint& at_A,
            const SurfacePoint& at_B, const Vec3<double>& n) {
  const Plane plane{n};
  bool found = false;
  visit_arcs(A, Mat3<double>::Identity(), at_A, plane, kSlides, [&](const Arc& a) {
    visit_arcs(B, X_AB.R, at_B, plane, kSlides, [&](const Arc& b) {
      found = found || a.has(b.from, kSlides) || a.has(b.to, kSlides) || b.has(a.from, kSlides) ||
              b.has(a.to, kSlides);
    });
  });
  return found;
}

namespace {

// Calls take(u) for the directions at the ends of the parts of the plane that the surface covers about the
// point; for all directions along edges in the plane if it covers the plane all around.
template <class Take>
void visit_ends(const SurfaceView& surface, const SurfacePoint& at, const Plane& plane, Take&& take) {
  const Feature feature = feature_of(at.weight);
  int count = 0, within = 0;
  internal::visit_wedges(surface, at.triangle, feature, [&](const Vec3<double>& u, const Vec3<double>&) {
    ++count, within += plane.has(u, kStraight);
  });
  if (within == count)
    return internal::visit_wedges(surface, at.triangle, feature,
                                  [&](const Vec3<double>& u, const Vec3<double>&) { take(u); });
  if (within < 2 || (feature < Feature::kVertex0 && within == 2)) return;  // at most the edge itself
  // The wedges follow one another around the point. A direction is an end unless both of its neighbours are
  // in the plane; the second turn completes the neighbours of the first and the last direction.
  Vec3<double> before = Vec3<double>::Zero();
  bool has_before = false, has_second = false;  // whether the plane has `before`, and the one before that
  int seen = 0;
  for (int turn = 0; turn < 2; ++turn)
    internal::visit_wedges(surface, at.triangle, feature, [&](const Vec3<double>& u, const Vec3<double>&) {
      const bool has = plane.has(u, kStraight);
      if (seen++ >= 2 && has_before && !(has_second && has)) take(before);
      before = u, has_second = has_before, has_before = has;
    });
}

}  // namespace

distance::FlatBasis flat_at(const SurfaceView& surface, const SurfacePoint& at, const Vec3<double>& n) {
  distance::FlatBasis flat =
      distance::flat_basis(distance::internal::triangle_of<double>(surface, at.triangle), at.weight);
  const bool level = n.squaredNorm() > 0.5 && std::abs(n.dot(flat.along[0])) <= kStraight;
  if (!level || feature_of(at.weight) == Feature::kFace) return flat;
  const Plane plane{n};
  visit_ends(surface, at, plane, [&](const Vec3<double>& u) {
    if (flat.dimension == 2) return;
    if (flat.dimension == 1 && flat.along[0].cross(u).norm() <= 2 * kStraight) return;
    bool straight = false;
    visit_arcs(surface, Mat3<double>::Identity(), at, plane, kStraight,
               [&](const Arc& arc) { straight = straight || arc.has(plane(-u), kStraight); });
    if (!straight) return;
    const Vec3<double> along = flat.dimension == 0 ? u : n.cross(flat.along[0]);
    flat.along[static_cast<std::size_t>(flat.dimension++)] = along.normalized();
  });
  return flat;
}

}  // namespace abut::proximity
