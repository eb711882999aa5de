// Spheres, cylinders and boxes on bodies that are meshes: they stand on faces, however few vertices those
// have.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <sstream>

#include "preprocess/index/index.h"
#include "preprocess/remesh/oriented_points.h"
#include "runtime/dynamics/collide/asset_contact.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"
#include "runtime/witness/pair_query.h"
#include "tests/runtime/dynamics/collide/placed_primitives.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

// A cube of twelve triangles, 20 cm wide.
body::Geometry cube() {
  asset::Asset cube;
  const preprocess::TriangleMesh mesh = test::box(0.2, 0.2, 0.2);
  cube.surfaces.push_back(preprocess::build_surface(mesh));
  cube.mass = preprocess::mass_properties(mesh);
  return body::Geometry(std::move(cube));
}

// A body on a cube that stands on the ground; `shape` in scene_file.h's words.
BodyState rest(const std::string& shape, const std::string& pose, double seconds = 1) {
  const body::Geometry geometry = cube();
  std::istringstream in(
      "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nobject cube cube 1000 0 0 0.1 1 0 0 0 0 0 0 0 0 0\n"
      "body b 0.02 8e-6 8e-6 8e-6 " +
      pose + " 0 0 0 0 0 0 1\n" + shape + " 0 0 0 1 0 0 0\n");
  const Scene scene = read_scene(in, "test", [&](const std::string&) { return geometry; });
  Simulation simulation(scene);
  for (int k = 0; k < static_cast<int>(seconds / 0.002); ++k) simulation.step();
  return simulation.states()[1];
}

void expect_rest(const BodyState& state, double x, double z) {
  EXPECT_NEAR(state.p_WB.x(), x, 1e-3);
  EXPECT_NEAR(state.p_WB.z(), z, 2e-5);
  EXPECT_LT(state.v_WB.norm(), 1e-3);
}

TEST(PrimitiveOnAsset, SpheresRestOnFacesWithoutVertices) {
  for (const double radius : {0.003, 0.005, 0.05})
    expect_rest(
        rest("sphere " + std::to_string(radius), "0.03 0.02 " + std::to_string(0.2005 + radius) + " 1 0 0 0"),
        0.03, 0.2 + radius);
}

TEST(PrimitiveOnAsset, CylindersRestOnEndAndSide) {
  expect_rest(rest("cyl 0.02 0.01", "0.03 0.02 0.2105 1 0 0 0"), 0.03, 0.21);  // half height 1 cm
  expect_rest(rest("cyl 0.005 0.04", "0.03 0.02 0.2055 0.70710678118 0.70710678118 0 0"), 0.03, 0.205);
  // Across the edge of the cube, its middle over it.
  expect_rest(rest("cyl 0.005 0.04", "0.09 0.02 0.2055 0.70710678118 0 0.70710678118 0"), 0.09, 0.205);
}

TEST(PrimitiveOnAsset, BoxesRest) {
  expect_rest(rest("box 0.02 0.02 0.01", "0.03 0.02 0.2105 1 0 0 0"), 0.03, 0.21);
}

TEST(PrimitiveOnAsset, CapsulesConesAndEllipsoidsRest) {
  const std::string along_x = " 0.70710678118 0 0.70710678118 0", upright = " 1 0 0 0";
  expect_rest(rest("capsule 0.005 0.03", "0.03 0.02 0.2055" + along_x), 0.03, 0.205);
  expect_rest(rest("capsule 0.005 0.03", "0.09 0.02 0.2055" + along_x), 0.09, 0.205);  // beyond the edge
  expect_rest(rest("cone 0.02 0.01", "0.03 0.02 0.2105" + upright), 0.03, 0.21);
  expect_rest(rest("ellipsoid 0.02 0.015 0.01", "0.03 0.02 0.2105" + upright), 0.03, 0.21);
  expect_rest(rest("ellipsoid 0.01 0.01 0.01", "0.03 0.02 0.2105" + upright), 0.03, 0.21);
}

