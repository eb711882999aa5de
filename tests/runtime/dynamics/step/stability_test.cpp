// Explicit steps that are too long for the stiffness are told, and no others (for inertial forces:
// fast_spin_test.cpp).
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/dynamics/step/dof_groups.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/second_derivatives.h"
#include "runtime/dynamics/step/stiff_mode.h"
#include "tests/runtime/dynamics/system/no_asset.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

StepConfig explicit_steps(const std::string& integrator, double dt) {
  return {.dt = dt, .integrator = integrator, .source = {.model = "soft_potential"}};
}

struct Told {
  int unstable = 0;
  double stable_dt = INFINITY;  // the least
  double energy = 0;            // the greatest kinetic one, J
};

Told told(const Scene& scene, const StepConfig& config, double time) {
  const System system(scene);
  State state = system.initial_state();
  const auto integrator = make_integrator(system, config);
  Told told;
  for (int k = 0; k < std::lround(time / config.dt); ++k) {
    const StepReport report = integrator->step(state, {});
    EXPECT_EQ(report.stable(), report.status() == Status::kOk);
    told.unstable += !report.stable();
    told.stable_dt = std::min(told.stable_dt, report.stable_dt);
    told.energy = std::max(told.energy, report.kinetic);
  }
  return told;
}

// 1 kg on a spring of 2 kN/m beside an arm that turns slowly and is a thousand times heavier.
Scene spring(double damping) {
  return test::scene_of(
      "body slider 1 0.01 0.01 0.01 0 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint spring prismatic world 0 0 0 1 0 0 0 1 0 0 stiffness 2000 velocity 1e-3 damping " +
      std::to_string(damping) +
      "\nbody arm 1000 10 10 10 5 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint turn revolute world 3 0 0 1 0 0 0 0 0 1 velocity 1\n");
}

TEST(Stability, ASpringIsToldFromItsLongestStableStepOn) {
  for (const double damping : {0.0, 20.0, 200.0})
    for (const std::string name : {"semi_implicit", "rk4"}) {
      SCOPED_TRACE(name + ", damping " + std::to_string(damping));
      const StiffMode mode{2000, damping};
      const double longest =
          name == "rk4" ? longest_runge_kutta_step(mode) : longest_semi_implicit_step(mode);
      const Told below = told(spring(damping), explicit_steps(name, 0.98 * longest), 20),
                 above = told(spring(damping), explicit_steps(name, 1.06 * longest), 300 * longest);
      EXPECT_EQ(below.unstable, 0);
      EXPECT_LT(below.energy, 21e3);  // that of the arm
      EXPECT_GT(above.unstable, 10);
      EXPECT_NEAR(above.stable_dt, longest, 1e-3 * longest);
      EXPECT_GT(above.energy, 1e6);
    }
}

// Eigenvalues of M^-1 P: the greatest magnitude counts, whatever its sign, and where two signs are alike.
TEST(Stability, ForcesThatDriveApartAreStiffToo) {
  const MatX<double> none = MatX<double>::Zero(3, 3), one = MatX<double>::Identity(3, 3);
  const Mat3<double> R = exp_rotation<double>({0.3, -0.5, 0.2});
  for (const Vec3<double>& modes :
       {Vec3<double>(-468, 393, 0.1), {-400, 400, 1}, {-300, -20, -1}, {5, 300, -10}}) {
    const MatX<double> K = R * modes.asDiagonal() * R.transpose();
    const double greatest = modes.cwiseAbs().maxCoeff();
    const StiffMode mode = stiffest_mode(2 * one, 2 * K, none, VecX<double>::Ones(3), 1e-3);
    EXPECT_LE(mode.stiffness, greatest * (1 + 1e-12));
    EXPECT_GE(mode.stiffness, 0.97 * greatest) << modes.transpose();
    EXPECT_EQ(mode.damping, 0);
  }
}

