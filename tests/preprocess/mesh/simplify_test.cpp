#include "preprocess/mesh/simplify.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <numbers>

#include "exact_check.h"
#include "preprocess/mesh/close.h"
#include "preprocess/mesh/read.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/error.h"
#include "tests/support/runs.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

int genus(const TriangleMesh& mesh) {
  const auto faces = static_cast<int>(mesh.triangles.size()),
             vertices = static_cast<int>(mesh.vertices.size());
  return find_components(mesh).count - (vertices - faces / 2) / 2;
}

// A quad grid of n x m points, closed in both directions, mapped to space.
template <class Map>
TriangleMesh make_ring_grid(int n, int m, Map&& map) {
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) mesh.vertices.push_back(map(i, j));
  }
  const auto at = [&](int i, int j) { return (i % n) * m + j % m; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

TriangleMesh make_torus(double R, double r, int n, int m) {
  return make_ring_grid(n, m, [&](int i, int j) {
    const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / m;
    return Vec3((R + r * std::cos(b)) * std::cos(a), (R + r * std::cos(b)) * std::sin(a), r * std::sin(b));
  });
}

// The solid of revolution of a closed polygon (radius, height), counter-clockwise, whose first and last point
// lie on the axis.
TriangleMesh make_revolved(const std::vector<Eigen::Vector2d>& profile, int n) {
  const TriangleMesh grid = make_ring_grid(n, static_cast<int>(profile.size()), [&](int i, int j) {
    const double a = 2 * std::numbers::pi * i / n, r = profile[static_cast<std::size_t>(j)].x();
    return r == 0 ? Vec3(0, 0, profile[static_cast<std::size_t>(j)].y())
                  : Vec3(r * std::cos(a), r * std::sin(a), profile[static_cast<std::size_t>(j)].y());
  });
  TriangleMesh mesh = weld(grid).mesh;
  drop_collapsed(mesh);
  cancel_coincident(mesh);  // the strip along the axis
  return weld(mesh).mesh;
}

TriangleMesh make_sphere(double r, int n) {
  std::vector<Eigen::Vector2d> profile;
  for (int j = 0; j <= n; ++j) {
    const double b = std::numbers::pi * (static_cast<double>(j) / n - 0.5);
    profile.emplace_back(j == 0 || j == n ? 0 : r * std::cos(b), r * std::sin(b));
  }
  return make_revolved(profile, 2 * n);
}

// A bowl: the outer sphere's lower half up to the rim, back along the inner sphere.
TriangleMesh make_bowl(double r, double wall, int n) {
  std::vector<Eigen::Vector2d> profile;
  for (int j = 0; j <= n; ++j) {
    const double b = std::numbers::pi / 2 * (static_cast<double>(j) / n - 1);
    profile.emplace_back(j == 0 ? 0 : r * std::cos(b), r * std::sin(b));
  }
  for (int j = n; j >= 0; --j) {
    const double b = std::numbers::pi / 2 * (static_cast<double>(j) / n - 1);
    profile.emplace_back(j == 0 ? 0 : (r - wall) * std::cos(b), (r - wall) * std::sin(b));
  }
  return make_revolved(profile, 4 * n);
}

// A box, each side divided n x n times.
TriangleMesh make_box(const Vec3& size, int n) {
  TriangleMesh soup;
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {0, 1}) {
      const auto corner = [&](int i, int j) {
        Vec3 p = Vec3::Zero();
        p[axis] = side;
        p[(axis + 1) % 3] = static_cast<double>(i) / n;
        p[(axis + 2) % 3] = static_cast<double>(j) / n;
        soup.vertices.push_back(p.cwiseProduct(size));
        return static_cast<std::int32_t>(soup.vertices.size()) - 1;
      };
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const std::int32_t a = corner(i, j), b = corner(i + 1, j), c = corner(i + 1, j + 1),
                             d = corner(i, j + 1);
          if (side == 1) {
            soup.triangles.insert(soup.triangles.end(), {{a, b, c}, {a, c, d}});
          } else {
            soup.triangles.insert(soup.triangles.end(), {{a, c, b}, {a, d, c}});
          }
        }
      }
    }
  }
  return weld(soup).mesh;
}