// The depth of a tilted rim below a face is exact, wherever around the axis it is lowest.
TEST(PrimitiveOnAsset, TiltedRimsTouchWhereTheyAreLowest) {
  const PlacedShape face = [] {
    PlacedShape shape(Shape{cube(), {}});
    shape.place(Pose<double>(), 0);
    return shape;
  }();
  Random random(3);
  for (const body::Primitive& primitive : {body::Primitive(body::Cylinder<double>{0.02, 0.03}),
                                           body::Primitive(body::Cone<double>{0.03, 0.04})}) {
    for (int k = 0; k < 200; ++k) {
      const double tilt = std::pow(10.0, random.uniform(-5, 0)), azimuth = random.uniform(0, 7),
                   spin = random.uniform(0, 7);
      const Mat3<double> R = exp_rotation<double>({tilt * std::cos(azimuth), tilt * std::sin(azimuth), 0}) *
                             exp_rotation<double>({0, 0, spin});
      PlacedShape shape(Shape{body::Geometry(primitive), {}});
      const Vec3<double> down = -R.row(2).transpose();
      const double reach = down.dot(witness::core_support(witness::core_of(shape.body.geometry), down).point);
      const double depth = random.uniform(-0.002, 0.002);
      shape.place({R, {0.01, -0.02, 0.1 - depth + reach}}, 0);
      AssetMemory memory;
      AssetWorkspace workspace;
      std::vector<SurfacePoint> points;
      asset_points(face, shape, 0.003, memory, workspace, points);
      const double bound = tilt < 1e-4 ? 8e-6 * 0.03 : 1e-15;
      EXPECT_NEAR(test::least_gap(points), -depth, bound) << tilt << " " << azimuth;
      // Slopes find each point again by its feature.
      for (const SurfacePoint& point : points) {
        const SurfacePoint again = asset_point(face, shape, point.feature);
        EXPECT_EQ(again.p_W, point.p_W);
        EXPECT_EQ(again.gap, point.gap);
      }
    }
  }
}

// A cylinder stands until gravity leaves its base, also halfway between two fixed samples of the rim.
TEST(PrimitiveOnAsset, CylindersTipAtTheirAngle) {
  const body::Geometry geometry = cube();
  const double tipping = std::atan2(0.02, 0.04);
  for (const double of_tipping : {0.97, 1.03}) {
    for (const double azimuth : {0.0, 0.39269908169872414, 0.2}) {
      const double angle = of_tipping * tipping;
      std::ostringstream scene;
      scene << std::setprecision(17) << "gravity " << 9.81 * std::sin(angle) * std::cos(azimuth) << ' '
            << 9.81 * std::sin(angle) * std::sin(azimuth) << ' ' << -9.81 * std::cos(angle)
            << "\nmu 1\nplane 0 0 1 0\nobject cube cube 1e6 0 0 0.1 1 0 0 0 0 0 0 0 0 0\n"
            << "body b 0.1 6.4e-5 6.4e-5 2e-5 0 0 0.24 1 0 0 0 0 0 0 0 0 0 1\ncyl 0.02 0.04 0 0 0 1 0 0 0\n";
      std::istringstream in(scene.str());
      Simulation simulation(read_scene(in, "test", [&](const std::string&) { return geometry; }));
      for (int k = 0; k < 500; ++k) simulation.step();
      const double upright = simulation.states()[1].q_WB.toRotationMatrix()(2, 2);
      if (of_tipping < 1)
        EXPECT_GT(upright, 0.9999) << azimuth;
      else
        EXPECT_LT(upright, 0.9) << azimuth;
    }
  }
}

// Quads too coarse for a plate's thickness stand off it: its samples do not.
TEST(PrimitiveOnAsset, SamplesLieOnThePlateThatQuadsMiss) {
  asset::Asset plate;
  const preprocess::TriangleMesh mesh = test::box(0.2, 0.2, 0.002);
  plate.surfaces.push_back(preprocess::build_surface(mesh));
  const preprocess::TriangleMesh thick = test::box(0.2, 0.2, 0.006);
  preprocess::QuadMesh quads;
  quads.vertices = thick.vertices;
  quads.quads = {{0, 2, 3, 1}};
  plate.points.push_back(preprocess::make_points(quads, preprocess::ReferenceSurface(mesh)));
  const body::Geometry geometry(std::move(plate));
  const SurfaceSamples samples = surface_samples(geometry);
  for (const Vec3<double>& p : *samples.points) EXPECT_NEAR(std::abs(p.z()), 0.001, 1e-12);
}

}  // namespace