// A body that falls at 10 m/s on an edge: the force turns it as fast as it holds it up, and its energy grows
// ten thousandfold in a step of 8 ms.
TEST(Stability, AnImpactTooFastForTheStepIsTold) {
  const Scene scene = test::scene_of(
      "gravity 0 0 -9.81\nmodulus 1e7\nmu 0.5\nplane 0 0 1 0\nbody b 1 0.005 0.006 0.007 0 0 0.5 "
      "-0.9988626092135989 -0.01903431733760433 -0.04302320088584741 -0.0077580193367008336 0 0 -10 "
      "-1.6063485456193014 2.3113363000313107 0 2\nsphere 0.08 0.1 0 0 1 0 0 0\nbox 0.02 0.1 0.2 0 0 -0.1 1 "
      "0 0 "
      "0\n");
  const Told found = told(scene, explicit_steps("semi_implicit", 8e-3), 0.032);
  EXPECT_GT(found.energy, 1e5);
  EXPECT_GE(found.unstable, 1);
  EXPECT_LT(found.stable_dt, 8e-3);
}

TEST(Stability, WhatActsOnNoneOfABodysPartnersChangesNothing) {
  for (const std::string name : {"semi_implicit", "rk4"}) {
    Scene scene = spring(20);
    const double longest = told(scene, explicit_steps(name, 0.1), 2).stable_dt;
    for (int k = 0; k < 20; ++k) {
      Body body = scene.bodies[1];
      body.name = "free" + std::to_string(k);
      body.joint.reset();
      body.p_WB = {0, 10.0 + k, 0};
      body.w_WB_W = {0, 0, 0.1 * k};
      scene.bodies.push_back(body);
    }
    EXPECT_EQ(told(scene, explicit_steps(name, 0.1), 2).stable_dt, longest) << name;
  }
}

TEST(Stability, WhatStandsOnOneWeldedBodyIsApart) {
  const std::string box = " 1 0.01 0.01 0.01 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n";
  const System system(test::scene_of("mu 0.5\nbody table" + box +
                                     "joint held fixed world 0 0 0 1 0 0 0 0 0 1\nbody a" + box + "body b" +
                                     box + "body c" + box));
  std::vector<PairForce> pairs(3);
  for (std::int32_t k = 0; k < 3; ++k)
    pairs[std::size_t(k)].A = k == 2 ? 1 : 0, pairs[std::size_t(k)].B = k + 1;
  pairs[0].A = 1, pairs[0].B = 0;  // a on the table, b on the table, c on a
  std::vector<std::uint8_t> wanted;
  const auto groups = dof_groups(SystemTree(system), pairs, {0, 0, 0, 1}, wanted);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].dofs.size(), 12u);
  EXPECT_EQ(wanted, (std::vector<std::uint8_t>{1, 0, 1}));
}

// 1 kg that comes to a limit of 10 kN/m at 1 m/s, beside a heavy arm.
TEST(Stability, ALimitTooStiffForTheStepIsTold) {
  Scene scene = spring(0);
  Joint& joint = scene.bodies[0].joint->joint;
  joint.stiffness = 0;
  joint.upper = 0.1;
  scene.bodies[0].joint->v = VecX<double>::Constant(1, 1);
  for (const std::string name : {"semi_implicit", "rk4"}) {
    SCOPED_TRACE(name);
    const StiffMode mode{1e4, 0};
    const double longest = name == "rk4" ? longest_runge_kutta_step(mode) : longest_semi_implicit_step(mode);
    const Told below = told(scene, explicit_steps(name, 0.5 * longest), 0.5),
               above = told(scene, explicit_steps(name, 2 * longest), 0.5);
    EXPECT_EQ(below.unstable, 0);
    EXPECT_GE(above.unstable, 1);
    EXPECT_NEAR(above.stable_dt, longest, 0.05 * longest);
  }
}

