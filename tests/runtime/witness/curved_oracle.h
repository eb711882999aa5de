#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "runtime/witness/shapes.h"
#include "tests/runtime/witness/polytopes.h"

// Random shapes in closed form, their support functions and a search of the whole sphere in extended
// precision, that share nothing with the library.
namespace abut::test {

template <class Shape>
struct Kind {
  static_assert(sizeof(Shape) == 0, "a random shape, its support point and its inside are needed");
};

using Long = long double;

inline double log_uniform(Random& random, double low, double high) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

// How far p is outside, at most: zero or negative inside.
template <>
struct Kind<witness::Ellipsoid<double>> {
  using Shape = witness::Ellipsoid<double>;
  static Shape random(Random& r, double thin) {
    return {{log_uniform(r, thin, 1), log_uniform(r, thin, 1), log_uniform(r, thin, 1)}};
  }
  static double size(const Shape& e) { return e.semi_axes.maxCoeff(); }
  static LVec support(const Shape& e, const LVec& n) {
    const LVec D = e.semi_axes.cast<Long>(), Dn = D.cwiseProduct(n);
    return D.cwiseProduct(Dn) / Dn.norm();
  }
  static Long outside(const Shape& e, const LVec& p) {
    const LVec D = e.semi_axes.cast<Long>();
    return (p.cwiseQuotient(D).norm() - 1) * D.minCoeff();
  }
};

template <>
struct Kind<witness::Cylinder<double>> {
  using Shape = witness::Cylinder<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1), log_uniform(r, thin, 1)}; }
  static double size(const Shape& c) { return std::hypot(c.half_length, c.radius); }
  static LVec support(const Shape& c, const LVec& n) {
    const Long across = std::hypot(n.x(), n.y()), scale = across > 0 ? c.radius / across : 0;
    return {scale * n.x(), scale * n.y(), n.z() < 0 ? -Long(c.half_length) : Long(c.half_length)};
  }
  static Long outside(const Shape& c, const LVec& p) {
    return std::max(std::abs(p.z()) - c.half_length, std::hypot(p.x(), p.y()) - c.radius);
  }
};

template <>
struct Kind<witness::Cone<double>> {
  using Shape = witness::Cone<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1), log_uniform(r, thin, 1)}; }
  static double size(const Shape& c) { return std::hypot(c.half_length, c.radius); }
  static LVec support(const Shape& c, const LVec& n) {
    const Long across = std::hypot(n.x(), n.y()), scale = across > 0 ? c.radius / across : 0;
    const LVec rim(scale * n.x(), scale * n.y(), -Long(c.half_length)), apex(0, 0, c.half_length);
    return n.dot(apex) > n.dot(rim) ? apex : rim;
  }
  static Long outside(const Shape& c, const LVec& p) {
    const Long r = c.radius, l = 2 * Long(c.half_length);
    const Long slope = (std::hypot(p.x(), p.y()) * l + (p.z() - c.half_length) * r) / std::hypot(l, r);
    return std::max(slope, -c.half_length - p.z());
  }
};

template <>
struct Kind<witness::Box<double>> {
  using Shape = witness::Box<double>;
  static Shape random(Random& r, double thin) {
    return {{log_uniform(r, thin, 1), log_uniform(r, thin, 1), log_uniform(r, thin, 1)}};
  }
  static double size(const Shape& b) { return b.half.norm(); }
  static LVec support(const Shape& b, const LVec& n) {
    const LVec h = b.half.cast<Long>();
    return {n.x() < 0 ? -h.x() : h.x(), n.y() < 0 ? -h.y() : h.y(), n.z() < 0 ? -h.z() : h.z()};
  }
  static Long outside(const Shape& b, const LVec& p) {
    return (p.cwiseAbs() - b.half.cast<Long>()).maxCoeff();
  }
};

template <>
struct Kind<witness::Capsule<double>> {
  using Shape = witness::Capsule<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1), log_uniform(r, thin, 1)}; }
  static double size(const Shape& c) { return c.half_length + c.radius; }
  static LVec support(const Shape& c, const LVec& n) {
    return LVec(0, 0, n.z() < 0 ? -c.half_length : c.half_length) + c.radius * n.normalized();
  }
  static Long outside(const Shape& c, const LVec& p) {
    const Long l = c.half_length;
    return (p - LVec(0, 0, std::clamp(p.z(), -l, l))).norm() - c.radius;
  }
};

