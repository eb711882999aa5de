// What every row of the table of contact models that offers contact points must satisfy.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "tests/contract/model_pairs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using contact::ContactPoint;
using contact::ContactPointDerivative;
using contact::ModelRow;
using contact::Want;
using test::for_each_pair;
using test::Tally;

constexpr double kMargin = 0.05;  // m

std::vector<ModelRow> rows_with_constraints() {
  std::vector<ModelRow> rows;
  for (const ModelRow& row : contact::models())
    if (row.has_constraints) rows.push_back(row);
  return rows;
}

class ConstraintsContract : public testing::TestWithParam<ModelRow> {
 protected:
  std::unique_ptr<contact::Model> make() const { return contact::make_model(GetParam().name); }
};

// Contact points seen from B: the same points with the normal reversed.
TEST_P(ConstraintsContract, SwappingTheBodiesMirrorsTheConstraints) {
  const auto model = make();
  for_each_pair(
      GetParam(), 10, [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
        const contact::Constraints found = model->constraints({&A.body, &B.body, X_AB}, kMargin);
        const std::vector<ContactPoint> direct(found.points.begin(), found.points.end());
        const contact::Constraints swapped = model->constraints({&B.body, &A.body, X_AB.inverse()}, kMargin);
        ASSERT_EQ(direct.size(), swapped.points.size());
        for (const ContactPoint& c : direct) {
          EXPECT_NEAR(c.n_A.norm(), 1, 1e-12);
          EXPECT_LE(c.gap, kMargin);
          EXPECT_GE(c.area, 0);
          double nearest = 1;
          for (const ContactPoint& s : swapped.points) {
            nearest = std::min(nearest, (X_AB * s.p_AC - c.p_AC).norm() + (X_AB.R * s.n_A + c.n_A).norm() +
                                            std::abs(s.gap - c.gap));
          }
          EXPECT_LT(nearest, 1e-8) << "area " << c.area << " gap " << c.gap;
        }
      });
}

std::vector<ContactPoint> points_at(contact::Model& model, const body::Pair& pair, const Pose<double>& X_AB) {
  const auto points = model.constraints({pair.A, pair.B, X_AB}, kMargin).points;
  return {points.begin(), points.end()};
}

// The point of that feature; null: none.
const ContactPoint* find(const std::vector<ContactPoint>& points, std::uint64_t feature) {
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const ContactPoint& point) { return point.feature == feature; });
  return found == points.end() ? nullptr : &*found;
}

// Central differences over poses where all points of the feature are there.
std::optional<ContactPointDerivative> differences(const std::array<std::vector<ContactPoint>, 12>& moved,
                                                  std::uint64_t feature, double h) {
  ContactPointDerivative d;
  for (int k = 0; k < 6; ++k) {
    const ContactPoint *on = find(moved[2 * k], feature), *back = find(moved[2 * k + 1], feature);
    if (!on || !back) return std::nullopt;
    d.dp_dxi_B.col(k) = (on->p_AC - back->p_AC) / (2 * h);
    d.dn_dxi_B.col(k) = (on->n_A - back->n_A) / (2 * h);
    d.dgap_dxi_B[k] = (on->gap - back->gap) / (2 * h);
  }
  return d;
}

// Points are followed by their features from pose to pose. Where the row's derivatives stand for other
// shapes, the gap's is exact all the same.
TEST_P(ConstraintsContract, DerivativesEqualDifferencesOfThePointsOfTheSameFeature) {
  const auto model = make();
  Tally equal;
  for_each_pair(GetParam(), 2, [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
    const body::Pair pair{&A.body, &B.body, X_AB};
    const contact::Constraints found = model->constraints(pair, kMargin, Want::kJacobian);
    ASSERT_EQ(found.points.size(), found.derivatives.size());
    const std::vector<ContactPoint> points(found.points.begin(), found.points.end());
    const std::vector<ContactPointDerivative> derivatives(found.derivatives.begin(), found.derivatives.end());
    std::set<std::uint64_t> features;
    for (const ContactPoint& point : points) EXPECT_TRUE(features.insert(point.feature).second);
    if (points.empty()) return;
    const double h = 1e-6;
    std::array<std::vector<ContactPoint>, 12> moved;
    for (int k = 0; k < 12; ++k) {
      Vec6<double> xi = Vec6<double>::Zero();
      xi[k / 2] = k % 2 == 0 ? h : -h;
      moved[k] = points_at(*model, pair, X_AB * exp<double>(xi));
    }
    for (std::size_t i = 0; i < points.size(); i += 1 + points.size() / 20) {
      const auto expected = differences(moved, points[i].feature, h);
      if (!expected) continue;
      double gap = test::relative_gap(derivatives[i].dgap_dxi_B, expected->dgap_dxi_B, 0.1);
      if (GetParam().exact_jacobian) {
        gap = test::worst_of({gap, test::relative_gap(derivatives[i].dp_dxi_B, expected->dp_dxi_B, 0.1),
                              test::relative_gap(derivatives[i].dn_dxi_B, expected->dn_dxi_B, 1.0)});
      }
      equal.add(A, B, gap < 1e-4);
    }
  });
  EXPECT_GT(equal.share(), 0.95);
}

TEST_P(ConstraintsContract, NothingIsAllocatedOnceAPairIsKnown) {
  const auto model = make();
  for_each_pair(GetParam(), 1, [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
    const body::Pair pair{&A.body, &B.body, X_AB};
    model->constraints(pair, kMargin, Want::kJacobian);
    const std::size_t before = test::allocations();
    model->constraints(pair, kMargin, Want::kJacobian);
    EXPECT_EQ(test::allocations(), before);
  });
}

INSTANTIATE_TEST_SUITE_P(Table, ConstraintsContract, testing::ValuesIn(rows_with_constraints()),
                         test::row_name<ModelRow>);

}  // namespace
