#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "runtime/proximity/surface_contacts.h"
#include "tests/support/real_surfaces.h"
#include "tests/support/runs.h"

// Depths of surfaces that overlap, their derivatives, and regions that overlap, on scanned objects and on
// boxes with many coplanar triangles.
namespace {

using namespace abut;
using asset::Surface;
using proximity::SurfaceWitness;
using test::ask;

TEST(SurfaceOverlap, ParallelWallsAreSearchedToTheEndInBothOrders) {
  const auto expect_depth = [](const Surface& A, const Surface& B, const Pose<double>& X, double depth) {
    for (const witness::Witness<double>& w : {ask(A, B, X).witness, ask(B, A, X.inverse()).witness}) {
      EXPECT_EQ(w.status, Status::kOk) << depth;
      EXPECT_NEAR(w.distance, -depth, 1e-12);
      EXPECT_LE(w.distance - w.lower_bound, 2e-6 * depth + 1e-8);
    }
  };
  for (const int fine : {0, 2, 4}) {
    const Surface bar = preprocess::build_surface(test::subdivided(test::box(4, 0.2, 0.2), fine));
    const Surface large = preprocess::build_surface(test::subdivided(test::box(2, 2, 2), fine)),
                  small = preprocess::build_surface(test::subdivided(test::box(0.2, 0.2, 0.2), fine));
    const Mat3<double> crossed = exp_rotation<double>({0, 0, 1.1});
    expect_depth(bar, bar, {crossed, {0.1, 0, 0.15}}, 0.05);
    expect_depth(bar, bar, {crossed, {0.1, 0.01, 0}}, 0.1);
    expect_depth(bar, bar, {Mat3<double>::Identity(), {0.1, 0.05, 0.03}}, 0.1);
    expect_depth(bar, bar, {Mat3<double>::Identity(), {0, 0, 1e-7}}, 1e-7);
    expect_depth(large, small, {Mat3<double>::Identity(), {0.3, 0, 0}}, 0.8);
    expect_depth(large, small, {Mat3<double>::Identity(), {0, 0, 0}}, 0.9);
  }
}

// The bound of an unfinished search is the greatest of the parts that it leaves, also among those of equal
// rank in single precision: where it rises as steps are added, since parts of a part may have worse bounds,
// it rises by more than that rounding.
TEST(SurfaceOverlap, BoundsOfUnfinishedSearchesPassNoPartOver) {
  const preprocess::TriangleMesh octahedron = {
      {{0.04, 0, 0}, {-0.04, 0, 0}, {0, 0.04, 0}, {0, -0.04, 0}, {0, 0, 0.04}, {0, 0, -0.04}},
      {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  const Surface tip = preprocess::build_surface(octahedron),
                cube = preprocess::build_surface(test::box(0.1, 0.1, 0.1));
  distance::DeepestSearch search;
  int unfinished = 0;
  for (int i = 0; i < 12; ++i) {
    Random random(5, i);
    const Pose<double> X{i % 2 ? exp_rotation<double>(test::normal_vector(random)) : Mat3<double>::Identity(),
                         (i % 4 < 2 ? 0.02 : 1e-9) * test::normal_vector(random)};
    double before = std::numeric_limits<double>::infinity();
    for (std::int32_t limit = 1; limit < 300; ++limit) {
      const distance::DeepestPoint found = search(view(tip), view(cube), X, 0, limit);
      if (found.complete) break;
      ++unfinished;
      const double rise = found.bound / before - 1;
      EXPECT_FALSE(rise > 1e-14 && rise < 1e-7) << i << " " << limit << " " << rise;
      before = found.bound;
    }
  }
  EXPECT_GT(unfinished, 1000);
}

// Flush faces, from overlaps that are lost in rounding on.
TEST(SurfaceOverlap, FacesThatHardlyOverlapAreSearchedToTheEnd) {
  proximity::ContactFinder find;
  for (const int fine : {0, 3}) {
    const Surface slab = preprocess::build_surface(test::subdivided(test::box(0.2, 0.16, 0.02), fine)),
                  cube = preprocess::build_surface(test::subdivided(test::box(0.1, 0.1, 0.1), fine));
    for (const Surface* B : {&slab, &cube}) {
      for (const double overlap : {1e-15, 1e-14, 3e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-8, 1e-6}) {
        for (const double turn : {0.0, 0.3}) {
          const double at = (B == &slab ? 0.02 : 0.06) - overlap;
          const Pose<double> X{exp_rotation<double>({0, 0, turn}), {0.01, 0.02, at}};
          const witness::Witness<double> w = ask(slab, *B, X).witness;
          EXPECT_TRUE(w.status == Status::kOk || w.status == Status::kTouching) << overlap;
          EXPECT_LE(std::abs(w.distance + overlap), w.status == Status::kTouching ? 4e-14 : 1e-15) << overlap;
          EXPECT_LE(w.lower_bound, -overlap + 1e-16);
          EXPECT_GE(w.lower_bound, -overlap * (1 + 2e-6) - 1e-10);  // 3e-10 of the size
          EXPECT_LT((w.n - Vec3<double>::UnitZ()).norm(), 1e-6) << overlap;
          for (const auto& contact : find(view(slab), view(*B), X, 0).contacts)
            EXPECT_NE(contact.found.witness.status, Status::kNotConverged) << overlap;
        }
      }
    }
  }
}

// Regular bodies: depths that are equal at several points or from several features have the same status in
// poses that differ by rounding, in another frame and with the bodies exchanged; where it is `ok`, the points
// and the normal stay.
TEST(SurfaceOverlap, EqualDepthsHaveOneStatus) {
  const preprocess::TriangleMesh shapes[] = {test::box(0.2, 0.16, 0.02), test::box(0.24, 0.02, 0.02),
                                             test::box(0.1, 0.1, 0.1),
                                             test::subdivided(test::box(0.24, 0.02, 0.02), 2)};
  const auto answer = [](const Surface& A, const Surface& B, const Pose<double>& X) {
    const SurfaceWitness found = ask(A, B, X);
    return std::pair{found.witness, proximity::surface_derivative(view(A), view(B), X, found).status};
  };
  int overlapping = 0, smooth = 0;
  for (int i = 0; i < test::runs(300, 6); ++i) {
    Random random(80, i);
    const preprocess::TriangleMesh &a = shapes[random.below(4)], &b = shapes[random.below(4)];
    const Surface A = preprocess::build_surface(a), B = preprocess::build_surface(b);
    Pose<double> X{exp_rotation<double>(Vec3<double>(random.normal(), random.normal(), random.normal())),
                   0.02 * Vec3<double>(random.normal(), random.normal(), random.normal())};
    if (i % 3 == 0)
      X = {exp_rotation<double>({0, 0, 1.1 * double(i % 2)}), 0.01 * Vec3<double>(i % 4, i % 3, i % 5 - 2)};
    const auto [w, status] = answer(A, B, X);
    if (!(w.distance < -1e-6)) continue;
    ++overlapping;
    smooth += status == Status::kOk;
    for (int k = 0; k < 6; ++k) {
      const auto [v, beside] = answer(A, B, X * exp<double>(1e-13 * Vec6<double>::Unit(k)));
      EXPECT_EQ(beside, status) << i << " " << k;
      EXPECT_NEAR(v.distance, w.distance, 1e-12);
      if (status == Status::kOk) {
        EXPECT_LT((v.p1 - w.p1).norm() + (v.p2 - w.p2).norm() + (v.n - w.n).norm(), 1e-6) << i << " " << k;
      }
    }
    EXPECT_EQ(answer(B, A, X.inverse()).second, status) << i;
    const Pose<double> frame{exp_rotation<double>(Vec3<double>(random.normal(), random.normal(), 1)),
                             Vec3<double>(random.normal(), random.normal(), 0)};
    preprocess::TriangleMesh moved = a;
    for (Vec3<double>& v : moved.vertices) v = frame * v;
    EXPECT_EQ(answer(preprocess::build_surface(moved), B, frame * X).second, status) << i;
  }
  EXPECT_GT(smooth, overlapping / 5);
  EXPECT_LT(smooth, overlapping * 4 / 5);
}

TEST(SurfaceOverlap, AScannedObjectMovedOutOfItselfIsSearchedToTheEnd) {
  for (const char* const object : test::kScanned) {
    const Surface* scanned = test::scanned_surface(object);
    if (scanned == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const double step = 1e-2;
    const Pose<double> X{Mat3<double>::Identity(), {0, 0, step}};
    const witness::Witness<double> w = ask(*scanned, *scanned, X).witness,
                                   v = ask(*scanned, *scanned, X.inverse()).witness;
    EXPECT_EQ(w.status, Status::kOk) << object;
    EXPECT_EQ(v.status, Status::kOk) << object;
    EXPECT_NEAR(w.distance, v.distance, 2e-6 * step + 1e-9) << object;
    EXPECT_LE(-w.distance, step * (1 + 1e-9));
  }
}

// Thousands of faces that are as deep but for their tilt: the search ends, with bounds that tell how well.
TEST(SurfaceOverlap, AScannedObjectMovedOutOfItselfByLittleTakesFewSteps) {
  for (const char* const object : test::kScanned) {
    const Surface* scanned = test::scanned_surface(object);
    if (scanned == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    for (const double step : {1e-6, 1e-5, 1e-4, 1e-3}) {
      const Pose<double> X{Mat3<double>::Identity(), step * Vec3<double>(0.4, -0.5, 0.77).normalized()};
      for (const witness::Witness<double>& w :
           {ask(*scanned, *scanned, X).witness, ask(*scanned, *scanned, X.inverse()).witness}) {
        EXPECT_GT(w.iterations, 1000);
        EXPECT_LE(w.iterations, 2 * distance::kMaxDepthSteps + 1000) << object << " " << step;
        EXPECT_GE(w.lower_bound, -step * (1 + 2e-6) - 3e-10) << object << " " << step;
        EXPECT_LE(w.lower_bound, w.distance);
        EXPECT_LT(w.distance, -0.9 * step);
        EXPECT_GE(w.distance, -step * (1 + 1e-9));
      }
    }
  }
}

// A corner within a box, three of whose faces are nearly as far: everything that is told is of one of them.
TEST(SurfaceOverlap, FacesNearlyAsDeepAreToldByOne) {
  preprocess::TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0.08, 0, 0}, {0, 0.06, 0}, {0.01, 0.02, 0.09}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const Surface A = preprocess::build_surface(mesh), B = preprocess::build_surface(test::box(0.1, 0.1, 0.1));
  const Vec3<double> turned(-1, 1, -1);
  for (const double off : {1e-13, 1e-12, 2e-11, 1e-10}) {
    const Pose<double> X{turned.asDiagonal(), off * Vec3<double>(-0.65, -0.9, 0.1)};
    const auto expect_one = [&](const Surface& a, const Surface& b, const Pose<double>& X_ab,
                                bool corner_of_A) {
      const SurfaceWitness found = ask(a, b, X_ab);
      const witness::Witness<double>& w = found.witness;
      EXPECT_LT((w.p2 - w.p1 - w.distance * w.n).norm(), 1e-16) << off;
      const auto d = proximity::surface_derivative(view(a), view(b), X_ab, found);
      EXPECT_LT((d.dd_dxi_B.tail<3>().transpose() - X_ab.R.transpose() * w.n).norm(), 1e-9) << off;
      const Vec3<double> arm = X_ab.R.transpose() * ((corner_of_A ? w.p2 : w.p1) - X_ab.p);
      EXPECT_LT((d.dd_dxi_B.head<3>().transpose() - arm.cross(X_ab.R.transpose() * w.n)).norm(), 1e-9) << off;
      EXPECT_EQ(d.status, Status::kClamped) << off;
    };
    expect_one(A, B, X, true);
    expect_one(B, A, X.inverse(), false);
  }
}

// A point in a face of a slab between four equally near facets of a torus, any of which may give the normal,
// and the tip of a ball that hardly enters: whichever of the features rounding takes first, one status in
// every frame, and one normal where it is `ok`.
TEST(SurfaceOverlap, SymmetricDepthsHaveOneStatusInEveryFrame) {
  const preprocess::TriangleMesh slab = test::box(0.2, 0.16, 0.02), torus = test::torus(0.05, 0.015, 24, 12),
                                 ball = test::sphere(0.04, 2);
  const auto moved = [](preprocess::TriangleMesh mesh, const Pose<double>& frame) {
    for (Vec3<double>& v : mesh.vertices) v = frame * v;
    return preprocess::build_surface(mesh);
  };
  const auto expect_one = [&](const preprocess::TriangleMesh& a, const preprocess::TriangleMesh& b,
                              const Vec3<double>& p, Status expected) {
    Vec3<double> first = Vec3<double>::Zero();  // the normal in the body's own frame
    for (int i = 0; i < 20; ++i) {
      Random random(81, i);
      const auto frame = [&] {
        return Pose<double>{
            exp_rotation<double>(Vec3<double>(random.normal(), random.normal(), random.normal())),
            0.1 * Vec3<double>(random.normal(), random.normal(), random.normal())};
      };
      const Pose<double> of_A = frame(), of_B = frame(), X{Mat3<double>::Identity(), p};
      const Surface A = moved(a, of_A), B = moved(b, of_B);
      const Pose<double> X_AB = of_A * X * of_B.inverse();
      const SurfaceWitness found = ask(A, B, X_AB);
      EXPECT_EQ(proximity::surface_derivative(view(A), view(B), X_AB, found).status, expected) << i;
      const Vec3<double> n = of_A.R.transpose() * found.witness.n;
      if (i == 0) first = n;
      if (expected == Status::kOk) {
        EXPECT_LT((n - first).norm(), 1e-6) << i;
      }
    }
  };
  for (const double off : {0.0, 7.952e-13})
    expect_one(slab, torus, {0.15455127018772488, 0.04850480946177, off - 0.0025}, Status::kClamped);
  expect_one(ball, slab, {0.1399999999761453, -0.012946635468813097, 0.006273208951999902}, Status::kOk);
}

// Where the deepest point is in the middle of a face, three features are equally near: dd is that of the
// depth, not one feature's, and the points and the normal have derivatives, too.
TEST(SurfaceOverlap, DerivativesAreThoseOfTheDepth) {
  constexpr double kStep = 1e-7;
  int carried[3] = {}, columns = 0, bent = 0;
  for (int i = 0; i < test::runs(16, 10); ++i) {
    Random random(78, i);
    const Surface* objects[2];
    for (const Surface*& object : objects)
      if ((object = test::scanned_surface(test::kScanned[random.below(4)])) == nullptr)
        GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Surface &A = *objects[0], &B = *objects[1];
    const auto unit = [&] {
      return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
    };
    const Pose<double> X{exp_rotation<double>(random.uniform(0, 3) * unit()),
                         random.uniform(0, 0.06) * unit()};
    const SurfaceWitness found = ask(A, B, X);
    if (!(found.witness.distance < 0)) continue;
    const auto d = proximity::surface_derivative(view(A), view(B), X, found);
    if (d.status != Status::kOk) continue;
    ++carried[2 - ((found.of_A ? found.weight_A : found.weight_B).array() == 0).count()];
    for (int k = 0; k < 6; ++k) {
      const auto at = [&](double step) {
        return ask(A, B, X * exp<double>(step * Vec6<double>::Unit(k))).witness;
      };
      const witness::Witness<double> p = at(kStep), m = at(-kStep);
      // Other features carry the point within the step.
      const double bend = std::abs(p.distance + m.distance - 2 * found.witness.distance);
      if (++columns; bend > 1e-4 * kStep) {
        ++bent;
        continue;
      }
      EXPECT_NEAR(d.dd_dxi_B[k], (p.distance - m.distance) / (2 * kStep), 1e-7) << i << " " << k;
      EXPECT_LT((d.dp1_A_dxi_B.col(k) - (p.p1 - m.p1) / (2 * kStep)).norm(), 1e-6) << i << " " << k;
      EXPECT_LT((d.dp2_A_dxi_B.col(k) - (p.p2 - m.p2) / (2 * kStep)).norm(), 1e-6) << i << " " << k;
      EXPECT_LT((d.dn_A_dxi_B.col(k) - (p.n - m.n) / (2 * kStep)).norm(), 1e-5) << i << " " << k;
    }
  }
  EXPECT_LE(bent, columns / 100);
  EXPECT_GT(carried[2], 10);              // in faces
  EXPECT_GT(carried[0] + carried[1], 0);  // on edges and corners
}

// Regions at any margin: the deepest is the separation's.
TEST(SurfaceOverlap, TheDeepestContactIsTheSeparations) {
  proximity::ContactFinder find;
  int overlapping = 0;
  for (int i = 0; i < 4; ++i) {
    Random random(79, i);
    const Surface *A = test::scanned_surface(test::kScanned[i % 4]),
                  *B = test::scanned_surface(test::kScanned[(i + 1) % 4]);
    if (A == nullptr || B == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Pose<double> X{
        exp_rotation<double>(Vec3<double>(random.normal(), random.normal(), random.normal())),
        0.04 * Vec3<double>(random.normal(), random.normal(), random.normal())};
    const SurfaceWitness deepest = ask(*A, *B, X);
    overlapping += deepest.witness.distance < 0;
    for (const double margin : {0.0, 1e-3, 0.05, 1e6}) {
      const auto found = find(view(*A), view(*B), X, margin);
      if (deepest.witness.distance > margin) {
        EXPECT_TRUE(found.contacts.empty());
      } else {
        ASSERT_FALSE(found.contacts.empty()) << i << " " << margin;
        EXPECT_EQ(found.contacts[0].found.witness.distance, deepest.witness.distance) << i << " " << margin;
      }
    }
  }
  EXPECT_GT(overlapping, 1);
}

}  // namespace
