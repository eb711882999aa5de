#include "runtime/derivative/contact_pose.h"

#include <gtest/gtest.h>

#include "runtime/derivative/estimator.h"
#include "runtime/witness/separation.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using derivative::ContactPoseProblem;
using derivative::ContactPoseSolution;

// Targets are a vertex of each of two rough ellipsoids turned and scaled at random; lengths in units of
// `unit` m.
ContactPoseProblem vertex_problem(std::uint64_t index, double unit = 1) {
  Random random(1, index);
  const auto ellipsoid = [&] {
    Vec3<double> axes;
    for (int k = 0; k < 3; ++k) axes[k] = unit * random.uniform(0.1, 0.3);
    return test::hull_body(test::tessellated_ellipsoid(0, axes, test::random_rotation(random)));
  };
  ContactPoseProblem problem{ellipsoid(), ellipsoid(), {}, {}, {}};
  const auto vertex = [&](const body::Body& body) {
    const asset::ConvexView& hull = body.geometry.convex();
    return witness::core_vertex<double>(hull, static_cast<std::int32_t>(random.below(hull.vertex_count)));
  };
  problem.target_A = vertex(problem.A);
  problem.target_B = vertex(problem.B);
  problem.start = {test::random_rotation(random), unit * 0.5 * test::random_rotation(random).col(0)};
  return problem;
}

double cost_at(const ContactPoseProblem& problem, const Pose<double>& X_AB) {
  return derivative::contact_pose_cost(
      problem, X_AB,
      witness::separation<double>(problem.A.geometry.convex(), problem.B.geometry.convex(), X_AB));
}

TEST(ContactPose, AnnealingBringsVerticesTogether) {
  constexpr int kProblems = 200;
  int solved = 0;
  for (int i = 0; i < kProblems; ++i) {
    const ContactPoseProblem problem = vertex_problem(static_cast<std::uint64_t>(i));
    const ContactPoseSolution found = derivative::solve_contact_pose(problem);
    solved += found.cost < 1e-24;
    EXPECT_EQ(found.cost, cost_at(problem, found.X_AB));
    EXPECT_LE(found.trace.size(), 51U);
    EXPECT_EQ(found.trace.front(), cost_at(problem, problem.start));
    EXPECT_EQ(found.trace.back(), found.cost);
    EXPECT_TRUE(std::is_sorted(found.trace.rbegin(), found.trace.rend()));
    EXPECT_TRUE(found.X_AB.R.isUnitary(1e-12));
  }
  EXPECT_GE(solved, kProblems - 2);
}

// The unit of length does not matter: powers of two take the very same steps.
TEST(ContactPose, AnySizeTakesTheSameSteps) {
  const derivative::PoseDifferentiator gumbel = [](const body::Pair& pair, std::uint64_t) {
    return derivative::witness_derivative(pair).derivative;
  };
  for (int i = 0; i < 20; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const ContactPoseSolution annealed = derivative::solve_contact_pose(vertex_problem(index)),
                              descended =
                                  derivative::gauss_newton_contact_pose(vertex_problem(index), gumbel);
    for (const int exponent : {-24, -14, -3, 10, 20}) {
      const double unit = std::ldexp(1, exponent);
      const ContactPoseProblem scaled = vertex_problem(index, unit);
      const auto expect_same = [&](const ContactPoseSolution& found, const ContactPoseSolution& expected) {
        ASSERT_EQ(found.trace.size(), expected.trace.size()) << i << " " << exponent;
        for (std::size_t k = 0; k < found.trace.size(); ++k)
          EXPECT_EQ(found.trace[k], expected.trace[k] * unit * unit) << i << " " << exponent << " " << k;
      };
      expect_same(derivative::solve_contact_pose(scaled), annealed);
      expect_same(derivative::gauss_newton_contact_pose(scaled, gumbel), descended);
    }
  }
}

// Two boxes meet face on face, where witness points are not unique: both points and the gap are brought home.
TEST(ContactPose, SetsMeetFlat) {
  const ContactPoseProblem problem{test::hull_body(test::box_hull({0.1, 0.08, 0.05})),
                                   test::hull_body(test::box_hull({0.06, 0.05, 0.04})),
                                   {0.1, 0.02, 0.01},
                                   {0.02, -0.05, 0.01},
                                   {Mat3<double>::Identity(), {0.3, 0.1, 0}}};
  const ContactPoseSolution found =
      derivative::solve_contact_pose(problem, {{"score", "sets"}, {"last_temperature", 1e-8}});
  EXPECT_LT(found.cost, 1e-11);
  EXPECT_LT((problem.target_A - found.X_AB * problem.target_B).norm(), 1e-5);
  EXPECT_LT((found.X_AB.R.transpose() * Vec3<double>::UnitX() - Vec3<double>::UnitY()).norm(), 1e-3);
}

TEST(ContactPose, PublishedMethodDescends) {
  int solved = 0;
  for (int i = 0; i < 30; ++i) {
    const ContactPoseProblem problem = vertex_problem(static_cast<std::uint64_t>(i));
    const ContactPoseSolution found =
        derivative::gauss_newton_contact_pose(problem, [](const body::Pair& pair, std::uint64_t) {
          return derivative::witness_derivative(pair).derivative;
        });
    EXPECT_EQ(found.trace.size(), 51U);
    EXPECT_TRUE(std::is_sorted(found.trace.rbegin(), found.trace.rend()));
    EXPECT_EQ(found.cost, cost_at(problem, found.X_AB));
    solved += found.cost < 1e-24;
  }
  EXPECT_GE(solved, 24);
}

TEST(ContactPose, BadProblemsAreRefused) {
  const ContactPoseProblem good = vertex_problem(0);
  const auto refused = [&](auto&& spoil) {
    ContactPoseProblem bad = good;
    spoil(bad);
    EXPECT_THROW(derivative::gauss_newton_contact_pose(bad, {}), InvalidInput);
    return test::refusal([&] { derivative::solve_contact_pose(bad); });
  };
  EXPECT_EQ(refused([](auto& p) { p.B = test::body_of(body::Sphere<double>{0.1}); }),
            "contact pose: sphere is a primitive; the answer is for hulls");
  EXPECT_EQ(refused([](auto& p) { p.target_B[1] = std::nan(""); }), "contact pose: a target is not finite");
  EXPECT_NE(refused([](auto& p) { p.start.p[0] = std::nan(""); }), "nothing thrown");
  EXPECT_NE(refused([](auto& p) { p.A = {body::Geometry(asset::Asset{})}; }), "nothing thrown");
  EXPECT_EQ(test::refusal([&] {
              derivative::solve_contact_pose(good, {{"shrink", 1}});
            }),
            "contact pose: shrink is '1'; it must be between 0 and 1");
}

}  // namespace
