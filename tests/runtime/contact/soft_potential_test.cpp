#include "runtime/contact/soft_potential.h"

#include <gtest/gtest.h>

#include "runtime/contact/soft_potential/force.h"
#include "runtime/contact/soft_potential/scratch.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/grid_field.h"
#include "runtime/ssdf/point_lattice.h"
#include "runtime/ssdf/two_stage.h"
#include "tests/runtime/contact/potential_samples.h"
#include "tests/support/gap.h"
#include "tests/support/hulls.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::contact;
using ssdf::Order;
using test::all_samples;
using test::ball_cloud;
using test::energy;
using test::gap;
using S = long double;

// A square plate of quads with edge s in the plane z = 0.
body::Geometry plate(double s, int half_count) {
  std::vector<Vec3<double>> positions, normals, tangents;
  for (int i = -half_count; i <= half_count; ++i)
    for (int j = -half_count; j <= half_count; ++j) {
      positions.emplace_back(s * i, s * j, 0);
      normals.emplace_back(0, 0, 1);
      tangents.emplace_back(1, 0, 0);
    }
  return body::Geometry(test::points_asset(test::make_points(positions, normals, s * s, tangents)));
}

// A ball of points with the grid of its distance, bricks only where they are needed for a reach of two point
// spacings.
body::Geometry ball_with_grid(double radius, int count) {
  asset::Asset ball = test::points_asset(test::sphere_points(radius, count));
  const double s = ball.points.front().spacing.front(), h = s / 4, reach = 2 * s;
  const int places = 2 * int(std::ceil((radius + reach + 6 * h) / (asset::kBrickNodes * h)));
  const double origin = -places * asset::kBrickNodes * h / 2;
  asset::DistanceGrid& grid = ball.grids.emplace_back();
  grid.lattice = {origin, origin, origin, h, reach};
  grid.places = {places, places, places};
  int bricks = 0;
  for (int place = 0; place < places * places * places; ++place) {
    const Vec3<double> first =
        Vec3<double>::Constant(origin) +
        asset::kBrickNodes * h *
            Vec3<double>(place % places, place / places % places, place / (places * places));
    const bool near = (first + Vec3<double>::Constant(1.5 * h)).norm() < radius + reach + 6 * h;
    grid.index.push_back(near ? bricks++ : -1);
    for (int node = 0; near && node < asset::kBrickSize; ++node) {
      const Vec3<double> p = first + h * Vec3<double>(node % 4, node / 4 % 4, node / 16);
      grid.coefficients.push_back(float(p.norm() - radius));
    }
  }
  asset::add_rows(grid);
  return body::Geometry(std::move(ball));
}

struct Case {
  const char* name;
  body::Body A, B;
  Pose<double> X_AB;
  Vec6<double> V;
};

// Two balls of points, a ball of points with primitives and with a half-space, from deep to a little apart,
// still, and moving with friction.
std::vector<Case> cases(bool moving) {
  const body::Material material{.friction = moving ? 0.5 : 0};
  const body::Geometry coarse = ball_cloud(0.05, 180), fine = ball_cloud(0.03, 140);
  const struct {
    const char* name;
    body::Geometry A, B;
    double touching;  // distance of the centres
  } pairs[] = {{"two clouds", coarse, fine, 0.08},
               {"cloud and ball", coarse, body::Geometry(body::Sphere<double>{0.02}), 0.07},
               {"box and cloud", body::Geometry(body::Box<double>{{0.5, 0.5, 0.02}}), fine, 0.05},
               {"half-space and cloud", body::Geometry(body::HalfSpace<double>{}), fine, 0.03}};
  std::vector<Case> result;
  Random random(5);
  for (const auto& pair : pairs)
    for (const double gap : {-0.004, -0.0003, 0.0004}) {
      Case c{pair.name, {pair.A, material}, {pair.B, material}, {}, Vec6<double>::Zero()};
      c.X_AB = {test::random_rotation(random), {0, 0, pair.touching + gap}};
      if (moving)
        for (int i = 0; i < 6; ++i) c.V[i] = random.normal() * (i < 3 ? 2 : 0.1);
      result.push_back(c);
    }
  return result;
}

