#include "runtime/dynamics/solve/published.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/core/error.h"
#include "tests/support/allocations.h"
#include "tests/support/contact_problems.h"

namespace abut::dynamics {
namespace {

using test::ContactProblem;

constexpr double kFall = 0.02;  // speed that gravity adds in a step, m/s

ContactReport solve(ContactProblem& problem, int directions = 0) {
  PublishedConfig config;
  config.friction_directions = directions;
  return PublishedSolver(config).solve(problem.bodies, problem.contacts);
}

// A body of mass 1 and the given inertia about its axes, moving with V, and its contacts with the plane z =
// 0.
ContactProblem body_on_plane(const Vec3<double>& inertia, double height, const Vec6<double>& V, double mu,
                             const std::vector<Vec3<double>>& points) {
  ContactProblem problem;
  ContactBody body;
  body.p_WBcm << 0, 0, height;
  body.inverse_mass = 1;
  body.inverse_inertia_W = inertia.cwiseInverse().asDiagonal();
  body.V_WB_W = V;
  problem.bodies.push_back(body);
  for (const Vec3<double>& p : points) {
    PairContact c;
    c.B = 0;
    c.p_WC = p;
    c.mu = mu;
    problem.contacts.push_back(c);
  }
  return problem;
}

// The failures that the method as published is known for: its own, not this code's.
TEST(Published, ASlidingBoxWithItsCentreAboveItsContactsGetsNoFriction) {
  for (const int directions : {0, 8}) {
    ContactProblem problem = test::box_on_plane(0.5, 0.25, 0.5, {1, 0, -kFall});
    EXPECT_EQ(solve(problem, directions).status, Status::kOk);
    EXPECT_LT((problem.bodies[0].V_WB_W - (Vec6<double>() << 0, 0, 0, 1, 0, 0).finished()).norm(), 1e-12);
  }
}

TEST(Published, ASlidingBallGetsTwoSeventhsOfItsFriction) {
  const double radius = 0.1, mu = 0.3, inertia = 0.4 * radius * radius;
  ContactProblem problem =
      body_on_plane(Vec3<double>::Constant(inertia), radius,
                    (Vec6<double>() << 0, 0, 0, 1, 0, -kFall).finished(), mu, {{0, 0, 0}});
  EXPECT_EQ(solve(problem).status, Status::kOk);
  EXPECT_NEAR(problem.bodies[0].V_WB_W[3], 1 - 2.0 / 7 * mu * kFall, 1e-12);
  EXPECT_NEAR(problem.bodies[0].V_WB_W[5], 0, 1e-12);
}

TEST(Published, ASpinningCoinGetsHalfItsDeceleration) {
  const double radius = 0.05, mu = 0.2;
  std::vector<Vec3<double>> rim;
  for (int k = 0; k < 8; ++k)
    rim.emplace_back(radius * std::cos(k * M_PI / 4), radius * std::sin(k * M_PI / 4), 0);
  ContactProblem problem = body_on_plane({radius * radius / 4, radius * radius / 4, radius * radius / 2}, 0.0,
                                         (Vec6<double>() << 0, 0, 20, 0, 0, -kFall).finished(), mu, rim);
  EXPECT_EQ(solve(problem).status, Status::kOk);
  const double right = 2 * mu * kFall / radius;  // all the weight on the rim
  EXPECT_NEAR(20 - problem.bodies[0].V_WB_W[2], right / 2, 1e-9);
}

TEST(Published, SampledFrictionIsBoundedByAPolygonAroundTheCircle) {
  const double radius = 0.1, mu = 0.3;
  for (const int directions : {4, 8, 32}) {
    for (const double heading : {0.1, 0.5, 1.3}) {
      const Vec6<double> V =
          (Vec6<double>() << 0, 0, 0, std::cos(heading), std::sin(heading), -kFall).finished();
      ContactProblem problem =
          body_on_plane(Vec3<double>::Constant(0.4 * radius * radius), radius, V, mu, {{0, 0, 0}});
      solve(problem, directions);
      const double change = 3.5 * (V - problem.bodies[0].V_WB_W).segment<2>(3).norm();  // at the contact
      EXPECT_GE(change, mu * kFall * (1 - 1e-12));
      EXPECT_LE(change, mu * kFall / std::cos(M_PI / directions) * (1 + 1e-12));
    }
  }
}

// The first body of a random problem, with all contacts its own and all partners fixed.
ContactProblem one_body(Random& random) {
  ContactProblem problem = test::random_problem(random);
  problem.bodies.resize(1);
  for (PairContact& c : problem.contacts) {
    c.A = kFixed;
    c.B = 0;
  }
  return problem;
}

TEST(Published, StageOneIsTheKineticMetricsProjection) {
  // without friction: M (V+ - V-) = sum of J'u with u >= 0 complementary to what the bounds leave
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    ContactProblem problem = one_body(random);
    for (PairContact& c : problem.contacts) c.mu = 0;
    const ContactProblem start = problem;
    const ContactReport report = solve(problem);
    if (report.status != Status::kOk) continue;
    const ContactBody& b = problem.bodies[0];
    Vec6<double> sum = Vec6<double>::Zero();
    for (const PairContact& c : problem.contacts) {
      const double u = c.n_W.dot(test::velocity_at(b, b.V_WB_W, c.p_WC)) - c.target_velocity,
                   r = c.n_W.dot(c.J_B_W);
      EXPECT_GE(u, -1e-11);
      EXPECT_GE(r, -1e-15);
      EXPECT_NEAR(std::min(u, r), 0, 1e-11);
      sum.head<3>() += (c.p_WC - b.p_WBcm).cross(c.J_B_W);
      sum.tail<3>() += c.J_B_W;
    }
    Vec6<double> change;
    change << b.inverse_inertia_W * sum.head<3>(), b.inverse_mass * sum.tail<3>();
    EXPECT_LT((b.V_WB_W - start.bodies[0].V_WB_W - change).norm(), 1e-10 * (1 + change.norm()));
  }
}

TEST(Published, HeadOnImpactsAreInelastic) {
  // two balls, no friction: both leave with the velocity of their common centre of mass
  ContactProblem problem;
  for (const double mass : {1.0, 3.0}) {
    ContactBody ball;
    ball.inverse_mass = 1 / mass;
    ball.inverse_inertia_W = Mat3<double>::Identity() / mass;
    ball.p_WBcm << (mass == 1 ? -0.5 : 0.5), 0, 0;
    ball.V_WB_W << 0, 0, 0, (mass == 1 ? 2 : -1), 0, 0;
    problem.bodies.push_back(ball);
  }
  PairContact c;
  c.A = 0;
  c.B = 1;
  c.n_W << 1, 0, 0;
  problem.contacts.push_back(c);
  EXPECT_EQ(solve(problem).status, Status::kOk);
  for (const ContactBody& b : problem.bodies) EXPECT_NEAR(b.V_WB_W[3], -0.25, 1e-12);
  EXPECT_NEAR(problem.contacts[0].J_B_W[0], 3 * 0.75, 1e-12);
}

TEST(Published, ASqueezedBodyMeetsInTheMiddle) {
  ContactProblem problem =
      body_on_plane(Vec3<double>::Ones(), 0, Vec6<double>::Zero(), 0.3, {{0, 0, -0.5}, {0, 0, 0.5}});
  problem.contacts[1].n_W << 0, 0, -1;
  problem.contacts[0].target_velocity = 1;  // up at 1 m/s, and down at 1 m/s at least
  problem.contacts[1].target_velocity = 1;
  const ContactReport report = solve(problem);
  EXPECT_EQ(report.status, Status::kNotConverged);
  EXPECT_NEAR(report.residual, 1, 1e-9);
  EXPECT_LT(problem.bodies[0].V_WB_W.norm(), 1e-9);
}

TEST(Published, FrictionIsBoundedAndOnlyTakesEnergyOut) {
  Random random(2);
  const auto energy = [](const ContactBody& b) {
    const Vec3<double> w = b.V_WB_W.head<3>();
    return w.dot(b.inverse_inertia_W.inverse() * w) / 2 +
           b.V_WB_W.tail<3>().squaredNorm() / b.inverse_mass / 2;
  };
  for (int i = 0; i < 300; ++i) {
    ContactProblem problem = one_body(random);
    for (PairContact& c : problem.contacts) c.target_velocity = std::min(c.target_velocity, 0.0);
    ContactProblem smooth = problem;
    for (PairContact& c : smooth.contacts) c.mu = 0;
    const ContactBody start = problem.bodies[0];
    solve(smooth);
    solve(problem);
    EXPECT_LE(energy(problem.bodies[0]), energy(smooth.bodies[0]) * (1 + 1e-12));
    for (const PairContact& c : problem.contacts) {
      const Vec3<double> before = test::velocity_at(start, start.V_WB_W, c.p_WC);
      if (c.n_W.dot(before) > c.target_velocity) continue;
      const Vec3<double> pushed = test::velocity_at(start, smooth.bodies[0].V_WB_W, c.p_WC);
      const Vec3<double> rubbed = test::velocity_at(start, problem.bodies[0].V_WB_W, c.p_WC) - pushed;
      const double along = c.n_W.dot(rubbed);
      EXPECT_GE(along, -1e-10);
      EXPECT_LE((rubbed - along * c.n_W).norm(), c.mu * c.n_W.dot(pushed - before) + 1e-10) << i;
    }
  }
}

TEST(Published, ThreadsDoNotChangeABit) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const ContactProblem start = test::random_problem(random);
    ContactProblem one = start, two = start;
    solve(one);
    PublishedSolver({}, 2).solve(two.bodies, two.contacts);
    for (std::size_t k = 0; k < start.bodies.size(); ++k) {
      EXPECT_TRUE(one.bodies[k].V_WB_W.allFinite());
      EXPECT_EQ(std::memcmp(one.bodies[k].V_WB_W.data(), two.bodies[k].V_WB_W.data(), 6 * sizeof(double)), 0);
    }
  }
}

TEST(Published, AllocatesNothingInTheSteadyStateAndRefusesNonsense) {
  ContactProblem problem = test::box_on_plane(0.5, 0.25, 0.5, {1, 0, -kFall});
  const ContactProblem start = problem;
  PublishedSolver solver;
  solver.solve(problem.bodies, problem.contacts);
  std::copy(start.bodies.begin(), start.bodies.end(), problem.bodies.begin());
  const std::size_t before = test::allocations();
  solver.solve(problem.bodies, problem.contacts);
  EXPECT_EQ(test::allocations(), before);
  problem.contacts[2].mu = -1;
  EXPECT_THROW(solver.solve(problem.bodies, problem.contacts), InvalidInput);
  ContactProblem empty;
  EXPECT_EQ(solve(empty).status, Status::kOk);
}

}  // namespace
}  // namespace abut::dynamics
