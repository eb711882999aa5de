// Derivatives of a step before contact, second derivatives, and those by the poses of shapes.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "runtime/dynamics/step/second_derivatives.h"
#include "runtime/dynamics/tree/tree.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/hulls.h"
#include "tests/support/refusal.h"
#include "tests/support/tetrahedron_asset.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using test::StepDifferences;

constexpr double kReach = 0.01;  // m

body::Geometry egg_asset() {
  asset::Asset egg = test::convex_asset(test::tessellated_ellipsoid(2, {0.06, 0.04, 0.03}));
  const asset::ConvexView hull = asset::view(egg.convex.back());
  asset::Surface& surface = egg.surfaces.emplace_back();
  for (std::int32_t i = 0; i < hull.vertex_count; ++i) {
    const Vec3<double> p(hull.x[i], hull.y[i], hull.z[i]), n = p.normalized();
    surface.vertices.insert(surface.vertices.end(), p.begin(), p.end());
    surface.vertex_normals.insert(surface.vertex_normals.end(), n.begin(), n.end());
  }
  surface.triangles = egg.convex.back().triangles;
  surface.neighbours.assign(surface.triangles.size(), 0);  // nothing here asks for them
  surface.tree = test::one_leaf(hull.triangle_count, {-0.06F, -0.04F, -0.03F, 0.06F, 0.04F, 0.03F});
  return body::Geometry(std::move(egg));
}

// An asset of oriented points, an ellipsoid of 12 x 8 x 6 cm, above a ball of 8 cm on an arm of two joints:
// `gap` between the two surfaces, m.
Scene near_scene(double gap) {
  Scene scene = test::scene_of(
      "gravity 0 0 -9.81\nmu 0.4\n"
      "body upper 0.4 1e-3 2e-3 2e-3 0.1 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
      "joint shoulder revolute world 0 0 0 1 0 0 0 0 1 0 damping 0.1 velocity 0.2\n"
      "body lower 0.4 1e-3 1e-3 1e-3 0.3 0 0 1 0 0 0 0 0 0 0 0 0 1\n sphere 0.04 0 0 0 1 0 0 0\n"
      "joint elbow revolute upper 0.2 0 0 1 0 0 0 0 0 1 damping 0.1 velocity -0.3\n");
  Body egg;
  egg.name = "egg";
  egg.mass = 0.3;
  egg.inertia = {3e-4, 5e-4, 6e-4};
  egg.p_WB = {0.305, 0.01, 0.04 + gap + 0.03};
  egg.v_WB = {0.02, -0.01, -0.1};
  egg.w_WB_W = {0.3, 0.2, -0.1};
  egg.shapes.push_back({egg_asset(), {}, {.dissipation = 0.5, .friction = 0.4}});
  scene.bodies.push_back(egg);
  return scene;
}

StepConfig config_of(std::string_view integrator) {
  StepConfig config;
  config.dt = 4e-3;
  config.integrator = integrator;
  config.source = {.model = "soft_potential",
                   .settings = {{"reach", kReach}, {"stiffness", 1e6}, {"stiction_speed", 1e-2}}};
  if (integrator == "implicit") config.integrator_settings = {{"tolerance", 1e-12}};
  return config;
}

// The same without contact.
Scene apart(Scene scene) {
  scene.apart = {{1, 2}, {0, 2}};
  return scene;
}

constexpr double kSize = 2e-5;             // of differences, rad, m, rad/s, m/s
constexpr double kGaps[] = {-1e-3, 0.05};  // m: in contact, 5 cm before

// Steps with contact, and alone without it.
struct Steps {
  Steps(double gap, std::string_view integrator)
      : system(near_scene(gap)),
        free(apart(near_scene(gap))),
        differences(system, config_of(integrator)),
        alone(free, config_of(integrator)) {}

  System system, free;
  StepDifferences differences, alone;
  State start = system.initial_state();
};

// visit(gap, integrator), of all integrators with derivatives.
template <class Visit>
void for_every_gap_and_integrator(Visit&& visit) {
  for (const double gap : kGaps)
    for (const IntegratorRow& row : integrators()) {
      if (!test::has_smooth_derivatives(row)) continue;
      SCOPED_TRACE(std::string(row.name) + ", gap " + std::to_string(gap));
      visit(gap, row.name);
    }
}

TEST(StepBeforeContact, TheForceAtFiveReachesIsFarAboveRounding) {
  const auto acceleration = [](double gap) {
    const System system(near_scene(gap)), free(apart(near_scene(gap)));
    StepConfig config = config_of("semi_implicit");
    State with = system.initial_state(), without = free.initial_state();
    make_integrator(system, config)->step(with, {});
    make_integrator(free, config)->step(without, {});
    return (with.bodies[2].v_WB - without.bodies[2].v_WB).norm();
  };
  const double share = acceleration(0.05) / acceleration(-1e-3);
  EXPECT_GT(share, 1e-6);  // of 1e-12 that are asked for
  EXPECT_LT(share, 1e-2);
}

// What contact adds to the derivatives, relative to itself.
TEST(StepBeforeContact, FirstDerivativesEqualDifferences) {
  for_every_gap_and_integrator([&](double gap, std::string_view integrator) {
    Steps steps(gap, integrator);
    StepDifferences &differences = steps.differences, &alone = steps.alone;
    const State& start = steps.start;
    StepDerivatives with, without;
    State next = start;
    differences.integrator().step(next, {}, with);
    next = start;
    alone.integrator().step(next, {}, without);
    const double scale = (with.state - without.state).cwiseAbs().maxCoeff();
    EXPECT_GT(scale, gap > 0 ? 1e-5 : 1e-2);
    for (Eigen::Index k = 0; k < differences.size(); ++k) {
      const VecX<double> x = VecX<double>::Unit(differences.size(), k),
                         slope = differences.slope(start, x, kSize) - alone.slope(start, x, kSize);
      EXPECT_LT((with.state.col(k) - without.state.col(k) - slope).cwiseAbs().maxCoeff(), 1e-7 * scale)
          << "column " << k;
    }
  });
}

