#include "preprocess/tetrahedralize/tetrahedralize.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <new>
#include <set>

#include "preprocess/mesh/weld.h"
#include "preprocess/process/runner.h"
#include "preprocess/tetrahedralize/improve.h"
#include "preprocess/tetrahedralize/inradius.h"
#include "preprocess/tetrahedralize/interior_points.h"
#include "runtime/core/error.h"
#include "tests/preprocess/tetrahedralize/shapes.h"

namespace {

using namespace abut::preprocess;
using Eigen::Vector3d;

double total_volume(const TetrahedralMesh& mesh) {
  double sum = 0;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    const double six =
        six_volumes(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]);
    EXPECT_GT(six, 0);
    sum += six / 6;
  }
  return sum;
}

// The faces of the mesh with one tetrahedron, as sets of vertices.
std::set<std::set<int>> boundary(const TetrahedralMesh& mesh) {
  std::set<std::set<int>> faces;
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (const auto& f : kFaces) {
      const std::set<int> face{t[f[0]], t[f[1]], t[f[2]]};
      if (!faces.insert(face).second) faces.erase(face);
    }
  return faces;
}

void expect_fills(const TetrahedralMesh& mesh, const TriangleMesh& surface) {
  EXPECT_NEAR(total_volume(mesh), volume(surface), 1e-12 * volume(surface));
  std::set<std::set<int>> triangles;
  for (const Triangle& t : surface.triangles) triangles.insert({t[0], t[1], t[2]});
  EXPECT_EQ(boundary(mesh), triangles);
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) EXPECT_EQ(mesh.vertices[v], surface.vertices[v]);
}

