#include "preprocess/mesh/close.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <numbers>

#include "close_fixture.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

TEST_F(Close, LeavesACleanSurfaceAsItIs) {
  const TriangleMesh soup = box();
  const ClosedSurface closed = close(soup);
  EXPECT_EQ(closed.surface.triangles.size(), soup.triangles.size());
  EXPECT_EQ(closed.hull_points.size(), soup.vertices.size());
  EXPECT_DOUBLE_EQ(volume(closed.surface), 64);
  EXPECT_TRUE(report_.warnings.empty()) << all_warnings();
  EXPECT_EQ(measure("hausdorff_to_input_percent"), 0);
  EXPECT_EQ(measure("genus"), 0);
}

TEST_F(Close, MergesDuplicatedVertices) {
  const TriangleMesh whole = box();
  TriangleMesh soup;
  for (const Triangle& t : whole.triangles) {
    for (const int v : t) soup.vertices.push_back(whole.vertices[v]);
    const auto n = static_cast<std::int32_t>(soup.vertices.size());
    soup.triangles.push_back({n - 3, n - 2, n - 1});
  }
  EXPECT_DOUBLE_EQ(volume(close(soup).surface), 64);
  EXPECT_EQ(measure("welded_vertices"), soup.vertices.size() - whole.vertices.size());
  EXPECT_TRUE(report_.warnings.empty()) << all_warnings();
}

TEST_F(Close, TurnsAnInsideOutSurfaceAndSingleFaces) {
  TriangleMesh mesh = box();
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (i % 7 != 3) std::swap(mesh.triangles[i][0], mesh.triangles[i][1]);
  }
  // 192 faces, 27 of them against the others.
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 64);
  EXPECT_TRUE(has_warning("27 faces were turned to agree with their neighbours")) << all_warnings();
  EXPECT_TRUE(has_warning("inside out")) << all_warnings();
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 64);
  EXPECT_TRUE(has_warning("27 faces were turned to agree with their neighbours")) << all_warnings();
  EXPECT_FALSE(has_warning("inside out")) << all_warnings();
  mesh = box();
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_DOUBLE_EQ(volume(close(mesh).surface), 64);
  EXPECT_TRUE(has_warning("inside out")) << all_warnings();
}

TEST_F(Close, CancelsFlapsAndDropsCollapsedAndRepeatedFaces) {
  TriangleMesh mesh = box();
  const auto tip = static_cast<std::int32_t>(mesh.vertices.size());
  const Triangle on = mesh.triangles[10];
  mesh.vertices.push_back(mesh.vertices[on[0]] + 0.01 * Eigen::Vector3d::Ones());
  mesh.triangles.push_back({on[0], on[1], tip});
  mesh.triangles.push_back({tip, on[1], on[0]});
  mesh.triangles.push_back({on[0], on[1], on[1]});
  mesh.triangles.push_back({on[1], on[2], on[0]});
  EXPECT_NEAR(volume(close(mesh).surface), 64, 1e-12);
  EXPECT_TRUE(has_warning("1 flap of coincident opposite faces cancelled")) << all_warnings();
  EXPECT_TRUE(has_warning("1 collapsed face dropped")) << all_warnings();
  EXPECT_TRUE(has_warning("1 repeated face dropped")) << all_warnings();
}

TEST_F(Close, RefusesAFanOfManyFacesAboutAnEdge) {
  TriangleMesh book;
  book.vertices = {{0, 0, 0}, {0, 0, 1}};
  for (int i = 0; i < 5000; ++i) {
    book.vertices.emplace_back(std::cos(1e-3 * i), std::sin(1e-3 * i), 0.5);
    book.triangles.push_back({0, 1, i + 2});
  }
  try {
    close_surface(book, parameters_, report_);
    FAIL();
  } catch (const abut::InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("an edge has 5000 faces"), std::string::npos) << error.what();
  }
}

