// Soups: faces that do not share their edges, faces too many at an edge, vertices far off.
#include <gtest/gtest.h>

#include "close_fixture.h"
#include "preprocess/mesh/hanging.h"
#include "preprocess/mesh/object_size.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"

namespace abut::preprocess {
namespace {

// Every face with corners of its own, moved each by up to `gap` along every axis, m.
TriangleMesh cracked(const TriangleMesh& mesh, double gap) {
  Random random(1);
  TriangleMesh soup;
  for (const Triangle& t : mesh.triangles) {
    const auto n = static_cast<std::int32_t>(soup.vertices.size());
    soup.triangles.push_back({n, n + 1, n + 2});
    for (const std::int32_t v : t) {
      const Eigen::Vector3d shift(random.uniform(-gap, gap), random.uniform(-gap, gap),
                                  random.uniform(-gap, gap));
      soup.vertices.push_back(mesh.vertices[v] + shift);
    }
  }
  return soup;
}

// Every face with corners of its own, a tenth nearer to its middle.
TriangleMesh shrunk_faces(const TriangleMesh& mesh) {
  TriangleMesh soup = cracked(mesh, 0);
  for (const Triangle& t : soup.triangles) {
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (const std::int32_t v : t) middle += soup.vertices[v] / 3;
    for (const std::int32_t v : t) soup.vertices[v] += 0.1 * (middle - soup.vertices[v]);
  }
  return soup;
}

// Without its top.
TriangleMesh open_box() {
  TriangleMesh mesh = box();
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return std::min({mesh.vertices[t[0]].z(), mesh.vertices[t[1]].z(), mesh.vertices[t[2]].z()}) == 4;
  });
  return mesh;
}

// An open box, and a speck of one face at a distance, m.
TriangleMesh open_box_and_speck(double distance) {
  TriangleMesh mesh = open_box();
  const auto n = static_cast<std::int32_t>(mesh.vertices.size());
  for (const Eigen::Vector3d& v : {Eigen::Vector3d(0, 0, 0), {0.02, 0, 0}, {0, 0.02, 0}})
    mesh.vertices.emplace_back(v + Eigen::Vector3d(distance, 0, 0));
  mesh.triangles.push_back({n, n + 1, n + 2});
  return mesh;
}

Eigen::Vector3d middle_of_edge(const TriangleMesh& mesh, const Triangle& t) {
  return (mesh.vertices[t[0]] + mesh.vertices[t[1]]) / 2;
}

