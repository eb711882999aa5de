#include "preprocess/pressure/extent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "preprocess/mesh/weld.h"
#include "preprocess/pressure/volume.h"
#include "preprocess/tetrahedralize/improve.h"
#include "preprocess/tetrahedralize/interior_points.h"
#include "preprocess/tetrahedralize/tetrahedralize.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/preprocess/tetrahedralize/shapes.h"

namespace {

using namespace abut::preprocess;
using Eigen::Vector3d;
constexpr double kPi = std::numbers::pi;

// Tetrahedra of about the surface's size all through the inside: what convergence is measured on.
TetrahedralMesh evenly_filled(const TriangleMesh& surface) {
  const LocalInradius inradius(surface);
  InteriorParameters interior;
  interior.core_fraction = 0.05;
  interior.first_layer = 0.7;
  interior.layer_growth = 0;
  interior.spacing_growth = 0;
  TetrahedralMesh mesh = tetrahedralize(surface, interior_points(surface, inradius, interior));
  improve(mesh);
  return mesh;
}

using Given = std::function<std::optional<double>(const Vector3d&)>;

// Laplace's equation with values on the surface where `given` has some, and free ends elsewhere.
ExtentField solved(const TetrahedralMesh& mesh, const Given& given) {
  std::vector<std::optional<double>> values(mesh.vertices.size());
  for (std::int32_t v = 0; v < mesh.surface_vertices; ++v) values[v] = given(mesh.vertices[v]);
  Report report;
  return with_gradients(mesh, solve_laplace(mesh, values, report));
}

// Root mean square error at the vertices inside.
double error(const TetrahedralMesh& mesh, const ExtentField& field,
             const std::function<double(const Vector3d&)>& exact) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t v = static_cast<std::size_t>(mesh.surface_vertices); v < mesh.vertices.size();
       ++v, ++count)
    sum += std::pow(field.extent[v] - exact(mesh.vertices[v]), 2);
  return std::sqrt(sum / static_cast<double>(count));
}

// Of the error in the edge length, tetrahedra^(-1/3): fitted over all meshes, since single steps scatter by
// what the meshes are.
struct Convergence {
  std::vector<double> log_edge, log_error;

  void add(const TetrahedralMesh& mesh, double wrong) {
    log_edge.push_back(-std::log(static_cast<double>(mesh.tetrahedra.size())) / 3);
    log_error.push_back(std::log(wrong));
  }
  double order() const {
    const auto count = static_cast<double>(log_edge.size());
    const double x = std::accumulate(log_edge.begin(), log_edge.end(), 0.0) / count,
                 y = std::accumulate(log_error.begin(), log_error.end(), 0.0) / count;
    double xx = 0, xy = 0;
    for (std::size_t i = 0; i < log_edge.size(); ++i) {
      xx += (log_edge[i] - x) * (log_edge[i] - x);
      xy += (log_edge[i] - x) * (log_error[i] - y);
    }
    return xy / xx;
  }
};

// The top of a box bent into a sinusoid, z = height + amplitude cos(k x).
TriangleMesh sinusoidal_slab(double amplitude, double k, int levels) {
  TriangleMesh mesh = shapes::box({1, 0.5, 0.5}, levels);
  for (Vector3d& v : mesh.vertices) v.z() += amplitude * std::cos(k * v.x()) * (v.z() + 0.5);
  return mesh;
}

TEST(SolveLaplace, ASlabIsExactOnAnyMesh) {
  for (const int levels : {1, 2}) {
    const TetrahedralMesh mesh = evenly_filled(shapes::box({1, 1, 0.2}, levels));
    const auto given = [](const Vector3d& p) -> std::optional<double> {
      if (std::abs(p.z()) < 0.2 - 1e-9) return std::nullopt;  // the sides are free
      return p.z() > 0 ? 1.0 : 0.0;
    };
    const ExtentField field = solved(mesh, given);
    EXPECT_LT(error(mesh, field, [](const Vector3d& p) { return (p.z() + 0.2) / 0.4; }), 1e-12);
    for (const Vector3d& g : field.gradients) EXPECT_LT((g - Vector3d(0, 0, 2.5)).norm(), 1e-10);
    EXPECT_NEAR(dirichlet_energy(mesh, field), 4 / 0.4, 1e-10);
  }
}

