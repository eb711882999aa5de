#include "preprocess/remesh/quad_mesh.h"

#include <gtest/gtest.h>

#include "preprocess/mesh/repair.h"
#include "preprocess/remesh/edit_quads.h"
#include "preprocess/remesh/to_quads.h"
#include "runtime/core/error.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut::preprocess;

// A unit cube of six quads.
QuadMesh cube() {
  QuadMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.emplace_back(i & 1, (i & 2) / 2, (i & 4) / 4);
  mesh.quads = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return mesh;
}

// The cube with a doublet inside its first face: the vertex 8 in two quads that were one.
QuadMesh cube_with_doublet() {
  QuadMesh mesh = cube();
  mesh.vertices.emplace_back(0.5, 0.5, 0);
  mesh.quads[0] = {0, 2, 3, 8};
  mesh.quads.push_back({0, 8, 3, 1});
  return mesh;
}

TEST(QuadMesh, FindsFaults) {
  EXPECT_EQ(find_topological_fault(cube()), "");
  EXPECT_EQ(find_topological_fault(cube_with_doublet()), "vertex 8 is a doublet: it has 2 quads");
  QuadMesh mesh = cube();
  mesh.quads.pop_back();
  EXPECT_NE(find_topological_fault(mesh), "");
  mesh = cube();
  std::swap(mesh.quads[0][1], mesh.quads[0][3]);
  EXPECT_NE(find_topological_fault(mesh), "");
  // Two cubes that share a vertex.
  mesh = cube();
  QuadMesh other = cube();
  for (auto& v : other.vertices) v += Eigen::Vector3d(1, 1, 1);
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin() + 1, other.vertices.end());
  for (Quad q : other.quads) {
    for (auto& v : q) v = v == 0 ? 7 : v + 7;
    mesh.quads.push_back(q);
  }
  EXPECT_EQ(find_topological_fault(mesh), "vertex 7 has more than one fan of quads");
}

// Naively cut, the two quads of a doublet share a diagonal: an edge with four triangles.
TEST(QuadMesh, TrianglesAreManifoldEvenAtADoublet) {
  for (const QuadMesh& mesh : {cube(), cube_with_doublet()}) {
    EXPECT_EQ(find_fault(triangulate(mesh)).find("manifold"), std::string::npos);
    EXPECT_EQ(triangulate(mesh).triangles.size(), 2 * mesh.quads.size());
  }
}

TEST(QuadMesh, DoubletsGo) {
  QuadMesh mesh = cube_with_doublet();
  EXPECT_EQ(remove_doublets(mesh), 1u);
  EXPECT_EQ(find_topological_fault(mesh), "");
  EXPECT_EQ(mesh.quads.size(), 6u);
  EXPECT_EQ(mesh.vertices.size(), 8u);
}

TEST(ToQuads, PairsAllTrianglesOfClosedSurfaces) {
  for (const TriangleMesh& mesh :
       {abut::test::box(1, 2, 3), abut::test::sphere(1, 3), abut::test::torus(2, 0.5, 17, 9)}) {
    const QuadMesh quads = to_quads(mesh);
    EXPECT_EQ(2 * quads.quads.size(), mesh.triangles.size());
    for (const Quad& q : quads.quads) EXPECT_GT(vector_area(quads, q).norm(), 0);
  }
}

TEST(ToQuads, KeepsQuadsAndLeadsTrianglesToEachOther) {
  PolygonMesh mesh = polygons_of(cube());
  EXPECT_EQ(to_quads(mesh).quads.size(), 6u);
  EXPECT_EQ(find_topological_fault(to_quads(mesh)), "");
  // Opposite faces cut into triangles, one each merged back by the matching; then a pentagon and a triangle.
  mesh = {};
  mesh.vertices = cube().vertices;
  mesh.vertices.emplace_back(0.5, 0, 0);
  mesh.offsets = {0};
  const std::vector<std::vector<std::int32_t>> faces = {{0, 2, 3, 1, 8}, {4, 5, 7, 6}, {0, 8, 1, 5, 4},
                                                        {2, 6, 7, 3},    {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& face : faces) {
    mesh.corners.insert(mesh.corners.end(), face.begin(), face.end());
    mesh.offsets.push_back(static_cast<std::int32_t>(mesh.corners.size()));
  }
  QuadMesh quads = to_quads(mesh);
  EXPECT_EQ(quads.quads.size(), 7u);
  remove_doublets(quads);
  EXPECT_EQ(find_topological_fault(quads), "");
  quads = subdivide(mesh);
  EXPECT_EQ(quads.quads.size(), 26u);
}

TEST(ToQuads, RefusesOpenSurfaces) {
  TriangleMesh open = abut::test::box(1, 1, 1);
  open.triangles.pop_back();
  EXPECT_THROW(to_quads(open), abut::InvalidInput);
}

}  // namespace
