// Derivatives of steps with rigid contact and friction.
#include <gtest/gtest.h>

#include "runtime/core/error.h"
#include "runtime/dynamics/rollout/rollout.h"
#include "tests/runtime/dynamics/step/frictional_steps.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/refusal.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::test;

// A ball over the edge of a box: aside its contact changes from the face to the edge, up and down it does
// not.
TEST(FrictionalDerivatives, AtAKinkAreRightAlongWhatIsSmooth) {
  const System system(scene_of(
      "gravity 0 0 -9.81\nmu 0\nsbox 0 0 -0.5 1 0 0 0 0.5 0.5 0.5\n"
      "body ball 1 0.004 0.004 0.004 0.5 0 0.100001 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.1 0 0 0 1 0 0 0\n"));
  const auto after = [&](double lift, StepDerivatives& derivatives) {
    State state = system.initial_state();
    state.bodies[0].p_WB.z() += lift;
    make_integrator(system, exact_config())->step(state, {}, derivatives);
    return state.bodies[0].v_WB.z();
  };
  StepDerivatives here, lifted;
  after(0, here);
  EXPECT_TRUE(has_kink(here, StepKink::Kind::kShape));
  const double slope = (after(1e-7, lifted) - after(-1e-7, lifted)) / 2e-7;
  EXPECT_LT(slope, -100);
  EXPECT_NEAR(here.state(11, 5), slope, 1e-5 * std::abs(slope));
}

// A pendulum with a drive: forces, and the friction of what its tip slides on.
TEST(FrictionalDerivatives, OfAnArmByForcesAndFriction) {
  Scene scene;
  scene.gravity = kGravity;
  scene.fixed.push_back(floor_at(0));
  Link link;
  link.name = "arm";
  link.joint.name = "hinge";
  link.joint.type = kRevolute;
  link.joint.axis_J = Vec3<double>::UnitZ();
  link.joint.X_PJ.p.z() = 0.1;
  link.inertia = {1, {0.2, 0, 0}, Vec3<double>(0.01, 0.02, 0.02).asDiagonal()};
  scene.bodies.push_back(link_body(link));
  Link wrist = link;
  wrist.name = "wrist";
  wrist.parent = 0;
  wrist.joint.name = "slide";
  wrist.joint.type = kPrismatic;
  wrist.joint.X_PJ.p = {0.4, 0, 0};
  wrist.inertia = {0.5, {0, 0, 0}, 1e-3 * Mat3<double>::Identity()};
  scene.bodies.push_back(link_body(wrist));
  scene.bodies.back().shapes.push_back({body::Geometry(body::Sphere<double>{0.1}), {}, {.friction = 0.5}});
  scene.bodies.back().shapes.back().X_BS.p.z() = -1e-6;
  scene.bodies[0].joint->v = VecX<double>::Constant(1, 1);
  scene.bodies[1].joint->v = VecX<double>::Constant(1, -1e-3);
  const System system(scene);
  StepConfig config = exact_config();
  config.parameters = {{Quantity::kFriction, 1, 0}};
  StepDerivatives d;
  State state = system.initial_state();
  make_integrator(system, config)->step(state, {}, d);
  ASSERT_EQ(d.status, Status::kOk);
  const double inertia = 0.02 + 0.04 + 1e-3 + 0.5 * 0.16, pressed = 0.5 * (9.81 * kStep + 1e-3);
  EXPECT_NEAR(d.force(2, 0), kStep / inertia, 1e-9);
  EXPECT_NEAR(d.parameter(2, 0), -0.4 * pressed / 2 / inertia, 1e-8);
  EXPECT_NEAR(d.force(2, 1), 0.4 * 0.5 * kStep / inertia, 1e-8);  // down is less load
}

