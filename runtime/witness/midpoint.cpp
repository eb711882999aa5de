#include "runtime/witness/midpoint.h"

#include "runtime/witness/closed_form.h"

namespace abut::witness {

namespace {

// A core without its ball, posed in frame A.
template <class S>
struct Body {
  const Core<S>& core;
  Mat3<S> R;
  Vec3<S> p;
  S inset;                   // radius of the ball, m
  detail::Slope<S> slope{};  // for cores with rims
  S secular = 0;             // m^2, root of the last projection on an ellipsoid

  Body(const Core<S>& shape, const Pose<S>& X) : core(shape), R(X.R), p(X.p), inset(ball_within(shape)) {
    if (core.has_rims()) slope = detail::slope_of(core);
  }
};

// The point of a body nearest to z (z itself if inside), and its derivative with respect to z; in frame A.
template <class S>
struct Projection {
  Vec3<S> x;
  Mat3<S> J;
};

// Projects onto a box; a segment is a box without width. The derivative is diagonal in the box's frame: 1
// along the axes on which the point moves freely.
template <class S>
Projection<S> project_on_box(const Body<S>& body, const Vec3<S>& z) {
  const Vec3<S>& half = body.core.size();
  const Vec3<S> q = body.R.transpose() * (z - body.p);
  Projection<S> result{body.p, Mat3<S>::Zero()};
  for (int k = 0; k < 3; ++k) {
    const Vec3<S> axis = body.R.col(k);
    result.x += std::clamp(q[k], -half[k], half[k]) * axis;
    if (std::abs(q[k]) < half[k]) result.J += axis * axis.transpose();
  }
  return result;
}

// Projects onto the hull of two rims. With t along the rim, s down the slope and r the distance from the
// axis, the derivative on the slope is (r of the point / r of z) t t' + s s'; on a disc it is that of the
// plane.
template <class S>
Projection<S> project_on_rims(const Body<S>& body, const Vec3<S>& z) {
  using detail::RimsPart;
  const Vec3<S> y = z - body.p, axis = body.R.col(2);
  const S height = axis.dot(y);
  const Vec3<S> across = y - height * axis;
  const S r = across.norm();
  const detail::OnMeridian<S> at =
      detail::project_on_meridian(body.core.rim(0), body.core.rim(1), body.slope, r, height);
  if (at.part == RimsPart::kInside) return {z, Mat3<S>::Identity()};
  if (at.part == RimsPart::kTop || at.part == RimsPart::kBottom)
    return {z + (at.z - height) * axis, Mat3<S>::Identity() - axis * axis.transpose()};
  if (!(r > 0)) return {body.p + at.z * axis, Mat3<S>::Zero()};  // the apex
  const Vec3<S> e = across / r, t = axis.cross(e);
  Projection<S> result{body.p + at.r * e + at.z * axis, (at.r / r) * t * t.transpose()};
  if (at.part == RimsPart::kSlope) {
    const Vec3<S> s = body.slope.n_z * e - body.slope.n_r * axis;
    result.J += s * s.transpose();
  }
  return result;
}

// Solves for l > -least^2 (least: the least semi-axis) with |D (D^2 + l)^-1 q| = s(l) = 1, where D holds the
// semi-axes, c = D^2 and q = D^-1 b: Newton's method on 1 / s, which is concave and nearly linear in l (More
// and Sorensen 1983), from the previous root or from a lower bound.
template <class S>
S secular_root(const Vec3<S>& c, const Vec3<S>& b, S l) {
  constexpr int kMaxSteps = 50;
  const S enough = std::sqrt(std::numeric_limits<S>::epsilon());  // then the next step is rounding
  const Vec3<S> b2 = b.cwiseAbs2();
  const S low = std::max((b.cwiseAbs() - c).maxCoeff(), std::sqrt(b2.sum()) - c.maxCoeff());
  l = std::max(l, low);
  for (int i = 0; i < kMaxSteps; ++i) {
    const Vec3<S> inverse = (c.array() + l).inverse();
    const Vec3<S> part = b2.cwiseProduct(inverse.cwiseAbs2());
    const S s2 = part.sum(), before = l;
    l = std::max(low, l + (std::sqrt(s2) - 1) * s2 / part.dot(inverse));
    if (!(std::abs(l - before) > enough * (c.minCoeff() + l))) break;
  }
  return l;
}

// Projects onto an ellipsoid without its ball. The nearest point of the ellipsoid is x = D^2 (D^2 + l)^-1 q,
// its normal n is along g = D^-2 x, and q is at distance l |g| from x. With K = dn/dq, the nearest of the
// points `inset` inside is x - inset n, with the derivative dx/dq - inset K.
template <class S>
Projection<S> project_on_ellipsoid(Body<S>& body, const Vec3<S>& z) {
  const Vec3<S>& semi_axes = body.core.size();
  const Vec3<S> q = body.R.transpose() * (z - body.p), c = semi_axes.cwiseAbs2();
  const S l = body.secular = secular_root(c, semi_axes.cwiseProduct(q).eval(), body.secular);
  const Vec3<S> i = (c.array() + l).inverse(), g = i.cwiseProduct(q), x = c.cwiseProduct(g);
  const S length = g.norm();
  if (!(l * length > -body.inset) || !(l > -c.minCoeff())) return {z, Mat3<S>::Identity()};
  const Vec3<S> n = g / length, m = c.cwiseProduct(i), mg = m.cwiseProduct(g), by = mg / mg.dot(g);
  const Vec3<S> ig = i.cwiseProduct(g);
  Mat3<S> J = -mg * by.transpose();
  J.diagonal() += m;
  Mat3<S> K = -ig * by.transpose() - n * i.cwiseProduct(n).transpose() + n * (n.dot(ig) * by).transpose();
  K.diagonal() += i;
  J -= (body.inset / length) * K;
  return {body.R * (x - body.inset * n) + body.p, body.R * J * body.R.transpose()};
}

template <class S>
Projection<S> project(Body<S>& body, const Vec3<S>& z) {
  using Kind = typename Core<S>::Kind;
  switch (body.core.kind()) {
    case Kind::kSegment:
    case Kind::kBox:
      return project_on_box(body, z);
    case Kind::kRims:
      return project_on_rims(body, z);
    case Kind::kEllipsoid:
      return project_on_ellipsoid(body, z);
    default:
      return {body.p, Mat3<S>::Zero()};
  }
}

// Upper bound on the distance of a point outside a core with flat parts, m.
template <class S>
S outside(const Body<S>& body, const Vec3<S>& x) {
  using Kind = typename Core<S>::Kind;
  const Vec3<S> q = body.R.transpose() * (x - body.p);
  if (body.core.kind() == Kind::kBox || body.core.kind() == Kind::kSegment)
    return (q.cwiseAbs() - body.core.size()).maxCoeff();
  if (!body.core.has_rims()) return S(0);
  const Rim<S> top = body.core.rim(0), bottom = body.core.rim(1);
  const S above = q.z() - top.z, across = detail::length_of(q.x(), q.y()) - top.radius;
  return std::max({above, bottom.z - q.z(), across * body.slope.n_r + above * body.slope.n_z});
}

// Solves H x = r for a symmetric positive definite H, by its factors L D L'.
template <class S>
Vec3<S> solve(const Mat3<S>& H, const Vec3<S>& r) {
  const S d0 = H(0, 0), l10 = H(1, 0) / d0, l20 = H(2, 0) / d0;
  const S d1 = H(1, 1) - l10 * H(1, 0), e = H(2, 1) - l20 * H(1, 0), l21 = e / d1;
  const S d2 = H(2, 2) - l20 * H(2, 0) - l21 * e;
  const S y1 = r[1] - l10 * r[0], y2 = r[2] - l20 * r[0] - l21 * y1;
  const S x2 = y2 / d2, x1 = y1 / d1 - l21 * x2;
  return {r[0] / d0 - l10 * x1 - l20 * x2, x1, x2};
}

template <class S>
class Midpoint {
 public:
  Midpoint(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB) : A_(A, {}), B_(B, X_AB) {}

