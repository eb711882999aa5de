// Derivatives of pressure-field contact in motion: on the reference poses and objects at all levels of
// detail, on random ones, of rigid bodies and half-spaces.
#include <gtest/gtest.h>

#include "tests/runtime/contact/pressure_brute_force.h"
#include "tests/runtime/contact/pressure_differences.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_data.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using contact::kRigid;

constexpr double kBound = 1e-7;

class PressureMotion : public testing::Test {
 protected:
  void SetUp() override {
    queries_ = test::read_pressure_field_queries();
    if (queries_.empty()) GTEST_SKIP() << "needs the reference data in " << test::pressure_field_folder();
  }

  // All laws on some of the reference poses at a level.
  template <class Make>
  void check(const char* what, int level, int poses, const Make& make) {
    test::ReferenceVolumes volumes(level);
    for (const test::Law& law : test::kLaws) {
      Random random(41);
      test::Error error;
      for (int i = 0; i < poses; ++i) {
        const test::PressureFieldQuery& q = queries_[queries_.size() * std::size_t(i) / std::size_t(poses)];
        const auto ask = make(volumes[q.object_A], volumes[q.object_B], law);
        const test::Error here = test::error_of(ask, q.X_AB, test::random_twist(random), kBound);
        EXPECT_LE(here.largest, kBound) << what << ", " << law.name << ", level " << level << ", " << i;
        error.add(here);
      }
      std::printf("%s, level %d, %s, %d poses: largest error %.1e, %d columns at kinks\n", what, level,
                  law.name, poses, error.largest, error.kinks);
    }
  }

  std::vector<test::PressureFieldQuery> queries_;
};

auto compliant(double modulus_A, double modulus_B) {
  return [=](const asset::AssetView& A, const asset::AssetView& B, const test::Law& law) {
    return test::Contact{A, B, test::settings(law, modulus_A, modulus_B)};
  };
}

TEST_F(PressureMotion, JacobianOnTheReferencePoses) {
  check("moduli 1e5 and 3e5", 300, test::runs(4, 50), compliant(1e5, 3e5));
}
TEST_F(PressureMotion, JacobianOnTheReferencePosesFiner) {
  check("moduli 1e5 and 3e5", 1000, test::runs(1, 200), compliant(1e5, 3e5));
}
TEST_F(PressureMotion, JacobianOnTheReferencePosesFinest) {
  if (test::runs(1) == 1) GTEST_SKIP() << "in the full tier";
  check("moduli 1e5 and 3e5", 3000, 200, compliant(1e5, 3e5));
}
TEST_F(PressureMotion, JacobianForEqualModuli) {
  check("equal moduli", 300, test::runs(1, 200), compliant(1e7, 1e7));
}
TEST_F(PressureMotion, JacobianForRigidPartners) {
  check("A rigid", 300, test::runs(1, 50), compliant(kRigid, 3e5));
  check("B rigid", 300, test::runs(1, 50), compliant(1e5, kRigid));
}
TEST_F(PressureMotion, JacobianOnHalfSpaces) {
  for (const double modulus : {3e5, kRigid})
    check(modulus == kRigid ? "rigid half-space" : "half-space", 300, test::runs(1, 200),
          [&](const asset::AssetView& A, const asset::AssetView&, const test::Law& law) {
            return test::OnHalfSpace{A, test::settings(law, 1e5, modulus)};
          });
}

// Random rotations, centres near enough for the objects to overlap.
TEST_F(PressureMotion, JacobianOnRandomPoses) {
  test::ReferenceVolumes volumes(1000);
  const char* names[] = {"003_cracker_box", "006_mustard_bottle", "011_banana", "025_mug", "035_power_drill"};
  Random random(42);
  const int poses = test::runs(2, 150);
  test::Error error;
  for (int tried = 0; tried < poses;) {
    const asset::AssetView &A = volumes[names[random.below(5)]], &B = volumes[names[random.below(5)]];
    Pose<double> X_AB{test::random_rotation(random), {}};
    for (int k = 0; k < 3; ++k) X_AB.p[k] = random.uniform(-0.08, 0.08);
    const test::Law& law = test::kLaws[random.below(4)];
    const test::Contact ask{A, B, test::settings(law, 1e5, 3e5)};
    const Vec6<double> V = test::random_twist(random);
    if (ask(X_AB, V, contact::Want::kValue).polygons == 0) continue;
    ++tried;
    const test::Error here = test::error_of(ask, X_AB, V, kBound);
    EXPECT_LE(here.largest, kBound) << law.name << ", " << tried;
    error.add(here);
  }
  std::printf("%d random poses: largest error %.1e, %d columns at kinks\n", poses, error.largest,
              error.kinks);
}