TEST_F(Close, FillsSmallHoles) {
  TriangleMesh mesh = sphere();
  const double whole = volume(mesh);
  std::erase_if(mesh.triangles,
                [](const Triangle& t) { return std::find(t.begin(), t.end(), 800) != t.end(); });
  std::erase_if(mesh.triangles,
                [](const Triangle& t) { return std::find(t.begin(), t.end(), 1600) != t.end(); });
  EXPECT_NEAR(volume(close(mesh).surface) / whole, 1, 1e-3);
  EXPECT_TRUE(has_warning("2 holes filled (12 boundary edges)")) << all_warnings();
  EXPECT_EQ(measure("hausdorff_to_input_percent"), 0);  // lids are no error of the surface
  EXPECT_GT(measure("lids_to_input_percent"), 0);
  EXPECT_LT(measure("lids_to_input_percent"), 5);
  EXPECT_EQ(report_.measures.count("closed_opening_m"), 0u);
}

TEST_F(Close, SaysThatTheMouthOfABottleIsClosed) {
  constexpr int kRings = 40, kSegments = 80, kMouth = 3;  // the ring that is the rim
  TriangleMesh bottle = sphere(kRings, kSegments);
  const double rim = std::cos(std::numbers::pi * kMouth / kRings) + 1e-9;
  std::erase_if(bottle.triangles, [&](const Triangle& t) {
    return std::max({bottle.vertices[t[0]].z(), bottle.vertices[t[1]].z(), bottle.vertices[t[2]].z()}) > rim;
  });
  close(bottle);
  EXPECT_NEAR(measure("closed_opening_m"), 2 * std::sin(std::numbers::pi * kMouth / kRings), 1e-9);
  EXPECT_TRUE(has_warning("1 hole filled (80 boundary edges)")) << all_warnings();
  EXPECT_TRUE(has_warning("its widest opening 0.467 m across: the object is taken for solid"))
      << all_warnings();
}

