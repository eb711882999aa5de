#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/proximity/surface_contacts.h"
#include "runtime/proximity/surface_smoothed.h"
#include "tests/contract/witness_equation.h"
#include "tests/support/real_surfaces.h"

// Surfaces that touch, rest on one another or are parallel: normals, statuses, regions at margin 0.
namespace {

using namespace abut;
using asset::Surface;
using proximity::SurfaceWitness;
using test::ask;

// The rotation that turns the unit vector a into b.
Mat3<double> turning(const Vec3<double>& a, const Vec3<double>& b) {
  return Eigen::Quaterniond::FromTwoVectors(a, b).toRotationMatrix();
}

// A box on faces of the hull of scanned objects: it touches three of their corners at least.
TEST(SurfaceTouching, ABoxOnTheHullOfAScannedObjectHasTheNormalOfItsFace) {
  const Surface box = preprocess::build_surface(test::subdivided(test::box(0.3, 0.3, 0.05), 2));
  for (const char* const object : test::kScanned) {
    const Surface* scanned = test::scanned_surface(object);
    if (scanned == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    std::vector<Vec3<double>> points;
    for (std::size_t v = 0; v < scanned->vertices.size(); v += 3)
      points.emplace_back(scanned->vertices[v], scanned->vertices[v + 1], scanned->vertices[v + 2]);
    const preprocess::TriangleMesh hull = preprocess::convex_hull(points);
    for (int i = 0; i < 10; ++i) {
      Random random(91, i);
      const auto& t = hull.triangles[random.below(hull.triangles.size())];
      const Vec3<double> a = hull.vertices[t[0]], b = hull.vertices[t[1]], c = hull.vertices[t[2]];
      const Vec3<double> n = (b - a).cross(c - a).normalized();
      if ((b - a).cross(c - a).norm() < 1e-6) continue;  // m^2: too small to tell a plane
      Pose<double> X;
      X.R = turning(-Vec3<double>::UnitZ(), n) * exp_rotation<double>({0, 0, random.uniform(-3, 3)});
      X.p = (a + b + c) / 3 + 0.025 * n;
      const SurfaceWitness w = ask(*scanned, box, X), v = ask(box, *scanned, X.inverse());
      EXPECT_NEAR(w.witness.distance, 0, 1e-14);
      EXPECT_LT((w.witness.n - n).norm(), 1e-9) << object << " " << i << " " << w.witness.distance;
      EXPECT_LT((X.R * v.witness.n + n).norm(), 1e-9) << object << " " << i;
      for (const double apart : {1e-15, 1e-14, 1e-13, 1e-12, 1e-9, 1e-6}) {  // the limit
        const SurfaceWitness near = ask(*scanned, box, {X.R, X.p + apart * n});
        EXPECT_LT((near.witness.n - n).norm(), 1e-9) << object << " " << i << " " << apart;
      }
    }
  }
}

// The surfaces tell that the bodies are apart where these are farther from each other than they could
// overlap.
TEST(SurfaceTouching, CornersHardlyApartAreApart) {
  const Surface box = preprocess::build_surface(test::box(1, 1, 1));
  for (int i = 0; i < 100; ++i) {
    Random random(93, i);
    Pose<double> X;
    X.R = exp_rotation<double>(1e-4 * Vec3<double>(random.normal(), random.normal(), random.normal()));
    X.p = {1 + 1e-9 * random.uniform(), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5)};
    const SurfaceWitness touching = ask(box, box, X);
    X.p.x() -= touching.witness.distance - random.uniform(1e-10, 2e-9);
    const SurfaceWitness w = ask(box, box, X);
    if (!(w.witness.distance > 5e-11)) continue;
    EXPECT_EQ(w.witness.status, Status::kOk);
    EXPECT_GT(w.witness.lower_bound, 0.9 * w.witness.distance) << i << ' ' << w.witness.distance;
  }
}

TEST(SurfaceTouching, FlushFacesHaveTheirNormalWhereverTheyOverlap) {
  for (const int fine : {0, 2}) {
    const Surface A = preprocess::build_surface(test::subdivided(test::box(0.2, 0.3, 0.1), fine));
    const Surface B = preprocess::build_surface(test::subdivided(test::box(0.1, 0.2, 0.2), fine));
    for (int i = 0; i < 100; ++i) {
      Random random(92, i);
      const Pose<double> frame{exp_rotation<double>(Vec3<double>(random.normal(), random.normal(), 1)),
                               Vec3<double>(random.normal(), random.normal(), 0)};
      // Aligned and turned; corners on corners, on edges and on faces.
      const double x = i % 3 == 0 ? 0.05 : random.uniform(-0.14, 0.14);
      const double y = i % 5 == 0 ? 0.05 : random.uniform(-0.2, 0.2);
      const Mat3<double> R = exp_rotation<double>({0, 0, i % 2 ? 0.0 : random.uniform(-3, 3)});
      const SurfaceWitness w = ask(A, B, {R, {x, y, 0.15}});
      EXPECT_LT((w.witness.n - Vec3<double>::UnitZ()).norm(), 1e-9) << i << "\n" << w.witness.n;
      // The same elsewhere: A in another frame.
      preprocess::TriangleMesh moved = test::subdivided(test::box(0.2, 0.3, 0.1), fine);
      for (Vec3<double>& v : moved.vertices) v = frame * v;
      const SurfaceWitness there =
          ask(preprocess::build_surface(moved), B, frame * Pose<double>{R, {x, y, 0.15}});
      EXPECT_LT((frame.R.transpose() * there.witness.n - Vec3<double>::UnitZ()).norm(), 1e-9) << i;
    }
  }
}

// Faces of both in one plane, in frames in which that is so but for rounding.
TEST(SurfaceTouching, BodiesSideBySideOnAPlaneAreApart) {
  const Surface B = preprocess::build_surface(test::subdivided(test::box(0.1, 0.2, 0.1), 2));
  for (int i = 0; i < 200; ++i) {
    Random random(5, i);
    const Pose<double> frame{exp_rotation<double>(Vec3<double>(random.normal(), random.normal(), 1)),
                             Vec3<double>(random.normal(), random.normal(), 0)};
    preprocess::TriangleMesh moved = test::subdivided(test::box(0.2, 0.3, 0.1), 2);
    for (Vec3<double>& v : moved.vertices) v = frame * v;
    const Pose<double> X =
        frame * Pose<double>{Mat3<double>::Identity(), {0.16, random.uniform(-0.2, 0.2), 0}};
    EXPECT_NEAR(ask(preprocess::build_surface(moved), B, X).witness.distance, 0.01, 1e-13) << i;
  }
}

// A random pose of a body beside itself: its witness there, and the pose at which the points meet.
std::pair<SurfaceWitness, Pose<double>> brought_to_touch(const Surface& surface, int seed, int number) {
  Random random(seed, number);
  Pose<double> X;
  X.R = exp_rotation<double>(Vec3<double>(random.normal(), random.normal(), random.normal()));
  X.p = 0.5 * Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
  const SurfaceWitness start = ask(surface, surface, X);
  X.p -= start.witness.distance * start.witness.n;
  return {start, X};
}

// Edge on edge, corner on face, corner on corner: within both cones, and as from a little apart.
TEST(SurfaceTouching, CornersAndEdgesHaveNormalsOfBothCones) {
  const Surface box = preprocess::build_surface(test::subdivided(test::box(0.2, 0.2, 0.2), 1));
  for (int i = 0; i < 200; ++i) {
    const auto [start, X] = brought_to_touch(box, 93, i);
    if (!(start.witness.distance > 0)) continue;
    const SurfaceWitness touching = ask(box, box, X);
    EXPECT_NEAR(touching.witness.distance, 0, 1e-15) << i;
    // A move along n parts the bodies by all of its length.
    const SurfaceWitness parted = ask(box, box, {X.R, X.p + 1e-7 * touching.witness.n});
    EXPECT_NEAR(parted.witness.distance, 1e-7, 1e-14) << i;
    // One normal alone where a face or two edges carry the points.
    const auto dimension = [](const Vec3<double>& weight) { return (weight.array() != 0).count() - 1; };
    if (dimension(start.weight_A) + dimension(start.weight_B) == 2) {
      EXPECT_LT((touching.witness.n - start.witness.n).norm(), 1e-9) << i;
    }
  }
}

// Scanned objects laid on one another, at the distance of rounding and beside it.
TEST(SurfaceTouching, DerivativesAreOfTheFeaturesThatHaveTheNormal) {
  const Surface *const mug = test::scanned_surface("025_mug"), *const banana =
                                                                   test::scanned_surface("011_banana");
  if (mug == nullptr || banana == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  int touching = 0, determined = 0;
  for (int i = 0; i < 100; ++i) {
    Random random(95, i);
    Pose<double> X;
    X.R = exp_rotation<double>(test::normal_vector(random));
    X.p = 0.5 * test::normal_vector(random).normalized();
    const SurfaceWitness start = ask(*banana, *mug, X);
    X.p -= start.witness.distance * start.witness.n;
    for (const double apart : {0.0, 1e-16, 1e-15, 1e-13, 1e-9}) {
      const Pose<double> there{X.R, X.p + apart * start.witness.n};
      const SurfaceWitness found = ask(*banana, *mug, there);
      if (found.witness.distance < 0) continue;
      const derivative::PairDerivative pair{
          found.witness, proximity::surface_derivative(view(*banana), view(*mug), there, found)};
      EXPECT_LT(test::broken_witness_equation(pair, 0.2), 1e-9)
          << i << ' ' << apart << ' ' << found.witness.distance;
      touching += found.witness.status == Status::kTouching;
      determined += found.witness.status == Status::kTouching && pair.derivative.clamped_count == 0;
    }
  }
  EXPECT_GT(touching, 100);
  EXPECT_GT(determined, 5);  // most are corners, which have no one normal
}

TEST(SurfaceTouching, ParallelFacesAreToldFromThoseThatAreNot) {
  const Surface box = preprocess::build_surface(test::subdivided(test::box(0.2, 0.2, 0.2), 1));
  const auto status = [&](const Pose<double>& X) {
    return proximity::surface_derivative(view(box), view(box), X, ask(box, box, X)).status;
  };
  const auto turned = [](const Vec3<double>& r, const Vec3<double>& p) {
    return Pose<double>{exp_rotation<double>(r), p};
  };
  EXPECT_EQ(status(turned({0, 0, 0}, {0.03, 0.05, 0.21})), Status::kClamped);    // face on face
  EXPECT_EQ(status(turned({0, 0, 0.4}, {0.03, 0.05, 0.21})), Status::kClamped);  // turned on it
  EXPECT_EQ(status(turned({0.3, 0, 0}, {0.03, 0.05, 0.25})), Status::kClamped);  // an edge along a face
  EXPECT_EQ(status(turned({0, 0, 0}, {0.05, 0.21, 0.25})), Status::kClamped);    // edges side by side
  EXPECT_EQ(status(turned({0.3, 0.2, 0}, {0.03, 0.05, 0.3})), Status::kOk);      // a corner over a face
  EXPECT_EQ(status(turned({0, 0, 0}, {0.21, 0.23, 0.22})), Status::kOk);         // corners
  EXPECT_EQ(status(turned({1e-6, 2e-6, 0}, {0.03, 0.05, 0.21})), Status::kOk);   // nearly parallel
  EXPECT_EQ(status(turned({0.3, 0, 0}, {0, 0, 0.05})), Status::kClamped);        // overlapping, along an edge
  EXPECT_EQ(status(turned({0, 0, 0}, {0.03, 0.05, 0.17})), Status::kClamped);    // overlapping, face in face
  EXPECT_EQ(status(turned({0.3, 0.2, 0}, {0.03, 0.04, 0.22})), Status::kOk);     // a corner dips into a face
}

// Resting flush: the distance is zero and the points slide. A corner on a face does not.
TEST(SurfaceTouching, PointsThatSlideAreClampedWhereBodiesTouchToo) {
  const Surface large = preprocess::build_surface(test::box(1, 1, 1)),
                small = preprocess::build_surface(test::box(0.5, 0.5, 0.5));
  proximity::SurfaceSmoother smooth;
  const auto expect = [&](const Pose<double>& X, Status status) {
    const SurfaceWitness found = ask(large, small, X);
    EXPECT_EQ(found.witness.status, Status::kTouching);
    const auto d = proximity::surface_derivative(view(large), view(small), X, found);
    EXPECT_EQ(d.status, status);
    EXPECT_EQ(d.clamped_count > 0, status == Status::kClamped);
    const auto smoothed = smooth(view(large), view(small), X, 2e-4).pair;
    EXPECT_EQ(smoothed.smoothed.status, Status::kTouching);
    EXPECT_EQ(smoothed.derivative.status, status);
    EXPECT_EQ(smoothed.derivative.clamped_count > 0, status == Status::kClamped);
  };
  expect({Mat3<double>::Identity(), {0.75, 0, 0}}, Status::kClamped);
  expect({Mat3<double>::Identity(), {0.75, 0.75, 0.1}}, Status::kClamped);
  const Mat3<double> R = turning(Vec3<double>(1, 1.1, 1.3).normalized(), Vec3<double>::UnitX());
  expect({R, {0.5 + (R * Vec3<double>(0.25, 0.25, 0.25)).x(), 0.1, 0.05}}, Status::kTouching);
}

asset::Asset asset_of(const Surface& surface) {
  asset::Asset asset;
  asset.surfaces.push_back(surface);
  return asset;
}

TEST(SurfaceTouching, BodiesThatTouchAreWithinAnyMargin) {
  const Surface box = preprocess::build_surface(test::subdivided(test::box(0.2, 0.2, 0.2), 1));
  const body::Body A{body::Geometry(asset_of(box))};
  const auto model = proximity::make_distance_model("surface");
  int contacts = 0;
  for (int i = 0; i < 50; ++i) {
    const auto [start, X] = brought_to_touch(box, 94, i);
    if (!(start.witness.distance > 0)) continue;
    EXPECT_GE(model->contacts({&A, &A, X}, 0, false).size(), 1u) << i;
    ++contacts;
  }
  EXPECT_GT(contacts, 40);
  EXPECT_EQ(model->contacts({&A, &A, {Mat3<double>::Identity(), {0.1, 0.05, 0.2}}}, 0, false).size(), 1u);
}

// 1 / d is the size of the derivatives.
TEST(SurfaceTouching, WhereDerivativesLeaveTheRangeOfDoubleIsNoAnswer) {
  const Surface box = preprocess::build_surface(test::box(0.2, 0.2, 0.2));
  for (const double far : {1e150, 1e300, 1e307})
    EXPECT_EQ(ask(box, box, {Mat3<double>::Identity(), {far, 0, 0}}).witness.status, Status::kOk) << far;
  for (const Vec3<double>& p : {Vec3<double>(1e308, 0, 0), Vec3<double>(1e308, -1e308, 1e308)}) {
    const witness::Witness<double> w = ask(box, box, {Mat3<double>::Identity(), p}).witness;
    EXPECT_EQ(w.status, Status::kInvalidInput);
    EXPECT_TRUE(std::isnan(w.distance) && std::isnan(w.n.x()));
  }
}

}  // namespace
