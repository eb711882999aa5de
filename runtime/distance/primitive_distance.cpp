#include "runtime/distance/primitive_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/math/jet.h"

namespace abut::distance {

namespace {

// Square root of a sum of squares; where all of them are 0 the slope is that of the first.
template <class J, class... Js>
J length(const J& a, const Js&... more) {
  using std::hypot, std::sqrt;
  if constexpr (J::kFirst == 0) {
    if constexpr (sizeof...(Js) == 0)
      return J(std::abs(a.value));
    else
      return J(hypot(a.value, more.value...));
  } else {
    const J square = ((a * a) + ... + (more * more));
    if (square.value > 0) return sqrt(square);
    J straight;
    straight.first = a.first;
    return straight;
  }
}

// The nearest point of an ellipsoid about the origin, q and its semi-axes a in units of the largest: with the
// root u of sum (a_k q_k / (u + gap_k))^2 = 1, gap_k = a_k^2 - (least a)^2, it is a_k^2 q_k / (u + gap_k).
template <class S, int kOrder>
struct NearestOnEllipsoid {
  using J = Jet<S, 3, kOrder>;
  J root;
  J term[3];  // q_k / (u + gap_k): along the normal

  // Newton's method on the sum, from the root's value: a step doubles the order of what is right, and one
  // more.
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

