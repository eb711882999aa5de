#include "runtime/derivative/contact_pose.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/random.h"
#include "runtime/derivative/polytope.h"
#include "runtime/derivative/settings.h"
#include "runtime/derivative/soft_bodies.h"
#include "runtime/witness/separation.h"

namespace abut::derivative {

namespace {

using Problem = ContactPoseProblem;
using Config = ContactPoseConfig;
using Witness = witness::Witness<double>;
using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat96 = Eigen::Matrix<double, 9, 6>;

constexpr const char* kWho = "contact pose";
constexpr std::string_view kScores[] = {"points", "sets"};  // ContactPoseScore

constexpr Setting<Config> kSettings[] = {
    {"iterations", "", from_to(0, 1e9), "steps of all kinds", &setting<Config, &Config::iterations>},
    {"first_temperature", "size of the pair", kMagnitude, "of the soft bodies at the start",
     &setting<Config, &Config::first_temperature>},
    {"shrink", "", between(0, 1), "of the temperature, per iteration", &setting<Config, &Config::shrink>},
    {"last_temperature", "size of the pair", kMagnitude, "then the polytopes' own residual is solved",
     &setting<Config, &Config::last_temperature>},
    {"close", "size^2", from_to(0, 1e12), "cost at which that is tried earlier",
     &setting<Config, &Config::close>},
    {"score",
     "",
     {},
     "cost of the witness points, or of their sets",
     choice<Config, &Config::score>(kScores)},
    {"seed", "", at_least(0), "of the poses that a stalled search starts again from",
     &setting<Config, &Config::seed>},
};

void require_valid_problem(const Problem& problem) {
  require_hulls({&problem.A, &problem.B, problem.start}, kWho);
  if (!problem.target_A.allFinite() || !problem.target_B.allFinite())
    throw InvalidInput(std::string(kWho) + ": a target is not finite");
}

Witness query(const Problem& problem, const Pose<double>& X_AB) {
  return witness::separation<double>(problem.A.geometry.convex(), problem.B.geometry.convex(), X_AB);
}

Vec9 residual(const Problem& problem, const Pose<double>& X_AB, const Witness& w) {
  Vec9 r;
  r << w.p1 - problem.target_A, X_AB.R.transpose() * (w.p2 - X_AB.p) - problem.target_B, w.p1 - w.p2;
  return r;
}

Mat96 jacobian(const Pose<double>& X_AB, const Witness& w, const WitnessDerivative<double>& d) {
  Mat36<double> held;  // derivative of p2's coordinates in B while p2 is fixed in A
  held << skew<double>(X_AB.R.transpose() * (w.p2 - X_AB.p)), -Mat3<double>::Identity();
  Mat96 J;
  J << d.dp1_A_dxi_B, X_AB.R.transpose() * d.dp2_A_dxi_B + held, d.dp1_A_dxi_B - d.dp2_A_dxi_B;
  return J;
}

// Returns the Gauss-Newton step -J^+ r; the normal equations are damped just enough to be solvable. Where J
// leaves motions open, the damping chooses: it counts a rotation as the motion that it causes kLever sizes
// away.
Vec6<double> gauss_newton_step(Mat96 J, const Vec9& r, double damping, double size) {
  constexpr double kLever = 5;  // of 1, 3, 5 and 10 it solves most problems of Table I
  J.leftCols<3>() /= kLever * size;
  Mat6<double> N = J.transpose() * J;
  N.diagonal().array() += damping * N.trace() + std::numeric_limits<double>::min();
  Vec6<double> xi = -N.ldlt().solve(J.transpose() * r);
  xi.head<3>() /= kLever * size;
  return xi;
}

// Derivative of a soft witness with its curvature restricted to the tangent plane, H n = 0, as if the soft
// point were the gradient of a support function defined on all of space. It is not, yet steps with this
// derivative solve more problems than steps with the exact one (docs/witness_derivatives.md).
WitnessDerivative<double> tangential_derivative(const SoftWitness<double>& soft, const Pose<double>& X_AB,
                                                double size) {
  const Mat32<double> T = tangent_basis(soft.witness.n), T_B = X_AB.R.transpose() * T;
  const TangentCurvature<double> A{T.transpose() * soft.A.H * T, 0, {}},
      B{T_B.transpose() * soft.B.H * T_B, 0, {}};
  return differentiate<double>(soft.witness, X_AB, T, A, B, size);
}

// Factor, at most 1, that limits a step to a rotation of 1 rad and a translation of one size.
double step_limit(const Vec6<double>& xi, double size) {
  return 1 / std::max({1.0, xi.head<3>().norm(), xi.tail<3>().norm() / size});
}

// One annealed search with its budget of iterations.
class Annealing {
 public:
  Annealing(const Problem& problem, const Config& config)
      : problem_(problem),
        config_(config),
        A_(problem.A.geometry.convex()),
        B_(problem.B.geometry.convex()),
        size_(contact_pose_size(problem.A, problem.B)),
        random_(config.seed) {
    best_.X_AB = problem.start;
    best_.cost = std::numeric_limits<double>::infinity();
    best_.trace.reserve(static_cast<std::size_t>(std::min(config.iterations, 1000)) + 1);
    judge(problem.start);
    restart(problem.start);
  }

