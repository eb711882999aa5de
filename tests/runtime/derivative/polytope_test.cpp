#include "runtime/derivative/polytope.h"

#include <gtest/gtest.h>

#include "runtime/derivative/finite_difference.h"
#include "runtime/witness/separation.h"
#include "tests/support/hulls.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;

// In extended precision, apart and overlapping: whatever features meet, wherever differences on both sides of
// two steps agree that there is a derivative.
TEST(PolytopeDerivative, MatchesExtendedPrecisionDifferences) {
  using Long = long double;
  Random random(1);
  int checked = 0, kinds[4][4] = {};
  double worst = 0;
  for (int i = 0; i < 400; ++i) {
    const asset::ConvexPiece A = test::tessellated_ellipsoid(i % 2, {0.10, 0.07, 0.04});
    const asset::ConvexPiece B =
        i % 3 ? test::tessellated_ellipsoid(0, {0.05, 0.06, 0.04}) : test::box_hull({0.03, 0.04, 0.05});
    const asset::ConvexView a = asset::view(A), b = asset::view(B);
    Pose<Long> X_AB{test::random_rotation(random).cast<Long>(), {}};
    X_AB.R = Eigen::Quaternion<Long>(X_AB.R).normalized().toRotationMatrix();
    X_AB.p = Vec3<Long>(random.normal(), random.normal(), random.normal()).normalized() *
             random.uniform(0.03, 0.2);
    const auto query = [&](const Pose<Long>& X) { return witness::separation<Long>(a, b, X); };
    const auto w = query(X_AB);
    const auto coarse = derivative::central_differences<Long>(w, X_AB, 2e-7L, 2e-8L, query);
    const auto fine = derivative::central_differences<Long>(w, X_AB, 1e-7L, 1e-8L, query);
    if ((coarse.dp1_A_dxi_B - fine.dp1_A_dxi_B).norm() > 1e-8L) continue;  // a kink within the step
    const auto d = derivative::polytope_derivative<Long>(a, b, X_AB, w, 0.2L, {});
    ASSERT_NE(d.status, Status::kInvalidInput);
    ++checked;
    const auto T = derivative::tangent_basis(w.n);
    const std::size_t corners = static_cast<std::size_t>(w.simplex_size);
    ++kinds[derivative::polytope_curvature<Long>(a, std::span(w.vertex_A, corners), T).flat_count]
           [derivative::polytope_curvature<Long>(b, std::span(w.vertex_B, corners), X_AB.R.transpose() * T)
                .flat_count];
    const Long error = std::max({(d.dp1_A_dxi_B - fine.dp1_A_dxi_B).cwiseAbs().maxCoeff(),
                                 (d.dp2_A_dxi_B - fine.dp2_A_dxi_B).cwiseAbs().maxCoeff(),
                                 (d.dn_A_dxi_B - fine.dn_A_dxi_B).cwiseAbs().maxCoeff() / 10,
                                 (d.dd_dxi_B - fine.dd_dxi_B).cwiseAbs().maxCoeff()});
    worst = test::worst_of(worst, static_cast<double>(error));
  }
  std::printf("%d pairs, largest error %.1e; vertex on vertex %d, edge %d, face %d, edge on edge %d\n",
              checked, worst, kinds[0][0], kinds[0][1] + kinds[1][0], kinds[0][2] + kinds[2][0], kinds[1][1]);
  EXPECT_GT(checked, 380);
  EXPECT_LT(worst, 1e-8);
  EXPECT_GT(kinds[0][0], 5);
  EXPECT_GT(kinds[0][1] + kinds[1][0], 20);
  EXPECT_GT(kinds[0][2] + kinds[2][0], 20);
  EXPECT_GT(kinds[1][1], 20);
}

