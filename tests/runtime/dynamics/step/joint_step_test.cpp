// Integrators in the coordinates of a system's tree: joints of every type beside free bodies, with contact.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/robot.h"
#include "runtime/dynamics/system/system_tree.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/support/random_trees.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using enum JointType;

Shape floor_at(double height) {
  Shape shape{body::Geometry(body::HalfSpace<double>{}), {}};
  shape.X_BS.p.z() = height;
  shape.material = {.modulus = body::kRigid, .friction = 0.4};
  return shape;
}

Shape ball(double radius) {
  return {body::Geometry(body::Sphere<double>{radius}), {}, {.modulus = 1e5, .friction = 0.4}};
}

Body free_body(const std::string& name, const Vec3<double>& p_WB) {
  Body body;
  body.name = name;
  body.mass = 0.7;
  body.inertia = {2e-3, 3e-3, 4e-3};
  body.p_WB = p_WB;
  return body;
}

// On a revolute joint, a mass in kg and a moment about all axes in kg m^2.
Link hinged(const std::string& name, double mass, const Vec3<double>& p_LLcm, double moment) {
  Link link;
  link.name = name;
  link.joint.name = name + "_hinge";
  link.joint.type = kRevolute;
  link.inertia = {mass, p_LLcm, moment * Mat3<double>::Identity()};
  return link;
}

// Joints of every type, one that mimics another, and a free body.
Scene busy_scene(unsigned seed) {
  test::TreeSource random(seed);
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  const std::vector<Link> links = random.links(test::every_joint_type());
  for (const Link& link : links) {
    Body& body = scene.bodies.emplace_back(link_body(link));
    BodyJoint& joint = *body.joint;
    joint.joint.damping = random.number(0, 0.2);
    joint.joint.friction = random.number(0, 0.1);
    const double stiffness = random.number(0, 3);
    if (joint_kind(joint.joint.type).nv == 1) joint.joint.stiffness = stiffness;
    body.group = 1;
  }
  Body& follower = scene.bodies.back();  // revolute, as the second one
  follower.joint->joint.mimic = Mimic{1, -0.7, 0.1};
  scene.bodies.push_back(free_body("free", {0, 0, 3}));
  return scene;
}

State random_state(const System& system, unsigned seed) {
  test::TreeSource random(seed);
  const SystemTree coordinates(system);
  VecX<double> q = random.coordinates(coordinates.tree()), v;
  coordinates.mimics().obey(q);
  v = coordinates.mimics().velocities(random.numbers(coordinates.mimics().nv(), 1));
  TreeScratch scratch(coordinates.tree());
  State state;
  coordinates.place(q, v, scratch, state);
  return state;
}

StepConfig config_of(std::string_view integrator, double dt, const std::string& model = "soft_minimum") {
  StepConfig config;
  config.dt = dt;
  config.integrator = integrator;
  config.source.model = model;
  if (integrator == "implicit") config.integrator_settings = {{"tolerance", 1e-12}};
  return config;
}

std::vector<std::string> integrators_with_derivatives() {
  std::vector<std::string> names;
  for (const IntegratorRow& row : integrators())
    if (test::has_smooth_derivatives(row)) names.emplace_back(row.name);
  return names;
}

// `size`: of the differences.
void expect_derivatives(const Scene& scene, const State& state, const StepConfig& config, double size) {
  const System system(scene);
  test::StepDifferences differences(system, config);
  StepDerivatives derivatives;
  State stepped = state;
  differences.integrator().step(stepped, {}, derivatives);
  EXPECT_LT(differences.between(stepped, differences.next(state)).norm(), 1e-14);
  const double scale = derivatives.state.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < differences.size(); ++k) {
    const VecX<double> slope = differences.slope(state, VecX<double>::Unit(differences.size(), k), size);
    EXPECT_LT((derivatives.state.col(k) - slope).cwiseAbs().maxCoeff(), 1e-7 * scale) << "column " << k;
  }
}

TEST(JointStep, DerivativesEqualDifferencesForEveryTypeOfJoint) {
  const Scene scene = busy_scene(5);
  const System system(scene);
  for (const std::string& name : integrators_with_derivatives())
    for (unsigned seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(name + ", state " + std::to_string(seed));
      expect_derivatives(scene, random_state(system, seed), config_of(name, 5e-3), 3e-5);
    }
}

