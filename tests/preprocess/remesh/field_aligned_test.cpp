#include "preprocess/remesh/field_aligned.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "runtime/core/error.h"
#include "tests/preprocess/remesh/polygon_checks.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

PolygonMesh remesh(const TriangleMesh& mesh, double edge_length, int threads = 1) {
  FieldParameters parameters;
  parameters.edge_length = edge_length;
  parameters.threads = threads;
  Report report;
  return field_aligned_mesh(mesh, parameters, report);
}

// Edge length for about `count` quads.
double edge_for(const TriangleMesh& mesh, double count) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Eigen::Vector3d& p = mesh.vertices[a];
    area += (mesh.vertices[b] - p).cross(mesh.vertices[c] - p).norm() / 2;
  }
  return std::sqrt(area / count);
}

// Cylinder about z with flat ends.
TriangleMesh cylinder(double radius, double height, int n) {
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n, x = radius * std::cos(angle),
                 y = radius * std::sin(angle);
    mesh.vertices.emplace_back(x, y, -height / 2);
    mesh.vertices.emplace_back(x, y, height / 2);
    const int j = (i + 1) % n;
    mesh.triangles.push_back({2 * i, 2 * j, 2 * j + 1});
    mesh.triangles.push_back({2 * i, 2 * j + 1, 2 * i + 1});
    mesh.triangles.push_back({2 * n, 2 * j, 2 * i});
    mesh.triangles.push_back({2 * n + 1, 2 * i + 1, 2 * j + 1});
  }
  mesh.vertices.emplace_back(0, 0, -height / 2);
  mesh.vertices.emplace_back(0, 0, height / 2);
  return mesh;
}

TEST(FieldAligned, BoxHasItsEightCornersIrregularAndNoOther) {
  const PolygonMesh mesh = remesh(test::box(0.1, 0.16, 0.06), 0.008);
  const test::PolygonCounts counts = test::count(mesh);
  EXPECT_TRUE(counts.closed_manifold);
  EXPECT_EQ(counts.quads, counts.faces);
  EXPECT_EQ(counts.valences.at(3), 8U);
  EXPECT_EQ(counts.irregular(), 8U);
  // On the surface, and no face across an edge of the box: all its corners are on one side of it.
  for (std::int32_t f = 0; f < mesh.face_count(); ++f) {
    int sides = 0;
    for (int k = 0; k < 6; ++k) {
      const double half[3] = {0.05, 0.08, 0.03};
      bool all = true;
      for (std::int32_t i = mesh.offsets[f]; i < mesh.offsets[f + 1]; ++i) {
        const double x = mesh.vertices[mesh.corners[i]][k % 3];
        all &= std::abs(x - (k < 3 ? 1 : -1) * half[k % 3]) < 1e-12;
      }
      sides += all;
    }
    EXPECT_EQ(sides, 1) << "face " << f;
  }
}

TEST(FieldAligned, SphereHasEightIrregularVertices) {
  const PolygonMesh mesh = remesh(test::sphere(0.05, 4), 0.005);
  const test::PolygonCounts counts = test::count(mesh);
  EXPECT_TRUE(counts.closed_manifold);
  EXPECT_EQ(counts.genus, 0);
  EXPECT_EQ(counts.quads, counts.faces);
  EXPECT_EQ(counts.irregular(), 8U);
  EXPECT_EQ(counts.valences.at(3), 8U);
  for (const Eigen::Vector3d& v : mesh.vertices) EXPECT_NEAR(v.norm(), 0.05, 2e-4);
}

// A regular mesh is possible; pairs of singularities of the field that lie far apart are not cancelled.
TEST(FieldAligned, TorusHasItsGenusAndFewIrregularVertices) {
  const PolygonMesh mesh = remesh(test::torus(0.05, 0.02, 80, 40), 0.005);
  const test::PolygonCounts counts = test::count(mesh);
  EXPECT_TRUE(counts.closed_manifold);
  EXPECT_EQ(counts.genus, 1);
  EXPECT_EQ(counts.quads, counts.faces);
  EXPECT_LE(counts.irregular(), counts.faces / 50);
}

TEST(FieldAligned, CylinderKeepsItsRims) {
  const PolygonMesh mesh = remesh(cylinder(0.03, 0.1, 64), 0.004);
  const test::PolygonCounts counts = test::count(mesh);
  EXPECT_TRUE(counts.closed_manifold);
  EXPECT_EQ(counts.genus, 0);
  EXPECT_EQ(counts.quads, counts.faces);
  // Four around each end's middle, as around the poles of a field along the rim.
  EXPECT_LE(counts.irregular(), 8U);
  // Every face lies in an end or in the side.
  for (std::int32_t f = 0; f < mesh.face_count(); ++f) {
    bool top = true, bottom = true, side = true;
    for (std::int32_t i = mesh.offsets[f]; i < mesh.offsets[f + 1]; ++i) {
      const Eigen::Vector3d& v = mesh.vertices[mesh.corners[i]];
      top &= std::abs(v.z() - 0.05) < 1e-9;
      bottom &= std::abs(v.z() + 0.05) < 1e-9;
      side &= v.head<2>().norm() > 0.0299;
    }
    EXPECT_TRUE(top || bottom || side) << "face " << f;
  }
}