// A face is flat wherever its point lies: on a diagonal, which may be an edge of a triangle or not, at a
// vertex within the face, and so is a straight edge at a vertex.
TEST(PolytopeDerivative, TrianglesOfAFaceDoNotMatter) {
  const asset::ConvexPiece box = test::box_hull({0.05, 0.05, 0.05});
  const double s = 0.04;
  const asset::ConvexPiece tip = test::make_piece(
      {{s, 0, 0}, {-s, 0, 0}, {0, s, 0}, {0, -s, 0}, {0, 0, s}, {0, 0, -s}},
      {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
  const asset::ConvexView a = asset::view(box), b = asset::view(tip);
  int over_two = 0;
  for (const double gap : {0.02, 1e-9, -0.005})
    for (int i = 0; i < 40; ++i) {
      Random random(3, i);
      const double u = i == 0 ? 0 : random.uniform(-0.04, 0.04);
      const Pose<double> X_AB{exp_rotation<double>({0, 0, random.uniform(-1, 1)}),
                              {u, i % 2 ? u : -u, 0.09 + gap}};
      for (const bool swapped : {false, true}) {
        const Pose<double> X = swapped ? X_AB.inverse() : X_AB;
        const auto& [A, B] = swapped ? std::pair(b, a) : std::pair(a, b);
        const auto w = witness::separation<double>(A, B, X);
        over_two += w.simplex_size == 2;
        const auto d = derivative::polytope_derivative<double>(A, B, X, w, 0.1, {});
        EXPECT_EQ(d.status, Status::kOk) << i << " " << gap;
        // The normal is that of the face, and the other point a vertex.
        Mat36<double> dn = Mat36<double>::Zero(), dp = Mat36<double>::Zero();
        if (swapped)
          dn.leftCols<3>() = -X.R * skew<double>(X.R.transpose() * w.n);
        else
          dp << -X.R * skew<double>(X.R.transpose() * (w.p2 - X.p)), X.R;
        EXPECT_LT((d.dn_A_dxi_B - dn).norm(), 1e-9) << i << " " << gap;
        EXPECT_LT(((swapped ? d.dp1_A_dxi_B : d.dp2_A_dxi_B) - dp).norm(), 1e-9) << i << " " << gap;
      }
    }
  EXPECT_GT(over_two, 40);

  // A pyramid over a square base with vertices in its middle and in the middle of a side.
  const asset::ConvexPiece pyramid = test::make_piece(
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.4, 0}, {0.5, 0, 0}, {0.5, 0.5, -1}}, {{0, 5, 4},
                                                                                                 {5, 1, 4},
                                                                                                 {1, 2, 4},
                                                                                                 {2, 3, 4},
                                                                                                 {3, 0, 4},
                                                                                                 {0, 6, 5},
                                                                                                 {5, 6, 1},
                                                                                                 {1, 6, 2},
                                                                                                 {2, 6, 3},
                                                                                                 {3, 6, 0}});
  const auto flats = [&](std::initializer_list<std::int32_t> simplex) {
    const std::vector<std::int32_t> vertices(simplex);
    return derivative::polytope_curvature<double>(asset::view(pyramid), vertices,
                                                  derivative::tangent_basis<double>(Vec3<double>::UnitZ()));
  };
  EXPECT_EQ(flats({4}).flat_count, 2);        // the middle
  EXPECT_EQ(flats({0}).flat_count, 0);        // a corner
  EXPECT_EQ(flats({0, 1}).flat_count, 1);     // a side
  EXPECT_EQ(flats({0, 5}).flat_count, 1);     // half of it
  EXPECT_EQ(flats({0, 2}).flat_count, 2);     // a diagonal, which is no edge
  EXPECT_EQ(flats({0, 4, 4}).flat_count, 2);  // an edge within the base
  EXPECT_EQ(flats({0, 4, 2}).flat_count, 2);
  ASSERT_EQ(flats({5}).flat_count, 1);
  EXPECT_NEAR(std::abs((derivative::tangent_basis<double>(Vec3<double>::UnitZ()) * flats({5}).flat[0]).x()),
              1, 1e-15);
}

// A box on a box, face to face: the points slide freely; the answer is finite and says where.
TEST(PolytopeDerivative, NamesTheDirectionsThatSlide) {
  const asset::ConvexPiece A = test::box_hull({0.5, 0.5, 0.5}), B = test::box_hull({0.1, 0.1, 0.1});
  const asset::ConvexView a = asset::view(A), b = asset::view(B);
  for (const double gap : {0.01, -0.01}) {
    const Pose<double> X_AB{Mat3<double>::Identity(), {0.05, -0.02, 0.6 + gap}};
    witness::Witness<double> w = witness::separation<double>(a, b, X_AB);
    const auto d = derivative::polytope_derivative<double>(a, b, X_AB, w, 1.0, {});
    EXPECT_TRUE(derivative::detail::finite(d));
    EXPECT_NEAR(d.dd_dxi_B[5], 1, 1e-12);
  }
}

}  // namespace