std::pair<VecX<double>, VecX<double>> directions(Eigen::Index size) {
  VecX<double> x(size), y(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    x[k] = std::sin(1.7 * static_cast<double>(k) + 0.3);
    y[k] = std::cos(2.3 * static_cast<double>(k));
  }
  return {x, y};
}

TEST(StepSecondDerivatives, EqualSecondDifferencesAndAreSymmetric) {
  for_every_gap_and_integrator([&](double gap, std::string_view integrator) {
    Steps steps(gap, integrator);
    StepDifferences &differences = steps.differences, &alone = steps.alone;
    const State& start = steps.start;
    const Eigen::Index size = differences.size();
    const auto [x, y] = directions(size);
    const auto along = [&](StepDifferences& of, const VecX<double>& direction) {
      return second_derivatives(of.integrator(), of.coordinates(), start, {}, direction).state;
    };
    const MatX<double> by_x = along(differences, x), alone_by_x = along(alone, x);
    const VecX<double> contact = (by_x - alone_by_x) * x,
                       reference =
                           differences.curvature(start, x, 3 * kSize) - alone.curvature(start, x, 3 * kSize);
    EXPECT_LT((contact - reference).cwiseAbs().maxCoeff(), 1e-5 * reference.cwiseAbs().maxCoeff());
    const VecX<double> one = by_x * y, other = along(differences, y) * x;
    EXPECT_LT((one - other).cwiseAbs().maxCoeff(), 1e-7 * one.cwiseAbs().maxCoeff());
  });
}

// Their first derivatives are partly differences, and rough where little moves.
TEST(StepSecondDerivatives, OfTreesUnderMidpointEqualDifferences) {
  for (const auto& [speed, tolerance] : {std::pair(1.0, 2e-3), std::pair(0.01, 2e-2)}) {
    Scene scene = apart(near_scene(0.05));
    for (Body& body : scene.bodies)
      if (body.joint) body.joint->v *= speed;
    const System system(scene);
    StepDifferences differences(system, {.dt = 4e-3});
    const Eigen::Index size = differences.size();
    const auto [x, y] = directions(size);
    const auto along = [&](const VecX<double>& direction) {
      const StepDerivatives found = second_derivatives(differences.integrator(), differences.coordinates(),
                                                       system.initial_state(), {}, direction);
      if (speed == 1) {
        EXPECT_EQ(found.status, Status::kOk);
      }
      return found.state;
    };
    const MatX<double> by_x = along(x);
    const VecX<double> reference = differences.curvature(system.initial_state(), x, 1e-3);
    EXPECT_LT((by_x * x - reference).cwiseAbs().maxCoeff(), tolerance * reference.cwiseAbs().maxCoeff());
    const VecX<double> one = by_x * y, other = along(y) * x;
    EXPECT_LT((one - other).cwiseAbs().maxCoeff(), tolerance * one.cwiseAbs().maxCoeff());
  }
}

TEST(StepSecondDerivatives, WhatIsNoDirectionIsRefused) {
  const System system(near_scene(0));
  StepDifferences differences(system, config_of("rk4"));
  EXPECT_EQ(test::refusal([&] {
              second_derivatives(differences.integrator(), differences.coordinates(), system.initial_state(),
                                 {}, VecX<double>::Ones(3));
            }),
            "second derivatives: the direction must have 16 finite entries");
}

TEST(StepParameters, PosesOfShapesEqualDifferencesBeforeAndInContact) {
  std::vector<Parameter> parameters;
  for (const std::int32_t body : {1, 2})
    for (const int k : {1, 3, 5})
      parameters.push_back({static_cast<Quantity>(static_cast<int>(Quantity::kShapeTurnX) + k), body, 0});
  for_every_gap_and_integrator([&](double gap, std::string_view integrator) {
    Scene scene = near_scene(gap);
    StepConfig config = config_of(integrator);
    config.parameters = parameters;
    const System system(scene);
    StepDifferences differences(system, config);
    StepDerivatives derivatives;
    State next = system.initial_state();
    differences.integrator().step(next, {}, derivatives);
    const double scale = derivatives.parameter.cwiseAbs().maxCoeff(), size = kSize;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto at = [&](double t) -> VecX<double> {
        Scene moved = scene;
        change(moved.bodies[static_cast<std::size_t>(parameters[i].body)], parameters[i], t);
        StepConfig plain = config_of(integrator);
        State end = system.initial_state();
        make_integrator(System(moved), plain)->step(end, {});
        return differences.between(next, end);
      };
      const VecX<double> slope = (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
      EXPECT_LT((derivatives.parameter.col(static_cast<Eigen::Index>(i)) - slope).cwiseAbs().maxCoeff(),
                1e-6 * scale)
          << "parameter " << i;
    }
  });
}

TEST(StepParameters, ShapesThatThereAreNotAreNamed) {
  const System system(near_scene(0.05));
  StepConfig config = config_of("rk4");
  config.parameters = {{Quantity::kShapeShiftY, 2, 1}};
  EXPECT_EQ(test::refusal([&] { make_integrator(system, config); }),
            "parameter: shape_shift_y of body 'egg', which has no shape 1");
}

}  // namespace
