// What every row of the table of contact models must satisfy.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/contact/model.h"
#include "runtime/witness/separation.h"
#include "tests/contract/contract.h"
#include "tests/support/runs.h"

namespace abut::contact {
void PrintTo(const ModelRow& row, std::ostream* out) { *out << row.name; }
}  // namespace abut::contact

namespace {

using namespace abut;
using contact::ContactPoint;
using contact::ModelRow;
using contact::PairWrench;
using contact::Want;

const Vec6<double> kStill = Vec6<double>::Zero();

class ModelContract : public testing::TestWithParam<ModelRow> {
 protected:
  std::unique_ptr<contact::Model> make() const { return contact::make_model(GetParam().name); }
  bool wrench() const { return GetParam().has_wrench; }
  bool constraints() const { return GetParam().has_constraints; }
};

template <class Test>
void for_each_pair(int poses, Test&& test) {
  const auto& assets = test::contract_assets();
  Random random(11);
  for (std::size_t i = 0; i < assets.size(); ++i) {
    for (std::size_t j = 0; j < assets.size(); ++j) {
      for (int k = 0; k < test::fewer_if_sanitized(poses); ++k) {
        const Pose<double> X_AB =
            test::random_pose(random, assets[i].size + assets[j].size, random.uniform(0.2, 1.0));
        SCOPED_TRACE(assets[i].name + " and " + assets[j].name + ", pose " + std::to_string(k));
        test(assets[i], assets[j], X_AB, test::random_vector6(random, 1), test::random_vector6(random, 1));
      }
    }
  }
}

bool finite(const PairWrench& w) {
  return w.F_BBo_B.allFinite() && w.dF_dxi_B.allFinite() && w.dF_dV_AB_B.allFinite();
}

struct Tally {
  int good = 0, all = 0;
  void add(bool ok) { good += ok, ++all; }
  double share() const { return all ? double(good) / all : 0; }
};

TEST_P(ModelContract, ActionEqualsReaction) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  Tally in_contact;
  for_each_pair(10, [&](const auto& A, const auto& B, const auto& X_AB, const auto& V_A, const auto& V_B) {
    const asset::AssetView a = asset::view(A.asset), b = asset::view(B.asset);
    const PairWrench direct = model->wrench({&a, &b, X_AB}, V_A, V_B, Want::kValue);
    const PairWrench swapped = model->wrench({&b, &a, X_AB.inverse()}, V_B, V_A, Want::kValue);
    ASSERT_TRUE(finite(direct));
    in_contact.add(direct.status != Status::kNoOverlap);
    // About one common point, Ao: wrench on A from one order of the bodies, on B from the other; their sum is
    // zero.
    const Vec6<double> on_A = swapped.F_BBo_B, on_B = shift_wrench<double>(X_AB, direct.F_BBo_B);
    EXPECT_LT((on_A + on_B).norm(), 1e-8 * on_B.norm() + 1e-12);
    if (!std::isnan(direct.energy)) {
      EXPECT_NEAR(direct.energy, swapped.energy, 1e-9 * std::abs(direct.energy));
    }
  });
  EXPECT_GT(in_contact.share(), 0.1);
}

// Contact points seen from B: the same points with the normal reversed.
TEST_P(ModelContract, SwappingTheBodiesMirrorsTheConstraints) {
  if (!constraints()) GTEST_SKIP() << "no constraints";
  const auto model = make();
  for_each_pair(10, [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
    const asset::AssetView a = asset::view(A.asset), b = asset::view(B.asset);
    const double margin = 0.05;
    const contact::Constraints found = model->constraints({&a, &b, X_AB}, margin);
    const std::vector<ContactPoint> direct(found.points.begin(), found.points.end());
    const contact::Constraints swapped = model->constraints({&b, &a, X_AB.inverse()}, margin);
    ASSERT_EQ(direct.size(), swapped.points.size());
    for (const ContactPoint& c : direct) {
      EXPECT_NEAR(c.n_A.norm(), 1, 1e-12);
      EXPECT_LE(c.gap, margin);
      EXPECT_GE(c.area, 0);
      double nearest = 1;
      for (const ContactPoint& s : swapped.points) {
        nearest = std::min(nearest, (X_AB * s.p_AC - c.p_AC).norm() + (X_AB.R * s.n_A + c.n_A).norm() +
                                        std::abs(s.gap - c.gap));
      }
      EXPECT_LT(nearest, 1e-8);
    }
  });
}