// Between two spheres, (1 / r - 1) for radii 1 and 1/2.
TEST(SolveLaplace, ASphericalShellConvergesAtSecondOrder) {
  Convergence convergence;
  double last = 0;
  for (const int levels : {1, 2, 3, 4}) {
    const TetrahedralMesh mesh = evenly_filled(shapes::spherical_shell(1, levels, 0.5, levels - 1));
    const ExtentField field =
        solved(mesh, [](const Vector3d& p) { return std::optional<double>(p.norm() < 0.75 ? 1 : 0); });
    last = error(mesh, field, [](const Vector3d& p) { return 1 / p.norm() - 1; });
    convergence.add(mesh, last);
    EXPECT_NEAR(dirichlet_energy(mesh, field) / (4 * kPi), 1, levels >= 3 ? 0.02 : 0.2);
  }
  EXPECT_LT(last, 0.003);
  std::printf("spherical shell: order %.2f\n", convergence.order());
  EXPECT_GT(convergence.order(), 1.85);
}

// Between two coaxial cylinders with free ends: 2 pi L / ln(b / a).
TEST(SolveLaplace, ACylinderShellConvergesAtSecondOrder) {
  const double exact = 2 * kPi * 0.6 / std::log(2);
  Convergence convergence;
  double last = 0;
  for (const double edge : {0.4, 0.2, 0.1}) {
    const TriangleMesh shell = shapes::revolved({{0.5, -0.3}, {1, -0.3}, {1, 0.3}, {0.5, 0.3}}, edge, true);
    const TetrahedralMesh mesh = evenly_filled(shell);
    const auto given = [](const Vector3d& p) -> std::optional<double> {
      const double r = std::hypot(p.x(), p.y());
      if (r > 0.5 + 1e-9 && r < 1 - 1e-9) return std::nullopt;
      return r < 0.75 ? 1.0 : 0.0;
    };
    last = std::abs(dirichlet_energy(mesh, solved(mesh, given)) / exact - 1);
    convergence.add(mesh, last);
  }
  EXPECT_LT(last, 0.005);
  std::printf("cylinder shell: order %.2f\n", convergence.order());
  EXPECT_GT(convergence.order(), 1.85);
}

// Over a sinusoidal surface with a known harmonic field, sinh(k z) cos(k x).
TEST(SolveLaplace, ASinusoidalSlabWithAKnownField) {
  const double k = 2;
  const auto exact = [&](const Vector3d& p) { return std::sinh(k * (p.z() + 0.5)) * std::cos(k * p.x()); };
  double previous = 0;
  for (const int levels : {2, 3}) {
    const TetrahedralMesh mesh = evenly_filled(sinusoidal_slab(0.15, 3, levels));
    const double wrong =
        error(mesh, solved(mesh, [&](const Vector3d& p) { return std::optional<double>(exact(p)); }), exact);
    if (previous > 0) {
      EXPECT_GT(previous / wrong, 2.8);
    }
    previous = wrong;
  }
  EXPECT_LT(previous, 0.03);  // of values up to 4
}