// Two spheres 1 mm apart, the inner one facing inward: the walls are nearer to each other than the edges are
// long.
TEST(FieldAligned, WallsOfAThinShellStayApart) {
  TriangleMesh shell = test::sphere(0.05, 4);
  const TriangleMesh inner = test::sphere(0.049, 4);
  const auto shift = static_cast<std::int32_t>(shell.vertices.size());
  shell.vertices.insert(shell.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  for (const auto& [a, b, c] : inner.triangles) shell.triangles.push_back({a + shift, c + shift, b + shift});
  const PolygonMesh mesh = remesh(shell, 0.005);
  EXPECT_TRUE(test::count(mesh).closed_manifold);
  std::size_t outside = 0;
  for (std::int32_t f = 0; f < mesh.face_count(); ++f) {
    const auto corner = [&](std::int32_t i) -> const Eigen::Vector3d& {
      return mesh.vertices[mesh.corners[mesh.offsets[f] + i]];
    };
    const bool out = corner(0).norm() > 0.0495;
    for (std::int32_t i = mesh.offsets[f]; i < mesh.offsets[f + 1]; ++i)
      EXPECT_NEAR(mesh.vertices[mesh.corners[i]].norm(), out ? 0.05 : 0.049, 2e-4);
    const Eigen::Vector3d normal = (corner(2) - corner(0)).cross(corner(3) - corner(1));
    EXPECT_EQ(normal.dot(corner(0)) > 0, out) << "face " << f;
    outside += out;
  }
  EXPECT_NEAR(static_cast<double>(outside), mesh.face_count() / 2.0, 0.05 * mesh.face_count());
}

// The wanted length may vary: half as long on one side of a sphere as on the other.
TEST(FieldAligned, SizesMayVary) {
  const TriangleMesh sphere = test::sphere(0.05, 4);
  FieldParameters parameters;
  for (const Eigen::Vector3d& v : sphere.vertices) parameters.sizes.push_back(0.006 + 0.04 * v.z());
  Report report;
  const PolygonMesh mesh = field_aligned_mesh(sphere, parameters, report);
  EXPECT_TRUE(test::count(mesh).closed_manifold);
  double low = 0, high = 0;
  int lows = 0, highs = 0;
  for (std::int32_t f = 0; f < mesh.face_count(); ++f) {
    const Eigen::Vector3d& a = mesh.vertices[mesh.corners[mesh.offsets[f]]];
    const double length = (a - mesh.vertices[mesh.corners[mesh.offsets[f] + 1]]).norm();
    if (a.z() < -0.025) low += length, ++lows;
    if (a.z() > 0.025) high += length, ++highs;
  }
  // The caps' mean heights ask for 0.0045 and 0.0075; a lattice without dislocations cannot vary as much.
  EXPECT_GT(high / highs, 1.1 * low / lows);
}

TEST(FieldAligned, RealObjectsComeOutClosedAndTheSameOnAnyNumberOfThreads) {
  const auto object = test::welded_ycb("011_banana");
  if (!object) GTEST_SKIP() << "no reference data beside the project";
  FieldParameters parameters;
  parameters.edge_length = edge_for(*object, 2000);
  parameters.threads = 1;
  Report report;
  const PolygonMesh mesh = field_aligned_mesh(*object, parameters, report);
  const PolygonMesh again = remesh(*object, parameters.edge_length, 2);
  // It grows thinner to both ends.
  EXPECT_GT(report.measures.at("field_turned_edges"), 0) << "no row ends";
  EXPECT_EQ(report.measures.at("field_charges_left"), 0);
  const test::PolygonCounts counts = test::count(mesh);
  EXPECT_TRUE(counts.closed_manifold);
  EXPECT_GE(static_cast<double>(counts.quads), 0.99 * static_cast<double>(counts.faces));
  EXPECT_LE(static_cast<double>(counts.irregular()), 0.03 * static_cast<double>(mesh.vertices.size()));
  EXPECT_EQ(mesh.corners, again.corners);
  EXPECT_EQ(mesh.vertices, again.vertices);
}

TEST(FieldAligned, RefusesBadInput) {
  Report report;
  FieldParameters parameters;
  EXPECT_THROW(field_aligned_mesh(test::box(1, 1, 1), parameters, report), InvalidInput);
  parameters.edge_length = 0.1;
  TriangleMesh open = test::box(1, 1, 1);
  open.triangles.pop_back();
  EXPECT_THROW(field_aligned_mesh(open, parameters, report), InvalidInput);
}

}  // namespace
}  // namespace abut::preprocess