// Only the relative motion counts: both bodies moved together, and both given the same additional motion.
TEST_P(ModelContract, MovingBothBodiesTogetherChangesNothing) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  Random random(12);
  for_each_pair(5, [&](const auto& A, const auto& B, const auto& X_AB, const auto& V_A, const auto& V_B) {
    const asset::AssetView a = asset::view(A.asset), b = asset::view(B.asset);
    const PairWrench direct = model->wrench({&a, &b, X_AB}, V_A, V_B);
    const Pose<double> X_WA = exp<double>(test::random_vector6(random, 1));
    const Pose<double> X_WB = X_WA * X_AB;
    const Vec6<double> V_A_more = V_A + test::random_vector6(random, 1);
    const Vec6<double> V_B_more = V_B + adjoint(X_AB.inverse()) * (V_A_more - V_A);
    const PairWrench moved = model->wrench({&a, &b, X_WA.inverse() * X_WB}, V_A_more, V_B_more);
    EXPECT_LT((moved.F_BBo_B - direct.F_BBo_B).norm(), 1e-7 * direct.F_BBo_B.norm() + 1e-12);
  });
}

// Both bodies described in other frames: a wrench is carried like a wrench, its Jacobian like a Jacobian.
TEST_P(ModelContract, ChangeOfFrame) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  Random random(13);
  Tally tally;
  for_each_pair(5, [&](const auto& A, const auto& B, const auto& X_AB, const auto& V_A, const auto& V_B) {
    const Pose<double> X_MA = test::random_pose(random, 1, 0.2), X_NB = test::random_pose(random, 1, 0.2);
    const asset::Asset M = test::in_frame(A.asset, X_MA), N = test::in_frame(B.asset, X_NB);
    const asset::AssetView a = asset::view(A.asset), b = asset::view(B.asset), m = asset::view(M),
                           n = asset::view(N);
    const Mat6<double> Ad = adjoint(X_NB);
    const PairWrench direct = model->wrench({&a, &b, X_AB}, V_A, V_B);
    const PairWrench other =
        model->wrench({&m, &n, X_MA * X_AB * X_NB.inverse()}, adjoint(X_MA) * V_A, Ad * V_B);
    // power F'V does not depend on the frame: F_B = Ad' F_N
    const double scale = direct.F_BBo_B.norm();
    EXPECT_LT((Ad.transpose() * other.F_BBo_B - direct.F_BBo_B).norm(), 1e-7 * scale + 1e-12);
    tally.add(test::relative_gap(Ad.transpose() * other.dF_dxi_B * Ad, direct.dF_dxi_B, 1e-9) < 1e-5 &&
              test::relative_gap(Ad.transpose() * other.dF_dV_AB_B * Ad, direct.dF_dV_AB_B, 1e-9) < 1e-5);
  });
  EXPECT_GT(tally.share(), 0.97);
}

// F = -dU/dxi where the model has a potential.
TEST_P(ModelContract, WrenchIsTheGradientOfTheEnergy) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  Tally tally;
  bool conservative = false;
  for_each_pair(
      test::runs(3, 10), [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
        const asset::AssetView a = asset::view(A.asset), b = asset::view(B.asset);
        const PairWrench w = model->wrench({&a, &b, X_AB}, kStill, kStill, Want::kEnergy);
        if (std::isnan(w.energy)) return;
        conservative = true;
        if (w.status == Status::kNoOverlap) return;
        Vec6<double> expected;
        for (int k = 0; k < 6; ++k) {
          Vec6<double> xi = Vec6<double>::Zero();
          xi[k] = 1e-7;
          const double plus = model->wrench({&a, &b, X_AB * exp(xi)}, kStill, kStill, Want::kEnergy).energy;
          const double minus =
              model->wrench({&a, &b, X_AB * exp<double>(-xi)}, kStill, kStill, Want::kEnergy).energy;
          expected[k] = -(plus - minus) / 2e-7;
        }
        tally.add(test::relative_gap(w.F_BBo_B, expected, 1e-6) < 1e-5);
      });
  if (!conservative) GTEST_SKIP() << "the model reports no energy with its wrench";
  EXPECT_GT(tally.share(), 0.97) << "of " << tally.all;
}