// A plane shape with a re-entrant corner, extruded, as in figure 2 of the paper: r^(2/3) sin(2 t / 3) is zero
// on both sides of the corner; top and bottom are free.
TEST(SolveLaplace, AnExtrudedCornerWithAKnownField) {
  TriangleMesh mesh_of;  // an L: [-1, 1]^2 without the quadrant x > 0, y < 0
  const double xy[8][2] = {{-1, -1}, {0, -1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}};
  for (const double z : {-0.25, 0.25})
    for (const auto& p : xy) mesh_of.vertices.emplace_back(p[0], p[1], z);
  const int quads[3][4] = {{0, 1, 2, 7}, {7, 2, 5, 6}, {2, 3, 4, 5}};
  for (const auto& q : quads)
    for (const Triangle& t : {Triangle{q[0], q[1], q[2]}, Triangle{q[0], q[2], q[3]}}) {
      mesh_of.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
      mesh_of.triangles.push_back({t[2], t[1], t[0]});
    }
  for (int i = 0; i < 8; ++i) {
    const int j = (i + 1) % 8;
    mesh_of.triangles.push_back({i, j, j + 8});
    mesh_of.triangles.push_back({i, j + 8, i + 8});
  }
  const auto exact = [](const Vector3d& p) {
    const double angle = std::atan2(p.y(), p.x());  // from the side y = 0, x > 0 to x = 0, y < 0
    return std::pow(std::hypot(p.x(), p.y()), 2.0 / 3) *
           std::sin(2.0 / 3 * (angle < -0.1 ? angle + 2 * kPi : std::max(angle, 0.0)));
  };
  const auto given = [&](const Vector3d& p) -> std::optional<double> {
    const bool side = std::abs(p.x()) > 1 - 1e-9 || std::abs(p.y()) > 1 - 1e-9 ||
                      (std::abs(p.y()) < 1e-9 && p.x() >= -1e-9) || (std::abs(p.x()) < 1e-9 && p.y() <= 1e-9);
    if (!side) return std::nullopt;
    return exact(p);
  };
  double previous = 0;
  TriangleMesh surface = shapes::refined(mesh_of);
  for (int level = 0; level < 2; ++level) {
    surface = shapes::refined(surface);
    const TetrahedralMesh mesh = evenly_filled(surface);
    const double wrong = error(mesh, solved(mesh, given), exact);
    if (previous > 0) {
      EXPECT_GT(previous / wrong, 1.8);  // the corner allows 2^(4/3)
    }
    previous = wrong;
  }
  EXPECT_LT(previous, 0.02);
}

TEST(SolveLaplace, KeepsTheMaximumPrincipleOnSlivers) {
  abut::Random random(1);
  std::size_t repaired = 0;
  for (int round = 0; round < 10; ++round) {
    const TriangleMesh box = shapes::box({1, 1, 0.1}, 1);
    std::vector<Vector3d> inside;
    for (int i = 0; i < 60; ++i)
      inside.emplace_back(random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), random.uniform(-0.09, 0.09));
    const TetrahedralMesh mesh = tetrahedralize(box, inside);
    std::vector<std::optional<double>> given(mesh.vertices.size());
    for (std::int32_t v = 0; v < mesh.surface_vertices; ++v) given[v] = 0;
    for (std::size_t v = static_cast<std::size_t>(mesh.surface_vertices); v < given.size(); v += 7)
      given[v] = 1;
    Report report;
    for (const double value : solve_laplace(mesh, given, report)) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, 1);
    }
    const double repairs = report.measures.at("extent_max_principle_repairs");
    EXPECT_TRUE(report.warnings.empty());  // a measure tells it: there is nothing to be done about it
    repaired += static_cast<std::size_t>(repairs);
  }
  EXPECT_GT(repaired, 0U);  // or the test tests nothing
}

TEST(SolveLaplace, RefusesAProblemWithoutValues) {
  const TetrahedralMesh mesh = tetrahedralize(shapes::box({1, 1, 1}), std::vector<Vector3d>{{0, 0, 0}});
  Report report;
  EXPECT_THROW((void)solve_laplace(mesh, std::vector<std::optional<double>>(9), report), abut::InvalidInput);
}

// The paper's cube: twelve tetrahedra from the faces to the centre, each with the gradient of its face.
TEST(ExtentField, TheCubeOfTwelveTetrahedra) {
  const TriangleMesh cube = shapes::box({0.5, 0.5, 0.5});
  const TetrahedralMesh mesh = tetrahedralize(cube, std::vector<Vector3d>{{0, 0, 0}});
  ASSERT_EQ(mesh.tetrahedra.size(), 12U);
  Report report;
  const ExtentField field = extent_field(mesh, LocalInradius(cube), {}, report);
  EXPECT_TRUE(report.warnings.empty());
  for (int v = 0; v < 8; ++v) EXPECT_EQ(field.extent[v], 0);
  EXPECT_EQ(field.extent[8], 1);
  for (const Vector3d& g : field.gradients) {
    EXPECT_NEAR(g.norm(), 2, 1e-12);
    EXPECT_NEAR(g.cwiseAbs().maxCoeff(), 2, 1e-12);
  }
}