// Holes that meet in a point have a rim in common, which comes back to it; faces between three of them have
// one of their own.
TEST_F(Close, FillsHolesThatMeetInAPoint) {
  const TriangleMesh whole = sphere();
  TriangleMesh mesh = whole;
  Random random(3);
  std::erase_if(mesh.triangles, [&](const Triangle&) { return random.uniform() < 0.05; });
  const Eigen::Matrix3d turn =
      Eigen::AngleAxis<double>(1.1, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  for (int turned = 0; turned < 2; ++turned) {
    const TriangleMesh closed = close(mesh).surface;
    EXPECT_EQ(closed.triangles.size(), whole.triangles.size()) << all_warnings();
    EXPECT_NEAR(volume(closed) / volume(whole), 1, 1e-3);
    EXPECT_LT(measure("hausdorff_to_input_percent"), 0.01);
    for (Eigen::Vector3d& v : mesh.vertices) v = turn * v;
  }
}

// Small ones in a chain that is longer than a hole may be, about faces that hang between them.
TEST_F(Close, FillsChainsOfHoles) {
  const TriangleMesh whole = test::sphere(0.1, 3);
  for (const std::uint64_t trial : {3, 6, 7, 10, 12}) {
    TriangleMesh mesh = whole;
    Random random(trial, 100);
    std::erase_if(mesh.triangles, [&](const Triangle&) { return random.uniform() < 0.1; });
    const TriangleMesh closed = close(mesh).surface;
    EXPECT_NEAR(volume(closed) / volume(whole), 1, 0.01) << trial << ": " << all_warnings();
    EXPECT_EQ(all_warnings().find("wrap"), std::string::npos) << trial << ": " << all_warnings();
  }
}

TEST_F(Close, JoinsSeamsThatWereRoundedDifferently) {
  TriangleMesh upper = sphere(), lower = upper;
  std::erase_if(upper.triangles, [](const Triangle& t) {
    return *std::max_element(t.begin(), t.end()) >= 1600 && t[0] != 3120;
  });
  const std::vector<Triangle> kept = upper.triangles;
  std::erase_if(lower.triangles,
                [&](const Triangle& t) { return std::find(kept.begin(), kept.end(), t) != kept.end(); });
  for (auto& v : lower.vertices) v *= 1 + 1e-8;
  append_mesh(upper, lower);
  close(upper);
  EXPECT_TRUE(has_warning("80 vertices of open edges merged")) << all_warnings();
  EXPECT_EQ(report_.warnings.size(), 1u) << all_warnings();
}

TEST_F(Close, RemovesSelfIntersections) {
  TriangleMesh mesh = sphere();
  mesh.vertices[800] = mesh.vertices[803] * 1.01;  // dragged across its neighbours
  ASSERT_GT(count_exact_intersections(mesh), 0u);
  close(mesh);
  EXPECT_TRUE(has_warning("of intersecting faces removed")) << all_warnings();
  EXPECT_LT(measure("hausdorff_to_input_percent"), 2);
}

TEST_F(Close, ClosesATinyTunnelAndKeepsARing) {
  // A plate with a pinhole of one voxel.
  parameters_.max_hausdorff = 0.02;
  close(voxels(40, 40, 3, [](int x, int y, int) { return x != 17 || y != 23; }));
  EXPECT_EQ(measure("genus"), 0) << all_warnings();
  EXPECT_TRUE(has_warning("1 tiny tunnel closed")) << all_warnings();
  // A frame: its handle is real, though thin.
  close(voxels(40, 40, 1, [](int x, int y, int) { return x == 0 || y == 0 || x == 39 || y == 39; }));
  EXPECT_EQ(measure("genus"), 1);
  EXPECT_TRUE(report_.warnings.empty()) << all_warnings();
  EXPECT_EQ(measure("hausdorff_to_input_percent"), 0);
}

TEST_F(Close, ATunnelIsLeftWhereClosingItWouldMoveTheSurface) {
  close(voxels(40, 40, 3, [](int x, int y, int) { return x != 17 || y != 23; }));
  EXPECT_EQ(measure("genus"), 1);
  parameters_.max_tunnel = 0;
  parameters_.max_hausdorff = 1;
  close(voxels(40, 40, 3, [](int x, int y, int) { return x != 17 || y != 23; }));
  EXPECT_EQ(measure("genus"), 1);
}

TEST_F(Close, PartsThatTouchInAnEdge) {
  close(voxels(20, 20, 10, [](int x, int y, int) { return (x < 10) == (y < 10); }));
}

// A bowl whose rim rises to two sides: no flat lid fits.
TriangleMesh wavy_bowl() {
  TriangleMesh bowl = sphere(20, 40);
  std::erase_if(bowl.triangles, [&](const Triangle& t) {
    const Eigen::Vector3d& v = bowl.vertices[t[0]];
    return v.z() > 0.1 + 0.5 * v.x() * v.x();
  });
  return bowl;
}

TEST_F(Close, HolesAreFilledUpToTheGivenSize) {
  close(wavy_bowl());
  EXPECT_TRUE(has_warning("--max-hole takes larger ones")) << all_warnings();
  EXPECT_EQ(measure("wrapped"), 1);
  report_ = {};
  parameters_.max_hole = 1;
  const double volume_of_solid = volume(close(wavy_bowl()).surface);
  EXPECT_FALSE(report_.measures.contains("wrapped")) << all_warnings();
  EXPECT_TRUE(report_.measures.contains("closed_opening_m")) << all_warnings();
  EXPECT_GT(volume_of_solid, 2);
}

TEST_F(Close, WrapsWhatIsOpenAsALastResort) {
  close(wavy_bowl());
  EXPECT_TRUE(has_warning("last resort")) << all_warnings();
  EXPECT_TRUE(has_warning("thin double-walled shell")) << all_warnings();
  EXPECT_EQ(measure("wrapped"), 1);
  EXPECT_LT(measure("hausdorff_to_input_percent"), 2);
}

TEST_F(Close, ALargeFlatHoleGetsALidHoweverUnevenByALittle) {
  TriangleMesh bowl = sphere(20, 40);
  const double whole = volume(bowl);
  Random random(3);
  std::erase_if(bowl.triangles, [&](const Triangle& t) {
    return std::max({bowl.vertices[t[0]].z(), bowl.vertices[t[1]].z(), bowl.vertices[t[2]].z()}) > 1e-9;
  });
  for (auto& v : bowl.vertices) v *= 1 + 1e-3 * random.uniform();
  EXPECT_NEAR(volume(close(bowl).surface) / whole, 0.5, 0.01);
  EXPECT_TRUE(has_warning("1 large flat hole closed by a flat lid")) << all_warnings();
  EXPECT_EQ(measure("flat_lids"), 1);
  EXPECT_NEAR(measure("largest_flat_lid_m"), 2, 0.01);
  EXPECT_EQ(report_.measures.count("wrapped"), 0u);
}

TEST_F(Close, AFlatLidThatWouldCrossTheSurfaceIsNotTaken) {
  // A bowl with a post in its middle that rises above the brim.
  TriangleMesh bowl = sphere(20, 40);
  std::erase_if(bowl.triangles, [&](const Triangle& t) {
    return std::max({bowl.vertices[t[0]].z(), bowl.vertices[t[1]].z(), bowl.vertices[t[2]].z()}) > 1e-9;
  });
  for (auto& v : bowl.vertices)
    if (v.z() < -0.98) v.z() = 0.5;
  close(bowl);
  EXPECT_EQ(report_.measures.count("flat_lids"), 0u);
  EXPECT_EQ(measure("wrapped"), 1);
}

TEST_F(Close, RefusesAWrapFarFromTheInput) {
  // Triangles at random, all through the first: the wrap shuts most of them in.
  TriangleMesh soup;
  Random random(5);
  const auto point = [&]() { return Eigen::Vector3d(random.uniform(), random.uniform(), random.uniform()); };
  for (int i = 0; i < 300; ++i) soup.vertices.push_back(point());
  for (int i = 0; i < 900; ++i) {
    const auto a = static_cast<std::int32_t>(random.below(300)),
               b = static_cast<std::int32_t>(random.below(300)),
               c = static_cast<std::int32_t>(random.below(300));
    if (a != b && b != c && c != a) soup.triangles.push_back({a, b, c});
  }
  try {
    close_surface(soup, {}, report_);
    ADD_FAILURE() << "not refused";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("at most 2 %"), std::string::npos) << error.what();
  }
}

