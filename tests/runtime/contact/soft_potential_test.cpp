#include "runtime/contact/soft_potential.h"

#include <gtest/gtest.h>

#include "runtime/contact/potential_force.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/grid_field.h"
#include "runtime/ssdf/point_lattice.h"
#include "runtime/ssdf/two_stage.h"
#include "tests/support/bodies.h"
#include "tests/support/gap.h"
#include "tests/support/hulls.h"
#include "tests/support/point_clouds.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;
using namespace abut::contact;
using ssdf::Order;
using test::gap;
using S = long double;

body::Geometry cloud(double radius, int count) {
  return body::Geometry(test::points_asset(test::sphere_points(radius, count)));
}

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

// A closed wedge of 40 degrees: two squares of 6 cm that meet in an edge along y, the face opposite, the
// ends.
body::Geometry wedge(int per_side) {
  std::vector<Vec3<double>> positions, normals, tangents;
  const double side = 0.06, s = side / per_side, half = 20 * std::numbers::pi / 180;
  const Vec3<double> y = Vec3<double>::UnitY();
  const auto face = [&](const Vec3<double>& corner, const Vec3<double>& u, double length) {
    const int count = int(std::lround(length / s));
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < per_side; ++j) {
        positions.push_back(corner + (i + 0.5) * length / count * u + ((j + 0.5) * s - side / 2) * y);
        normals.push_back(y.cross(u));
        tangents.push_back(u);
      }
  };
  const Vec3<double> up(std::cos(half), 0, std::sin(half)), down(std::cos(half), 0, -std::sin(half));
  face(side * up, -up, side);
  face(Vec3<double>::Zero(), down, side);
  face(side * down, Vec3<double>::UnitZ(), 2 * side * std::sin(half));
  for (double x = s / 2; x < side * std::cos(half); x += s)
    for (double z = s / 2 - side; z < side; z += s)
      for (const double end : {-1.0, 1.0}) {
        if (std::abs(z) > x * std::tan(half)) continue;
        positions.push_back({x, end * side / 2, z});
        normals.push_back(end * y);
        tangents.push_back(Vec3<double>::UnitX());
      }
  return body::Geometry(test::points_asset(test::make_points(positions, normals, s * s, tangents)));
}

// Stiffness times area (N/m) of every sample of a pair, and the field there, m; none left out.
std::vector<std::pair<double, double>> all_samples(const PotentialPair<double>& pair) {
  std::vector<std::pair<double, double>> result;
  for (const bool of_A : {true, false}) {
    const asset::PointsView points = (of_A ? pair.A : pair.B)->points(),
                            field = (of_A ? pair.B : pair.A)->points();
    const Pose<double> X = of_A ? pair.X_AB.inverse() : pair.X_AB;
    const int groups = points.samples.first[points.blocks.block_count];
    for (int i = 0; i < asset::kGroupSamples * groups; ++i) {
      const double* const x =
          points.samples.numbers + i / asset::kGroupSamples * asset::kGroupNumbers + i % asset::kGroupSamples;
      const Vec3<double> p = X * Vec3<double>(x[0], x[4], x[8]);
      double phi;
      if (of_A ? pair.grid_B : pair.grid_A) {
        const auto d = ssdf::GridField((of_A ? pair.B : pair.A)->grid()).distance(p, 0);
        phi = d.status == Status::kOk ? d.value : std::numeric_limits<double>::infinity();
      } else {
        phi = ssdf::two_stage_distance<double>(field, p, Order::kValue).value;
      }
      result.emplace_back(pair.law.stiffness * (of_A ? pair.share_A : pair.share_B) * x[12], phi);
    }
  }
  return result;
}

