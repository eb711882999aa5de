// What every row of the table of contact models must satisfy.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/contact/model.h"
#include "runtime/witness/pair_query.h"
#include "tests/contract/model_pairs.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using contact::ContactPoint;
using contact::ModelRow;
using contact::PairWrench;
using contact::Want;
using test::all_pairs;
using test::for_each_pair;
using test::takes_points;
using test::takes_volumes;
using test::Tally;

class ModelContract : public testing::TestWithParam<ModelRow> {
 protected:
  std::unique_ptr<contact::Model> make() const { return contact::make_model(GetParam().name); }
  bool wrench() const { return GetParam().has_wrench; }
  bool constraints() const { return GetParam().has_constraints; }
};

bool no_jacobian(const PairWrench& w) {
  return w.dF_dxi_B.array().isNaN().all() && w.dF_dV_AB_B.array().isNaN().all();
}
bool finite(const PairWrench& w) {
  return w.F_BBo_B.allFinite() && w.dF_dxi_B.allFinite() && w.dF_dV_AB_B.allFinite();
}

TEST_P(ModelContract, ActionEqualsReaction) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  const Want want = takes_volumes(GetParam()) ? Want::kValue : Want::kEnergy;  // theirs takes long
  Tally in_contact;
  for_each_pair(
      GetParam(), 10, [&](const auto& A, const auto& B, const auto& X_AB, const auto& V_A, const auto& V_B) {
        const Pose<double> X_BA = X_AB.inverse();
        const PairWrench direct =
            model->wrench({&A.body, &B.body, X_AB, relative_twist(X_AB, V_A, V_B)}, want);
        const PairWrench swapped =
            model->wrench({&B.body, &A.body, X_BA, relative_twist(X_BA, V_B, V_A)}, want);
        ASSERT_TRUE(direct.F_BBo_B.allFinite());
        EXPECT_TRUE(no_jacobian(direct));
        EXPECT_EQ(std::isnan(direct.energy), std::isnan(swapped.energy));
        in_contact.add(A, B, direct.status != Status::kNoOverlap);
        // About one common point, Ao: wrench on A from one order of the bodies, on B from the other; their
        // sum is zero.
        const Vec6<double> on_A = swapped.F_BBo_B, on_B = shift_wrench<double>(X_AB, direct.F_BBo_B);
        EXPECT_LT((on_A + on_B).norm(), 1e-8 * on_B.norm() + 1e-12);
        if (!std::isnan(direct.energy)) {
          EXPECT_NEAR(direct.energy, swapped.energy, 1e-9 * std::abs(direct.energy));
        }
      });
  EXPECT_GT(in_contact.share(), 0.1);
}

// Only the relative motion counts: both bodies moved together, and both given the same additional motion.
TEST_P(ModelContract, MovingBothBodiesTogetherChangesNothing) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  Random random(12);
  for_each_pair(
      GetParam(), 5, [&](const auto& A, const auto& B, const auto& X_AB, const auto& V_A, const auto& V_B) {
        const PairWrench direct = model->wrench({&A.body, &B.body, X_AB, relative_twist(X_AB, V_A, V_B)});
        const Pose<double> X_WA = exp<double>(test::random_vector6(random, 1));
        const Pose<double> X_WB = X_WA * X_AB;
        const Vec6<double> V_A_more = V_A + test::random_vector6(random, 1);
        const Vec6<double> V_B_more = V_B + adjoint(X_AB.inverse()) * (V_A_more - V_A);
        const PairWrench moved = model->wrench(
            {&A.body, &B.body, X_WA.inverse() * X_WB, relative_twist(X_AB, V_A_more, V_B_more)});
        EXPECT_LT((moved.F_BBo_B - direct.F_BBo_B).norm(), 1e-7 * direct.F_BBo_B.norm() + 1e-12);
      });
}