// The pair in extended precision, with B moved by xi and its twist by V.
SoftPotential<S> extended(const PotentialPair<double>& pair, const Vec6<S>& xi, const Vec6<S>& V,
                          Order order) {
  const PotentialLaw<double>& law = pair.law;
  const PotentialPair<S> moved{pair.A,
                               pair.B,
                               pair.X_AB.cast<S>() * exp<S>(xi),
                               pair.V_AB_B.cast<S>() + V,
                               {law.stiffness, law.eps3, law.faded, law.friction, law.stiction, law.damping},
                               pair.share_A,
                               pair.share_B,
                               pair.grid_A,
                               pair.grid_B,
                               pair.lattice_A,
                               pair.lattice_B};
  SoftPotential<S> result;
  PotentialScratch<S> scratch;
  soft_potential_extended(moved, order, scratch, result);
  return result;
}

// Null where the field is another one.
std::unique_ptr<ssdf::PointLattice> lattice_of(const body::Geometry& geometry,
                                               const SoftPotentialConfig& config) {
  if (config.field != PotentialField::kLattice || geometry.primitive() != nullptr) return nullptr;
  return std::make_unique<ssdf::PointLattice>(geometry.points());
}

// All derivatives against differences of the fourth order in extended precision.
void expect_derivatives(const Case& c, const SoftPotentialConfig& config) {
  SCOPED_TRACE(c.name);
  auto pair = potential_pair(config, {&c.A, &c.B, c.X_AB, c.V});
  const auto lattices = std::pair{lattice_of(c.A.geometry, config), lattice_of(c.B.geometry, config)};
  pair.lattice_A = lattices.first.get();
  pair.lattice_B = lattices.second.get();
  SoftPotential<double> found, first, value;
  PotentialScratch<double> scratch;
  soft_potential(pair, Order::kHessian, 1, scratch, found);
  soft_potential(pair, Order::kGradient, 1, scratch, first);
  soft_potential(pair, Order::kValue, 1, scratch, value);
  ASSERT_TRUE(found.met);
  const Vec6<S> none = Vec6<S>::Zero();
  const SoftPotential<S> exact = extended(pair, none, none, Order::kGradient);
  EXPECT_LT(gap(value.F_BBo_B, exact.F_BBo_B), 1e-12);
  EXPECT_LT(gap(found.F_BBo_B, exact.F_BBo_B), 1e-12);
  EXPECT_LT(gap(first.jacobian, exact.jacobian), 1e-11);
  EXPECT_LT(gap(found.jacobian, exact.jacobian), 1e-11);
  EXPECT_NEAR(found.energy / double(exact.energy), 1, 1e-12);
  std::array<Eigen::Matrix<S, 12, 12>, 6> chain;  // slopes of the Jacobian along the moved frame
  for (int d = 0; d < 12; ++d) {
    SCOPED_TRACE(d);
    const S h = d < 3 ? 1e-6L : 1e-7L;
    const auto ask = [&](S step) {
      Vec6<S> xi = none, V = none;
      (d < 6 ? xi : V)[d % 6] = step;
      return extended(pair, xi, V, Order::kGradient);
    };
    const auto a1 = ask(h), b1 = ask(-h), a2 = ask(2 * h), b2 = ask(-2 * h);
    const auto slope = [&](const auto& f) {
      return ((8 * (f(a1) - f(b1)) - (f(a2) - f(b2))) / (12 * h)).eval();
    };
    if (d < 6 || c.V.norm() > 0) {
      EXPECT_LT(gap(found.jacobian.col(d).eval(), slope([](const auto& r) { return r.F_BBo_B; })), 1e-8);
    }
    const Eigen::Matrix<S, 6, 12> H = slope([](const auto& r) { return r.jacobian; });
    for (int row = 0; row < 6; ++row) chain[row].row(d) = H.row(row);
    if (d < 6 && c.V.norm() == 0) {  // F = -dU
      const S along = (8 * (a1.energy - b1.energy) - (a2.energy - b2.energy)) / (12 * h);
      EXPECT_NEAR(found.F_BBo_B[d], double(-along), 1e-9 * found.F_BBo_B.norm());
    }
  }
  for (int row = 0; row < 6; ++row) {
    const Eigen::Matrix<S, 12, 12> expected = (chain[row] + chain[row].transpose()) / 2;
    EXPECT_LT(gap(found.hessian[row], expected), 1e-6) << row;
  }
}

