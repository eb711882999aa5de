// Momenta that joints on the world leave alone, under the integrators in the coordinates of a system's tree.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/robot.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/support/random_trees.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using enum JointType;

constexpr double kSpan = 5, kStep = 2e-3;  // s

Body tumbling() {
  Body body;
  body.name = "free";
  body.mass = 0.7;
  body.inertia = {2e-3, 3e-3, 4e-3};
  body.v_WB = {0.1, 0.2, 0.3};
  body.w_WB_W = {2, -2.5, 1.9};
  return body;
}

// At the world's origin, its centre of mass off it.
Link link_on(JointType type, int parent) {
  Link link;
  link.name = "link" + std::to_string(parent + 1);
  link.parent = parent;
  link.joint.name = link.name + "_joint";
  link.joint.type = type;
  link.joint.axis_J = Vec3<double>(1, 2, 2) / 3;
  link.inertia = {0.7, {0.05, 0.02, -0.07}, Vec3<double>(2e-3, 3e-3, 4e-3).asDiagonal()};
  return link;
}

// Bodies on a joint on the world and `revolute` more, each on the one before, at `v`.
struct Chain {
  Scene scene;
  State start;
};
Chain chain(JointType root, int revolute, const VecX<double>& v) {
  Chain chain;
  for (int k = 0; k <= revolute; ++k)
    chain.scene.bodies.push_back(link_body(link_on(k == 0 ? root : kRevolute, k - 1)));
  const System system(chain.scene);
  const SystemTree tree(system);
  TreeScratch scratch(tree.tree());
  chain.start = system.initial_state();
  VecX<double> q, rest;
  tree.coordinates(chain.start, q, rest);
  tree.place(q, v, scratch, chain.start);
  return chain;
}

State after(const System& system, State state, std::string_view integrator, double tolerance = 1e-12) {
  StepConfig config{.dt = kStep, .integrator = std::string(integrator)};
  if (integrator != "midpoint") config.source.model = "soft_potential";
  if (integrator == "implicit") config.integrator_settings = {{"tolerance", tolerance}};
  const auto stepper = make_integrator(system, config);
  for (int k = 0; k < std::lround(kSpan / kStep); ++k)
    EXPECT_EQ(stepper->step(state, {}).status(), Status::kOk);
  return state;
}

// (angular about the world's origin; linear), N m s and N s.
Vec6<double> momenta(const System& system, const State& state) {
  Vec6<double> sum = Vec6<double>::Zero();
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    const BodyState& body = state.bodies[i];
    const Vec3<double> linear = system.body(i).mass * body.v_WB;
    sum.head<3>() += body.L_W + body.p_WB.cross(linear);
    sum.tail<3>() += linear;
  }
  return sum;
}

// The same with the angular momentum about the common centre of mass.
Vec6<double> momenta_about_centre(const System& system, const State& state) {
  Vec6<double> sum = momenta(system, state);
  Vec3<double> centre = Vec3<double>::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    centre += system.body(i).mass * state.bodies[i].p_WB;
    mass += system.body(i).mass;
  }
  sum.head<3>() -= (centre / mass).cross(sum.tail<3>());
  return sum;
}

double kinetic(const System& system, const State& state, std::size_t body) {
  return system.kinetic_energy(state, body) -
         system.body(body).mass * state.bodies[body].v_WB.squaredNorm() / 2;
}

// Steps of first order.
constexpr std::string_view kFirstOrder[] = {"implicit", "semi_implicit"};

TEST(JointMomentum, AFreeBodyBesideAJointTumblesAsWithoutAJoint) {
  Scene alone;
  alone.bodies.push_back(tumbling());
  Scene beside = alone;
  beside.bodies.push_back(link_body(link_on(kRevolute, -1)));
  const System without(alone), with(beside);
  const double start = kinetic(without, without.initial_state(), 0),
               lost = start - kinetic(without, after(without, without.initial_state(), "implicit"), 0);
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 0.02 * start);
  for (const std::string_view name : kFirstOrder) {
    SCOPED_TRACE(name);
    const State first = with.initial_state(), last = after(with, first, name);
    const Vec3<double> L = first.bodies[0].L_W;
    EXPECT_LT((last.bodies[0].L_W - L).norm(), 1e-8 * L.norm());
    EXPECT_LT((last.bodies[0].v_WB - first.bodies[0].v_WB).norm(), 1e-9);
    EXPECT_NEAR(start - kinetic(with, last, 0), lost, 0.01 * lost);
  }
}

