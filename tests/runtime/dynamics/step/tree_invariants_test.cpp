// What the integrator midpoint keeps of trees, however fast they go, however small they are, and whatever
// else stands on the same base.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <sstream>
#include <utility>

#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/tree_scenes.h"

namespace {

using namespace abut;
using namespace abut::test;

Link link_of(const std::string& name, int parent, JointType type, const Vec3<double>& p_PJ, double mass,
             const Vec3<double>& p_LLcm, double moment) {
  Link link;
  link.name = name;
  link.parent = parent;
  link.joint.name = name + "_joint";
  link.joint.type = type;
  link.joint.X_PJ.p = p_PJ;
  link.inertia = {mass, p_LLcm, moment * Mat3<double>::Identity()};
  return link;
}

// A base that flies at a speed, m/s, and turns at a spin, rad/s, and an arm on it at 1e-3 rad/s.
Scene flying(JointType root, double speed, double spin) {
  Scene scene;
  scene.bodies.push_back(link_body(link_of("base", -1, root, Vec3<double>::Zero(), 5, {0.1, 0, 0}, 0.5)));
  scene.bodies.push_back(link_body(link_of("arm", 0, kRevolute, {0.4, 0.1, 0}, 1, {0.3, 0, 0}, 0.01)));
  VecX<double>& v = scene.bodies[0].joint->v;
  if (root == kFree)
    v = (VecX<double>(6) << 0, 0, spin, speed, 0.3 * speed, 0.1 * speed).finished();
  else
    v = (VecX<double>(3) << spin, speed, 0.3 * speed).finished();
  scene.bodies[1].joint->v = VecX<double>::Constant(1, 1e-3);
  return scene;
}

TEST(TreeInvariants, AnArmTurnsOnABaseThatFliesAsOnOneThatRests) {
  for (const JointType root : {kFree, kPlanar})
    for (const double spin : {0.0, 2e-4}) {
      Simulation resting(flying(root, 0, spin), {.dt = 4e-3});
      for (int k = 0; k < 50; ++k) resting.step();
      for (const double speed : {10.0, 100.0, 7700.0}) {
        Simulation flies(flying(root, speed, spin), {.dt = 4e-3});
        for (int k = 0; k < 50; ++k) flies.step();
        const auto v_arm = [](const Simulation& of) { return of.state().v[of.state().v.size() - 1]; };
        EXPECT_NEAR(v_arm(flies), v_arm(resting), 1e-7 * 1e-3) << speed << " m/s, " << spin << " rad/s";
        EXPECT_NEAR(flies.state().v[kFree == root ? 2 : 0], resting.state().v[kFree == root ? 2 : 0], 1e-11)
            << speed << " m/s, " << spin << " rad/s";
      }
    }
}

TEST(TreeInvariants, SlopesOfAnArmAreThoseOfOneWhoseBaseRests) {
  for (const JointType root : {kFree, kPlanar}) {
    const auto slopes_at = [&](double speed) {
      const System system(flying(root, speed, 2e-4));
      StepDerivatives derivatives;
      State state = system.initial_state();
      make_integrator(system, {.dt = 4e-3})->step(state, {}, derivatives);
      return derivatives.state(derivatives.state.rows() - 1, derivatives.state.cols() - 1);
    };
    const double resting = slopes_at(0);
    EXPECT_NEAR(resting, 1, 1e-4);
    for (const double speed : {10.0, 100.0, 7700.0}) EXPECT_NEAR(slopes_at(speed), resting, 1e-6) << speed;
  }
}

// Joints at rest on a base that spins about its axis: rounding does not set them going.
TEST(TreeInvariants, JointsOnABaseThatSpinsRemainAtRest) {
  Scene scene;
  scene.bodies.push_back(
      link_body(link_of("base", -1, kFree, Vec3<double>::Zero(), 5, Vec3<double>::Zero(), 0.5)));
  scene.bodies.push_back(
      link_body(link_of("wheel", 0, kRevolute, {0, 0, 0.1}, 1, Vec3<double>::Zero(), 0.01)));
  scene.bodies[0].joint->v = (VecX<double>(6) << 0, 0, 20, 0, 0, 0).finished();
  Simulation simulation(scene, {.dt = 4e-3});
  for (int k = 0; k < 500; ++k) simulation.step();
  EXPECT_LT(std::abs(simulation.state().v[6]), 1e-10);
}

// An arm, or none, on a free base of three moments.
TEST(TreeInvariants, TurnsTooFarForAStepAreToldBeforeTheirEnergyIsOff) {
  for (const bool arm : {false, true})
    for (const double spin : {10.0, 300.0, 1e3, 1e4}) {
      Scene scene;
      Link base = link_of("base", -1, kFree, Vec3<double>::Zero(), 5, {0.1, 0, 0}, 0);
      base.inertia.I_LLcm_L.diagonal() << 0.1, 0.2, 0.27;
      scene.bodies.push_back(link_body(base));
      scene.bodies[0].joint->v = (VecX<double>(6) << spin, 0.3 * spin, 0.2 * spin, 0, 0, 0).finished();
      if (arm)
        scene.bodies.push_back(link_body(link_of("arm", 0, kRevolute, {0.4, 0.1, 0}, 1, {0.3, 0, 0}, 0.01)));
      Simulation simulation(scene, {.dt = 4e-3});
      const double kinetic = simulation.report().kinetic;
      bool told = false;
      double worst = 0;
      for (int k = 0; k < 50 && !told; ++k) {
        told = simulation.step().status() != Status::kOk;
        if (!told) worst = std::max(worst, std::abs(simulation.report().kinetic / kinetic - 1));
      }
      EXPECT_TRUE(told || spin < 1e4) << spin << arm;
      EXPECT_FALSE(told && spin < 100) << spin << arm;
      EXPECT_LT(worst, 0.5) << spin << arm;
    }
}

// A wheel and a double pendulum, on a welded base or on the world.
Scene workshop(bool welded, bool pendulum, const Vec3<double>& gravity) {
  Scene scene;
  scene.gravity = gravity;
  const int base = welded ? 0 : -1;
  if (welded)
    scene.bodies.push_back(
        link_body(link_of("base", -1, JointType::kFixed, Vec3<double>::Zero(), 5, Vec3<double>::Zero(), 1)));
  if (pendulum) {
    const int first = static_cast<int>(scene.bodies.size());
    Link upper = link_of("upper", base, kRevolute, Vec3<double>::Zero(), 1, {0.5, 0, 0}, 0.01),
         lower = link_of("lower", first, kRevolute, {1, 0, 0}, 1, {0.5, 0, 0}, 0.01);
    upper.joint.axis_J = lower.joint.axis_J = Vec3<double>::UnitY();
    scene.bodies.push_back(link_body(upper));
    scene.bodies.push_back(link_body(lower));
    scene.bodies[static_cast<std::size_t>(first)].joint->v = VecX<double>::Constant(1, 10);
    scene.bodies.back().joint->v = VecX<double>::Constant(1, -7);
  }
  scene.bodies.push_back(
      link_body(link_of("wheel", base, kRevolute, {0, 3, 0}, 1, Vec3<double>::Zero(), 0.01)));
  scene.bodies.back().joint->v = VecX<double>::Constant(1, 5);
  return scene;
}

TEST(TreeInvariants, WhatStandsOnAWeldedBaseMovesAsOnTheWorld) {
  for (const Vec3<double>& gravity : {Vec3<double>(0, 0, 0), kGravity}) {
    Simulation welded(workshop(true, true, gravity), {.dt = 8e-3}),
        apart(workshop(false, true, gravity), {.dt = 8e-3});
    for (int k = 0; k < 250; ++k) {
      welded.step();
      apart.step();
      ASSERT_NEAR(welded.state().v[2], 5, 1e-12);
    }
    EXPECT_LT((welded.state().v - apart.state().v).norm(), 1e-10);
    EXPECT_LT((welded.state().q - apart.state().q).norm(), 1e-10);
    EXPECT_EQ(welded.states()[0].p_WB, Vec3<double>::Zero());
  }
}

// Two links on a free joint, as of a robot whose first link is a free base: on a body that two fixed joints
// hold to the world, or on the world at the same place.
Scene floating(bool welded) {
  Scene scene;
  const Pose<double> first{exp_rotation<double>({0.3, -0.5, 0.2}), {1, 2, 0.5}},
      second{exp_rotation<double>({-0.1, 0.4, 0.9}), {-0.4, 0.1, 0}};
  Link base = link_of("base", -1, kFree, {0.2, 0.1, 0}, 2, {0.05, 0, 0.1}, 0.02);
  if (welded) {
    for (const auto& [name, X] : {std::pair{"foot", first}, {"plate", second}}) {
      Link link =
          link_of(name, int(scene.bodies.size()) - 1, JointType::kFixed, X.p, 5, Vec3<double>::Zero(), 1);
      link.joint.X_PJ = X;
      scene.bodies.push_back(link_body(link));
    }
    base.parent = 1;
  } else {
    base.joint.X_PJ = first * second * base.joint.X_PJ;
  }
  scene.bodies.push_back(link_body(base));
  scene.bodies.back().joint->v = (VecX<double>(6) << 1, -0.5, 2, 3, 1, -2).finished();
  scene.bodies.push_back(
      link_body(link_of("arm", int(scene.bodies.size()) - 1, kRevolute, {0.3, 0, 0}, 1, {0.2, 0, 0}, 0.01)));
  scene.bodies.back().joint->v = VecX<double>::Constant(1, 4);
  return scene;
}

TEST(TreeInvariants, AFreeBaseOnAWeldedBodyKeepsItsMomentum) {
  for (const std::string name : {"midpoint", "implicit", "semi_implicit", "rk4"}) {
    SCOPED_TRACE(name);
    const StepConfig config{.dt = 8e-3, .integrator = name};
    State states[2];
    for (const bool welded : {false, true}) {
      const System system(floating(welded));
      State& state = states[welded] = system.initial_state();
      const auto momentum = [&]() -> Vec3<double> {
        const std::size_t n = state.bodies.size();
        return 2 * state.bodies[n - 2].v_WB + state.bodies[n - 1].v_WB;
      };
      const Vec3<double> before = momentum();
      const auto integrator = make_integrator(system, config);
      for (int k = 0; k < 250; ++k) integrator->step(state, {});
      EXPECT_LT((momentum() - before).norm(), name == "rk4" ? 1e-4 : 1e-7);
    }
    EXPECT_LT((states[0].q - states[1].q).norm(), 1e-8);
    EXPECT_LT((states[0].v - states[1].v).norm(), 1e-8);
  }
}

// A base that slides and turns on a plane with an arm that swings across it, under gravity.
TEST(TreeInvariants, APlanarBaseUnderGravityKeepsWhatThePlaneDoesNotHold) {
  VecX<double> relative[3];
  const double speeds[] = {0, 10, 100};
  for (int k = 0; k < 3; ++k) {
    Scene scene;
    scene.gravity = kGravity;
    Link base = link_of("base", -1, JointType::kPlanar, Vec3<double>::Zero(), 2, {0.05, 0, 0}, 0.02),
         upper = link_of("upper", 0, kRevolute, {0.1, 0, 0}, 1, {0.2, 0, 0}, 0.01),
         lower = link_of("lower", 1, kRevolute, {0.4, 0, 0}, 1, {0.2, 0, 0}, 0.01);
    base.joint.axis_J = Vec3<double>::UnitZ();
    upper.joint.axis_J = lower.joint.axis_J = Vec3<double>::UnitY();
    for (const Link& link : {base, upper, lower}) scene.bodies.push_back(link_body(link));
    scene.bodies[0].joint->v = Vec3<double>(2, speeds[k], 0.5);
    const System system(scene);
    State state = system.initial_state();
    const auto momentum = [&] {
      Vec3<double> sum = Vec3<double>::Zero();
      for (std::size_t i = 0; i < 3; ++i) sum += system.body(i).mass * state.bodies[i].v_WB;
      return Eigen::Vector2d(sum.head<2>());
    };
    const Eigen::Vector2d before = momentum();
    const auto integrator = make_integrator(system, {.dt = 8e-3});
    for (int step = 0; step < 500; ++step) integrator->step(state, {});
    EXPECT_LT((momentum() - before).norm(), 1e-11 * std::max(1.0, speeds[k]));
    relative[k] = state.v.tail(2);
    EXPECT_LT((relative[k] - relative[0]).norm(), 1e-6) << speeds[k];
  }
}

// Bodies that meet, one of them with an arm, in a frame that moves at V, m/s, and in a field of gravity.
Scene meeting(const Vec3<double>& V, double gravity) {
  std::ostringstream scene;
  scene << std::setprecision(17) << "gravity 0 0 " << -gravity << "\nmu 0.4\nmodulus 1e6\n";
  const auto body = [&](const char* name, const char* place, const Vec3<double>& v, const char* spin,
                        const char* shape) {
    scene << "body " << name << " 1 2e-3 3e-3 4e-3 " << place << " 0.8 0 0.6 0 " << (v + V).transpose()
          << spin << " 1\n"
          << shape << " 0 0 0 1 0 0 0\n";
  };
  body("a", "0 0 0", {0.5, 0, 0}, " 1 2 3", "box 0.05 0.04 0.06");
  body("b", "0.13 0.01 0.01", {-0.5, 0.1, 0}, " 0 -2 1", "sphere 0.05");
  body("c", "0.02 0.13 0", {0, -0.6, 0.1}, " 3 0 0", "capsule 0.04 0.03");
  body("d", "0 -0.1 0", {0, 0, 0}, " 0 0 0", "sphere 0.03");
  scene << "joint j revolute a 0 -0.1 0 1 0 0 0 0 0 1 velocity 5\n";
  return test::scene_of(scene.str());
}

TEST(TreeInvariants, MovingFramesAndFreeFallChangeNothing) {
  const std::pair<const char*, const char*> kSteps[] = {{"midpoint", ""},
                                                        {"implicit", "soft_potential"},
                                                        {"implicit", "pressure_field"},
                                                        {"semi_implicit", "soft_potential"},
                                                        {"rk4", "soft_potential"}};
  const auto places = [](const Scene& scene, const StepConfig& config) {
    const System system(scene);
    State state = system.initial_state();
    const auto integrator = make_integrator(system, config);
    for (int k = 0; k < std::lround(0.2 / config.dt); ++k) integrator->step(state, {});
    VecX<double> apart(9);
    for (int k = 0; k < 3; ++k)
      apart.segment<3>(3 * k) = state.bodies[std::size_t(k + 1)].p_WB - state.bodies[0].p_WB;
    return apart;
  };
  for (const auto& [integrator, model] : kSteps)
    for (const double dt : {1e-3, 4e-3}) {
      SCOPED_TRACE(std::string(integrator) + " " + model + " " + std::to_string(dt));
      StepConfig config{.dt = dt, .integrator = integrator, .source = {.model = model}};
      const VecX<double> still = places(meeting({0, 0, 0}, 0), config);
      EXPECT_LT((places(meeting({10, -7, 3}, 0), config) - still).cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_LT((places(meeting({0, 0, 0}, 9.81), config) - still).cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_LT((places(meeting({100, 0, 0}, 9.81), config) - still).cwiseAbs().maxCoeff(), 1e-7);
    }
}

TEST(TreeInvariants, SlopesOfTreesOnAWeldedBaseAreThoseOnTheWorld) {
  StepDerivatives of[2];
  for (const bool welded : {false, true}) {
    const System system(workshop(welded, true, kGravity));
    State state = system.initial_state();
    const std::int32_t upper = welded ? 1 : 0;
    const StepConfig config{.dt = 8e-3, .parameters = {{Quantity::kMass, upper, 0}, {Quantity::kMass, 0, 0}}};
    make_integrator(system, config)->step(state, {}, of[welded]);
    EXPECT_EQ(of[welded].status, Status::kOk);
  }
  EXPECT_LT((of[0].state - of[1].state).norm(), 1e-10);
  EXPECT_LT((of[0].force - of[1].force).norm(), 1e-10);
  EXPECT_LT((of[0].parameter.col(0) - of[1].parameter.col(0)).norm(), 1e-10);
  EXPECT_TRUE(of[1].parameter.col(1).isZero(0));
}

// A slider on a turning base, of a size in m.
Scene slider(double size) {
  Scene scene;
  const double moment = 0.4 * size * size;
  Link base = link_of("base", -1, kRevolute, Vec3<double>::Zero(), 1, Vec3<double>::Zero(), moment),
       slide = link_of("slide", 0, kPrismatic, {3 * size, 0, 0}, 1, Vec3<double>::Zero(), moment);
  slide.joint.axis_J = Vec3<double>::UnitX();
  scene.bodies.push_back(link_body(base));
  scene.bodies.push_back(link_body(slide));
  scene.bodies[0].joint->v = VecX<double>::Constant(1, 1);
  scene.bodies[1].joint->v = VecX<double>::Constant(1, 0.1 * size);
  return scene;
}

TEST(TreeInvariants, SlopesScaleWithTheSizeOfTheTree) {
  const auto slopes_of = [](double size) -> MatX<double> {
    const System system(slider(size));
    State state = system.initial_state();
    StepDerivatives derivatives;
    make_integrator(system, {.dt = 0.1})->step(state, {}, derivatives);
    EXPECT_EQ(derivatives.status, Status::kOk);
    const Eigen::Vector4d units(1, size, 1, size);  // of the state
    return units.cwiseInverse().asDiagonal() * derivatives.state * units.asDiagonal();
  };
  const MatX<double> unit = slopes_of(1);
  const System system(slider(1));
  StepDifferences differences(system, {.dt = 0.1});
  for (Eigen::Index k = 0; k < 4; ++k)
    EXPECT_LT(
        (differences.slope(system.initial_state(), VecX<double>::Unit(4, k), 1e-3) - unit.col(k)).norm(),
        1e-9);
  for (const double size : {1e-6, 1e-4, 1e-2, 1e3, 1e6})
    EXPECT_LT((slopes_of(size) - unit).cwiseAbs().maxCoeff(), 1e-8) << size;
}

}  // namespace
