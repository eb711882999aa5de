#include "preprocess/cli/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "preprocess/index/index.h"
#include "tests/support/shapes.h"

// Every check of verify() finds the fault that it is there for, in an asset that is sound otherwise.
namespace {

using namespace abut::preprocess;
using abut::asset::Asset;

Asset make(const TriangleMesh& mesh) {
  Asset asset;
  asset.name = "thing";
  asset.surfaces.push_back(build_surface(mesh));
  asset.convex.push_back(build_convex_piece(mesh.vertices));
  asset.mass = mass_properties(mesh);
  return asset;
}

const Asset& torus_asset() {
  static const Asset asset = make(abut::test::torus(0.1, 0.03, 40, 20));
  return asset;
}

// The first problem of the asset after `break_it`.
std::string problem_of(const std::function<void(Asset&)>& break_it) {
  Asset asset = torus_asset();
  break_it(asset);
  const std::vector<std::string> problems = verify(asset);
  return problems.empty() ? "" : problems.front();
}

#define EXPECT_PROBLEM(expected, statement)                                            \
  do {                                                                                 \
    const std::string problem = problem_of([&](Asset& asset) { statement; });          \
    EXPECT_NE(problem.find(expected), std::string::npos) << "got '" << problem << "'"; \
  } while (false)

TEST(Verify, SoundAssetsPass) {
  for (const TriangleMesh& mesh : {abut::test::torus(0.1, 0.03, 40, 20), abut::test::sphere(0.05, 4),
                                   abut::test::box(0.1, 0.2, 0.3), abut::test::box(1e-4, 10, 0.3)})
    EXPECT_EQ(verify(make(mesh)), std::vector<std::string>{});
}

TEST(Verify, FindsFaultsOfTheSurface) {
  EXPECT_PROBLEM("triangles entry 0 is 800", asset.surfaces[0].triangles[0] = 800);
  EXPECT_PROBLEM("not a manifold", std::swap(asset.surfaces[0].triangles[0], asset.surfaces[0].triangles[1]));
  EXPECT_PROBLEM("intersects itself", asset.surfaces[0].vertices[0] *= -1);
  EXPECT_PROBLEM("not oriented outward", {
    for (std::size_t i = 0; i < asset.surfaces[0].triangles.size(); i += 3)
      std::swap(asset.surfaces[0].triangles[i], asset.surfaces[0].triangles[i + 1]);
  });
  EXPECT_PROBLEM("not oriented outward", {  // two parts, the smaller one inside out
    TriangleMesh mesh = abut::test::sphere(0.05, 2);
    const TriangleMesh other = abut::test::sphere(0.02, 2);
    for (const Eigen::Vector3d& v : other.vertices)
      mesh.vertices.emplace_back(v + Eigen::Vector3d(0.2, 0, 0));
    for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[1] + 66, t[0] + 66, t[2] + 66});
    asset.surfaces[0] = build_surface(mesh);
  });
  EXPECT_PROBLEM("neighbours: triangle",
                 std::swap(asset.surfaces[0].neighbours[0], asset.surfaces[0].neighbours[1]));
  EXPECT_PROBLEM("vertex_normals: vertex 3", asset.surfaces[0].vertex_normals[9] += 1e-5);
  EXPECT_PROBLEM("vertex_normals: vertex 0", for (double& x : asset.surfaces[0].vertex_normals) x = -x);
  EXPECT_PROBLEM("has no surface", asset.surfaces.clear());
}

TEST(Verify, FindsFaultsOfTheTree) {
  // The lower x bound of the first leaf, raised.
  EXPECT_PROBLEM("sticks out of", {
    auto& tree = asset.surfaces[0].tree;
    std::size_t slot = 0;
    while (tree.counts[slot] <= 0) ++slot;
    tree.bounds[slot / 4 * 24 + slot % 4] += 1e-4F;
  });
  EXPECT_PROBLEM("sticks out of its parent's", {
    auto& tree = asset.surfaces[0].tree;
    std::size_t slot = 0;
    while (tree.counts[slot] != 0) ++slot;
    tree.bounds[slot / 4 * 24 + slot % 4] += 1e-4F;
  });
  EXPECT_PROBLEM("leaves", {
    auto& tree = asset.surfaces[0].tree;
    std::size_t slot = 0;
    while (tree.counts[slot] < 2) ++slot;
    --tree.counts[slot];
  });
}

TEST(Verify, FindsFaultsOfTheHull) {
  EXPECT_PROBLEM("not convex at the edge", {
    auto& hull = asset.convex[0];
    const std::size_t n = hull.vertices.size() / 3;
    for (const std::size_t axis : {0, 1, 2}) hull.vertices[axis * n + 5] *= 0.98;
  });
  EXPECT_PROBLEM("adjacency: the row of vertex", asset.convex[0].adjacency[7] ^= 1);
  EXPECT_PROBLEM("support_lookup: cell 2", asset.convex[0].support_lookup[2] ^= 31);
  EXPECT_PROBLEM("the surface sticks out of it by", {
    std::vector<Eigen::Vector3d> points = abut::test::torus(0.1, 0.03, 40, 20).vertices;
    for (Eigen::Vector3d& p : points) p *= 0.99;
    asset.convex[0] = build_convex_piece(points);
  });
  EXPECT_PROBLEM("has no convex hull", asset.convex.clear());
}

TEST(Verify, FindsFaultsOfTheMass) {
  EXPECT_PROBLEM("mass: volume", asset.mass.volume *= 1 + 1e-7);
  EXPECT_PROBLEM("mass: area", asset.mass.area *= 1 + 1e-7);
  EXPECT_PROBLEM("mass: center_of_mass", asset.mass.center_of_mass[1] += 1e-8);
  EXPECT_PROBLEM("mass: inertia", asset.mass.inertia[4] *= 1 + 1e-6);
}

}  // namespace
