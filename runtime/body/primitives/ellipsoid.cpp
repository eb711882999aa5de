#include "runtime/body/primitives/ellipsoid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "runtime/body/primitives/parts.h"
#include "runtime/body/primitives/sphere.h"
#include "runtime/body/samples.h"

namespace abut::body {

namespace {

using Shape = Ellipsoid<double>;

constexpr double kPi = std::numbers::pi;
// In largest semi-axes; beyond it, the distance is that from the ball around the ellipsoid.
constexpr double kFar = 1e100;
constexpr int kMaxSteps = 100;  // of Newton's method, which needs about six
// Bounds for finding the root from the least axes: their part of the sum, and the root in units of the least
// semi-axis squared.
constexpr double kLeastRest = 1e-3, kNearDisc = 1e-2;

// The point of an ellipsoid about the origin that is nearest to q. q and the semi-axes a are in units of the
// largest semi-axis. With the root u of sum (a_k q_k / (u + gap_k))^2 = 1, gap_k = a_k^2 - (least a)^2, the
// nearest point is a_k^2 q_k / (u + gap_k).
template <class S, int kOrder>
struct NearestOnEllipsoid {
  using J = Jet<S, 3, kOrder>;
  J root;
  J term[3];  // q_k / (u + gap_k): along the normal

  // Extends the root's value to its derivatives by Newton's method on the sum: if derivatives are right up to
  // order n, a step makes them right up to order 2 n + 1.
  void from_sum(const Vec3<S>& a, const Vec3<S>& gap, const J (&q)[3]) {
    const S u = root.value;
    for (int order = 0; order < kOrder; order = 2 * order + 1) {
      J sum(S(-1)), slope;
      for (int k = 0; k < 3; ++k) {
        const J over = root + J(gap[k]), at = q[k] / over, square = (a[k] * a[k]) * (at * at);
        sum = sum + square;
        slope = slope - S(2) * (square / over);
      }
      root = root - sum / slope;
      root.value = u;
    }
    for (int k = 0; k < 3; ++k) term[k] = q[k] / (root + J(gap[k]));
  }

  // The same with u = N / sqrt(1 - sum of the other axes' squares), where N is the length of the vector a_k
  // q_k of the least axes: valid down to the flat disc between the foci, where u and these q_k are 0.
  void from_least_axes(const Vec3<S>& a, const Vec3<S>& gap, const J (&q)[3]) {
    int least[3], count = 0;
    for (int k = 0; k < 3; ++k)
      if (gap[k] == 0) least[count++] = k;
    const S axis = a[least[0]], u = root.value;
    const auto of = [&](int i) { return q[least[i]]; };
    const J N = axis * (count == 1   ? detail::length(of(0))
                        : count == 2 ? detail::length(of(0), of(1))
                                     : detail::length(of(0), of(1), of(2)));
    J rest(S(1));  // 1 - sum of the other axes' squares
    const auto look = [&] {
      J slope;  // half of the derivative of `rest` with respect to u
      rest = J(S(1));
      for (int k = 0; k < 3; ++k) {
        if (gap[k] == 0) continue;
        const J over = root + J(gap[k]), at = q[k] / over, square = (a[k] * a[k]) * (at * at);
        rest = rest - square;
        slope = slope + square / over;
      }
      return slope;
    };
    for (int order = 0; order < kOrder; order = 2 * order + 1) {
      const J slope = look(), found = N / sqrt(rest);
      root = root - (root - found) / (J(S(1)) + found / rest * slope);
      root.value = u;
    }
    look();
    const J size = (1 / axis) * sqrt(rest);
    for (int k = 0; k < 3; ++k)
      if (gap[k] != 0) term[k] = q[k] / (root + J(gap[k]));
    for (int i = 0; i < count; ++i) {
      const J straight(i == 0 ? std::copysign(S(1), of(0).value) : S(0));
      term[least[i]] = size * (count > 1 && N.value > 0 ? axis * of(i) / N : straight);
    }
  }
};

// Finds the greatest root u, starting from where the largest single term is 1.
template <class S>
S root_of(const Vec3<S>& a, const Vec3<S>& q, const Vec3<S>& gap) {
  S u = (a.cwiseProduct(q.cwiseAbs()) - gap).cwiseMax(S(0)).maxCoeff();
  for (int i = 0; i < kMaxSteps; ++i) {
    S sum = -1, slope = 0;
    for (int k = 0; k < 3; ++k) {
      const S over = u + gap[k], term = a[k] * q[k] / over;
      sum += term * term;
      slope -= 2 * term * term / over;
    }
    const S next = u - sum / slope;
    if (!(next > u)) break;
    u = next;
  }
  return u;
}

struct EllipsoidParts : detail::AxesParts<Shape, &Shape::semi_axes> {
  static constexpr std::string_view name = "ellipsoid", help = "semi-axes";