  // The same of u = N / sqrt(1 - sum of the other axes' squares), N the length of a_k q_k of the least axes:
  // up to the flat disc between the foci, where u and these q_k are 0.
  void from_least_axes(const Vec3<S>& a, const Vec3<S>& gap, const J (&q)[3]) {
    int least[3], count = 0;
    for (int k = 0; k < 3; ++k)
      if (gap[k] == 0) least[count++] = k;
    const S axis = a[least[0]], u = root.value;
    const auto of = [&](int i) { return q[least[i]]; };
    const J N = axis * (count == 1   ? length(of(0))
                        : count == 2 ? length(of(0), of(1))
                                     : length(of(0), of(1), of(2)));
    J rest(S(1));  // 1 - sum of the others' squares
    const auto look = [&] {
      J slope;  // half of the rest's by u
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

// Distances as functions of a point whose coordinates are jets.
template <class S, int kOrder>
struct Distance {
  using J = Jet<S, 3, kOrder>;
  J x, y, z;

  J operator()(const body::Sphere<double>& s) const { return length(x, y, z) - J(S(s.radius)); }

  J operator()(const body::Capsule<double>& c) const {
    const S h = S(c.half_length);
    const J core = std::abs(z.value) > h ? length(x, y, z - J(z.value > 0 ? h : -h)) : aside();
    return core - J(S(c.radius));
  }

  J operator()(const body::HalfSpace<double>&) const { return z; }

  J operator()(const body::Box<double>& b) const {
    const J over[3] = {above(x, S(b.half.x())), above(y, S(b.half.y())), above(z, S(b.half.z()))};
    J sum = over[0];
    for (int k = 1; k < 3; ++k) sum = corner(sum, over[k]);
    return sum;
  }

  J operator()(const body::Cylinder<double>& c) const {
    return corner(aside() - J(S(c.radius)), above(z, S(c.half_length)));
  }

  // In the plane of the point and the axis: the slope from the rim (radius, -h) to the apex (0, h), and the
  // disc below.
  J operator()(const body::Cone<double>& c) const {
    const S h = S(c.half_length), R = S(c.radius), slant = std::hypot(R, 2 * h);
    const J rho = aside(), disc = -z - J(h);
    const J slope = (2 * h / slant) * rho + (R / slant) * (z - J(h));
    const S along = (R * (R - rho.value) + 2 * h * (z.value + h)) / slant;  // from the rim
    if (slope.value <= 0 && disc.value <= 0) return slope.value > disc.value ? slope : disc;
    if (disc.value > 0 && rho.value <= R) return disc;
    if (along >= slant) return length(x, y, z - J(h));
    return along >= 0 && slope.value > 0 ? slope : length(rho - J(R), z + J(h));
  }

  // The nearest point is x_k = a_k^2 y_k / (t + a_k^2), t the greatest root of sum (x_k / a_k)^2 = 1; with u
  // = t + (least a)^2 > 0 the sum is convex, and Newton's method from where one of its terms is 1 climbs.
  J operator()(const body::Ellipsoid<double>& e) const {
    const S unit = S(e.semi_axes.maxCoeff());
    Vec3<S> a = e.semi_axes.cast<S>() / unit;
    J q[3] = {x * (1 / unit), y * (1 / unit), z * (1 / unit)};
    const S far = std::hypot(q[0].value, q[1].value, q[2].value);
    if (kOrder == 0 && far > S(kFar)) return J(unit * (far - 1));
    int least;
    a.minCoeff(&least);
    Vec3<S> gap, at(q[0].value, q[1].value, q[2].value);
    // Off the plane between the two halves by what rounding does to a distance anyway.
    const S off = a[least] * std::numeric_limits<S>::epsilon() / 16;
    if (!(std::abs(at[least]) > off)) at[least] = std::copysign(off, at[least]);
    for (int k = 0; k < 3; ++k) gap[k] = (a[k] - a[least]) * (a[k] + a[least]);
    const S u = root_of(a, at, gap);
    S rest = 1;
    for (int k = 0; k < 3; ++k)
      if (const S term = a[k] * at[k] / (u + gap[k]); gap[k] != 0) rest -= term * term;
    NearestOnEllipsoid<S, kOrder> nearest{J(u), {}};
    if (rest > S(kLeastRest) && u < S(kNearDisc) * a[least] * a[least])
      nearest.from_least_axes(a, gap, q);
    else
      nearest.from_sum(a, gap, q);
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

 private:
  static constexpr double kFar = 1e100;  // largest semi-axes: the distance is that from a ball
  static constexpr int kMaxSteps = 100;  // of Newton's method, which takes about six
  // Where the least axes find the root: their part of the sum, and the root, in their squares.
  static constexpr double kLeastRest = 1e-3, kNearDisc = 1e-2;

  // The greatest root u, from where one of the terms is 1.
  static S root_of(const Vec3<S>& a, const Vec3<S>& q, const Vec3<S>& gap) {
    S u = 0;
    for (int k = 0; k < 3; ++k) u = std::max(u, a[k] * std::abs(q[k]) - gap[k]);
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

  J aside() const { return length(x, y); }

  // |c| - half.
  static J above(const J& c, S half) { return (c.value < 0 ? -c : c) - J(half); }

  // Of a convex corner with these distances from the two sides.
  static J corner(const J& a, const J& b) {
    if (a.value > 0 && b.value > 0) return length(a, b);
    return a.value > b.value ? a : b;
  }
};

template <class S, int kOrder>
PrimitiveDistance<S> of_order(const body::Primitive& primitive, const Vec3<S>& p_Q) {
  using J = Jet<S, 3, kOrder>;
  const Distance<S, kOrder> distance{J::parameter(p_Q.x(), 0), J::parameter(p_Q.y(), 1),
                                     J::parameter(p_Q.z(), 2)};
  const J d = std::visit(distance, primitive);
  PrimitiveDistance<S> result{d.value, Vec3<S>::Zero(), Mat3<S>::Zero(), {}};
  for (Mat3<S>& slice : result.third) slice.setZero();
  if constexpr (kOrder > 0) result.gradient = d.gradient();
  J::for_second([&](int m, int i, int j) { result.hessian(i, j) = result.hessian(j, i) = d.second[m]; });
  J::for_third([&](int m, int i, int j, int k) {
    const auto put = [&](int slice, int row, int column) {
      result.third[slice](row, column) = result.third[slice](column, row) = d.third[m];
    };
    put(i, j, k), put(j, i, k), put(k, i, j);
  });
  return result;
}

}  // namespace

template <class S>
PrimitiveDistance<S> primitive_distance(const body::Primitive& primitive, const Vec3<S>& p_Q, int order) {
  switch (order) {
    case 0:
      return of_order<S, 0>(primitive, p_Q);
    case 1:
      return of_order<S, 1>(primitive, p_Q);
    case 2:
      return of_order<S, 2>(primitive, p_Q);
    default:
      return of_order<S, 3>(primitive, p_Q);
  }
}

template PrimitiveDistance<double> primitive_distance(const body::Primitive&, const Vec3<double>&, int);
template PrimitiveDistance<long double> primitive_distance(const body::Primitive&, const Vec3<long double>&,
                                                           int);

}  // namespace abut::distance
