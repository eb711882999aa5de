// Bodies that are no union of convex shapes: what their surfaces do, not what their hulls would.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "preprocess/index/index.h"
#include "preprocess/remesh/oriented_points.h"
#include "runtime/contact/model.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/dynamics/collide/asset_contact.h"
#include "runtime/dynamics/collide/contact_reduction.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"
#include "tests/support/allocations.h"
#include "tests/support/hulls.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

struct Object {
  asset::Asset asset;

  explicit Object(const preprocess::TriangleMesh& mesh) {
    asset.surfaces.push_back(preprocess::build_surface(mesh));
    asset.mass = preprocess::mass_properties(mesh);
  }
  void add_quads(const preprocess::TriangleMesh& mesh, const preprocess::QuadMesh& quads) {
    asset.points.push_back(preprocess::make_points(quads, preprocess::ReferenceSurface(mesh)));
  }
  body::Geometry geometry() const { return body::Geometry(asset); }
};

class Objects : public testing::Test {
 protected:
  Scene read(const std::string& text) const {
    std::istringstream in(text);
    return read_scene(in, "test", [this](const std::string& name) -> body::Geometry {
      if (name == "ring") return ring.geometry();
      if (name == "cube") return cube.geometry();
      throw InvalidInput("no asset '" + name + "'");
    });
  }
  const Object ring{test::torus(0.1, 0.02, 48, 16)};  // hole of radius 8 cm
  const Object cube{test::box(0.2, 0.2, 0.2)};
};

TEST_F(Objects, BodyOfAnAssetHasItsMass) {
  const Pose<double> X_WO{rotation_from_quaternion(0.6, 0.0, 0.8, 0.0), {1, 2, 3}};
  const Body body = object_body("b", ring.geometry(), 500, X_WO);
  EXPECT_NEAR(body.mass, 500 * ring.asset.mass.volume, 1e-12);
  const auto& q = body.q_WB;
  const Pose<double> X_WB{rotation_from_quaternion(q[0], q[1], q[2], q[3]), body.p_WB};
  EXPECT_LT(((X_WB * body.shapes[0].X_BS).R - X_WO.R).norm(), 1e-12);
  EXPECT_LT(((X_WB * body.shapes[0].X_BS).p - X_WO.p).norm(), 1e-12);
  const Mat3<double> inertia_W = X_WB.R * body.inertia.asDiagonal() * X_WB.R.transpose();
  const Eigen::Map<const Mat3<double>> inertia_O(ring.asset.mass.inertia);
  EXPECT_LT((inertia_W - 500 * X_WO.R * inertia_O * X_WO.R.transpose()).norm(), 1e-12);
  EXPECT_THROW(object_body("b", ring.geometry(), 0, X_WO), InvalidInput);
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

PlacedShape placed(const body::Primitive& primitive) {
  return PlacedShape(Shape{body::Geometry(primitive), {}});
}

PlacedShape placed(const Object& object) { return PlacedShape(Shape{object.geometry(), {}}); }

// Steps of all lengths, in touch and apart: what is remembered saves work and changes no bit.
TEST_F(Objects, PointsDoNotDependOnTheMemory) {
  const PlacedShape moving = placed(ring);
  for (PlacedShape still : {placed(ring), placed(body::Box<double>{{0.1, 0.03, 0.05}}),
                            placed(body::Cylinder<double>{0.05, 0.05}), placed(body::HalfSpace<double>{}),
                            placed(body::Sphere<double>{0.07})}) {
    SCOPED_TRACE(static_cast<int>(still.kind));
    Random random(7);
    AssetMemory memory;
    AssetWorkspace workspace;
    PlacedShape B = moving;
    Pose<double> X{Mat3<double>::Identity(), {0.1, 0, 0.05}};
    still.place({}, 0);
    std::size_t found = 0;
    for (int k = 0; k < 500; ++k) {
      const double length = 0.02 * std::pow(10.0, -random.uniform(0, 4));
      const auto any = [&] { return Vec3<double>(random.normal(), random.normal(), random.normal()); };
      X.p = 0.99 * X.p + length * any();
      X.R = X.R * exp_rotation<double>(10 * length * any());
      B.place(X, 0);
      const double margin = 1e-4 + length * random.uniform();
      std::vector<SurfacePoint> points, plain;
      AssetMemory nothing;
      asset_points(still, B, margin, memory, workspace, points);
      asset_points(still, B, margin, nothing, workspace, plain);
      ASSERT_EQ(points.size(), plain.size());
      for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_EQ(points[i].feature, plain[i].feature);
        ASSERT_EQ(points[i].p_W, plain[i].p_W);
        ASSERT_EQ(points[i].n_W, plain[i].n_W);
        ASSERT_EQ(points[i].gap, plain[i].gap);
      }
      found += points.size();
    }
    EXPECT_GT(found, 250U);
  }
}

