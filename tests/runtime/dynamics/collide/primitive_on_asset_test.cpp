// Spheres, cylinders and boxes on bodies that are meshes: they stand on faces, however few vertices those
// have.
#include <gtest/gtest.h>

#include <sstream>

#include "preprocess/index/index.h"
#include "preprocess/remesh/oriented_points.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

// A body on a cube of twelve triangles, 20 cm wide, that stands on the ground; `shape` in scene_file.h's
// words.
BodyState rest(const std::string& shape, const std::string& pose, double seconds = 1) {
  asset::Asset cube;
  const preprocess::TriangleMesh mesh = test::box(0.2, 0.2, 0.2);
  cube.surfaces.push_back(preprocess::build_surface(mesh));
  cube.mass = preprocess::mass_properties(mesh);
  const body::Geometry geometry(std::move(cube));
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
