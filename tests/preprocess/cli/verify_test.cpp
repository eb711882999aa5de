#include "preprocess/cli/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "preprocess/index/index.h"
#include "preprocess/mesh/weld.h"
#include "preprocess/pressure/volume.h"
#include "preprocess/remesh/oriented_points.h"
#include "preprocess/remesh/point_levels.h"
#include "runtime/asset/build_volume.h"
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

// With a volume of about so many tetrahedra.
Asset make_with_volume(const TriangleMesh& mesh, int tetrahedra) {
  Asset asset = make(mesh);
  VolumeParameters parameters;
  parameters.tetrahedra = {tetrahedra};
  Report report;
  asset.volumes = make_volumes(mesh, parameters, report);
  asset.provenance.measures = report.measures;
  return asset;
}

Asset make_torus() { return make_with_volume(abut::test::torus(0.1, 0.03, 40, 20), 700); }

const Asset& torus_asset() {
  static const Asset asset = make_torus();
  return asset;
}

// Tetrahedra with one vertex in common.
TriangleMesh two_at_a_corner() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0.3, -1, -1}},
          {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 6, 4}, {0, 5, 6}, {4, 6, 5}}};
}

// Two tetrahedra of positive volume within each other.
abut::asset::Volume folded_volume() {
  const std::vector<Eigen::Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.8}};
  const std::vector<abut::asset::Tetrahedron> tetrahedra = {{0, 1, 2, 3}, {0, 1, 2, 4}};
  return abut::asset::build_volume(vertices, tetrahedra, std::vector<double>(5),
                                   std::vector<Eigen::Vector3d>(2, Eigen::Vector3d::Zero()));
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
  EXPECT_EQ(verify(torus_asset()), std::vector<std::string>{});
  for (const TriangleMesh& mesh : {abut::test::torus(0.1, 0.03, 40, 20), abut::test::sphere(0.05, 4),
                                   abut::test::box(0.1, 0.2, 0.3), abut::test::box(1e-4, 10, 0.3)})
    EXPECT_EQ(verify(make(mesh)), std::vector<std::string>{});
}

TEST(Verify, FindsFaultsOfTheSurface) {
  EXPECT_PROBLEM("triangles entry 0 is 800", asset.surfaces[0].triangles[0] = 800);
  EXPECT_PROBLEM("not a manifold", std::swap(asset.surfaces[0].triangles[0], asset.surfaces[0].triangles[1]));
  EXPECT_PROBLEM("intersects itself", {
    TriangleMesh mesh = abut::test::torus(0.1, 0.03, 40, 20);
    mesh.vertices[0].x() *= -1;
    asset.surfaces[0] = build_surface(mesh);
  });
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
  EXPECT_PROBLEM("meets itself in a vertex", asset.surfaces[0] = build_surface(two_at_a_corner()));
  EXPECT_PROBLEM("neighbours: triangle",
                 std::swap(asset.surfaces[0].neighbours[0], asset.surfaces[0].neighbours[1]));
  EXPECT_PROBLEM("vertex_normals: vertex 3", asset.surfaces[0].vertex_normals[9] += 1e-5);
  EXPECT_PROBLEM("vertex_normals: vertex 0", for (double& x : asset.surfaces[0].vertex_normals) x = -x);
  EXPECT_PROBLEM("has no surface", asset.surfaces.clear());
}