// Both bodies described in other frames: a wrench is carried like a wrench, its Jacobian like a Jacobian.
TEST_P(ModelContract, ChangeOfFrame) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  Random random(13);
  Tally tally;
  for_each_pair(
      GetParam(), 5, [&](const auto& A, const auto& B, const auto& X_AB, const auto& V_A, const auto& V_B) {
        const auto [M, X_MA] = test::in_random_frame(A.body, random);
        const auto [N, X_NB] = test::in_random_frame(B.body, random);
        const Mat6<double> Ad = adjoint(X_NB);
        const Pose<double> X_MN = X_MA * X_AB * X_NB.inverse();
        const PairWrench direct = model->wrench({&A.body, &B.body, X_AB, relative_twist(X_AB, V_A, V_B)});
        const PairWrench other =
            model->wrench({&M, &N, X_MN, relative_twist<double>(X_MN, adjoint(X_MA) * V_A, Ad * V_B)});
        // power F'V does not depend on the frame: F_B = Ad' F_N
        const double scale = direct.F_BBo_B.norm();
        EXPECT_LT((Ad.transpose() * other.F_BBo_B - direct.F_BBo_B).norm(), 1e-7 * scale + 1e-12);
        tally.add(
            A, B,
            test::relative_gap(Ad.transpose() * other.dF_dxi_B * Ad, direct.dF_dxi_B, 1e-9) < 1e-5 &&
                test::relative_gap(Ad.transpose() * other.dF_dV_AB_B * Ad, direct.dF_dV_AB_B, 1e-9) < 1e-5);
      });
  EXPECT_GT(tally.share(), 0.97);
}

// F = -dU/dxi where the model has a potential.
TEST_P(ModelContract, WrenchIsTheGradientOfTheEnergy) {
  if (!wrench() || !has(GetParam().offers, Want::kEnergy)) GTEST_SKIP() << "no potential";
  const auto model = make();
  Tally tally;
  for_each_pair(GetParam(), test::runs(3, 10),
                [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
                  const PairWrench w = model->wrench({&A.body, &B.body, X_AB}, Want::kEnergy);
                  // A rigid body's partner has no potential, but with a half-space.
                  const bool rigid =
                      A.body.material.modulus == body::kRigid || B.body.material.modulus == body::kRigid;
                  const bool half_space = A.body.geometry.half_space() || B.body.geometry.half_space();
                  EXPECT_EQ(std::isnan(w.energy), takes_volumes(GetParam()) && rigid && !half_space);
                  if (std::isnan(w.energy) || w.status == Status::kNoOverlap) return;
                  const PairWrench swapped = model->wrench({&B.body, &A.body, X_AB.inverse()}, Want::kEnergy);
                  EXPECT_NEAR(w.energy, swapped.energy, 1e-9 * std::abs(w.energy));
                  Vec6<double> expected;
                  for (int k = 0; k < 6; ++k) {
                    Vec6<double> xi = Vec6<double>::Zero();
                    xi[k] = 1e-7;
                    const Pose<double> ahead = X_AB * exp(xi), behind = X_AB * exp<double>(-xi);
                    const double plus = model->wrench({&A.body, &B.body, ahead}, Want::kEnergy).energy;
                    const double minus = model->wrench({&A.body, &B.body, behind}, Want::kEnergy).energy;
                    expected[k] = -(plus - minus) / 2e-7;
                  }
                  tally.add(A, B, test::relative_gap(w.F_BBo_B, expected, 1e-6) < 1e-5);
                });
  EXPECT_GT(tally.share(), 0.97);
}

