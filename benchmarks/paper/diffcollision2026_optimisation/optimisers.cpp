#include "benchmarks/paper/diffcollision2026_optimisation/optimisers.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "runtime/bvh/overlap.h"
#include "runtime/core/random.h"
#include "runtime/math/adjoint.h"

namespace abut::benchmarks {
namespace {

constexpr double kTurn = 6.283185307179586476925;  // rad

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Gauss-Newton's steps from one pose.
class Search {
 public:
  Search(const TargetProblem& problem, const MakeQuery& make_query)
      : problem_(problem.problem),
        query_(make_query(problem)),
        size_(derivative::contact_pose_size(problem_.A, problem_.B)) {}

  // Whether the problem is solved. From a pose where the bodies are apart steps stay there.
  bool from(Pose<double> X_AB) {
    constexpr int kSteps = 20, kHalvings = 6;
    constexpr double kEnough = 0.9;  // of the loss: a step that leaves more is the last
    derivative::PairDerivative at = ask(X_AB);
    double now = judge(X_AB, at.witness);
    for (int k = 0; k < kSteps && !solved(); ++k) {
      const Vec6<double> xi = step(X_AB, at);
      double length = std::min(1.0, 1 / std::max(xi.head<3>().norm() / 0.5, xi.tail<3>().norm() / size_));
      const double before = now;
      for (int h = 0; h < kHalvings && !(now < before); ++h, length /= 2) {
        const Pose<double> X = derivative::moved(X_AB, length * xi);
        if (at.witness.distance > 0 && crossing(X)) continue;
        ++queries_;
        const double there = judge(X, query_->witness(X));
        if (there < before) X_AB = X, now = there;
      }
      if (!(now < kEnough * before)) break;
      at = ask(X_AB);
    }
    return solved();
  }

  bool crossing(const Pose<double>& X_AB) {
    ++queries_;
    return query_->crossing(X_AB);
  }

  bool solved() const { return best_ < kSolved; }
  double best() const { return best_; }
  int queries() const { return queries_; }

 private:
  derivative::PairDerivative ask(const Pose<double>& X_AB) {
    ++queries_;
    return query_->derivative(X_AB);
  }

  double judge(const Pose<double>& X_AB, const witness::Witness<double>& w) {
    const double now = loss(problem_, X_AB, w);
    best_ = std::min(best_, now);
    return now;
  }

  // -J^+ r, damped just enough to be solvable.
  Vec6<double> step(const Pose<double>& X_AB, const derivative::PairDerivative& at) const {
    constexpr double kDamping = 1e-6;
    const Residual r = residual(problem_, X_AB, at.witness);
    const ResidualJacobian J = residual_jacobian(X_AB, at.witness, at.derivative);
    Mat6<double> N = J.transpose() * J;
    N.diagonal().array() += kDamping * N.trace() + std::numeric_limits<double>::min();
    return -N.ldlt().solve(J.transpose() * r);
  }

