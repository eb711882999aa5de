#include "benchmarks/paper/montaut2022/paper_estimators.h"

#include <algorithm>
#include <string>

#include "runtime/derivative/estimator.h"
#include "runtime/derivative/finite_difference.h"

namespace abut::benchmarks {

namespace {

using derivative::Mat2;
using derivative::Mat32;
using derivative::TangentCurvature;
using Derivative = derivative::WitnessDerivative<double>;
using Witness = witness::Witness<double>;

// At exact contact the paper's noise on the normal is infinite; it is kept finite here.
double on_unit_normal(double eps, const Witness& w) { return eps / std::max(std::abs(w.distance), 1e-14); }

// Both curvatures and the derivative, from `curvature(hull, simplex, n, T)`.
template <class Estimate>
Derivative first_order(const Problem& problem, const Pose<double>& X_AB, const Witness& w,
                       Estimate&& estimate) {
  const std::size_t corners = static_cast<std::size_t>(w.simplex_size);
  const Mat32<double> T = derivative::tangent_basis(w.n), T_B = X_AB.R.transpose() * T;
  const Vec3<double> m_B = -(X_AB.R.transpose() * w.n);
  return derivative::differentiate<double>(
      w, X_AB, T, estimate(problem.A, std::span(w.vertex_A, corners), w.n, T),
      estimate(problem.B, std::span(w.vertex_B, corners), m_B, T_B), problem.size);
}

}  // namespace

Differentiator paper_finite_difference(double eps) {
  return [eps](const Problem& problem, const Pose<double>& X_AB, const Witness& w, std::uint64_t) {
    return derivative::central_differences<double>(w, X_AB, eps, eps, [&](const Pose<double>& X) {
      return witness::separation<double>(problem.A, problem.B, X);
    });
  };
}

Differentiator paper_zeroth_order(int samples, double eps, std::uint64_t seed, bool control_variate) {
  return [=](const Problem& problem, const Pose<double>& X_AB, const Witness& w, std::uint64_t stream) {
    Derivative d = derivative::detail::invalid_derivative<double>();
    d.dp1_A_dxi_B.setZero();
    d.dp2_A_dxi_B.setZero();
    const Vec3<double> p1 = control_variate ? w.p1 : Vec3<double>::Zero().eval();
    const Vec3<double> p2 = control_variate ? w.p2 : Vec3<double>::Zero().eval();
    Random random(seed, stream);
    for (int j = 0; j < samples; ++j) {
      Vec6<double> z;
      for (int k = 0; k < 6; ++k) z[k] = random.normal();
      const Witness at = witness::separation<double>(problem.A, problem.B, X_AB * exp<double>(eps * z));
      d.dp1_A_dxi_B += (at.p1 - p1) * z.transpose() / (samples * eps);
      d.dp2_A_dxi_B += (at.p2 - p2) * z.transpose() / (samples * eps);
    }
    return d;
  };
}

Differentiator paper_gaussian(int samples, double eps, std::uint64_t seed) {
  return [=](const Problem& problem, const Pose<double>& X_AB, const Witness& w, std::uint64_t stream) {
    const double turn = on_unit_normal(eps, w);
    std::uint64_t body = 0;
    return first_order(problem, X_AB, w,
                       [&](const asset::ConvexView& hull, std::span<const std::int32_t> simplex,
                           const Vec3<double>& n, const Mat32<double>& T) {
                         Random random(seed, 2 * stream + body++);
                         const Vec3<double> s = witness::support<double>(hull, n, simplex[0]).point;
                         Mat2<double> H = Mat2<double>::Zero();
                         for (int j = 0; j < samples; ++j) {
                           const double x = random.normal(), y = random.normal(), z = random.normal();
                           const Vec3<double> noise(x, y, z);
                           const Vec3<double> ds = witness::support<double>(hull, n + turn * noise).point - s;
                           H += (T.transpose() * ds) * (noise.transpose() * T) / (samples * turn);
                         }
                         return TangentCurvature<double>{(H + H.transpose()) / 2, 0, {}};
                       });
  };
}

Differentiator paper_gumbel(int rings, double eps) {
  return [=](const Problem& problem, const Pose<double>& X_AB, const Witness& w, std::uint64_t) {
    thread_local derivative::RingWorkspace<double> workspace;
    const double t = on_unit_normal(eps, w);
    return first_order(problem, X_AB, w,
                       [&](const asset::ConvexView& hull, std::span<const std::int32_t> simplex,
                           const Vec3<double>& n, const Mat32<double>& T) {
                         workspace.heights.reserve(hull.vertex_count);
                         const auto vertices = workspace.walk.gather(hull, simplex, rings);
                         const auto range =
                             derivative::measure_heights<double>(hull, vertices, n, T, workspace.heights);
                         const auto moments = derivative::soft_moments<double>(
                             workspace.heights, vertices.size(), range.least, t);
                         return TangentCurvature<double>{moments.covariance() / t, 0, {}};
                       });
  };
}

Differentiator table_estimator(const char* name) {
  return [name = std::string(name)](const Problem& problem, const Pose<double>& X_AB, const Witness&,
                                    std::uint64_t) {
    return derivative::witness_derivative({&problem.body_A, &problem.body_B, X_AB}, name).derivative;
  };
}

}  // namespace abut::benchmarks
