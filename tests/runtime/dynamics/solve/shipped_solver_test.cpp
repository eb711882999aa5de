// The coupled solver with the settings that simulations have, on islands up to the size of a pile's: what its
// report says against the law in extended precision and against Siconos [Acary2018], and its velocities
// against those of long runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "runtime/dynamics/solve/coupled.h"
#include "runtime/dynamics/step/simulation.h"
#include "tests/runtime/dynamics/solve/siconos_problem.h"
#include "tests/support/contact_problems.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace abut::dynamics {
namespace {

using test::ContactProblem;
using Real = long double;

// Twists of the bodies with the contacts' impulses, or without.
std::vector<Vec6<Real>> twists(const ContactProblem& start, const std::vector<PairContact>& solved,
                               bool impulses) {
  std::vector<Vec6<Real>> V;
  for (const ContactBody& b : start.bodies) V.push_back(b.V_WB_W.cast<Real>());
  if (!impulses) return V;
  for (const PairContact& c : solved) {
    const Vec3<Real> J = c.J_B_W.cast<Real>();
    for (const auto& [body, sign] : {std::pair{c.A, Real(-1)}, std::pair{c.B, Real(1)}}) {
      if (body == kFixed) continue;
      const ContactBody& b = start.bodies[body];
      const Vec3<Real> arm = c.p_WC.cast<Real>() - b.p_WBcm.cast<Real>();
      V[body].head<3>() += sign * (b.inverse_inertia_W.cast<Real>() * arm.cross(J));
      V[body].tail<3>() += sign * Real(b.inverse_mass) * J;
    }
  }
  return V;
}

// At a contact, of B's point relative to A's.
Vec3<Real> relative_velocity(const ContactProblem& start, const std::vector<Vec6<Real>>& V,
                             const PairContact& c) {
  Vec3<Real> u = Vec3<Real>::Zero();
  for (const auto& [body, sign] : {std::pair{c.A, Real(-1)}, std::pair{c.B, Real(1)}}) {
    if (body == kFixed) continue;
    const Vec3<Real> w = V[body].head<3>(), arm = (c.p_WC - start.bodies[body].p_WBcm).cast<Real>();
    u += sign * (V[body].tail<3>() + w.cross(arm));
  }
  return u;
}

// du/dJ of one contact alone.
Mat3<Real> mobility(const ContactProblem& start, const PairContact& c) {
  Mat3<Real> K = Mat3<Real>::Zero();
  for (const std::int32_t body : {c.A, c.B}) {
    if (body == kFixed) continue;
    const ContactBody& b = start.bodies[body];
    const Mat3<Real> X = skew<Real>((c.p_WC - b.p_WBcm).cast<Real>());
    K += Real(b.inverse_mass) * Mat3<Real>::Identity() - X * b.inverse_inertia_W.cast<Real>() * X;
  }
  return K;
}

// The largest distance of (r, u) from Coulomb's law at a contact, over a speed without impulses.
struct Residual {
  double reported = 0;  // the largest relative to the target velocities
  double own = 0;  // the largest, of contacts that open with their own velocity: what the tolerance is of
};

// r against the projection of r - u/W on the cone's section [Alart1991], as a velocity (docs/dynamics.md).
Residual residual(const ContactProblem& start, const std::vector<PairContact>& solved) {
  const std::vector<Vec6<Real>> V = twists(start, solved, true), V_free = twists(start, solved, false);
  Real worst = 0, speed = 0, own = 0;
  for (const PairContact& c : solved) {
    const Vec3<Real> n = c.n_W.cast<Real>(), r = c.J_B_W.cast<Real>(), target = n * Real(c.target_velocity);
    const Vec3<Real> u = relative_velocity(start, V, c) - target;
    const Mat3<Real> K = mobility(start, c);
    const Real W_nn = n.dot(K * n), W_tt = (K.trace() - W_nn) / 2;
    const Vec3<Real> d_t = (r - n * n.dot(r)) - (u - n * n.dot(u)) / W_tt;
    const Real p_n = std::max<Real>(0, n.dot(r) - n.dot(u) / W_nn), bound = c.mu * p_n;
    const Vec3<Real> p_t = d_t.norm() > bound ? Vec3<Real>(d_t * (bound / d_t.norm())) : d_t;
    worst =
        test::worst_of(worst, std::hypot(W_nn * (n.dot(r) - p_n), W_tt * (r - n * n.dot(r) - p_t).norm()));
    Vec3<Real> free = relative_velocity(start, V_free, c) - target;
    speed = std::max(speed, free.norm());
    const Real opens = n.dot(free);
    if (opens > 0) free += n * (std::min(opens, std::abs(opens + n.dot(target))) - opens);
    own = std::max(own, free.norm());
  }
  return {static_cast<double>(worst / speed), static_cast<double>(worst / own)};
}

// Largest difference of the velocities at contacts, over the largest speed without impulses.
double apart(const ContactProblem& start, const ContactProblem& x, const ContactProblem& y) {
  const std::vector<Vec6<Real>> V_x = twists(start, x.contacts, true), V_y = twists(start, y.contacts, true),
                                V = twists(start, x.contacts, false);
  Real worst = 0, speed = 0;
  for (const PairContact& c : x.contacts) {
    worst =
        test::worst_of(worst, (relative_velocity(start, V_x, c) - relative_velocity(start, V_y, c)).norm());
    speed = std::max(speed,
                     (relative_velocity(start, V, c) - c.n_W.cast<Real>() * Real(c.target_velocity)).norm());
  }
  return static_cast<double>(worst / speed);
}

constexpr double kSlippery = 0.05;  // friction up to which long runs find an answer, and only one

struct Percentiles {
  std::vector<double> values;
  double at(double share) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[static_cast<std::size_t>(share * double(values.size() - 1) + 0.5)];
  }
};