TEST(JointMomentum, WhatHangsOnNothingKeepsItsMomentaWhereverItsCentreOfMassIs) {
  for (const int revolute : {0, 2}) {
    const VecX<double> v = (VecX<double>(8) << 2, -2.5, 1.9, 0.3, 0.2, 0.1, 1, -2).finished();
    const Chain floating = chain(kFree, revolute, v.head(6 + revolute));
    const System system(floating.scene);
    const Vec6<double> start = momenta(system, floating.start),
                       about_centre = momenta_about_centre(system, floating.start);
    for (const std::string_view name : kFirstOrder) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(revolute) + " joints");
      const State last = after(system, floating.start, name);
      EXPECT_LT((momenta_about_centre(system, last) - about_centre).norm(), 1e-8 * start.norm());
      // About a fixed point in the order of the step, in which the centre of mass goes straight on.
      EXPECT_LT((momenta(system, last) - start).norm(), 1e-2 * start.norm());
    }
  }
}

// However fast they move, and in a field of gravity, floating bodies turn alike.
TEST(JointMomentum, HowTheyTurnDoesNotDependOnHowFastTheyMove) {
  for (const int revolute : {0, 1})
    for (const JointType type : {kFree, kPlanar}) {
      const Eigen::Index n = type == kFree ? 6 : 3;
      VecX<double> v = (VecX<double>(7) << 0, 0, 3, 0, 0, 0, 4).finished();
      if (type == kPlanar) v = (VecX<double>(4) << 3, 0, 0, 4).finished();
      Chain slow = chain(type, revolute, v.head(n + revolute));
      v[type == kFree ? 3 : 1] = 100;
      Chain fast = chain(type, revolute, v.head(n + revolute));
      if (type == kFree) fast.scene.gravity = {0, 0, -9.81};
      const System still(slow.scene), flying(fast.scene);
      for (const std::string_view name : kFirstOrder) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(revolute) + " joints, type " +
                     std::to_string(static_cast<int>(type)));
        const State a = after(still, slow.start, name), b = after(flying, fast.start, name);
        EXPECT_LT((a.bodies[0].L_W - b.bodies[0].L_W).norm(), 1e-7 * a.bodies[0].L_W.norm());
        if (revolute > 0) {
          EXPECT_NEAR(a.v.tail(1)[0], b.v.tail(1)[0], 1e-7);
        }
        EXPECT_GT(std::abs(a.bodies[0].q_WB.dot(b.bodies[0].q_WB)), 1 - 1e-12);
      }
    }
}

// About the pivot, and in the plane.
TEST(JointMomentum, SphericalAndPlanarJointsOnTheWorldKeepWhatTheyDoNotHold) {
  for (const int revolute : {0, 1})
    for (const JointType type : {kSpherical, kPlanar}) {
      const VecX<double> v = (VecX<double>(4) << 2, -2.5, 1.9, 1).finished();
      const Chain held = chain(type, revolute, v.head(3 + revolute));
      const System system(held.scene);
      const Vec6<double> start = momenta(system, held.start);
      for (const std::string_view name : {"implicit", "semi_implicit", "midpoint"}) {
        if (type == kSpherical && name == "midpoint") continue;  // keeps its energy, that to the second order
        SCOPED_TRACE(std::string(name) + ", type " + std::to_string(static_cast<int>(type)));
        const State last = after(system, held.start, name);
        const Vec6<double> change =
            type == kPlanar
                ? Vec6<double>(momenta_about_centre(system, last) - momenta_about_centre(system, held.start))
                : Vec6<double>(momenta(system, last) - start);
        const Vec3<double> normal = link_on(type, -1).joint.axis_J;
        if (type == kSpherical) {
          EXPECT_LT(change.head<3>().norm(), 1e-8 * start.norm());
        } else {
          EXPECT_LT(std::abs(change.head<3>().dot(normal)), 1e-8 * start.norm());
          EXPECT_LT(change.tail<3>().cross(normal).norm(), 1e-8 * start.norm());
        }
      }
    }
}

// Of what tumbles by 0.5 rad in a step, with armatures.
Scene with_armatures(const Chain& chain) {
  Scene scene = chain.scene;
  scene.gravity = {0.3, 0.2, -9.81};
  for (Body& body : scene.bodies) body.joint->joint.armature = 0.01;
  return scene;
}