TEST(Verify, FindsFaultsOfTheTree) {
  // The lower x bound of the first leaf, raised.
  EXPECT_PROBLEM("is not the box of what it holds", {
    auto& tree = asset.surfaces[0].tree;
    std::size_t slot = 0;
    while (tree.counts[slot] <= 0) ++slot;
    tree.bounds[slot / 4 * 24 + slot % 4] += 1e-4F;
  });
  EXPECT_PROBLEM("is not the box of what it holds", {
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

TEST(Verify, FindsTetrahedraOnOneSideOfTheirFace) {
  EXPECT_PROBLEM("are on the same side of the face that they share", asset.volumes[0] = folded_volume());
}

TEST(Verify, FindsFaultsOfTheHull) {
  EXPECT_PROBLEM("not convex at the edge", {
    auto& hull = asset.convex[0];
    const std::size_t n = hull.vertices.size() / 3;
    for (const std::size_t axis : {0, 1, 2}) hull.vertices[axis * n + 5] *= 0.98;
  });
  EXPECT_PROBLEM("has no area", {  // two corners of a triangle coincide
    auto& hull = asset.convex[0];
    const std::size_t count = hull.vertices.size() / 3;
    const auto from = static_cast<std::size_t>(hull.triangles[0]);
    const auto to = static_cast<std::size_t>(hull.triangles[1]);
    for (std::size_t axis = 0; axis < 3; ++axis)
      hull.vertices[axis * count + to] = hull.vertices[axis * count + from];
  });
  EXPECT_PROBLEM("adjacency: the row of vertex", asset.convex[0].adjacency[7] ^= 1);
  EXPECT_PROBLEM("support_lookup: cell 2", asset.convex[0].support_lookup[2] ^= 31);
  EXPECT_PROBLEM("the surface sticks out of it by", {
    std::vector<Eigen::Vector3d> points = abut::test::torus(0.1, 0.03, 40, 20).vertices;
    for (Eigen::Vector3d& p : points) p *= 0.99;
    asset.convex[0] = build_convex_piece(points);
  });
  EXPECT_PROBLEM("has no convex hull", asset.convex.clear());
  EXPECT_PROBLEM("not its hull", {  // convex, and around the surface
    std::vector<Eigen::Vector3d> points = abut::test::torus(0.1, 0.03, 40, 20).vertices;
    for (Eigen::Vector3d& p : points) p *= 1.01;
    asset.convex[0] = build_convex_piece(points);
  });
  EXPECT_PROBLEM("not its hull", {  // nor does its own word help
    std::vector<Eigen::Vector3d> points = abut::test::torus(0.1, 0.03, 40, 20).vertices;
    for (Eigen::Vector3d& p : points) p *= 1e3;
    asset.convex[0] = build_convex_piece(points);
    asset.provenance.measures["hausdorff_to_input_percent"] = 1e300;
  });
}

TEST(Verify, FindsCandidatesThatLackASupport) {
  EXPECT_PROBLEM("lacks a support vertex", {
    auto& hull = asset.convex[0];
    std::vector<std::int32_t> firsts;
    ASSERT_FALSE(hull.candidate_offsets.empty());
    for (std::size_t i = 0; i + 1 < hull.candidate_offsets.size(); ++i)
      firsts.push_back(hull.candidates[static_cast<std::size_t>(hull.candidate_offsets[i])]);
    hull.candidates = firsts;
    std::iota(hull.candidate_offsets.begin(), hull.candidate_offsets.end(), 0);
  });
  EXPECT_PROBLEM("lacks vertex", {  // a single one, wherever it is
    auto& hull = asset.convex[0];
    std::size_t cell = hull.candidate_offsets.size() - 2;
    while (hull.candidate_offsets[cell + 1] - hull.candidate_offsets[cell] < 2) --cell;
    const auto first = static_cast<std::size_t>(hull.candidate_offsets[cell]);
    hull.candidates[first + 1] = hull.candidates[first];
  });
  EXPECT_PROBLEM("one of 2 convex parts", asset.convex.push_back(asset.convex[0]));
}

TEST(Verify, FindsPointsOfAnotherPlaceOrSide) {
  const TriangleMesh torus = abut::test::torus(0.1, 0.03, 40, 20);
  Report report;
  PointParameters parameters;
  parameters.levels = quad_targets_from_string("300");
  const auto levels = make_point_levels(torus, parameters, report);
  const auto with = [&](const std::function<void(QuadMesh&)>& change) {
    QuadMesh mesh = quads_of(abut::asset::view(levels[0]));
    change(mesh);
    return make_points(mesh, ReferenceSurface(torus));
  };
  Asset sound = torus_asset();
  sound.points = {with([](QuadMesh&) {})};
  EXPECT_EQ(verify(sound), std::vector<std::string>{});
  EXPECT_PROBLEM("face inward", asset.points = {with([](QuadMesh& mesh) {
                                  for (auto& quad : mesh.quads) std::swap(quad[1], quad[3]);
                                })});
  EXPECT_PROBLEM("from the surface, more than its quads are", asset.points = {with([](QuadMesh& mesh) {
                                                                for (Eigen::Vector3d& v : mesh.vertices)
                                                                  v *= 1.5;
                                                              })});
}

TEST(Verify, FindsPointsOfOneOfTwoBodiesThatFaceInwardOrMiss) {
  const TriangleMesh one = abut::test::torus(0.1, 0.03, 40, 20);
  const auto beside = [](Eigen::Vector3d v) { return Eigen::Vector3d(0.5 * v + Eigen::Vector3d(0.3, 0, 0)); };
  TriangleMesh both = one;
  for (const Eigen::Vector3d& v : one.vertices) both.vertices.push_back(beside(v));
  const auto half = static_cast<std::int32_t>(one.vertices.size());
  for (const Triangle& t : one.triangles) both.triangles.push_back({t[0] + half, t[1] + half, t[2] + half});
  Report report;
  PointParameters parameters;
  parameters.levels = quad_targets_from_string("300");
  const QuadMesh of_one = quads_of(abut::asset::view(make_point_levels(one, parameters, report)[0]));
  enum class Other { kSound, kInward, kMissing, kRecorded };
  const auto problems = [&](Other other) {
    QuadMesh mesh = of_one;
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    if (other == Other::kSound || other == Other::kInward) {
      for (const Eigen::Vector3d& v : of_one.vertices) mesh.vertices.push_back(beside(v));
      for (Quad quad : of_one.quads) {
        for (std::int32_t& v : quad) v += first;
        if (other == Other::kInward) std::swap(quad[1], quad[3]);
        mesh.quads.push_back(quad);
      }
    }
    Asset asset = make(both);
    asset.points = {make_points(mesh, ReferenceSurface(both))};
    if (other == Other::kRecorded) asset.provenance.measures["points0_hausdorff_in_out_percent"] = 80;
    const std::vector<std::string> all = verify(asset);
    return all.empty() ? "" : all.front();
  };
  EXPECT_EQ(problems(Other::kSound), "");
  EXPECT_EQ(problems(Other::kInward), "points/0: quads: face inward, those of one connected part");
  EXPECT_NE(problems(Other::kMissing).find("they miss some of it"), std::string::npos);
  EXPECT_EQ(problems(Other::kRecorded), "");
}

TEST(Verify, FindsFaultsOfTheMass) {
  EXPECT_PROBLEM("mass: volume", asset.mass.volume *= 1 + 1e-7);
  EXPECT_PROBLEM("mass: area", asset.mass.area *= 1 + 1e-7);
  EXPECT_PROBLEM("mass: center_of_mass", asset.mass.center_of_mass[1] += 1e-8);
  EXPECT_PROBLEM("mass: inertia", asset.mass.inertia[4] *= 1 + 1e-6);
}

// The first tetrahedron with, or without, a face on the boundary.
std::size_t tetrahedron(const abut::asset::Volume& volume, bool at_boundary) {
  const auto& next = volume.neighbours;
  for (std::size_t t = 0;; ++t)
    if ((std::count(&next[4 * t], &next[4 * t] + 4, -1) > 0) == at_boundary) return t;
}

// A vertex inside, which is a corner of a tetrahedron at the boundary.
std::size_t inner_vertex(const abut::asset::Volume& volume) {
  const std::size_t t = tetrahedron(volume, true);
  for (std::size_t k = 0;; ++k)
    if (const auto v = static_cast<std::size_t>(volume.tetrahedra[4 * t + k]); volume.extent[v] > 0) return v;
}

TEST(Verify, FindsFaultsOfTheVolumesTetrahedra) {
  EXPECT_PROBLEM("has no positive volume",
                 std::swap(asset.volumes[0].tetrahedra[0], asset.volumes[0].tetrahedra[1]));
  EXPECT_PROBLEM("volume/0: neighbours: tetrahedron", {
    auto& volume = asset.volumes[0];
    const std::size_t inside = tetrahedron(volume, false);
    std::swap(volume.neighbours[4 * inside], volume.neighbours[4 * inside + 1]);
  });
  EXPECT_PROBLEM("volume/0: neighbours: tetrahedron", {
    auto& volume = asset.volumes[0];
    *std::find(volume.neighbours.begin(), volume.neighbours.end(), -1) = 5;
  });
  EXPECT_PROBLEM("volume/0/tetrahedra is empty", asset.volumes[0] = {});
  EXPECT_PROBLEM("volume/0: the boundary is 0.00", {
    for (double& x : asset.volumes[0].vertices) x *= 1.02;
    std::vector<float>& bounds =
        asset.volumes[0].tree.bounds;  // rows of four: three of minima, three of maxima
    for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] += i / 12 % 2 == 0 ? -0.01F : 0.01F;
  });
}

// A thick shell whose cavity the volume has filled, though nothing says that it was to.
TEST(Verify, FindsAVolumeThatFillsACavity) {
  TriangleMesh shell = abut::test::sphere(0.05, 3);
  const TriangleMesh outer = shell;
  const auto first = static_cast<std::int32_t>(shell.vertices.size());
  for (const Eigen::Vector3d& v : outer.vertices) shell.vertices.emplace_back(0.8 * v);
  for (const auto& [a, b, c] : outer.triangles) shell.triangles.push_back({b + first, a + first, c + first});
  Asset asset = make(shell);
  VolumeParameters parameters;
  parameters.tetrahedra = {500};
  parameters.fill_voids = true;
  Report report;
  asset.volumes = make_volumes(shell, parameters, report);
  asset.provenance.measures = report.measures;
  const std::vector<std::string> problems = verify(asset);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems[0].starts_with("volume/0: the volume is 0.0005")) << problems[0];
  asset.provenance.parameters["volume.fill_voids"] = "true";
  EXPECT_EQ(verify(asset), std::vector<std::string>{});

  TriangleMesh rattle = shell;  // a ball in the cavity is filled with it
  TriangleMesh ball = outer;
  for (Eigen::Vector3d& v : ball.vertices) v *= 0.6;
  append_mesh(rattle, ball);
  const Asset rattling = make(rattle);
  asset.surfaces = rattling.surfaces;
  asset.mass = rattling.mass;
  EXPECT_EQ(verify(asset), std::vector<std::string>{});
}

TEST(Verify, FindsFaultsOfTheVolumesField) {
  EXPECT_PROBLEM("is outside [0, 1]", asset.volumes[0].extent[inner_vertex(asset.volumes[0])] = -0.5);
  EXPECT_PROBLEM("extent entry", {
    auto& volume = asset.volumes[0];
    *std::find(volume.extent.begin(), volume.extent.end(), 0) = 0.25;
  });
  EXPECT_PROBLEM("volume/0: extent: zero all over tetrahedron", {
    auto& volume = asset.volumes[0];
    std::fill(volume.extent.begin(), volume.extent.end(), 0);
  });
  EXPECT_PROBLEM("volume/0: gradients: tetrahedron", {
    auto& volume = asset.volumes[0];
    volume.extent[inner_vertex(volume)] *= 0.999;
  });
  EXPECT_PROBLEM("volume/0: gradients: tetrahedron 7", asset.volumes[0].gradients[21] += 1e-3);
  EXPECT_PROBLEM("volume/0: gradients: tetrahedron 7", asset.volumes[0].gradients[21] = 1e14);
  EXPECT_PROBLEM("gradients entry 21 is too large", asset.volumes[0].gradients[21] = 1e300);
  EXPECT_PROBLEM("belongs to no tetrahedron", {
    auto& volume = asset.volumes[0];
    volume.vertices.insert(volume.vertices.end(), 3, 0.0);
    volume.extent.push_back(0);
  });
  EXPECT_PROBLEM("volume/0: extent_ranges: tetrahedron 5", asset.volumes[0].extent_ranges[11] *= 0.999);
}

// Two balls, of which the second has a field that rises to a half only.
TEST(Verify, FindsAPartWithoutACore) {
  TriangleMesh mesh = abut::test::sphere(0.05, 3);
  TriangleMesh other = mesh;
  for (Eigen::Vector3d& v : other.vertices) v.x() += 0.2;
  append_mesh(mesh, other);
  Asset asset = make_with_volume(mesh, 500);
  asset.provenance.parameters["volume.field"] = "laplace";
  EXPECT_EQ(verify(asset), std::vector<std::string>{});
  const auto halve = [](abut::asset::Volume& volume) {
    std::vector<Eigen::Vector3d> vertices, gradients;
    std::vector<abut::asset::Tetrahedron> tetrahedra;
    for (std::size_t i = 0; i < volume.extent.size(); ++i) {
      vertices.emplace_back(Eigen::Vector3d::Map(&volume.vertices[3 * i]));
      if (vertices.back().x() > 0.1) volume.extent[i] /= 2;
    }
    for (std::size_t t = 0; t < volume.tetrahedra.size(); t += 4) {
      const std::int32_t* const v = &volume.tetrahedra[t];
      tetrahedra.push_back({v[0], v[1], v[2], v[3]});
      gradients.push_back(abut::asset::gradient_in(vertices, tetrahedra.back(), volume.extent));
    }
    volume = abut::asset::build_volume(vertices, tetrahedra, volume.extent, gradients);
  };
  halve(asset.volumes[0]);
  const std::vector<std::string> problems = verify(asset);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems[0].starts_with("volume/0: extent: the part of tetrahedron")) << problems[0];
  EXPECT_TRUE(problems[0].ends_with("reaches 0.5, not 1, and hardly presses: make the asset again"))
      << problems[0];
  asset.provenance.parameters["volume.field"] = "distance";
  EXPECT_EQ(verify(asset), std::vector<std::string>{});
}

TEST(Verify, FindsFaultsOfTheVolumesPlanesAndTree) {
  EXPECT_PROBLEM("volume/0: face_planes: tetrahedron 2, face 1", asset.volumes[0].face_planes[36] *= 1.001);
  EXPECT_PROBLEM("volume/0: face_planes: tetrahedron 2, face 1", asset.volumes[0].face_planes[39] += 1e-6);
  EXPECT_PROBLEM("volume/0: face_planes: tetrahedron 2, face 1", {
    for (std::size_t i = 36; i < 40; ++i) asset.volumes[0].face_planes[i] *= -1;
  });
  EXPECT_PROBLEM("volume/0/tree/bounds child", {
    auto& tree = asset.volumes[0].tree;
    std::size_t slot = 0;
    while (tree.counts[slot] <= 0) ++slot;
    tree.bounds[slot / 4 * 24 + slot % 4] += 1e-4F;
  });
  EXPECT_PROBLEM("has the wrong range of extents", asset.volumes[0].tree_extent_ranges[0] += 1e-3F);
  EXPECT_PROBLEM("has the wrong range of extents", asset.volumes[0].tree_extent_ranges[4] += 1e-3F);
}

}  // namespace
