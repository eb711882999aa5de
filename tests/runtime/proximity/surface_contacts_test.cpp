#include "runtime/proximity/surface_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "preprocess/index/index.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/distance/surface_pair.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/proximity/surface_smoothed.h"
#include "tests/support/runs.h"
#include "tests/support/shapes.h"

// Contact regions and the form that is smooth across them.
namespace {

using namespace abut;
using asset::Surface;
using proximity::SmoothedSurface;

const Surface& hoop() {
  static const Surface surface = preprocess::build_surface(test::torus(1, 0.3, 20, 9));
  return surface;
}
const Surface& plate() {
  static const Surface surface = preprocess::build_surface(test::box(3.1, 0.1, 0.2));
  return surface;
}

// Two teeth on a back, 3 cm high about z = 0.
Surface comb() {
  const double xs[] = {0, 0.02, 0.08, 0.1}, ys[] = {0, 0.02, 0.09}, zs[] = {-0.015, 0.015};
  const std::set<std::array<int, 3>> cells = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {2, 1, 0}};
  preprocess::TriangleMesh mesh;
  std::map<std::array<int, 3>, std::int32_t> vertices;
  const auto vertex = [&](std::array<int, 3> at) {
    const auto [place, added] = vertices.try_emplace(at, static_cast<std::int32_t>(mesh.vertices.size()));
    if (added) mesh.vertices.emplace_back(xs[at[0]], ys[at[1]], zs[at[2]]);
    return place->second;
  };
  for (const std::array<int, 3>& cell : cells)
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        std::array<int, 3> beside = cell;
        beside[axis] += side == 1 ? 1 : -1;
        if (cells.contains(beside)) continue;
        std::int32_t corner[4];
        for (int k = 0; k < 4; ++k) {
          std::array<int, 3> at = cell;
          at[axis] += side;
          at[(axis + 1) % 3] += k == 1 || k == 2;
          at[(axis + 2) % 3] += k >= 2;
          corner[side == 1 ? k : 3 - k] = vertex(at);
        }
        mesh.triangles.push_back({corner[0], corner[1], corner[2]});
        mesh.triangles.push_back({corner[0], corner[2], corner[3]});
      }
  return preprocess::build_surface(mesh);
}

// A bar across the hoop: it is near on two sides.
Pose<double> across(double height) {
  Pose<double> X;
  X.R = exp_rotation<double>({0.02, 0.01, 0.1});
  X.p = {0.01, 0.02, height};
  return X;
}

// One pair too many, the farthest, which often is measured after all others.
TEST(SurfaceContacts, TheNearestPairsRemainWhereTheyAreTooMany) {
  const asset::SurfaceView A = view(hoop()), B = view(plate());
  std::vector<distance::NearPair> all, found;
  std::vector<double> distances;
  distance::near_triangles(A, B, across(0.5), 0.6, 1 << 16, all);
  for (const distance::NearPair& pair : all) distances.push_back(std::sqrt(pair.pair.distance2));
  std::sort(distances.begin(), distances.end());
  for (std::size_t i = 100; i < distances.size(); ++i) {
    if (distances[i] - distances[i - 1] < 1e-9) continue;
    const double asked = distances[i] * (1 + 1e-12);
    const double reach = distance::near_triangles(A, B, across(0.5), asked, i, found);
    ASSERT_GT(reach, 0) << i;
    EXPECT_LT(reach, asked);
    EXPECT_GE(found.size(), i / 2);
    EXPECT_LE(found.size(), i);
  }
}

TEST(SurfaceContacts, OneOfEachRegionWithinTheMargin) {
  proximity::ContactFinder find;
  const auto found = find(view(hoop()), view(plate()), across(0.5), 0.2);
  ASSERT_EQ(found.contacts.size(), 2u);
  EXPECT_EQ(found.margin, 0.2);
  EXPECT_LT(found.contacts[0].found.witness.distance, found.contacts[1].found.witness.distance);
  EXPECT_LT(found.contacts[0].found.witness.p1.x() * found.contacts[1].found.witness.p1.x(), 0);
  proximity::SurfaceScratch scratch;
  EXPECT_EQ(
      found.contacts[0].found.witness.distance,
      proximity::surface_separation(view(hoop()), view(plate()), across(0.5), scratch).witness.distance);
  EXPECT_EQ(find(view(hoop()), view(plate()), across(0.5), 0.05).contacts.size(), 0u);
  EXPECT_EQ(find(view(hoop()), view(plate()), across(0.5), 0).contacts.size(), 0u);
}