template <>
struct Kind<witness::Sphere<double>> {
  using Shape = witness::Sphere<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1)}; }
  static double size(const Shape& s) { return s.radius; }
  static LVec support(const Shape& s, const LVec& n) { return s.radius * n.normalized(); }
  static Long outside(const Shape& s, const LVec& p) { return p.norm() - s.radius; }
};

// A cone with a ball summed: rounded edges and apex.
template <>
struct Kind<witness::Swept<double, witness::Cone<double>>> {
  using Core = Kind<witness::Cone<double>>;
  using Shape = witness::Swept<double, witness::Cone<double>>;
  static Shape random(Random& r, double thin) { return {Core::random(r, thin), log_uniform(r, thin, 1)}; }
  static double size(const Shape& s) { return Core::size(s.shape) + s.radius; }
  static LVec support(const Shape& s, const LVec& n) {
    return Core::support(s.shape, n) + s.radius * n.normalized();
  }
  static Long outside(const Shape& s, const LVec& p) { return Core::outside(s.shape, p) - s.radius; }
};

// A hull of few vertices, which the shape keeps: aspect ratios as those of the others.
struct OwnedHull {
  asset::ConvexPiece piece;
  Points points;
};
template <>
struct Kind<OwnedHull> {
  using Shape = OwnedHull;
  static Shape random(Random& r, double thin) {
    const Vec3<double> axes(log_uniform(r, thin, 1), log_uniform(r, thin, 1), log_uniform(r, thin, 1));
    Points points;
    while (points.size() < 16) points.push_back(random_vector(r).normalized().cwiseProduct(axes));
    return {make_hull(points), points};
  }
  static double size(const Shape& hull) {
    double most = 0;
    for (const auto& p : hull.points) most = std::max(most, p.norm());
    return most;
  }
  static LVec support(const Shape& hull, const LVec& n) {
    const auto height = [&](const Vec3<double>& p) { return n.dot(p.cast<Long>()); };
    return std::max_element(hull.points.begin(), hull.points.end(),
                            [&](const auto& p, const auto& q) { return height(p) < height(q); })
        ->cast<Long>();
  }
  static Long outside(const Shape&, const LVec&) { return 0; }  // its support planes alone are looked at
};

template <class Shape>
const Shape& library_shape(const Shape& shape) {
  return shape;
}
inline asset::ConvexView library_shape(const OwnedHull& hull) { return asset::view(hull.piece); }

// The signed distance as the greatest g found by climbing, by ever smaller steps in all directions: from the
// best of directions all over the sphere, and from the direction of an answer.
template <class A, class B>
struct CurvedOracle {
  const A& a;
  const B& b;
  Pose<Long> X_AB;

  Long g(const LVec& n) const {
    const LVec x2 = X_AB * Kind<B>::support(b, -(X_AB.R.transpose() * n));
    return n.dot(x2 - Kind<A>::support(a, n));
  }

  // Steps from 0.1 to `finest`, rad; no more than a few of each.
  Long climb(LVec n, Long finest) const {
    Long best = g(n);
    for (Long step = 0.1L; step > finest; step /= 2) {
      bool better = true;
      for (int round = 0; round < 4 && better; ++round) {
        better = false;
        const LVec t = n.unitOrthogonal(), u = n.cross(t);
        for (int k = 0; k < 8; ++k) {
          const Long angle = (k + 0.3L) * 0.785398163397448L;
          const LVec next = (n + step * (std::cos(angle) * t + std::sin(angle) * u)).normalized();
          const Long value = g(next);
          if (!(value > best)) continue;
          best = value;
          n = next;
          better = true;
        }
      }
    }
    return best;
  }

  Long distance() const {
    constexpr int kDirections = 200, kClimbs = 3;
    std::array<std::pair<Long, LVec>, kDirections> found;
    for (int i = 0; i < kDirections; ++i) {  // a Fibonacci lattice
      const Long z = 1 - (2 * i + 1) / Long(kDirections), turn = 2.39996322972865332L * i;
      const Long r = std::sqrt(1 - z * z);
      const LVec n(r * std::cos(turn), r * std::sin(turn), z);
      found[static_cast<std::size_t>(i)] = {g(n), n};
    }
    std::partial_sort(found.begin(), found.begin() + kClimbs, found.end(),
                      [](const auto& x, const auto& y) { return x.first > y.first; });
    Long best = -INFINITY;
    for (std::size_t i = 0; i < kClimbs; ++i) best = std::max(best, climb(found[i].second, 1e-4L));
    return best;
  }
};

}  // namespace abut::test