// A ball with a concentric void.
TriangleMesh make_shell(double r, double wall, int n) {
  TriangleMesh mesh = make_sphere(r, n), inner = make_sphere(r - wall, n);
  const auto shift = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  for (const Triangle& t : inner.triangles)
    mesh.triangles.push_back({t[0] + shift, t[2] + shift, t[1] + shift});
  return mesh;
}

double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double s = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - s * (b - a)).norm();
}

double distance_to_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a).normalized();
  if ((b - a).cross(p - a).dot(n) >= 0 && (c - b).cross(p - b).dot(n) >= 0 &&
      (a - c).cross(p - c).dot(n) >= 0)
    return std::abs((p - a).dot(n));
  return std::min({distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
}

// Largest distance from samples of A (corners, and a lattice at `spacing`) to B, by brute force over the
// triangles of B in the cells of a grid around.
double sampled_distance(const TriangleMesh& A, const TriangleMesh& B, double spacing, double reach) {
  using Cell = std::array<int, 3>;
  const double side = std::max(reach, 2 * spacing);
  const auto cell_of = [&](const Vec3& p) {
    return Cell{static_cast<int>(std::floor(p.x() / side)), static_cast<int>(std::floor(p.y() / side)),
                static_cast<int>(std::floor(p.z() / side))};
  };
  std::map<Cell, std::vector<std::size_t>> grid;
  for (std::size_t f = 0; f < B.triangles.size(); ++f) {
    Vec3 lo = B.vertices[B.triangles[f][0]], hi = lo;
    for (const auto v : B.triangles[f]) {
      lo = lo.cwiseMin(B.vertices[v]);
      hi = hi.cwiseMax(B.vertices[v]);
    }
    const Cell first = cell_of(lo.array() - reach), last = cell_of(hi.array() + reach);
    for (int x = first[0]; x <= last[0]; ++x)
      for (int y = first[1]; y <= last[1]; ++y)
        for (int z = first[2]; z <= last[2]; ++z) grid[{x, y, z}].push_back(f);
  }
  double largest = 0;
  for (const Triangle& t : A.triangles) {
    const Vec3 &a = A.vertices[t[0]], &b = A.vertices[t[1]], &c = A.vertices[t[2]];
    const int n = 1 + static_cast<int>(std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()}) / spacing);
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        const Vec3 p = a + (b - a) * i / n + (c - a) * j / n;
        double nearest = reach;  // nothing in the cells: at least this far
        const auto found = grid.find(cell_of(p));
        if (found != grid.end()) {
          for (const std::size_t f : found->second) {
            const Triangle& s = B.triangles[f];
            nearest = std::min(nearest,
                               distance_to_triangle(p, B.vertices[s[0]], B.vertices[s[1]], B.vertices[s[2]]));
          }
        }
        largest = std::max(largest, nearest);
      }
    }
  }
  return largest;
}

double first_percentile_of_least_angles(const TriangleMesh& mesh) {
  std::vector<double> angles;
  for (const Triangle& t : mesh.triangles) {
    double least = 180;
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = mesh.vertices[t[(k + 1) % 3]] - mesh.vertices[t[k]];
      const Vec3 b = mesh.vertices[t[(k + 2) % 3]] - mesh.vertices[t[k]];
      least = std::min(least, std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / std::numbers::pi);
    }
    angles.push_back(least);
  }
  std::sort(angles.begin(), angles.end());
  return angles[angles.size() / 100];
}

// What must hold whatever the target.
void expect_sound(const TriangleMesh& input, const SimplifyResult& result, double max_percent = 1.5) {
  EXPECT_TRUE(is_closed_and_oriented(result.surface));
  EXPECT_EQ(count_exact_intersections(result.surface), 0u);
  EXPECT_EQ(genus(result.surface), genus(input));
  EXPECT_EQ(find_components(result.surface).count, find_components(input).count);
  const double diagonal = input.diagonal(), reach = 1.2 * max_percent / 100 * diagonal;
  const double spacing = 0.015 * diagonal;
  const double largest = std::max(sampled_distance(result.surface, input, spacing, reach),
                                  sampled_distance(input, result.surface, spacing, reach));
  EXPECT_LE(100 * largest / diagonal, max_percent);
  EXPECT_LE(100 * largest / diagonal, result.hausdorff_percent + 1e-9);  // the certified one bounds it
}