TEST(SurfaceContacts, RegionsThatOverlapHaveTheirDepths) {
  proximity::ContactFinder find;
  const auto found = find(view(hoop()), view(plate()), across(0.36), 0.01);
  ASSERT_EQ(found.contacts.size(), 2u);
  proximity::SurfaceScratch scratch;
  const double deepest =
      proximity::surface_separation(view(hoop()), view(plate()), across(0.36), scratch).witness.distance;
  EXPECT_LT(deepest, 0);
  EXPECT_NEAR(found.contacts[0].found.witness.distance, deepest, 1e-6);
  EXPECT_LT(found.contacts[1].found.witness.distance, 0);
}

TEST(SurfaceContacts, FeaturesStayAndAreExchangedWithTheBodies) {
  proximity::ContactFinder find;
  const auto features = [&](const Surface& A, const Surface& B, const Pose<double>& X) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    for (const auto& contact : find(view(A), view(B), X, 0.2).contacts)
      result.emplace_back(contact.feature_A, contact.feature_B);
    return result;
  };
  const auto at = features(hoop(), plate(), across(0.5));
  EXPECT_EQ(features(hoop(), plate(), across(0.5 + 1e-7)), at);
  auto exchanged = features(plate(), hoop(), across(0.5).inverse());
  for (auto& [a, b] : exchanged) std::swap(a, b);
  EXPECT_EQ(exchanged, at);
}

// A bar across two teeth, flush with them: of each region's pairs some cross and some only touch.
TEST(SurfaceContacts, RegionsWithFlushFacesHaveTheirDepths) {
  const auto bar = preprocess::build_surface(test::box(0.2, 0.02, 0.03)), hook = comb();
  proximity::ContactFinder find;
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    Pose<double> flush{exp_rotation<double>({0, 0, random.uniform(-0.5, 0.5)}),
                       {random.uniform(-0.01, 0.01), random.uniform(0.02, 0.05), 0}};
    Pose<double> lifted = flush;
    lifted.p.z() = 1e-8;
    const auto depths = [&](const Surface& A, const Surface& B, const Pose<double>& X_AB) {
      std::vector<double> result;
      for (const auto& contact : find(view(A), view(B), X_AB, 0).contacts)
        if (contact.found.witness.distance < -1e-6) result.push_back(contact.found.witness.distance);
      return result;
    };
    const auto expected = depths(hook, bar, lifted);
    for (const auto& found : {depths(hook, bar, flush), depths(bar, hook, flush.inverse())}) {
      ASSERT_EQ(found.size(), expected.size()) << i;
      for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-6) << i;
    }
  }
}

TEST(SurfaceContacts, OneBodyWithinTheOtherIsAContact) {
  const Surface large = preprocess::build_surface(test::box(2, 2, 2)),
                small = preprocess::build_surface(test::box(0.2, 0.2, 0.2));
  proximity::ContactFinder find;
  Pose<double> X;
  X.p = {0.1, 0.2, 0.3};
  const auto found = find(view(large), view(small), X, 0.01);
  ASSERT_EQ(found.contacts.size(), 1u);
  EXPECT_NEAR(found.contacts[0].found.witness.distance, -0.8, 1e-6);
}

// Points that face each other through the inside of a body: of a small one close below a large one's face,
// and of a plate's far side from a body above it.
TEST(SurfaceContacts, WhatFacesThroughTheInsideIsNoContact) {
  const Surface cube = preprocess::build_surface(test::box(1, 1, 1)),
                small = preprocess::build_surface(test::box(0.2, 0.2, 0.2)),
                flat = preprocess::build_surface(test::box(1, 1, 0.02));
  proximity::ContactFinder find;
  const Pose<double> inside{Mat3<double>::Identity(), {0.3995, 0.05, 0.02}},
      above{Mat3<double>::Identity(), {0.05, 0.02, 0.115}};
  const auto expect_one = [&](const Surface& A, const Surface& B, const Pose<double>& X_AB, double margin,
                              double distance) {
    for (const bool exchanged : {false, true}) {
      const auto found =
          exchanged ? find(view(B), view(A), X_AB.inverse(), margin) : find(view(A), view(B), X_AB, margin);
      ASSERT_EQ(found.contacts.size(), 1u) << exchanged;
      EXPECT_NEAR(found.contacts[0].found.witness.distance, distance, 1e-6) << exchanged;
    }
  };
  expect_one(cube, small, inside, 1e-2, -0.2005);
  expect_one(flat, small, above, 0.05, 0.005);
}