std::string refusal(const TriangleMesh& mesh, const CloseParameters& parameters = {}) {
  Report report;
  try {
    close_surface(mesh, parameters, report);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "made";
}

TEST_F(Close, JoinsLooseFacesAcrossGaps) {
  const TriangleMesh whole = sphere(20, 40);
  for (const double gap : {1e-5, 1e-4, 1e-3}) {
    const ClosedSurface closed = close(cracked(whole, gap));
    EXPECT_EQ(closed.surface.triangles.size(), whole.triangles.size());
    EXPECT_NEAR(volume(closed.surface), volume(whole), 10 * gap);
    EXPECT_TRUE(has_warning("loose faces")) << all_warnings();
    EXPECT_EQ(report_.measures.count("wrapped"), 0u) << all_warnings();
    // To the file's surface, not to what was joined of it; at most twice the least gap that joins all.
    EXPECT_GT(measure("hausdorff_to_input_percent"), 100 * gap / whole.diagonal());
    EXPECT_LT(measure("hausdorff_to_input_percent"), 100 * 8 * gap / whole.diagonal());
  }
}

TEST_F(Close, AHoleDoesNotWidenTheGapsThatAreClosed) {
  const TriangleMesh whole = sphere(20, 40);
  const double gap = 1e-5;
  TriangleMesh holed = whole;
  // A hole whose rim is of some millimetres.
  const Triangle t = holed.triangles[333];
  for (const int k : {1, 2})
    holed.vertices[t[k]] = holed.vertices[t[0]] + 0.03 * (holed.vertices[t[k]] - holed.vertices[t[0]]);
  holed.triangles.erase(holed.triangles.begin() + 333);
  const ClosedSurface closed = close(cracked(holed, gap));
  EXPECT_TRUE(has_warning("1 hole filled (3 boundary edges)")) << all_warnings();
  EXPECT_EQ(closed.surface.triangles.size(), whole.triangles.size());
  EXPECT_LT(measure("hausdorff_to_input_percent"), 100 * 8 * gap / whole.diagonal());
}

TEST_F(Close, JoinsLooseFacesRatherThanDropsThem) {
  // A cup of thick walls whose faces lie across each other by little: most count as joined.
  const TriangleMesh cup =
      voxels(4, 4, 4, [](int x, int y, int z) { return z == 0 || x == 0 || x == 3 || y == 0 || y == 3; });
  const TriangleMesh soup = cracked(cup, 1e-4);
  const ClosedSurface closed = close(soup);
  EXPECT_NEAR(volume(closed.surface), volume(cup), 0.02);
  EXPECT_TRUE(has_warning("loose faces")) << all_warnings();
  EXPECT_EQ(report_.measures.count("wrapped"), 0u) << all_warnings();
  EXPECT_EQ(report_.measures["components_dropped"], 0) << all_warnings();
}

TEST_F(Close, DoesNotJoinTheRimsOfThinWalls) {
  // A glass with walls of 5 mm over 4 m whose brim is missing.
  const TriangleMesh mesh = open_box();
  TriangleMesh glass = mesh;
  for (const Eigen::Vector3d& v : mesh.vertices)
    glass.vertices.emplace_back(v.cwiseMax(0.005).cwiseMin(Eigen::Vector3d(3.995, 3.995, 4)));
  const auto n = static_cast<std::int32_t>(mesh.vertices.size());
  for (const Triangle& t : mesh.triangles) glass.triangles.push_back({t[0] + n, t[2] + n, t[1] + n});
  EXPECT_DOUBLE_EQ(volume(close(glass).surface), 64);
  EXPECT_TRUE(has_warning("1 of 2 separate parts dropped")) << all_warnings();
}

TEST_F(Close, RefusesPartsThatAreNoObject) {
  const std::string loose = refusal(shrunk_faces(sphere(20, 40)));
  EXPECT_NE(loose.find("separate parts only 1 would be kept"), loose.npos) << loose;
  EXPECT_NE(loose.find("--keep-all-components"), loose.npos) << loose;
  // Three boxes apart: none is the object.
  TriangleMesh boxes;
  for (int k = 0; k < 3; ++k) {
    TriangleMesh one = box();
    for (auto& v : one.vertices) v.x() += 10 * k;
    append_mesh(boxes, one);
  }
  const std::string apart = refusal(boxes);
  EXPECT_NE(apart.find("of 3 separate parts only 1 would be kept, with 33 % of the area"), apart.npos)
      << apart;
  parameters_.all_components = true;
  EXPECT_DOUBLE_EQ(volume(close(boxes).surface), 192);
}

TEST_F(Close, PartsWithinTheSolidAreNotMissed) {
  TriangleMesh mesh = box(10, 10, 10);
  for (int k = 0; k < 27; ++k) {
    TriangleMesh inner = box(2, 2, 2);
    for (auto& v : inner.vertices)
      v += 3 * Eigen::Vector3d(k % 3, k / 3 % 3, k / 9) + Eigen::Vector3d(1, 1, 1);
    append_mesh(mesh, inner);
  }
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 1000);  // of the area the box has 48 %
}

TEST_F(Close, ASpeckFarOffDoesNotWidenTheGapsThatAreClosed) {
  for (const double distance : {1e2, 1e4, 1e7}) {
    EXPECT_DOUBLE_EQ(volume(close(open_box_and_speck(distance)).surface), 64);
    EXPECT_FALSE(has_warning("vertices of open edges merged")) << all_warnings();
  }
}

TEST_F(Close, MergedRimsCountAsMoved) {
  const TriangleMesh whole = sphere(20, 40);
  const double gap = 1e-7;
  close(cracked(whole, gap));
  EXPECT_GT(measure("hausdorff_to_input_percent"), 100 * gap / whole.diagonal());
}

TEST_F(Close, SplitsOpenEdgesAtVerticesThatLieOnThem) {
  const TriangleMesh whole = sphere(20, 40);
  TriangleMesh mesh = whole;
  for (std::size_t f = 5; f < whole.triangles.size(); f += 7) {
    const Triangle t = whole.triangles[f];
    const auto middle = static_cast<std::int32_t>(mesh.vertices.size());
    mesh.vertices.push_back(middle_of_edge(whole, t));
    mesh.triangles[f] = {t[0], middle, t[2]};
    mesh.triangles.push_back({middle, t[1], t[2]});
  }
  EXPECT_NEAR(volume(close(mesh).surface), volume(whole), 1e-12);
  EXPECT_TRUE(has_warning("open edges split at vertices of others")) << all_warnings();
  EXPECT_EQ(report_.measures.count("wrapped"), 0u) << all_warnings();
}

