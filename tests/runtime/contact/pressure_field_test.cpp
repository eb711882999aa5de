#include "runtime/contact/pressure_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "runtime/contact/contact_mesh.h"
#include "runtime/contact/pressure_energy.h"
#include "tests/runtime/contact/pressure_brute_force.h"
#include "tests/runtime/contact/pressure_pair.h"
#include "tests/support/pressure_field_queries.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using contact::PressureFieldConfig;
using contact::SurfaceSums;
using contact::Want;
using test::moduli;

const PressureFieldConfig kUnit = moduli(1, 1);

SurfaceSums<double> ask(const asset::AssetView& A, const asset::AssetView& B, const Pose<double>& X_AB,
                        Want want = Want::kValue) {
  static contact::PressureFieldWorkspace<double> workspace;
  return contact::contact_surface<double>(A.volume, B.volume, X_AB, Vec6<double>::Zero(), kUnit, want,
                                          workspace);
}

class PressureFieldReference : public test::PressureFieldQueries {
 protected:
  test::ReferenceVolumes volumes_{1000};
};

TEST_F(PressureFieldReference, EveryWrenchIsRight) {
  ASSERT_EQ(queries_.size(), 200u);
  double worst_area = 0, worst_force = 0, worst_torque = 0;
  for (const test::PressureFieldQuery& q : queries_) {
    const SurfaceSums<double> sums = ask(volumes_[q.object_A], volumes_[q.object_B], q.X_AB);
    const Vec6<double> on_A = -shift_wrench(q.X_AB, sums.F_BBo_B), error = on_A - q.F_AAo_A;
    worst_area = test::worst_of(worst_area, std::abs(sums.area - q.area) / q.area);
    worst_force = test::worst_of(worst_force, error.tail<3>().norm() / q.F_AAo_A.tail<3>().norm());
    worst_torque = test::worst_of(worst_torque, error.head<3>().norm() / q.F_AAo_A.head<3>().norm());
  }
  std::printf("largest relative error: area %.1e, force %.1e, torque %.1e\n", worst_area, worst_force,
              worst_torque);
  EXPECT_LT(worst_area, 1e-11);
  EXPECT_LT(worst_force, 1e-11);
  EXPECT_LT(worst_torque, 1e-11);
}

// How far sums are from a reference, relative: the largest of area, force and torque so far.
void add_error(const SurfaceSums<double>& sums, const Pose<double>& X_AB, double area, const Vec6<double>& F,
               double& worst) {
  const Vec6<double> error = -shift_wrench(X_AB, sums.F_BBo_B) - F;
  worst =
      test::worst_of({worst, std::abs(sums.area - area) / area, error.tail<3>().norm() / F.tail<3>().norm(),
                      error.head<3>().norm() / F.head<3>().norm()});
}

// The reference drops faces whose normal is more than 5 pi / 8 from a pressure gradient that points the right
// way; its values with a rigid body have that rule, and so have those in reference_wrench_filtered.csv.
bool kept_by_the_reference(const contact::ContactFace& face) {
  const double least = std::cos(5 * std::numbers::pi / 8);
  const auto fits = [&](const Vec3<double>& gradient, double sign) {
    return gradient.isZero(0) || sign * face.n.dot(gradient) > least * gradient.norm();
  };
  return fits(face.gradient_A, 1) && fits(face.gradient_B, -1);
}

// The sums of the faces that the reference keeps, in B's frame.
SurfaceSums<double> filtered_sums(const contact::ContactMesh& mesh) {
  SurfaceSums<double> sums;
  const contact::ContactMesh triangles = triangulated(mesh);
  for (const contact::ContactFace& face : triangles.faces) {
    if (!kept_by_the_reference(face)) continue;
    sums.area += face.area;
    // The rule of degree 2 with points in the middles of the sides.
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = face.first + k, b = face.first + (k + 1) % 3;
      const Vec3<double> x = (triangles.corners[a] + triangles.corners[b]) / 2;
      const double p = (triangles.pressures[a] + triangles.pressures[b]) / 2;
      const Vec3<double> f = -face.area / 3 * p * face.n;
      sums.F_BBo_B.head<3>() += x.cross(f);
      sums.F_BBo_B.tail<3>() += f;
    }
  }
  return sums;
}

