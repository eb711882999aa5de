#include "benchmarks/paper/montaut2022/contact_pose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "benchmarks/paper/montaut2022/soft_witness.h"
#include "runtime/derivative/polytope.h"

namespace abut::benchmarks {

namespace {

using Witness = witness::Witness<double>;
using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat96 = Eigen::Matrix<double, 9, 6>;

Witness query(const Problem& problem, const Pose<double>& X_AB) {
  return witness::separation<double>(problem.A, problem.B, X_AB);
}

Vec9 residual(const Problem& problem, const Pose<double>& X_AB, const Witness& w) {
  Vec9 r;
  r << w.p1 - problem.target_A, X_AB.R.transpose() * (w.p2 - X_AB.p) - problem.target_B, w.p1 - w.p2;
  return r;
}

Mat96 jacobian(const Pose<double>& X_AB, const Witness& w, const derivative::WitnessDerivative<double>& d) {
  Mat36<double> held;  // of p2's place in B while p2 stands still in A
  held << skew<double>(X_AB.R.transpose() * (w.p2 - X_AB.p)), -Mat3<double>::Identity();
  Mat96 J;
  J << d.dp1_A_dxi_B, X_AB.R.transpose() * d.dp2_A_dxi_B + held, d.dp1_A_dxi_B - d.dp2_A_dxi_B;
  return J;
}

// -J^+ r, the normal equations damped just enough to be solvable.
Vec6<double> gauss_newton_step(const Mat96& J, const Vec9& r, double damping) {
  Mat6<double> N = J.transpose() * J;
  N.diagonal().array() += damping * N.trace() + 1e-300;
  return -N.ldlt().solve(J.transpose() * r);
}

// Longest step: 1 rad and one size.
double step_limit(const Vec6<double>& xi, double size) {
  return 1 / std::max({1.0, xi.head<3>().norm(), xi.tail<3>().norm() / size});
}

Pose<double> moved(const Pose<double>& X_AB, const Vec6<double>& xi) {
  Pose<double> X = X_AB * exp<double>(xi);
  X.R = Eigen::Quaterniond(X.R).normalized().toRotationMatrix();
  return X;
}

Pose<double> random_pose(Random& random, double size) {
  Pose<double> X_AB;
  const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
  X_AB.R = rotation_from_quaternion(w, x, y, z);
  const double px = random.normal(), py = random.normal(), pz = random.normal();
  X_AB.p = Vec3<double>(px, py, pz).normalized() * (random.uniform(1.0, 2.4) * size);
  return X_AB;
}

Vec3<double> random_surface_point(const asset::ConvexView& hull, Random& random) {
  std::vector<double> areas;
  double total = 0;
  const auto corner = [&](std::int32_t t, int k) {
    return witness::core_vertex<double>(hull, hull.triangles[3 * t + k]);
  };
  for (std::int32_t t = 0; t < hull.triangle_count; ++t) {
    const Vec3<double> a = corner(t, 0);
    total += (corner(t, 1) - a).cross(corner(t, 2) - a).norm();
    areas.push_back(total);
  }
  const double at = random.uniform() * total;
  const auto t = static_cast<std::int32_t>(std::upper_bound(areas.begin(), areas.end(), at) - areas.begin());
  double u = random.uniform(), v = random.uniform();
  if (u + v > 1) u = 1 - u, v = 1 - v;
  const std::int32_t face = std::min(t, hull.triangle_count - 1);
  return corner(face, 0) + u * (corner(face, 1) - corner(face, 0)) + v * (corner(face, 2) - corner(face, 0));
}

double distance_to_nearest_edge(const asset::ConvexView& hull, const Vec3<double>& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t v = 0; v < hull.vertex_count; ++v) {
    const Vec3<double> a = witness::core_vertex<double>(hull, v);
    for (std::int32_t k = hull.adjacency_offsets[v]; k < hull.adjacency_offsets[v + 1]; ++k) {
      const Vec3<double> edge = witness::core_vertex<double>(hull, hull.adjacency[k]) - a;
      const double along = std::clamp((p - a).dot(edge) / edge.squaredNorm(), 0.0, 1.0);
      least = std::min(least, (p - a - along * edge).norm());
    }
  }
  return least;
}

// One search of soft_gauss_newton, with its budget.
class SoftSearch {
 public:
  SoftSearch(const Problem& problem, const SoftSettings& settings)
      : problem_(problem), settings_(settings), X_AB_(problem.start), n_(query(problem, X_AB_).n) {
    best_.cost = std::numeric_limits<double>::infinity();
    judge(X_AB_);
    restart(X_AB_);
  }

  Solution run(int iterations) {
    for (int k = 0; k < iterations && best_.cost > 1e-28; ++k) {
      best_.trace.push_back(best_.cost);
      if (own_residual_ && !settings_.set_valued) {
        own_step();
      } else {
        soft_step();
      }
    }
    best_.trace.push_back(best_.cost);
    return best_;
  }

 private:
  double judge(const Pose<double>& X_AB) {
    const Witness w = query(problem_, X_AB);
    const double now = settings_.set_valued ? set_valued_cost(problem_, X_AB, w) : cost(problem_, X_AB, w);
    if (now < best_.cost) {
      best_.cost = now;
      best_.X_AB = X_AB;
    }
    return now;
  }

  void restart(const Pose<double>& X_AB) {
    X_AB_ = X_AB;
    n_ = query(problem_, X_AB_).n;
    temperature_ = settings_.first_temperature;
    own_residual_ = false;
  }