TEST_F(Close, DropsFacesThatHangOnEdges) {
  const TriangleMesh whole = sphere(20, 40);
  for (const double height : {0.0, 0.05}) {
    TriangleMesh mesh = whole;
    for (std::size_t f = 5; f < whole.triangles.size(); f += 97) {
      const Triangle t = whole.triangles[f];
      const auto tip = static_cast<std::int32_t>(mesh.vertices.size());
      mesh.vertices.push_back((1 + height) * middle_of_edge(whole, t));
      mesh.triangles.push_back({t[0], t[1], tip});
    }
    const ClosedSurface closed = close(mesh);
    EXPECT_EQ(closed.surface.triangles.size(), whole.triangles.size());
    EXPECT_EQ(closed.hull_points.size(), whole.vertices.size());
    EXPECT_TRUE(has_warning("16 faces dropped that hang on edges of two others")) << all_warnings();
    EXPECT_EQ(measure("dropped_area_percent") > 1e-10, height > 0);
  }
}

// What is dropped at first is no part of what the second share is of.
TEST_F(Close, WhatIsDroppedInTwoStepsIsAShareOfAll) {
  TriangleMesh mesh = box(10, 10, 10), other = box(8, 8, 8);
  for (auto& v : other.vertices) v.x() += 40;
  append_mesh(mesh, other);
  const double area_of_both = area(mesh);
  const Triangle t = mesh.triangles[0];
  for (const double out : {6.0, 8.0}) {  // two fins on one edge
    mesh.vertices.push_back(middle_of_edge(mesh, t) * (1 + out / 10));
    mesh.triangles.push_back({t[0], t[1], static_cast<std::int32_t>(mesh.vertices.size()) - 1});
  }
  const double kept = 600;
  close(mesh);
  EXPECT_GT(area_of_both, kept);
  EXPECT_NEAR(measure("dropped_area_percent"), 100 * (1 - kept / area(mesh)), 0.5) << all_warnings();
}

TEST_F(Close, FinsCountAsMovedWhereAHoleIsFilled) {
  TriangleMesh mesh = sphere(20, 40);
  const Triangle t = mesh.triangles[500];
  mesh.vertices.push_back(1.2 * middle_of_edge(mesh, t));
  mesh.triangles.push_back({t[0], t[1], static_cast<std::int32_t>(mesh.vertices.size()) - 1});
  mesh.triangles.erase(mesh.triangles.begin() + 1000);
  close(mesh);
  EXPECT_TRUE(has_warning("1 hole filled (3 boundary edges)")) << all_warnings();
  EXPECT_GT(measure("hausdorff_to_input_percent"), 100 * 0.18 / object_size(mesh));
}

TEST_F(Close, KeepsLimbsThatStandOnTheSurface) {
  // A plate with a leg without caps that stands on four of its edges.
  const TriangleMesh plate = box(12, 12, 1);
  TriangleMesh leg = box(1, 1, 6);
  std::erase_if(leg.triangles, [&](const Triangle& t) {
    const double a = leg.vertices[t[0]].z(), b = leg.vertices[t[1]].z(), c = leg.vertices[t[2]].z();
    return a == b && b == c;
  });
  for (auto& v : leg.vertices) v += Eigen::Vector3d(5, 5, 1);
  TriangleMesh table = plate;
  append_mesh(table, leg);
  table = weld(table).mesh;
  for (const bool hole : {false, true}) {
    if (hole) table.triangles.erase(table.triangles.begin());
    EXPECT_NEAR(volume(close(table).surface), 150, 0.01) << all_warnings();
    EXPECT_TRUE(has_warning("1 limb that stands on edges")) << all_warnings();
    EXPECT_EQ(report_.measures.count("dropped_area_percent"), 0u) << all_warnings();
  }
}

TEST_F(Close, SolidsThatShareAWallAreNoLimbs) {
  TriangleMesh two = box(), other = box();
  for (auto& v : other.vertices) v.x() += 4;
  append_mesh(two, other);
  EXPECT_DOUBLE_EQ(volume(close(two).surface), 128);
  EXPECT_FALSE(has_warning("limb")) << all_warnings();
  EXPECT_LT(measure("hausdorff_to_input_percent"), 1e-9);  // the wall lies within the solid
}

TEST_F(Close, KeepsWhatIsMoreThanAFin) {
  // Two rooms with a wall between them: every edge of the wall has three faces.
  TriangleMesh rooms = box(4, 4, 8);
  TriangleMesh wall = voxels(4, 4, 4, [](int, int, int) { return true; });
  std::vector<char> keep;
  for (const Triangle& t : wall.triangles)
    keep.push_back(wall.vertices[t[0]].z() == 4 && wall.vertices[t[1]].z() == 4 &&
                   wall.vertices[t[2]].z() == 4);
  append_mesh(rooms, select_faces(wall, keep));
  rooms = weld(rooms).mesh;
  TriangleMesh whole = rooms;
  EXPECT_EQ(drop_hanging(rooms, 0.05 * area(rooms)).faces, 0u);
  // With a hole in the wall; then it may go where so much may.
  rooms.triangles.pop_back();
  EXPECT_EQ(drop_hanging(rooms, 0.05 * area(rooms)).faces, 0u);
  EXPECT_EQ(drop_hanging(rooms, 0.1 * area(rooms)).faces, 31u);
  // With a hole in a room, the room stays.
  whole.triangles.erase(whole.triangles.begin());
  EXPECT_EQ(drop_hanging(whole, 0.05 * area(whole)).faces, 0u);
}