// As many as the default's test has, with the settings of a simulation: what the path is not called for.
TEST(ShippedSolver, SmallProblemsAreSolvedOrShortOfThePathsResidual) {
  Random random(12);
  const int tries = test::fewer_if_sanitized(10000);
  CoupledSolver solver;
  int short_of = 0;
  double largest = 0;
  for (int i = 0; i < tries; ++i) {
    ContactProblem problem = test::random_problem(random);
    test::SiconosProblem siconos(problem);
    const ContactReport report = solver.solve(problem.bodies, problem.contacts);
    const double error = siconos.error(siconos.impulses(problem));
    ASSERT_LE(report.residual, CoupledConfig{}.path_residual) << "problem " << i;
    ASSERT_LE(error, report.status == Status::kOk ? 1e-8 : 1e-6) << "problem " << i;
    short_of += report.status != Status::kOk;
    largest = test::worst_of(largest, error);
  }
  std::printf("%d problems: %d short of the tolerance, Siconos's error at most %.1e\n", tries, short_of,
              largest);
  EXPECT_LT(short_of, tries / 100);
}

// What a simulation's settings leave of 20 islands (400 in the full tier) of so many contacts.
struct IslandsCase {
  int contacts;
  double most_mu;
  double median, high;  // bounds of the residual's median and 90th percentile
};

void PrintTo(const IslandsCase& c, std::ostream* out) {
  *out << c.contacts << " contacts, mu up to " << c.most_mu;
}

class ShippedSolverOnIslands : public testing::TestWithParam<IslandsCase> {};
class ShippedSolverOnSlipperyIslands : public testing::TestWithParam<int> {};