// The runtime's Jacobian against differences by code that shares nothing with it.
struct AgainstBruteForce {
  test::Contact contact;
  const test::BruteForce<long double>& exact;

  contact::SurfaceSums<double> operator()(const Pose<double>& X_AB, const Vec6<double>& V,
                                          contact::Want want) const {
    return contact(X_AB, V, want);
  }
  contact::SurfaceSums<long double> operator()(const Pose<long double>& X_AB, const Vec6<long double>& V,
                                               contact::Want) const {
    contact::SurfaceSums<long double> sums;
    sums.F_BBo_B = -shift_wrench(X_AB.inverse(), exact.wrench_on_A(X_AB, adjoint(X_AB) * V));
    return sums;
  }
};

TEST_F(PressureMotion, JacobianIsThatOfTheFormulas) {
  test::ReferenceVolumes volumes(300);
  const int poses = test::runs(1, 40);
  Random random(43);
  test::Error error;
  double wrench = 0;
  for (int i = 0; i < poses; ++i) {
    const test::PressureFieldQuery& q = queries_[queries_.size() * std::size_t(i) / std::size_t(poses)];
    const asset::AssetView &A = volumes[q.object_A], &B = volumes[q.object_B];
    const test::Law& law = test::kLaws[(i + 3) % 4];
    const test::Contact contact{A, B, test::settings(law, 1e5, 3e5)};
    const long double chi = law.chi;
    const test::BruteForce<long double> exact(A.volume, B.volume, q.X_AB, 1e-6,
                                              {1e5L, 3e5L, chi / 1e5L + chi / 3e5L, law.mu, 1e-3L, law.fade});
    const AgainstBruteForce ask{contact, exact};
    const Vec6<double> V = test::random_twist(random);
    const test::Error here = test::error_of(ask, q.X_AB, V, kBound);
    EXPECT_LE(here.largest, kBound) << law.name << ", " << i;
    error.add(here);
    const Vec6<double> F = ask(q.X_AB, V, contact::Want::kValue).F_BBo_B;
    const Vec6<long double> G =
        ask(q.X_AB.cast<long double>(), V.cast<long double>().eval(), contact::Want::kValue).F_BBo_B;
    wrench = test::worst_of(wrench, (F - G.cast<double>()).norm() / std::max(F.norm(), 1e-300));
  }
  std::printf(
      "%d poses against brute force: largest error of the wrench %.1e, of the Jacobian %.1e, %d columns at "
      "kinks\n",
      poses, wrench, error.largest, error.kinks);
  EXPECT_LT(wrench, 1e-10);
}

// A rim along many corners of both bodies.
TEST_F(PressureMotion, JacobianWhereManyCornersCoincide) {
  test::ReferenceVolumes volumes(1000);
  const Pose<double> X_AB{
      rotation_from_quaternion(0.095010984976377, 0.358807589342352, 0.033141114707672, 0.927971817025700),
      {0.0788199271541069, -0.0425770841698218, 0.0352547431789822}};
  Vec6<double> V;
  V << -0.4676, -1.1932, -1.4925, -0.0303, -0.1309, 0.0244;
  const asset::AssetView &bottle = volumes["006_mustard_bottle"], &drill = volumes["035_power_drill"];
  for (const test::Law& law : {test::kLaws[0], test::kLaws[1]})
    for (const bool exchanged : {false, true}) {
      const test::Contact ask{exchanged ? drill : bottle, exchanged ? bottle : drill,
                              test::settings(law, 1e5, 3e5)};
      const Pose<double> X = exchanged ? X_AB.inverse() : X_AB;
      EXPECT_GT(ask(X, V, contact::Want::kValue).polygons, 0);
      const test::Error error = test::error_of(ask, X, V, kBound);
      std::printf("mustard bottle and power drill, %s: largest error %.1e\n", law.name, error.largest);
      EXPECT_LE(error.largest, kBound);
      EXPECT_EQ(error.kinks, 0);
    }
}

}  // namespace