// Turned in all directions above a wide box: its lowest sample is among the points.
void expect_lowest_sample(PlacedShape B) {
  PlacedShape A = placed(body::Box<double>{{0.2, 0.2, 0.2}});
  A.place({}, 0);
  AssetMemory memory;
  AssetWorkspace workspace;
  const Eigen::Map<const Eigen::Matrix3Xd> samples(B.samples.points->front().data(), 3,
                                                   static_cast<Eigen::Index>(B.samples.points->size()));
  for (int k = 0; k < 200; ++k) {
    const Mat3<double> R = exp_rotation<double>({0.03 * k, 0.02 * k, 0});
    const double lowest = (R.row(2) * samples).minCoeff(), gap = 1e-3 * std::sin(k);
    B.place({R, {0, 0, 0.2 - lowest + gap}}, 0);
    std::vector<SurfacePoint> points;
    asset_points(A, B, 1e-3, memory, workspace, points);
    double least = std::numeric_limits<double>::infinity();
    for (const SurfacePoint& point : points) least = std::min(least, point.gap);
    EXPECT_NEAR(least, gap, 1e-12);
  }
}

TEST_F(Objects, NoTouchingVertexIsMissed) { expect_lowest_sample(placed(ring)); }

TEST_F(Objects, PileHasTheSameBitsOnAnyNumberOfThreads) {
  std::ostringstream text;
  text << "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n";
  for (int k = 0; k < 6; ++k)
    text << "object o" << k << (k % 2 ? " cube" : " ring") << " 1000 " << 0.02 * k << " 0 " << 0.15 + 0.25 * k
         << " 0.8 0.6 0 0 0 0 0 0 0 0\n";
  const auto end = [&](int threads) {
    StepConfig config;
    config.threads = threads;
    Simulation simulation(read(text.str()), config);
    for (int k = 0; k < 300; ++k) simulation.step();
    EXPECT_GT(simulation.report().contacts, 10);
    return std::vector<BodyState>(simulation.states().begin(), simulation.states().end());
  };
  const std::vector<BodyState> one = end(1), three = end(3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].p_WB, three[i].p_WB);
    EXPECT_EQ(one[i].L_W, three[i].L_W);
  }
}

TEST_F(Objects, StepsAllocateNothingAtRest) {
  Simulation simulation(
      read("gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n"
           "object a ring 1000 0 0 0.02 1 0 0 0 0 0 0 0 0 0\n"
           "object b ring 1000 0 0 0.06 1 0 0 0 0 0 0 0 0 0\n"));
  for (int k = 0; k < 100; ++k) simulation.step();
  const std::size_t before = test::allocations();
  for (int k = 0; k < 100; ++k) simulation.step();
  EXPECT_EQ(test::allocations(), before);
}

// The surface of the cube [-1, 1]^3 in n x n quads a face.
preprocess::QuadMesh cube_quads(int n) {
  preprocess::QuadMesh mesh;
  for (int face = 0; face < 6; ++face) {
    const Vec3<double> normal = (face % 2 ? -1 : 1) * Vec3<double>::Unit(face / 2);
    const Vec3<double> u = Vec3<double>::Unit((face / 2 + 1) % 3), v = normal.cross(u);
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j)
        mesh.vertices.push_back(normal + (2.0 * i / n - 1) * u + (2.0 * j / n - 1) * v);
    for (std::int32_t i = 0; i < n; ++i)
      for (std::int32_t j = 0; j < n; ++j) {
        const std::int32_t corner = first + i * (n + 1) + j;
        mesh.quads.push_back({corner, corner + n + 1, corner + n + 2, corner + 1});
      }
  }
  return mesh;
}

// Height at which an object of quads comes to rest on a plane.
double rest_height(const Object& object, double height, const char* attitude) {
  std::istringstream in("gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nobject o o 1000 0 0 " +
                        std::to_string(height) + " " + attitude + " 0 0 0 0 0 0\n");
  const auto named = [&](const std::string&) { return object.geometry(); };
  Simulation simulation(read_scene(in, "test", named));
  for (int k = 0; k < 3000; ++k) simulation.step();
  EXPECT_LT(simulation.states()[0].v_WB.norm(), 1e-3);
  return simulation.states()[0].p_WB.z();
}

// However coarse they are: quads have corners where the box has.
TEST(OrientedPoints, BoxRestsOnTheCornersOfItsQuads) {
  const preprocess::TriangleMesh mesh = test::box(0.2, 0.2, 0.2);
  for (const int n : {2, 9}) {
    preprocess::QuadMesh quads = cube_quads(n);
    for (Vec3<double>& v : quads.vertices) v *= 0.1;
    Object box(mesh);
    box.add_quads(mesh, quads);
    EXPECT_NEAR(rest_height(box, 0.1, "1 0 0 0"), 0.1, 2e-5);
    EXPECT_NEAR(rest_height(box, 0.14, "0.96 0.28 0 0"), 0.1, 2e-5);
    expect_lowest_sample(placed(box));
  }
}