// Of the vertices of either surface inside the other, m; 0: none.
double deepest_vertex(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB) {
  double deepest = 0;
  const auto look = [&](const asset::SurfaceView& of, const asset::SurfaceView& within,
                        const Pose<double>& X_WO) {
    for (int t = 0; t < of.triangle_count; ++t)
      for (int k = 0; k < 3; ++k) {
        const Vec3<double> x = X_WO * distance::internal::corner<double>(of, t, k);
        deepest = std::max(deepest, -distance::signed_distance<double>(within, x).distance);
      }
  };
  look(A, B, X_AB.inverse());
  look(B, A, X_AB);
  return deepest;
}

// More pairs of triangles within the margin than there is memory for: what was not asked for stays invalid.
TEST(SurfaceContacts, DerivativesThatAreNaNSayInvalidInput) {
  asset::Asset asset;
  asset.surfaces.push_back(preprocess::build_surface(test::subdivided(test::box(0.1, 0.1, 0.1), 3)));
  const body::Body A{body::Geometry(std::move(asset))};
  const auto model = proximity::make_distance_model("surface");
  for (const bool derivatives : {false, true}) {
    const auto found = model->contacts({&A, &A, {Mat3<double>::Identity(), {0.2, 0, 0}}}, 1, derivatives);
    ASSERT_FALSE(found.empty());
    for (const proximity::Contact& contact : found) {
      EXPECT_EQ(contact.pair.witness.status, Status::kNotConverged);
      EXPECT_EQ(contact.pair.derivative.status, derivatives ? Status::kNotConverged : Status::kInvalidInput);
      EXPECT_EQ(contact.pair.derivative.dn_A_dxi_B.allFinite(), derivatives);
    }
  }
}

// Apart to the distance, from below; in overlap to less the depth of the deepest vertex.
TEST(SurfaceSmoothed, TendsToTheDistanceOrTheDeepestVertex) {
  proximity::SurfaceSmoother smooth;
  for (const double height : {0.5, 0.36, 0.3, 0.2}) {
    double last = std::numeric_limits<double>::infinity();
    for (const double temperature : {1e-2, 1e-3, 1e-4}) {
      const SmoothedSurface s = smooth(view(hoop()), view(plate()), across(height), temperature);
      const bool apart = s.pair.exact.distance > 0;
      const double limit =
          apart ? s.pair.exact.distance : -deepest_vertex(view(hoop()), view(plate()), across(height));
      const double less = limit - s.pair.smoothed.distance;
      EXPECT_GE(less, 0) << height;
      EXPECT_LE(less, temperature * std::log(static_cast<double>(s.terms)) + 1e-12) << height;
      EXPECT_LT(less, last) << height;
      last = less + 1e-12;
    }
  }
}