// The value at p (m) from the definition: the field at all nodes about it.
double lattice_value(const ssdf::PointLattice& lattice, const asset::PointsView& points,
                     const Vec3<double>& p) {
  const double h = 1 / lattice.per_node();
  std::int64_t first[3];
  double splines[3][5];
  for (int k = 0; k < 3; ++k) {
    const double q = (p[k] - lattice.origin()[k]) / h;
    first[k] = std::llround(q) - 2;
    for (int i = 0; i < 5; ++i) {
      const double x = std::abs(q - double(first[k] + i)), x2 = x * x;
      splines[k][i] = x < 0.5   ? 115.0 / 192 - 5 * x2 / 8 + x2 * x2 / 4
                      : x < 1.5 ? (55 + 20 * x - 120 * x2 + 80 * x2 * x - 16 * x2 * x2) / 96
                                : std::pow(2.5 - x, 4) / 24;
    }
  }
  double sum = 0;
  for (int i = 0; i < 125; ++i) {
    const int at[3] = {i % 5, i / 5 % 5, i / 25};
    Vec3<double> x;
    for (int k = 0; k < 3; ++k) x[k] = lattice.origin()[k] + h * double(first[k] + at[k]);
    const double value = ssdf::two_stage_distance<double>(points, x, Order::kValue).value;
    sum += std::min(value, lattice.reach()) * splines[0][at[0]] * splines[1][at[1]] * splines[2][at[2]];
  }
  return sum;
}

