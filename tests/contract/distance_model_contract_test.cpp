#include "runtime/proximity/distance_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/contract/contract.h"
#include "tests/support/pieces_geometry.h"
#include "tests/support/runs.h"
#include "tests/support/shapes.h"

// What every row of the table of distance models must satisfy, with each of its methods.
namespace abut::proximity {
namespace {

struct Asked {
  const DistanceModelRow* row;
  std::string_view method;
};
void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.row->name << ' ' << asked.method; }

std::vector<Asked> all_asked() {
  std::vector<Asked> all;
  for (const DistanceModelRow& row : distance_models())
    for (const std::string_view method : row.methods) all.push_back({&row, method});
  return all;
}

std::string name_of(const testing::TestParamInfo<Asked>& info) {
  return std::string(info.param.row->name) + "_" + std::string(info.param.method);
}

// Two assets that are not convex, then primitives.
const std::vector<body::Body>& bodies() {
  static const std::vector<body::Body> made = [] {
    const auto of = [](const preprocess::TriangleMesh& mesh) {
      return test::pieces_geometry(mesh, {.kind = preprocess::PieceParameters::Kind::kAuto, .error = 4e-3});
    };
    std::vector<body::Body> list;
    list.push_back({of(test::torus(0.05, 0.015, 20, 10)), {}});
    list.push_back({of(test::torus(0.03, 0.012, 12, 8)), {}});
    for (test::NamedBody& primitive : test::contract_primitives()) list.push_back(std::move(primitive.body));
    return list;
  }();
  return made;
}

// Pairs with an asset among them, mixed, at random poses, apart and overlapping.
std::vector<body::Pair> random_pairs(int poses) {
  Random random(5);
  std::vector<body::Pair> pairs;
  for (int k = 0; k < test::fewer_if_sanitized(test::fewer_if_fast(poses)); ++k)
    for (std::size_t i = 0; i < bodies().size(); ++i)
      for (std::size_t j = 0; j < bodies().size(); ++j)
        if (std::min(i, j) < 2)
          pairs.push_back(
              {&bodies()[i], &bodies()[j], test::random_pose(random, 0.1, random.uniform(0.1, 1.2))});
  return pairs;
}

// Whether the row has a smoothed form of all pairs of assets, which this is one of.
bool smooths(const DistanceModelRow& row, const body::Pair& pair) {
  return row.has_smoothed() && pair.A->geometry.primitive() == nullptr &&
         pair.B->geometry.primitive() == nullptr;
}

class DistanceModelContract : public testing::TestWithParam<Asked> {
 protected:
  std::unique_ptr<DistanceModel> make() const {
    return make_distance_model(GetParam().row->name, GetParam().method);
  }
};

template <class Matrix>
bool same_bits(const Matrix& x, const Matrix& y) {
  return std::memcmp(x.data(), y.data(), sizeof(x)) == 0;
}

TEST_P(DistanceModelContract, AllocatesNothingInTheSteadyState) {
  const auto model = make();
  const std::vector<body::Pair> pairs = random_pairs(4);
  const auto ask_all = [&] {
    for (const body::Pair& pair : pairs) {
      model->separation(pair);
      model->derivative(pair);
      model->contacts(pair, 0.01, true);
      if (smooths(*GetParam().row, pair)) model->smoothed(pair);
    }
  };
  ask_all();
  const std::size_t before = test::allocations();
  ask_all();
  EXPECT_EQ(test::allocations(), before);
}

TEST_P(DistanceModelContract, AnswersDoNotDependOnWhatWasAskedBefore) {
  const auto model = make();
  const std::vector<body::Pair> pairs = random_pairs(2);
  std::vector<derivative::PairDerivative> first;
  for (const body::Pair& pair : pairs) first.push_back(model->derivative(pair));
  for (std::size_t i = pairs.size(); i-- > 0;) {
    const derivative::PairDerivative again = model->derivative(pairs[i]);
    const auto &w = first[i].witness, &v = again.witness;
    EXPECT_EQ(w.distance, v.distance) << "pair " << i;
    EXPECT_EQ(w.status, v.status) << "pair " << i;
    EXPECT_TRUE(same_bits(w.p1, v.p1) && same_bits(w.p2, v.p2) && same_bits(w.n, v.n)) << "pair " << i;
    EXPECT_TRUE(same_bits(first[i].derivative.dd_dxi_B, again.derivative.dd_dxi_B)) << "pair " << i;
    EXPECT_TRUE(same_bits(first[i].derivative.dp1_A_dxi_B, again.derivative.dp1_A_dxi_B)) << "pair " << i;
  }
}

// Exchanged, the distance is the same, and that of the pair's bounds.
TEST_P(DistanceModelContract, BodiesCanBeExchanged) {
  const auto model = make();
  for (const body::Pair& pair : random_pairs(4)) {
    const witness::Witness<double> w = model->separation(pair),
                                   v = model->separation({pair.B, pair.A, pair.X_AB.inverse()});
    SCOPED_TRACE(pair.A->geometry.name() + " and " + pair.B->geometry.name());
    EXPECT_NEAR(w.distance, v.distance, 1e-9);
    EXPECT_LE(w.lower_bound, w.distance + 1e-12);
    EXPECT_GE(w.upper_bound, w.distance - 1e-12);
  }
}

// Bounds of the translational depth are there of overlapping bodies, of models that have them; exchanged, the
// same.
TEST_P(DistanceModelContract, BoundsOfTheDepthAreThoseOfOverlap) {
  const auto model = make();
  int bounded = 0;
  for (const body::Pair& pair : random_pairs(4)) {
    const Separation s = model->separation(pair),
                     t = model->separation({pair.B, pair.A, pair.X_AB.inverse()});
    SCOPED_TRACE(pair.A->geometry.name() + " and " + pair.B->geometry.name());
    const bool has = GetParam().row->bounds_translational_depth && s.distance < 0;
    EXPECT_EQ(std::isnan(s.depth.lower), !has);
    EXPECT_EQ(std::isnan(s.depth.upper), !has);
    if (!has) continue;
    ++bounded;
    EXPECT_GE(s.depth.lower, 0);
    EXPECT_LE(s.depth.lower, -s.distance + 1e-12);
    EXPECT_LE(-s.distance, s.depth.upper + 1e-12);
    EXPECT_NEAR(s.depth.lower, t.depth.lower, 1e-9);
    EXPECT_NEAR(s.depth.upper, t.depth.upper, 1e-9);
  }
  EXPECT_EQ(bounded > 0, GetParam().row->bounds_translational_depth);
}

INSTANTIATE_TEST_SUITE_P(Table, DistanceModelContract, testing::ValuesIn(all_asked()), name_of);

}  // namespace
}  // namespace abut::proximity
