#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "runtime/math/adjoint.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/proximity/patch_derivative.h"
#include "tests/support/real_surfaces.h"

// Derivatives of surfaces as if they were smooth.
namespace {

using namespace abut;
using proximity::Patch;

Vec3<double> normal_vector(Random& random) {
  const double x = random.normal(), y = random.normal(), z = random.normal();
  return {x, y, z};
}

// Two scanned objects about `gap` (m) apart.
struct PosedPair {
  const asset::Surface &A, &B;
  Pose<double> X;
  proximity::SurfaceWitness found;

  PosedPair(const asset::Surface& a, const asset::Surface& b, Random& random, double gap)
      : A(a), B(b), X{exp_rotation<double>(normal_vector(random)), 0.5 * normal_vector(random).normalized()} {
    const auto far = test::ask(A, B, X).witness;
    X.p += (gap - far.distance) * far.n;
    found = test::ask(A, B, X);
  }
};

body::Body body_of(const asset::Surface& surface) {
  asset::Asset asset;
  asset.surfaces.push_back(surface);
  return {body::Geometry(std::move(asset)), {}};
}

// Within the 5 % that the window, which ends at three reaches, leaves out.
TEST(SurfacePatches, CurvatureOfSpheresAndFlats) {
  const double r = 0.05;  // m
  const asset::Surface ball = preprocess::build_surface(test::sphere(r, 5));
  for (const double radius : {0.01, 0.05, 1.0}) {
    Random random(1, 0);
    for (int i = 0; i < 20; ++i) {
      const Vec3<double> n = normal_vector(random).normalized();
      const auto T = tangent_basis(n);
      const auto H = proximity::patch_curvature(view(ball), r * n, n, T, {0.2 * r, radius}).H;
      const double expected = 1 / (1 / r + 1 / radius);
      EXPECT_LT((H / expected - derivative::Mat2<double>::Identity()).cwiseAbs().maxCoeff(), 0.06) << radius;
    }
  }
  const asset::Surface box = preprocess::build_surface(test::box(0.2, 0.2, 0.2));  // of twelve triangles
  const Vec3<double> n(0, 0, 1);
  const double top = box.vertices.empty() ? 0 : *std::max_element(box.vertices.begin(), box.vertices.end());
  const auto H =
      proximity::patch_curvature(view(box), {top - 0.07, top - 0.11, top}, n, tangent_basis(n), {0.01, 0.03});
  EXPECT_LT((H.H / 0.03 - derivative::Mat2<double>::Identity()).cwiseAbs().maxCoeff(), 0.06);
}

// However large the triangles are beside the reach.
TEST(SurfacePatches, AFlatIsOneForEveryReach) {
  const asset::Surface box = preprocess::build_surface(test::box(2, 2, 2));
  const double top = *std::max_element(box.vertices.begin(), box.vertices.end());
  const Vec3<double> n(0, 0, 1), p(0.3 * top, 0.17 * top, top);
  for (const double reach : {1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 1e-9}) {
    const auto H = proximity::patch_curvature(view(box), p, n, tangent_basis(n), {reach, 0.05}).H;
    EXPECT_LT((H / 0.05 - derivative::Mat2<double>::Identity()).cwiseAbs().maxCoeff(), 0.06) << reach;
  }
}

// What holds whatever the curvatures: the witness equation, and the distance's own derivative, which is that
// of the features. What holds of both bodies alike: exchanged, they answer the same.
TEST(SurfacePatches, InvariantsOnScannedObjects) {
  for (int i = 0; i < 30; ++i) {
    Random random(7, static_cast<std::uint64_t>(i));
    const asset::Surface* const a = test::scanned_surface(test::kScanned[random.below(4)]);
    const asset::Surface* const b = test::scanned_surface(test::kScanned[random.below(4)]);
    if (a == nullptr || b == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const PosedPair posed(*a, *b, random, std::pow(10, random.uniform(-4, -1.5)));
    const auto& w = posed.found.witness;
    if (!(w.distance > 0)) continue;
    const Patch of_A{random.uniform(1e-3, 2e-2), 0.03}, of_B{random.uniform(1e-3, 2e-2), 0.05};
    const auto d = proximity::patch_derivative(view(*a), view(*b), posed.X, w, of_A, of_B);
    ASSERT_TRUE(d.status == Status::kOk || d.status == Status::kClamped);
    EXPECT_LT((d.dp2_A_dxi_B - d.dp1_A_dxi_B - w.n * d.dd_dxi_B - w.distance * d.dn_A_dxi_B).norm(), 1e-12);
    const auto features = proximity::surface_derivative(view(*a), view(*b), posed.X, posed.found);
    EXPECT_LT((d.dd_dxi_B - features.dd_dxi_B).norm(), 1e-9);

    const Pose<double> X_BA = posed.X.inverse();
    witness::Witness<double> mirrored = w;
    mirrored.p1 = X_BA * w.p2, mirrored.p2 = X_BA * w.p1, mirrored.n = -(X_BA.R * w.n);
    const auto e = proximity::patch_derivative(view(*b), view(*a), X_BA, mirrored, of_B, of_A);
    // A moved by xi_A is B moved by -Ad(X_BA) xi_A; then p1, in B, moves with A too.
    Mat36<double> with_A;
    with_A << -skew<double>(w.p1), Mat3<double>::Identity();
    const Mat36<double> expected = X_BA.R * (with_A - d.dp1_A_dxi_B * adjoint(X_BA));
    EXPECT_LT((e.dp2_A_dxi_B - expected).norm(), 1e-9 * (1 + expected.norm()));
  }
}

// Of a depth too, which several features of the other surface hold.
TEST(SurfacePatches, TheModelHasTheSlopeOfTheDepth) {
  const auto patches = proximity::make_distance_model("surface", "patch");
  const auto features = proximity::make_distance_model("surface", "features");
  int overlapping = 0;
  for (int i = 0; i < 40; ++i) {
    Random random(8, static_cast<std::uint64_t>(i));
    const asset::Surface* const a = test::scanned_surface(test::kScanned[random.below(4)]);
    const asset::Surface* const b = test::scanned_surface(test::kScanned[random.below(4)]);
    if (a == nullptr || b == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const body::Body A = body_of(*a), B = body_of(*b);
    const PosedPair posed(*a, *b, random, -random.uniform(1e-3, 1e-2));
    const body::Pair pair{&A, &B, posed.X};
    const auto [w, d] = patches->derivative(pair);
    const auto exact = features->derivative(pair).derivative;
    overlapping += w.distance < 0 ? 1 : 0;
    EXPECT_LT((d.dd_dxi_B - exact.dd_dxi_B).norm(), 1e-9) << i;
    EXPECT_LT((d.dp2_A_dxi_B - d.dp1_A_dxi_B - w.n * d.dd_dxi_B - w.distance * d.dn_A_dxi_B).norm(), 1e-12);
    EXPECT_LT((w.n.transpose() * d.dn_A_dxi_B).norm(), 1e-9);
    EXPECT_TRUE(d.status == Status::kOk ? exact.status == Status::kOk : true);
    EXPECT_EQ(d.status == Status::kClamped, d.clamped_count > 0) << i;
  }
  EXPECT_GT(overlapping, 20);
  const body::Body cube = body_of(preprocess::build_surface(test::box(0.1, 0.1, 0.1)));
  const auto face_in_face =
      patches->derivative({&cube, &cube, {Mat3<double>::Identity(), {0.02, 0.03, 0.09}}}).derivative;
  EXPECT_EQ(face_in_face.status, Status::kClamped);
  EXPECT_GT(face_in_face.clamped_count, 0);
}

}  // namespace