TEST_F(PressureFieldReference, EveryWrenchOnARigidSurfaceIsRight) {
  PressureFieldConfig rigid_A = kUnit, rigid_B = kUnit;
  rigid_A.A.modulus = rigid_B.B.modulus = contact::kRigid;
  double worst = 0, worst_exchanged = 0, worst_sum = 0;
  const Vec6<double> still = Vec6<double>::Zero();
  for (const test::PressureFieldQuery& q : queries_) {
    const asset::AssetView &A = volumes_[q.object_A], &B = volumes_[q.object_B];
    const body::Body soft = volumes_.body(q.object_A, rigid_B.A),
                     rigid = volumes_.body(q.object_B, rigid_B.B);
    const contact::ContactMesh mesh = contact::contact_mesh({&soft, &rigid, q.X_AB});
    add_error(filtered_sums(mesh), q.X_AB, q.rigid_area, q.F_AAo_A_rigid, worst);
    // The mesh with all its faces adds up to the model's wrench, whichever body is called A.
    Vec6<double> all = Vec6<double>::Zero();
    for (const contact::ContactFace& face : mesh.faces) all.tail<3>() -= face.area * face.pressure * face.n;
    const SurfaceSums<double> sums =
        contact::contact_surface<double>(A.volume, B.surface, q.X_AB, still, rigid_B, Want::kValue);
    const SurfaceSums<double> exchanged =
        contact::contact_surface<double>(B.surface, A.volume, q.X_AB.inverse(), still, rigid_A, Want::kValue);
    worst_sum = test::worst_of(worst_sum, (sums.F_BBo_B - all).tail<3>().norm() / all.tail<3>().norm());
    const Vec6<double> on_A = -shift_wrench(q.X_AB, sums.F_BBo_B);
    worst_exchanged = test::worst_of(worst_exchanged, (exchanged.F_BBo_B - on_A).norm() / on_A.norm());
  }
  std::printf("rigid: largest relative error %.1e; bodies exchanged %.1e, sum of faces %.1e\n", worst,
              worst_exchanged, worst_sum);
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(worst_exchanged, 1e-9);
  EXPECT_LT(worst_sum, 1e-11);
}

TEST_F(PressureFieldReference, EveryFilteredWrenchIsRight) {
  double worst = 0;
  for (const test::PressureFieldQuery& q : queries_) {
    const body::Body A = volumes_.body(q.object_A, kUnit.A), B = volumes_.body(q.object_B, kUnit.B);
    add_error(filtered_sums(contact::contact_mesh({&A, &B, q.X_AB})), q.X_AB, q.filtered_area,
              q.F_AAo_A_filtered, worst);
  }
  std::printf("filtered: largest relative error %.1e\n", worst);
  EXPECT_LT(worst, 1e-9);
}

Vec6<long double> wrench(const asset::AssetView& A, const asset::AssetView& B,
                         const Pose<long double>& X_AB) {
  static contact::PressureFieldWorkspace<long double> workspace;
  return contact::contact_surface<long double>(A.volume, B.volume, X_AB, Vec6<long double>::Zero(), kUnit,
                                               Want::kValue, workspace)
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

// The reference's Jacobian, d[force; torque on A about Ao]/d[w; p] with a rotation vector w and a translation
// in A's axes, from reference_jacobian_filtered.txt.
std::vector<Mat6<double>> read_reference_jacobians() {
  std::ifstream file(test::pressure_field_folder() / "reference_jacobian_filtered.txt");
  std::vector<Mat6<double>> result;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream in(line);
    int index = 0;
    in >> index;
    Mat6<double>& J = result.emplace_back();
    for (const int row : {3, 4, 5, 0, 1, 2})
      for (int k = 0; k < 6; ++k) in >> J(row, k);
  }
  return result;
}