// Heavier and lighter links, by differences of the fourth order between systems.
TEST(FrictionalDerivatives, ByMassesAndMomentsOfBodiesOnJoints) {
  int right = 0;
  for (unsigned k = 0; k < 12; ++k) {
    Random random(8, k);
    const Scene scene = random_arm(random, k);
    const System system(scene);
    StepConfig config = exact_config();
    config.parameters = {{Quantity::kMass, 0, 0},
                         {Quantity::kMass, 1, 0},
                         {Quantity::kMomentX, 1, 0},
                         {Quantity::kMomentY, 2, 0},
                         {Quantity::kMomentZ, 2, 0}};
    StepDifferences differences(system, config);
    const State state = pile_state(random, differences, system, false);
    State next = state;
    StepDerivatives d;
    differences.integrator().step(next, {}, d);
    if (d.status != Status::kOk) continue;
    for (std::size_t p = 0; p < config.parameters.size(); ++p) {
      const Parameter& parameter = config.parameters[p];
      const double size =
          1e-4 * value_of(scene.bodies[static_cast<std::size_t>(parameter.body)], parameter.quantity);
      const auto at = [&](double by) {
        Scene changed = scene;
        change(changed.bodies[static_cast<std::size_t>(parameter.body)], parameter, by);
        State to = state;
        make_integrator(System(changed), exact_config())->step(to, {});
        return differences.between(next, to);
      };
      const VecX<double> slope = (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
      const auto column = static_cast<Eigen::Index>(p);
      EXPECT_LT((d.parameter.col(column) - slope).norm(), 1e-6 * slope.norm() + 1e-9) << k << ", " << p;
      right += slope.norm() > 1e-6;
    }
  }
  EXPECT_GT(right, 25);
}

// v' = v - mu (g h + 1 mm/s) along the floor; a force along it acts in full, one down on it by mu.
TEST(FrictionalDerivatives, OfASlidingBoxAreCoulombs) {
  const StepDerivatives d = derivatives_of(
      sliding_box(1), {{Quantity::kFriction, 0, 0}, {Quantity::kMass, 0, 0}, {Quantity::kModulus, 0, 0}});
  const double pressed = 9.81 * kStep + 1e-3;
  constexpr Eigen::Index kVx = 9, kVz = 11;
  EXPECT_NEAR(d.state(kVx, kVx), 1, 1e-9);
  EXPECT_NEAR(d.state(kVx, kVz), 0.4, 1e-9);
  EXPECT_NEAR(d.state(kVz, kVz), 0, 1e-9);
  EXPECT_NEAR(d.force(kVx, 3), kStep / 2, 1e-9);
  EXPECT_NEAR(d.force(kVx, 5), 0.4 * kStep / 2, 1e-9);
  // The pair's friction is 2 a b / (a + b), whose slope is 1/2 where both are the same.
  EXPECT_NEAR(d.parameter(kVx, 0), -pressed / 2, 1e-9);
  EXPECT_NEAR(d.parameter(kVx, 1), 0, 1e-9);
  EXPECT_EQ(d.parameter.col(2).cwiseAbs().maxCoeff(), 0);
}

// Over two rows of five steps: the way follows the velocity at the start, friction takes 10 mu g h of it.
// The friction of a body's two shapes, of which one has none and slides.
TEST(FrictionalDerivatives, ByFrictionFromNone) {
  Scene scene = sliding_box(1);
  scene.bodies[0].v_WB.y() = 2;
  std::vector<Shape>& shapes = scene.bodies[0].shapes;
  shapes[0].material.friction = 0;
  shapes.insert(shapes.begin(), {body::Geometry(body::Sphere<double>{0.01}), {}, {.friction = 0.4}});
  const StepDerivatives d = derivatives_of(scene, {{Quantity::kFriction, 0, 0}});
  const auto velocity = [&](double friction) {
    Scene changed = scene;
    changed.bodies[0].shapes[1].material.friction = friction;
    const System system(changed);
    State state = system.initial_state();
    make_integrator(system, exact_config())->step(state, {});
    return state.bodies[0].v_WB;
  };
  const Vec3<double> slope = (velocity(1e-6) - velocity(0)) / 1e-6;
  EXPECT_GT(slope.norm(), 1e-4);
  EXPECT_LT((d.parameter.col(0).tail<3>() - slope).norm(), 1e-4 * slope.norm());
}

TEST(FrictionalDerivatives, GoThroughRollouts) {
  const System system(sliding_box(1));
  StepConfig config = exact_config();
  config.parameters = {{Quantity::kFriction, 0, 0}};
  Rollout rollout(system, config, 5);
  rollout.run(system.initial_state(), {.joint_force = MatX<double>(2, 0), .joint_target = {}});
  MatX<double> costates = MatX<double>::Zero(2, 12);
  costates(1, 9) = 1;  // of the velocity along the floor at the end
  const RolloutGradient gradient = rollout.gradient(costates);
  EXPECT_EQ(gradient.kinks, 9);  // after the first step it neither falls nor rises, where targets bend
  EXPECT_NEAR(gradient.start[9], 1, 1e-6);
  EXPECT_NEAR(gradient.start[11], 0.4, 1e-6);
  EXPECT_NEAR(gradient.parameter[0], -(9.81 * 10 * kStep + 1e-3) / 2, 1e-6);
}

TEST(FrictionalDerivatives, NameWhereTheBoxJustStops) {
  const double stops = 0.4 * (9.81 * kStep + 1e-3);
  EXPECT_FALSE(has_kink(derivatives_of(sliding_box(0.9 * stops)), StepKink::Kind::kSliding));
  const StepDerivatives d = derivatives_of(sliding_box(stops));
  EXPECT_TRUE(has_kink(d, StepKink::Kind::kSliding));
  EXPECT_EQ(d.status, Status::kClamped);
  EXPECT_TRUE(d.state.allFinite());
}

TEST(FrictionalDerivatives, NameAGapOfZero) {
  Scene scene = sliding_box(0);
  scene.bodies.back().p_WB.z() = 0.05;
  scene.bodies.back().v_WB.setZero();
  EXPECT_TRUE(has_kink(derivatives_of(scene), StepKink::Kind::kTarget));
}

// Two balls that strike each other in free flight: momenta follow those before, whatever the impulse.
TEST(FrictionalDerivatives, KeepTheMomentumOfTwoBodies) {
  Scene scene;
  for (int k = 0; k < 2; ++k) {
    scene.bodies.push_back(
        free_box("ball" + std::to_string(k), {0.05, 0.05, 0.05}, 1 + k, {0.0995 * k, 0, 0}));
    scene.bodies.back().shapes.front().geometry = body::Geometry(body::Sphere<double>{0.05});
  }
  scene.bodies[0].v_WB = {1, 0.3, 0.1};
  scene.bodies[0].w_WB_W = {2, 1, 3};
  scene.set_material({.friction = 0.3, .restitution = 0.5});
  const System system(scene);
  StepDifferences differences(system, exact_config());
  const State state = system.initial_state();
  const DerivativeCheck check = check_derivatives(differences, state);
  EXPECT_EQ(check.verdict, DerivativeVerdict::kRight) << check.error;
  State next = state;
  differences.integrator().step(next, {});
  ASSERT_GT((next.bodies[1].v_WB - state.bodies[1].v_WB).norm(), 0.1);
  const auto momentum_slopes = [&](const State& at, const MatX<double>& slopes) {
    MatX<double> sum = MatX<double>::Zero(3, slopes.cols());
    for (std::size_t i = 0; i < 2; ++i) {
      const auto row = static_cast<Eigen::Index>(6 * i);
      const Mat3<double> R = at.bodies[i].q_WB.toRotationMatrix();
      sum += system.body(i).mass *
             (R * slopes.middleRows<3>(15 + row) - skew(at.bodies[i].v_WB) * R * slopes.middleRows<3>(row));
    }
    return sum;
  };
  const MatX<double> before = momentum_slopes(state, MatX<double>::Identity(24, 24)),
                     after = momentum_slopes(next, check.derivatives.state);
  EXPECT_LT((after - before).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(FrictionalDerivatives, AreThoseOfTheStepThatIsMadeWithoutThem) {
  Random random(3, 5);
  const System system(random_pile(random, 3));
  const auto integrator = make_integrator(system, {}), other = make_integrator(system, {});
  State state = system.initial_state(), plain = state;
  StepDerivatives derivatives;
  for (int k = 0; k < 100; ++k) {
    integrator->step(state, {}, derivatives);
    other->step(plain, {});
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(state.bodies[i].p_WB, plain.bodies[i].p_WB);
      ASSERT_EQ(state.bodies[i].L_W, plain.bodies[i].L_W);
    }
  }
}

// Differences are of a solver to 1e-13, which says something of the derivatives of one to 1e-10, too.
TEST(FrictionalDerivatives, AreTheSameWithTheDefaultTolerance) {
  int compared = 0;
  for (int k = 0; k < 90; ++k) {
    Random random(7, static_cast<std::uint64_t>(k));
    const System system(random_pile(random, 1 + k % 3));
    StepDifferences exact(system, exact_config());
    const State state = pile_state(random, exact, system, false);
    State one = state, other = state;
    StepDerivatives d, by_default;
    exact.integrator().step(one, {}, d);
    make_integrator(system, {.dt = kStep})->step(other, {}, by_default);
    if (d.status != Status::kOk || by_default.status != Status::kOk) continue;
    EXPECT_LT((d.state - by_default.state).cwiseAbs().maxCoeff(), 1e-7 * d.state.cwiseAbs().maxCoeff()) << k;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

// Boxes with faces on one another, nearly flat, that overlap: neither the order of the bodies nor that of
// their contacts is in the next state.
TEST(FrictionalDerivatives, DoNotDependOnTheOrderOfBodies) {
  constexpr Eigen::Index kPlaces[] = {1, 0};
  int compared = 0, same = 0;
  for (unsigned k = 0; k < 80; ++k) {
    Random random(21, k);
    Scene scene;
    scene.gravity = kGravity;
    scene.fixed.push_back(floor_at(0));
    for (int i = 0; i < 2; ++i) {
      scene.bodies.push_back(free_box("box" + std::to_string(i), {0.05, 0.04, 0.03}, 1 + i,
                                      {0.01 * random.normal(), 0.01 * random.normal(), 0.0299 + 0.0598 * i}));
      const Vec3<double> turn = random_vector(random, 5e-4);
      const Eigen::Quaterniond q = Eigen::Quaterniond(1, turn.x(), turn.y(), turn.z()).normalized();
      scene.bodies.back().q_WB = {q.w(), q.x(), q.y(), q.z()};
      scene.bodies.back().v_WB = random_vector(random, 0.05);
      scene.bodies.back().w_WB_W = random_vector(random, 0.5);
    }
    scene.set_material({.friction = 0.4});
    State next[2];
    StepDerivatives derivatives[2];
    for (std::size_t order : {0U, 1U}) {
      if (order == 1) std::swap(scene.bodies[0], scene.bodies[1]);
      const System system(scene);
      next[order] = system.initial_state();
      make_integrator(system, exact_config())->step(next[order], {}, derivatives[order]);
    }
    if (derivatives[0].status != Status::kOk || derivatives[1].status != Status::kOk) continue;
    ++compared;
    double off = 0;
    for (std::size_t i : {0U, 1U}) {
      const BodyState &one = next[0].bodies[i], &other = next[1].bodies[1 - i];
      EXPECT_LT((one.p_WB - other.p_WB).norm(), 1e-10) << k;
      EXPECT_LT((one.v_WB - other.v_WB).norm(), 1e-10) << k;
      EXPECT_LT((one.L_W - other.L_W).norm(), 1e-12) << k;
      for (std::size_t j : {0U, 1U})
        for (const Eigen::Index row : {0, 12})
          for (const Eigen::Index column : {0, 12}) {
            const auto a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
            const MatX<double> change =
                derivatives[0].state.block<6, 6>(row + 6 * a, column + 6 * b) -
                derivatives[1].state.block<6, 6>(row + 6 * kPlaces[i], column + 6 * kPlaces[j]);
            off = test::worst_of(off, change.cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
          }
    }
    same += off < 1e-7 * derivatives[0].state.cwiseAbs().maxCoeff();
  }
  EXPECT_GT(compared, 20);
  EXPECT_GE(same, compared * 9 / 10);
}

// A box that comes to rest on four corners, of which three can carry it: what share the fourth takes moves it
// by 1e-7 rad/s. That is said, and the step is one of these, not now one and now another.
TEST(FrictionalDerivatives, NameCornersThatShareTheLoadFreelyWhateverTheTolerance) {
  Scene scene;
  scene.gravity = kGravity;
  scene.fixed.push_back(floor_at(0));
  scene.bodies.push_back(free_box("box", {0.029076288052884848, 0.04229745704864662, 0.040467221514924726},
                                  0.968170477747104,
                                  {0.006263563425427463, 0.026274715447936414, 0.02910325122669902}));
  Body& box = scene.bodies.back();
  box.inertia = box.mass * Vec3<double>(1e-3, 1.2e-3, 1.4e-3);
  box.q_WB = {0.43169635254030225, -0.5600264683421541, 0.43175940733847057, 0.5599932393648568};
  const Mat3<double> R =
      Eigen::Quaterniond(box.q_WB[0], box.q_WB[1], box.q_WB[2], box.q_WB[3]).toRotationMatrix();
  box.w_WB_W = R * Vec3<double>(0.007049202627321522, 0.008029505157857018, 0.002798419770668651);
  box.v_WB = R * Vec3<double>(0.004016657651303729, -0.00791187636361935, -0.004851368386003822);
  scene.set_material({.friction = 2, .restitution = 0.4});
  const System system(scene);
  for (const double tolerance : {1e-10, 1e-12, 1e-13}) {
    const StepConfig config{.dt = kStep, .solver_settings = {{"tolerance", tolerance}}};
    const auto integrator = make_integrator(system, config);
    StepDerivatives derivatives;
    State next = system.initial_state();
    integrator->step(next, {}, derivatives);
    EXPECT_TRUE(has_kink(derivatives, StepKink::Kind::kShare)) << tolerance;
    Random random(5, 5);
    for (int k = 0; k < 50; ++k) {
      State near = system.initial_state();
      near.bodies[0].p_WB += random_vector(random, 1e-12);
      near.bodies[0].v_WB += random_vector(random, 1e-12);
      integrator->step(near, {});
      const Vec3<double> off = near.bodies[0].L_W - next.bodies[0].L_W;
      EXPECT_LT(off.norm(), 1e-9 * box.inertia.minCoeff()) << tolerance;
    }
  }
}

TEST(FrictionalDerivatives, AreRefusedOfThePublishedSolver) {
  const System system(sliding_box(1));
  State state = system.initial_state();
  StepDerivatives derivatives;
  EXPECT_THROW(make_integrator(system, {.solver = "published"})->step(state, {}, derivatives), InvalidInput);
}

// Where pressures are equal follows the moduli.
TEST(FrictionalDerivatives, AreRefusedByModuliWhereTheyMoveTheContactPoints) {
  const System system(sliding_box(1));
  StepConfig config = exact_config();
  config.parameters = {{Quantity::kModulus, 0, 0}};
  config.source.model = "pressure_field";
  EXPECT_NE(test::refusal([&] { (void)make_integrator(system, config); }).find("moduli"), std::string::npos);
}

}  // namespace