// Two cubes, of which one has a vertex in its core and the other a shallow one alone: that one stands for the
// core.
TEST(ExtentField, EveryPartHasACore) {
  TriangleMesh cubes = shapes::box({0.5, 0.5, 0.5});
  TriangleMesh other = cubes;
  for (Vector3d& v : other.vertices) v.x() += 3;
  append_mesh(cubes, other);
  const TetrahedralMesh mesh = tetrahedralize(cubes, std::vector<Vector3d>{{0, 0, 0}, {3.45, 0, 0}});
  Report report;
  const ExtentField field = extent_field(mesh, LocalInradius(cubes), {}, report);
  for (std::size_t v = 0; v < field.extent.size(); ++v) EXPECT_EQ(field.extent[v], v < 16 ? 0 : 1) << v;
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0], "no vertex lies in the core of 1 of 2 parts: the deepest one stands for it");
}

// Two tetrahedra on one another, each cut into four about a vertex inside: no tetrahedron joins the two
// vertices, of which one is in the core and the other a little below the surface.
TEST(ExtentField, WhatTheSurfaceCutsOffFromTheCoreHasItsShareOfTheWay) {
  const double s = std::sqrt(0.75);
  TetrahedralMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-0.5, s, 0}, {-0.5, -s, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.surface_vertices = 5;
  const std::vector<Vector3d>& v = mesh.vertices;
  const Vector3d shallow = 0.1 * v[2] + 0.3 * (v[0] + v[1] + v[4]);
  mesh.vertices.emplace_back(0, 0, 0.15);
  mesh.vertices.push_back(shallow);
  mesh.tetrahedra = {{0, 1, 2, 5}, {0, 3, 1, 5}, {1, 3, 2, 5}, {2, 3, 0, 5},
                     {0, 2, 1, 6}, {0, 1, 4, 6}, {1, 2, 4, 6}, {2, 0, 4, 6}};
  TriangleMesh surface;
  surface.vertices.assign(v.begin(), v.begin() + 5);
  surface.triangles = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {1, 0, 4}, {2, 1, 4}, {0, 2, 4}};
  const LocalInradius inradius(surface);
  const LocalInradius::Foot foot = inradius.foot(shallow);
  const double share = foot.distance / (0.5 * inradius.inradius(shallow, foot));
  ASSERT_GT(share, 0.1);
  ASSERT_LT(share, kLeastCoreExtent);
  Report report;
  const ExtentField field = extent_field(mesh, inradius, {}, report);
  EXPECT_EQ(field.extent[5], 1);
  EXPECT_NEAR(field.extent[6], share, 1e-12);
  EXPECT_TRUE(report.warnings.empty());
}

// The points of the large part are coarser than the small one is wide.
TEST(ExtentField, ASmallPartBesideALargeOneHasACore) {
  TriangleMesh both = shapes::box({0.5, 0.5, 0.5}), small = shapes::box({1e-3, 1e-3, 1e-3});
  for (Vector3d& v : small.vertices) v.x() += 0.502;
  append_mesh(both, small);
  Report report;
  const MadeVolume made = make_volume(both, {}, report);
  double greatest = 0;
  for (std::size_t v = 0; v < made.mesh.vertices.size(); ++v)
    if (made.mesh.vertices[v].x() > 0.5005) greatest = std::max(greatest, made.field.extent[v]);
  EXPECT_GE(greatest, kLeastCoreExtent);
  for (const std::string& warning : report.warnings)
    EXPECT_EQ(warning.find("core"), std::string::npos) << warning;
}

// At a given share of the thickness the extent is the same in a thin plate and a thick one.
TEST(ExtentField, ThinPartsAreAsStiffPerThicknessAsThickOnes) {
  for (const double half : {0.1, 0.05}) {
    const TriangleMesh plate = shapes::box({1, 1, half}, 4);
    Report report;
    const MadeVolume made = make_volume(plate, {}, report);
    const LocalInradius inradius(plate);
    for (std::size_t v = static_cast<std::size_t>(made.mesh.surface_vertices); v < made.mesh.vertices.size();
         ++v) {
      const Vector3d& p = made.mesh.vertices[v];
      if (std::max(std::abs(p.x()), std::abs(p.y())) > 0.7) continue;
      EXPECT_NEAR(made.field.extent[v], std::min(1.0, 2 * inradius.depth(p) / half), 0.1) << p.transpose();
    }
  }
}