// Ours in the reference's terms.
Mat6<double> in_terms_of_the_reference(const SurfaceSums<double>& sums, const Pose<double>& X_AB) {
  // F_AAo_A = -Ad(X_BA)' F, and X_BA turns with xi, which adds -ad(xi)' F; J_xi = J_ref blkdiag(R, R).
  const Mat3<double> tau = skew<double>(sums.F_BBo_B.head<3>()), f = skew<double>(sums.F_BBo_B.tail<3>());
  Mat6<double> turning, R_inverse = Mat6<double>::Zero();
  turning << -tau, -f, -f, Mat3<double>::Zero();
  R_inverse.topLeftCorner<3, 3>() = R_inverse.bottomRightCorner<3, 3>() = X_AB.R.transpose();
  return -adjoint(X_AB.inverse()).transpose() * (sums.dF_dxi_B + turning) * R_inverse;
}

// Where the two Jacobians differ by more than 1e-4 although the filter dropped nothing, differences of the
// model's own formulas in extended precision, by code that has nothing in common with the runtime's, decide:
// ours is right at every pose, and the reference's is off by the difference.
TEST_F(PressureFieldReference, JacobianIsTheReferencesWhereItDroppedNothing) {
  const std::vector<Mat6<double>> jacobians = read_reference_jacobians();
  ASSERT_EQ(jacobians.size(), queries_.size());
  std::vector<double> errors;
  const auto most = static_cast<std::size_t>(test::runs(3));
  std::size_t asked = 0;
  double worst_ours = 0, least_theirs = 1;
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const test::PressureFieldQuery& q = queries_[i];
    if (std::abs(q.area - q.filtered_area) > 1e-12 * q.area) continue;
    const asset::AssetView &A = volumes_[q.object_A], &B = volumes_[q.object_B];
    const Mat6<double> ours = in_terms_of_the_reference(ask(A, B, q.X_AB, Want::kJacobian), q.X_AB);
    errors.push_back((ours - jacobians[i]).norm() / ours.norm());
    if (errors.back() < 1e-4 || asked >= most) continue;
    ++asked;
    const Mat6<double> exact =
        test::BruteForce<long double>(A.volume, B.volume, q.X_AB, 1e-6).derivative(q.X_AB, 1e-9L);
    const double error = (ours - exact).norm() / exact.norm();
    const double theirs = (jacobians[i] - exact).norm() / exact.norm();
    const auto share = [&](int column) {
      return (jacobians[i] - exact).middleCols<3>(column).norm() / exact.middleCols<3>(column).norm();
    };
    std::printf("  pose %zu: ours off by %.1e, the reference's by %.1e (by turning %.1e, by shifting %.1e)\n",
                i, error, theirs, share(0), share(3));
    worst_ours = test::worst_of(worst_ours, error);
    least_theirs = std::min(least_theirs, theirs);
  }
  std::sort(errors.begin(), errors.end());
  std::printf(
      "Jacobian against the reference's on %zu poses: median %.1e, 95th percentile %.1e, largest %.1e\n",
      errors.size(), errors[errors.size() / 2], errors[errors.size() * 95 / 100], errors.back());
  EXPECT_GT(errors.size(), 50u);
  const auto close = std::lower_bound(errors.begin(), errors.end(), 1e-4) - errors.begin();
  std::printf(
      "within 1e-4 on %d; of the others, %zu looked into: ours off by at most %.1e, the reference's by "
      "at least %.1e\n",
      static_cast<int>(close), asked, worst_ours, least_theirs);
  EXPECT_LT(errors[errors.size() / 2], 1e-8);
  EXPECT_LT(errors.back(), 1e-2);
  EXPECT_LT(worst_ours, 1e-8);
  EXPECT_GT(least_theirs, 0.9e-4);
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
    worst = test::worst_of(worst, static_cast<double>((F - expected).norm() / F.norm()));
  }
  std::printf("largest relative difference of the wrench and the energy's gradient: %.1e\n", worst);
  EXPECT_LT(worst, 1e-7);
}

}  // namespace
