#pragma once

#include "runtime/contact/pressure_field/facet_traction.h"
#include "runtime/math/pose.h"

// Derivatives of a moving facet's contribution to the wrench (facet_traction.h), by the chain rule through
// its corners, normal, pressure, damping and share, whose own derivatives with respect to the pose come as
// dual numbers. Internal to the pressure-field model.
namespace abut::contact {

// Sums the derivatives of the wrench with respect to each part of a facet.
template <class S>
class FacetSlopes {
 public:
  using Moving = Dual<S, 6>;  // with respect to xi
  using Part = Eigen::Matrix<S, 6, 3>;

  FacetSlopes(const Facet<Moving>& facet, const RateLaw& law, const Vec6<S>& V)
      : facet_(facet), law_(law), V_(V), n_(value(facet.n)), gradient_(value(facet.pressure.gradient)) {
    const Polygon<Moving>& polygon = facet.polygon;
    const PolygonMoments<Moving> m = moments<false>(polygon, facet.n);
    if (!(m.area > Moving(0))) return;
    const Vec3<Moving> center = middle(polygon, m);
    half_ = S(m.turn * polygon.weight() / 2);
    center_ = value(center);
    Polygon<S> still;
    still.size = polygon.size;
    for (int i = 0; i < polygon.size; ++i) still.corners[i] = value(polygon.corners[i]);
    parts_ = divisions<S>(still, center_, n_, law, V);
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

  // M [a], where [a] b = a x b.
  static Part times_skew(const Part& M, const Vec3<S>& a) {
    Part result;
    for (int j = 0; j < 3; ++j) {
      const int k = (j + 1) % 3, l = (j + 2) % 3;
      result.col(j) = a[l] * M.col(k) - a[k] * M.col(l);
    }
    return result;
  }

  // Integrals over a triangle, per area and share. For each corner k, weighted by the barycentric coordinate
  // of the point: the traction (Pa), and the derivatives of its wrench with respect to velocity and pressure
  // at the point. Then the wrench itself and its derivatives with respect to the normal and the damping.
  struct TriangleSums {
    Mat3<S> traction;  // column k
    Part by_u[3];      // for corner k
    Part by_pressure;  // column k
    Part by_n;
    Vec6<S> wrench, by_damping;
  };

  // With a = mu turn p f n - p damping e, the traction's derivatives, which are 0 where it is clamped, are
  //   by u: a n' - mu turn p f (I - t t'),   by n: a (u + s n)' - s (by u) - p f I,
  //   by p: -f e,   by damping: -p s e.
  TriangleSums integrate_whole(const Mat3<S>& corners) const {
    const S damping = facet_.damping.value;
    const Traction<S> at(n_, damping, {gradient_, facet_.pressure.offset.value}, V_, law_, corners);
    const Lanes<S> p = (at.factor > S(0)).select(at.pressure, S(0)), pressed = p * at.factor,
                   shear = S(law_.friction) * at.turn * pressed, slowed = p * damping, worn = p * at.approach;
    const auto along = wrench_of(at.x, [&](int i) { return shear * n_[i] - slowed * at.e[i]; });
    const auto turned = wrench_of(at.x, [&](int i) { return shear * at.t[i]; });
    const auto pushed = wrench_of(at.x, [&](int i) { return -at.factor * at.e[i]; });
    const auto damped = wrench_of(at.x, [&](int i) { return -worn * at.e[i]; });
    TriangleSums sums;
    for (int i = 0; i < 6; ++i) {
      sums.by_damping[i] = rule_.integral(damped[i]);
      sums.wrench[i] = rule_.integral(p * pushed[i]);
      sums.by_pressure.row(i) = rule_.at_corners(pushed[i]);
    }
    for (int i = 0; i < 3; ++i) sums.traction.row(i) = rule_.at_corners(p * pushed[3 + i]);
    for (int j = 0; j < 3; ++j) {
      const Lanes<S> swept = at.u[j] + at.approach * n_[j];
      for (int i = 0; i < 6; ++i) {
        const Lanes<S> unit = unit_wrench(at.x, i, j);
        const Lanes<S> by_u = along[i] * n_[j] + turned[i] * at.t[j] - shear * unit;
        const Vec3<S> of_u = rule_.at_corners(by_u);
        for (int k = 0; k < 3; ++k) sums.by_u[k](i, j) = of_u[k];
        sums.by_n(i, j) = rule_.integral(along[i] * swept - at.approach * by_u - pressed * unit);
      }
    }
    return sums;
  }

  // The same in parts (for_each_part).
  TriangleSums integrate(const Mat3<S>& corners) const {
    if (parts_ == 1) return integrate_whole(corners);
    const S each = S(1) / S(parts_ * parts_);
    TriangleSums sums = {Mat3<S>::Zero(), {Part::Zero(), Part::Zero(), Part::Zero()},
                         Part::Zero(),    Part::Zero(),
                         Vec6<S>::Zero(), Vec6<S>::Zero()};
    for_each_part<S>(parts_, [&](const Mat3<S>& W) {
      const TriangleSums part = integrate_whole(corners * W);
      sums.traction += each * part.traction * W.transpose();
      sums.by_pressure += each * part.by_pressure * W.transpose();
      for (int k = 0; k < 3; ++k)
        for (int corner = 0; corner < 3; ++corner) sums.by_u[k] += each * W(k, corner) * part.by_u[corner];
      sums.by_n += each * part.by_n;
      sums.wrench += each * part.wrench;
      sums.by_damping += each * part.by_damping;
    });
    return sums;
  }

  // Wrench of the forces force(0), force(1), force(2) (components) at x, about the origin.
  template <class Force>
  static std::array<Lanes<S>, 6> wrench_of(const LaneVector<S>& x, Force&& force) {
    const LaneVector<S> f = {force(0), force(1), force(2)}, moment = cross(x, f);
    return {moment[0], moment[1], moment[2], f[0], f[1], f[2]};
  }
  // Component i of the wrench of unit forces along axis j at x.
  static Lanes<S> unit_wrench(const LaneVector<S>& x, int i, int j) {
    if (i == (j + 1) % 3) return x[(j + 2) % 3];
    if (i == (j + 2) % 3) return -x[(j + 1) % 3];
    return Lanes<S>::Constant(S(i == 3 + j ? 1 : 0));
  }

  // Adds the triangle of the corners a, b and the middle.
  void add_triangle(const Vec3<S>& a, const Vec3<S>& b, Part& by_a, Part& by_b) {
    const Vec3<S> p = a - center_, q = b - center_, turned = half_ * p.cross(q);
    const S area = n_.dot(turned), share = facet_.share.value, acting = share * area;
    Mat3<S> corners;
    corners << a, b, center_;
    const TriangleSums sums = integrate(corners);
    by_n_ += acting * sums.by_n;
    by_share_ += area * sums.wrench;
    by_damping_ += acting * sums.by_damping;
    Part* const by_corner[] = {&by_a, &by_b, &by_center_};
    for (int k = 0; k < 3; ++k) {
      const Part by_u = acting * sums.by_u[k];
      const Vec6<S> by_pressure = acting * sums.by_pressure.col(k);
      by_twist_.template rightCols<3>() += by_u;
      by_twist_.template leftCols<3>() -= times_skew(by_u, corners.col(k));
      *by_corner[k] += times_skew(by_u, V_.template head<3>()) + by_pressure * gradient_.transpose();
      by_corner[k]->template topRows<3>() -= skew<S>(acting * sums.traction.col(k));
      by_gradient_ += by_pressure * corners.col(k).transpose();
      by_offset_ += by_pressure;
    }
    const Vec6<S> mean = share * sums.wrench;  // derivative of the wrench with respect to the area
    const Vec3<S> area_by_a = half_ * q.cross(n_), area_by_b = half_ * n_.cross(p);
    by_a += mean * area_by_a.transpose();
    by_b += mean * area_by_b.transpose();
    by_center_ -= mean * (area_by_a + area_by_b).transpose();
    by_n_ += mean * turned.transpose();
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
  TriangleRule<S> rule_;
  S half_ = 0;
  int parts_ = 1;
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