TEST_F(Close, RefusesWhatIsTooSmallForArithmetic) {
  TriangleMesh speck = box();
  for (auto& v : speck.vertices) v *= 1e-161;
  EXPECT_THROW(close_surface(speck, {}, report_), InvalidInput);
}

TEST_F(Close, RefusesWhatHasNoVolume) {
  TriangleMesh flat = box();
  for (auto& v : flat.vertices) v.z() = 0;
  EXPECT_THROW(close_surface(flat, {}, report_), InvalidInput);
  TriangleMesh slanted = box();
  for (auto& v : slanted.vertices) v.z() = 0.3 * v.x() - 0.7 * v.y();
  EXPECT_THROW(close_surface(slanted, {}, report_), InvalidInput);
  TriangleMesh sheet = sphere();  // curved, but its two sides coincide
  std::erase_if(sheet.triangles, [&](const Triangle& t) { return sheet.vertices[t[0]].z() > 0.5; });
  for (std::size_t i = 0, n = sheet.triangles.size(); i < n; ++i) {
    const Triangle t = sheet.triangles[i];
    sheet.triangles.push_back({t[0], t[2], t[1]});
  }
  EXPECT_THROW(close_surface(sheet, {}, report_), InvalidInput);
  EXPECT_THROW(close_surface({}, {}, report_), InvalidInput);
  TriangleMesh collapsed = box();
  for (auto& v : collapsed.vertices) v.setOnes();
  EXPECT_THROW(close_surface(collapsed, {}, report_), InvalidInput);
}

TEST(HausdorffTest, ClosedForms) {
  const TriangleMesh small = box(4, 4, 4);
  TriangleMesh lifted = small;
  for (auto& v : lifted.vertices) v.z() *= 1.25;
  const Hausdorff h = hausdorff(small, lifted, 1e-4);
  EXPECT_NEAR(h.from_B, 1, 1e-4);
  EXPECT_NEAR(h.from_A, 1, 1e-4);
  // A tetrahedron's corner at (3, 3, 3) over a cube's corner at (1, 1, 1); the cube's other corners are
  // inside.
  TriangleMesh spike = small;
  for (auto& v : spike.vertices) {
    if (v == Eigen::Vector3d(4, 4, 4)) v += Eigen::Vector3d(3, 4, 12);
  }
  EXPECT_NEAR(hausdorff(small, spike, 1e-3).from_B, 13, 1e-3);
  EXPECT_EQ(hausdorff(small, small, 1e-3).symmetric(), 0);
}

}  // namespace
}  // namespace abut::preprocess
