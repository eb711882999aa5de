// Triangles of primitives by themselves, and pressed as rigid bodies into a cube, whose pressure grows
// linearly under its face: Archimedes.
#include "runtime/body/tessellation.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "runtime/contact/pressure_field.h"
#include "runtime/core/error.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/primitives.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using body::tessellate;

constexpr double kHalfSide = 0.05, kModulus = 2e6;

// Force on a body whose lowest point is `depth` below the cube's top, turned by R about its own centre, at
// the height `centre` above that point.
Vec6<double> pressed(const body::Primitive& shape, double deviation, const Mat3<double>& R, double centre,
                     double depth) {
  static const asset::Asset cube = test::convex_asset(test::box_hull({kHalfSide, kHalfSide, kHalfSide}));
  const body::Body A = test::body_of(cube, {.modulus = kModulus}),
                   B{body::Geometry(shape, deviation), {.modulus = body::kRigid}};
  const Pose<double> X_AB{R, {0, 0, kHalfSide - depth + centre}};
  return shift_wrench<double>(X_AB, contact::contact_wrench("pressure_field", {&A, &B, X_AB}).F_BBo_B);
}

// Upward force of this volume below the face.
double lifted(double volume) { return kModulus / kHalfSide * volume; }

TEST(Tessellation, PressesByTheVolumeThatItDisplaces) {
  const double r = 0.01, depth = 0.003, deviation = 1e-3;
  const Mat3<double> upright = Mat3<double>::Identity();
  const Mat3<double> lying = exp_rotation<double>({std::numbers::pi / 2, 0, 0});
  const Mat3<double> on_its_tip = exp_rotation<double>({std::numbers::pi, 0, 0});
  const double cap = std::numbers::pi * depth * depth * (3 * r - depth) / 3;
  const double segment = r * r * std::acos(1 - depth / r) - (r - depth) * std::sqrt(depth * (2 * r - depth));
  const double tip = std::numbers::pi * std::pow(r * depth / 0.04, 2) * depth / 3;
  EXPECT_NEAR(pressed(body::Box<double>{{0.01, 0.012, 0.02}}, deviation, upright, 0.02, depth)[5],
              lifted(4 * 0.01 * 0.012 * depth), 1e-10 * lifted(4 * 0.01 * 0.012 * depth));
  for (const double scale : {1.0, 0.25}) {
    // Triangles to either side of the surface: errors cancel to a part of the deviation over the depth.
    const double tolerance = scale * deviation * r / depth;
    const auto expect = [&](const body::Primitive& shape, const Mat3<double>& R, double centre, double volume,
                            double within) {
      const double lift = pressed(shape, scale * deviation, R, centre, depth)[5];
      EXPECT_NEAR(lift, lifted(volume), within * lifted(volume)) << row_of(shape).name;
    };
    expect(body::Sphere<double>{r}, upright, r, cap, tolerance);
    expect(body::Capsule<double>{0, r}, upright, r, cap, tolerance);
    expect(body::Capsule<double>{0.02, r}, upright, r + 0.02, cap, tolerance);
    expect(body::Ellipsoid<double>{{2 * r, 1.5 * r, r}}, upright, r, 3 * cap, tolerance);
    expect(body::Cylinder<double>{0.02, r}, lying, r, 0.04 * segment, 2 * tolerance);
    expect(body::Cylinder<double>{0.02, r}, upright, 0.02, std::numbers::pi * r * r * depth, tolerance);
    expect(body::Cone<double>{0.02, r}, on_its_tip, 0.02, tip, scale * deviation);
  }
}

TEST(Tessellation, SurfacesAreWithinTheDeviation) {
  const double r = 0.02, deviation = 1e-2;
  for (const double half_length : {0.0, 0.03}) {
    const asset::Surface made = tessellate(body::Capsule<double>{half_length, r}, deviation);
    const asset::SurfaceView surface = asset::view(made);
    double volume = 0, worst = 0;
    for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
      const std::array<Vec3<double>, 3> p = test::corners(surface, t);
      volume += test::volume_under(p);
      const Vec3<double> centre = (p[0] + p[1] + p[2]) / 3;
      for (const Vec3<double>& x : {p[0], p[1], p[2], centre}) {
        const Vec3<double> axis(0, 0, std::clamp(x.z(), -half_length, half_length));
        worst = test::worst_of(worst, std::abs((x - axis).norm() - r));
      }
    }
    EXPECT_LE(worst, 0.5001 * deviation * r);
    const double exact = std::numbers::pi * r * r * (4 * r / 3 + 2 * half_length);
    EXPECT_NEAR(volume, exact, 0.02 * exact);  // positive: outward all over
  }
}

// Every edge once in either direction, no triangle without area, and the tree has them all.
TEST(Tessellation, SurfacesAreClosed) {
  for (const body::Primitive& primitive : test::solid_primitives())
    for (const double deviation : {body::kGreatestDeviation, 0.1, 1e-3}) {
      SCOPED_TRACE(std::string(row_of(primitive).name) + " " + std::to_string(deviation));
      const asset::Surface surface = tessellate(primitive, deviation);
      std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
      for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
        Vec3<double> p[3];
        for (std::size_t k = 0; k < 3; ++k) {
          ++edges[{surface.triangles[t + k], surface.triangles[t + (k + 1) % 3]}];
          p[k] = Vec3<double>::Map(&surface.vertices[3 * static_cast<std::size_t>(surface.triangles[t + k])]);
        }
        EXPECT_GT((p[1] - p[0]).cross(p[2] - p[0]).norm(), 0);
      }
      for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1);
        EXPECT_TRUE(edges.contains({edge.second, edge.first}));
      }
      const auto vertices = static_cast<std::int64_t>(surface.vertices.size() / 3),
                 triangles = static_cast<std::int64_t>(surface.triangles.size() / 3);
      EXPECT_EQ(2 * vertices - triangles, 4);  // Euler: a sphere
      std::int64_t in_leaves = 0;
      for (const std::int32_t count : surface.tree.counts) in_leaves += std::max(count, 0);
      EXPECT_EQ(in_leaves, triangles);
    }
}

TEST(Tessellation, WhatHasNoneIsRefused) {
  for (const body::Primitive& bad :
       {body::Primitive(body::Box<double>{{0.1, 0, 0.1}}), body::Primitive(body::Capsule<double>{0, 0}),
        body::Primitive(body::Capsule<double>{-1, 0.1}), body::Primitive(body::Cylinder<double>{0, 0.1}),
        body::Primitive(body::HalfSpace<double>{})})
    EXPECT_THROW(tessellate(bad, 1e-3), InvalidInput);
  for (const double bad : {0.0, -1e-3, body::kLeastDeviation / 2, 0.6, std::nan("")})
    for (const body::Primitive& primitive : test::solid_primitives())
      EXPECT_THROW(tessellate(primitive, bad), InvalidInput);
}

}  // namespace