  ContactPoseSolution run() {
    constexpr double kSolved = 2.5e-27;  // size^2: squared rounding of points some sizes from the origin
    for (int k = 0; k < config_.iterations && best_.cost > kSolved * size_ * size_; ++k) {
      best_.trace.push_back(best_.cost);
      if (own_residual_)
        own_step();
      else
        soft_step();
    }
    best_.trace.push_back(best_.cost);
    return std::move(best_);
  }

 private:
  bool by_sets() const { return config_.score == ContactPoseScore::kSets; }

  double judge(const Pose<double>& X_AB) {
    const Witness w = query(problem_, X_AB);
    const double now =
        by_sets() ? contact_pose_set_cost(problem_, X_AB, w) : contact_pose_cost(problem_, X_AB, w);
    if (now < best_.cost) {
      best_.cost = now;
      best_.X_AB = X_AB;
    }
    return now;
  }

  void restart(const Pose<double>& X_AB) {
    X_AB_ = X_AB;
    n_ = query(problem_, X_AB_).n;
    temperature_ = config_.first_temperature;
    own_residual_ = false;
  }

  SoftWitness<double> soft(const Pose<double>& X_AB, const Vec3<double>& n) const {
    const double t = temperature_ * size_;
    return soft_witness<double>({A_, t}, {B_, t}, X_AB, n);
  }

  void soft_step() {
    const SoftWitness<double> here = soft(X_AB_, n_);
    const Vec9 r = residual(problem_, X_AB_, here.witness);
    const Mat96 J = jacobian(X_AB_, here.witness, tangential_derivative(here, X_AB_, size_));
    const Vec6<double> xi = gauss_newton_step(J, r, 1e-9, size_);
    double step = step_limit(xi, size_);
    for (int j = 0; j < 12; ++j, step /= 2) {
      const Pose<double> X = moved(X_AB_, step * xi);
      const Witness next = soft(X, here.witness.n).witness;
      if (residual(problem_, X, next).squaredNorm() > r.squaredNorm() * (1 - 1e-4 * step)) continue;
      X_AB_ = X;
      n_ = next.n;
      break;
    }
    const double now = judge(X_AB_);
    temperature_ *= config_.shrink;
    const bool cold = temperature_ <= config_.last_temperature;
    if (!by_sets())
      own_residual_ = cold || now < config_.close * size_ * size_;
    else if (cold)
      again();
  }

  void own_step() {
    const Witness w = query(problem_, X_AB_);
    const double before = contact_pose_cost(problem_, X_AB_, w);
    const auto d = polytope_derivative<double>(A_, B_, X_AB_, w, size_, {});
    const Vec6<double> xi =
        gauss_newton_step(jacobian(X_AB_, w, d), residual(problem_, X_AB_, w), 1e-12, size_);
    double step = 1, after = before;
    for (int j = 0; j < 12 && after >= before; ++j, step /= 2) {
      const Pose<double> X = moved(X_AB_, step * xi);
      after = judge(X);
      if (after < before) X_AB_ = X;
    }
    if (after < 0.3 * before) return;
    // Slow convergence: either the switch to the polytopes' own residual came too early, or the search is
    // stuck away from the solution.
    if (temperature_ > config_.last_temperature)
      own_residual_ = false;
    else
      again();
  }