TEST(SoftPotential, DerivativesAreThoseOfTheWrenchAtRest) {
  for (const Case& c : cases(false)) expect_derivatives(c, {});
}

TEST(SoftPotential, DerivativesAreThoseOfTheWrenchInMotion) {
  for (const Case& c : cases(true)) expect_derivatives(c, {.dissipation = 3});
}

TEST(SoftPotential, DerivativesKeepTheirDigitsFarFromTheOriginOfA) {
  for (const bool moving : {false, true})
    for (Case& c : cases(moving)) {
      if (c.A.geometry.half_space() == nullptr) continue;
      for (const double far : {1e4, 1e8}) {
        c.X_AB.p.x() = far;
        c.X_AB.p.y() = -far;
        expect_derivatives(c, {.dissipation = moving ? 3.0 : 0.0});
      }
    }
}

TEST(SoftPotential, DerivativesAreThoseOfTheWrenchOnLattices) {
  for (const Case& c : cases(false)) expect_derivatives(c, {.field = PotentialField::kLattice});
  for (const Case& c : cases(true))
    expect_derivatives(c, {.dissipation = 3, .field = PotentialField::kLattice});
}

TEST(SoftPotential, AReachInMetresFeelsAhead) {
  const body::Body A{ball_cloud(0.03, 400)}, B{ball_cloud(0.02, 300)};
  const auto model = make_model("soft_potential", {{"reach", "0.01"}});
  const auto force = [&](double gap) {
    const PairWrench w =
        model->wrench({&A, &B, {Mat3<double>::Identity(), {0, 0, 0.05 + gap}}}, Want::kJacobian);
    EXPECT_EQ(w.status, Status::kOk);
    EXPECT_TRUE(w.dF_dxi_B.allFinite());
    return w.F_BBo_B[5];
  };
  const double touching = force(-0.001);
  EXPECT_GT(touching, 0);
  EXPECT_GT(force(0.1), 1e-12 * touching);
  Case c{"apart", A, B, {Mat3<double>::Identity(), {0.01, 0, 0.14}}, Vec6<double>::Zero()};
  expect_derivatives(c, {.reach = 0.01});
  EXPECT_EQ(make_model("soft_potential")->wrench({&A, &B, c.X_AB}).status, Status::kNoOverlap);
}

// A ball that slides over a plate is pressed evenly: samples do not show.
TEST(SoftPotential, ABallSlidesWithoutRipple) {
  const double s = 0.003;
  const body::Body floor{plate(s, 14)}, ball{body::Geometry(body::Sphere<double>{0.02})};
  const auto model = make_model("soft_potential");
  for (const double depth : {0.05 * s, 0.1 * s, 0.2 * s}) {
    double least = 1e300, most = 0;
    Random random(6);
    for (int k = 0; k < 100; ++k) {
      Pose<double> X{test::random_rotation(random),
                     {random.uniform(0, s), random.uniform(0, s), 0.02 - depth}};
      const PairWrench w = model->wrench({&floor, &ball, X}, Want::kValue);
      const Vec3<double> f = X.R * w.F_BBo_B.tail<3>();
      least = std::min(least, f.z());
      most = std::max(most, f.z());
      EXPECT_LT(f.head<2>().norm(), 0.02 * f.z());
    }
    EXPECT_GT(least, 0);
    EXPECT_LT((most - least) / (most + least), 0.01) << depth;
  }
}

