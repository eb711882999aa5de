#include "runtime/distance/triangle_point.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/core/random.h"

namespace {

using abut::Random;
using abut::Vec3;
using abut::distance::closest_on_triangle;
using abut::distance::Feature;
using abut::distance::TrianglePoint;
using Long = Vec3<long double>;

long double distance_to_segment(const Long& a, const Long& b, const Long& p) {
  const Long e = b - a;
  const long double length2 = e.squaredNorm();
  const long double t = length2 > 0 ? std::clamp((p - a).dot(e) / length2, 0.0L, 1.0L) : 0.0L;
  return (p - a - t * e).norm();
}

// Oracle: the distance to the slice parallel to bc at height s is convex in s; ternary search, then the three
// edges.
long double brute_force(const Long& a, const Long& b, const Long& c, const Long& p) {
  const auto slice = [&](long double s) { return distance_to_segment(a + s * (b - a), a + s * (c - a), p); };
  long double lo = 0, hi = 1;
  for (int i = 0; i < 150; ++i) {
    const long double s = lo + (hi - lo) / 3, t = hi - (hi - lo) / 3;
    (slice(s) < slice(t) ? hi : lo) = slice(s) < slice(t) ? t : s;
  }
  return std::min(
      {slice(lo), distance_to_segment(a, b, p), distance_to_segment(b, c, p), distance_to_segment(c, a, p)});
}

struct Sample {
  Vec3<double> a, b, c, p;
};

// Triangles of every shape: ordinary, needles, caps, collapsed; query points near, in the plane and far.
Sample draw(int i) {
  Random random(21, i);
  const auto vector = [&](double size) {
    return Vec3<double>(size * random.normal(), size * random.normal(), size * random.normal());
  };
  Sample s{vector(1), vector(1), vector(1), {}};
  const double thin = i % 5 < 2 ? 1 : std::pow(10, -random.uniform(1, 18));
  if (i % 5 == 2) s.b = s.a + thin * vector(1);                                                  // needle
  if (i % 5 == 3) s.c = s.a + random.uniform() * (s.b - s.a) + thin * vector(1);                 // cap
  if (i % 5 == 4) s.a = s.b + random.uniform(-1, 2) * (s.c - s.b) + (i % 2) * thin * vector(1);  // any order
  if (i % 35 == 0) s.c = s.a;
  if (i % 70 == 0) s.b = s.a;
  const double u = random.uniform(-0.5, 1.2), v = random.uniform(-0.5, 1.2);
  s.p = s.a + u * (s.b - s.a) + v * (s.c - s.a) + vector(std::pow(10, random.uniform(-6, 2)));
  return s;
}

TEST(ClosestOnTriangle, AgreesWithBruteForceOnEveryShape) {
  for (int i = 0; i < 20000; ++i) {
    const auto [a, b, c, p] = draw(i);
    const TrianglePoint<double> found = closest_on_triangle<double>(a, b, c, p);
    const Long q = found.closest.cast<long double>();
    const long double expected = brute_force(a.cast<long double>(), b.cast<long double>(),
                                             c.cast<long double>(), p.cast<long double>());
    // Rounding is that of coordinates relative to the triangle.
    const double reach = (p - a).norm() + (b - a).norm() + (c - a).norm();
    ASSERT_NEAR(std::sqrt(found.distance2), static_cast<double>(expected), 1e-15 * reach + 1e-12 * expected)
        << i;
    ASSERT_LT((found.residual - (p - found.closest)).norm(), 4e-16 * (reach + a.norm() + p.norm())) << i;
    // The answer is a point of the triangle.
    ASSERT_LT(brute_force(a.cast<long double>(), b.cast<long double>(), c.cast<long double>(), q),
              1e-15 * (reach + a.norm()))
        << i;
  }
}

TEST(ClosestOnTriangle, SingleAndExtendedPrecision) {
  for (int i = 0; i < 5000; ++i) {
    const auto [a, b, c, p] = draw(i);
    const Long la = a.cast<long double>(), lb = b.cast<long double>(), lc = c.cast<long double>(),
               lp = p.cast<long double>();
    const double reach = (p - a).norm() + (b - a).norm() + (c - a).norm();
    const long double expected = brute_force(la, lb, lc, lp);
    ASSERT_NEAR(std::sqrt(closest_on_triangle<long double>(la, lb, lc, lp).distance2), expected,
                1e-18L * reach + 1e-13L * expected)
        << i;
    const auto single =
        closest_on_triangle<float>(a.cast<float>(), b.cast<float>(), c.cast<float>(), p.cast<float>());
    ASSERT_NEAR(std::sqrt(single.distance2), static_cast<double>(expected),
                1e-6 * (reach + a.norm() + p.norm()))
        << i;
  }
}

TEST(ClosestOnTriangle, NamesTheFeature) {
  const Vec3<double> a(0, 0, 0), b(2, 0, 0), c(0, 2, 0);
  const auto feature = [&](double x, double y, double z) {
    return closest_on_triangle<double>(a, b, c, {x, y, z}).feature;
  };
  for (const double z : {0.0, 1e-9, -3.0}) {
    EXPECT_EQ(feature(0.5, 0.5, z), Feature::kFace);
    EXPECT_EQ(feature(0.5, -0.1, z), Feature::kEdge0);
    EXPECT_EQ(feature(1.5, 1.5, z), Feature::kEdge1);
    EXPECT_EQ(feature(-3, 1, z), Feature::kEdge2);
    EXPECT_EQ(feature(-1, -1, z), Feature::kVertex0);
    EXPECT_EQ(feature(3, 0.5, z), Feature::kVertex1);
    EXPECT_EQ(feature(0.5, 3, z), Feature::kVertex2);
    EXPECT_EQ(feature(1, 0, z), Feature::kEdge0);
    EXPECT_EQ(feature(2, 0, z), Feature::kVertex1);
  }
}

TEST(ClosestOnTriangle, NaNFindsNothing) {
  const Vec3<double> a(0, 0, 0), b(2, 0, 0), c(0, 2, 0);
  const double nan = std::nan("");
  EXPECT_TRUE(std::isinf(closest_on_triangle<double>(a, b, c, {nan, 0, 0}).distance2));
  EXPECT_TRUE(std::isinf(closest_on_triangle<double>(a, {nan, nan, nan}, c, {nan, 0, 1}).distance2));
}

}  // namespace
