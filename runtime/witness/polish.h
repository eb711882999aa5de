#pragma once

#include <type_traits>

#include "runtime/witness/simplex.h"
#include "runtime/witness/witness.h"

// Newton's method on the unit normal, for pairs with at least one curved core. GJK and the expanding
// polytope come close to the solution of such a pair, but only approach it in the limit.
//
// The signed distance is the maximum of g(n) = <n, x2(n) - x1(n)> over the unit sphere, x1(n) and x2(n)
// being the support points of A and B. The gradient on the sphere is P (x2 - x1), P = I - n n', and the
// Hessian is -(d I + H_D) with H_D = P (H_A(n) + R H_B R') P and the signed distance d = g(n). Hence the
// step dn solves
//     (d I + H_D) dn = P (x2 - x1).
// If the other core is a polytope and the witness lies on an edge or a face of it, its support Hessian is
// infinite along that feature: n is held orthogonal to the feature, and the step is taken in the rest of the
// tangent plane. An active set finds the vertices that form the feature: one with negative weight leaves,
// one below the feature's plane enters.
namespace abut::witness {

// Vertices of a polytope's core that carry its witness point, in frame A.
template <class S>
struct Feature {
  int size = 0;
  std::int32_t index[3] = {-1, -1, -1};
  Vec3<S> point[3];
  S weight[3] = {0, 0, 0};

  bool has(std::int32_t i) const {
    for (int k = 0; k < size; ++k) {
      if (index[k] == i) return true;
    }
    return false;
  }
  void add(std::int32_t i, const Vec3<S>& p) {
    index[size] = i;
    point[size++] = p;
  }
};

template <class S, class D>
class Polish {
 public:
  explicit Polish(D& difference)
      : difference_(difference),
        polytope_A_(!curved(difference.shape_a())),
        polytope_B_(!curved(difference.shape_b())) {}

  // Moves a witness of the cores to the nearby maximum of g. The upper bound becomes at most the distance of
  // the two witness points, which lie in the cores. Leaves the witness unchanged if g falls, or if the
  // feature does not carry the point: on a face with more than three vertices another triangle may carry it.
  void run(Witness<S>& result) {
    Feature<S> feature = feature_of(result);
    Vec3<S> n = result.n;
    bool converged = false;
    for (int round = 0; round < 12 && !converged; ++round) {
      if (!maximise(feature, n)) return;
      converged = update(feature, n);
    }
    if (!converged) return;
    const DifferenceVertex<S> low = difference_.minimise(n);
    const S g = n.dot(low.w);
    if (g < result.lower_bound - difference_.rounding()) return;
    const DifferenceVertex<S> pair = on_feature(low, carried(feature));
    if ((pair.w - g * n).norm() > 64 * difference_.rounding()) return;
    result.n = n;
    result.distance = g;
    result.lower_bound = g;
    result.upper_bound = std::min(result.upper_bound, pair.w.norm());
    place(pair, feature, result);
  }

 private:
  Feature<S> feature_of(const Witness<S>& result) const {
    Feature<S> feature;
    if (polytope_A_ || polytope_B_) {
      const std::int32_t* index = polytope_A_ ? result.vertex_A : result.vertex_B;
      for (int k = 0; k < result.simplex_size; ++k) {
        if (!feature.has(index[k])) feature.add(index[k], vertex(index[k]));
      }
    }
    return feature;
  }

  Vec3<S> vertex(std::int32_t i) const {
    if (polytope_A_) return core_vertex(difference_.shape_a(), i);
    if (polytope_B_) return difference_.pose() * core_vertex(difference_.shape_b(), i);
    return Vec3<S>::Zero();
  }

  static Vec3<S> carried(const Feature<S>& feature) {
    Vec3<S> p = Vec3<S>::Zero();
    for (int k = 0; k < feature.size; ++k) p += feature.weight[k] * feature.point[k];
    return p;
  }

  // Returns the pair with the polytope's point replaced by `p`.
  DifferenceVertex<S> on_feature(DifferenceVertex<S> pair, const Vec3<S>& p) const {
    if (polytope_A_)
      pair.x1 = p;
    else if (polytope_B_)
      pair.x2 = p;
    pair.w = pair.x2 - pair.x1;
    return pair;
  }

  // Projects n onto the directions that the feature allows, and spans the rest of its tangent plane by T.
  // Returns the number of columns of T in use, -1 if the feature is degenerate.
  static int allow(const Feature<S>& feature, Vec3<S>& n, Vec3<S> (&T)[2]) {
    constexpr S kTiny = std::numeric_limits<S>::epsilon();
    if (feature.size == 3) {
      const Vec3<S> e = feature.point[1] - feature.point[0], f = feature.point[2] - feature.point[0];
      const Vec3<S> normal = e.cross(f);
      if (!(normal.norm() > kTiny * e.norm() * f.norm())) return -1;
      n = normal.normalized() * (normal.dot(n) < 0 ? S(-1) : S(1));
      return 0;
    }
    if (feature.size == 2) {
      const Vec3<S> e = (feature.point[1] - feature.point[0]).normalized();
      const Vec3<S> left = n - n.dot(e) * e;
      if (!(left.norm() > kTiny)) return -1;
      n = left.normalized();
      T[0] = n.cross(e);
      return 1;
    }
    n.normalize();
    T[0] = n.unitOrthogonal();
    T[1] = n.cross(T[0]);
    return 2;
  }

