// Contact forces of steps: what carries bodies, what opposes what, and what changes momenta.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/simulation.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/allocations.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kGravity = 9.81;  // m/s^2

const std::string kSlippery = "gravity 0 0 -9.81\nmodulus 3e5\ndissipation 1\n",
                  kGround = kSlippery + "mu 0.5\n";
const std::string kPlane = "plane 0 0 1 0\n", kFloor = kGround + kPlane;

// Of `mass` kg, 0.4 x 0.2 x 0.1 m, at rest unless `velocity` (v; w) is given.
std::string box_at(const std::string& name, const std::string& mass, const std::string& position,
                   const std::string& velocity = "0 0 0 0 0 0") {
  return "body " + name + " " + mass + " 0.01 0.02 0.025 " + position + " 1 0 0 0 " + velocity +
         " 1\n box 0.2 0.1 0.05 0 0 0 1 0 0 0\n";
}

bool is_explicit(std::string_view integrator) { return integrator == "semi_implicit" || integrator == "rk4"; }

StepConfig config_of(std::string_view integrator) {
  StepConfig config;
  config.integrator = integrator;
  config.dt = is_explicit(integrator) ? 2e-4 : 2e-3;
  return config;
}

// Contact forces of a simulation's last step.
std::vector<ContactForce> forces_of(const Simulation& simulation) {
  std::vector<ContactForce> forces;
  simulation.contact_forces(forces);
  return forces;
}

Vec3<double> force(const ContactForce& pair, int on = 1) {
  return pair.F_W[static_cast<std::size_t>(on)].tail<3>();
}
Vec3<double> moment(const ContactForce& pair, int on = 1) {
  return pair.F_W[static_cast<std::size_t>(on)].head<3>();
}

// What the forces sum to on a body: (moment; force).
Vec6<double> sum_on(std::int32_t body, const std::vector<ContactForce>& forces) {
  Vec6<double> sum = Vec6<double>::Zero();
  for (const ContactForce& pair : forces) {
    if (pair.A == body) sum += pair.F_W[0];
    if (pair.B == body) sum += pair.F_W[1];
  }
  return sum;
}

// Where bodies have their centres of mass, the fixed shapes the world's origin.
Vec3<double> place(const State& state, std::int32_t body) {
  return body == kFixed ? Vec3<double>(Vec3<double>::Zero())
                        : state.bodies[static_cast<std::size_t>(body)].p_WB;
}

void expect_reactions(const std::vector<ContactForce>& forces, const State& state, double tolerance) {
  for (const ContactForce& pair : forces) {
    EXPECT_LT((force(pair, 0) + force(pair, 1)).norm(), tolerance);
    const Vec3<double> about_origin = moment(pair, 0) + place(state, pair.A).cross(force(pair, 0)) +
                                      moment(pair, 1) + place(state, pair.B).cross(force(pair, 1));
    EXPECT_LT(about_origin.norm(), tolerance);
  }
}

// Off the centre for the integrators that hold it there: explicit steps of this length let friction chatter.
// The published solver holds no stack still.
TEST(ContactForces, OfAStackAtRestCarryItsWeight) {
  for (const IntegratorRow& row : integrators()) {
    if (row.name == "published") continue;
    SCOPED_TRACE(std::string(row.name));
    const bool holds = row.name == "midpoint" || row.name == "implicit";
    const double x = holds ? 0.1 : 0, y = holds ? 0.02 : 0;
    Simulation simulation(
        test::scene_of((holds ? kGround : kSlippery) + kPlane +
                       box_at("upper", "1", std::to_string(x) + " " + std::to_string(y) + " 0.15") +
                       box_at("lower", "2", "0 0 0.05")),
        config_of(row.name));
    EXPECT_TRUE(forces_of(simulation).empty());
    while (simulation.time() < 1) simulation.step();
    const std::vector<ContactForce> forces = forces_of(simulation);
    ASSERT_EQ(forces.size(), 2U);
    EXPECT_EQ(forces[0].A, kFixed);
    EXPECT_EQ(forces[0].B, 1);
    EXPECT_EQ(forces[1].A, 0);
    EXPECT_EQ(forces[1].B, 1);
    for (const ContactForce& pair : forces) EXPECT_GE(pair.contacts, 1);
    constexpr double kAccuracy = 1e-4;  // N and N m
    EXPECT_LT((force(forces[0]) - Vec3<double>(0, 0, 3 * kGravity)).norm(), kAccuracy);
    EXPECT_LT((force(forces[1]) - Vec3<double>(0, 0, -kGravity)).norm(), kAccuracy);
    EXPECT_LT((moment(forces[1]) - Vec3<double>(-y * kGravity, x * kGravity, 0)).norm(), 0.1);
    for (const std::int32_t body : {0, 1}) EXPECT_LT(sum_on(body, forces).head<3>().norm(), kAccuracy);
    expect_reactions(forces, simulation.state(), 1e-4);
  }
}