// Every report says the truth, and no more: its residual is that of the law in extended precision, and
// Siconos finds no error where it says that an answer was found.
TEST_P(ShippedSolverOnIslands, ReportsWhatItsImpulsesAreShortOf) {
  const auto [contacts, most_mu, median, high] = GetParam();
  Random random(100 + static_cast<std::uint64_t>(contacts));
  Percentiles residuals;
  int solved = 0;
  const int islands = test::runs(20);
  CoupledSolver solver;
  for (int i = 0; i < islands; ++i) {
    const ContactProblem start = test::random_island(random, contacts, most_mu);
    ContactProblem problem = start;
    const ContactReport report = solver.solve(problem.bodies, problem.contacts);
    ASSERT_EQ(solver.rows().islands.size(), 1);
    const Residual left = residual(start, problem.contacts);
    ASSERT_NEAR(report.residual, left.reported, 1e-12) << i;
    ASSERT_EQ(report.status == Status::kOk, left.own <= CoupledConfig{}.tolerance) << i;
    test::SiconosProblem siconos(start);
    ASSERT_LE(siconos.error(siconos.impulses(problem)), 2 * report.residual + 1e-9) << i;
    residuals.values.push_back(report.residual);
    solved += report.status == Status::kOk;
  }
  std::printf(
      "%3d contacts, mu up to %.2f: %d of %d solved, residual %.1e (median), %.1e (90 %%), %.1e (all)\n",
      contacts, most_mu, solved, islands, residuals.at(0.5), residuals.at(0.9), residuals.at(1));
  EXPECT_LE(residuals.at(0.5), median);
  EXPECT_LE(residuals.at(0.9), high);
}

// With little friction long runs find an answer, which Siconos certifies and which is the only one, or
// nearly: the velocities of a simulation's settings are as far from it as their residual says.
TEST_P(ShippedSolverOnSlipperyIslands, VelocitiesAreAsNearToTheAnswerAsTheResidualSays) {
  const int contacts = GetParam();
  Random random(100 + static_cast<std::uint64_t>(contacts));
  CoupledSolver solver, oracle({.tolerance = 1e-11, .iteration_limit = 100000});
  double worst = 0, farthest = 0;
  for (int i = 0; i < test::runs(20); ++i) {
    const ContactProblem start = test::random_island(random, contacts, kSlippery);
    ContactProblem problem = start, answer = start;
    ASSERT_EQ(oracle.solve(answer.bodies, answer.contacts).status, Status::kOk) << i;
    test::SiconosProblem siconos(start);
    ASSERT_LE(siconos.error(siconos.impulses(answer)), 1e-10) << i;
    ASSERT_LE(residual(start, answer.contacts).reported, 2e-11) << i;
    const ContactReport report = solver.solve(problem.bodies, problem.contacts);
    const double error = apart(start, problem, answer);
    worst = test::worst_of(worst, error / std::max(report.residual, 1e-11));
    farthest = test::worst_of(farthest, error);
  }
  std::printf("%3d contacts, mu up to %.2f: velocities off by at most %.1e, %.1f times the residual\n",
              contacts, kSlippery, farthest, worst);
  EXPECT_LE(worst, 50);
}

INSTANTIATE_TEST_SUITE_P(Random, ShippedSolverOnSlipperyIslands, testing::Values(20, 40, 100, 200));

INSTANTIATE_TEST_SUITE_P(
    Random, ShippedSolverOnIslands,
    testing::Values(IslandsCase{20, kSlippery, 1e-10, 1e-10}, IslandsCase{20, 0.6, 1e-10, 1e-10},
                    IslandsCase{20, 1.2, 1e-10, 1e-10}, IslandsCase{40, kSlippery, 1e-10, 1e-10},
                    IslandsCase{40, 0.6, 1e-10, 1e-10}, IslandsCase{40, 1.2, 1e-10, 1e-10},
                    IslandsCase{100, kSlippery, 1e-6, 1e-2}, IslandsCase{100, 0.6, 1e-3, 1e-1},
                    IslandsCase{100, 1.2, 1e-1, 0.5}, IslandsCase{200, kSlippery, 1e-2, 1e-1},
                    IslandsCase{200, 0.6, 0.1, 0.5}, IslandsCase{200, 1.2, 0.2, 0.6}));

}  // namespace
}  // namespace abut::dynamics