double energy(const std::vector<std::pair<double, double>>& samples, const PotentialLaw<double>& law) {
  double sum = 0;
  for (const auto& [ka, phi] : samples) {
    if (!(phi < law.faded * law.eps3)) continue;
    contact::internal::Push<double> push;
    contact::internal::push_at(phi, law, push);
    sum += ka * push.energy;
  }
  return sum;
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
  const body::Geometry coarse = cloud(0.05, 180), fine = cloud(0.03, 140);
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
  ssdf::internal::NearScratch<S> near;
  soft_potential_extended(moved, order, near, result);
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
  ssdf::internal::NearScratch<double> near;
  soft_potential(pair, Order::kHessian, near, found);
  soft_potential(pair, Order::kGradient, near, first);
  soft_potential(pair, Order::kValue, near, value);
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

TEST(SoftPotential, DerivativesAreThoseOfTheWrenchOnLattices) {
  for (const Case& c : cases(false)) expect_derivatives(c, {.field = PotentialField::kLattice});
  for (const Case& c : cases(true))
    expect_derivatives(c, {.dissipation = 3, .field = PotentialField::kLattice});
}

TEST(SoftPotential, AReachInMetresFeelsAhead) {
  const body::Body A{cloud(0.03, 400)}, B{cloud(0.02, 300)};
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
  EXPECT_NEAR(w.F_BBo_B[3], -0.4 * normal, 0.005 * 0.4 * normal);
  EXPECT_NEAR(w.F_BBo_B[4], 0, 1e-9 * normal);
  pair.V_AB_B.setZero();
  EXPECT_NEAR(contact_wrench("soft_potential", pair).F_BBo_B[3], 0, 1e-9 * normal);
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

// Beyond sharp edges the field extends planes: it is far less than the distance of the nearest point.
TEST(SoftPotential, LeavesOutNothingThatFeelsTheFieldBesideEdges) {
  const body::Body A{wedge(12)}, B{wedge(16)};
  Random random(8);
  int met = 0;
  for (int i = 0; i < test::runs(60); ++i) {
    Pose<double> X{test::random_rotation(random), {}};
    for (double& x : X.p) x = random.uniform(-0.06, 0.06);
    const auto samples = all_samples(potential_pair({}, {&A, &B, X}));
    for (const double eps3 : {0.1, 0.5, 1.0, 3.0}) {
      const auto pair = potential_pair({.eps3 = eps3}, {&A, &B, X});
      const double all = energy(samples, pair.law);
      SoftPotential<double> found;
      ssdf::internal::NearScratch<double> near;
      soft_potential(pair, Order::kValue, near, found);
      met += all > 0 ? 1 : 0;
      EXPECT_NEAR(found.energy, all, 1e-10 * all + 1e-11) << i << " eps3 " << eps3;
    }
  }
  EXPECT_GT(met, test::runs(60));
}

TEST(SoftPotential, LatticesAnswerAsTheirDefinitionAndLeaveNothingOut) {
  const body::Body A{wedge(10)}, B{cloud(0.02, 150)};
  const asset::PointsView field = A.geometry.points();
  Random random(11);
  int met = 0;
  for (int i = 0; i < test::runs(4); ++i) {
    const Vec3<double> p(random.uniform(-0.02, 0.05), random.uniform(-0.03, 0.03),
                         random.uniform(-0.03, 0.03));
    auto pair =
        potential_pair({.field = PotentialField::kLattice}, {&A, &B, {test::random_rotation(random), p}});
    const ssdf::PointLattice of_A(field), of_B(B.geometry.points()), again(field);
    pair.lattice_A = &of_A;
    pair.lattice_B = &of_B;
    pair.share_A = 0;  // samples of the ball in the wedge's field
    SoftPotential<double> found, other;
    ssdf::internal::NearScratch<double> near;
    soft_potential(pair, Order::kValue, near, found);
    std::vector<std::pair<double, double>> samples;
    const asset::SampleBlocksView& blocks = B.geometry.points().samples;
    const int groups = blocks.first[B.geometry.points().blocks.block_count];
    for (int g = 0; g < asset::kGroupSamples * groups; ++g) {
      const double* const x =
          blocks.numbers + g / asset::kGroupSamples * asset::kGroupNumbers + g % asset::kGroupSamples;
      const Vec3<double> q = pair.X_AB * Vec3<double>(x[0], x[4], x[8]);
      if (ssdf::two_stage_distance<double>(field, q, Order::kValue).value > 3 * field.spacing) continue;
      samples.emplace_back(pair.law.stiffness * pair.share_B * x[12], lattice_value(of_A, field, q));
    }
    const double all = energy(samples, pair.law);
    met += all > 0 ? 1 : 0;
    EXPECT_NEAR(found.energy, all, 1e-5 * all + 1e-11) << i;  // coefficients are floats
    // The bits do not depend on what was made before.
    const body::Pair elsewhere{&A, &B, {Mat3<double>::Identity(), {0.03, 0.01, 0.01}}};
    auto before = potential_pair({.field = PotentialField::kLattice}, elsewhere);
    before.lattice_A = &again;
    before.lattice_B = &of_B;
    soft_potential(before, Order::kValue, near, other);
    pair.lattice_A = &again;
    soft_potential(pair, Order::kValue, near, other);
    EXPECT_EQ(found.F_BBo_B, other.F_BBo_B);
    EXPECT_EQ(found.energy, other.energy);
  }
  EXPECT_GE(met, test::runs(4) / 2);
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
      ssdf::internal::NearScratch<double> near;
      soft_potential(pair, Order::kValue, near, found);
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
    farthest = std::max(farthest, std::abs(field.distance({x[0], x[4], x[8]}, 0).value));
    before = std::max(before, std::abs(field.distance({y[0], y[4], y[8]}, 0).value));
    area += x[12];
    area_before += y[12];
  }
  EXPECT_LT(farthest, 1e-12);
  EXPECT_GT(before, 5e-5);
  EXPECT_NEAR(area / area_before, 1, 0.01);
  EXPECT_LT(area, area_before);
}

TEST(SoftPotential, EndsOfWhatNumbersHold) {
  const body::Body A{cloud(0.05, 400)}, B{cloud(0.02, 300)}, floor{body::Geometry(body::HalfSpace<double>{})};
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
  const body::Body A{cloud(0.05, 100)}, floor{body::Geometry(body::HalfSpace<double>{})};
  EXPECT_THROW(contact_wrench("soft_potential", {&floor, &floor, {}}), InvalidInput);
  EXPECT_THROW(contact_wrench("soft_potential", {&A, &A, {}}, {{"field", "grid"}}), InvalidInput);
  EXPECT_THROW(contact_wrench("soft_potential", {&A, &A, {}}, {{"field", "lattice"}, {"reach", "0.01"}}),
               InvalidInput);
  EXPECT_THROW(make_model("soft_potential", {{"reach", "-1"}}), InvalidInput);
  EXPECT_THROW(make_model("soft_potential", {{"stiffness", "nan"}}), InvalidInput);
}

}  // namespace
