// The search for pairs of tetrahedra against all pairs, and what it keeps from query to query.
#include "runtime/contact/pressure_field/pair_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/contact/pressure_field.h"
#include "runtime/contact/pressure_field/facet_builders.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_data.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using contact::PairFinder;
using contact::TetrahedronPair;

Vec6<double> random_step(Random& random, double scale) {
  Vec6<double> xi;
  for (int k = 0; k < 6; ++k) xi[k] = random.uniform(-scale, scale);
  return xi;
}

// Pairs with a polygon that the finder does not have, or for which it would leave out a face that cuts.
int lost(PairFinder& finder, const asset::VolumeView& A, double modulus_A, const asset::VolumeView& B,
         double modulus_B, const Pose<double>& X_AB, int& polygons) {
  const Pose<double> X_BA = X_AB.inverse();
  const std::vector<TetrahedronPair>& pairs = finder.find(A, modulus_A, B, modulus_B, X_BA);
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
  int missing = 0;
  for (std::int32_t a = 0; a < A.tetrahedron_count; ++a) {
    const auto of_A = contact::placed<double>(A, a, modulus_A, X_BA);
    for (std::int32_t b = 0; b < B.tetrahedron_count; ++b) {
      const contact::StillTetrahedron<double> of_B{B, b, modulus_B};
      const auto area = [&](unsigned cut) {
        const auto facet = contact::compliant_facet<double>(of_A, X_BA, of_B, cut, {});
        return facet.polygon.size < 3 ? 0 : contact::moments(facet.polygon, facet.n).area;
      };
      const double expected = area(contact::kAllFaces);
      if (!(expected > 0)) continue;
      ++polygons;
      const auto found = std::lower_bound(pairs.begin(), pairs.end(), TetrahedronPair{a, b, 0});
      missing += found == pairs.end() || found->a != a || found->b != b || area(found->cut) != expected;
    }
  }
  return missing;
}

TEST(PairFinder, NoPolygonIsLost) {
  const auto queries = test::read_pressure_field_queries();
  if (queries.empty()) GTEST_SKIP() << "needs the reference data in " << test::pressure_field_folder();
  test::ReferenceVolumes volumes(300);
  Random random(31);
  int polygons = 0, missing = 0;
  const std::size_t stride = queries.size() / static_cast<std::size_t>(test::runs(4));
  for (std::size_t i = 0; i < queries.size(); i += stride) {
    const auto& q = queries[i];
    const body::Body body_A = volumes.body(q.object_A), body_B = volumes.body(q.object_B);
    const asset::VolumeView &A = body_A.geometry.volume(), &B = body_B.geometry.volume();
    PairFinder finder;
    missing += lost(finder, A, 1e6, B, 3e6, q.X_AB, polygons);
    // The second query makes room, the third may live on it.
    for (const double scale : {1e-3, 1e-4, 1e-4})
      missing += lost(finder, A, 1e6, B, 3e6, q.X_AB * exp(random_step(random, scale)), polygons);
  }
  std::printf("%d polygons\n", polygons);
  EXPECT_GT(polygons, 100);
  EXPECT_EQ(missing, 0);
}

asset::Asset ellipsoid(const Vec3<double>& axes, Random& random) {
  asset::Asset made;
  made.volumes.push_back(
      test::star_volume(asset::view(test::tessellated_ellipsoid(2, axes, test::random_rotation(random)))));
  return made;
}

// Far from the origins and at moduli far apart, where single precision has least to spare.
TEST(PairFinder, NoPolygonIsLostFarAwayOrBetweenUnlikeBodies) {
  Random random(32);
  const asset::Asset egg = ellipsoid({0.06, 0.05, 0.04}, random),
                     ball = ellipsoid({0.02, 0.02, 0.02}, random);
  const asset::VolumeView A = asset::view(egg).volume, B = asset::view(ball).volume;
  int polygons = 0, missing = 0;
  for (int i = 0; i < test::runs(8, 4); ++i) {
    const Pose<double> X_AB{test::random_rotation(random),
                            random.uniform(0.03, 0.07) * Vec3<double>::UnitX()};
    const double modulus_B = std::pow(10, random.uniform(-6, 18));
    PairFinder finder;
    missing += lost(finder, A, 1e6, B, modulus_B, X_AB, polygons);
  }
  EXPECT_GT(polygons, 100);
  EXPECT_EQ(missing, 0);
}

// The same bits whatever was asked before.
TEST(PairFinder, AnswersHaveNoMemory) {
  Random random(33);
  const asset::Asset egg = ellipsoid({0.06, 0.05, 0.04}, random),
                     ball = ellipsoid({0.05, 0.05, 0.05}, random);
  const body::Body A = test::body_of(egg), B = test::body_of(ball);
  const auto used = contact::make_pressure_field_model();
  Pose<double> X_AB{test::random_rotation(random), {0.08, 0, 0}};
  for (int i = 0; i < 200; ++i) {
    X_AB = X_AB * exp(random_step(random, i % 10 == 0 ? 5e-3 : 1e-4));
    const auto fresh = contact::make_pressure_field_model();
    const contact::PairWrench x = used->wrench({&A, &B, X_AB});
    const contact::PairWrench y = fresh->wrench({&A, &B, X_AB});
    ASSERT_EQ(std::memcmp(x.F_BBo_B.data(), y.F_BBo_B.data(), sizeof(double) * 6), 0) << i;
    ASSERT_EQ(std::memcmp(x.dF_dxi_B.data(), y.dF_dxi_B.data(), sizeof(double) * 36), 0) << i;
    ASSERT_GT(x.F_BBo_B.norm(), 0);
  }
}

// An asset of the same size in the memory of another is not taken for it.
TEST(PairFinder, KnowsABodyThatTookTheMemoryOfAnother) {
  Random random(34), same(34);  // half the egg, turned as it is: equal trees
  asset::Asset egg = ellipsoid({0.06, 0.05, 0.04}, random);
  const asset::Asset other = ellipsoid({0.03, 0.025, 0.02}, same),
                     ball = ellipsoid({0.05, 0.05, 0.05}, random);
  const body::Body B = test::body_of(ball);
  const Pose<double> X_AB{Mat3<double>::Identity(), {0.06, 0, 0}};
  PairFinder finder;
  const auto find = [&](const body::Body& A) {
    finder.find(A.geometry.volume(), 1, B.geometry.volume(), 1, X_AB.inverse());
  };
  {
    const body::Body A = test::body_of(egg);
    for (int i = 0; i < 3; ++i) find(A);
  }
  asset::Volume& volume = egg.volumes.front();
  const asset::Volume& source = other.volumes.front();
  const auto overwrite = [](auto& to, const auto& from) {
    ASSERT_EQ(to.size(), from.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  overwrite(volume.vertices, source.vertices);
  overwrite(volume.extent, source.extent);
  overwrite(volume.gradients, source.gradients);
  overwrite(volume.face_planes, source.face_planes);
  overwrite(volume.tetrahedra, source.tetrahedra);
  overwrite(volume.tree.bounds, source.tree.bounds);
  overwrite(volume.tree.children, source.tree.children);
  overwrite(volume.tree.counts, source.tree.counts);
  overwrite(volume.tree_extent_ranges, source.tree_extent_ranges);
  int polygons = 0;
  const body::Body A = test::body_of(egg);
  EXPECT_EQ(lost(finder, A.geometry.volume(), 1, B.geometry.volume(), 1, X_AB, polygons), 0);
  EXPECT_GT(polygons, 10);
}

}  // namespace
