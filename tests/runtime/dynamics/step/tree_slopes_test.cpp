// Derivatives of steps of trees: near rest, on roots that turn, and where links are moved apart.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/runtime/dynamics/step/frictional_steps.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/runtime/dynamics/system/no_asset.h"

namespace {

using namespace abut;
using namespace abut::test;

// Two rods of 0.2 m that hang one on the other.
Scene hanging_rods() {
  Scene scene;
  scene.gravity = kGravity;
  for (int k = 0; k < 2; ++k) {
    Link link;
    link.name = "rod" + std::to_string(k);
    link.joint.name = "hinge" + std::to_string(k);
    link.parent = k - 1;
    link.joint.type = kRevolute;
    link.joint.axis_J = {0, 1, 0};
    link.joint.X_PJ.p.z() = -0.2 * k;
    link.inertia = {1, {0, 0, -0.1}, Vec3<double>(4e-3, 4e-3, 1e-4).asDiagonal()};
    scene.bodies.push_back(link_body(link));
  }
  return scene;
}

// Of a step from the state. Expects that they exist but at the kink of the energy.
StepDerivatives derivatives_at(StepDifferences& differences, State state) {
  StepDerivatives d;
  differences.integrator().step(state, {}, d);
  EXPECT_TRUE(d.status == Status::kOk || has_kink(d, StepKink::Kind::kEnergy));
  return d;
}

// What the step removes of the energy depends on the ratio of the velocities before and after gravity's
// impulse, however small they are.
TEST(TreeSlopes, AreTheStepsHoweverSlowlyATreeMoves) {
  const System system(hanging_rods());
  StepConfig config = exact_config();
  config.dt = 8e-3;
  StepDifferences differences(system, config);
  int right = 0;
  for (const double speed : {1.0, 0.1, 0.01, 2e-3})
    for (unsigned seed = 1; seed <= 8; ++seed) {
      Random random(seed, 0);
      VecX<double> x(4);
      for (double& value : x) value = speed * random.uniform(-1, 1);
      const State state = differences.moved(system.initial_state(), x);
      const StepDerivatives d = derivatives_at(differences, state);
      if (d.status != Status::kOk) continue;
      ++right;
      for (Eigen::Index k = 0; k < 4; ++k) {
        const VecX<double> slope =
            differences.slope(state, VecX<double>::Unit(4, k), std::min(1e-3, 0.05 * speed));
        EXPECT_LT((d.state.col(k) - slope).norm(), 1e-5 * slope.norm()) << speed << ", " << seed << ", " << k;
      }
    }
  EXPECT_GT(right, 25);
}

// There the energy that a step would remove is below its rounding.
TEST(TreeSlopes, AreTheStepsAtRest) {
  const System system(hanging_rods());
  StepDifferences differences(system, exact_config());
  State state = system.initial_state();
  StepDerivatives d;
  differences.integrator().step(state, {}, d);
  EXPECT_EQ(d.status, Status::kOk);
  for (Eigen::Index k = 0; k < 4; ++k) {
    const VecX<double> slope = differences.slope(system.initial_state(), VecX<double>::Unit(4, k), 1e-6);
    EXPECT_LT((d.state.col(k) - slope).norm(), 1e-8 * slope.norm()) << k;
  }
}

// Fourth-order differences of the next state by a parameter, between systems.
VecX<double> slope_by(const Scene& scene, const Parameter& parameter, const StepConfig& config,
                      StepDifferences& differences, const State& state, double relative) {
  const double size =
      relative * value_of(scene.bodies[static_cast<std::size_t>(parameter.body)], parameter.quantity);
  const State middle = differences.next(state);
  const auto at = [&](double by) -> VecX<double> {
    Scene changed = scene;
    change(changed.bodies[static_cast<std::size_t>(parameter.body)], parameter, by);
    State to = state;
    StepConfig plain = config;
    plain.parameters.clear();
    make_integrator(System(changed), plain)->step(to, {});
    return differences.between(middle, to);
  };
  return (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
}

// A base of 1 kg, and an arm on it.
Scene arm_on(const std::string& root, double gravity, const std::string& elbow) {
  std::ostringstream text;
  text << "gravity 0 0 " << gravity << "\nbody base 1 0.02 0.03 0.04 0 0 1 1 0 0 0 0 0 0 0 0 0 0\njoint root "
       << root << " world 0 0 1 1 0 0 0 0 0 1\n"
       << "body arm 0.5 0.004 0.005 0.006 0.2 0.05 1.02 1 0 0 0 0 0 0 0 0 0 0\n"
       << "joint elbow revolute base 0.1 0 1 1 0 0 0 0.2 1 0.5 " << elbow << "\n";
  return scene_of(text.str());
}

// With the elbow at 0.3 rad.
State arm_state(StepDifferences& differences, const State& initial, double spin, double slow) {
  const Eigen::Index n = differences.size() / 2;
  VecX<double> x = VecX<double>::Zero(2 * n);
  x[n - 1] = 0.3;
  x.tail(n).head<3>() = spin * Vec3<double>(1, 0.7, 0.4);
  x[2 * n - 1] = slow;
  return differences.moved(initial, x);
}

// Expects derivatives that equal the best of differences of some sizes, or a kink; returns whether there are
// any. Differences of large steps are curved; rounding of the base's energy, 1e-17 J, moves the factor on the
// elbow, and with it those of small steps.
bool expect_slopes(const Scene& scene, double dt, double spin, double slow) {
  SCOPED_TRACE(testing::Message() << dt << " s, " << spin << " rad/s, " << slow << " rad/s");
  const System system(scene);
  StepConfig config = exact_config();
  config.dt = dt;
  config.parameters = {{Quantity::kMass, 1, 0}, {Quantity::kMomentY, 0, 0}};
  StepDifferences differences(system, config);
  const State state = arm_state(differences, system.initial_state(), spin, slow);
  const StepDerivatives d = derivatives_at(differences, state);
  if (d.status != Status::kOk) return false;
  for (Eigen::Index k = 0; k < differences.size(); ++k) {
    double error = 1;
    for (const double share : {0.3, 0.1, 0.03, 0.01, 3e-3})
      error = std::min(error, (differences.slope(state, VecX<double>::Unit(differences.size(), k),
                                                 share * std::max(slow, 3e-5)) -
                               d.state.col(k))
                                  .norm());
    EXPECT_LT(error, slow < 1e-3 ? 1e-3 : 1e-5) << k;
  }
  for (std::size_t p = 0; p < config.parameters.size(); ++p) {
    double error = 1;
    for (const double size : {1e-3, 1e-2})
      error = std::min(error, (slope_by(scene, config.parameters[p], config, differences, state, size) -
                               d.parameter.col(static_cast<Eigen::Index>(p)))
                                  .norm());
    EXPECT_LT(error, 1e-5) << p;
  }
  return true;
}

// The factor that keeps the energy acts on the elbow alone, and depends on the ratio of its velocity to the
// base's.
TEST(TreeSlopes, AreTheStepsOnARootThatTurnsHoweverSlowlyTheJointsMove) {
  for (const std::string root : {"free", "planar"})
    for (const bool heavy : {false, true}) {
      SCOPED_TRACE(root + (heavy ? ", with gravity and friction" : ""));
      const Scene scene = arm_on(root, heavy ? -9.81 : 0, heavy ? "friction 2" : "");
      int right = 0;
      for (const double dt : {2e-3, 8e-3})
        for (const double spin : {0.4, 5.0})
          for (const double slow : {0.0, 1e-5, 1e-4, 1e-3, 1e-2})
            right += expect_slopes(scene, dt, spin, slow);
      EXPECT_GE(right, 18);
    }
}

// Of an elbow that is held by its friction, and stands still up to some velocity before the step.
TEST(TreeSlopes, NameWhereTheFactorReachesItsBound) {
  const System system(arm_on("planar", -9.81, "friction 2"));
  StepConfig config = exact_config();
  config.dt = 8e-3;
  StepDifferences differences(system, config);
  const auto at = [&](double slow) { return arm_state(differences, system.initial_state(), 5, slow); };
  double still = 1e-4, moving = 1e-3;
  for (int k = 0; k < 40; ++k) {
    const double between = (still + moving) / 2;
    const State next = differences.next(at(between));
    (next.v[next.v.size() - 1] == 0 ? still : moving) = between;
  }
  ASSERT_LT(still, 9e-4);
  for (const double slow : {still, moving}) {
    State state = at(slow);
    StepDerivatives d;
    differences.integrator().step(state, {}, d);
    EXPECT_TRUE(has_kink(d, StepKink::Kind::kEnergy)) << slow;
  }
}

// Links 0 and 2 of a chain of three overlap, which limits of its joints keep them from leaving within the
// sweeps.
TEST(TreeSlopes, AreTheStepsWhereLinksOfOneTreeAreMovedApart) {
  const char* const chain = R"(gravity 0 0 0
body b0 1 0.002 0.003 0.004 0 0 0.5 1 0 0 0 0 0 0 0 0 0 1
sphere 0.1 0 0 0 1 0 0 0
joint j0 revolute world 0.3 0 0.5 1 0 0 0 0 0 1
body b1 1 0.002 0.003 0.004 0.2 0.3 0.5 1 0 0 0 0 0 0 0 0 0 0
joint j1 revolute b0 0 0.3 0.5 1 0 0 0 0 0 1 lower -0.01 upper 0.01
body b2 1 0.002 0.003 0.004 0.17 0.02 0.5 1 0 0 0 0 0 0 0 0 0 1
sphere 0.1 0 0 0 1 0 0 0
joint j2 revolute b1 0.35 0.3 0.5 1 0 0 0 0 0 1 lower -0.01 upper 0.01
)";
  const Scene scene = scene_of(chain);
  const System system(scene);
  StepConfig config = exact_config();
  config.parameters = {{Quantity::kMass, 0, 0}, {Quantity::kMass, 2, 0}};
  StepDifferences differences(system, config);
  VecX<double> x(6);
  x << 0, 0.009, -0.0095, 0.1, 0.02, -0.015;
  const State state = differences.moved(system.initial_state(), x);
  State next = state;
  StepDerivatives d;
  differences.integrator().step(next, {}, d);
  ASSERT_EQ(d.status, Status::kOk);
  for (Eigen::Index k = 0; k < 6; ++k) {
    const VecX<double> slope = differences.slope(state, VecX<double>::Unit(6, k), 1e-6);
    EXPECT_LT((d.state.col(k) - slope).norm(), 1e-8) << k;
  }
  for (Eigen::Index p = 0; p < 2; ++p) {
    const VecX<double> slope =
        slope_by(scene, config.parameters[static_cast<std::size_t>(p)], config, differences, state, 1e-4);
    EXPECT_GT(slope.head(3).norm(), 1e-5);
    EXPECT_LT((d.parameter.col(p) - slope).head(3).norm(), 1e-8) << p;
  }
}

}  // namespace