TEST_F(Close, RefusesAVertexFarFromAllOthers) {
  TriangleMesh mesh = sphere(20, 40);
  mesh.vertices[333] = {0, 5, -100};  // from the upper half, through the lower
  const std::string told = refusal(mesh);
  EXPECT_NE(told.find("the vertex at (0, 5, -100) m is far from all others"), told.npos) << told;
  // The tip of a cone is none: its neighbours go all around.
  TriangleMesh cone;
  cone.vertices = {{0, 0, 200}, {0, 0, 0}};
  for (int j = 0; j < 100; ++j)
    cone.vertices.emplace_back(std::cos(0.02 * std::numbers::pi * j), std::sin(0.02 * std::numbers::pi * j),
                               0);
  for (int j = 0; j < 100; ++j) {
    const int a = 2 + j, b = 2 + (j + 1) % 100;
    cone.triangles.insert(cone.triangles.end(), {{0, a, b}, {1, b, a}});
  }
  EXPECT_GT(volume(close(cone).surface), 200);
  EXPECT_TRUE(report_.warnings.empty()) << all_warnings();
}

TEST_F(Close, KeepsAPinWithALongShaft) {
  // A head of 6 m with a point drawn out of the middle of one side.
  TriangleMesh pin = box(6, 6, 6);
  for (auto& v : pin.vertices)
    if (v == Eigen::Vector3d(3, 3, 6)) v.z() = 200;
  const double whole = volume(pin);
  const ClosedSurface closed = close(pin);
  EXPECT_EQ(closed.surface.triangles.size(), pin.triangles.size());
  EXPECT_DOUBLE_EQ(volume(closed.surface), whole);
  EXPECT_TRUE(has_warning("far from all others")) << all_warnings();
  EXPECT_EQ(report_.warnings.size(), 1u) << all_warnings();
  EXPECT_EQ(measure("kept_far_vertices"), 1);
  EXPECT_EQ(measure("hausdorff_to_input_percent"), 0);
  pin.triangles.erase(std::find_if(pin.triangles.begin(), pin.triangles.end(), [&](const Triangle& t) {
    return std::any_of(t.begin(), t.end(), [&](std::int32_t v) { return pin.vertices[v].z() == 200; });
  }));
  const std::string told = refusal(pin);
  EXPECT_NE(told.find("it is not of the object"), told.npos) << told;
}

TEST_F(Close, MeasuresInTheObjectsSizeNotItsBox) {
  TriangleMesh mesh = sphere();
  mesh.vertices[333] *= 6;                           // stretches the box
  mesh.vertices[2000] = mesh.vertices[2003] * 1.01;  // dragged across its neighbours
  const ClosedSurface closed = close(mesh);
  const double moved = hausdorff(closed.surface, mesh, 1e-4).symmetric();
  EXPECT_GT(moved, 1e-3);
  EXPECT_NEAR(measure("hausdorff_to_input_percent"), 100 * moved / object_size(mesh), 0.02);
}

TEST_F(Close, AVertexOfACollapsedFaceMayBeAnywhere) {
  TriangleMesh mesh = box();
  const auto far = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.emplace_back(0, 1e4, 0);
  mesh.triangles.push_back({0, far, far});
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 64);
  EXPECT_TRUE(has_warning("1 collapsed face dropped")) << all_warnings();
  EXPECT_LT(measure("hausdorff_to_input_percent"), 0.01);
}

TEST(ObjectSize, IsTheBoxWithoutWhatLiesFarOff) {
  const TriangleMesh whole = sphere(20, 40);
  const double size = whole.diagonal();
  EXPECT_EQ(object_size(whole), size);
  TriangleMesh spike = whole;
  spike.vertices[333] *= 20;
  EXPECT_NEAR(object_size(spike), size, 0.02);
  TriangleMesh piece = whole;
  piece.vertices.insert(piece.vertices.end(), {{50, 0, 0}, {50.05, 0, 0}, {50, 0.05, 0}});
  const auto n = static_cast<std::int32_t>(whole.vertices.size());
  piece.triangles.push_back({n, n + 1, n + 2});
  EXPECT_EQ(object_size(piece), size);
  TriangleMesh two = whole;
  append_mesh(two, sphere(20, 40, {50, 0, 0}));
  EXPECT_EQ(object_size(two), two.diagonal());
}

}  // namespace
}  // namespace abut::preprocess