  bool run(const Vec3<S>& start, S least, S tolerance, Witness<S>& result) {
    constexpr int kMaxSteps = 24, kMaxHalvings = 4;
    // Added to F'', which is singular along parallel faces and edges.
    constexpr S kLift = S(1e-10);
    // Relative to the squared gap: a gradient whose square is rounding. The points of the next step are then
    // those predicted by the projections' derivatives.
    constexpr S kLast = std::numeric_limits<S>::epsilon() / 4;
    Vec3<S> z = start, step = Vec3<S>::Zero();
    S before = std::numeric_limits<S>::infinity();
    int halvings = 0;
    for (int i = 1; i <= kMaxSteps; ++i) {
      const Projection<S> on_A = project(A_, z), on_B = project(B_, z);
      const Vec3<S> w1 = z - on_A.x, w2 = z - on_B.x, gradient = w1 + w2;
      const S F = w1.squaredNorm() + w2.squaredNorm();  // at least half the gap squared
      if (!(F > least * least / 2)) return false;
      if (!(F < before)) {
        if (++halvings > kMaxHalvings) return false;
        step /= 2;
        z -= step;
        continue;
      }
      before = F;
      halvings = 0;
      Mat3<S> H = -on_A.J - on_B.J;
      H.diagonal().array() += 2 + kLift;
      step = solve<S>(H, -gradient);
      if (gradient.squaredNorm() <= kLast * (on_B.x - on_A.x).squaredNorm()) {
        // A step along parallel faces is rounding over kLift, and may end beyond them.
        const Vec3<S> x1 = on_A.x + on_A.J * step, x2 = on_B.x + on_B.J * step;
        const bool within = outside(A_, x1) <= tolerance && outside(B_, x2) <= tolerance;
        if (certify(within ? x1 : on_A.x, within ? x2 : on_B.x, i, tolerance, result)) return true;
      }
      z += step;
    }
    return false;
  }

