// Contact models as forces, in backward Euler steps.
#include "runtime/dynamics/step/implicit_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/random_trees.h"
#include "tests/support/refusal.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kWeight = 9.81;

// A box of 2 kg and 0.4 x 0.2 x 0.1 m, of a modulus.
std::string soft_box_at(const std::string& name, const std::string& position,
                        const std::string& material = "modulus 1e6") {
  return "body " + name + " 2 0.01 0.02 0.025 " + position +
         " 1 0 0 0 0 0 0 0 0 0 1\n box 0.2 0.1 0.05 0 0 0 1 0 0 0\nmaterial " + material + "\n";
}

const std::string kFloor = "mu 0.5\nplane 0 0 1 0\nmaterial modulus rigid\n";

StepConfig implicit(double dt, const std::string& model = "") {
  StepConfig config;
  config.dt = dt;
  config.integrator = "implicit";
  config.source.model = model;
  return config;
}

StepReport step_on(const System& system, State& state, int steps, const StepConfig& config) {
  const auto integrator = make_integrator(system, config);
  StepReport report;
  for (int k = 0; k < steps; ++k) report = integrator->step(state, {});
  return report;
}

// A slab of thickness 0.1 whose pressure grows by E per half of it carries m g over its face: 1.2e-5 m deep.
TEST(ImplicitStep, ABoxSinksAsFarAsItsPressureCarriesIt) {
  const System system(test::scene_of("gravity 0 0 -9.81\n" + kFloor + soft_box_at("a", "0 0 0.0501")));
  for (const double dt : {1e-3, 8e-3, 16e-3}) {
    State state = system.initial_state();
    const StepReport report = step_on(system, state, 400, implicit(dt));
    EXPECT_EQ(report.solver.status, Status::kOk);
    EXPECT_EQ(report.contacts, 1);
    EXPECT_LT(state.bodies[0].v_WB.norm(), 1e-8) << dt;
    EXPECT_NEAR(0.05 - state.bodies[0].p_WB.z(), 2 * kWeight / (0.4 * 0.2) * 0.05 / 1e6, 2e-8) << dt;
  }
}

// Friction is regularised, so what rests on a slope creeps: by the slip at which it carries the load.
TEST(ImplicitStep, ABoxOnASlopeCreepsByTheModelsLawAlone) {
  const double angle = std::atan(0.3), g_x = kWeight * std::sin(angle), g_z = kWeight * std::cos(angle);
  const System system(test::scene_of("gravity " + std::to_string(g_x) + " 0 -" + std::to_string(g_z) + "\n" +
                                     kFloor + soft_box_at("a", "0 0 0.05", "modulus 1e6 mu 0.5")));
  StepConfig config = implicit(8e-3);
  config.source.settings = {{"stiction_speed", 1e-6}};
  State state = system.initial_state();
  const StepReport report = step_on(system, state, 200, config);
  EXPECT_EQ(report.solver.status, Status::kOk);
  // u / sqrt(u^2 + s^2) = 0.3 / 0.5
  EXPECT_NEAR(state.bodies[0].v_WB.x(), 0.75e-6, 2e-8);
  EXPECT_LT(state.bodies[0].v_WB.tail<2>().norm(), 1e-8);
}

// In every contact model that has friction, and of a joint's own, at nine tenths of what friction carries.
TEST(ImplicitStep, WhatRestsInTheFrictionConeCreepsLessThanAMicrometreASecondWithDefaultSettings) {
  const double angle = std::atan(0.45), g_x = kWeight * std::sin(angle), g_z = kWeight * std::cos(angle);
  const std::string box = "gravity " + std::to_string(g_x) + " 0 -" + std::to_string(g_z) + "\n" + kFloor +
                          soft_box_at("a", "0 0 0.05", "modulus 1e6 mu 0.5");
  const std::string joint =
      "body slider 1 0.01 0.01 0.01 3 0 2 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint slides prismatic world 3 0 2 1 0 0 0 1 0 0 friction " +
      std::to_string(g_x / 0.9) + "\n";
  for (const char* model : {"pressure_field", "soft_minimum", "soft_potential"})
    for (const auto& [scene, dt] : {std::pair{box, 8e-3}, std::pair{box + joint, 16e-3}}) {
      SCOPED_TRACE(std::string(model) + ", " + std::to_string(dt));
      const System system(test::scene_of(scene));
      State state = system.initial_state();
      const auto integrator = make_integrator(system, implicit(dt, model));
      const auto run = [&, dt = dt](double time) {
        for (int k = 0; k < std::lround(time / dt); ++k)
          EXPECT_EQ(integrator->step(state, {}).status(), Status::kOk);
      };
      run(4);  // it sinks in and its load evens out
      const Vec3<double> settled = state.bodies[0].p_WB;
      run(1);
      EXPECT_LT((state.bodies[0].p_WB - settled).head<2>().norm(), 1e-6);
      for (const BodyState& body : state.bodies) EXPECT_LT(body.v_WB.head<2>().norm(), 1e-6);
    }
}

