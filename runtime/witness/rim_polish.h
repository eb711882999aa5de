#pragma once

#include "runtime/witness/least_change.h"
#include "runtime/witness/patch.h"
#include "runtime/witness/witness.h"

// The last steps to a witness if a core is the hull of two rims (cylinder, cone): the counterpart of
// `Polish` (polish.h), which handles smooth cores.
//
// A support point on a rim depends on n only through the azimuth u of n, the more sensitively the nearer n
// is to the axis. Therefore u is an unknown of its own, and Newton's method solves the optimality conditions
// for all unknowns together,
//     P (x2 - x1) = 0          x_i = sum over the body's features of weight times point
//     n . du = 0               for each body with rims: u lies along n
//     n . (point_k - point_0) = 0  for each further feature: all are support points
// A body's features are vertices (polytope), the two rim points at u (cylinder: its side; cone: its slope),
// or the one support point of a smooth core. A feature with negative weight leaves, one beyond the others
// enters. Parallel edges, sides and faces leave weights undetermined: the least change is taken.
//
// Discs, where n is the axis, are tried first: n is then known, and it remains to find a point common to the
// faces of the two bodies.
namespace abut::witness {

template <class S, class D>
class RimPolish {
 public:
  explicit RimPolish(D& difference) : difference_(difference) {}

  // Moves a witness of the cores to the nearby maximum of g; leaves it unchanged if that fails or g falls.
  // The upper bound becomes at most the distance of the two witness points, which lie in the cores.
  void run(Witness<S>& result) {
    floor_ = result.lower_bound - difference_.rounding();
    Patch<S> A(difference_.shape_a(), Pose<S>{}, result.vertex_A, result.simplex_size, result.weight,
               result.p1, result.n);
    Patch<S> B(difference_.shape_b(), difference_.pose(), result.vertex_B, result.simplex_size, result.weight,
               result.p2, -result.n);
    Vec3<S> n;
    if (A.disc(result.n, n) && flat(A, B, n, result)) return;
    if (B.disc(-result.n, n) && flat(A, B, -n, result)) return;
    n = result.n;
    for (int round = 0; round < 12; ++round) {
      if (!solve(A, B, n)) return;
      if (!update(A, B, n)) continue;
      accept(A, B, A.carried(n), B.carried(-n), n, result);
      return;
    }
  }

 private:
  // Unknowns: rotation of n in its tangent plane (2), shift along each rim (2), changes of the further
  // weights.
  using Matrix = Eigen::Matrix<S, 8, 8>;
  using Vector = Eigen::Matrix<S, 8, 1>;
  struct System {
    Matrix M;
    Vector r;
  };

  // Finds a point common to the two faces that n supports, by alternating projections.
  bool flat(Patch<S> A, Patch<S> B, const Vec3<S>& n, Witness<S>& result) {
    const S rounding = difference_.rounding(), d = n.dot(difference_.minimise(n).w);
    Vec3<S> x1 = result.p1, x2 = result.p2;
    for (int i = 0; i < 100; ++i) {
      x1 = A.on_face(x2 - d * n, n, rounding);
      x2 = B.on_face(x1 + d * n, -n, rounding);
      if ((x2 - x1 - d * n).norm() <= rounding) return accept(A, B, x1, x2, n, result);
    }
    return false;
  }

  // Newton's method with the features fixed; replaces (A, B, n) by the best iterate. Returns false if it
  // fails.
  bool solve(Patch<S>& A, Patch<S>& B, Vec3<S>& n) {
    Patch<S> best_A = A;
    Patch<S> best_B = B;
    Vec3<S> best = n;
    S least = std::numeric_limits<S>::infinity();
    for (int failures = 0; failures < 3 && steps_ < kMaxSteps; ++steps_) {
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
      const Vector x = least_change(system.M, system.r);
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

  // Moves the rim point; `shift` is along the rim, in units of the pair's size.
  void turn(Patch<S>& patch, S shift) const {
    const S radius = patch.radius();
    if (!(radius > 0)) return;
    patch.turn(std::clamp(shift * difference_.magnitude() / radius, S(-0.5), S(0.5)));
  }

  // Linearises the conditions. Lengths are in units of the largest coordinate, so that entries are
  // comparable.
  System linearise(const Patch<S>& A, const Patch<S>& B, const Vec3<S>& n, const Mat32& T) const {
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

  // Adds the unknowns and conditions of one body. `sign` is the sign of its point in -(x2 - x1); `rim_row`
  // and `weight_row` are their rows.
  void add_body(const Patch<S>& patch, const Vec3<S>& n, const Vec3<S>& outward, const Mat32& T, S sign,
                int rim_row, int weight_row, System& system) const {
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

  // Makes the changes of features that a solution requires. Returns true if there are none.
  bool update(Patch<S>& A, Patch<S>& B, const Vec3<S>& n) {
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

  bool accept(const Patch<S>& A, const Patch<S>& B, const Vec3<S>& x1, const Vec3<S>& x2, const Vec3<S>& n,
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

  // At most one of the two bodies is a polytope; the witness gets its vertices and weights.
  static void name_vertices(const Patch<S>& A, const Patch<S>& B, Witness<S>& result) {
    const bool polytope_A = A.polytope(), polytope_B = B.polytope();
    result.simplex_size = polytope_A ? A.size() : polytope_B ? B.size() : 1;
    for (int k = 0; k < 3; ++k) {
      const bool used = k < result.simplex_size;
      result.vertex_A[k] = used && polytope_A ? A.index(k) : -1;
      result.vertex_B[k] = used && polytope_B ? B.index(k) : -1;
      result.weight[k] = !used ? S(0)
                               : std::max(S(0), polytope_A   ? A.weight(k)
                                                : polytope_B ? B.weight(k)
                                                             : S(1));
    }
  }

  static constexpr int kMaxSteps = 40;  // of Newton's method, over all sets of features together

  D& difference_;
  S floor_ = 0;
  int steps_ = 0;
};

}  // namespace abut::witness