// The nearest region changes from one side to the other as the bar tilts.
TEST(SurfaceSmoothed, DoesNotJumpWhereTheNearestRegionChanges) {
  constexpr double kTemperature = 2e-3, kStep = 1e-9;
  proximity::SurfaceSmoother smooth;
  proximity::SurfaceScratch scratch;
  const int paths = test::runs(4, 250);
  for (int path = 0; path < paths; ++path) {
    Random random(7, path);
    Vec6<double> xi;
    for (int k = 0; k < 6; ++k) xi[k] = 0.01 * random.normal();
    const Pose<double> X0 = across(path % 4 == 0 ? 0.385 : 0.5) * exp(xi);
    const auto posed = [&](double angle) {
      return X0 * Pose<double>{exp_rotation<double>({0, angle, 0}), Vec3<double>::Zero()};
    };
    const auto side = [&](double angle) {
      return proximity::surface_separation(view(hoop()), view(plate()), posed(angle), scratch)
                 .witness.p1.x() > 0;
    };
    double low = -0.1, high = 0.1;
    ASSERT_NE(side(low), side(high)) << path;
    while (high - low > kStep) (side((low + high) / 2) == side(low) ? low : high) = (low + high) / 2;
    const SmoothedSurface a = smooth(view(hoop()), view(plate()), posed(low), kTemperature);
    const SmoothedSurface b = smooth(view(hoop()), view(plate()), posed(high), kTemperature);
    EXPECT_LT(std::abs(a.pair.smoothed.distance - b.pair.smoothed.distance), 1e-8) << path;
    EXPECT_LT((a.pair.smoothed.p1 - b.pair.smoothed.p1).norm(), 1e-6) << path;
    EXPECT_LT((a.pair.smoothed.p2 - b.pair.smoothed.p2).norm(), 1e-6) << path;
    EXPECT_LT((a.pair.smoothed.n - b.pair.smoothed.n).norm(), 1e-6) << path;
  }
}

TEST(SurfaceSmoothed, DerivativesAreThoseOfTheBlend) {
  constexpr double kTemperature = 5e-3, kStep = 1e-6;
  proximity::SurfaceSmoother smooth;
  const int poses = test::runs(10);
  int kinks = 0;
  for (int i = 0; i < poses; ++i) {
    Random random(8, i);
    Vec6<double> xi;
    for (int k = 0; k < 6; ++k) xi[k] = 0.02 * random.normal();
    const Pose<double> X = across(0.45) * exp(xi);
    const SmoothedSurface at = smooth(view(hoop()), view(plate()), X, kTemperature);
    for (int k = 0; k < 6; ++k) {
      const auto moved = [&](double step) {
        return smooth(view(hoop()), view(plate()), X * exp<double>(step * Vec6<double>::Unit(k)),
                      kTemperature);
      };
      const auto p = moved(kStep), m = moved(-kStep);
      // A pair that weighs may change its features within the step: points and normal have a kink there.
      const SmoothedSurface near_p = moved(kStep / 8), near_m = moved(-kStep / 8);
      const auto bends = [&](auto&& of) {
        return ((of(p) - of(m)) / 2 - 4 * (of(near_p) - of(near_m))).norm() > 3e-4 * kStep;
      };
      const bool kink = bends([](const SmoothedSurface& s) { return s.pair.smoothed.p1; }) ||
                        bends([](const SmoothedSurface& s) { return s.pair.smoothed.n; });
      const double slope = (p.pair.smoothed.distance - m.pair.smoothed.distance) / (2 * kStep);
      EXPECT_NEAR(at.pair.derivative.dd_dxi_B[k], slope, 1e-7) << i << " " << k;
      const Vec3<double> dp1 = (p.pair.smoothed.p1 - m.pair.smoothed.p1) / (2 * kStep);
      const Vec3<double> dn = (p.pair.smoothed.n - m.pair.smoothed.n) / (2 * kStep);
      const bool clamped =
          at.pair.derivative.status != Status::kOk;  // a pair that weighs has parallel features
      kinks += kink || clamped;
      if (kink || clamped) continue;
      EXPECT_LT((at.pair.derivative.dp1_A_dxi_B.col(k) - dp1).norm(), 1e-3 * (1 + dp1.norm()))
          << i << " " << k;
      EXPECT_LT((at.pair.derivative.dn_A_dxi_B.col(k) - dn).norm(), 1e-3 * (1 + dn.norm())) << i << " " << k;
    }
  }
  EXPECT_LE(kinks, 6 * poses / 5);  // columns
}

// Faces that lie along each other: slopes by turns are other ones on either side.
TEST(SurfaceSmoothed, ParallelFacesAreClamped) {
  const Surface flat = preprocess::build_surface(test::box(1, 1, 0.25)),
                cube = preprocess::build_surface(test::box(1, 1, 1));
  proximity::SurfaceSmoother smooth;
  const auto status = [&](const Pose<double>& X) {
    return smooth(view(flat), view(cube), X, 1e-3).pair.derivative.status;
  };
  EXPECT_EQ(status({Mat3<double>::Identity(), {0.1, 0.05, 0.725}}), Status::kClamped);
  EXPECT_EQ(status({exp_rotation<double>({0.3, 0.2, 0.1}), {0.1, 0.05, 0.95}}), Status::kOk);
}

