#pragma once

#include "runtime/witness/nearest.h"
#include "runtime/witness/solve_polytopes.h"

// Pairs of cores whose witness is known in closed form: a point with a point, segment, box, cylinder or cone,
// and two segments.
namespace abut::witness::detail {

template <class S>
bool has_nearest(const Core<S>& core) {
  using Kind = typename Core<S>::Kind;
  return core.kind() == Kind::kPoint || core.kind() == Kind::kSegment || core.kind() == Kind::kBox ||
         core.kind() == Kind::kRims;
}

template <class S>
bool has_closed_form(const Core<S>& A, const Core<S>& B) {
  using Kind = typename Core<S>::Kind;
  return (A.kind() == Kind::kPoint && has_nearest(B)) || (B.kind() == Kind::kPoint && has_nearest(A)) ||
         (A.kind() == Kind::kSegment && B.kind() == Kind::kSegment);
}

// Witness of two cores with the points p1 and p2 and the normal n; both bounds equal `distance`.
template <class S>
Witness<S> witness_at(const Vec3<S>& p1, const Vec3<S>& p2, const Vec3<S>& n, S distance) {
  return {p1, p2, n, distance, distance, distance, 1, Status::kOk, 1, {-1, -1, -1}, {-1, -1, -1}, {1, 0, 0}};
}

template <class S>
Witness<S> point_with(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB) {
  if (B.kind() == Core<S>::Kind::kPoint) {
    const Nearest<S> at = nearest(A, X_AB.p);
    return witness_at<S>(at.x, X_AB.p, at.n, at.distance);
  }
  const Nearest<S> at = nearest(B, Vec3<S>(-(X_AB.R.transpose() * X_AB.p)));
  const Vec3<S> n = -(X_AB.R * at.n);
  return witness_at<S>(Vec3<S>::Zero(), at.distance * n, n, at.distance);
}

// Closest points on two segments, (x1, x2) = (s z, p + t d), |s| <= a, |t| <= b. For parallel segments, the
// middle of the part in which they overlap side by side.
template <class S>
void closest_on_segments(S a, S b, const Vec3<S>& p, const Vec3<S>& d, S& s, S& t) {
  const S c = d.z(), sine_squared = d.x() * d.x() + d.y() * d.y();
  const auto best_s = [&](S at) { return std::clamp(p.z() + at * c, -a, a); };
  const auto best_t = [&](S at) { return std::clamp(at * c - d.dot(p), -b, b); };
  if (sine_squared > std::numeric_limits<S>::epsilon()) {
    t = std::clamp(-(d.x() * p.x() + d.y() * p.y()) / sine_squared, -b, b);
  } else {
    const S low = std::clamp(p.z() - b, -a, a), high = std::clamp(p.z() + b, -a, a);
    t = best_t((low + high) / 2);
  }
  s = best_s(t);
  t = best_t(s);
}

// Normal of segments that meet: orthogonal to both if they cross; any direction orthogonal to them if they
// are collinear.
template <class S>
Vec3<S> across_segments(const Vec3<S>& d, const Vec3<S>& p) {
  const S sine = length_of(d.x(), d.y());
  if (!(sine * sine > std::numeric_limits<S>::epsilon())) {
    const S aside = length_of(p.x(), p.y());
    return aside > 0 ? Vec3<S>(p.x() / aside, p.y() / aside, 0) : Vec3<S>::UnitX();
  }
  const Vec3<S> n(-d.y() / sine, d.x() / sine, 0);
  return n.dot(p) < 0 ? Vec3<S>(-n) : n;
}

template <class S>
Witness<S> two_segments(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB) {
  const S a = A.size().z(), b = B.size().z();
  const Vec3<S>& p = X_AB.p;
  const Vec3<S> d = X_AB.R.col(2);
  S s, t;
  closest_on_segments(a, b, p, d, s, t);
  const Vec3<S> x1(0, 0, s), x2 = p + t * d;
  Vec3<S> v = x2 - x1;
  const bool inside_A = std::abs(s) < a, inside_B = std::abs(t) < b;
  if (inside_B) v -= v.dot(d) * d;  // repeated: rounding of the line above matters if v is short
  const S length = v.norm();
  const bool crossed = (inside_A && inside_B) || !(length > 0);
  const Vec3<S> n = crossed ? across_segments(d, p) : Vec3<S>(v / length);
  const S distance = n.dot(v);
  Witness<S> result = witness_at<S>(x1, x1 + distance * n, n, distance);
  result.lower_bound = n.dot(p) - a * std::abs(n.z()) - b * std::abs(n.dot(d));
  result.upper_bound = (x2 - x1).norm();
  return result;
}

// Bound on the rounding error of a height over the two cores, m, as in Difference::rounding().
template <class S>
S rounding_of(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB) {
  return 16 * std::numeric_limits<S>::epsilon() *
         std::max({largest_coordinate(X_AB.p), A.size().maxCoeff(), B.size().maxCoeff()});
}

// Witness of two cores for which has_closed_form() is true.
template <class S>
Witness<S> closed_form(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB) {
  using Kind = typename Core<S>::Kind;
  const bool points = A.kind() == Kind::kPoint || B.kind() == Kind::kPoint;
  return points ? point_with(A, B, X_AB) : two_segments(A, B, X_AB);
}

}  // namespace abut::witness::detail