// Friction of a sliding body is mu times its normal force, against the motion; none without motion.
TEST(SoftPotential, FrictionIsThatOfCoulomb) {
  const body::Material material{.friction = 0.4};
  const body::Body floor{body::Geometry(body::HalfSpace<double>{}), material},
      block{plate(0.003, 8), material};
  Pose<double> X{exp_rotation<double>({std::numbers::pi, 0, 0}), {0, 0, -1e-4}};
  body::Pair pair{&floor, &block, X};
  pair.V_AB_B << 0, 0, 0, 0.5, 0, 0;
  const PairWrench w = contact_wrench("soft_potential", pair);
  const double normal = -w.F_BBo_B[5];
  EXPECT_GT(normal, 0);
  EXPECT_NEAR(w.F_BBo_B[3], -0.4 * normal, 1e-5 * normal);
  EXPECT_NEAR(w.F_BBo_B[4], 0, 1e-9 * normal);
  pair.V_AB_B.setZero();
  EXPECT_NEAR(contact_wrench("soft_potential", pair).F_BBo_B[3], 0, 1e-9 * normal);
}

// A ball with a grid of its own falls on a plane and leaves it: friction makes the impact no softer.
TEST(SoftPotential, ABallReboundsAsHighWithFrictionAsWithout) {
  const auto work = [](double friction) {
    const body::Material material{.friction = friction};
    const body::Body floor{body::Geometry(body::HalfSpace<double>{}), material},
        ball{ball_with_grid(0.05, 400), material};
    double sum = 0;
    for (const double speed : {-0.5, 0.5}) {
      body::Pair pair{&floor, &ball, {Mat3<double>::Identity(), {0, 0, 0.0495}}};
      pair.V_AB_B[5] = speed;
      const double force = contact_wrench("soft_potential", pair).F_BBo_B[5];
      EXPECT_GT(force, 1);
      sum += speed * force;
    }
    return sum;
  };
  EXPECT_NEAR(work(0), 0, 1e-12);
  EXPECT_NEAR(work(0.9), 0, 1e-12);
}

// An even pressure on the common area: stiffness times depth.
TEST(SoftPotential, APlateOnAHalfSpaceFeelsAnEvenPressure) {
  const double s = 0.003, depth = 1e-3, stiffness = 2e7;
  const body::Body floor{body::Geometry(body::HalfSpace<double>{})}, block{plate(s, 8)};
  const Pose<double> X{exp_rotation<double>({std::numbers::pi, 0, 0}), {0, 0, -depth}};
  const PairWrench w = contact_wrench("soft_potential", {&floor, &block, X}, {{"stiffness", "2e7"}});
  const double area = std::pow(17 * s, 2);
  EXPECT_NEAR(-w.F_BBo_B[5], stiffness * depth * area, 0.05 * stiffness * depth * area);
  EXPECT_LT(w.F_BBo_B.head<3>().norm(), 1e-6 * std::abs(w.F_BBo_B[5]));
}
TEST(SoftPotential, GridsAnswerAsTheReferenceAndLeaveNothingOut) {
  const body::Material rough{.friction = 0.5};
  const body::Body A{ball_with_grid(0.05, 400), rough}, B{ball_with_grid(0.03, 300), rough};
  Random random(9);
  int met = 0;
  for (const double gap : {-0.02, -0.004, -0.0005, 0.0002, 0.0008, 0.02})
    for (int i = 0; i < 10; ++i) {
      const Pose<double> X{
          test::random_rotation(random),
          (0.08 + gap) * Vec3<double>(random.normal(), random.normal(), random.normal()).normalized()};
      const auto pair = potential_pair({}, {&A, &B, X});
      ASSERT_TRUE(pair.grid_A && pair.grid_B);
      const double all = energy(all_samples(pair), pair.law);
      SoftPotential<double> found;
      PotentialScratch<double> scratch;
      soft_potential(pair, Order::kValue, 1, scratch, found);
      met += all > 0 ? 1 : 0;
      EXPECT_NEAR(found.energy, all, 1e-12 * all) << gap;
    }
  EXPECT_GT(met, 30);
  for (const bool moving : {false, true}) {
    Case c{"grids", A, B, {test::random_rotation(random), {0, 0, 0.0795}}, Vec6<double>::Zero()};
    if (moving) c.V << 0.3, -1, 0.7, 0.1, 0.02, -0.05;
    expect_derivatives(c, {.dissipation = moving ? 3.0 : 0.0});
  }
}