// An arm of three joints with a ball as its tip on a floor and on a free ball, and another ball at rest
// there.
Scene touching_scene() {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  scene.fixed.push_back(floor_at(0));
  for (int k = 0; k < 3; ++k) {
    Link link;
    link.name = "link" + std::to_string(k);
    link.parent = k - 1;
    link.joint.name = "joint" + std::to_string(k);
    link.joint.type = kRevolute;
    link.joint.axis_J = k == 0 ? Vec3<double>::UnitZ() : Vec3<double>::UnitY();
    link.joint.X_PJ.p = {k == 0 ? 0 : 0.3, 0, k == 0 ? 0.045 : 0};
    link.joint.damping = 0.1;
    link.inertia = {0.5, {0.15, 0, 0}, Vec3<double>(1e-4, 2e-3, 2e-3).asDiagonal()};
    scene.bodies.push_back(link_body(link));
  }
  Body& tip = scene.bodies.back();
  tip.shapes.push_back(ball(0.05));
  tip.shapes.back().X_BS.p = tip.joint->X_LB.inverse() * Vec3<double>(0.3, 0, 0);
  Body& other = scene.bodies.emplace_back(free_body("free", {0.995, 0, 0.049}));
  other.shapes.push_back(ball(0.05));
  return scene;
}

TEST(JointStep, DerivativesEqualDifferencesInContact) {
  const Scene scene = touching_scene();
  const System system(scene);
  for (const char* model : {"soft_minimum", "soft_potential"})
    for (const std::string& name : integrators_with_derivatives()) {
      SCOPED_TRACE(name + ", " + model);
      State state = system.initial_state();
      const StepConfig config = config_of(name, 1e-3, model);
      const auto integrator = make_integrator(system, config);
      int most = 0;
      for (int k = 0; k < 5; ++k) most = std::max(most, integrator->step(state, {}).contacts);
      EXPECT_GE(most, 2);
      expect_derivatives(scene, state, config, 1e-6);
    }
}

// With the default settings, under which friction turns round over 3e-7 m/s: on the arm and free, and fast.
TEST(JointStep, ImplicitStepsOfRollingBallsHaveAnswers) {
  Scene scene = touching_scene();
  for (const double dt : {1e-3, 8e-3, 16e-3})
    for (const double speed : {0.0, 1.0, 30.0}) {
      scene.bodies.back().v_WB = {speed, 0, 0};
      const System system(scene);
      State state = system.initial_state();
      const auto integrator = make_integrator(system, config_of("implicit", dt, "soft_potential"));
      for (int k = 0; k < 50; ++k) EXPECT_EQ(integrator->step(state, {}).status(), Status::kOk) << dt;
    }
}

// A residual without an end is no answer.
TEST(JointStep, ForcesBeyondTheNumbersAreNotLeftOut) {
  Scene scene;
  scene.bodies.push_back(link_body(hinged("arm", 1, {0.1, 0, 0}, 1)));
  const System system(scene);
  const auto integrator = make_integrator(system, config_of("implicit", 1e-3));
  const std::vector<double> force(1, 1e160);
  State state = system.initial_state();
  try {
    EXPECT_EQ(integrator->step(state, {.joint_force = force}).status(), Status::kNotConverged);
  } catch (const InvalidInput&) {  // said as well
  }
}

