// Steps with an error bound, of each integrator whose forces are smooth.
#include "runtime/dynamics/step/adaptive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/dynamics/step/second_derivatives.h"
#include "runtime/dynamics/system/system_tree.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/massless_link.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kStep = 1e-2;  // s

// A ball that falls on the floor and rebounds, turning, and a pendulum that strikes another ball.
Scene impacts() {
  return test::scene_of(
      "gravity 0 0 -9.81\nmu 0.3\nmodulus 1e6\nplane 0 0 1 0\n"
      "body ball 0.5 5e-4 5e-4 5e-4 0 0 0.1 1 0 0 0 0.3 0 -1 0 5 0 1\n sphere 0.05 0 0 0 1 0 0 0\n"
      "body target 0.5 5e-4 5e-4 5e-4 1.13 0 0.05 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 0\n"
      "body bob 0.5 5e-4 5e-4 5e-4 1 0 0.06 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 0\n"
      "joint swing revolute world 1 0 0.56 1 0 0 0 0 -1 0 velocity 2\n");
}

StepConfig bounded(std::string_view integrator, double error, int halvings = 12) {
  StepConfig config;
  config.dt = kStep;
  config.integrator = integrator;
  config.source = {.model = "point", .settings = {{"stiffness", 2e4}}};
  config.integrator_settings = {{"error", error}, {"halvings", halvings}};
  return config;
}

// As adaptive.h has it.
double distance(const System& system, const State& one, const State& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.bodies.size(); ++i) {
    const BodyState &a = one.bodies[i], &b = other.bodies[i];
    const double r = std::sqrt(1e-3);
    const Vec3<double> dw = system.angular_velocity(one, i) - system.angular_velocity(other, i);
    most = std::max(most, (a.p_WB - b.p_WB).norm() + r * a.q_WB.angularDistance(b.q_WB) +
                              kStep * ((a.v_WB - b.v_WB).norm() + r * dw.norm()));
  }
  return most;
}

// Each step beside the same one in parts so short that they are exact.
TEST(Adaptive, ErrorsOfStepsStayBelowTheirBoundThroughImpacts) {
  const System system(impacts());
  constexpr struct {
    const char* name;
    double error;
  } kCases[] = {{"semi_implicit", 1e-5}, {"rk4", 1e-6}, {"implicit", 1e-4}};
  const auto exact = make_integrator(system, bounded("rk4", 1e-9, 14));
  for (const auto& [name, error] : kCases) {
    const auto integrator = make_integrator(system, bounded(name, error));
    State state = system.initial_state();
    int fewest = 1 << 20, most = 0, met = 0;
    for (int k = 0; k < 15; ++k) {
      State reference = state;
      exact->step(reference, {});
      const StepReport report = integrator->step(state, {});
      EXPECT_EQ(report.solver.status, Status::kOk) << name;
      EXPECT_LT(distance(system, state, reference), error) << name << ", step " << k;
      fewest = std::min(fewest, report.substeps);
      most = std::max(most, report.substeps);
      met = std::max(met, report.contacts);
    }
    EXPECT_GT(met, 0) << name;
    EXPECT_GT(most, 2 * fewest) << name;  // short parts are where they are needed
    EXPECT_GT(state.bodies[0].v_WB.z(), 0.3) << name;
    EXPECT_GT(state.bodies[1].v_WB.x(), 0.3) << name;
  }
}

TEST(Adaptive, FreeFallIsTwoParts) {
  const System system(test::scene_of(
      "gravity 0 0 -9.81\nbody a 1 0.1 0.1 0.1 0 0 1 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.1 0 0 0 1 0 0 0\n"));
  State state = system.initial_state();
  EXPECT_EQ(make_integrator(system, bounded("rk4", 1e-9))->step(state, {}).substeps, 2);
}

TEST(Adaptive, PartsAreBoundedAndAMissedBoundIsTold) {
  const System system(impacts());
  for (const IntegratorRow& row : integrators()) {
    if (!test::has_smooth_derivatives(row)) continue;
    State state = system.initial_state();
    state.bodies[0].p_WB.z() = 0.0499;
    StepDerivatives derivatives;
    const StepReport report =
        make_integrator(system, bounded(row.name, 1e-12, 3))->step(state, {}, derivatives);
    EXPECT_EQ(report.solver.status, Status::kNotConverged) << row.name;
    EXPECT_EQ(derivatives.status, Status::kNotConverged) << row.name;
    EXPECT_EQ(report.substeps, 16) << row.name;
  }
}

// A drive that is far too stiff for the step, told without a bound and followed with one.
TEST(Adaptive, StepsTooLongForTheStiffnessAreCut) {
  const System system(
      test::scene_of("body slider 1 0.01 0.01 0.01 0 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
                     "joint spring prismatic world 0 0 0 1 0 0 0 1 0 0 stiffness 1e6 velocity 1\n"));
  for (const double error : {0.0, 1e-5}) {
    const auto integrator = make_integrator(system, bounded("rk4", error));
    State state = system.initial_state();
    int unstable = 0;
    for (int k = 0; k < 20; ++k) unstable += !integrator->step(state, {}).stable();
    if (error > 0) {
      EXPECT_EQ(unstable, 0);
      EXPECT_NEAR(state.q[0], 1e-3 * std::sin(1e3 * 20 * kStep), 20 * 1e-5);
    } else {
      EXPECT_GT(unstable, 10);
    }
  }
}

