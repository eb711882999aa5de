#include "runtime/body/tetrahedra.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>

#include "runtime/body/primitive_distance.h"
#include "runtime/body/tessellation.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/support/primitives.h"

namespace {

using namespace abut;
using namespace abut::body;

std::vector<Primitive> shapes() {
  std::vector<Primitive> all = test::solid_primitives();
  all.insert(all.end(),
             {Box<double>{{0.02, 0.02, 0.05}}, Box<double>{{0.03, 0.03, 0.03}}, Cylinder<double>{0.02, 0.05},
              Cylinder<double>{0.03, 0.03}, Capsule<double>{0, 0.02}, Capsule<double>{1e-9, 0.02}});
  return all;
}

// Corners of tetrahedron t as columns.
Eigen::Matrix<double, 3, 4> corners(const asset::VolumeView& volume, int t) {
  Eigen::Matrix<double, 3, 4> x;
  for (int k = 0; k < 4; ++k)
    x.col(k) = Vec3<double>::Map(volume.vertices + 3 * volume.tetrahedra[4 * t + k]);
  return x;
}

double volume_of(const Eigen::Matrix<double, 3, 4>& x) {
  return (x.leftCols<3>().colwise() - x.col(3)).eval().determinant() / -6;
}

double volume_inside(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += mesh.vertices[a].cross(mesh.vertices[b]).dot(mesh.vertices[c]) / 6;
  return sum;
}

TEST(Tetrahedra, FillTheTriangles) {
  for (const Primitive& primitive : shapes()) {
    SCOPED_TRACE(row_of(primitive).name);
    const asset::Volume made = tetrahedralize(primitive, 0.01);
    const asset::VolumeView volume = asset::view(made);
    const TriangleMesh surface = triangulate(primitive, 0.01);
    double sum = 0;
    int open = 0;
    for (int t = 0; t < volume.tetrahedron_count; ++t) {
      const auto x = corners(volume, t);
      EXPECT_GT(volume_of(x), 0);
      sum += volume_of(x);
      const Vec3<double> gradient = Vec3<double>::Map(volume.gradients + 3 * t);
      for (int k = 0; k < 4; ++k) {
        const double at_k = volume.extent[volume.tetrahedra[4 * t + k]];
        EXPECT_NEAR(gradient.dot(x.col(k) - x.col(0)), at_k - volume.extent[volume.tetrahedra[4 * t]], 1e-6);
        if (volume.neighbours[4 * t + k] >= 0) continue;
        ++open;  // a face of the surface: the extent is 0 on it
        for (int j = 0; j < 4; ++j)
          if (j != k) {
            EXPECT_EQ(volume.extent[volume.tetrahedra[4 * t + j]], 0);
          }
      }
    }
    EXPECT_NEAR(sum, volume_inside(surface), 1e-12 * sum);
    EXPECT_EQ(static_cast<std::size_t>(open), surface.triangles.size());
  }
}

// The extent at a point, by the tetrahedron it lies in.
double extent_at(const asset::VolumeView& volume, const Vec3<double>& p) {
  for (int t = 0; t < volume.tetrahedron_count; ++t) {
    Eigen::Matrix4d M;
    M << corners(volume, t), Eigen::RowVector4d::Ones();
    const Eigen::Vector4d share = M.inverse() * p.homogeneous();
    if (share.minCoeff() < -1e-12) continue;
    double extent = 0;
    for (int k = 0; k < 4; ++k) extent += share[k] * volume.extent[volume.tetrahedra[4 * t + k]];
    return extent;
  }
  return 0;
}

// What the field of the solid itself is: of an ellipsoid 1 - |p / semi-axes|, else the depth over the
// greatest.
double field(const Primitive& primitive, const Vec3<double>& p) {
  if (const auto* e = std::get_if<Ellipsoid<double>>(&primitive))
    return 1 - p.cwiseQuotient(e->semi_axes).norm();
  const std::vector<double> s = sizes(primitive);
  double greatest = *std::min_element(s.begin(), s.end());
  if (std::holds_alternative<Capsule<double>>(primitive)) greatest = s[0];
  if (std::holds_alternative<Cone<double>>(primitive))
    greatest = 2 * s[0] * s[1] / (s[0] + std::hypot(s[0], 2 * s[1]));
  return -body::primitive_distance<double>(primitive, p, 0).value / greatest;
}

TEST(Tetrahedra, TheExtentIsTheShareOfTheGreatestDepth) {
  constexpr double kDeviation = 2e-3;
  for (const Primitive& primitive : shapes()) {
    SCOPED_TRACE(row_of(primitive).name);
    const asset::Volume made = tetrahedralize(primitive, kDeviation);
    const bool flat = std::holds_alternative<Box<double>>(primitive);
    Random random(5);
    int inside = 0;
    for (int i = 0; i < 20000 && inside < 30; ++i) {
      const Vec3<double> p(random.uniform(-0.04, 0.04), random.uniform(-0.04, 0.04),
                           random.uniform(-0.04, 0.04));
      const double expected = field(primitive, p);
      if (expected < 0.01) continue;
      ++inside;
      EXPECT_NEAR(extent_at(asset::view(made), p), expected, flat ? 1e-12 : 2 * kDeviation);
    }
    EXPECT_EQ(inside, 30);
  }
}

TEST(Tetrahedra, NeedASolid) {
  EXPECT_THROW(tetrahedralize(HalfSpace<double>{}, 0.01), InvalidInput);
  EXPECT_THROW(tetrahedralize(Sphere<double>{0.1}, 0.9), InvalidInput);
}

}  // namespace