// Two rigid jaws, which never meet, grip a box, and are thrown to and fro: it starts each step with a slip
// that is thousands of times the one over which friction turns round. Joints and free bodies have searches of
// their own.
TEST(ImplicitStep, WhatIsGrippedAndThrownTakesFewIterations) {
  const auto jaw = [](const std::string& name, int side, const std::string& mass) {
    const std::string x = std::to_string(0.0299 * side);
    return "body " + name + " " + mass + " 1e-2 1e-2 1e-2 " + x +
           " 0 0 1 0 0 0 0 0 0 0 0 0 1\n box 0.01 0.02 0.02 0 0 0 1 0 0 0\nmaterial modulus rigid\n";
  };
  const std::string box =
      "mu 0.6\nbody box 0.2 1e-4 1e-4 1e-4 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n box 0.02 0.02 0.02 0 0 0 1 0 0 0\n"
      "material modulus 1e6\n";
  const std::string joints =
      "body arm 1 1e-2 1e-2 1e-2 0 0 1 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint arm revolute world -0.3 0 0 1 0 0 0 0 1 0\n" +
      jaw("left", -1, "0.1") + "joint left prismatic arm 0 0 0 1 0 0 0 1 0 0\n" + jaw("right", 1, "0.1") +
      "joint right prismatic arm 0 0 0 1 0 0 0 1 0 0\n";
  const std::string free = jaw("left", -1, "1") + jaw("right", 1, "1");
  for (const auto& [jaws, limit] : {std::pair{joints, 250}, std::pair{free, 600}}) {
    const System system(test::scene_of(box + jaws + "apart left right\n"));
    State state = system.initial_state();
    const auto integrator = make_integrator(system, implicit(4e-3, "pressure_field"));
    std::vector<Vec6<double>> wrenches(state.bodies.size(), Vec6<double>::Zero());
    Control control;
    control.F_BBcm_W = wrenches;
    int iterations = 0;
    for (int k = 0; k < 30; ++k) {
      const double lift = k < 10 ? 0 : std::copysign(60, std::sin(0.3 * k));  // N
      wrenches.end()[-2] << 0, 0, 0, 20, lift / 3, lift;
      wrenches.end()[-1] << 0, 0, 0, -20, 0, lift;
      const StepReport& report = integrator->step(state, control);
      EXPECT_EQ(report.status(), Status::kOk) << k;
      iterations += report.solver.iterations;
    }
    EXPECT_LE(iterations, limit);
  }
}

// Linear momentum to the tolerance; angular momentum but for the arms that forces have at the end of the
// step, in the order of its length.
TEST(ImplicitStep, KeepsTheMomentumOfBodiesThatCollide) {
  for (const char* model : {"pressure_field", "soft_minimum", "point"}) {
    const System system(test::scene_of(
        "mu 0.5\nbody a 2 0.01 0.02 0.025 0 0 0 1 0 0 0 1 0 0 0.3 -2 1 1\n box 0.2 0.1 0.05 0 0 0 1 0 0 "
        "0\nmaterial modulus 1e6 mu 0.5\n" +
        soft_box_at("b", "0.45 0.05 0.02", "modulus 2e6 mu 0.5")));
    std::vector<double> angular;
    for (const double dt : {2e-3, 1e-3, 5e-4}) {
      State state = system.initial_state();
      const auto momentum = [&] {
        Vec6<double> sum = Vec6<double>::Zero();
        for (const BodyState& body : state.bodies)
          sum += (Vec6<double>() << body.L_W + 2 * body.p_WB.cross(body.v_WB), 2 * body.v_WB).finished();
        return sum;
      };
      const Vec6<double> before = momentum();
      const StepReport report = step_on(system, state, static_cast<int>(0.1 / dt), implicit(dt, model));
      EXPECT_EQ(report.solver.status, Status::kOk) << model;
      EXPECT_GT(state.bodies[1].v_WB.norm(), 0.2) << model;
      EXPECT_LT((momentum() - before).tail<3>().norm(), 1e-7) << model;
      angular.push_back((momentum() - before).head<3>().norm());
    }
    EXPECT_LT(angular[0], 2e-3) << model;  // of 0.02 kg m^2/s at first
    EXPECT_LT(angular[2], 0.4 * angular[0]) << model;
  }
}