// The damped oscillator on its own: what the recurrence of each integrator does at the step that is said to
// be the longest.
TEST(Stability, TheLongestStepsAreThoseAtWhichOscillatorsStayBounded) {
  for (const double damping : {0.0, 0.3, 1.0, 2.0, 3.0, 30.0}) {
    const StiffMode mode{1, damping};
    const Eigen::Matrix2d A{{0, 1}, {-1, -damping}};
    const auto radius = [](const Eigen::Matrix2d& step) { return step.eigenvalues().cwiseAbs().maxCoeff(); };
    const auto semi_implicit = [&](double h) {
      Eigen::Matrix2d step = Eigen::Matrix2d::Identity() + h * Eigen::Matrix2d{{0, 0}, {-1, -damping}};
      step.row(0) += h * step.row(1);
      return radius(step);
    };
    const auto runge_kutta = [&](double h) {
      const Eigen::Matrix2d z = h * A, I = Eigen::Matrix2d::Identity();
      return radius(I + z * (I + z / 2 * (I + z / 3 * (I + z / 4))));
    };
    const double first = longest_semi_implicit_step(mode), fourth = longest_runge_kutta_step(mode);
    EXPECT_LT(semi_implicit(0.999 * first), 1 + 1e-9) << damping;
    EXPECT_GT(semi_implicit(1.001 * first), 1 + 1e-4) << damping;
    EXPECT_LT(runge_kutta(0.999 * fourth), 1 + 1e-9) << damping;
    EXPECT_GT(runge_kutta(1.001 * fourth), 1 + 1e-5) << damping;
  }
}

// Balls fall on a floor and on one another and come to rest; sliders with friction and the balls' own
// chatter in stiction, as a step of 1 ms is far too long for 1 mm/s.
Scene pile() {
  std::string text = "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n";
  const char* places[] = {"0 0 0.06", "0.11 0.01 0.07", "0.05 0.09 0.06", "0.055 0.035 0.17", "0.3 0 0.05"};
  for (int k = 0; k < 5; ++k)
    text += "body b" + std::to_string(k) + " 0.5 5e-4 5e-4 5e-4 " + places[k] +
            (k == 4 ? " 1 0 0 0 1 0 0 0 0 0" : " 1 0 0 0 0 0 0 0 0 0") +
            " 1\n sphere 0.05 0 0 0 1 0 0 0\nmaterial dissipation 1\n";
  return test::scene_of(text +
                        "body slider 1 0.01 0.01 0.01 0 0 2 1 0 0 0 0 0 0 0 0 0 0\n"
                        "joint slides prismatic world 0 0 2 1 0 0 0 1 0 0.5 friction 30 velocity 0.3\n");
}

TEST(Stability, PilesAndChatteringFrictionAreNot) {
  for (const std::string name : {"semi_implicit", "rk4"}) {
    const Told stable = told(pile(), explicit_steps(name, 2.5e-4), 1.5);
    EXPECT_EQ(stable.unstable, 0) << name << ", " << stable.stable_dt;
    EXPECT_LT(stable.energy, 5) << name;
  }
}

TEST(Stability, AStepThatMakesAPileExplodeIsToldAndTheSuggestedOneDoesNot) {
  constexpr double kLong = 1e-2, kAllEnergy = 4;  // s; J, of what falls in the pile
  for (const std::string name : {"semi_implicit", "rk4"}) {
    const Told exploding = told(pile(), explicit_steps(name, kLong), 0.4);
    EXPECT_GT(exploding.unstable, 0) << name;
    EXPECT_GT(exploding.energy, kAllEnergy) << name;
    EXPECT_LT(exploding.stable_dt, kLong) << name;
    const Told suggested = told(pile(), explicit_steps(name, 0.5 * exploding.stable_dt), 0.4);
    EXPECT_EQ(suggested.unstable, 0) << name << ", " << exploding.stable_dt;
    EXPECT_LT(suggested.energy, kAllEnergy) << name;
  }
}

TEST(Stability, ImplicitStepsAreStable) {
  EXPECT_EQ(told(spring(0), explicit_steps("implicit", 1), 20).unstable, 0);
}

TEST(Stability, DerivativesOfStepsThatAreTooLongSaySo) {
  const System system(spring(0));
  const SystemTree tree(system);
  for (const std::string name : {"semi_implicit", "rk4"}) {
    const auto integrator = make_integrator(system, explicit_steps(name, 0.2));
    State state = system.initial_state(), before = state;
    for (int k = 0; k < 5; ++k) {
      before = state;
      integrator->step(state, {});
    }
    StepDerivatives derivatives;
    State next = before;
    EXPECT_FALSE(integrator->step(next, {}, derivatives).stable()) << name;
    EXPECT_EQ(derivatives.status, Status::kNotConverged) << name;
    EXPECT_EQ(second_derivatives(*integrator, tree, before, {}, VecX<double>::Unit(4, 0)).status,
              Status::kNotConverged)
        << name;
  }
}

}  // namespace