TEST(Adaptive, DerivativesAreThoseOfThePartsInARow) {
  const System system(impacts());
  const SystemTree coordinates(system);
  TreeScratch scratch(coordinates.tree());
  for (const IntegratorRow& row : integrators()) {
    if (!test::has_smooth_derivatives(row)) continue;
    const auto integrator = make_integrator(system, bounded(row.name, row.name == "rk4" ? 1e-13 : 1e-4));
    State start = system.initial_state();
    for (int k = 0; k < 6; ++k) integrator->step(start, {});
    VecX<double> q, v;
    coordinates.coordinates(start, q, v);
    const Eigen::Index nv = v.size();
    const auto next = [&](const VecX<double>& x) {
      State state = start;
      VecX<double> moved;
      coordinates.tree().integrate(q, x.head(nv), moved);
      coordinates.place(moved, v + x.tail(nv), scratch, state);
      integrator->step(state, {});
      return state;
    };
    StepDerivatives derivatives;
    State middle = start;
    const StepReport with = integrator->step(middle, {}, derivatives);
    EXPECT_GT(with.substeps, 2) << row.name;
    EXPECT_LT(coordinates.difference(middle, next(VecX<double>::Zero(2 * nv))).norm(), 1e-13) << row.name;
    const double scale = derivatives.state.cwiseAbs().maxCoeff(), size = 1e-6;
    for (Eigen::Index k = 0; k < 2 * nv; ++k) {
      const auto at = [&](double t) -> VecX<double> {
        return coordinates.difference(middle, next(t * VecX<double>::Unit(2 * nv, k)));
      };
      const VecX<double> slope = (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
      EXPECT_LT((derivatives.state.col(k) - slope).cwiseAbs().maxCoeff(), 1e-6 * scale) << row.name << k;
    }
  }
}

TEST(Adaptive, BoundsOutOfRangeAreRefused) {
  const System system(impacts());
  EXPECT_NE(test::refusal([&] { make_integrator(system, bounded("rk4", -1)); }).find("error is '-1' m"),
            std::string::npos);
  EXPECT_NE(test::refusal([&] { make_integrator(system, bounded("rk4", 1, 50)); }).find("halvings"),
            std::string::npos);
}

// Rotors and slides that weigh nothing, on springs that are far too stiff for the step.
TEST(Adaptive, LinksThatTheirArmatureMovesAreHeeded) {
  for (const JointType type : {JointType::kPrismatic, JointType::kRevolute})
    for (const char* name : {"rk4", "semi_implicit"})
      for (const double error : {0.0, 1e-4}) {
        if (error > 0 && std::string_view(name) != "rk4") continue;  // tens of thousands of parts
        SCOPED_TRACE(std::string(name) + ", type " + std::to_string(static_cast<int>(type)));
        Scene scene;
        scene.bodies = {test::massless_link("rotor", -1, type, Vec3<double>::UnitX(), 0)};
        Joint& joint = scene.bodies[0].joint->joint;
        joint.armature = 1;
        joint.stiffness = 1e6;
        scene.bodies[0].joint->v = VecX<double>::Ones(1);
        const System system(scene);
        const auto integrator = make_integrator(system, bounded(name, error, 16));
        State state = system.initial_state();
        int unstable = 0;
        for (int k = 0; k < 5; ++k) unstable += !integrator->step(state, {}).stable();
        if (error > 0) {
          EXPECT_EQ(unstable, 0);
          EXPECT_NEAR(state.q[0], 1e-3 * std::sin(1e3 * 5 * kStep), 5 * error);
        } else {
          EXPECT_GT(unstable, 3);
        }
      }
}

// 10 km from the origin places are rounded by more than the bound of the shortest parts.
TEST(Adaptive, RoundingOfPlacesKeepsNoPartFromItsBound) {
  const System system(
      test::scene_of("body slider 1 0.01 0.01 0.01 10000 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
                     "joint spring prismatic world 10000 0 0 1 0 0 0 1 0 0 stiffness 1e6 velocity 1\n"));
  const auto integrator = make_integrator(system, bounded("rk4", 1e-9));
  State state = system.initial_state();
  for (int k = 0; k < 5; ++k) EXPECT_EQ(integrator->step(state, {}).status(), Status::kOk);
  EXPECT_NEAR(state.q[0], 1e-3 * std::sin(1e3 * 5 * kStep), 1e-8);
}

// Where a ball starts so that one part more is needed, derivatives jump.
TEST(Adaptive, SecondDerivativesAcrossOtherPartsAreTold) {
  const System system(impacts());
  const SystemTree tree(system);
  const auto integrator = make_integrator(system, bounded("rk4", 1e-6));
  const auto at = [&](double z) {
    State state = system.initial_state();
    state.bodies[0].p_WB.z() = z;
    return state;
  };
  const auto parts = [&](double z) {
    State state = at(z);
    return integrator->step(state, {}).substeps;
  };
  double low = 0.052, high = 0.06;
  const int most = parts(low);
  ASSERT_NE(most, parts(high));
  for (int k = 0; k < 40; ++k) (parts((low + high) / 2) == most ? low : high) = (low + high) / 2;
  const VecX<double> down = VecX<double>::Unit(2 * tree.independent().cols(), 5);
  EXPECT_EQ(second_derivatives(*integrator, tree, at(low), {}, down).status, Status::kNotConverged);
  EXPECT_EQ(second_derivatives(*integrator, tree, at(0.1), {}, down).status, Status::kOk);
}

}  // namespace