// Two boxes that turn, one on the floor with a ball between them, and a ball that touches nothing.
Scene tumbling() {
  const System system(test::scene_of(
      "gravity 0.3 0.2 -9.81\n" + kFloor +
      "body a 2 0.01 0.02 0.025 0 0 0.0495 1 0 0 0 0.3 0.1 -0.1 3 -2 1 1\n box 0.2 0.1 0.05 0 0 0 1 0 0 0\n"
      "material modulus 1e6 dissipation 0.2 mu 0.5\n"
      "body b 1 0.002 0.003 0.004 0.05 0.02 0.149 0.9 0.1 -0.3 0.3 -0.2 0.1 -0.3 2 4 -3 1\n"
      " sphere 0.05 0 0 0 0 0 1 0 0 0\nmaterial modulus 1e6 dissipation 0.2 mu 0.3\n"
      "body c 0.5 0.002 0.003 0.004 2 0 1 0.9 0.1 -0.3 0.3 0 0 0 9 -8 5 1\n sphere 0.05 0 0 0 0 0 1 0 0 "
      "0\n"));
  return system.scene();
}

// By states, forces on free joints and every parameter, in whole steps and in halved ones, whose parts are
// tried with too few iterations.
TEST(ImplicitStep, DerivativesEqualDifferencesOfBodiesWithoutJoints) {
  const Scene scene = tumbling();
  const System system(scene);
  const struct {
    const char* model;
    int iterations;
  } kCases[] = {{"pressure_field", 100}, {"pressure_field", 3}, {"soft_potential", 100}};
  test::TreeSource random(7);
  for (const auto& [model, iterations] : kCases) {
    SCOPED_TRACE(std::string(model) + ", iterations " + std::to_string(iterations));
    StepConfig config = implicit(4e-3, model);
    config.integrator_settings = {{"tolerance", 1e-12}, {"iterations", iterations}};
    config.source.settings = {{"stiction_speed", 1e-2}};
    test::StepDifferences differences(system, config);
    const State start = system.initial_state();
    StepDerivatives derivatives;
    State stepped = start;
    const StepReport& report = differences.integrator().step(stepped, {}, derivatives);
    EXPECT_EQ(report.status(), Status::kOk);
    EXPECT_GE(report.contacts, 2);
    EXPECT_LT(differences.between(stepped, differences.next(start)).norm(), 1e-14);
    ASSERT_EQ(derivatives.state.rows(), 36);
    const double scale = derivatives.state.cwiseAbs().maxCoeff();
    for (int k = 0; k < test::fewer_if_sanitized(3); ++k) {
      const VecX<double> x = random.numbers(36, 1);
      EXPECT_LT((derivatives.state * x - differences.slope(start, x, 1e-6)).cwiseAbs().maxCoeff(),
                1e-7 * scale)
          << "direction " << k;
    }
  }
}

// The next state with a parameter changed, from the same place and velocities, with the momenta that the
// scene has there.
State with_changed(const Scene& scene, const State& start, const Parameter& parameter, double by,
                   const StepConfig& config) {
  Scene changed = scene;
  change(changed.bodies[static_cast<std::size_t>(parameter.body)], parameter, by);
  const test::Coordinates at = test::stepped_as(changed, scene, start, config);
  const SystemTree tree{System(scene)};
  TreeScratch scratch(tree.tree());
  State state = start;
  tree.place(at.q, at.v, scratch, state);
  return state;
}

