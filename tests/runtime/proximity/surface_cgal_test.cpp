#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <gtest/gtest.h>

#include "runtime/bvh/overlap.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "tests/support/real_surfaces.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

// Distances of scanned surfaces of 16,000 triangles against CGAL with exact constructions.
namespace {

using namespace abut;
using asset::Surface;
using Exact = CGAL::Exact_predicates_exact_constructions_kernel;

constexpr const char* kObjects[] = {"025_mug",
                                    "011_banana",
                                    "035_power_drill",
                                    "051_large_clamp",
                                    "019_pitcher_base",
                                    "003_cracker_box",
                                    "002_master_chef_can",
                                    "004_sugar_box",
                                    "005_tomato_soup_can",
                                    "006_mustard_bottle",
                                    "007_tuna_fish_can",
                                    "009_gelatin_box",
                                    "010_potted_meat_can",
                                    "036_wood_block",
                                    "061_foam_brick"};

// Triangles in A's frame with balls about them, and one about all.
struct Posed {
  std::vector<distance::Triangle<double>> triangles;
  std::vector<Vec3<double>> center;
  std::vector<double> radius;  // m
  Vec3<double> middle = Vec3<double>::Zero();
  double reach = 0;  // m

  Posed(const Surface& surface, const Pose<double>& X) {
    for (std::size_t t = 0; t < surface.triangles.size() / 3; ++t) {
      distance::Triangle<double> corners =
          distance::internal::triangle_of<double>(view(surface), static_cast<std::int32_t>(t));
      for (Vec3<double>& v : corners) v = X * v;
      triangles.push_back(corners);
      center.emplace_back((corners[0] + corners[1] + corners[2]) / 3);
      radius.push_back(0);
      for (const Vec3<double>& v : corners)
        radius.back() = std::max(radius.back(), (v - center.back()).norm());
    }
    for (const Vec3<double>& c : center) middle += c / static_cast<double>(center.size());
    for (std::size_t t = 0; t < center.size(); ++t)
      reach = std::max(reach, (center[t] - middle).norm() + radius[t]);
  }

  // Those that may be within `limit` (m) of the other.
  std::vector<std::size_t> near(const Posed& other, double limit) const {
    std::vector<std::size_t> found;
    for (std::size_t t = 0; t < center.size(); ++t)
      if ((center[t] - other.middle).norm() <= limit + radius[t] + other.reach) found.push_back(t);
    return found;
  }
};

// Least distance along n, a bound of the distance whatever n is.
double gap_along(const Vec3<double>& n, const distance::Triangle<double>& a,
                 const distance::Triangle<double>& b) {
  return std::min({n.dot(b[0]), n.dot(b[1]), n.dot(b[2])}) -
         std::max({n.dot(a[0]), n.dot(a[1]), n.dot(a[2])});
}

// Of all pairs of triangles that neither their balls nor a plane across n hold farther apart than `distance`
// (m); infinite if there is none.
double exact_distance(const Posed& A, const Posed& B, const Vec3<double>& n, double distance, int& measured) {
  const auto exact = [](const distance::Triangle<double>& t) {
    const auto point = [](const Vec3<double>& v) { return Exact::Point_3(v.x(), v.y(), v.z()); };
    return Exact::Triangle_3(point(t[0]), point(t[1]), point(t[2]));
  };
  const double limit = distance + 1e-12;
  double least2 = std::numeric_limits<double>::infinity();
  const std::vector<std::size_t> near_B = B.near(A, limit);
  for (const std::size_t a : A.near(B, limit))
    for (const std::size_t b : near_B) {
      const double reach = limit + A.radius[a] + B.radius[b];
      if ((B.center[b] - A.center[a]).squaredNorm() > reach * reach) continue;
      if (gap_along(n, A.triangles[a], B.triangles[b]) > limit) continue;
      ++measured;
      const auto distance2 = CGAL::squared_distance(exact(A.triangles[a]), exact(B.triangles[b]));
      least2 = std::min(least2, CGAL::to_double(CGAL::exact(distance2)));
    }
  return std::sqrt(least2);
}

TEST(SurfaceBesideCgal, DistanceIsTheExactOne) {
  const int pairs = test::runs(30, 34);  // 1,020 in the full tier
  const std::uint64_t objects = test::runs(3, 5);
  int apart = 0, measured = 0;
  double worst = 0;
  for (int i = 0; apart < pairs; ++i) {
    Random random(91, i);
    const Surface *A = test::scanned_surface(kObjects[random.below(objects)]),
                  *B = test::scanned_surface(kObjects[random.below(objects)]);
    if (A == nullptr || B == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const auto vector = [&] { return Vec3<double>(random.normal(), random.normal(), random.normal()); };
    // From far along the way to a gap of a micrometre to a decimetre, which may bring other parts nearer.
    Pose<double> X{exp_rotation<double>(vector()), 0.5 * vector().normalized()};
    const auto far = test::ask(*A, *B, X).witness;
    X.p += (std::pow(10, random.uniform(-6, -1)) - far.distance) * far.n;
    const auto w = test::ask(*A, *B, X).witness;
    if (!(w.distance > 0)) continue;
    ++apart;
    const double exact = exact_distance({*A, {}}, {*B, X}, w.n, w.distance, measured);
    const double size = bvh::ball_of(view(*A).tree).radius + bvh::ball_of(view(*B).tree).radius;
    worst = test::worst_of(worst, std::abs(w.distance - exact) / size);
    ASSERT_NEAR(w.distance, exact, 1e-12 * size) << i;
    ASSERT_EQ(w.status, Status::kOk) << i;
    ASSERT_LE(w.lower_bound, exact) << i;
    ASSERT_GE(w.upper_bound, exact) << i;
  }
  RecordProperty("worst_error_of_the_size", std::to_string(worst * 1e15) + "e-15");
  RecordProperty("exact_pairs_of_triangles", measured);
}

}  // namespace