// Two cubes pushed together edge on edge, and corner into face: far deeper than the temperature, where the
// deepest point of all is no vertex, and at first no vertex is inside.
TEST(SurfaceSmoothed, IsOneFormFromTouchToDeepOverlap) {
  constexpr double kTemperature = 2e-4, kStep = 1e-7;
  const Surface cube = preprocess::build_surface(test::box(0.1, 0.1, 0.1));
  proximity::SurfaceSmoother smooth;
  const auto posed = [](double overlap, const Vec3<double>& turn) {
    const Pose<double> X_WA{exp_rotation<double>({M_PI / 4, 0, 0}), Vec3<double>::Zero()};
    const Pose<double> X_WB{exp_rotation<double>({0, M_PI / 4, 0}) * exp_rotation<double>(turn),
                            Vec3<double>(0.001, 0.002, 0.1 * std::sqrt(2.0) - overlap)};
    return Pose<double>(X_WA.inverse() * X_WB);
  };
  for (const Vec3<double>& turn : {Vec3<double>(0.01, 0.02, 0.03), Vec3<double>(0.5, -0.3, 0.2)})
    for (const double overlap :
         {-0.001, 0.001, 0.0039, 0.00399, 0.0041, 0.00558, 0.00559, 0.01, 0.02, 0.04}) {
      const auto at = [&](const Pose<double>& X) { return smooth(view(cube), view(cube), X, kTemperature); };
      const Pose<double> X = posed(overlap, turn);
      const SmoothedSurface found = at(X);
      EXPECT_LT(
          std::abs(at(posed(overlap + 1e-9, turn)).pair.smoothed.distance - found.pair.smoothed.distance),
          2e-9)
          << overlap;
      for (int k = 0; k < 6; ++k) {
        const auto moved = [&](double step) {
          return at(X * exp<double>(step * Vec6<double>::Unit(k))).pair.smoothed.distance;
        };
        EXPECT_NEAR(found.pair.derivative.dd_dxi_B[k], (moved(kStep) - moved(-kStep)) / (2 * kStep), 1e-6)
            << overlap << " " << k;
      }
    }
}

// A corner of a cube that comes into the face of another: means of what weighs, the same whichever body is
// asked first.
TEST(SurfaceSmoothed, MeansDoNotJumpWhereACornerComesIn) {
  constexpr double kTemperature = 1e-3;
  const Surface cube = preprocess::build_surface(test::box(0.1, 0.1, 0.1));
  const Mat3<double> R = exp_rotation<double>({0.15, 0.06, 0});
  double lowest = 0;
  for (std::int32_t v = 0; v < view(cube).vertex_count; ++v)
    lowest = std::min(lowest, (R * Eigen::Map<const Vec3<double>>(view(cube).vertices + 3 * v)).z());
  proximity::SurfaceSmoother smooth;
  const auto at = [&](double height) { return Pose<double>{R, {0.003, 0.002, 0.05 - lowest + height}}; };
  const auto asked = [&](double height) {
    return smooth(view(cube), view(cube), at(height), kTemperature).pair.smoothed;
  };
  const auto above = asked(1e-9), inside = asked(-1e-9);
  EXPECT_LT((above.p1 - inside.p1).norm(), 1e-6);
  EXPECT_LT((above.p2 - inside.p2).norm(), 1e-6);
  EXPECT_LT((above.n - inside.n).norm(), 1e-6);
  for (const double height : {1e-3, 1e-9, -1e-9, -3e-4, -2e-3}) {
    const Pose<double> X_AB = at(height);
    const auto found = asked(height);
    const auto swapped = smooth(view(cube), view(cube), X_AB.inverse(), kTemperature).pair.smoothed;
    EXPECT_NEAR(found.distance, swapped.distance, 1e-12) << height;
    EXPECT_LT((found.p1 - X_AB * swapped.p2).norm(), 1e-9) << height;
    EXPECT_LT((found.p2 - X_AB * swapped.p1).norm(), 1e-9) << height;
    EXPECT_LT((found.n + X_AB.R * swapped.n).norm(), 1e-7) << height;
  }
}

}  // namespace
