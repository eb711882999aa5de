#pragma once

#include "runtime/witness/rims.h"
#include "runtime/witness/simplex.h"
#include "runtime/witness/witness.h"

// The last steps to an answer where a core is the hull of two rims (cylinder, cone): what Polish (polish.h)
// does for smooth cores.
//
// A support point on a rim depends on n through the azimuth u of n alone, ever faster as n nears the axis: so
// u is an unknown of its own, and Newton's method solves the conditions of optimality for all unknowns
// together,
//     P (x2 - x1) = 0          x_i = sum over the body's features of weight times point
//     n . du = 0               for each body with rims: u lies along n
//     n . (point_k - point_0) = 0  for each further feature: all are support points
// A body's features are vertices (polytope), the two rim points at u (cylinder: its side; cone: its slope),
// or the one support point of a smooth core. One with negative weight leaves, one beyond the others enters.
// Parallel edges, sides and faces leave weights undetermined: the least change is made.
//
// Discs, where n is the axis, are tried first: n is then known, and what is asked for is a point that the
// faces of the two bodies have in common.
namespace abut::witness {

// What carries the witness point of one body, posed by X in frame A.
template <class S, class Shape>
class Patch {
 public:
  static constexpr bool kRims = kHasRims<Shape>;
  static constexpr bool kSmooth = kCurved<Shape> && !kRims;

  Patch(const Shape& shape, const Pose<S>& X, const std::int32_t* index, int count, const S* weight,
        const Vec3<S>& near, const Vec3<S>& outward)
      : shape_(&shape), X_(X) {
    for (int k = 0; k < count; ++k) add(kSmooth ? 0 : index[k], weight[k]);
    if constexpr (kRims) aim(near, outward);
  }

  int size() const { return size_; }
  std::int32_t index(int k) const { return index_[k]; }
  S weight(int k) const { return weight_[k]; }
  Vec3<S> axis() const { return X_.R.col(2); }
  const Vec3<S>& azimuth() const { return u_; }
  Vec3<S> along_rim() const { return axis().cross(u_); }

  // Point of feature k where `outward` is the body's outward normal.
  Vec3<S> point(int k, const Vec3<S>& outward) const {
    if constexpr (kSmooth)
      return X_ * core_support<S>(*shape_, X_.R.transpose() * outward).point;
    else if constexpr (kRims)
      return centre(index_[k]) + rim<S>(*shape_, index_[k]).radius * u_;
    else
      return X_ * core_vertex<S>(*shape_, index_[k]);
  }

  Vec3<S> carried(const Vec3<S>& outward) const {
    Vec3<S> p = Vec3<S>::Zero();
    for (int k = 0; k < size_; ++k) p += weight_[k] * point(k, outward);
    return p;
  }

  // Support Hessian of a smooth core, in frame A.
  Mat3<S> hessian(const Vec3<S>& outward) const {
    if constexpr (!kSmooth)
      return Mat3<S>::Zero();
    else
      return X_.R * core_hessian<S>(*shape_, Vec3<S>(X_.R.transpose() * outward)) * X_.R.transpose();
  }

  // Radius on which the carried point moves with u; zero without rims.
  S radius() const {
    S r = 0;
    if constexpr (kRims) {
      for (int k = 0; k < size_; ++k) r += weight_[k] * rim<S>(*shape_, index_[k]).radius;
    }
    return r;
  }

  void turn(S angle) { u_ = (u_ + angle * along_rim()).normalized(); }
  void shift_weight(int k, S change) {
    weight_[k] += change;
    weight_[0] -= change;
  }

  bool has(std::int32_t index) const {
    for (int k = 0; k < size_; ++k) {
      if (index_[k] == index) return true;
    }
    return false;
  }

  // Adds weight to a feature, new or not. False if there is no room.
  bool add(std::int32_t index, S weight) {
    int k = 0;
    while (k < size_ && index_[k] != index) ++k;
    if (k == 3) return false;
    if (k == size_) {
      index_[size_] = index;
      weight_[size_++] = 0;
    }
    weight_[k] += weight;
    return true;
  }

  // Drops the feature of least weight if that is negative; false if none is.
  bool drop() {
    int least = 0;
    for (int k = 1; k < size_; ++k) {
      if (weight_[k] < weight_[least]) least = k;
    }
    if (!(weight_[least] < -4 * std::numeric_limits<S>::epsilon()) || size_ == 1) return false;
    --size_;
    S sum = 0;
    for (int k = 0; k < size_; ++k) {
      if (k >= least) {
        index_[k] = index_[k + 1];
        weight_[k] = weight_[k + 1];
      }
      weight_[k] = std::max(S(0), weight_[k]);
      sum += weight_[k];
    }
    for (int k = 0; k < size_; ++k) weight_[k] = sum > 0 ? weight_[k] / sum : S(k == 0);
    return true;
  }