 private:
  bool certify(const Vec3<S>& x1, const Vec3<S>& x2, int iterations, S tolerance, Witness<S>& result) const {
    const Vec3<S> v = x2 - x1;
    const S length = v.norm();
    const Vec3<S> n = v / length;
    const Vec3<S> s1 = core_support(A_.core, n).point;
    const Vec3<S> s2 = B_.R * core_support(B_.core, Vec3<S>(-(B_.R.transpose() * n))).point + B_.p;
    const S g = n.dot(s2 - s1);
    const Vec3<S> middle = (x1 + x2 + (A_.inset - B_.inset) * n) / 2, half = g / 2 * n;
    result = detail::witness_at<S>(middle - half, middle + half, n, g);
    result.upper_bound = length - A_.inset - B_.inset;
    result.iterations = iterations;
    return std::abs(result.upper_bound - g) <= tolerance;
  }

  Body<S> A_, B_;
};

}  // namespace

template <class S>
bool has_midpoint(const Core<S>& A, const Core<S>& B) {
  const auto known = [](const Core<S>& core) { return detail::has_nearest(core) || core.smooth(); };
  return known(A) && known(B);
}

template <class S>
bool answer_by_midpoint(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, const Vec3<S>& z, S least,
                        S tolerance, Witness<S>& result) {
  return Midpoint<S>(A, B, X_AB).run(z, least, tolerance, result);
}

template bool has_midpoint(const Core<double>&, const Core<double>&);
template bool has_midpoint(const Core<long double>&, const Core<long double>&);
template bool answer_by_midpoint(const Core<double>&, const Core<double>&, const Pose<double>&,
                                 const Vec3<double>&, double, double, Witness<double>&);
template bool answer_by_midpoint(const Core<long double>&, const Core<long double>&, const Pose<long double>&,
                                 const Vec3<long double>&, long double, long double, Witness<long double>&);

}  // namespace abut::witness