  const derivative::ContactPoseProblem& problem_;
  std::unique_ptr<Query> query_;
  double size_;  // m
  double best_ = std::numeric_limits<double>::infinity();
  int queries_ = 0;
};

// Of the optimiser's steps: (w; v) of unit length times these.
const Vec6<double> kStep = (Vec6<double>() << 10, 10, 10, 0.01, 0.01, 0.01).finished();  // rad, m

// With the tangent taken at a point, from B's origin in B.
Vec6<double> step_at(const Vec3<double>& point, Vec6<double> g) {
  g.head<3>() -= point.cross(g.tail<3>());
  Vec6<double> xi = kStep.cwiseProduct(g) / g.norm();
  xi.tail<3>() -= xi.head<3>().cross(point);
  return xi;
}

// Of A's frame a gradient g of B's is -Ad' g, and A's step xi_A moves B by -Ad xi_A in A's eyes.
Vec6<double> step_of_both(const Pose<double>& X_AB, const Vec6<double>& g) {
  const Mat6<double> Ad = adjoint(X_AB.inverse());
  Vec6<double> scale = kStep;
  scale.head<3>() /= 2;
  const Vec6<double> xi = scale.cwiseProduct(g) + Ad * scale.cwiseProduct(Ad.transpose() * g);
  return xi / xi.cwiseQuotient(kStep).norm();
}

constexpr double kTilt = 0.05;  // rad: of aligned starts at most, since normals of scans are no better
// Of every other one more, e-fold after so many: a corner in a notch is reached from aside alone.
constexpr double kGrowth = 30;

Pose<double> restart_pose(const TargetProblem& target, Restart restart, int number, Random& random) {
  const derivative::ContactPoseProblem& problem = target.problem;
  Pose<double> X;
  if (restart == Restart::kAligned) {
    const double tilt = random.uniform(0, number % 2 == 0 ? kTilt : kTilt * std::exp(number / kGrowth));
    const double x = random.normal(), y = random.normal(), z = random.normal();
    X.R = exp_rotation<double>(tilt * Vec3<double>(x, y, z)) *
          exp_rotation<double>(random.uniform(0, kTurn) * target.n_A) *
          Eigen::Quaterniond::FromTwoVectors(target.n_B, -target.n_A).toRotationMatrix();
    X.p = problem.target_A + kMargin * target.n_A - X.R * problem.target_B;
    return X;
  }
  const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
  X.R = rotation_from_quaternion(w, x, y, z);
  const Vec3<double> middle = bvh::ball_of(problem.B.geometry.surface().tree).center;
  X.p = problem.target_A + X.R * (kMargin * (middle - problem.target_B).normalized() - problem.target_B);
  return X;
}

}  // namespace

Outcome descend(const TargetProblem& problem, const MakeQuery& make_query, Transport transport, int steps) {
  const double begin = processor_seconds();
  const std::unique_ptr<Query> query = make_query(problem);
  Pose<double> X_AB = problem.problem.start;
  for (int k = 0; k < steps; ++k) {
    const auto [w, d] = query->derivative(X_AB);
    const Vec6<double> g = 2 * residual_jacobian(X_AB, w, d).transpose() * residual(problem.problem, X_AB, w);
    if (!(g.norm() > 0)) break;
    const double factor = k < 0.1 * steps ? 1 : k < 0.9 * steps ? 0.1 : 0.01;
    const Vec6<double> unit =
        transport == Transport::kBoth
            ? step_of_both(X_AB, g)
            : step_at(transport == Transport::kContact
                          ? Vec3<double>(X_AB.R.transpose() * ((w.p1 + w.p2) / 2 - X_AB.p))
                          : Vec3<double>::Zero(),
                      g);
    X_AB = derivative::moved(X_AB, -factor * unit);
  }
  return {loss(problem.problem, X_AB, query->witness(X_AB)), steps, processor_seconds() - begin};
}

Outcome solve(const TargetProblem& problem, const MakeQuery& make_query, Restart restart,
              std::uint64_t seed) {
  constexpr int kStarts = 200, kQueries = 10'000;
  constexpr double kMax = 0.2;  // m: farthest that a start is lifted off
  const double begin = processor_seconds();
  Random random(seed);
  Search search(problem, make_query);
  search.from(problem.problem.start);
  for (int k = 1; k < kStarts && search.queries() < kQueries && !search.solved(); ++k) {
    Pose<double> X_AB = restart_pose(problem, restart, k, random);
    const Vec3<double> way = (X_AB.R * problem.n_B).normalized();  // B goes against it
    double lift = kMargin;
    for (; lift < kMax && search.crossing(X_AB); lift *= 2) X_AB.p -= lift * way;
    if (lift < kMax) search.from(X_AB);
  }
  return {search.best(), search.queries(), processor_seconds() - begin};
}

}  // namespace abut::benchmarks