// Median and 90th percentile of the Jacobian's error over poses where B is pushed 4 to 12 mm into A: columns
// for the twist, and for the pose at a fixed relative twist, against central differences.
struct JacobianErrors {
  double median, high;
};
JacobianErrors jacobian_errors(contact::Model& model, const body::Body& a, const body::Body& b, bool exact,
                               int poses) {
  const double angle = exact ? 1e-6 : 0.06, length = exact ? 1e-7 : 0.003;
  Random random(14);
  std::vector<double> errors;
  for (int i = 0; i < poses; ++i) {
    Pose<double> X_AB = test::random_pose(random, 0.3, 1);
    const auto apart = witness::separation({&a, &b, X_AB});
    X_AB.p -= (apart.distance + random.uniform(0.004, 0.012)) * apart.n;
    const Vec6<double> V_AB = test::random_vector6(random, 0.1);
    const PairWrench w = model.wrench({&a, &b, X_AB, V_AB});
    if (w.status == Status::kNoOverlap) continue;
    Eigen::Matrix<double, 6, 12> expected, found;
    found << w.dF_dxi_B, w.dF_dV_AB_B;
    for (int k = 0; k < 12; ++k) {
      Vec6<double> xi = Vec6<double>::Zero(), V = Vec6<double>::Zero();
      const double h = k < 3 ? angle : k < 6 ? length : 1e-5;
      (k < 6 ? xi : V)[k % 6] = h;
      const auto value = [&](double sign) -> Vec6<double> {
        const Vec6<double> step = sign * xi;
        return model.wrench({&a, &b, X_AB * exp(step), V_AB + sign * V}, Want::kValue).F_BBo_B;
      };
      expected.col(k) = (value(1) - value(-1)) / (2 * h);
    }
    errors.push_back(test::relative_gap(found, expected, 1e-6));
  }
  EXPECT_GT(errors.size(), static_cast<std::size_t>(poses / 3));
  if (errors.empty()) return {1, 1};
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors[errors.size() * 9 / 10]};
}

// An exact Jacobian is met by small steps, on any shape. One that stands for the smooth shape is met on fine
// tessellations by steps over several facets (spacing about 0.05 rad), to some percent.
void expect_jacobian(contact::Model& model, const test::NamedBody& A, const test::NamedBody& B, bool exact,
                     int poses) {
  SCOPED_TRACE(A.name + " and " + B.name);
  const auto [median, high] = jacobian_errors(model, A.body, B.body, exact, test::fewer_if_sanitized(poses));
  std::printf("%s and %s: Jacobian against differences: median %.1e, 90th percentile %.1e\n", A.name.c_str(),
              B.name.c_str(), median, high);
  EXPECT_LT(median, exact ? 1e-6 : 0.1);
  EXPECT_LT(high, exact ? 1e-4 : 0.25);
}

TEST_P(ModelContract, JacobianMatchesDifferencesToThePromise) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  if (GetParam().exact_jacobian) {
    const auto pairs = all_pairs(GetParam());
    expect_jacobian(*model, pairs[0].first, pairs[1].second, true, 60);
  } else {
    const auto& smooth = test::smooth_assets();
    expect_jacobian(*model, {"first ellipsoid", test::body_of(smooth[0].asset), 0},
                    {"second ellipsoid", test::body_of(smooth[1].asset), 0}, false, 60);
  }
}

// Primitives and half-spaces in either place, rigid and compliant, in sliding contact with dissipation; of
// convex primitives alone every row knows the curvature.
TEST_P(ModelContract, JacobianOfPrimitivesMatchesDifferences) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  const body::Material soft{.dissipation = 0.2, .friction = 0.5}, hard{body::kRigid, 0, 0.5};
  const auto primitives = test::contract_primitives(soft), rigid = test::contract_primitives(hard);
  const std::vector<test::NamedBody> hull = {test::contract_hulls(soft)[0]};
  std::vector<test::NamedPair> pairs = test::primitive_pairs(primitives);
  const auto add = [&](const std::vector<test::NamedPair>& more) {
    pairs.insert(pairs.end(), more.begin(), more.end());
  };
  if (takes_points(GetParam()) || takes_volumes(GetParam())) add(test::mixed_pairs(hull, primitives));
  if (takes_volumes(GetParam())) add(test::mixed_pairs(hull, rigid));
  for (const auto& [A, B] : pairs) expect_jacobian(*model, A, B, true, 30);
}

