#pragma once

#include "runtime/contact/facet.h"
#include "runtime/math/pose.h"

// Derivatives of what a facet in motion adds to the wrench (facet.h): by the chain rule through its corners,
// normal, pressure, damping and share, whose own derivatives by the pose come as dual numbers. Internal to
// the pressure-field model.
namespace abut::contact {

// The traction of facet.h at one point and its derivatives, all others held: by the velocity u of the point,
// the normal, the pressure at rest, the share and the damping.
template <class S>
struct TractionSlopes {
  Vec3<S> traction;
  Mat3<S> by_u, by_n;
  Vec3<S> by_pressure, by_share, by_damping;
};

// p: the pressure at rest. False: clamped at zero, derivatives and all. With e = n + mu t and t the slip over
// its speed, traction = -share p (1 + damping s) e, s = u . n, and dt = (I - t t') dslip / speed.
template <class S>
bool traction_slopes(const Vec3<S>& n, const S& share, const S& damping, const S& p, const Vec3<S>& u,
                     const RateLaw& law, TractionSlopes<S>& out) {
  using std::sqrt;
  const S approach = u.dot(n), factor = S(1) + damping * approach;
  if (!(factor > S(0))) return false;
  Vec3<S> slip = u - approach * n;
  S unit(1), speed = sqrt(slip.squaredNorm() + S(law.stiction_speed * law.stiction_speed));
  if (!(speed < S(0x1p500))) {  // as in traction()
    unit = S(0x1p-600);
    slip *= unit;
    speed = sqrt(slip.squaredNorm());
  }
  const Vec3<S> t = slip / speed, e = n + S(law.friction) * t;
  const S pressure = share * p * factor;
  const Mat3<S> turn =
      (S(law.friction) * pressure * unit / speed) * (Mat3<S>::Identity() - t * t.transpose());
  const Vec3<S> along = share * p * damping * e;
  out.traction = -pressure * e;
  out.by_u = (turn * n - along) * n.transpose() - turn;
  out.by_n = (turn * n - along) * u.transpose() + approach * turn;
  out.by_n.diagonal().array() -= pressure;
  out.by_pressure = -share * factor * e;
  out.by_share = -p * factor * e;
  out.by_damping = -share * p * approach * e;
  return true;
}

// Sums the derivatives of the wrench by each part of a facet.
template <class S>
class FacetSlopes {
 public:
  using Moving = Dual<S, 6>;  // by xi
  using Part = Eigen::Matrix<S, 6, 3>;

  FacetSlopes(const Facet<Moving>& facet, const RateLaw& law, const Vec6<S>& V)
      : facet_(facet), law_(law), V_(V), n_(value(facet.n)), gradient_(value(facet.pressure.gradient)) {
    const Polygon<Moving>& polygon = facet.polygon;
    const PolygonMoments<Moving> m = moments(polygon, facet.n);
    if (!(m.area > Moving(0))) return;
    const Vec3<Moving> center = middle(polygon, m);
    half_ = S(m.turn * polygon.weight() / 2);
    center_ = value(center);
    for (int i = 0; i < polygon.size; ++i) {
      const int next = i + 1 < polygon.size ? i + 1 : 0;
      add_triangle(value(polygon.corners[i]), value(polygon.corners[next]), by_corner_[i], by_corner_[next]);
    }
    for (int i = 0; i < polygon.size; ++i) add(by_corner_[i], polygon.corners[i]);
    add(by_center_, center);
    add(by_n_, facet.n);
    add(by_gradient_, facet.pressure.gradient);
    add(by_offset_, facet.pressure.offset);
    add(by_share_, facet.share);
    add(by_damping_, facet.damping);
  }

  const Mat6<S>& by_pose() const { return by_pose_; }
  const Mat6<S>& by_twist() const { return by_twist_; }

 private:
  static Vec3<S> value(const Vec3<Moving>& x) { return {x[0].value, x[1].value, x[2].value}; }