  void again() {
    constexpr double kGoodEnough = 1e-18;  // size^2: slow because of rounding, not because it is stuck
    if (best_.cost < kGoodEnough * size_ * size_) return;
    Vec6<double> kick;
    for (int k = 0; k < 6; ++k) kick[k] = random_.normal() * (k < 3 ? 1 : size_);
    restart(moved(X_AB_, kick));
  }

  const Problem& problem_;
  const Config& config_;
  const asset::ConvexView &A_, &B_;
  double size_;  // m
  Random random_;
  Pose<double> X_AB_;
  Vec3<double> n_;  // soft bodies' normal at X_AB_, the next soft witness starts from it
  double temperature_ = 1;
  bool own_residual_ = false;  // whether steps are on the polytopes' own residual
  ContactPoseSolution best_;
};

double half_extent(const asset::ConvexView& hull) {
  double longest = 0;
  for (const double* axis : {hull.x, hull.y, hull.z}) {
    const auto [low, high] = std::minmax_element(axis, axis + hull.vertex_count);
    longest = std::max(longest, *high - *low);
  }
  return longest / 2;
}

}  // namespace

std::span<const Setting<Config>> contact_pose_settings() { return kSettings; }

Config contact_pose_config(const SettingValues& values) { return config_of<Config>(kSettings, values, kWho); }

Pose<double> moved(const Pose<double>& X_AB, const Vec6<double>& xi) {
  Pose<double> X = X_AB * exp<double>(xi);
  X.R = Eigen::Quaterniond(X.R).normalized().toRotationMatrix();
  return X;
}

double contact_pose_size(const body::Body& A, const body::Body& B) {
  return (half_extent(A.geometry.convex()) + half_extent(B.geometry.convex())) / 2;
}

double contact_pose_cost(const Problem& problem, const Pose<double>& X_AB, const Witness& witness) {
  return residual(problem, X_AB, witness).squaredNorm() / 2;
}

double contact_pose_set_cost(const Problem& problem, const Pose<double>& X_AB, const Witness& witness) {
  const double apart = (problem.target_A - X_AB * problem.target_B).norm();
  const double worst = std::max(apart, std::abs(witness.distance));
  return worst * worst / 2;
}

ContactPoseSolution solve_contact_pose(const Problem& problem, const SettingValues& settings) {
  return solve_contact_pose(problem, contact_pose_config(settings));
}

ContactPoseSolution solve_contact_pose(const Problem& problem, const Config& config) {
  require_valid<Config>(kSettings, config, kWho);
  require_valid_problem(problem);
  return Annealing(problem, config).run();
}

ContactPoseSolution gauss_newton_contact_pose(const Problem& problem,
                                              const PoseDifferentiator& differentiator, int iterations) {
  constexpr double kSolved = 1e-31;  // size^2: nothing left to gain
  require_valid_problem(problem);
  const double size = contact_pose_size(problem.A, problem.B);
  ContactPoseSolution solution{problem.start, 0, {}};
  Witness w = query(problem, solution.X_AB);
  solution.cost = contact_pose_cost(problem, solution.X_AB, w);
  for (int k = 0; k < iterations; ++k) {
    solution.trace.push_back(solution.cost);
    if (solution.cost < kSolved * size * size) continue;
    const auto d = differentiator({&problem.A, &problem.B, solution.X_AB}, static_cast<std::uint64_t>(k));
    const Vec6<double> xi =
        gauss_newton_step(jacobian(solution.X_AB, w, d), residual(problem, solution.X_AB, w), 1e-9, size);
    double step = step_limit(xi, size);
    for (int j = 0; j < 20; ++j, step /= 2) {
      const Pose<double> X = moved(solution.X_AB, step * xi);
      const Witness next = query(problem, X);
      const double now = contact_pose_cost(problem, X, next);
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

}  // namespace abut::derivative
