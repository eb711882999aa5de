#include "runtime/contact/soft_potential.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "runtime/contact/soft_potential/force.h"
#include "runtime/contact/soft_potential/scratch.h"
#include "runtime/core/random.h"
#include "runtime/ssdf/grid_field.h"
#include "runtime/ssdf/point_lattice.h"
#include "runtime/ssdf/two_stage.h"
#include "tests/runtime/contact/potential_samples.h"
#include "tests/support/hulls.h"
#include "tests/support/runs.h"

// Which samples feel the fields that the soft potential may take, and what they find there.
namespace {

using namespace abut;
using namespace abut::contact;
using ssdf::Order;
using test::all_samples;
using test::ball_cloud;
using test::energy;

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

// Beyond sharp edges the field extends planes: it is far less than the distance of the nearest point.
TEST(SoftPotentialFields, LeavesOutNothingThatFeelsTheFieldBesideEdges) {
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
      PotentialScratch<double> scratch;
      soft_potential(pair, Order::kValue, 1, scratch, found);
      met += all > 0 ? 1 : 0;
      EXPECT_NEAR(found.energy, all, 1e-10 * all + 1e-11) << i << " eps3 " << eps3;
    }
  }
  EXPECT_GT(met, test::runs(60));
}

TEST(SoftPotentialFields, LatticesAnswerAsTheirDefinitionAndLeaveNothingOut) {
  const body::Body A{wedge(10)}, B{ball_cloud(0.02, 150)};
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
    PotentialScratch<double> scratch;
    soft_potential(pair, Order::kValue, 1, scratch, found);
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
    soft_potential(before, Order::kValue, 1, scratch, other);
    pair.lattice_A = &again;
    soft_potential(pair, Order::kValue, 1, scratch, other);
    EXPECT_EQ(found.F_BBo_B, other.F_BBo_B);
    EXPECT_EQ(found.energy, other.energy);
  }
  EXPECT_GE(met, test::runs(4) / 2);
}

}  // namespace