  void soft_step() {
    const double t = temperature_ * problem_.size;
    const SoftWitness soft = soft_witness(problem_.A, problem_.B, X_AB_, t, n_);
    const Vec9 r = residual(problem_, X_AB_, soft.witness);
    const auto d =
        derivative::differentiate<double>(soft.witness, X_AB_, soft.T, soft.A, soft.B, problem_.size);
    const Vec6<double> xi = gauss_newton_step(jacobian(X_AB_, soft.witness, d), r, 1e-9);
    double step = step_limit(xi, problem_.size);
    for (int j = 0; j < 12; ++j, step /= 2) {
      const Pose<double> X = moved(X_AB_, step * xi);
      const SoftWitness next = soft_witness(problem_.A, problem_.B, X, t, soft.witness.n);
      if (residual(problem_, X, next.witness).squaredNorm() > r.squaredNorm() * (1 - 1e-4 * step)) continue;
      X_AB_ = X;
      n_ = next.witness.n;
      break;
    }
    const double now = judge(X_AB_);
    temperature_ *= settings_.shrink;
    const bool at_the_end = temperature_ <= settings_.last_temperature;
    if (settings_.set_valued) {
      if (at_the_end) again();
    } else {
      own_residual_ = at_the_end || now < settings_.close * problem_.size * problem_.size;
    }
  }

  void own_step() {
    const Witness w = query(problem_, X_AB_);
    const double before = cost(problem_, X_AB_, w);
    const auto d =
        derivative::polytope_derivative<double>(problem_.A, problem_.B, X_AB_, w, problem_.size, {});
    const Vec6<double> xi = gauss_newton_step(jacobian(X_AB_, w, d), residual(problem_, X_AB_, w), 1e-12);
    double step = 1, after = before;
    for (int j = 0; j < 12 && after >= before; ++j, step /= 2) {
      const Pose<double> X = moved(X_AB_, step * xi);
      after = judge(X);
      if (after < before) X_AB_ = X;
    }
    if (after < 0.3 * before) return;
    // Slow: either it came too early, or this place is not the solution.
    if (temperature_ > settings_.last_temperature) {
      own_residual_ = false;
    } else {
      again();
    }
  }

  void again() {
    if (best_.cost < 1e-20) return;
    Vec6<double> kick;
    for (int k = 0; k < 6; ++k) kick[k] = random_.normal() * (k < 3 ? 1 : problem_.size);
    restart(moved(X_AB_, kick));
  }

  const Problem& problem_;
  SoftSettings settings_;
  Pose<double> X_AB_;
  Vec3<double> n_;
  double temperature_ = 1;
  bool own_residual_ = false;
  Random random_{5};
  Solution best_;
};

}  // namespace

Problem draw_problem(const body::Body& body_A, const body::Body& body_B, double size, Law law,
                     std::uint64_t seed, std::uint64_t index) {
  const asset::ConvexView &A = body_A.geometry.convex(), &B = body_B.geometry.convex();
  Random random(seed, index);
  Problem problem{body_A, body_B, A, B, {}, {}, {}, size};
  if (law == Law::kVertices) {
    problem.target_A =
        witness::core_vertex<double>(A, static_cast<std::int32_t>(random.below(A.vertex_count)));
    problem.target_B =
        witness::core_vertex<double>(B, static_cast<std::int32_t>(random.below(B.vertex_count)));
  } else if (law == Law::kUniform) {
    problem.target_A = random_surface_point(A, random);
    problem.target_B = random_surface_point(B, random);
  } else {
    Pose<double> X_AB = random_pose(random, size);
    for (int k = 0; k < 10; ++k) {
      const Witness w = query(problem, X_AB);
      X_AB.p -= w.distance * w.n;
    }
    const Witness w = query(problem, X_AB);
    problem.target_A = w.p1;
    problem.target_B = X_AB.R.transpose() * (w.p2 - X_AB.p);
  }
  problem.start = random_pose(random, size);
  return problem;
}

double cost(const Problem& problem, const Pose<double>& X_AB, const Witness& w) {
  return residual(problem, X_AB, w).squaredNorm() / 2;
}

double set_valued_cost(const Problem& problem, const Pose<double>& X_AB, const Witness& w) {
  const double apart = (problem.target_A - X_AB * problem.target_B).norm();
  const double worst = std::max(apart, std::abs(w.distance));
  return worst * worst / 2;
}

double cost_floor_away_from_flat_contact(const Problem& problem) {
  const double least = std::min(distance_to_nearest_edge(problem.A, problem.target_A),
                                distance_to_nearest_edge(problem.B, problem.target_B));
  return least * least / 2;
}

Solution gauss_newton(const Problem& problem, const Differentiator& differentiator, int iterations) {
  Solution solution{problem.start, 0, {}};
  Witness w = query(problem, solution.X_AB);
  solution.cost = cost(problem, solution.X_AB, w);
  for (int k = 0; k < iterations; ++k) {
    solution.trace.push_back(solution.cost);
    if (solution.cost < 1e-32) continue;  // nothing left to gain
    const auto d = differentiator(problem, solution.X_AB, w, static_cast<std::uint64_t>(k));
    const Vec6<double> xi =
        gauss_newton_step(jacobian(solution.X_AB, w, d), residual(problem, solution.X_AB, w), 1e-9);
    double step = step_limit(xi, problem.size);
    for (int j = 0; j < 20; ++j, step /= 2) {
      const Pose<double> X = moved(solution.X_AB, step * xi);
      const Witness next = query(problem, X);
      const double now = cost(problem, X, next);
      if (!(now < solution.cost)) continue;
      solution.X_AB = X;
      solution.cost = now;
      w = next;
      break;
    }
  }
  solution.trace.push_back(solution.cost);
  return solution;
}

Solution soft_gauss_newton(const Problem& problem, int iterations, const SoftSettings& settings) {
  return SoftSearch(problem, settings).run(iterations);
}

}  // namespace abut::benchmarks