  // Of the map that takes a force at x to its wrench about the origin.
  static Part wrench_of(const Mat3<S>& X, const Mat3<S>& force) {
    Part result;
    result << X * force, force;
    return result;
  }
  static Vec6<S> wrench_of(const Vec3<S>& x, const Vec3<S>& force) {
    Vec6<S> result;
    result << x.cross(force), force;
    return result;
  }

  void add_triangle(const Vec3<S>& a, const Vec3<S>& b, Part& by_a, Part& by_b) {
    const Vec3<S> p = a - center_, q = b - center_, turned = half_ * p.cross(q);
    const S area = n_.dot(turned);
    Vec6<S> mean = Vec6<S>::Zero();  // of the wrench per area
    for (const TrianglePoint& at : kTriangleRule)
      add_point(S(at.a) * a + S(at.b) * b + S(at.c) * center_, at, area, mean, by_a, by_b);
    const Vec3<S> area_by_a = half_ * q.cross(n_), area_by_b = half_ * n_.cross(p);
    by_a += mean * area_by_a.transpose();
    by_b += mean * area_by_b.transpose();
    by_center_ -= mean * (area_by_a + area_by_b).transpose();
    by_n_ += mean * turned.transpose();
  }

  void add_point(const Vec3<S>& x, const TrianglePoint& at, const S& area, Vec6<S>& mean, Part& by_a,
                 Part& by_b) {
    const Vec3<S> w = V_.template head<3>(), u = V_.template tail<3>() + w.cross(x);
    const S p = facet_.pressure.offset.value + gradient_.dot(x);
    TractionSlopes<S> t;
    if (!traction_slopes(n_, facet_.share.value, facet_.damping.value, p, u, law_, t)) return;
    mean += S(at.weight) * wrench_of(x, t.traction);
    const S weight = S(at.weight) * area;
    const Mat3<S> X = skew(x), by_u = weight * t.by_u;
    const Part of_u = wrench_of(X, by_u);
    by_twist_.template rightCols<3>() += of_u;
    by_twist_.template leftCols<3>() -= of_u * X;
    const Vec6<S> of_pressure = wrench_of(x, Vec3<S>(weight * t.by_pressure));
    Part of_x = of_u * skew(w) + of_pressure * gradient_.transpose();
    of_x.template topRows<3>() -= weight * skew(t.traction);
    by_a += S(at.a) * of_x;
    by_b += S(at.b) * of_x;
    by_center_ += S(at.c) * of_x;
    by_n_ += wrench_of(X, Mat3<S>(weight * t.by_n));
    by_gradient_ += of_pressure * x.transpose();
    by_offset_ += of_pressure;
    by_share_ += wrench_of(x, Vec3<S>(weight * t.by_share));
    by_damping_ += wrench_of(x, Vec3<S>(weight * t.by_damping));
  }

  void add(const Vec6<S>& by_part, const Moving& part) {
    by_pose_ += by_part * part.slopes.matrix().transpose();
  }
  void add(const Part& by_part, const Vec3<Moving>& part) {
    for (int k = 0; k < 3; ++k) add(Vec6<S>(by_part.col(k)), part[k]);
  }

  const Facet<Moving>& facet_;
  const RateLaw& law_;
  const Vec6<S>& V_;
  Vec3<S> n_, gradient_, center_;
  S half_ = 0;
  std::array<Part, kMaxCorners> by_corner_ = zeros();
  Part by_center_ = Part::Zero(), by_n_ = Part::Zero(), by_gradient_ = Part::Zero();
  Vec6<S> by_offset_ = Vec6<S>::Zero(), by_share_ = Vec6<S>::Zero(), by_damping_ = Vec6<S>::Zero();
  Mat6<S> by_pose_ = Mat6<S>::Zero(), by_twist_ = Mat6<S>::Zero();

  static std::array<Part, kMaxCorners> zeros() {
    std::array<Part, kMaxCorners> parts;
    parts.fill(Part::Zero());
    return parts;
  }
};

}  // namespace abut::contact
