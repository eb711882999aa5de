#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "preprocess/mesh/close.h"
#include "runtime/core/random.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/witness/pair_query.h"
#include "runtime/witness/pieces_query.h"
#include "runtime/witness/separation.h"
#include "tests/support/pieces_geometry.h"
#include "tests/support/runs.h"
#include "tests/support/shapes.h"

// The distance of unions of convex pieces that is smooth across pairs of pieces.
namespace abut::proximity {
namespace {

using Wide = long double;
using derivative::SmoothedPair;
using witness::PiecesSolver;
using witness::PiecesWitness;

// Scanned objects as coarse unions; without the data two rings.
const std::vector<body::Body>& objects() {
  static const std::vector<body::Body> made = [] {
    const preprocess::PieceParameters coarse{
        .kind = preprocess::PieceParameters::Kind::kCount, .count = 8, .error = 8e-3, .vertices = 12};
    std::vector<body::Body> list;
    for (const char* const name : {"011_banana", "025_mug", "051_large_clamp"}) {
      const auto mesh = test::welded_ycb(name);
      if (!mesh || (list.size() == 2 && !test::full_tier())) break;
      preprocess::Report report;
      list.push_back(
          {test::pieces_geometry(preprocess::close_surface(*mesh, {}, report).surface, coarse), {}});
    }
    while (list.size() < 2)
      list.push_back({test::pieces_geometry(test::torus(0.05, 0.015, 16, 8), coarse), {}});
    return list;
  }();
  return made;
}

std::unique_ptr<DistanceModel> model_at(double temperature) {
  return make_distance_model("pieces", {}, {{"temperature", temperature}});
}

Vec3<double> vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

// Two objects about `gap` (m) apart.
body::Pair draw(Random& random, double gap) {
  const auto some = [&] { return &objects()[random.below(objects().size())]; };
  const body::Body *A = some(), *B = some();
  body::Pair pair{A, B, {exp_rotation<double>(vector(random)), 0.5 * vector(random).normalized()}};
  const auto far = PiecesSolver(A->geometry, B->geometry)(pair.X_AB).witness;
  pair.X_AB.p += (gap - far.distance) * far.n;
  return pair;
}

// Distance, points and normal of a blend.
using Values = Eigen::Matrix<Wide, 10, 1>;

Values values_of(const witness::Witness<double>& w) {
  Values values;
  values << w.distance, w.p1.cast<Wide>(), w.p2.cast<Wide>(), w.n.cast<Wide>();
  return values;
}

Wide weight(Wide beyond) {
  if (beyond >= 20) return 0;
  const Wide s = (beyond - 15) / 5;
  return std::exp(-beyond) * (s <= 0 ? 1 : 1 - s * s * s * (10 - 15 * s + 6 * s * s));
}

// The blend of the pairs anew, in extended precision: its root by bisection. `features` receives the vertices
// that carry the points of the pairs that weigh.
Values blended(const body::Pair& pair, const std::vector<PiecesWitness>& near, const Pose<Wide>& X,
               Wide temperature, std::vector<std::int32_t>& features) {
  witness::Workspace<Wide> workspace;
  std::vector<witness::Witness<Wide>> at;
  for (const PiecesWitness& of : near)
    at.push_back(witness::separation(witness::Core<Wide>(pair.A->geometry.pieces().convex[of.piece_A]),
                                     witness::Core<Wide>(pair.B->geometry.pieces().convex[of.piece_B]), X,
                                     workspace));
  Wide high = std::numeric_limits<Wide>::infinity();
  for (const auto& w : at) high = std::min(high, w.distance);
  Wide low = high - temperature * std::log(static_cast<Wide>(at.size() + 1));
  for (int i = 0; i < 80; ++i) {
    const Wide middle = (low + high) / 2;
    Wide sum = 0;
    for (const auto& w : at) sum += weight((w.distance - middle) / temperature);
    (sum > 1 ? high : low) = middle;
  }
  Vec3<Wide> p1 = Vec3<Wide>::Zero(), p2 = p1, n = p1;
  features.clear();
  for (const auto& w : at) {
    const Wide share = weight((w.distance - low) / temperature);
    p1 += share * w.p1, p2 += share * w.p2, n += share * w.n;
    if (share < 1e-10) continue;
    for (const auto* const of : {w.vertex_A, w.vertex_B}) {
      std::array<std::int32_t, 3> sorted{of[0], of[1], of[2]};
      std::sort(sorted.begin(), sorted.end());
      features.insert(features.end(), sorted.begin(), std::unique(sorted.begin(), sorted.end()));
    }
  }
  Values values;
  values << low, p1, p2, n.normalized();
  return values;
}

TEST(PiecesSmoothed, DerivativesAreThoseOfExtendedPrecision) {
  constexpr Wide kStep = 1e-7;
  int compared = 0, several = 0;
  Wide worst[4] = {};  // of value, its slope, points and normal
  for (int i = 0; i < test::runs(24, 40); ++i) {
    Random random(31, i);
    const double temperature = i % 2 == 0 ? 2e-4 : 2e-3;
    const body::Pair pair = draw(random, std::pow(10, random.uniform(-3, -2)));
    const SmoothedPair found = model_at(temperature)->smoothed(pair);
    if (found.derivative.status != Status::kOk || !(found.exact.distance > 0)) continue;
    PiecesSolver solver(pair.A->geometry, pair.B->geometry);
    const auto up_to = solver.up_to(pair.X_AB, found.exact.distance + 21 * temperature);
    const std::vector<PiecesWitness> near(up_to.begin(), up_to.end());
    std::vector<std::int32_t> features, others;
    const Values here = blended(pair, near, pair.X_AB.cast<Wide>(), temperature, features);
    bool same = true;
    std::array<Values, 6> slopes;
    for (int k = 0; k < 6; ++k) {
      const auto moved = [&](Wide step) {
        const Values values = blended(
            pair, near, pair.X_AB.cast<Wide>() * exp<Wide>(step * Vec6<Wide>::Unit(k)), temperature, others);
        same = same && others == features;
        return values;
      };
      slopes[k] =
          (8 * (moved(kStep) - moved(-kStep)) - (moved(2 * kStep) - moved(-2 * kStep))) / (12 * kStep);
    }
    if (!same) continue;
    ++compared;
    several += near.size() > 1;
    worst[0] = std::max(worst[0], (here - values_of(found.smoothed)).cwiseAbs().maxCoeff());
    const auto& d = found.derivative;
    for (int k = 0; k < 6; ++k) {
      const auto off = [&](const auto& column, int from) {
        const Vec3<Wide> expected = slopes[k].segment<3>(from);
        return (column.template cast<Wide>() - expected).norm() / (1 + expected.norm());
      };
      worst[1] = std::max(worst[1], std::abs(d.dd_dxi_B[k] - slopes[k][0]));
      worst[2] = std::max({worst[2], off(d.dp1_A_dxi_B.col(k), 1), off(d.dp2_A_dxi_B.col(k), 4)});
      worst[3] = std::max(worst[3], off(d.dn_A_dxi_B.col(k), 7));
    }
  }
  std::printf(
      "%d poses, %d of several pairs: off by %.1Le (values), %.1Le (slope), %.1Le (points), %.1Le (normal)\n",
      compared, several, worst[0], worst[1], worst[2], worst[3]);
  EXPECT_GE(several, test::runs(5, 40));
  EXPECT_LT(worst[0], 1e-9);
  for (const Wide off : {worst[1], worst[2], worst[3]}) EXPECT_LT(off, 1e-7);
}

// A walk across the place on a path where the nearest pair of pieces changes.
TEST(PiecesSmoothed, DoesNotJumpWhereTheNearestPairChanges) {
  constexpr double kStep = 1e-9, kTemperature = 1e-3;  // m
  const auto model = model_at(kTemperature);
  int changes = 0;
  double exact_jump = 0, jump = 0, bend = 0;
  for (int path = 0; path < test::runs(80); ++path) {
    Random random(32, path);
    const body::Pair start = draw(random, 0.01);
    Vec6<double> xi;
    xi << 5 * vector(random), vector(random).normalized();
    const auto at = [&](double s) -> body::Pair {
      return {start.A, start.B, start.X_AB * exp<double>(Vec6<double>(s * xi))};
    };
    const auto carriers = [&](double s) {
      const PiecesWitness w = PiecesSolver(start.A->geometry, start.B->geometry)(at(s).X_AB);
      return std::pair(w.piece_A, w.piece_B);
    };
    double low = 0, high = 4e-3;
    if (carriers(low) == carriers(high)) continue;
    while (high - low > kStep) (carriers((low + high) / 2) == carriers(low) ? low : high) = (low + high) / 2;
    SmoothedPair before = model->smoothed(at(low - 4 * kStep));
    if (!(before.exact.distance > 2e-3)) continue;
    ++changes;
    for (int i = -3; i <= 4; ++i) {
      const SmoothedPair next = model->smoothed(at(low + i * kStep));
      const auto change = [](const witness::Witness<double>& x, const witness::Witness<double>& y) {
        return static_cast<double>((values_of(x) - values_of(y)).cwiseAbs().maxCoeff());
      };
      exact_jump = std::max(exact_jump, change(before.exact, next.exact));
      jump = std::max(jump, change(before.smoothed, next.smoothed));
      bend = std::max(bend, (before.derivative.dd_dxi_B - next.derivative.dd_dxi_B).cwiseAbs().maxCoeff());
      before = next;
    }
  }
  std::printf("%d changes: jumps of at most %.1e, slope %.1e; of the exact one %.1e\n", changes, jump, bend,
              exact_jump);
  EXPECT_GE(changes, test::runs(5));
  EXPECT_GT(exact_jump, 1e-3);
  EXPECT_LT(jump, 1e-6);
  EXPECT_LT(bend, 1e-6);
}

// From far to deep in one another: the value is continuous and below the exact one, to which it tends.
TEST(PiecesSmoothed, IsContinuousAndTendsToTheDistance) {
  for (int path = 0; path < test::runs(6); ++path) {
    Random random(33, path);
    const body::Pair start = draw(random, 0.02);
    const Vec3<double> way = PiecesSolver(start.A->geometry, start.B->geometry)(start.X_AB).witness.n;
    double less = std::numeric_limits<double>::infinity();
    for (const double temperature : {1e-2, 1e-3, 1e-4}) {
      const auto model = model_at(temperature);
      double most = 0;
      for (double s = 0; s < 0.04; s += 2.7e-3) {
        const auto at = [&](double shift) {
          return model->smoothed({start.A, start.B, {start.X_AB.R, start.X_AB.p - shift * way}});
        };
        const SmoothedPair found = at(s);
        EXPECT_LE(found.smoothed.distance, found.exact.distance + 1e-12);
        most = std::max(most, found.exact.distance - found.smoothed.distance);
        EXPECT_NEAR(at(s + 1e-9).smoothed.distance, found.smoothed.distance, 1.1e-9);
        EXPECT_LE(found.derivative.dd_dxi_B.tail<3>().norm(), 1 + 1e-9);
      }
      const double pairs = start.A->geometry.pieces().piece_count * start.B->geometry.pieces().piece_count;
      EXPECT_LE(most, temperature * std::log(pairs) + 1e-12);
      EXPECT_LT(most, less);
      less = most + 1e-12;
    }
  }
}

TEST(PiecesSmoothed, IsTheSameExchangedAndTakesPrimitives) {
  const auto model = model_at(1e-3);
  const body::Body ball{body::Geometry(body::Sphere<double>{0.03}), {}};
  for (int i = 0; i < test::runs(10); ++i) {
    Random random(34, i);
    const body::Pair pair = draw(random, 5e-3);
    const SmoothedPair one = model->smoothed(pair),
                       other = model->smoothed({pair.B, pair.A, pair.X_AB.inverse()});
    EXPECT_NEAR(one.smoothed.distance, other.smoothed.distance, 1e-12);
    EXPECT_LT((one.smoothed.p1 - pair.X_AB * other.smoothed.p2).norm(), 1e-9);
    const body::Pair with_ball{pair.A, &ball, pair.X_AB};
    const SmoothedPair found = model->smoothed(with_ball);
    ASSERT_NE(found.derivative.status, Status::kInvalidInput);
    for (int k = 0; k < 6; ++k) {
      constexpr double kStep = 1e-6;
      const auto moved = [&](double step) {
        return model->smoothed({pair.A, &ball, pair.X_AB * exp<double>(step * Vec6<double>::Unit(k))})
            .smoothed.distance;
      };
      EXPECT_NEAR(found.derivative.dd_dxi_B[k], (moved(kStep) - moved(-kStep)) / (2 * kStep), 1e-5);
    }
  }
}

}  // namespace
}  // namespace abut::proximity