// Columns for the twist, and for the pose at a fixed relative twist, against central differences.
TEST_P(ModelContract, JacobianMatchesDifferencesToThePromise) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  const bool exact = GetParam().exact_jacobian;
  // An exact Jacobian is met by small steps, on any shape. One that stands for the smooth shape is met on
  // fine tessellations by steps over several facets (spacing about 0.05 rad), to some percent.
  const asset::AssetView a =
      asset::view(exact ? test::contract_assets()[0].asset : test::smooth_assets()[0].asset);
  const asset::AssetView b =
      asset::view(exact ? test::contract_assets()[1].asset : test::smooth_assets()[1].asset);
  const double angle = exact ? 1e-6 : 0.06, length = exact ? 1e-7 : 0.003;
  Random random(14);
  std::vector<double> errors;
  const int poses = test::fewer_if_sanitized(60);
  for (int i = 0; i < poses; ++i) {
    Pose<double> X_AB = test::random_pose(random, 0.3, 1);
    const auto apart = witness::separation<double>(a.convex, b.convex, X_AB);
    X_AB.p -= (apart.distance + random.uniform(0.004, 0.012)) * apart.n;  // 4 to 12 mm deep
    const Vec6<double> V_AB = test::random_vector6(random, 0.1);
    const PairWrench w = model->wrench({&a, &b, X_AB}, kStill, V_AB);
    if (w.status == Status::kNoOverlap) continue;
    Eigen::Matrix<double, 6, 12> expected, found;
    found << w.dF_dxi_B, w.dF_dV_AB_B;
    for (int k = 0; k < 12; ++k) {
      Vec6<double> xi = Vec6<double>::Zero(), V = Vec6<double>::Zero();
      const double h = k < 3 ? angle : k < 6 ? length : 1e-5;
      (k < 6 ? xi : V)[k % 6] = h;
      const auto value = [&](double sign) -> Vec6<double> {
        const Vec6<double> step = sign * xi;
        return model->wrench({&a, &b, X_AB * exp(step)}, kStill, V_AB + sign * V, Want::kValue).F_BBo_B;
      };
      expected.col(k) = (value(1) - value(-1)) / (2 * h);
    }
    errors.push_back(test::relative_gap(found, expected, 1e-6));
  }
  ASSERT_GT(errors.size(), static_cast<std::size_t>(poses / 3));
  std::sort(errors.begin(), errors.end());
  const double median = errors[errors.size() / 2], high = errors[errors.size() * 9 / 10];
  std::printf("%s: Jacobian against differences: median %.1e, 90th percentile %.1e of %zu poses\n",
              std::string(GetParam().name).c_str(), median, high, errors.size());
  EXPECT_LT(median, exact ? 1e-6 : 0.1);
  EXPECT_LT(high, exact ? 1e-4 : 0.25);
}

TEST_P(ModelContract, SameBitsForAnyNumberOfThreads) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto& assets = test::contract_assets();
  std::vector<asset::AssetView> views;
  for (const auto& A : assets) views.push_back(asset::view(A.asset));
  Random random(15);
  std::vector<contact::MovingPair> pairs;
  for (int i = 0; i < test::fewer_if_sanitized(200); ++i) {
    const std::size_t a = random.below(views.size()), b = random.below(views.size());
    pairs.push_back({{&views[a], &views[b],
                      test::random_pose(random, assets[a].size + assets[b].size, random.uniform(0.2, 1))},
                     test::random_vector6(random, 1),
                     test::random_vector6(random, 1)});
  }
  std::vector<PairWrench> reference(pairs.size()), results(pairs.size());
  contact::BatchModel(GetParam().name, 1).wrenches(pairs, reference);
  for (const int threads : {2, 3, 8, 16, 0}) {
    contact::BatchModel(GetParam().name, threads).wrenches(pairs, results);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto &x = reference[i], &y = results[i];
      ASSERT_EQ(std::memcmp(x.F_BBo_B.data(), y.F_BBo_B.data(), sizeof(double) * 6), 0) << i;
      ASSERT_EQ(std::memcmp(x.dF_dxi_B.data(), y.dF_dxi_B.data(), sizeof(double) * 36), 0) << i;
      ASSERT_EQ(std::memcmp(x.dF_dV_AB_B.data(), y.dF_dV_AB_B.data(), sizeof(double) * 36), 0) << i;
    }
  }
}