// Beside a joint its velocity is in its own axes, which turn by 1.6 rad a step. At several speeds together:
// how often friction turns round within a step, and is sought by way of smoother friction, is chance. The
// slip is a difference of velocities 3e7 times as large, whose rounding makes residuals above the tolerance.
TEST(JointStep, ARollingBallBesideAJointTakesNoMoreIterationsThanAlone) {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  scene.fixed.push_back(floor_at(0));
  scene.bodies.push_back(free_body("ball", {0, 0, 0.0499}));
  scene.bodies[0].shapes.push_back(ball(0.05));
  scene.bodies[0].inertia.setConstant(7e-4);
  int halved = 0;  // steps
  const auto iterations_of = [&](Scene of) {
    int iterations = 0;
    for (const double speed : {5.0, 8.0, 9.0, 10.0, 11.0, 12.0}) {
      of.bodies[0].v_WB = {speed, 0, 0};
      of.bodies[0].w_WB_W = {0, speed / 0.05, 0};
      const System system(of);
      State state = system.initial_state();
      const auto integrator = make_integrator(system, config_of("implicit", 8e-3, "soft_potential"));
      for (int k = 0; k < 40; ++k) {
        const StepReport& report = integrator->step(state, {});
        iterations += report.solver.iterations;
        halved += report.substeps > 1;
      }
      EXPECT_LT(std::abs(state.bodies[0].p_WB.z() - 0.05), 1e-3);
    }
    return iterations;
  };
  const int alone = iterations_of(scene);
  scene.bodies.push_back(link_body(hinged("weight", 1, {0, 0, 0}, 1)));
  EXPECT_LE(iterations_of(scene), 1.2 * alone);
  EXPECT_LE(halved, 10) << "of 480 steps";
}

TEST(JointStep, AFreeBodyKeepsItsVelocityAndItsWayWhateverTheStep) {
  Scene scene;
  scene.bodies.push_back(free_body("free", {0, 0, 0}));
  scene.bodies[0].v_WB = {1, 2, 3};
  scene.bodies[0].w_WB_W = {4, -5, 6};
  scene.bodies.push_back(link_body(hinged("weight", 1, {0, 0, 0}, 1)));
  const System system(scene);
  for (const char* name : {"semi_implicit", "implicit"}) {
    State state = system.initial_state();
    const auto integrator = make_integrator(system, config_of(name, 1e-2));
    for (int k = 0; k < 100; ++k) integrator->step(state, {});
    EXPECT_LT((state.bodies[0].v_WB - Vec3<double>(1, 2, 3)).norm(), 1e-10) << name;
    EXPECT_LT((state.bodies[0].p_WB - Vec3<double>(1, 2, 3)).norm(), 1e-10) << name;
  }
}

double energy_after(const System& system, const State& start, double time, double dt) {
  State state = start;
  const auto integrator = make_integrator(system, config_of("rk4", dt));
  StepReport report;
  for (int k = 0; k < std::lround(time / dt); ++k) report = integrator->step(state, {});
  return report.kinetic + report.potential;
}

// Joints without damping, and bodies that turn.
TEST(JointStep, EnergyOfRungeKuttaIsOffByTheFourthPowerOfTheStep) {
  test::TreeSource random(3);
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  for (Link link : random.links({kSpherical, kRevolute, kPlanar, kFree, kPrismatic})) {
    link.joint.armature = 0;
    scene.bodies.push_back(link_body(link));
  }
  const System system(scene);
  const State start = random_state(system, 4);
  const double exact = energy_after(system, start, 0.2, 1e-4);
  const double coarse = std::abs(energy_after(system, start, 0.2, 4e-3) - exact),
               fine = std::abs(energy_after(system, start, 0.2, 2e-3) - exact);
  EXPECT_GT(coarse / fine, 12);
  EXPECT_LT(fine, 1e-5 * std::abs(exact));
}

TEST(JointStep, JointsThatMimicFollow) {
  const System system(busy_scene(7));
  for (const std::string& name : integrators_with_derivatives()) {
    State state = random_state(system, 1);
    const auto integrator = make_integrator(system, config_of(name, 1e-3));
    for (int k = 0; k < 20; ++k) integrator->step(state, {});
    const Eigen::Index follower = system.first_q(11), leader = system.first_q(1);
    EXPECT_NEAR(state.q[follower], -0.7 * state.q[leader] + 0.1, 1e-12) << name;
  }
}

TEST(JointStep, AVelocityThatAMimickingJointCannotHaveIsNotTaken) {
  const System system(busy_scene(7));
  for (const IntegratorRow& row : integrators()) {
    if (!row.takes_joints) continue;
    const State start = random_state(system, 1);
    State given = start, wrong = start;
    wrong.v[system.first_v(11)] += 1;
    for (State* state : {&given, &wrong})
      for (int k = 0; k < 2; ++k)
        make_integrator(system, config_of(std::string(row.name), 1e-3))->step(*state, {});
    EXPECT_EQ(wrong.q, given.q) << row.name;
    EXPECT_EQ(wrong.v, given.v) << row.name;
  }
}