StepConfig long_step(std::string_view integrator) {
  StepConfig config{.dt = 0.05, .integrator = std::string(integrator), .source = {.model = "soft_potential"}};
  if (integrator == "implicit") config.integrator_settings = {{"tolerance", 1e-12}};
  config.parameters = {{Quantity::kMass, 0}, {Quantity::kMomentZ, 1}};
  return config;
}

// Velocities after a step from q and v of a state, with a parameter larger by a share.
VecX<double> stepped(const Scene& scene, const State& start, const StepConfig& config, std::size_t parameter,
                     double share) {
  const auto& [quantity, at, shape] = config.parameters[parameter];
  Scene changed = scene;
  Body& body = changed.bodies[static_cast<std::size_t>(at)];
  set_value(body, quantity, (1 + share) * value_of(body, quantity));
  return test::stepped_as(changed, scene, start, config).v;
}

TEST(JointMomentum, DerivativesAreExactInLongSteps) {
  constexpr double kSize = 1e-3;  // of the differences
  const VecX<double> v = (VecX<double>(7) << 9, -6, 4, 3, 2, 1, 5).finished();
  for (const JointType type : {kFree, kSpherical, kPlanar})
    for (const std::string_view name : kFirstOrder) {
      SCOPED_TRACE(std::string(name) + ", type " + std::to_string(static_cast<int>(type)));
      const Eigen::Index ni = joint_kind(type).nv + 1;
      const Chain moving = chain(type, 1, v.head(ni));
      const Scene scene = with_armatures(moving);
      const StepConfig config = long_step(name);
      test::StepDifferences differences(System(scene), config);
      StepDerivatives derivatives;
      State next = moving.start;
      EXPECT_EQ(differences.integrator().step(next, {}, derivatives).status(), Status::kOk);
      const double scale = derivatives.state.cwiseAbs().maxCoeff();
      for (Eigen::Index k = 0; k < 2 * ni; ++k) {
        const VecX<double> slope = differences.slope(moving.start, VecX<double>::Unit(2 * ni, k), kSize);
        EXPECT_LT((derivatives.state.col(k) - slope).cwiseAbs().maxCoeff(), 1e-7 * scale) << "column " << k;
      }
      for (std::size_t k = 0; k < config.parameters.size(); ++k) {
        const auto at = [&](double share) { return stepped(scene, moving.start, config, k, share * kSize); };
        const VecX<double> slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kSize);
        const auto& [quantity, body, shape] = config.parameters[k];
        const VecX<double> exact = value_of(scene.bodies[static_cast<std::size_t>(body)], quantity) *
                                   derivatives.parameter.col(static_cast<Eigen::Index>(k)).tail(ni);
        EXPECT_GT(slope.norm(), 1e-3);
        EXPECT_LT((exact - slope).norm(), 1e-7 * std::max(1.0, slope.norm())) << "parameter " << k;
      }
    }
}

// A ball that turns by 20 rad a step, beside a joint, so that implicit steps are in the tree's coordinates.
TEST(JointMomentum, DerivativesAreExactWhateverTheTurnOfAStep) {
  Chain moving = chain(kRevolute, 0, VecX<double>::Constant(1, 0.3));
  Body ball = tumbling();
  ball.inertia.setConstant(3e-3);
  ball.w_WB_W = {1200, -1500, 600};
  moving.scene.bodies.push_back(ball);
  const System system(moving.scene);
  const State start = system.initial_state();
  for (const std::string_view name : kFirstOrder) {
    SCOPED_TRACE(name);
    StepConfig config = long_step(name);
    config.dt = 1e-2;
    test::StepDifferences differences(system, config);
    StepDerivatives derivatives;
    State next = start;
    EXPECT_EQ(differences.integrator().step(next, {}, derivatives).status(), Status::kOk);
    EXPECT_EQ(derivatives.status, Status::kOk);
    for (Eigen::Index k = 0; k < differences.size(); ++k) {
      const VecX<double> slope = differences.slope(start, VecX<double>::Unit(differences.size(), k), 1e-3);
      EXPECT_LT((derivatives.state.col(k) - slope).cwiseAbs().maxCoeff(), 1e-6) << "column " << k;
    }
  }
}

}  // namespace