SimplifyResult simplified(const TriangleMesh& mesh, std::int64_t target, double max_percent = 1.5) {
  Report report;
  const SimplifyResult result = simplify(mesh, {target, max_percent}, report);
  EXPECT_EQ(report.warnings.empty(), result.reached);
  EXPECT_EQ(report.measures.at("simplified_triangles"), result.surface.triangles.size());
  return result;
}

TEST(Simplify, BoxToTwelveTrianglesWithItsCorners) {
  const Vec3 size(0.16, 0.21, 0.06);
  const TriangleMesh box = make_box(size, 12);
  const SimplifyResult result = simplified(box, 12);
  ASSERT_EQ(result.surface.triangles.size(), 12u);
  EXPECT_TRUE(result.reached);
  EXPECT_LT(result.hausdorff_percent, 0.051);  // the tolerance of the certificate
  for (const Vec3& v : result.surface.vertices) {
    for (int k = 0; k < 3; ++k) EXPECT_LT(std::min(std::abs(v[k]), std::abs(v[k] - size[k])), 1e-12);
  }
  expect_sound(box, result);
}

TEST(Simplify, SphereKeepsItsVolumeAndGoodTriangles) {
  const TriangleMesh sphere = make_sphere(0.05, 64);
  for (const int target : {2000, 500, 100}) {
    const SimplifyResult result = simplified(sphere, target, 3);
    EXPECT_EQ(result.surface.triangles.size(), static_cast<std::size_t>(target));
    expect_sound(sphere, result, 3);
    EXPECT_NEAR(volume(result.surface) / volume(sphere), 1, target == 100 ? 0.05 : 0.01) << target;
    EXPECT_GT(first_percentile_of_least_angles(result.surface), 15) << target;
  }
}

TEST(Simplify, TorusKeepsItsHoleToTheCoarsest) {
  const TriangleMesh torus = make_torus(0.1, 0.02, 80, 24);
  expect_sound(torus, simplified(torus, 300));
  // As coarse as it gets without a distance gate: the genus stands in the way.
  const SimplifyResult least = simplified(torus, 4, 30);
  EXPECT_FALSE(least.reached);
  EXPECT_GE(least.surface.triangles.size(), 14u);  // no torus has fewer
  EXPECT_LT(least.surface.triangles.size(), 60u);
  EXPECT_EQ(genus(least.surface), 1);
  EXPECT_TRUE(is_closed_and_oriented(least.surface));
  EXPECT_EQ(count_exact_intersections(least.surface), 0u);
}

TEST(Simplify, ThinWallsStayApart) {
  const TriangleMesh shell = make_shell(0.05, 0.001, 40), bowl = make_bowl(0.08, 0.001, 24);
  for (const TriangleMesh* mesh : {&shell, &bowl}) {
    for (const int target : {2000, 500}) {
      const SimplifyResult result = simplified(*mesh, target);
      expect_sound(*mesh, result);
      EXPECT_LE(result.surface.triangles.size(), 2 * static_cast<std::size_t>(target));
    }
  }
}

// A sheet ten micrometres thick cannot be coarsened much where it is curved: it stops, and says so.
TEST(Simplify, StopsWhereTheWallIsTooThin) {
  const TriangleMesh shell = make_shell(0.05, 1e-5, 40);
  Report report;
  const SimplifyResult result = simplify(shell, {100, 5}, report);
  expect_sound(shell, result, 5);
  EXPECT_FALSE(result.reached);
  EXPECT_NE(result.limit.find("thin wall"), std::string::npos) << result.limit;
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("instead of 100"), std::string::npos) << report.warnings[0];
}

TEST(Simplify, DistanceGateStopsIt) {
  const TriangleMesh sphere = make_sphere(0.05, 32);
  const SimplifyResult result = simplified(sphere, 20, 0.2);
  EXPECT_FALSE(result.reached);
  EXPECT_NE(result.limit.find("distance gate"), std::string::npos) << result.limit;
  expect_sound(sphere, result, 0.2);
}