// The improvement of the dihedral angles leaves few vertices on the core's boundary: they are put back.
TEST(ExtentField, TheCoresBoundaryHasItsVertices) {
  const TriangleMesh ball = shapes::sphere(1, 3);
  Report report;
  const MadeVolume made = make_volume(ball, {}, report);
  std::size_t on = 0, beside = 0;
  for (std::size_t v = static_cast<std::size_t>(made.mesh.surface_vertices); v < made.mesh.vertices.size();
       ++v) {
    const double r = made.mesh.vertices[v].norm();
    if (std::abs(r - 0.5) < 0.02)
      ++on;
    else if (r > 0.4 && r < 0.6)
      ++beside;
  }
  EXPECT_GT(on, 40U);
  EXPECT_LT(beside, on / 10);
  EXPECT_GT(measure(made.mesh).min_dihedral, 14);
}

TEST(ExtentField, DistanceOverTheLargest) {
  const TriangleMesh cube = shapes::box({0.5, 0.5, 0.5}, 2);
  const LocalInradius inradius(cube);
  const TetrahedralMesh mesh = tetrahedralize(cube, std::vector<Vector3d>{{0, 0, 0}, {0.25, 0, 0}});
  ExtentParameters parameters;
  parameters.field = FieldKind::kDistance;
  Report report;
  const ExtentField field = extent_field(mesh, inradius, parameters, report);
  const std::size_t first = static_cast<std::size_t>(mesh.surface_vertices);
  EXPECT_NEAR(field.extent[first], 1, 1e-12);
  EXPECT_NEAR(field.extent[first + 1], 0.5, 1e-12);
}

TEST(ExtentField, RefusesACoreOfNoThickness) {
  const TriangleMesh cube = shapes::box({0.5, 0.5, 0.5});
  const TetrahedralMesh mesh = tetrahedralize(cube, std::vector<Vector3d>{{0, 0, 0}});
  Report report;
  for (const double fraction : {0.0, 1.0, -1.0, std::nan("")})
    EXPECT_THROW((void)extent_field(mesh, LocalInradius(cube), {FieldKind::kHarmonic, fraction}, report),
                 abut::InvalidInput);
}

double stiffness(const TriangleMesh& surface) {
  Report report;
  const MadeVolume made = make_volume(surface, {}, report);
  return dirichlet_energy(made.mesh, made.field);
}

// A ball with a core: 4 pi R c / (1 - c) = 4 pi R at c = 1/2. Some 1300, 7000 and 31000 tetrahedra.
TEST(ExtentField, TheBallsStiffnessConverges) {
  const double bound[] = {0.1, 0.02, 0.02};
  for (const int levels : {2, 3, 4}) {
    TriangleMesh ball = shapes::sphere(1, levels);
    const double scale = std::cbrt(4 * kPi / 3 / volume(ball));
    for (Vector3d& v : ball.vertices) v *= scale;
    EXPECT_NEAR(stiffness(ball) / (4 * kPi), 1, bound[levels - 2]) << levels;
  }
}

// A can of radius 1 and height 2.4: 19.93 by finite differences in the plane of radius and height (spacings
// 1/40 to 1/320, extrapolated; the core is r <= 1/2, |z| <= 0.7). Some 6200 and 21000 tetrahedra. The core's
// rim is singular, so that the error falls slowly.
TEST(ExtentField, TheCansStiffnessConverges) {
  const double coarse = stiffness(shapes::cylinder(1, 1.2, 0.21)),
               fine = stiffness(shapes::cylinder(1, 1.2, 0.12));
  EXPECT_NEAR(coarse / fine, 1, 0.04);
  EXPECT_NEAR(fine / 19.93, 1, 0.045);
}

}  // namespace
