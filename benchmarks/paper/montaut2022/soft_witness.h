#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/support.h"

// Witness points of two hulls whose support functions are replaced by soft maxima over all their vertices,
//   h_t(n) = t log sum exp(<v_i, n> / t),
// which are smooth and strictly convex bodies (up to a shift of h): unlike the derivative estimators, which
// smooth the curvature at the polytopes' own witness, points and normal are those of the smooth bodies, too,
// so that the derivative is the exact one of a smooth function of the pose.
namespace abut::benchmarks {

struct SoftSupport {
  Vec3<double> point;          // s = sum a_i v_i
  derivative::Mat2<double> H;  // covariance / t in the tangent basis
  double height;               // h_t(n)
};

inline SoftSupport soft_support(const asset::ConvexView& hull, const Vec3<double>& n,
                                const derivative::Mat32<double>& T, double t) {
  const std::int32_t top = witness::support<double>(hull, n).index;
  const Vec3<double> origin = witness::core_vertex<double>(hull, top);
  double weight = 0;
  Vec3<double> mean = Vec3<double>::Zero();
  double uu = 0, uv = 0, vv = 0;
  for (std::int32_t i = 0; i < hull.vertex_count; ++i) {
    const Vec3<double> r(hull.x[i] - origin.x(), hull.y[i] - origin.y(), hull.z[i] - origin.z());
    const double z = r.dot(n) / t;
    if (z < -40) continue;
    const double a = std::exp(z), u = T.col(0).dot(r), v = T.col(1).dot(r);
    weight += a;
    mean += a * r;
    uu += a * u * u;
    uv += a * u * v;
    vv += a * v * v;
  }
  mean /= weight;
  const double u = T.col(0).dot(mean), v = T.col(1).dot(mean);
  derivative::Mat2<double> C;
  C << uu / weight - u * u, uv / weight - u * v, uv / weight - u * v, vv / weight - v * v;
  return {origin + mean, C / t, origin.dot(n) + t * std::log(weight)};
}

struct SoftWitness {
  witness::Witness<double> witness;  // points, normal, distance, status
  derivative::Mat32<double> T;
  derivative::TangentCurvature<double> A, B;
};

// Local maximum of g(n) = <n, p> - h_A(n) - h_B(-R'n) on the unit sphere by Newton's method from `n`.
inline SoftWitness soft_witness(const asset::ConvexView& A, const asset::ConvexView& B,
                                const Pose<double>& X_AB, double t, Vec3<double> n) {
  using namespace derivative;
  SoftWitness result{};
  double value = 0;
  const auto at = [&](const Vec3<double>& normal) {
    SoftWitness w{};
    w.T = tangent_basis(normal);
    const SoftSupport a = soft_support(A, normal, w.T, t);
    const SoftSupport b = soft_support(B, -(X_AB.R.transpose() * normal), X_AB.R.transpose() * w.T, t);
    w.A.H = a.H;
    w.B.H = b.H;
    w.witness.n = normal;
    w.witness.p1 = a.point;
    w.witness.p2 = X_AB * b.point;
    w.witness.distance = normal.dot(w.witness.p2 - w.witness.p1);
    w.witness.status = Status::kOk;
    w.witness.lower_bound = normal.dot(X_AB.p) - a.height - b.height;  // g(n)
    return w;
  };
  result = at(n);
  value = result.witness.lower_bound;
  for (int k = 0; k < 60; ++k) {
    const Vec2<double> gradient = result.T.transpose() * (result.witness.p2 - result.witness.p1);
    if (gradient.norm() < 1e-13) break;
    Mat2<double> K = result.A.H + result.B.H + result.witness.distance * Mat2<double>::Identity();
    Vec2<double> lambda;
    const Mat2<double> Q = eigenvectors(K, lambda);
    const double floor =
        1e-3 * (std::abs(result.witness.distance) + (result.A.H + result.B.H).trace()) + 1e-12;
    for (int j = 0; j < 2; ++j) lambda[j] = std::max(std::abs(lambda[j]), floor);
    Vec2<double> step = Q * lambda.cwiseInverse().asDiagonal() * (Q.transpose() * gradient);
    if (step.norm() > 0.5) step *= 0.5 / step.norm();
    bool better = false;
    for (int j = 0; j < 30 && !better; ++j, step *= 0.5) {
      const SoftWitness next = at((result.witness.n + result.T * step).normalized());
      const double rise = next.witness.lower_bound - value;
      if (rise > 1e-4 * gradient.dot(step) || (step.norm() < 1e-7 && rise > -1e-15)) {
        result = next;
        value = next.witness.lower_bound;
        better = true;
      }
    }
    if (!better) break;
  }
  return result;
}

}  // namespace abut::benchmarks