  // The area is in Legendre's form: cos phi = c / a, k^2 = (1 - c^2/b^2) / (1 - c^2/a^2).
  static Solid solid(const Shape& e) {
    std::array<double, 3> s{e.semi_axes.x(), e.semi_axes.y(), e.semi_axes.z()};
    std::sort(s.begin(), s.end(), std::greater<>());
    const auto [a, b, c] = s;
    const double volume = 4 * kPi / 3 * a * b * c;
    double area = 4 * kPi * a * a;
    if (c < a) {
      const double sine = std::sqrt((1 - c / a) * (1 + c / a)), phi = std::acos(c / a);
      const double k = std::min(1.0, std::sqrt((1 - c / b) * (1 + c / b)) / sine);
      const double F = k < 1 ? std::ellint_1(k, phi) : std::log((1 + sine) * a / c);
      area = 2 * kPi * (c * c + a * b / sine * (std::ellint_2(k, phi) * sine * sine + F * c * c / (a * a)));
    }
    return {volume, area, 0, volume / 5 * e.semi_axes.cwiseAbs2()};
  }
  static double round_radius(const Shape& e) { return e.semi_axes.maxCoeff(); }

  // The samples of a ball, stretched.
  static std::vector<SurfaceSample> samples(const Shape& e, double) {
    const Vec3<double>& a = e.semi_axes;
    const Sphere<double> ball{1};
    std::vector<SurfaceSample> result = kind_of(ball).samples(ball, std::sqrt(4 * kPi / kSampleCount));
    for (SurfaceSample& sample : result) {
      sample.normal = sample.normal.normalized().cwiseQuotient(a / a.minCoeff());
      sample.position = sample.position.cwiseProduct(a);
      sample.area *= sample.normal.norm();
    }
    return result;
  }
  static TriangleMesh triangles(const Shape& e, double deviation) {
    return detail::scaled(detail::unit_capsule(0, deviation), e.semi_axes);
  }
  static constexpr auto deepest = detail::centre_of<Shape>;

  // The point nearest to q is x_k = a_k^2 q_k / (t + a_k^2), where t is the greatest root of sum
  // (x_k / a_k)^2 = 1. As a function of u = t + (least a)^2 > 0 the sum is convex, and Newton's method,
  // started where one of its terms is 1, increases u monotonically.
  template <class S, int kOrder>
  static Jet<S, 3, kOrder> distance(const Shape& ellipsoid, const Jet<S, 3, kOrder>& x,
                                    const Jet<S, 3, kOrder>& y, const Jet<S, 3, kOrder>& z) {
    using J = Jet<S, 3, kOrder>;
    const S unit = S(ellipsoid.semi_axes.maxCoeff());
    Vec3<S> a = ellipsoid.semi_axes.cast<S>() / unit;
    J q[3] = {x * (1 / unit), y * (1 / unit), z * (1 / unit)};
    const S far = std::hypot(q[0].value, q[1].value, q[2].value);
    if (far > S(kFar)) return detail::length(x, y, z) - J(unit);
    int least;
    a.minCoeff(&least);
    Vec3<S> gap, at(q[0].value, q[1].value, q[2].value);
    // Moves the point off the plane of symmetry across the least axis, by less than a distance's rounding.
    const S off = a[least] * std::numeric_limits<S>::epsilon() / 16;
    if (!(std::abs(at[least]) > off)) at[least] = std::copysign(off, at[least]);
    for (int k = 0; k < 3; ++k) gap[k] = (a[k] - a[least]) * (a[k] + a[least]);
    const S u = root_of(a, at, gap);
    S rest = 1;
    for (int k = 0; k < 3; ++k)
      if (const S term = a[k] * at[k] / (u + gap[k]); gap[k] != 0) rest -= term * term;
    NearestOnEllipsoid<S, kOrder> nearest{J(u), {}};
    if (rest > S(kLeastRest) && u < S(kNearDisc) * a[least] * a[least]) {
      nearest.from_least_axes(a, gap, q);
    } else {
      q[least].value = at[least];
      nearest.from_sum(a, gap, q);
    }
    J(&normal)[3] = nearest.term;
    J length2;
    for (int k = 0; k < 3; ++k) length2 = length2 + normal[k] * normal[k];
    const J norm = sqrt(length2);
    J distance(unit * (nearest.root.value - a[least] * a[least]) * norm.value);
    for (int k = 0; k < J::kFirst; ++k) {  // of the unit normal, which is the gradient
      normal[k] = normal[k] / norm;
      distance.first[k] = normal[k].value;
    }
    J::for_second([&](int m, int i, int j) { distance.second[m] = normal[i].first[j]; });
    J::for_third([&](int m, int i, int j, int k) { distance.third[m] = normal[i].second[J::at(j, k)]; });
    return distance;
  }
};

}  // namespace

template <>
const PrimitiveKind<Shape>& kind<Shape>() {
  static constexpr PrimitiveKind<Shape> of = detail::kind_of_parts<Shape, EllipsoidParts>();
  return of;
}

}  // namespace abut::body
