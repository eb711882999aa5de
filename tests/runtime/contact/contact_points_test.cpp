#include "runtime/contact/contact_points.h"

#include <gtest/gtest.h>

#include <map>

#include "runtime/core/random.h"
#include "runtime/ssdf/primitives.h"
#include "tests/support/hulls.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::contact;
using asset::PointsView;
using S = long double;

// A small box that stands on one corner on a brick.
struct Pair {
  asset::OrientedPoints brick = ssdf::box_points({0.05, 0.04, 0.03}, 0.011);
  asset::OrientedPoints small = ssdf::box_points({0.021, 0.02, 0.015}, 0.006);
  PointsView A = asset::view(brick), B = asset::view(small);
  Pose<double> X_AB{exp_rotation<double>({0.31, -0.22, 0.5}), {0.013, -0.006, 0.0}};
  Vec3<double> corner = Vec3<double>::Zero();  // of B, in A
  SoftMinimumParameters<double> with = parameters_of({}, A, B);

  Pair() {
    for (std::int32_t v = 0; v < B.vertex_count; ++v) {
      const Vec3<double> x = X_AB * Vec3<double>::Map(B.vertices + 3 * v);
      if (x.z() < corner.z()) corner = x;
    }
    X_AB.p.z() = 0.0295 - corner.z();
    corner.z() = 0.0295;
  }
};

TEST(Separation, WeightsAndSlopesAreThoseOfTheField) {
  const Pair pair;
  std::vector<SeparationPoint<double>> field, all;
  separation(pair.A, pair.B, pair.X_AB, pair.with, field);
  auto dense = pair.with;
  dense.tolerance = 0;
  separation(pair.A, pair.B, pair.X_AB, dense, all);
  EXPECT_EQ(all.size(), std::size_t(pair.A.point_count + pair.B.point_count));
  EXPECT_LT(field.size(), all.size());
  std::map<std::pair<int, int>, double> weights;
  double total = 0, mean = 0;
  Vec6<double> slope = Vec6<double>::Zero();
  for (const auto& f : field) {
    weights[{f.body, f.point}] = f.weight;
    total += f.weight;
    mean += f.weight * f.distance;
  }
  EXPECT_NEAR(total, 1, 1e-12);
  for (const auto& f : field)  // d(sum w phi) = sum w dphi (1 - (phi - mean) / eps2)
    slope += f.weight * (1 - (f.distance - mean) / pair.with.eps2) * f.gradient;
  for (const auto& f : all) {
    const auto found = weights.find({f.body, f.point});
    EXPECT_NEAR(found == weights.end() ? 0 : found->second, f.weight, 1e-12);
  }
  SoftMinimum<double> whole;
  soft_minimum(pair.A, pair.B, pair.X_AB, Vec6<double>::Zero(), pair.with, ssdf::Order::kGradient, whole);
  EXPECT_NEAR(mean, whole.distance, 1e-14);
  EXPECT_LT((slope - whole.distance_gradient).norm(), 1e-10 * whole.distance_gradient.norm());
}

TEST(ContactPoints, DerivativesAreThoseOfThePoints) {
  const Pair pair;
  ssdf::TopKConfig config;
  config.temperature = 0.03;
  config.tolerance = 1e-15;
  auto fine = pair.with.cast<S>();
  fine.tolerance = 1e-17L;
  ContactPointsWorkspace<S> workspace;
  const auto ask = [&](int direction, S step) {
    Vec6<S> xi = Vec6<S>::Zero();
    xi[direction] = step;
    ContactPoints<S> result;
    contact_points<S>(pair.A, pair.B, pair.X_AB.cast<S>() * exp<S>(xi), fine, config, workspace, result);
    EXPECT_EQ(result.count, 8);
    return result;
  };
  const ContactPoints<S> at = ask(0, 0);
  ContactPointsWorkspace<double> plain_workspace;
  ContactPoints<double> plain;
  config.tolerance = 1e-12;
  contact_points<double>(pair.A, pair.B, pair.X_AB, pair.with, config, plain_workspace, plain);
  EXPECT_EQ(plain.status, Status::kOk);
  config.tolerance = 1e-15;
  for (int d = 0; d < 6; ++d) {
    const S h = d < 3 ? S(2e-5) : S(1e-6);
    const auto a1 = ask(d, h), b1 = ask(d, -h), a2 = ask(d, 2 * h), b2 = ask(d, -2 * h);
    for (std::size_t k = 0; k < 8; ++k) {
      const Vec3<S> slope = (8 * (a1.points[k] - b1.points[k]) - (a2.points[k] - b2.points[k])) / (12 * h);
      const double size = std::max(double(at.derivative[k].norm()), 1.0);
      EXPECT_LT(double((slope - at.derivative[k].col(d)).norm()), 1e-6 * size) << d << " " << k;
      EXPECT_LT(double((plain.derivative[k].col(d).cast<S>() - slope).norm()), 1e-6 * size) << d << " " << k;
    }
  }
}

// Cold, the points are the corners of most weight, in order.
TEST(ContactPoints, TheColdLimitIsTheHardChoice) {
  const Pair pair;
  std::vector<SeparationPoint<double>> field;
  separation(pair.A, pair.B, pair.X_AB, pair.with, field);
  std::map<std::pair<int, int>, double> z;
  for (const auto& f : field)
    for (int k = 0; k < 4; ++k)
      z[{f.body, (f.body == 0 ? pair.A : pair.B).quads[4 * f.point + k]}] += f.weight;
  std::vector<std::pair<double, std::pair<int, int>>> sorted;
  for (const auto& [corner, score] : z) sorted.emplace_back(score, corner);
  std::sort(sorted.rbegin(), sorted.rend());
  ssdf::TopKConfig config;
  config.count = 2;         // the third and fourth score are nearly the same
  config.tolerance = 1e-6;  // rounding, when cold
  ContactPointsWorkspace<double> workspace;
  double last = 1;
  for (const double temperature : {1e-2, 1e-3, 1e-4, 2e-5}) {
    config.temperature = temperature;
    ContactPoints<double> found;
    contact_points<double>(pair.A, pair.B, pair.X_AB, pair.with, config, workspace, found);
    ASSERT_EQ(found.status, Status::kOk) << temperature;
    double worst = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto [body, vertex] = sorted[k].second;
      const Vec3<double> y = Vec3<double>::Map((body == 0 ? pair.A : pair.B).vertices + 3 * vertex);
      worst = test::worst_of(worst, (found.points[k] - (body == 0 ? y : pair.X_AB * y)).norm());
    }
    last = worst;
  }
  EXPECT_LT(last, 1e-5);
}

// Every point within a few spacings of where they touch.
TEST(ContactPoints, StandWhereTheBodiesTouch) {
  const Pair pair;
  ContactPointsWorkspace<double> workspace;
  ContactPoints<double> found;
  contact_points<double>(pair.A, pair.B, pair.X_AB, pair.with, {}, workspace, found);
  ASSERT_EQ(found.count, 8);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_LT((found.points[k] - pair.corner).norm(), 0.025) << k;
}

TEST(ContactPoints, BadSettingsGiveNone) {
  const Pair pair;
  ContactPointsWorkspace<double> workspace;
  ContactPoints<double> found;
  ssdf::TopKConfig config;
  config.count = 17;
  contact_points<double>(pair.A, pair.B, pair.X_AB, pair.with, config, workspace, found);
  EXPECT_EQ(found.status, Status::kInvalidInput);
  EXPECT_EQ(found.count, 0);
}

}  // namespace