// As above, but the surface's triangles may be cut into smaller ones of the same plane.
void expect_fills_refined(const TetrahedralMesh& mesh, const TriangleMesh& surface) {
  EXPECT_NEAR(total_volume(mesh), volume(surface), 1e-12 * volume(surface));
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) EXPECT_EQ(mesh.vertices[v], surface.vertices[v]);
  const LocalInradius inradius(surface);
  std::map<std::set<int>, int> edges;
  double area = 0, expected = 0;
  const auto twice_area = [](const auto& x, int a, int b, int c) {
    return (x[b] - x[a]).cross(x[c] - x[a]).norm();
  };
  for (const auto& face : boundary(mesh)) {
    const std::vector<int> f(face.begin(), face.end());
    const Vector3d centre = (mesh.vertices[f[0]] + mesh.vertices[f[1]] + mesh.vertices[f[2]]) / 3;
    EXPECT_LT(inradius.depth(centre), 1e-12 * surface.diagonal());
    EXPECT_LT(f[2], mesh.surface_vertices);
    area += twice_area(mesh.vertices, f[0], f[1], f[2]);
    for (int k = 0; k < 3; ++k) ++edges[{f[k], f[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) EXPECT_EQ(count, 2);
  for (const Triangle& t : surface.triangles) expected += twice_area(surface.vertices, t[0], t[1], t[2]);
  EXPECT_NEAR(area, expected, 1e-12 * expected);
}

TetrahedralMesh filled(const TriangleMesh& surface) {
  return tetrahedralize(surface, interior_points(surface, LocalInradius(surface), {}));
}

std::string reason(const Mesher& mesher, const TetrahedralizeLimits& limits) {
  try {
    (void)tetrahedralize_with(mesher, shapes::box({1, 1, 1}), {}, limits);
  } catch (const abut::InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Tetrahedralize, KeepsTheSurfaceAndThePointsInside) {
  const TriangleMesh box = shapes::box({1, 2, 3});
  const std::vector<Vector3d> inside{{0, 0, 0}, {0.25, 0.5, -1}};
  const TetrahedralMesh mesh = tetrahedralize(box, inside);
  expect_fills(mesh, box);
  ASSERT_EQ(mesh.vertices.size(), 10U);
  EXPECT_EQ(mesh.vertices[8], inside[0]);
  EXPECT_EQ(mesh.vertices[9], inside[1]);
}

TEST(Tetrahedralize, ACubeFromItsCentreHasTwelveTetrahedra) {
  const TetrahedralMesh mesh = tetrahedralize(shapes::box({1, 1, 1}), std::vector<Vector3d>{{0, 0, 0}});
  EXPECT_EQ(mesh.tetrahedra.size(), 12U);
  EXPECT_EQ(measure(mesh).flat_surface_share, 0);
}

TEST(Tetrahedralize, AVoidStaysEmpty) {
  const TriangleMesh shell = shapes::spherical_shell(1, 2, 0.5, 1);
  expect_fills(tetrahedralize(shell, {}), shell);
}

TEST(Tetrahedralize, RefusesWhatIsNoBoundaryOfASolid) {
  TriangleMesh open = shapes::box({1, 1, 1});
  open.triangles.pop_back();
  TriangleMesh shifted = shapes::box({1, 1, 1});
  for (Vector3d& v : shifted.vertices) v += Vector3d(0.5, 0.4, 0.3);
  for (const TriangleMesh& bad : {TriangleMesh{}, open, shapes::reversed(shapes::box({1, 1, 1})),
                                  shapes::joined(shapes::box({1, 1, 1}), shifted)})
    EXPECT_THROW((void)tetrahedralize(bad, {}), abut::InvalidInput);
}

TEST(Tetrahedralize, ACrashATimeOutAndAMemoryOutEachSaySo) {
  const auto crash = [](const TriangleMesh&, std::span<const Vector3d>) -> TetrahedralMesh {
    ::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
    return {};
  };
  const auto hang = [](const TriangleMesh&, std::span<const Vector3d>) -> TetrahedralMesh {
    for (;;) ::usleep(1000);
  };
  [[maybe_unused]] const auto eat = [](const TriangleMesh&, std::span<const Vector3d>) -> TetrahedralMesh {
    throw std::bad_alloc();
  };
  EXPECT_NE(reason(crash, {}).find("crashed"), std::string::npos) << reason(crash, {});
  EXPECT_NE(reason(hang, {0.2}).find("timed out"), std::string::npos) << reason(hang, {0.2});
#ifndef ABUT_SANITIZED  // there no limit is TetGen's own, and the caller is out of memory
  EXPECT_NE(reason(eat, {}).find("out of memory"), std::string::npos) << reason(eat, {});
#endif
}

// As the system kills when memory runs out: that is no property of the surface, which may do another time.
TEST(Tetrahedralize, AKillFromOutsideIsNoAnswer) {
  const auto killed = [](const TriangleMesh&, std::span<const Vector3d>) -> TetrahedralMesh {
    ::raise(SIGKILL);
    return {};
  };
  EXPECT_THROW((void)tetrahedralize_with(killed, shapes::box({1, 1, 1}), {}, {}), abut::IoError);
}

TEST(Tetrahedralize, TheMemoryLimitHolds) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "no limits of memory under sanitizers";
#endif
  const auto eat = [](const TriangleMesh&, std::span<const Vector3d>) {
    TetrahedralMesh mesh;
    mesh.vertices.resize(std::size_t{1} << 30);
    return mesh;
  };
  EXPECT_NE(reason(eat, {60, std::size_t{2} << 30}).find("out of memory"), std::string::npos);
}

// The object is out of memory then, not without a volume for good.
TEST(Tetrahedralize, TheCallersLimitOfMemoryIsTheCallers) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "no limits of memory under sanitizers";
#endif
  const Mesher eat = [](const TriangleMesh&, std::span<const Vector3d>) -> TetrahedralMesh {
    return {std::vector<Vector3d>(std::size_t{1} << 26), {}, 0};  // 1.5 GiB
  };
  const Work work = [&](std::size_t, const StageCallback& stage) {
    stage("volumes");
    return reason(eat, {});
  };
  RunObserver nobody;
  const JobResult result = run_jobs(1, work, {.memory_bytes = std::size_t{512} << 20}, nobody).jobs[0];
  EXPECT_EQ(result.outcome, Outcome::kOutOfMemory) << result.payload;
  EXPECT_TRUE(result.reason.starts_with("out of memory in stage 'volumes' (limit 512 MiB)")) << result.reason;
}

TEST(Improve, KeepsTheSurfacesShapeAndNoTetrahedronWithoutAVertexInside) {
  const std::vector<std::pair<TriangleMesh, double>> cases{
      {shapes::box({1, 1, 1}, 3), 15},     {shapes::box({1, 0.5, 0.2}, 2), 8},
      {shapes::sphere(1, 2), 20},          {shapes::torus(1, 0.3, 0.25), 15},
      {shapes::cylinder(1, 1.2, 0.3), 15}, {shapes::cup(1, 1, 0.05, 0.3), 2},
      {shapes::box({1, 1, 0.02}, 3), 0.5}, {shapes::spherical_shell(1, 2, 0.5, 2), 15}};
  for (const auto& [surface, degrees] : cases) {
    TetrahedralMesh mesh = filled(surface);
    const TetrahedralQuality before = measure(mesh);
    improve(mesh);
    const TetrahedralQuality after = measure(mesh);
    expect_fills_refined(mesh, surface);
    EXPECT_EQ(after.flat_share, 0);
    EXPECT_EQ(after.flat_surface_share, 0);
    EXPECT_GE(after.min_dihedral, before.min_dihedral - 1e-3);
    EXPECT_GE(after.min_dihedral, degrees) << surface.triangles.size();
  }
}

// Without points inside, every tetrahedron is flat at first: all must be split.
TEST(Improve, SplitsWhatHasNoVertexInside) {
  for (const TriangleMesh& surface :
       {shapes::box({1, 1, 1}), shapes::sphere(1, 1), shapes::cup(1, 1, 0.1, 0.4)}) {
    TetrahedralMesh mesh = tetrahedralize(surface, {});
    EXPECT_GT(measure(mesh).flat_share, 0.5);
    const ImproveResult result = improve(mesh);
    EXPECT_GT(result.splits, 0U);
    EXPECT_EQ(measure(mesh).flat_share, 0);
    expect_fills_refined(mesh, surface);
  }
}

TEST(LocalInradius, IsHalfThePlatesThicknessAndTheBallsRadius) {
  const TriangleMesh plate = shapes::box({1, 1, 0.05});
  const LocalInradius of_plate(plate);
  for (const double z : {-0.049, -0.02, 0.0, 0.03})
    EXPECT_NEAR(of_plate.inradius({0.3, -0.2, z}), 0.05, 0.05 * 0.02) << z;
  const TriangleMesh ball = shapes::sphere(2, 3);
  const LocalInradius of_ball(ball);
  for (const double r : {0.1, 1.0, 1.9})
    EXPECT_NEAR(of_ball.inradius(r * Vector3d(1, 2, 3).normalized()), 2, 2 * 0.02) << r;
}

TEST(LocalInradius, MakesLightOfTheRidgesOfABox) {
  const TriangleMesh box = shapes::box({1, 1, 1});
  const LocalInradius inradius(box);
  for (const double depth : {0.02, 0.05, 0.1}) {
    const Vector3d edge(1 - depth, 1 - depth, 0.2), corner = Vector3d::Constant(1 - depth);
    EXPECT_NEAR(inradius.depth(edge), depth, 1e-12);
    EXPECT_LT(depth / inradius.inradius(edge), 0.3) << depth;
    EXPECT_LT(depth / inradius.inradius(corner), 0.4) << depth;
  }
  EXPECT_NEAR(inradius.inradius({0.1, 0.2, -0.1}), 1, 0.02);
}

// A tooth on a rack, 4.2 mm wide and 5 mm high: its balls just meet those of the rack. From tip to rack its
// inradius grows without a jump, and its upper half has a core.
TEST(LocalInradius, IsContinuousInATooth) {
  const double half = 2.1e-3, high = 5e-3, wide = 20e-3, deep = 20e-3;
  const Eigen::Vector2d outline[] = {{-wide, -deep}, {wide, -deep}, {wide, 0},  {half, 0},
                                     {half, high},   {-half, high}, {-half, 0}, {-wide, 0}};
  const Triangle cap[] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 6}, {0, 6, 7}, {3, 4, 5}, {3, 5, 6}};
  TriangleMesh rack;
  for (const double z : {-5e-3, 5e-3})
    for (const Eigen::Vector2d& p : outline) rack.vertices.emplace_back(p.x(), p.y(), z);
  for (const Triangle& t : cap) {
    rack.triangles.push_back({t[2], t[1], t[0]});
    rack.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  }
  for (int i = 0; i < 8; ++i) {
    const int next = (i + 1) % 8;
    rack.triangles.push_back({i, next, next + 8});
    rack.triangles.push_back({i, next + 8, i + 8});
  }
  const LocalInradius inradius(rack);
  constexpr double kStep = 1e-5;
  double last = 0;
  for (double y = high - 1e-3; y > -1e-3; y -= kStep) {
    const double here = inradius.inradius({0, y, 0});
    if (last > 0) {
      EXPECT_NEAR(here, last, 0.2e-3) << y;
    }
    last = here;
    if (y > high / 2 && y < high - half) {
      EXPECT_GT(inradius.depth({0, y, 0}), here / 2) << y;
    }
  }
  EXPECT_GT(last, 4e-3);
}

// The plate and the ball of a rattle: each part its own thickness.
TEST(LocalInradius, ThinPartsKeepTheirOwn) {
  const TriangleMesh cup = shapes::cup(1, 1, 0.04, 0.1);
  const LocalInradius inradius(cup);
  EXPECT_NEAR(inradius.inradius({0.98, 0, 0.3}), 0.02, 0.02 * 0.1);
  EXPECT_NEAR(inradius.inradius({0.3, 0.1, -0.98}), 0.02, 0.02 * 0.1);
}

}  // namespace