  // Along the outward normal if u points inwards: true if it did.
  bool face_outwards(const Vec3<S>& outward) {
    if (!kRims || !(outward.dot(u_) < 0)) return false;
    u_ = -u_;
    return true;
  }

  // Points of the face whose outward normal is `outward`, within `rounding`: the one nearest to q. Of a
  // polytope's face the part between the features is looked at.
  Vec3<S> on_face(const Vec3<S>& q, const Vec3<S>& outward, S rounding) {
    if constexpr (kSmooth)
      return point(0, outward);
    else if constexpr (kRims)
      return on_disc_or_side(q, outward, rounding);
    else
      return on_facet(q, outward, rounding);
  }

  // Whether there is a disc whose outward normal is within 0.1 rad of `outward`; if so its exact normal.
  bool disc(const Vec3<S>& outward, Vec3<S>& normal) const {
    if constexpr (kRims) {
      const S along = axis().dot(outward);
      normal = along < 0 ? Vec3<S>(-axis()) : axis();
      return std::abs(along) > S(0.995) && rim<S>(*shape_, along < 0 ? 1 : 0).radius > 0;
    }
    return false;
  }

 private:
  Vec3<S> centre(std::int32_t i) const { return X_ * Vec3<S>(0, 0, rim<S>(*shape_, i).z); }

  // The azimuth of the witness point, or of the normal where the point is on the axis.
  void aim(const Vec3<S>& near, const Vec3<S>& outward) {
    const auto across = [&](const Vec3<S>& e) { return Vec3<S>(e - axis().dot(e) * axis()); };
    const Vec3<S> by_point = across(near - X_.p), by_normal = across(outward);
    const S least = S(0.1) * std::max(rim<S>(*shape_, 0).radius, rim<S>(*shape_, 1).radius);
    u_ = by_point.norm() > least ? by_point.normalized()
         : by_normal.norm() > 0  ? by_normal.normalized()
                                 : Vec3<S>(X_.R.col(0));
  }

  Vec3<S> on_disc_or_side(const Vec3<S>& q, const Vec3<S>& outward, S rounding) const {
    const Vec3<S> e = X_.R.transpose() * outward;
    const S across = std::hypot(e.x(), e.y());
    if (across <= 8 * std::numeric_limits<S>::epsilon()) {
      const Rim<S> disc = rim<S>(*shape_, e.z() > 0 ? 0 : 1);
      Vec3<S> p = X_.R.transpose() * (q - X_.p);
      const S r = std::hypot(p.x(), p.y());
      if (r > disc.radius) p *= disc.radius / r;
      p.z() = disc.z;
      return X_ * p;
    }
    Vec3<S> p[2];
    for (int i = 0; i < 2; ++i) {
      const Rim<S> at = rim<S>(*shape_, i);
      p[i] = {at.radius * e.x() / across, at.radius * e.y() / across, at.z};
    }
    const S step = e.dot(p[0] - p[1]);
    if (std::abs(step) > rounding) return X_ * p[step > 0 ? 0 : 1];
    return q + closest_on_segment<S>(X_ * p[0] - q, X_ * p[1] - q).v;
  }

  Vec3<S> on_facet(const Vec3<S>& q, const Vec3<S>& outward, S rounding) {
    const SupportPoint<S> top = core_support<S>(*shape_, Vec3<S>(X_.R.transpose() * outward));
    const S height = outward.dot(X_ * top.point);
    int kept = 0;
    for (int k = 0; k < size_; ++k) {
      if (outward.dot(point(k, outward)) >= height - rounding) index_[kept++] = index_[k];
    }
    size_ = kept;
    if (size_ == 0) add(top.index, 0);
    const auto at = [&](int k) { return Vec3<S>(point(k, outward) - q); };
    ClosestPoint<S> on{at(0), {1, 0, 0, 0}, 1};
    if (size_ == 2) on = closest_on_segment<S>(at(0), at(1));
    if (size_ == 3) on = closest_on_triangle<S>(at(0), at(1), at(2));
    for (int k = 0; k < size_; ++k) weight_[k] = on.weight[k];
    return q + on.v;
  }

