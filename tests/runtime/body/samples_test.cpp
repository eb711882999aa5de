#include "runtime/body/samples.h"

#include <gtest/gtest.h>

#include "runtime/body/primitive_distance.h"
#include "runtime/body/tessellation.h"
#include "runtime/core/error.h"
#include "tests/support/primitives.h"

namespace {

using namespace abut;
using namespace abut::body;

double nearest_of(const asset::PointsView& points, const Vec3<double>& p) {
  double nearest = 1e300;
  for (int i = 0; i < points.point_count; ++i)
    nearest = std::min(nearest, (Vec3<double>(points.x[i], points.y[i], points.z[i]) - p).norm());
  return nearest;
}

TEST(Samples, LieEvenlyOnTheSurface) {
  for (const Primitive& primitive : test::solid_primitives()) {
    SCOPED_TRACE(row_of(primitive).name);
    const asset::OrientedPoints samples = sample_surface(primitive);
    const asset::PointsView points = asset::view(samples);
    EXPECT_GT(points.point_count, 0.8 * kSampleCount);
    EXPECT_LT(points.point_count, 1.5 * kSampleCount);
    double area = 0;
    for (int i = 0; i < points.point_count; ++i) {
      const Vec3<double> p(points.x[i], points.y[i], points.z[i]),
          n(points.nx[i], points.ny[i], points.nz[i]);
      EXPECT_NEAR(body::primitive_distance<double>(primitive, p, 0).value, 0, 1e-15);
      EXPECT_NEAR(n.norm(), 1, 1e-12);
      EXPECT_GT(body::primitive_distance<double>(primitive, p + 1e-4 * n, 0).value, 0);
      EXPECT_LT(nearest_of(points, {-p.x(), -p.y(), p.z()}), 1e-15);  // half a turn
      EXPECT_GT(points.areas[i], 0);
      area += points.areas[i];
    }
    EXPECT_NEAR(area, mass_properties(primitive).area, 1e-12 * area);
    const double reach = primitive.index() == 1 ? 2 : 1;  // those of the ellipsoid are stretched
    for (const Vec3<double>& v : triangulate(primitive, 0.01).vertices)
      EXPECT_LT(nearest_of(points, v), reach * points.spacing);
  }
}

TEST(Samples, HaveCornersRimsAndTips) {
  const auto has = [](const Primitive& primitive, const Vec3<double>& p) {
    const asset::OrientedPoints samples = sample_surface(primitive);
    EXPECT_LT(nearest_of(asset::view(samples), p), 1e-15) << row_of(primitive).name << " " << p.transpose();
  };
  for (const double z : {-0.03, 0.03}) {
    has(Box<double>{{0.02, 0.05, 0.03}}, {0.02, -0.05, z});
    has(Cylinder<double>{0.03, 0.04}, {0.04, 0, z});
    has(Capsule<double>{0.02, 0.01}, {0, 0, z});
    has(Cone<double>{0.03, 0.02}, z < 0 ? Vec3<double>(-0.02, 0, z) : Vec3<double>(0, 0, z));
  }
}

TEST(Samples, OfNeedlesAndPlatesAreFew) {
  for (const Primitive& primitive :
       {Primitive(Box<double>{{1, 1e-6, 1e-6}}), Primitive(Box<double>{{1, 1, 1e-9}}),
        Primitive(Capsule<double>{10, 1e-6}), Primitive(Cylinder<double>{1e-9, 1})})
    EXPECT_LT(asset::view(sample_surface(primitive)).point_count, 20000) << row_of(primitive).name;
  EXPECT_THROW(sample_surface(HalfSpace<double>{}), InvalidInput);
  EXPECT_THROW(sample_surface(Sphere<double>{-1}), InvalidInput);
}

}  // namespace