TEST(Simplify, FarFromTheOriginAndInAnyUnit) {
  const TriangleMesh torus = make_torus(0.1, 0.02, 60, 20);
  for (const double scale : {1e-6, 1e3}) {
    TriangleMesh moved = torus;
    for (Vec3& v : moved.vertices) v = scale * (v + Vec3(50, -30, 20));
    const SimplifyResult result = simplified(moved, 400);
    EXPECT_TRUE(result.reached);
    expect_sound(moved, result);
  }
}

TEST(Simplify, SameBitsEveryTime) {
  const TriangleMesh torus = make_torus(0.1, 0.02, 60, 20);
  const SimplifyResult first = simplified(torus, 300), second = simplified(torus, 300);
  EXPECT_EQ(first.surface.triangles, second.surface.triangles);
  EXPECT_EQ(first.surface.vertices, second.surface.vertices);
}

TEST(Simplify, BadInput) {
  const TriangleMesh sphere = make_sphere(0.05, 8);
  Report report;
  for (const std::int64_t target : {-5, 0, 3}) {
    try {
      simplify(sphere, {target}, report);
      FAIL() << target;
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("at least 4"), std::string::npos) << error.what();
    }
  }
  const SimplifyResult same = simplified(sphere, 10'000'000);
  EXPECT_EQ(same.surface.triangles, sphere.triangles);
  EXPECT_EQ(same.surface.vertices, sphere.vertices);
  EXPECT_EQ(same.hausdorff_percent, 0);
  EXPECT_THROW(simplify(sphere, {100, 0}, report), InvalidInput);
  EXPECT_THROW(simplify(sphere, {100, std::nan("")}, report), InvalidInput);
  TriangleMesh open = sphere;
  open.triangles.pop_back();
  EXPECT_THROW(simplify(open, {100}, report), InvalidInput);
  TriangleMesh wild = sphere;
  wild.triangles[0][0] = 1'000'000;
  EXPECT_THROW(simplify(wild, {100}, report), InvalidInput);
  wild = sphere;
  wild.vertices[3].x() = std::nan("");
  EXPECT_THROW(simplify(wild, {100}, report), InvalidInput);
  EXPECT_THROW(simplify({}, {100}, report), InvalidInput);
}

class SimplifyYcb : public testing::TestWithParam<const char*> {};

TEST_P(SimplifyYcb, HoldsAtEveryLevel) {
  const std::filesystem::path file =
      std::filesystem::path(ABUT_SHARED_DIR) / "data/ycb" / GetParam() / "google_16k/textured.obj";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << file << " is missing: no reference data beside the project";
  Report report;
  const TriangleMesh closed = close_surface(read_mesh(file, 1, report), {}, report).surface;
  for (const int target : {500, 2000, 8000}) {
    const std::clock_t start = std::clock();
    const SimplifyResult result = simplified(closed, target);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_TRUE(result.reached) << result.limit;
    expect_sound(closed, result);
    EXPECT_LT(result.hausdorff_percent, target == 500 ? 1.5 : target == 2000 ? 0.9 : 0.5);
    EXPECT_GT(first_percentile_of_least_angles(result.surface), 5);
    EXPECT_NEAR(volume(result.surface) / volume(closed), 1, target == 500 ? 0.08 : 0.02);
    std::printf(
        "%5zu triangles: Hausdorff %.2f %%, volume %+.2f %%, least angles' 1st percentile %.1f degrees, %.2f "
        "s\n",
        result.surface.triangles.size(), result.hausdorff_percent,
        100 * (volume(result.surface) / volume(closed) - 1), first_percentile_of_least_angles(result.surface),
        seconds);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimplifyYcb,
                         testing::ValuesIn(test::fewer_if_fast<const char*>(
                             {"002_master_chef_can", "003_cracker_box", "004_sugar_box",
                              "005_tomato_soup_can", "006_mustard_bottle", "007_tuna_fish_can",
                              "009_gelatin_box", "010_potted_meat_can", "011_banana", "019_pitcher_base",
                              "025_mug", "035_power_drill", "036_wood_block", "051_large_clamp",
                              "061_foam_brick"})),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace abut::preprocess