// What is not asked for is NaN, and what is asked for is a
// number, also where the bodies are apart.
TEST_P(ModelContract, OnlyWhatIsAskedForIsAnswered) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const auto model = make();
  const auto hulls = test::contract_hulls();
  const Pose<double> near{Mat3<double>::Identity(), {0.02, 0.01, 0}},
      far{Mat3<double>::Identity(), {600, -640, 480}};
  const bool offers = has(GetParam().offers, Want::kEnergy);
  for (const Pose<double>& X_AB : {near, far}) {
    const body::Pair pair{&hulls[0].body, &hulls[1].body, X_AB};
    const PairWrench value = model->wrench(pair, Want::kValue), jacobian = model->wrench(pair),
                     energy = model->wrench(pair, Want::kEnergy),
                     both = model->wrench(pair, Want::kJacobian | Want::kEnergy);
    EXPECT_TRUE(value.F_BBo_B.allFinite());
    for (const PairWrench* w : {&value, &energy}) EXPECT_TRUE(no_jacobian(*w));
    for (const PairWrench* w : {&jacobian, &both}) EXPECT_TRUE(finite(*w));
    for (const PairWrench* w : {&value, &jacobian}) EXPECT_TRUE(std::isnan(w->energy));
    for (const PairWrench* w : {&energy, &both}) EXPECT_EQ(std::isfinite(w->energy), offers);
    for (const PairWrench* w : {&value, &jacobian, &energy, &both})
      EXPECT_EQ(w->status == Status::kNoOverlap, value.status == Status::kNoOverlap);
    EXPECT_EQ(value.status == Status::kNoOverlap, X_AB.p.norm() > 1);
    if (value.status != Status::kNoOverlap) continue;
    EXPECT_TRUE(both.F_BBo_B.isZero(0) && both.dF_dxi_B.isZero(0) && both.dF_dV_AB_B.isZero(0));
    if (offers) {
      EXPECT_EQ(both.energy, 0);
    }
  }
  const body::Pair pair{&hulls[0].body, &hulls[1].body, near};
  EXPECT_THROW(model->wrench(pair, Want::kHessian), std::logic_error);  // no room, or not offered
  contact::WrenchHessian hessian;
  if (!has(GetParam().offers, Want::kHessian)) {
    EXPECT_THROW(model->wrench(pair, Want::kHessian, &hessian), std::logic_error);
  } else {
    EXPECT_TRUE(no_jacobian(model->wrench(pair, Want::kHessian, &hessian)));
  }
}