TEST(JointStep, AStiffDriveHoldsItsTargetAndALimitIsNotPassed) {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  Link link = hinged("arm", 2, {0.5, 0, 0}, 0.1);
  link.joint.axis_J = Vec3<double>::UnitY();
  link.joint.stiffness = 1e7;
  scene.bodies.push_back(link_body(link));
  link.name = "flap";
  link.joint.name = "flap_hinge";
  link.joint.stiffness = 0;
  link.joint.upper = 0.3;
  scene.bodies.push_back(link_body(link));
  const System system(scene);
  State state = system.initial_state();
  const auto integrator = make_integrator(system, config_of("implicit", 1e-2));
  const double target[] = {0.4, 0};
  Control control;
  control.joint_target = target;
  for (int k = 0; k < 400; ++k) EXPECT_EQ(integrator->step(state, control).solver.status, Status::kOk);
  EXPECT_NEAR(state.q[0], 0.4, 1e-5);
  EXPECT_NEAR(state.q[1], 0.3, 3e-3);
  EXPECT_LT(state.v.norm(), 1e-6);
}

TEST(JointStep, BodiesOfAGroupOrJoinedOrApartDoNotMeet) {
  Scene scene = touching_scene();
  const System touching(scene);
  const std::size_t tip = 1 + 2, other = 1 + 3, floor = 0;
  EXPECT_TRUE(touching.may_meet(tip, other));
  EXPECT_TRUE(touching.may_meet(floor, tip));
  EXPECT_FALSE(touching.may_meet(1, 2));  // joined
  scene.apart.emplace_back(3, 2);
  EXPECT_FALSE(System(scene).may_meet(tip, other));
  scene.apart.clear();
  scene.bodies[2].group = scene.bodies[3].group = 4;
  EXPECT_FALSE(System(scene).may_meet(tip, other));
}

TEST(JointStep, WhatIsWrongIsNamed) {
  const Scene scene = touching_scene();
  const System system(scene);
  EXPECT_EQ(
      test::refusal([&] { make_integrator(system, {.integrator = "published"}); }),
      "simulation: the integrator 'published' takes no joints, which the scene has; take one of: midpoint, "
      "implicit, semi_implicit, rk4");
  Scene many;
  many.bodies.assign(201, free_body("one of many", {0, 0, 0}));
  EXPECT_EQ(test::refusal([&] { make_integrator(System(many), config_of("rk4", 1e-3)); }),
            "system: 1206 degrees of freedom; bodies that joints connect, and all bodies for integrators "
            "other than "
            "midpoint, can have 1200; take --integrator midpoint for piles");
  State state = system.initial_state();
  state.q[1] = std::nan("");
  EXPECT_EQ(test::refusal([&] { system.require_valid(state); }), "state: joint 'joint1' is not finite");
  const double too_many[] = {1, 2, 3, 4};
  Control control;
  control.joint_force = too_many;
  EXPECT_EQ(test::refusal([&] { system.require_valid(control); }), "control: 4 forces of joints for 3");
}

// 1 g that friction holds, beside nothing and beside 1e6 kg that nothing holds.
TEST(JointStep, WhatIsHeavyDoesNotLoosenTheToleranceOfOthers) {
  const auto moved = [](double heavy) {
    Scene scene;
    scene.gravity = {0, 0, -9.81};
    scene.bodies.push_back(link_body(hinged("light", 1e-3, {0.1, 0, 0}, 1e-5)));
    scene.bodies[0].joint->joint.friction = 2e-3;
    scene.bodies[0].joint->v = VecX<double>::Constant(1, 2);
    if (heavy > 0) scene.bodies.push_back(link_body(hinged("heavy", heavy, {0.1, 0, 0}, 1)));
    const System system(scene);
    State state = system.initial_state();
    StepConfig config = config_of("implicit", 8e-3);
    config.integrator_settings = {};
    const auto integrator = make_integrator(system, config);
    std::vector<double> v;
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(integrator->step(state, {}).status(), Status::kOk);
      v.push_back(state.v[0]);
    }
    return v;
  };
  const std::vector<double> alone = moved(0), beside = moved(1e6);
  for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_NEAR(alone[k], beside[k], 1e-6) << "step " << k;
}

}  // namespace