  const Shape* shape_;
  Pose<S> X_;
  int size_ = 0;
  std::int32_t index_[3] = {-1, -1, -1};
  S weight_[3] = {0, 0, 0};
  Vec3<S> u_ = Vec3<S>::Zero();  // azimuth of the rim points, unit, orthogonal to the axis
};

// The shortest x of those that solve M x = r, or come nearest to it.
template <class S>
[[gnu::noinline]] Eigen::Matrix<S, 8, 1> least_change(const Eigen::Matrix<S, 8, 8>& M,
                                                      const Eigen::Matrix<S, 8, 1>& r) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<S, 8, 8>> solver;
  solver.setThreshold(4096 * std::numeric_limits<S>::epsilon());
  solver.compute(M);
  return solver.solve(r);
}

template <class S, class D>
class RimPolish {
 public:
  explicit RimPolish(D& difference) : difference_(difference) {}

  // Moves an answer about the cores to the maximum of g next to it; leaves it as it is if that fails or g
  // falls. The upper bound gains the distance of the two witness points, which lie in the cores.
  void run(Witness<S>& result) {
    floor_ = result.lower_bound - difference_.rounding();
    PatchA A(difference_.shape_a(), Pose<S>{}, result.vertex_A, result.simplex_size, result.weight, result.p1,
             result.n);
    PatchB B(difference_.shape_b(), difference_.pose(), result.vertex_B, result.simplex_size, result.weight,
             result.p2, -result.n);
    Vec3<S> n;
    if (A.disc(result.n, n) && flat(PatchA(A), PatchB(B), n, result)) return;
    if (B.disc(-result.n, n) && flat(PatchA(A), PatchB(B), -n, result)) return;
    n = result.n;
    for (int round = 0; round < 12; ++round) {
      if (!solve(A, B, n)) return;
      if (!settle(A, B, n)) continue;
      accept(A, B, A.carried(n), B.carried(-n), n, result);
      return;
    }
  }

 private:
  using PatchA = Patch<S, std::remove_cvref_t<decltype(std::declval<D>().shape_a())>>;
  using PatchB = Patch<S, std::remove_cvref_t<decltype(std::declval<D>().shape_b())>>;
  // Unknowns: turn of n in its tangent plane, shift along each rim, changes of the further weights.
  using Matrix = Eigen::Matrix<S, 8, 8>;
  using Vector = Eigen::Matrix<S, 8, 1>;
  struct System {
    Matrix M;
    Vector r;
  };

  // A point common to the two faces that n supports, by projecting from one onto the other.
  bool flat(PatchA A, PatchB B, const Vec3<S>& n, Witness<S>& result) {
    const S rounding = difference_.rounding(), d = n.dot(difference_.minimise(n).w);
    Vec3<S> x1 = result.p1, x2 = result.p2;
    for (int i = 0; i < 100; ++i) {
      x1 = A.on_face(x2 - d * n, n, rounding);
      x2 = B.on_face(x1 + d * n, -n, rounding);
      if ((x2 - x1 - d * n).norm() <= rounding) return accept(A, B, x1, x2, n, result);
    }
    return false;
  }

  // Newton's method with the features fixed, from (A, B, n) to the best iterate. False if it is of no use.
  bool solve(PatchA& A, PatchB& B, Vec3<S>& n) {
    PatchA best_A = A;
    PatchB best_B = B;
    Vec3<S> best = n;
    S least = std::numeric_limits<S>::infinity();
    for (int failures = 0; failures < 3 && steps_ < kMostSteps; ++steps_) {
      const Mat32 T = tangents(n);
      const System system = linearise(A, B, n, T);
      const S residual = system.r.norm();
      if (!std::isfinite(residual)) break;
      if (residual < least) {
        least = residual;
        best_A = A;
        best_B = B;
        best = n;
      } else {
        ++failures;
      }
      if (!(residual > 0)) break;
      const Vector x = least_change<S>(system.M, system.r);
      n = (n + T * x.template head<2>()).normalized();
      turn(A, x[2]);
      turn(B, x[3]);
      for (int k = 1; k < A.size(); ++k) A.shift_weight(k, x[3 + k]);
      for (int k = 1; k < B.size(); ++k) B.shift_weight(k, x[5 + k]);
    }
    A = best_A;
    B = best_B;
    n = best;
    return std::isfinite(least);
  }

  using Mat32 = Eigen::Matrix<S, 3, 2>;
  static Mat32 tangents(const Vec3<S>& n) {
    Mat32 T;
    T.col(0) = n.unitOrthogonal();
    T.col(1) = n.cross(T.col(0));
    return T;
  }

  // `shift`: along the rim, in units of the pair's size.
  template <class P>
  void turn(P& patch, S shift) const {
    const S radius = patch.radius();
    if (!(radius > 0)) return;
    patch.turn(std::clamp(shift * difference_.magnitude() / radius, S(-0.5), S(0.5)));
  }

