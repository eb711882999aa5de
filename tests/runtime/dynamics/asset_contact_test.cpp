// Bodies that are no union of convex shapes: what their surfaces do, not what their hulls would.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "preprocess/index/index.h"
#include "runtime/contact/model.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/dynamics/frictional/contact_reduction.h"
#include "runtime/dynamics/frictional/scene_file.h"
#include "runtime/dynamics/frictional/simulation.h"
#include "tests/support/hulls.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

struct Object {
  asset::Asset asset;
  asset::AssetView view;

  explicit Object(const preprocess::TriangleMesh& mesh) {
    asset.surfaces.push_back(preprocess::build_surface(mesh));
    asset.mass = preprocess::mass_properties(mesh);
    view = asset::view(asset);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
};

class Objects : public testing::Test {
 protected:
  Scene read(const std::string& text) const {
    std::istringstream in(text);
    return read_scene(in, "test", [this](const std::string& name) -> const asset::AssetView& {
      if (name == "ring") return ring.view;
      if (name == "cube") return cube.view;
      throw InvalidInput("no asset '" + name + "'");
    });
  }
  const Object ring{test::torus(0.1, 0.02, 48, 16)};  // hole of radius 8 cm
  const Object cube{test::box(0.2, 0.2, 0.2)};
};

TEST_F(Objects, BodyOfAnAssetHasItsMass) {
  const Pose<double> X_WO{rotation_from_quaternion(0.6, 0.0, 0.8, 0.0), {1, 2, 3}};
  const Body body = object_body("b", ring.view, 500, X_WO);
  EXPECT_NEAR(body.mass, 500 * ring.asset.mass.volume, 1e-12);
  const auto& q = body.q_WB;
  const Pose<double> X_WB{rotation_from_quaternion(q[0], q[1], q[2], q[3]), body.p_WB};
  EXPECT_LT(((X_WB * body.shapes[0].X_BS).R - X_WO.R).norm(), 1e-12);
  EXPECT_LT(((X_WB * body.shapes[0].X_BS).p - X_WO.p).norm(), 1e-12);
  const Mat3<double> inertia_W = X_WB.R * body.inertia.asDiagonal() * X_WB.R.transpose();
  const Eigen::Map<const Mat3<double>> inertia_O(ring.asset.mass.inertia);
  EXPECT_LT((inertia_W - 500 * X_WO.R * inertia_O * X_WO.R.transpose()).norm(), 1e-12);
  EXPECT_THROW(object_body("b", ring.view, 0, X_WO), InvalidInput);
}

TEST_F(Objects, CubeOfTrianglesSlidesAsABoxDoes) {
  Simulation simulation(
      read("gravity 3.355217606 0 -9.21838461\nmu 0.2\nplane 0 0 1 0\n"
           "object c cube 100 0 0 0.1 1 0 0 0 0 0 0 0 0 0\n"));
  for (int k = 0; k < 500; ++k) simulation.step();
  EXPECT_NEAR(simulation.states()[0].p_WB.x(), 3.023 / 4, 2e-3);  // half the time of a_slip
}

TEST_F(Objects, BallFallsThroughTheHoleOfARing) {
  Simulation simulation(
      read("gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n"
           "object r ring 1000 0 0 0.021 1 0 0 0 0 0 0 0 0 0\n"
           "body ball 0.1 1e-4 1e-4 1e-4 0.01 0 0.2 1 0 0 0 0 0 0 0 0 0 1\n"
           " sphere 0.05 0 0 0 1 0 0 0\n"));
  for (int k = 0; k < 500; ++k) simulation.step();
  EXPECT_NEAR(simulation.states()[1].p_WB.z(), 0.05, 1e-3);
  EXPECT_LT(simulation.states()[1].p_WB.head<2>().norm(), 0.1);
}

TEST_F(Objects, RingHangsOnABar) {
  Simulation simulation(
      read("gravity 0 0 -9.81\nmu 0.5\n"
           "sbox 0 0 1 1 0 0 0 0.3 0.015 0.01\n"
           "object r ring 1000 0 0 0.93 0.70710678 0 0.70710678 0 0 0 0 0 0 0\n"));
  for (int k = 0; k < 1500; ++k) simulation.step();
  EXPECT_GT(simulation.states()[0].p_WB.z(), 0.9);
  EXPECT_LT(simulation.states()[0].v_WB.norm(), 0.02);
  EXPECT_LT(simulation.report().penetration, 1e-3);
}

TEST_F(Objects, TwoRingsStackAndStay) {
  Simulation simulation(
      read("gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n"
           "object a ring 1000 0 0 0.02 1 0 0 0 0 0 0 0 0 0\n"
           "object b ring 1000 0 0 0.065 1 0 0 0 0 0 0 0 0 0\n"));
  for (int k = 0; k < 1000; ++k) simulation.step();
  EXPECT_NEAR(simulation.states()[0].p_WB.z(), 0.02, 1e-3);
  EXPECT_NEAR(simulation.states()[1].p_WB.z(), 0.06, 1e-3);
}

// A ball of radius 5 cm with all parts.
asset::Asset make_ball() {
  asset::Asset ball = test::convex_asset(test::tessellated_ellipsoid(3, Vec3<double>::Constant(0.05)));
  ball.surfaces.push_back(preprocess::build_surface(test::sphere(0.05, 4)));
  return ball;
}

// A ball of triangles is put on another one: every model that has contact points holds it at twice the
// radius.
TEST(ContactModels, GiveTheContactsOfAssets) {
  const asset::Asset ball = make_ball();
  const asset::AssetView view = asset::view(ball);
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  scene.mu = 0.5;
  Shape shape;
  shape.kind = ShapeKind::kAsset;
  shape.asset = &view;
  scene.fixed.push_back(shape);
  Body body;
  body.name = "upper";
  body.mass = 0.5;
  body.inertia.setConstant(5e-4);
  body.p_WB = {0, 0, 0.1002};
  body.shapes.push_back(shape);
  scene.bodies.push_back(body);
  int models = 0;
  for (const contact::ModelRow& row : contact::models()) {
    if (!row.has_constraints) continue;
    SCOPED_TRACE(row.name);
    ++models;
    SimulationConfig config;
    config.source.model = row.name;
    Simulation simulation(scene, config);
    for (int k = 0; k < 50; ++k) simulation.step();
    EXPECT_GT(simulation.report().contacts, 0);
    EXPECT_NEAR(simulation.states()[0].p_WB.z(), 0.1, 1e-3);
    EXPECT_LT(std::abs(simulation.states()[0].v_WB.z()), 0.02);
  }
  EXPECT_EQ(models, 3);
}

// Two bars meet edge on edge, between their vertices: only volumes see that.
TEST(ContactModels, PressureFieldsSeeCrossingEdges) {
  asset::Asset bar = test::convex_asset(test::box_hull({0.1, 0.01, 0.01}));
  bar.surfaces.push_back(preprocess::build_surface(test::box(0.2, 0.02, 0.02)));
  const asset::AssetView view = asset::view(bar);
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  scene.mu = 0.5;
  Shape shape;
  shape.kind = ShapeKind::kAsset;
  shape.asset = &view;
  const Vec3<double> roll(std::numbers::pi / 4, 0, 0), turn(0, 0, std::numbers::pi / 2);
  shape.X_BS.R = exp_rotation<double>(roll);
  scene.fixed.push_back(shape);
  Body body;
  body.name = "upper";
  body.mass = 0.5;
  body.inertia = {1e-3, 1e-3, 1e-3};
  body.p_WB = {0, 0, 0.02 * std::sqrt(2.0) + 1e-4};
  shape.X_BS.R = exp_rotation<double>(turn) * shape.X_BS.R;
  body.shapes.push_back(shape);
  scene.bodies.push_back(body);
  const auto height_after = [&](const std::string& model) {
    SimulationConfig config;
    config.source.model = model;
    Simulation simulation(scene, config);
    for (int k = 0; k < 50; ++k) simulation.step();
    return simulation.states()[0].p_WB.z();
  };
  EXPECT_NEAR(height_after("pressure_field"), 0.02 * std::sqrt(2.0), 5e-4);
  EXPECT_LT(height_after(""), 0.01);
}

TEST(ContactModels, AreRefusedWhereTheyCannotWork) {
  asset::Asset bare = make_ball();
  bare.volumes.clear();
  const asset::AssetView view = asset::view(bare);
  Scene scene;
  Shape shape;
  shape.kind = ShapeKind::kAsset;
  shape.asset = &view;
  scene.fixed.push_back(shape);
  SimulationConfig config;
  EXPECT_NO_THROW(Simulation(scene, config));
  config.source.model = "pressure_field";
  EXPECT_THROW(Simulation(scene, config), InvalidInput);
  config.source.model = "no such model";
  EXPECT_THROW(Simulation(scene, config), InvalidInput);
}

// The corners of the cloud stay: nothing that tips over its edge starts to tip much earlier.
TEST(KeepSpread, KeepsTheExtremesInOrder) {
  Random random(4);
  std::vector<SurfacePoint> all;
  for (std::uint64_t k = 0; k < 400; ++k)
    all.push_back({{random.uniform(-1, 1), random.uniform(-1, 1), 0},
                   Vec3<double>::UnitZ(),
                   random.uniform(-1e-3, 0),
                   0.0,
                   k});
  std::vector<SurfacePoint> kept = all;
  std::vector<double> spread;
  keep_spread(kept, 0, 16, 1, spread);
  ASSERT_EQ(kept.size(), 16U);
  const auto deeper = [](const SurfacePoint& a, const SurfacePoint& b) { return a.gap < b.gap; };
  EXPECT_EQ(std::min_element(kept.begin(), kept.end(), deeper)->gap,
            std::min_element(all.begin(), all.end(), deeper)->gap);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](const SurfacePoint& a, const SurfacePoint& b) {
    return a.feature < b.feature;
  }));
  for (int k = 0; k < 64; ++k) {
    const Vec3<double> along(std::cos(0.1 * k), std::sin(0.1 * k), 0);
    const auto reach = [&](const std::vector<SurfacePoint>& points) {
      double most = -1;
      for (const SurfacePoint& point : points) most = std::max(most, along.dot(point.p_W));
      return most;
    };
    EXPECT_GT(reach(kept), 0.8 * reach(all));
  }
}

}  // namespace