TEST(ContactForces, OfAllFixedShapesAreOnePair) {
  for (const IntegratorRow& row : integrators()) {
    SCOPED_TRACE(std::string(row.name));
    Simulation simulation(test::scene_of(kFloor + "plane 0 0 1 0\n" + box_at("a", "2", "0.5 0 0.05") +
                                         box_at("b", "1", "-0.5 0 0.05")),
                          config_of(row.name));
    while (simulation.time() < 0.5) simulation.step();
    const std::vector<ContactForce> forces = forces_of(simulation);
    ASSERT_EQ(forces.size(), 2U);
    for (const std::int32_t body : {0, 1}) {
      const ContactForce& pair = forces[static_cast<std::size_t>(body)];
      EXPECT_EQ(pair.A, kFixed);
      EXPECT_EQ(pair.B, body);
      EXPECT_NEAR(force(pair).z(), (2 - body) * kGravity, 1e-4);
    }
  }
}

// A box that falls on its edge, spins, slides and meets another: momenta change as each integrator's formulas
// say.
TEST(ContactForces, ChangeTheMomentaOfBodiesInMotion) {
  const Scene scene = test::scene_of(kFloor + box_at("a", "2", "0 0 0.2", "1 0.2 -1 1 2 3") +
                                     box_at("b", "1", "0.45 0.02 0.05"));
  for (const char* name : {"midpoint", "implicit", "semi_implicit"}) {
    SCOPED_TRACE(name);
    const StepConfig config = config_of(name);
    Simulation simulation(scene, config);
    int loaded = 0;
    bool met = false;
    while (simulation.time() < 0.5) {
      const State before = simulation.state();
      if (simulation.step().substeps > 1) continue;
      const State& after = simulation.state();
      const std::vector<ContactForce> forces = forces_of(simulation);
      loaded += static_cast<int>(forces.size());
      for (const ContactForce& pair : forces) met = met || pair.A == 0;
      double greatest = 1;  // N
      for (const ContactForce& pair : forces) greatest = std::max(greatest, pair.F_W[1].norm());
      for (const std::int32_t body : {0, 1}) {
        const auto i = static_cast<std::size_t>(body);
        const double mass = simulation.system().body(i).mass;
        const Vec6<double> sum = sum_on(body, forces);
        const Vec3<double> push = mass / config.dt * (after.bodies[i].v_WB - before.bodies[i].v_WB) -
                                  mass * simulation.scene().gravity;
        const Vec3<double> turn = (after.bodies[i].L_W - before.bodies[i].L_W) / config.dt;
        EXPECT_LT((push - sum.tail<3>()).norm(), 1e-5 * greatest) << simulation.steps();
        EXPECT_LT((turn - sum.head<3>()).norm(), 1e-5 * greatest) << simulation.steps();
      }
      if (std::string_view(name) == "midpoint") {
        State middle = before;
        for (BodyState& body : middle.bodies) body.p_WB += config.dt / 2 * body.v_WB;
        expect_reactions(forces, middle, 1e-10 * greatest);
      } else {
        expect_reactions(forces, std::string_view(name) == "implicit" ? after : before, 1e-10 * greatest);
      }
      if (HasFailure()) break;
    }
    EXPECT_GT(loaded, 20);
    EXPECT_TRUE(met);
  }
}