TEST_P(ModelContract, AllocatesNothingInTheSteadyState) {
  const auto model = make();
  std::vector<std::tuple<asset::AssetView, asset::AssetView, Pose<double>>> queries;
  for_each_pair(5, [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
    queries.emplace_back(asset::view(A.asset), asset::view(B.asset), X_AB);
  });
  const auto ask_all = [&] {
    for (const auto& [a, b, X_AB] : queries) {
      if (wrench()) model->wrench({&a, &b, X_AB}, kStill, kStill);
      if (constraints()) model->constraints({&a, &b, X_AB}, 0.01);
    }
  };
  ask_all();
  const std::size_t before = test::allocations();
  ask_all();
  EXPECT_EQ(test::allocations(), before);
}

TEST_P(ModelContract, FarApartAndCoincidentPosesAreAnswered) {
  const auto model = make();
  const Pose<double> far{Mat3<double>::Identity(), {600, -640, 480}};
  for (const auto& A : test::contract_assets()) {
    const asset::AssetView a = asset::view(A.asset);
    for (const auto& B : test::contract_assets()) {
      const asset::AssetView b = asset::view(B.asset);
      SCOPED_TRACE(A.name + " and " + B.name);
      if (wrench()) {
        const PairWrench none = model->wrench({&a, &b, far}, kStill, kStill);
        EXPECT_TRUE(finite(none));
        EXPECT_LT(none.F_BBo_B.norm(), 1e-6);
        const PairWrench same = model->wrench({&a, &b, {}}, kStill, kStill);
        EXPECT_TRUE(finite(same));
        EXPECT_NE(same.status, Status::kInvalidInput);
      }
      if (constraints()) {
        EXPECT_EQ(model->constraints({&a, &b, far}, 0.01).status, Status::kNoOverlap);
        EXPECT_TRUE(model->constraints({&a, &b, far}, 0.01).points.empty());
        for (const ContactPoint& c : model->constraints({&a, &b, {}}, 0.01).points) {
          EXPECT_TRUE(c.p_AC.allFinite() && c.n_A.allFinite() && std::isfinite(c.gap));
        }
      }
    }
  }
}

TEST_P(ModelContract, BadInputIsRefused) {
  const auto model = make();
  const asset::AssetView a = asset::view(test::contract_assets()[0].asset), empty;
  const Pose<double> good{Mat3<double>::Identity(), {0.1, 0, 0}};
  Pose<double> nan = good, scaled = good, mirrored = good;
  nan.p.y() = std::nan("");
  scaled.R *= 1.001;
  mirrored.R(2, 2) = -1;
  const std::vector<asset::PosedPair> bad = {{nullptr, &a, good}, {&empty, &a, good}, {&a, &empty, good},
                                             {&a, &a, nan},       {&a, &a, scaled},   {&a, &a, mirrored}};
  Vec6<double> V_nan = kStill;
  V_nan[4] = std::nan("");
  for (const asset::PosedPair& pair : bad) {
    if (wrench()) {
      EXPECT_THROW(model->wrench(pair, kStill, kStill), InvalidInput);
    }
    if (constraints()) {
      EXPECT_THROW(model->constraints(pair, 0.01), InvalidInput);
    }
  }
  if (wrench()) {
    EXPECT_THROW(model->wrench({&a, &a, good}, V_nan, kStill), InvalidInput);
    EXPECT_THROW(model->wrench({&a, &a, good}, kStill, V_nan), InvalidInput);
  } else {
    EXPECT_THROW(model->wrench({&a, &a, good}, kStill, kStill), std::logic_error);
  }
  if (constraints()) {
    EXPECT_THROW(model->constraints({&a, &a, good}, -1), InvalidInput);
    EXPECT_THROW(model->constraints({&a, &a, good}, std::nan("")), InvalidInput);
  } else {
    EXPECT_THROW(model->constraints({&a, &a, good}, 0), std::logic_error);
  }
}

TEST(ModelTable, UnknownNamesListTheKnownOnes) {
  try {
    contact::make_model("magnet");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("point"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ModelContract, testing::ValuesIn(contact::models()),
                         test::row_name<ModelRow>);

}  // namespace
