#include "runtime/proximity/overlap_volume.h"

#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "tests/support/real_surfaces.h"
#include "tests/support/runs.h"

// Volumes in common against those of boxes, and invariants on scanned objects.
namespace {

using namespace abut;
using asset::Surface;
using proximity::overlap_volume;
using proximity::OverlapVolume;

TEST(OverlapVolume, BoxesAlongTheAxesFlushOrNot) {
  const Vec3<double> sizes_A(0.2, 0.16, 0.1), sizes_B(0.1, 0.24, 0.1);
  for (const int fine : {0, 2}) {
    const Surface A = preprocess::build_surface(test::subdivided(test::box(0.2, 0.16, 0.1), fine)),
                  B = preprocess::build_surface(test::subdivided(test::box(0.1, 0.24, 0.1), fine));
    for (const Vec3<double>& p :
         {Vec3<double>(0, 0, 0), Vec3<double>(0.05, 0.04, 0), Vec3<double>(0.05, 0.04, 0.03),
          Vec3<double>(0.12, 0.1, 0.07), Vec3<double>(0, 0, 0.1 - 1e-9), Vec3<double>(0, 0, 0.1),
          Vec3<double>(0.1501, 0, 0), Vec3<double>(10, 0, 0)}) {
      Row6<double> slope = Row6<double>::Zero();
      Vec3<double> shared;
      for (int k = 0; k < 3; ++k)
        shared[k] = std::max(0.0, std::min(sizes_A[k] / 2, p[k] + sizes_B[k] / 2) -
                                      std::max(-sizes_A[k] / 2, p[k] - sizes_B[k] / 2));
      const double exact = shared.prod();
      const Pose<double> X{Mat3<double>::Identity(), p};
      const OverlapVolume v = overlap_volume(view(A), view(B), X),
                          w = overlap_volume(view(B), view(A), X.inverse());
      for (const OverlapVolume& found : {v, w}) {
        EXPECT_NEAR(found.volume, exact, found.error) << p.transpose();
        EXPECT_LT(found.error, 1e-14);
        EXPECT_EQ(found.status == Status::kNoOverlap, exact < 1e-12) << p.transpose();
        EXPECT_EQ(found.dvolume_dxi_B.norm() > 0, exact >= 1e-12) << p.transpose();
      }
      if (p == Vec3<double>(0.12, 0.1, 0.07)) {
        slope << 0, 0, 0, -shared[1] * shared[2], -shared[0] * shared[2], -shared[0] * shared[1];
        const Vec3<double> middle = sizes_A / 2 - shared / 2 - p;  // in B, of all that is common
        slope.head<3>() = middle.cross(slope.tail<3>().transpose());
        EXPECT_LT((v.dvolume_dxi_B - slope).norm(), 1e-14);
        EXPECT_EQ(v.status, Status::kOk);
      }
      if (p.z() == 0 && exact > 0) {
        EXPECT_EQ(v.status, Status::kClamped) << p.transpose();
      }
    }
  }
}

// On its own scale a body of a millionth of the other's size is flush, or is not.
TEST(OverlapVolume, SmallBodiesFlushWithLargeOnes) {
  const Surface large = preprocess::build_surface(test::box(1, 1, 1)),
                small = preprocess::build_surface(test::box(1e-6, 1e-6, 1e-6));
  for (const double overlap : {1e-6, 0.9e-6, 0.5e-6}) {
    const Pose<double> X{Mat3<double>::Identity(), {0.2, 0.1, 0.5 + 0.5e-6 - overlap}};
    for (const OverlapVolume& v : {overlap_volume(view(large), view(small), X),
                                   overlap_volume(view(small), view(large), X.inverse())}) {
      EXPECT_EQ(v.status, overlap == 1e-6 ? Status::kClamped : Status::kOk) << overlap;
      EXPECT_NEAR(v.volume, 1e-12 * overlap, v.error) << overlap;
    }
  }
}

// All of a scanned object is within a box about it and within itself.
TEST(OverlapVolume, WithinAndCoincident) {
  for (const char* const object : test::kScanned) {
    const Surface* scanned = test::scanned_surface(object);
    if (scanned == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    double exact = 0;
    for (std::int32_t t = 0; t < view(*scanned).triangle_count; ++t) {
      const auto [a, b, c] = distance::internal::triangle_of<double>(view(*scanned), t);
      exact += a.dot(b.cross(c)) / 6;
    }
    const Surface box = preprocess::build_surface(test::box(1, 1, 1));
    const Pose<double> turned{exp_rotation<double>({0.3, 0.5, -0.2}), {0.02, 0.01, -0.03}};
    const OverlapVolume within = overlap_volume(view(*scanned), view(box), turned),
                        itself = overlap_volume(view(*scanned), view(*scanned), {});
    EXPECT_EQ(within.status, Status::kOk);
    EXPECT_LT(within.dvolume_dxi_B.norm(), 1e-12);
    EXPECT_EQ(itself.status, Status::kClamped);
    for (const OverlapVolume& found : {within, itself}) {
      EXPECT_NEAR(found.volume, exact, found.error) << object;
      EXPECT_LT(found.error, 1e-12) << object;  // of boxes of a metre
    }
  }
}

TEST(OverlapVolume, ExchangeFramesAndDifferencesOfScannedObjects) {
  constexpr double kStep = 1e-5;
  int overlapping = 0, columns = 0, rough = 0;
  for (int i = 0; i < test::runs(12, 10); ++i) {
    Random random(85, i);
    const Surface* objects[2];
    for (const Surface*& object : objects)
      if ((object = test::scanned_surface(test::kScanned[random.below(4)])) == nullptr)
        GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const asset::SurfaceView A = view(*objects[0]), B = view(*objects[1]);
    const Pose<double> X{exp_rotation<double>(test::normal_vector(random)),
                         0.04 * test::normal_vector(random)};
    const OverlapVolume v = overlap_volume(A, B, X), w = overlap_volume(B, A, X.inverse());
    EXPECT_NEAR(v.volume, w.volume, v.error + w.error) << i;
    EXPECT_EQ(v.status, w.status) << i;
    if (v.status != Status::kOk) continue;
    ++overlapping;
    EXPECT_LT(v.error, 1e-12);
    // What acts on A is what acts on B, turned round.
    EXPECT_LT((w.dvolume_dxi_B.tail<3>().transpose() + X.R * v.dvolume_dxi_B.tail<3>().transpose()).norm(),
              1e-10 * v.dvolume_dxi_B.tail<3>().norm() + 1e-12);
    const auto at = [&](int k, double step) {
      return overlap_volume(A, B, X * exp<double>(step * Vec6<double>::Unit(k))).volume;
    };
    for (int k = 0; k < 6; ++k) {
      const double difference =
          (8 * (at(k, kStep) - at(k, -kStep)) - (at(k, 2 * kStep) - at(k, -2 * kStep))) / (12 * kStep);
      const double off = std::abs(v.dvolume_dxi_B[k] - difference) / v.dvolume_dxi_B.norm();
      EXPECT_LT(off, 1e-4) << i << " " << k;
      ++columns, rough += !(off <= 1e-5);  // edges come and go within the differences
    }
  }
  EXPECT_LE(rough, columns / 100);
  EXPECT_GT(overlapping, 4);
}

TEST(OverlapVolume, AnySizeAndBadInput) {
  const preprocess::TriangleMesh a = test::box(2, 1, 1), b = test::sphere(0.7, 3);
  const Pose<double> X{exp_rotation<double>({0.3, 0.5, -0.2}), {0.8, 0.1, 0.2}};
  const OverlapVolume one =
      overlap_volume(view(preprocess::build_surface(a)), view(preprocess::build_surface(b)), X);
  EXPECT_EQ(one.status, Status::kOk);
  for (const double scale : {1e-9, 1e-3, 1e6}) {
    preprocess::TriangleMesh large = a, ball = b;
    for (auto* mesh : {&large, &ball})
      for (Vec3<double>& v : mesh->vertices) v *= scale;
    const OverlapVolume v = overlap_volume(view(preprocess::build_surface(large)),
                                           view(preprocess::build_surface(ball)), {X.R, scale * X.p});
    EXPECT_NEAR(v.volume / std::pow(scale, 3), one.volume, 1e-13) << scale;
    EXPECT_EQ(v.status, Status::kOk) << scale;
  }
  const Surface A = preprocess::build_surface(a);
  for (const double p : {1e7, 1e300})
    EXPECT_EQ(overlap_volume(view(A), view(A), {X.R, {p, -p, p}}).status, Status::kNoOverlap);
  const OverlapVolume none = overlap_volume(view(A), view(A), {X.R, {std::nan(""), 0, 0}});
  EXPECT_EQ(none.status, Status::kInvalidInput);
  EXPECT_TRUE(std::isnan(none.volume) && std::isnan(none.error) && none.dvolume_dxi_B.array().isNaN().all());
}

}  // namespace