// The last of a step's places is its end but for errors of high order; `semi_implicit` evaluates forces at
// the start.
TEST(ContactForces, OfRungeKuttaAreThoseOfTheEndOfTheStep) {
  const Scene scene = test::scene_of(kFloor + box_at("a", "2", "0 0 0.0501", "0.2 0 -0.05 0 0 0"));
  Simulation simulation(scene, config_of("rk4"));
  int compared = 0;
  while (simulation.time() < 0.3) {
    simulation.step();
    const std::vector<ContactForce> forces = forces_of(simulation);
    if (forces.empty() || forces[0].F_W[1].norm() < 1) continue;
    Simulation next(scene, config_of("semi_implicit"));
    next.restore(simulation.state(), 0);
    next.step();
    const std::vector<ContactForce> there = forces_of(next);
    ASSERT_EQ(there.size(), 1U);
    EXPECT_LT((there[0].F_W[1] - forces[0].F_W[1]).norm(), 0.02 * there[0].F_W[1].norm());
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

// Two fingers on slides squeeze a box and hold it; what is left of the drives' forces moves the fingers.
TEST(ContactForces, OfAGripperBalanceItsDrivesAndItsLoad) {
  const auto finger = [](const std::string& name, const std::string& x) {
    return "body " + name + " 0.5 0.001 0.001 0.001 " + x +
           " 0 1 1 0 0 0 0 0 0 0 0 0 1\n box 0.02 0.05 0.05 0 0 0 1 0 0 0\njoint " + name +
           " prismatic world 0 0 0 1 0 0 0 1 0 0\n";
  };
  const Scene scene = test::scene_of(kGround + finger("left", "-0.225") + finger("right", "0.225") +
                                     box_at("load", "0.6", "0 0 1"));
  for (const IntegratorRow& row : integrators()) {
    if (!row.takes_joints) continue;
    SCOPED_TRACE(std::string(row.name));
    const StepConfig config = config_of(row.name);
    Simulation simulation(scene, config);
    const std::vector<double> drive{20, -20};  // N
    Control control;
    control.joint_force = drive;
    while (simulation.time() < 0.6) {
      const State before = simulation.state();
      simulation.step(control);
      if (row.name == "rk4") continue;
      const std::vector<ContactForce> forces = forces_of(simulation);
      for (const std::int32_t k : {0, 1}) {
        const auto i = static_cast<std::size_t>(k);
        const double push =
            0.5 / config.dt * (simulation.state().bodies[i].v_WB.x() - before.bodies[i].v_WB.x());
        EXPECT_NEAR(push, drive[i] + sum_on(k, forces)[3], 1e-4) << simulation.steps();
      }
      if (HasFailure()) break;
    }
    const std::vector<ContactForce> forces = forces_of(simulation);
    ASSERT_EQ(forces.size(), 2U);
    for (const std::size_t k : {0U, 1U}) {
      EXPECT_EQ(forces[k].A, static_cast<std::int32_t>(k));
      EXPECT_EQ(forces[k].B, 2);
      EXPECT_NEAR(force(forces[k]).x(), drive[k], 0.1);
    }
    // Friction of explicit steps that are so long chatters.
    if (!is_explicit(row.name)) {
      EXPECT_NEAR(sum_on(2, forces)[5], 0.6 * kGravity, 0.05);
    }
    expect_reactions(forces, simulation.state(), 1e-3);
  }
}

// An arm on a hinge turns against a ball: the moment of the forces about the hinge changes its rate.
TEST(ContactForces, TurnAHinge) {
  const Scene scene = test::scene_of(
      "modulus 3e5\nmu 0.5\nbody arm 1 0.01 0.01 0.01 0.3 0 0 1 0 0 0 0 0 0 0 0 0 1\n"
      " box 0.2 0.02 0.02 0 0 0 1 0 0 0\njoint hinge revolute world 0 0 0 1 0 0 0 0 0 1 velocity 3\n"
      "body ball 0.5 5e-4 5e-4 5e-4 0.4 0.08 0.005 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.05 0 0 0 1 0 0 0\n");
  const double inertia = 0.01 + 1 * 0.3 * 0.3;  // kg m^2, about the hinge
  for (const char* name : {"midpoint", "implicit", "semi_implicit"}) {
    SCOPED_TRACE(name);
    const StepConfig config = config_of(name);
    Simulation simulation(scene, config);
    int loaded = 0;
    while (simulation.time() < 0.1) {
      const State before = simulation.state();
      if (simulation.step().substeps > 1) continue;
      const std::vector<ContactForce> forces = forces_of(simulation);
      State at = std::string_view(name) == "implicit" ? simulation.state() : before;
      if (std::string_view(name) == "midpoint") {
        at.q += config.dt / 2 * at.v;
        at = simulation.system().placed(at);
      }
      const Vec6<double> sum = sum_on(0, forces);
      const double turn = sum[2] + at.bodies[0].p_WB.cross(Vec3<double>(sum.tail<3>())).z();
      EXPECT_NEAR(inertia / config.dt * (simulation.state().v[0] - before.v[0]), turn,
                  1e-6 * (1 + sum.norm()));
      loaded += static_cast<int>(forces.size());
      if (HasFailure()) break;
    }
    EXPECT_GT(loaded, 0);
  }
}

TEST(ContactForces, OfStepsInPartsAreThoseOfTheLastPart) {
  for (const char* name : {"implicit", "semi_implicit", "rk4"}) {
    SCOPED_TRACE(name);
    StepConfig config = config_of(name);
    config.integrator_settings = {{"error", 1e-6}};
    Simulation simulation(test::scene_of(kFloor + box_at("a", "2", "0 0 0.05")), config);
    EXPECT_TRUE(forces_of(simulation).empty());
    while (simulation.time() < 0.5) simulation.step();
    EXPECT_GT(simulation.report().substeps, 1);
    const std::vector<ContactForce> forces = forces_of(simulation);
    ASSERT_EQ(forces.size(), 1U);
    EXPECT_LT((force(forces[0]) - Vec3<double>(0, 0, 2 * kGravity)).norm(), 1e-3);
  }
}

TEST(ContactForces, AreOfTheLastStepAlone) {
  for (const IntegratorRow& row : integrators()) {
    SCOPED_TRACE(std::string(row.name));
    const Scene scene = test::scene_of(kFloor + box_at("a", "2", "0 0 0.05"));
    Simulation simulation(scene, config_of(row.name));
    const State start = simulation.state();
    for (int k = 0; k < 5; ++k) simulation.step();
    EXPECT_EQ(forces_of(simulation).size(), 1U);
    State high = start;
    high.bodies[0].p_WB.z() = 3;
    simulation.restore(high, 0);
    EXPECT_TRUE(forces_of(simulation).empty());
    simulation.step();
    EXPECT_TRUE(forces_of(simulation).empty());
    simulation.restore(start, 0);
    for (int k = 0; k < 5; ++k) simulation.step();
    EXPECT_EQ(forces_of(simulation).size(), 1U);
    const std::vector<Vec6<double>> wrong(2, Vec6<double>::Zero());
    EXPECT_THROW(simulation.step({wrong}), InvalidInput);
    EXPECT_TRUE(forces_of(simulation).empty());
  }
}

TEST(ContactForces, AllocateNothingAtRest) {
  for (const IntegratorRow& row : integrators()) {
    Simulation simulation(
        test::scene_of(kFloor + box_at("upper", "1", "0 0 0.15") + box_at("lower", "2", "0 0 0.05")),
        config_of(row.name));
    for (int k = 0; k < 50; ++k) simulation.step();
    std::vector<ContactForce> forces;
    simulation.contact_forces(forces);
    const std::size_t before = test::allocations();
    simulation.contact_forces(forces);
    EXPECT_EQ(test::allocations(), before) << row.name;
    EXPECT_EQ(forces.size(), 2U) << row.name;
  }
}

// A plate on three pairs of feet that rocks by rounding: it would stand on the pair in the middle alone if
// those at one end might close as fast as they open, or close gaps of 1e-13 m.
TEST(ContactForces, RockingByRoundingDoesNotChooseTheFeetThatCarry) {
  std::string scene = kFloor + "body plate 1 0.01 0.01 0.02 0 0 0.05 1 0 0 0 0 0 0 0 1e-9 0 6\n";
  for (const char* x : {" -0.1", " 0", " 0.1"})
    for (const char* y : {" -0.05", " 0.05"})
      scene += " sphere 0.01" + std::string(x) + y + " -0.04 1 0 0 0\n";
  Simulation simulation(test::scene_of(scene), config_of("midpoint"));
  simulation.step();
  ASSERT_EQ(simulation.report().solver.status, Status::kOk);
  ASSERT_EQ(simulation.contacts().size(), 6U);
  for (const PairContact& foot : simulation.contacts())
    EXPECT_GT(foot.J_B_W.z(), 0.5 * kGravity * 2e-3 / 6) << foot.p_WC.transpose();
}

// What rests on many points, or on what rests, stays: gaps and speeds that are rounding beside the forces' do
// not become contacts that close.
TEST(ContactForces, RestIsSolvedAtAnySizeOfTheStep) {
  std::string table = kFloor + "body table 5 0.4 0.4 0.8 0 0 0.31 1 0 0 0 0 0 0 0 0 0 25\n", stack = kFloor;
  for (int leg = 0; leg < 25; ++leg)
    table += " sphere 0.01 " + std::to_string(0.2 * (leg % 5) - 0.4) + " " +
             std::to_string(0.2 * (leg / 5) - 0.4) + " -0.3 1 0 0 0\n";
  for (int k = 0; k < 4; ++k)
    stack += "body cube" + std::to_string(k) + " 1 0.0067 0.0067 0.0067 0 0 " +
             std::to_string(0.1 + 0.2 * k) + " 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n";
  for (const std::string& scene : {table, stack}) {
    for (const double dt : {2e-3, 1e-4, 1e-5}) {
      StepConfig config;
      config.dt = dt;
      Simulation simulation(test::scene_of(scene), config);
      const double start = simulation.states()[0].p_WB.z();
      for (int k = 0; k < 100; ++k) {
        ASSERT_EQ(simulation.step().status(), Status::kOk) << dt << ", step " << k;
        ASSERT_LE(simulation.report().solver.iterations, 100) << dt << ", step " << k;
      }
      EXPECT_NEAR(simulation.states()[0].p_WB.z(), start, 1e-12) << dt;
    }
  }
}

}  // namespace