TEST_P(ModelContract, SameBitsForAnyNumberOfThreads) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const std::vector<test::NamedPair> bodies = all_pairs(GetParam());
  Random random(15);
  std::vector<body::Pair> pairs;
  for (int i = 0; i < test::fewer_if_sanitized(400); ++i) {
    const auto& [A, B] = bodies[random.below(bodies.size())];
    pairs.push_back({&A.body, &B.body, test::random_pose(random, A.size + B.size, random.uniform(0.2, 1)),
                     test::random_vector6(random, 1)});
  }
  std::vector<PairWrench> reference(pairs.size()), results(pairs.size());
  contact::BatchModel(GetParam().name, {}, 1).wrenches(pairs, reference);
  for (const int threads : {2, 3, 8, 16, 0}) {
    contact::BatchModel(GetParam().name, {}, threads).wrenches(pairs, results);
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
  std::vector<std::tuple<body::Body, body::Body, Pose<double>>> queries;
  for_each_pair(GetParam(), 5, [&](const auto& A, const auto& B, const auto& X_AB, const auto&, const auto&) {
    queries.emplace_back(A.body, B.body, X_AB);
  });
  const auto ask_all = [&] {
    for (const auto& [a, b, X_AB] : queries) {
      if (wrench()) model->wrench({&a, &b, X_AB});
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
  for (const auto& [A, B] : all_pairs(GetParam())) {
    SCOPED_TRACE(A.name + " and " + B.name);
    // Over a half-space, not under it.
    const body::Pair apart{&A.body, &B.body, B.body.geometry.half_space() ? far.inverse() : far},
        same{&A.body, &B.body, {}};
    if (wrench()) {
      const PairWrench none = model->wrench(apart);
      EXPECT_TRUE(finite(none));
      EXPECT_LT(none.F_BBo_B.norm(), 1e-6);
      const PairWrench inside = model->wrench(same);
      EXPECT_TRUE(finite(inside));
      EXPECT_NE(inside.status, Status::kInvalidInput);
    }
    if (constraints()) {
      EXPECT_EQ(model->constraints(apart, 0.01).status, Status::kNoOverlap);
      EXPECT_TRUE(model->constraints(apart, 0.01).points.empty());
      for (const ContactPoint& c : model->constraints(same, 0.01).points) {
        EXPECT_TRUE(c.p_AC.allFinite() && c.n_A.allFinite() && std::isfinite(c.gap));
      }
    }
  }
}

TEST_P(ModelContract, BadInputIsRefused) {
  const auto model = make();
  const body::Body a = test::body_of(test::contract_assets()[0].asset), empty{body::Geometry(asset::Asset{})},
                   ground = test::body_of(body::HalfSpace<double>{});
  const Pose<double> pose{Mat3<double>::Identity(), {0.1, 0, 0}};
  const body::Pair good{&a, &a, pose};
  std::vector<body::Pair> bad = {{nullptr, &a, pose},
                                 {&a, nullptr, pose},
                                 {&empty, &a, pose},
                                 {&a, &empty, pose},
                                 {&ground, &ground, pose}};
  bad.insert(bad.end(), 4, good);
  const std::size_t last = bad.size();
  bad[last - 4].X_AB.p.y() = std::nan("");
  bad[last - 3].X_AB.R *= 1.001;
  bad[last - 2].X_AB.R(2, 2) = -1;
  bad[last - 1].V_AB_B[4] = std::nan("");
  // Of two rigid bodies none gives.
  const body::Body ball = test::body_of(body::Sphere<double>{0.05}), rigid{a.geometry, {body::kRigid}};
  if (takes_volumes(GetParam())) bad.insert(bad.end(), {{&rigid, &rigid, pose}, {&rigid, &ground, pose}});
  for (const body::Pair& pair : {good, body::Pair{&a, &ball, pose}, body::Pair{&ground, &ball, pose}})
    EXPECT_NO_THROW(model->require_valid(pair));
  for (const body::Pair& pair : bad) {
    EXPECT_THROW(model->require_valid(pair), InvalidInput);
    if (wrench()) {
      EXPECT_THROW(model->wrench(pair), InvalidInput);
    }
    if (constraints()) {
      EXPECT_THROW(model->constraints(pair, 0.01), InvalidInput);
    }
  }
  if (!wrench()) {
    EXPECT_THROW(model->wrench(good), std::logic_error);
  }
  if (constraints()) {
    EXPECT_THROW(model->constraints(good, -1), InvalidInput);
    EXPECT_THROW(model->constraints(good, std::nan("")), InvalidInput);
  } else {
    EXPECT_THROW(model->constraints(good, 0), std::logic_error);
  }
}

// All pairs are looked at before any work.
TEST_P(ModelContract, ABatchNamesTheBadPairAndItsBody) {
  if (!wrench()) GTEST_SKIP() << "no wrench";
  const body::Body a = test::body_of(test::contract_assets()[0].asset), empty{body::Geometry(asset::Asset{})};
  contact::BatchModel batch(GetParam().name, {}, 2);
  const std::vector<body::Pair> pairs = {{&a, &a, {}}, {&a, &empty, {}}};
  PairWrench untouched;
  untouched.F_BBo_B.setConstant(7);
  std::vector<PairWrench> results(2, untouched), few(1);
  EXPECT_THROW(batch.wrenches(pairs, few), InvalidInput);
  try {
    batch.wrenches(pairs, results);
    ADD_FAILURE() << "the second pair has an empty body";
  } catch (const InvalidInput& error) {
    for (const char* part : {"pair 1", "body B ('')"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(results[0].F_BBo_B, untouched.F_BBo_B);
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