// Quads touch the ball in their middles; beside them their samples come down to it, and stand for a little
// less.
TEST(SoftPotential, SamplesStandOnTheSurfaceOfAGrid) {
  const body::Geometry ball = ball_with_grid(0.05, 400);
  const asset::PointsView points = ball.points();
  const asset::SampleBlocks of_quads = asset::make_sample_blocks(points);
  const ssdf::GridField field(ball.grid());
  double farthest = 0, before = 0, area = 0, area_before = 0;
  for (std::size_t i = 0; i < of_quads.numbers.size(); ++i) {
    if (i % asset::kGroupNumbers >= asset::kGroupSamples) continue;
    const double *const x = points.samples.numbers + i, *const y = of_quads.numbers.data() + i;
    farthest = test::worst_of(farthest, std::abs(field.distance({x[0], x[4], x[8]}, 0).value));
    before = test::worst_of(before, std::abs(field.distance({y[0], y[4], y[8]}, 0).value));
    area += x[12];
    area_before += y[12];
  }
  EXPECT_LT(farthest, 1e-12);
  EXPECT_GT(before, 5e-5);
  EXPECT_NEAR(area / area_before, 1, 0.01);
  EXPECT_LT(area, area_before);
}

TEST(SoftPotential, EndsOfWhatNumbersHold) {
  const body::Body A{ball_cloud(0.05, 400)}, B{ball_cloud(0.02, 300)},
      floor{body::Geometry(body::HalfSpace<double>{})};
  const auto model = make_model("soft_potential");
  WrenchHessian hessian;
  const Want all = Want::kJacobian | Want::kHessian | Want::kEnergy;
  for (const double far : {1e3, 1e7, 1e154, 1e300}) {
    const PairWrench w = model->wrench({&A, &B, {Mat3<double>::Identity(), {far, -far, far}}}, all, &hessian);
    EXPECT_EQ(w.status, Status::kNoOverlap) << far;
    EXPECT_EQ(w.F_BBo_B.norm(), 0);
  }
  for (const double place : {0.0, 0.01, 0.03}) {  // coincident centres, deep inside
    const PairWrench w = model->wrench({&A, &B, {Mat3<double>::Identity(), {place, 0, 0}}}, all, &hessian);
    EXPECT_EQ(w.status, Status::kOk);
    EXPECT_TRUE(w.F_BBo_B.allFinite() && w.dF_dxi_B.allFinite());
    if (place > 0) {
      EXPECT_GT(w.F_BBo_B[3], 0);
    }
  }
  const PairWrench twins = model->wrench({&A, &A, {}}, all, &hessian);
  EXPECT_TRUE(twins.F_BBo_B.allFinite());
  const PairWrench sunk = model->wrench({&floor, &B, {Mat3<double>::Identity(), {0, 0, -1e300}}});
  EXPECT_TRUE(sunk.status == Status::kInvalidInput || sunk.F_BBo_B.allFinite());
}

TEST(SoftPotential, SaysWhatIsMissing) {
  const body::Body A{ball_cloud(0.05, 100)}, floor{body::Geometry(body::HalfSpace<double>{})};
  EXPECT_THROW(contact_wrench("soft_potential", {&floor, &floor, {}}), InvalidInput);
  EXPECT_THROW(contact_wrench("soft_potential", {&A, &A, {}}, {{"field", "grid"}}), InvalidInput);
  EXPECT_THROW(contact_wrench("soft_potential", {&A, &A, {}}, {{"field", "lattice"}, {"reach", "0.01"}}),
               InvalidInput);
  const auto far = make_model("soft_potential", {{"field", "lattice"}, {"reach", "0.01"}});
  EXPECT_NO_THROW(far->constraints({&A, &A, {}}, 0));  // points have no reach, only a margin
  EXPECT_THROW(far->constraints({&A, &A, {}}, 1), InvalidInput);
  EXPECT_THROW(make_model("soft_potential", {{"reach", "-1"}}), InvalidInput);
  EXPECT_THROW(make_model("soft_potential", {{"stiffness", "nan"}}), InvalidInput);
}

}  // namespace