TEST(ImplicitStep, DerivativesByForcesAndParametersEqualDifferences) {
  const Scene scene = tumbling();
  const System system(scene);
  const SystemTree tree(system);
  StepConfig config = implicit(4e-3, "pressure_field");
  config.integrator_settings = {{"tolerance", 1e-12}};
  config.source.settings = {{"stiction_speed", 1e-2}};
  const StepConfig plain = config;
  config.parameters = {{Quantity::kMass, 0},        {Quantity::kMomentY, 1},     {Quantity::kFriction, 1},
                       {Quantity::kModulus, 0},     {Quantity::kDissipation, 0}, {Quantity::kShapeTurnX, 0},
                       {Quantity::kShapeShiftZ, 1}, {Quantity::kMomentZ, 2}};
  const double sizes[] = {1e-3, 1e-6, 1e-4, 1e2, 1e-4, 1e-6, 1e-6, 1e-6};
  const auto integrator = make_integrator(system, config);
  const State start = system.initial_state();
  State next = start;
  StepDerivatives derivatives;
  integrator->step(next, {}, derivatives);
  const auto slope = [](const auto& at, double size) -> VecX<double> {
    return (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
  };
  for (std::size_t p = 0; p < config.parameters.size(); ++p) {
    const auto at = [&](double t) -> VecX<double> {
      return tree.difference(next, with_changed(scene, start, config.parameters[p], t, plain));
    };
    const VecX<double> expected = slope(at, sizes[p]);
    EXPECT_GT(expected.norm(), 0) << p;
    EXPECT_LT((derivatives.parameter.col(static_cast<Eigen::Index>(p)) - expected).cwiseAbs().maxCoeff(),
              1e-6 * expected.cwiseAbs().maxCoeff())
        << p;
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (int k = 0; k < 6; ++k) {
      const auto at = [&](double t) -> VecX<double> {
        std::vector<Vec6<double>> wrenches(3, Vec6<double>::Zero());
        wrenches[i][k] = t;
        State state = start;
        integrator->step(state, {wrenches});
        return tree.difference(next, state);
      };
      const Mat3<double> R =
          next.bodies[i].q_WB.toRotationMatrix();  // forces of joints are in the body's axes
      const auto first = static_cast<Eigen::Index>(6 * i + (k < 3 ? 0 : 3));
      const VecX<double> found = derivatives.force.middleCols(first, 3) * R.row(k % 3).transpose();
      EXPECT_LT((found - slope(at, 1e-3)).cwiseAbs().maxCoeff(),
                1e-7 * derivatives.force.cwiseAbs().maxCoeff())
          << i << ", " << k;
    }
}

// Derivatives of the forces between moving bodies of several shapes, by where both are and how they move.
TEST(CompliantContact, DerivativesAreThoseOfTheForces) {
  const System system(
      test::scene_of("mu 0.4\nbody a 2 0.01 0.02 0.025 0.01 0 0 1 0 0 0 1 0 0 0.3 -2 1 2\n box 0.2 0.1 0.05 "
                     "0.01 0 0.02 1 0 0 0\n"
                     "material modulus 1e6 mu 0.5 dissipation 0.2\n box 0.05 0.06 0.04 0 0 0.1 1 0 0 0\n"
                     "material modulus 2e6 mu 0.3 dissipation 0.1\n" +
                     soft_box_at("b", "0.03 0.05 0.14", "modulus 2e6 mu 0.5")));
  State state = system.initial_state();
  state.bodies[1].q_WB = Eigen::Quaterniond(1, 0.1, 0.2, -0.05).normalized();
  for (const char* model : {"pressure_field", "soft_minimum"}) {
    CompliantContact contact(system, {.model = model}, 1);
    contact.find(state, {}, 1e-3);
    ASSERT_EQ(contact.pairs().size(), 1u);
    std::vector<BodyMotion> motions(2);
    for (std::size_t i = 0; i < 2; ++i) {
      motions[i].X_WB = {state.bodies[i].q_WB.toRotationMatrix(), state.bodies[i].p_WB};
      motions[i].V_WB_W << 0.3, -1, 0.5, 0.2, 0.1, i == 0 ? 0.4 : -0.6;
    }
    const std::uint8_t wanted[] = {1};
    const auto at = [&](const std::vector<BodyMotion>& where) {
      contact.evaluate(where, wanted);
      return contact.pairs()[0];
    };
    const PairForce force = at(motions);
    ASSERT_EQ(force.contacts, 2) << model;
    constexpr double kStep = 1e-6;
    for (std::size_t of = 0; of < 2; ++of)
      for (int k = 0; k < 6; ++k)
        for (const bool displaced : {true, false}) {
          const auto moved = [&](double step) {
            std::vector<BodyMotion> where = motions;
            BodyMotion& body = where[of];
            if (!displaced) {
              body.V_WB_W[k] += step;
            } else if (k < 3) {
              body.X_WB.R = exp_rotation<double>(step * Vec3<double>::Unit(k)) * body.X_WB.R;
            } else {
              body.X_WB.p[k - 3] += step;
            }
            return at(where);
          };
          const PairForce more = moved(kStep), less = moved(-kStep);
          for (std::size_t on = 0; on < 2; ++on) {
            const Mat6<double>& slopes = (displaced ? force.dF_dx : force.dF_dV)[on][of];
            const Vec6<double> slope = (more.F_W[on] - less.F_W[on]) / (2 * kStep);
            EXPECT_LT((slope - slopes.col(k)).norm(), 1e-5 * slopes.norm())
                << model << on << of << k << displaced;
          }
        }
  }
}

TEST(ImplicitStep, HasTheSameBitsOnAnyNumberOfThreads) {
  std::string scene = "gravity 0 0 -9.81\n" + kFloor;
  for (int i = 0; i < 6; ++i)
    scene += soft_box_at("b" + std::to_string(i), "0." + std::to_string(i) + " 0.0" + std::to_string(i) +
                                                      " 0." + std::to_string(11 * (i + 1)));
  const System system(test::scene_of(scene));
  State reference = system.initial_state();
  StepConfig config = implicit(4e-3);
  step_on(system, reference, 30, config);
  for (const int threads : {3, 8}) {
    config.threads = threads;
    State state = system.initial_state();
    step_on(system, state, 30, config);
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      EXPECT_EQ(state.bodies[i].p_WB, reference.bodies[i].p_WB);
      EXPECT_EQ(state.bodies[i].L_W, reference.bodies[i].L_W);
    }
  }
}

// A ball hits one that lies 1 mm above the floor: pairs that only the impact makes are found within the step.
TEST(ImplicitStep, FindsContactsThatOthersMake) {
  const auto ball = [](const std::string& name, const std::string& state) {
    return "body " + name + " 1 1.6e-4 1.6e-4 1.6e-4 " + state +
           " 1\n sphere 0.02 0 0 0 1 0 0 0\nmaterial modulus 1e8\n";
  };
  const System system(test::scene_of(kFloor + ball("low", "0 0 0.021 1 0 0 0 0 0 0 0 0 0") +
                                     ball("high", "0 0 0.07 1 0 0 0 0 0 -20 0 0 0")));
  State state = system.initial_state();
  const auto integrator = make_integrator(system, implicit(2e-3, "point"));
  double lowest = 1;
  for (int k = 0; k < 50; ++k) {
    integrator->step(state, {});
    lowest = std::min(lowest, state.bodies[0].p_WB.z());
  }
  EXPECT_GT(lowest, 0.015);
}

TEST(ImplicitStep, RefusesWhatNoForceCanCome) {
  const System rigid(test::scene_of(kFloor + soft_box_at("a", "0 0 0.06", "modulus rigid")));
  EXPECT_NE(test::refusal([&] { make_integrator(rigid, implicit(1e-3)); }).find("rigid"), std::string::npos);
  const System system(test::scene_of(kFloor + soft_box_at("a", "0 0 0.06")));
  EXPECT_NE(test::refusal([&] { make_integrator(system, implicit(1e-3, "springs")); }).find("springs"),
            std::string::npos);
  StepConfig config = implicit(1e-3);
  config.source.settings = {{"eps1", 1.0}};
  EXPECT_NE(test::refusal([&] { make_integrator(system, config); }).find("eps1"), std::string::npos);
  config = implicit(1e-3);
  config.integrator_settings = {{"tolerance", 0.0}};
  EXPECT_NE(test::refusal([&] { make_integrator(system, config); }).find("tolerance"), std::string::npos);
  // Settings of a model's forces do nothing to its contact points.
  config = {};
  config.source = {.model = "soft_minimum", .settings = {{"load", 2.0}}};
  EXPECT_NE(test::refusal([&] { make_integrator(system, config); }).find("load"), std::string::npos);
}

}  // namespace
