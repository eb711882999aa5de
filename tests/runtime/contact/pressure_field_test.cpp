#include "runtime/contact/pressure_field.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/contact/pressure_energy.h"
#include "tests/support/pressure_field_data.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using contact::PressureFieldConfig;
using contact::SurfaceSums;
using contact::Want;

constexpr PressureFieldConfig kUnit = {.modulus_A = 1, .modulus_B = 1};

SurfaceSums<double> ask(const asset::AssetView& A, const asset::AssetView& B, const Pose<double>& X_AB,
                        Want want = Want::kValue) {
  static contact::PressureFieldWorkspace<double> workspace;
  return contact::contact_surface<double>(A.volume, B.volume, X_AB, kUnit, want, workspace);
}

class PressureFieldReference : public testing::Test {
 protected:
  void SetUp() override {
    queries_ = test::read_pressure_field_queries();
    if (queries_.empty()) GTEST_SKIP() << "needs the reference data in " << test::pressure_field_folder();
  }
  std::vector<test::PressureFieldQuery> queries_;
  test::ReferenceVolumes volumes_{1000};
};

TEST_F(PressureFieldReference, EveryWrenchIsRight) {
  ASSERT_EQ(queries_.size(), 200u);
  double worst_area = 0, worst_force = 0, worst_torque = 0;
  for (const test::PressureFieldQuery& q : queries_) {
    const SurfaceSums<double> sums = ask(volumes_[q.object_A], volumes_[q.object_B], q.X_AB);
    const Vec6<double> on_A = -shift_wrench(q.X_AB, sums.F_BBo_B), error = on_A - q.F_AAo_A;
    worst_area = std::max(worst_area, std::abs(sums.area - q.area) / q.area);
    worst_force = std::max(worst_force, error.tail<3>().norm() / q.F_AAo_A.tail<3>().norm());
    worst_torque = std::max(worst_torque, error.head<3>().norm() / q.F_AAo_A.head<3>().norm());
  }
  std::printf("largest relative error: area %.1e, force %.1e, torque %.1e\n", worst_area, worst_force,
              worst_torque);
  EXPECT_LT(worst_area, 1e-11);
  EXPECT_LT(worst_force, 1e-11);
  EXPECT_LT(worst_torque, 1e-11);
}

Vec6<long double> wrench(const asset::AssetView& A, const asset::AssetView& B,
                         const Pose<long double>& X_AB) {
  static contact::PressureFieldWorkspace<long double> workspace;
  return contact::contact_surface<long double>(A.volume, B.volume, X_AB, kUnit, Want::kValue, workspace)
      .F_BBo_B;
}

// Central differences of the wrench itself in extended precision, of fourth order so that the steps may be
// far above its rounding.
Mat6<double> differences(const asset::AssetView& A, const asset::AssetView& B, const Pose<double>& X_AB,
                         long double step) {
  Mat6<double> result;
  for (int k = 0; k < 6; ++k) {
    const auto at = [&](long double h) {
      Vec6<long double> xi = Vec6<long double>::Zero();
      xi[k] = h;
      return wrench(A, B, X_AB.cast<long double>() * exp(xi));
    };
    result.col(k) =
        ((8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)).cast<double>();
  }
  return result;
}

TEST_F(PressureFieldReference, JacobianIsTheWrenchsOwn) {
  std::vector<double> errors;
  const std::size_t stride = queries_.size() / static_cast<std::size_t>(test::runs(10));
  for (std::size_t i = 0; i < queries_.size(); i += stride) {
    const test::PressureFieldQuery& q = queries_[i];
    const asset::AssetView &A = volumes_[q.object_A], &B = volumes_[q.object_B];
    const Mat6<double> J = ask(A, B, q.X_AB, Want::kJacobian).dF_dxi_B;
    errors.push_back((J - differences(A, B, q.X_AB, 1e-9L)).norm() / J.norm());
  }
  std::sort(errors.begin(), errors.end());
  std::printf("relative error of the Jacobian on %zu poses: median %.1e, largest %.1e\n", errors.size(),
              errors[errors.size() / 2], errors.back());
  EXPECT_LT(errors.back(), 1e-6);
}

// F = -dU/dxi along the direction of the wrench's own largest components, steps scaled to the pose's depth.
TEST_F(PressureFieldReference, WrenchIsTheGradientOfTheEnergy) {
  double worst = 0;
  const std::size_t stride = queries_.size() / static_cast<std::size_t>(test::runs(2, 100));
  for (std::size_t i = 0; i < queries_.size(); i += stride) {
    const test::PressureFieldQuery& q = queries_[i];
    const asset::AssetView &A = volumes_[q.object_A], &B = volumes_[q.object_B];
    const Pose<long double> X_AB = q.X_AB.cast<long double>();
    const Vec6<long double> F = wrench(A, B, X_AB);
    const auto energy = [&](long double h, int k) {
      Vec6<long double> xi = Vec6<long double>::Zero();
      xi[k] = h;
      return contact::pressure_energy<long double>(A.volume, B.volume, X_AB * exp(xi), kUnit);
    };
    const long double h = 1e-8L;
    Vec6<long double> expected;
    for (int k = 0; k < 6; ++k)
      expected[k] = -(8 * (energy(h, k) - energy(-h, k)) - (energy(2 * h, k) - energy(-2 * h, k))) / (12 * h);
    worst = std::max(worst, static_cast<double>((F - expected).norm() / F.norm()));
  }
  std::printf("largest relative difference of the wrench and the energy's gradient: %.1e\n", worst);
  EXPECT_LT(worst, 1e-7);
}

}  // namespace
