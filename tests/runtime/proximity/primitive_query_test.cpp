#include "runtime/proximity/primitive_query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "runtime/body/primitive_distance.h"
#include "runtime/core/random.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/proximity/distance_model.h"
#include "tests/runtime/proximity/primitive_on_surface.h"
#include "tests/support/primitives.h"
#include "tests/support/real_surfaces.h"
#include "tests/support/runs.h"

// Primitives against scanned surfaces: beside distances of points, of boxes that are surfaces, of all
// corners, and differences.
namespace {

using namespace abut;
using asset::Surface;
using body::Body;
using body::Pair;
using proximity::SurfaceWitness;
using test::asked;
using test::body_of_surface;

// The witness's own equations, and that no corner of the surface is nearer.
void expect_consistent(const Pair& pair, const SurfaceWitness& found) {
  const witness::Witness<double>& w = found.witness;
  EXPECT_LT((w.p2 - w.p1 - w.distance * w.n).norm(), 1e-14);
  EXPECT_NEAR(w.n.norm(), 1, 1e-12);
  EXPECT_LE(w.lower_bound, w.distance);
  EXPECT_GE(w.upper_bound, w.distance);
  const bool A_is = pair.A->geometry.primitive() != nullptr;
  const body::Primitive& primitive = *(A_is ? pair.A : pair.B)->geometry.primitive();
  const asset::SurfaceView& surface = (A_is ? pair.B : pair.A)->geometry.surface();
  const Pose<double> X_PS = A_is ? pair.X_AB : pair.X_AB.inverse();
  const auto f = [&](const Vec3<double>& p) {
    return body::primitive_distance<double>(primitive, p, 0).value;
  };
  for (std::int32_t v = 0; v < surface.vertex_count; ++v)
    ASSERT_GE(f(X_PS * Vec3<double>(Vec3<double>::Map(surface.vertices + 3 * v))), w.distance - 1e-14);
  const Vec3<double> on_P = A_is ? w.p1 : pair.X_AB.inverse() * w.p2;
  EXPECT_NEAR(f(on_P), 0, 1e-14);
  const Vec3<double> on_S = A_is ? pair.X_AB.inverse() * w.p2 : w.p1;
  EXPECT_LT(std::abs(distance::signed_distance<double>(surface, on_S).distance), 1e-14);
}

TEST(PrimitiveOnSurface, SpheresAreTheirCentresDistance) {
  int apart = 0, overlapping = 0;
  for (const char* const object : test::kScanned) {
    const Surface* scanned = test::scanned_surface(object);
    if (scanned == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Body S = body_of_surface(*scanned);
    for (int i = 0; i < test::runs(20, 10); ++i) {
      Random random(87, i);
      const double radius = 0.01;
      const Body P{body::Geometry(body::Sphere<double>{radius})};
      const Pose<double> X_SP{exp_rotation<double>(test::normal_vector(random)),
                              0.05 * test::normal_vector(random)};
      const double of_center = distance::signed_distance<double>(S.geometry.surface(), X_SP.p).distance;
      const SurfaceWitness found = asked({&S, &P, X_SP}), other = asked({&P, &S, X_SP.inverse()});
      EXPECT_NEAR(found.witness.distance, other.witness.distance, 1e-13);
      EXPECT_LT((found.witness.p1 - X_SP * other.witness.p2).norm(), 1e-9);
      if (of_center > radius) {
        ++apart;
        EXPECT_EQ(found.witness.status, Status::kOk);
        EXPECT_NEAR(found.witness.distance, of_center - radius, 1e-14) << object;
        expect_consistent({&S, &P, X_SP}, found);
      } else {
        ++overlapping;
        EXPECT_LT(found.witness.distance, 0);
        EXPECT_LE(found.witness.distance, std::abs(of_center) - radius + 1e-14);
        EXPECT_GE(found.witness.distance, of_center - radius - 1e-14);
        EXPECT_LT(found.witness.distance - found.witness.lower_bound, 2e-3 * radius + 1e-8);
        // Where one face is nearest to all of it the deepest point is straight below.
        EXPECT_LT((found.witness.p2 - found.witness.p1 - found.witness.distance * found.witness.n).norm(),
                  1e-14);
      }
    }
  }
  EXPECT_GT(apart, 20);
  EXPECT_GT(overlapping, 8);
}

// The distance is flat about its minimum: points and normals have all digits only if they are polished there.
TEST(PrimitiveOnSurface, NearestPointsHaveAllDigits) {
  const Surface cube = preprocess::build_surface(test::box(1, 1, 1));
  const Body S = body_of_surface(cube), ball{body::Geometry(body::Sphere<double>{0.1})};
  const int poses = test::runs(2000, 10);
  for (int i = 0; i < poses; ++i) {
    Random random(93, i);
    const Mat3<double> R = exp_rotation<double>(test::normal_vector(random));
    const auto drawn = [&](double most) { return random.uniform(-most, most); };
    const Vec3<double> anywhere(drawn(1.2), drawn(1.2), drawn(1.2)), above(drawn(0.45), drawn(0.45), 0.6001);
    const double beside = std::pow(10, random.uniform(-9, -4));
    const Vec3<double> by_an_edge(0.5 - beside, drawn(0.45), 0.7);
    for (const Vec3<double>& p : {anywhere, above, by_an_edge}) {
      const Vec3<double> nearest = p.cwiseMax(-0.5).cwiseMin(0.5);
      if (!((p - nearest).norm() > 0.1 + 1e-6)) continue;
      const SurfaceWitness found = asked({&S, &ball, {R, p}});
      EXPECT_LT((found.witness.p1 - nearest).norm(), 1e-14) << i << " " << p.transpose();
      EXPECT_LT((found.witness.n - (p - nearest).normalized()).norm(), 1e-13) << i << " " << p.transpose();
      EXPECT_NEAR(found.witness.distance, (p - nearest).norm() - 0.1, 1e-15);
      EXPECT_LE(found.witness.lower_bound, found.witness.distance);
      EXPECT_EQ(found.witness.status, Status::kOk);
    }
  }
}

TEST(PrimitiveOnSurface, BoxesAreThoseOfTriangles) {
  const Body P{body::Geometry(body::Box<double>{{0.02, 0.05, 0.03}})};
  const Surface box = preprocess::build_surface(test::box(0.04, 0.1, 0.06));
  for (const char* const object : test::kScanned) {
    const Surface* scanned = test::scanned_surface(object);
    if (scanned == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Body S = body_of_surface(*scanned);
    for (int i = 0; i < test::runs(10, 10); ++i) {
      Random random(88, i);
      const Pose<double> X{exp_rotation<double>(test::normal_vector(random)),
                           random.uniform(0.02, 0.1) * test::normal_vector(random)};
      const SurfaceWitness found = asked({&S, &P, X}), triangles = test::ask(*scanned, box, X);
      EXPECT_NEAR(found.witness.distance, triangles.witness.distance,
                  1e-13 + 3e-6 * std::max(0.0, -triangles.witness.distance))
          << object << " " << i;
      EXPECT_NEAR(asked({&P, &S, X.inverse()}).witness.distance, found.witness.distance,
                  1e-13 + 3e-6 * std::max(0.0, -found.witness.distance));
      if (found.witness.distance > 0) expect_consistent({&S, &P, X}, found);
    }
  }
}

TEST(PrimitiveOnSurface, ApartNoPointIsNearerAndDerivativesAreThoseOfDifferences) {
  constexpr double kStep = 1e-5;
  int smooth = 0;
  for (const body::Primitive& primitive : test::solid_primitives()) {
    const Body P{body::Geometry(primitive)};
    for (int i = 0; i < test::runs(6, 10); ++i) {
      Random random(89, i);
      const Surface* scanned = test::scanned_surface(test::kScanned[random.below(4)]);
      if (scanned == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
      const Body S = body_of_surface(*scanned);
      const Pose<double> X{exp_rotation<double>(test::normal_vector(random)),
                           random.uniform(0.1, 0.3) * test::normal_vector(random).normalized()};
      for (const Pair& pair : {Pair{&S, &P, X}, Pair{&P, &S, X.inverse()}}) {
        const SurfaceWitness found = asked(pair);
        if (!(found.witness.distance > 1e-3)) continue;
        EXPECT_EQ(found.witness.status, Status::kOk);
        expect_consistent(pair, found);
        const auto d = proximity::primitive_derivative(pair, found);
        const auto at = [&](int k, double step) {
          return asked({pair.A, pair.B, pair.X_AB * exp<double>(step * Vec6<double>::Unit(k))});
        };
        bool same = true;  // the feature that has the point
        for (int k = 0; k < 6; ++k) {
          SurfaceWitness ends[4];
          for (int e = 0; e < 4; ++e) {
            ends[e] = at(k, (e < 2 ? 1 : 2) * (e % 2 ? -kStep : kStep));
            same = same && ends[e].triangle_A == found.triangle_A && ends[e].triangle_B == found.triangle_B;
          }
          const auto difference = [&](auto&& of) {
            return (8 * (of(ends[0]) - of(ends[1])) - (of(ends[2]) - of(ends[3]))) / (12 * kStep);
          };
          EXPECT_NEAR(d.dd_dxi_B[k], difference([](auto& w) { return w.witness.distance; }),
                      same ? 1e-8 : 1e-3);
          if (!same || d.status != Status::kOk) continue;
          ++smooth;
          for (int row = 0; row < 3; ++row) {
            EXPECT_NEAR(d.dp1_A_dxi_B(row, k), difference([&](auto& w) { return w.witness.p1[row]; }), 1e-6)
                << primitive.index();
            EXPECT_NEAR(d.dp2_A_dxi_B(row, k), difference([&](auto& w) { return w.witness.p2[row]; }), 1e-6)
                << primitive.index();
            EXPECT_NEAR(d.dn_A_dxi_B(row, k), difference([&](auto& w) { return w.witness.n[row]; }), 1e-5)
                << primitive.index();
          }
        }
      }
    }
  }
  EXPECT_GT(smooth, 100);
}

TEST(PrimitiveOnSurface, HalfSpacesAndOneWithinTheOther) {
  const Surface box = preprocess::build_surface(test::box(0.2, 0.2, 0.2));
  const Body S = body_of_surface(box), ground{body::Geometry(body::HalfSpace<double>{})},
             ball{body::Geometry(body::Sphere<double>{0.02})},
             large{body::Geometry(body::Sphere<double>{0.5})};
  for (const double height : {0.35, 0.1 + 1e-6, 0.1, 0.1 - 1e-6, -0.02, -3.0}) {
    const SurfaceWitness found = asked({&ground, &S, {Mat3<double>::Identity(), {1, 2, height}}});
    EXPECT_NEAR(found.witness.distance, height - 0.1, 1e-14);
    EXPECT_LT((found.witness.n - Vec3<double>::UnitZ()).norm(), 1e-14);
    EXPECT_EQ(found.witness.status, height == 0.1 ? Status::kTouching : Status::kOk);
  }
  // A ball within a box: its point farthest from the nearest face; a box within a ball: its corners.
  const SurfaceWitness inside = asked({&S, &ball, {Mat3<double>::Identity(), {0.01, 0.03, 0.06}}});
  EXPECT_NEAR(inside.witness.distance, -0.06, 1e-9);
  EXPECT_EQ(inside.witness.status, Status::kOk);
  const SurfaceWitness around = asked({&large, &S, {}});
  EXPECT_NEAR(around.witness.distance, -0.5 + 0.1, 1e-12);
}

// Where the depth below a primitive's surface has a ridge, as halfway between two sides of a box.
TEST(PrimitiveOnSurface, DeepestOnARidgeIsFoundAndShown) {
  const Surface bar = preprocess::build_surface(test::box(0.3, 0.02, 0.02));
  const Body S = body_of_surface(bar);
  Random random(21);
  int steps = 0, asks = 0;
  for (const body::Primitive& primitive : test::solid_primitives()) {
    const Body P{body::Geometry(primitive)};
    for (int i = 0; i < 20; ++i) {
      const auto number = [&](double most) { return random.uniform(-most, most); };
      const Pose<double> X_AB{exp_rotation<double>({number(2), number(2), number(2)}),
                              {number(0.01), number(0.01), number(0.01)}};
      const Pair pair{&S, &P, X_AB};
      const SurfaceWitness found = asked(pair);
      if (!(found.witness.distance < 0)) continue;
      expect_consistent(pair, found);
      EXPECT_EQ(found.witness.status, Status::kOk) << primitive.index() << " " << i;
      steps += found.witness.iterations, ++asks;
    }
  }
  EXPECT_GT(asks, 50);
  EXPECT_LT(steps / asks, 2000);
}

// The deepest point lies where several faces of the primitive are as near, as a rule: the distance is smooth
// there all the same.
TEST(PrimitiveOnSurface, SlopesOfDepthsAreThoseOfDifferences) {
  constexpr double kStep = 1e-6;
  const Surface cube = preprocess::build_surface(test::box(0.1, 0.1, 0.1));
  const Body S = body_of_surface(cube);
  const std::size_t box_index = body::Primitive(body::Box<double>{{1, 1, 1}}).index();
  int held = 0, right = 0, wrong = 0;
  for (const body::Primitive& primitive : {body::Primitive(body::Box<double>{{0.03, 0.05, 0.02}}),
                                           body::Primitive(body::Cylinder<double>{0.03, 0.04}),
                                           body::Primitive(body::Capsule<double>{0.02, 0.04})}) {
    const Body P{body::Geometry(primitive)};
    for (int i = 0; i < 40; ++i) {
      Random random(91, i);
      const Pose<double> X{exp_rotation<double>(test::normal_vector(random)),
                           0.05 * test::normal_vector(random)};
      for (const Pair& pair : {Pair{&S, &P, X}, Pair{&P, &S, X.inverse()}}) {
        const SurfaceWitness found = asked(pair);
        if (!(found.witness.distance < -1e-3)) continue;
        const bool is_held = found.of_A == (pair.A == &P);  // a point of the primitive, held in it
        held += is_held;
        const auto d = proximity::primitive_derivative(pair, found);
        for (int k = 0; k < 6; ++k) {
          const auto slope = [&](double step) {
            const auto at = [&](double s) {
              return asked({pair.A, pair.B, pair.X_AB * exp<double>(s * Vec6<double>::Unit(k))})
                  .witness.distance;
            };
            return (at(step) - at(-step)) / (2 * step);
          };
          const double difference = slope(kStep);
          if (std::abs(difference - slope(10 * kStep)) > 1e-4) continue;  // a kink of the distance itself
          // Deepest points of round primitives are found on triangles.
          const double tolerance = is_held && primitive.index() != box_index ? 0.02 : 1e-3;
          ++(std::abs(d.dd_dxi_B[k] - difference) < tolerance ? right : wrong);
        }
      }
    }
  }
  EXPECT_GT(right, 300);
  EXPECT_LE(wrong, right / 40);
  std::printf("%d right, %d wrong; %d points of the primitive\n", right, wrong, held);
}

TEST(PrimitiveOnSurface, AnyDistanceAndWhatIsRefused) {
  const Surface box = preprocess::build_surface(test::box(0.2, 0.2, 0.2));
  const Body S = body_of_surface(box);
  for (const body::Primitive& primitive : test::solid_primitives()) {
    const Body P{body::Geometry(primitive)};
    for (const double p : {1e7, 1e100}) {
      const SurfaceWitness found = asked({&S, &P, {Mat3<double>::Identity(), {p, 0, 0}}});
      EXPECT_NEAR(found.witness.distance / p, 1, 1e-7) << primitive.index();
    }
    const SurfaceWitness beyond = asked({&S, &P, {Mat3<double>::Identity(), {1e300, 1e300, 1e300}}});
    EXPECT_TRUE(beyond.witness.status == Status::kInvalidInput || beyond.witness.distance > 1e299);
  }
  const Body ball{body::Geometry(body::Sphere<double>{0.02})};
  const Pair pair{&S, &ball, {Mat3<double>::Identity(), {0.5, 0, 0}}};
  const auto features = proximity::make_distance_model("surface"),
             patches = proximity::make_distance_model("surface", "patch");
  features->require_valid(pair, "separation");
  EXPECT_THROW(features->require_valid({&ball, &ball, pair.X_AB}, "separation"), InvalidInput);
  EXPECT_THROW(patches->require_valid(pair, "derivative"), InvalidInput);
  EXPECT_THROW(features->smoothed(pair), InvalidInput);
  EXPECT_EQ(features->contacts(pair, 1.0, true).size(), 1u);
  EXPECT_EQ(features->contacts(pair, 0.1, true).size(), 0u);
  for (const double margin : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(features->contacts(pair, margin, true), InvalidInput);
    EXPECT_THROW(patches->contacts({&S, &S, pair.X_AB}, margin, true), InvalidInput);
    EXPECT_THROW(proximity::make_distance_model("hull")->contacts({&ball, &ball, {}}, margin, true),
                 InvalidInput);
    std::vector<std::vector<proximity::Contact>> results(1);
    EXPECT_THROW(proximity::BatchDistanceModel("surface").contacts({&pair, 1}, margin, true, results),
                 InvalidInput);
  }
}

}  // namespace