  // Newton's iteration with the feature fixed. Returns false if it does not apply.
  bool maximise(const Feature<S>& feature, Vec3<S>& n) {
    Vec3<S> best = n, T[2];
    S best_residual = std::numeric_limits<S>::infinity();
    int failures = 0;
    for (int i = 0; i < 60 && failures < 3; ++i) {
      const int free = allow(feature, n, T);
      if (free < 0) return false;
      if (free == 0) return true;
      const Vec3<S> p = feature.size > 0 ? feature.point[0] : Vec3<S>::Zero();
      const Vec3<S> w = on_feature(difference_.minimise(n), p).w;
      S r[2] = {T[0].dot(w), free == 2 ? T[1].dot(w) : S(0)};
      const S residual = std::hypot(r[0], r[1]);
      if (residual < best_residual) {
        best_residual = residual;
        best = n;
      } else {
        ++failures;
      }
      if (!(residual > 0)) break;
      n = (n + step(n, T, free, r, n.dot(w))).normalized();
    }
    n = best;
    allow(feature, n, T);
    return std::isfinite(best_residual);
  }

  // Solves (d I + H_D) dn = r in the columns of T. Where an eigenvalue is not positive there is no maximum:
  // all are then lifted.
  Vec3<S> step(const Vec3<S>& n, const Vec3<S> (&T)[2], int free, const S (&r)[2], S d) const {
    const Mat3<S>& R = difference_.pose().R;
    const Mat3<S> H =
        core_hessian<S>(difference_.shape_a(), n) +
        R * core_hessian<S>(difference_.shape_b(), Vec3<S>(-(R.transpose() * n))) * R.transpose();
    S a = d + T[0].dot(H * T[0]);
    const S floor = S(1e-9) * (std::abs(d) + H.trace());
    if (free == 1) return T[0] * (r[0] / std::max(a, floor));
    const S b = T[0].dot(H * T[1]);
    S c = d + T[1].dot(H * T[1]);
    const S lowest = (a + c) / 2 - std::hypot((a - c) / 2, b);
    const S lift = std::max(S(0), floor - lowest);
    a += lift;
    c += lift;
    const S det = a * c - b * b;
    return (T[0] * (c * r[0] - b * r[1]) + T[1] * (a * r[1] - b * r[0])) / det;
  }

  // Computes the feature's weights for the witness point opposite the curved core, and changes the feature
  // where n requires it. Returns true if there is no change.
  bool update(Feature<S>& feature, const Vec3<S>& n) {
    if (!polytope_A_ && !polytope_B_) return true;
    const DifferenceVertex<S> low = difference_.minimise(n);
    const std::int32_t index = polytope_A_ ? low.a : low.b;
    const S g = n.dot(on_feature(low, feature.point[0]).w);
    const bool enters = n.dot(low.w) < g - difference_.rounding() && !feature.has(index);
    const Vec3<S> target = polytope_A_ ? Vec3<S>(low.x2 - g * n) : Vec3<S>(low.x1 + g * n);
    const int size = feature.size;
    weigh(feature, target);
    if (!enters) return feature.size == size;
    if (feature.size == 3) return false;
    feature.add(index, vertex(index));
    return false;
  }

  // Sets the weights to those of the feature's closest point to `target`; vertices without weight leave.
  static void weigh(Feature<S>& feature, const Vec3<S>& target) {
    ClosestPoint<S> on{Vec3<S>::Zero(), {1, 0, 0, 0}, 1};
    const auto at = [&](int k) { return Vec3<S>(feature.point[k] - target); };
    if (feature.size == 2) on = closest_on_segment<S>(at(0), at(1));
    if (feature.size == 3) on = closest_on_triangle<S>(at(0), at(1), at(2));
    int kept = 0;
    for (int k = 0; k < feature.size; ++k) {
      if (!(on.kept >> k & 1)) continue;
      feature.index[kept] = feature.index[k];
      feature.point[kept] = feature.point[k];
      feature.weight[kept++] = on.weight[k];
    }
    feature.size = kept;
  }

  void place(const DifferenceVertex<S>& pair, const Feature<S>& feature, Witness<S>& result) const {
    result.simplex_size = std::max(feature.size, 1);
    for (int k = 0; k < 3; ++k) {
      result.vertex_A[k] = polytope_A_ ? feature.index[k] : -1;
      result.vertex_B[k] = polytope_B_ ? feature.index[k] : -1;
      result.weight[k] = feature.size > 0 ? (k < feature.size ? feature.weight[k] : S(0)) : S(k == 0);
    }
    const Vec3<S> sum = pair.x1 + pair.x2;
    result.p1 = (sum - result.distance * result.n) / 2;
    result.p2 = (sum + result.distance * result.n) / 2;
  }

  D& difference_;
  bool polytope_A_, polytope_B_;  // at most one of them is true
};

}  // namespace abut::witness