  // The conditions and their derivatives. Lengths in units of the largest coordinate, so that entries
  // compare.
  System linearise(const PatchA& A, const PatchB& B, const Vec3<S>& n, const Mat32& T) const {
    const S unit = 1 / difference_.magnitude();
    const Vec3<S> w = B.carried(-n) - A.carried(n);
    System system{Matrix::Identity(), Vector::Zero()};
    system.M.template topLeftCorner<2, 2>() = unit * (n.dot(w) * Eigen::Matrix<S, 2, 2>::Identity() +
                                                      T.transpose() * (A.hessian(n) + B.hessian(-n)) * T);
    system.r.template head<2>() = unit * (T.transpose() * w);
    add_body(A, n, n, T, S(1), 2, 4, system);
    add_body(B, n, Vec3<S>(-n), T, S(-1), 3, 6, system);
    return system;
  }

  // The unknowns of one body: `sign` is that of its point in -(x2 - x1), `rim_row` and `weight_row` their
  // places.
  template <class P>
  void add_body(const P& patch, const Vec3<S>& n, const Vec3<S>& outward, const Mat32& T, S sign, int rim_row,
                int weight_row, System& system) const {
    const S unit = 1 / difference_.magnitude();
    const S radius = unit * patch.radius();
    if (radius > std::numeric_limits<S>::epsilon()) {
      const Vec3<S> t = patch.along_rim();
      const Eigen::Matrix<S, 2, 1> c = T.transpose() * t;
      system.M.template block<2, 1>(0, rim_row) = sign * c;
      system.M.template block<1, 2>(rim_row, 0) = -c.transpose();
      system.M(rim_row, rim_row) = n.dot(patch.azimuth()) / radius;
      system.r[rim_row] = n.dot(t);
    }
    for (int k = 1; k < patch.size(); ++k) {
      const Vec3<S> e = unit * (patch.point(k, outward) - patch.point(0, outward));
      const Eigen::Matrix<S, 2, 1> c = T.transpose() * e;
      const int row = weight_row + k - 1;
      system.M.template block<2, 1>(0, row) = sign * c;
      system.M.template block<1, 2>(row, 0) = c.transpose();
      system.M(row, row) = 0;
      system.r[row] = -n.dot(e);
    }
  }

  // The changes of features that a solution asks for. True if there are none.
  bool settle(PatchA& A, PatchB& B, const Vec3<S>& n) {
    if (A.drop() || B.drop() || A.face_outwards(n) || B.face_outwards(-n)) return false;
    const DifferenceVertex<S> low = difference_.minimise(n);
    const S rounding = difference_.rounding();
    if (n.dot(low.x1 - A.point(0, n)) > rounding && !A.has(low.a)) {
      A.add(low.a, 0);
      return false;
    }
    if (n.dot(B.point(0, -n) - low.x2) > rounding && !B.has(low.b)) {
      B.add(low.b, 0);
      return false;
    }
    return true;
  }

  bool accept(const PatchA& A, const PatchB& B, const Vec3<S>& x1, const Vec3<S>& x2, const Vec3<S>& n,
              Witness<S>& result) {
    const S g = n.dot(difference_.minimise(n).w), rounding = difference_.rounding();
    if (g < floor_ || (x2 - x1 - g * n).norm() > 64 * rounding) return false;
    result.n = n;
    result.distance = result.lower_bound = g;
    result.upper_bound = std::min(result.upper_bound, (x2 - x1).norm());
    result.p1 = (x1 + x2 - g * n) / 2;
    result.p2 = (x1 + x2 + g * n) / 2;
    name_vertices(A, B, result);
    return true;
  }

  // At most one of the two bodies is a polytope: its vertices and weights are the witness's.
  static void name_vertices(const PatchA& A, const PatchB& B, Witness<S>& result) {
    constexpr bool kPolytopeA = !PatchA::kRims && !PatchA::kSmooth;
    constexpr bool kPolytopeB = !PatchB::kRims && !PatchB::kSmooth;
    result.simplex_size = kPolytopeA ? A.size() : kPolytopeB ? B.size() : 1;
    for (int k = 0; k < 3; ++k) {
      const bool used = k < result.simplex_size;
      result.vertex_A[k] = used && kPolytopeA ? A.index(k) : -1;
      result.vertex_B[k] = used && kPolytopeB ? B.index(k) : -1;
      result.weight[k] = !used ? S(0)
                               : std::max(S(0), kPolytopeA   ? A.weight(k)
                                                : kPolytopeB ? B.weight(k)
                                                             : S(1));
    }
  }

  static constexpr int kMostSteps = 40;  // of Newton's method, for all sets of features together

  D& difference_;
  S floor_ = 0;
  int steps_ = 0;
};

}  // namespace abut::witness