// Between the corners of a quad with sides s a ball of radius R stands out by s^2/(4 R), on an odd grid by
// R - R/sqrt(1 + 2/n^2) below: it sinks by that and no more.
TEST(OrientedPoints, BallSinksByTheArcOfAQuad) {
  const double R = 0.1;
  const preprocess::TriangleMesh mesh = test::sphere(R, 6);
  for (const int n : {9, 17}) {
    preprocess::QuadMesh quads = cube_quads(n);
    for (Vec3<double>& v : quads.vertices) v *= R / v.norm();
    Object ball(mesh);
    ball.add_quads(mesh, quads);
    EXPECT_NEAR(rest_height(ball, 0.1, "1 0 0 0"), R / std::sqrt(1 + 2.0 / (n * n)), 2e-5);
  }
}

// A ball of radius 5 cm with all parts.
asset::Asset make_ball() {
  asset::Asset ball = test::convex_asset(test::tessellated_ellipsoid(3, Vec3<double>::Constant(0.05)));
  ball.surfaces.push_back(preprocess::build_surface(test::sphere(0.05, 4)));
  return ball;
}

// An asset that stands still, and above it one that may fall; X: the asset's frame in the world and in the
// body.
Scene one_on_another(const asset::Asset& asset, const Pose<double>& X_fixed, const Pose<double>& X_upper,
                     double height) {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  const body::Geometry geometry(asset);
  scene.fixed.push_back({geometry, X_fixed});
  Body body;
  body.name = "upper";
  body.mass = 0.5;
  body.inertia.setConstant(5e-4);
  body.p_WB = {0, 0, height};
  body.shapes.push_back({geometry, X_upper});
  scene.bodies.push_back(body);
  scene.set_material({.friction = 0.5});
  return scene;
}

// A ball of triangles is put on another one: every model that has contact points holds it at twice the
// radius.
TEST(ContactModels, GiveTheContactsOfAssets) {
  const asset::Asset ball = make_ball();
  const Scene scene = one_on_another(ball, {}, {}, 0.1002);
  int models = 0;
  for (const contact::ModelRow& row : contact::models()) {
    if (!row.has_constraints) continue;
    SCOPED_TRACE(row.name);
    ++models;
    StepConfig config;
    config.source.model = row.name;
    Simulation simulation(scene, config);
    for (int k = 0; k < 50; ++k) simulation.step();
    EXPECT_GT(simulation.report().contacts, 0);
    EXPECT_NEAR(simulation.states()[0].p_WB.z(), 0.1, 1e-3);
    EXPECT_LT(std::abs(simulation.states()[0].v_WB.z()), 0.02);
  }
  EXPECT_GE(models, 4);
}

// Two bars meet edge on edge, between their vertices: only volumes see that.
TEST(ContactModels, PressureFieldsSeeCrossingEdges) {
  asset::Asset bar = test::convex_asset(test::box_hull({0.1, 0.01, 0.01}));
  bar.surfaces.push_back(preprocess::build_surface(test::box(0.2, 0.02, 0.02)));
  bar.points = {};
  const Mat3<double> roll = exp_rotation<double>({std::numbers::pi / 4, 0, 0}),
                     turn = exp_rotation<double>({0, 0, std::numbers::pi / 2});
  const Scene scene = one_on_another(bar, {roll, Vec3<double>::Zero()}, {turn * roll, Vec3<double>::Zero()},
                                     0.02 * std::sqrt(2.0) + 1e-4);
  const auto height_after = [&](const std::string& model) {
    StepConfig config;
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
  Scene scene;
  scene.fixed.push_back({body::Geometry(bare), {}});
  StepConfig config;
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
    EXPECT_GT(reach(kept), 0.9 * reach(all));
  }
}

// A table on legs in a square that stand on the floor or hover, by rounding.
TEST(KeepSpread, KeepsTheOutermostWhateverRoundingSaysOfGaps) {
  Random random(5);
  std::vector<double> spread;
  for (int k = 0; k < 1000; ++k) {
    std::vector<SurfacePoint> points;
    for (int leg = 0; leg < 25; ++leg) {
      SurfacePoint& point = points.emplace_back();
      point.p_W << 0.1 * (leg % 5), 0.1 * (leg / 5), 0;
      point.gap = 1e-14 * random.uniform(-1, 1);
      point.feature = static_cast<std::uint64_t>(leg);
    }
    keep_spread(points, 0, 12, 0.4, spread);
    ASSERT_EQ(points.size(), 12U);
    for (const std::uint64_t corner : {0U, 4U, 20U, 24U})
      ASSERT_TRUE(std::any_of(points.begin(), points.end(),
                              [&](const SurfacePoint& point) { return point.feature == corner; }))
          << corner << " of table " << k;
  }
}

}  // namespace
