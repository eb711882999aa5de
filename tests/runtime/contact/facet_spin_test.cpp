// Friction of facets that spin, in closed form: against integrals by adaptive subdivision, and against the
// rule that serves where a facet hardly spins.
#include "runtime/contact/pressure_field/facet_spin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "runtime/contact/pressure_field/facet_traction.h"
#include "tests/support/random_values.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using contact::Facet;
using contact::RateLaw;

// A convex polygon of a few centimetres somewhere within 0.1 m of the origin, corners in either sense, with a
// pressure of about 1e4 Pa that rises across it.
Facet<double> random_facet(Random& random) {
  Facet<double> facet;
  const Mat3<double> R = test::random_rotation(random);
  const Vec3<double> o = random.uniform(0, 0.1) * test::random_rotation(random).col(0);
  facet.n = R.col(2);
  const int corners = 3 + static_cast<int>(random.uniform(0, 4.99));
  const double sense = random.uniform(-1, 1) < 0 ? -1 : 1;
  for (int i = 0; i < corners; ++i) {
    const double angle = sense * 2 * std::numbers::pi * (i + random.uniform(0, 0.6)) / corners;
    facet.polygon.add(o + 0.03 * std::cos(angle) * R.col(0) + 0.02 * std::sin(angle) * R.col(1));
  }
  const Vec3<double> gradient = 1e5 * Vec3<double>(random.normal(), random.normal(), random.normal());
  facet.pressure = {gradient, 2e4 - gradient.dot(o)};
  facet.damping = 0;
  facet.share = 1;
  return facet;
}

Vec3<double> middle_of(const Facet<double>& facet) {
  return contact::middle(facet.polygon, contact::moments<false>(facet.polygon, facet.n));
}

// A twist that turns with `spin` about the normal, slides with `slide` at x, and neither approaches nor
// leaves there; in between it rocks.
Vec6<double> twist_about(const Facet<double>& facet, const Vec3<double>& x, double spin,
                         const Vec3<double>& slide, Random& random) {
  const Vec3<double> rock(random.normal(), random.normal(), random.normal());
  Vec6<double> V;
  V.head<3>() = spin * facet.n + 0.5 * facet.n.cross(rock);
  V.tail<3>() = slide - facet.n.dot(slide) * facet.n - V.head<3>().cross(x);
  return V;
}

// The wrench of friction about the origin by subdivision of triangles until the six-point rule on a whole
// triangle and on its four quarters agree.
class Subdivided {
 public:
  Subdivided(const Facet<double>& facet, const RateLaw& law, const Vec6<double>& V)
      : facet_(facet), law_(law), V_(V) {
    const auto& polygon = facet.polygon;
    for (int i = 2; i < polygon.size; ++i) {
      Mat3<double> corners;
      corners << polygon.corners[0], polygon.corners[i - 1], polygon.corners[i];
      add(corners, rule(corners), 0);
    }
  }
  const Vec6<double>& wrench() const { return sum_; }

 private:
  Vec6<double> rule(const Mat3<double>& corners) const {
    const contact::TriangleRule<double> rule;
    const auto x = rule.points(corners);
    const double area = (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0)).norm() / 2;
    std::array<contact::Lanes<double>, 6> values;
    for (int k = 0; k < 6; ++k) {
      const Vec3<double> at(x[0][k], x[1][k], x[2][k]), u = V_.tail<3>() + V_.head<3>().cross(at);
      const double approach = facet_.n.dot(u);
      const Vec3<double> slip = u - approach * facet_.n;
      const double speed = std::hypot(slip.norm(), law_.stiction_speed);
      const Vec3<double> f =
          -law_.friction * facet_.pressure(at) * (1 + facet_.damping * approach) / speed * slip;
      const Vec3<double> moment = at.cross(f);
      for (std::size_t i = 0; i < 3; ++i) {
        values[i][k] = moment[static_cast<int>(i)];
        values[3 + i][k] = f[static_cast<int>(i)];
      }
    }
    Vec6<double> F;
    for (int i = 0; i < 6; ++i) F[i] = area * rule.integral(values[static_cast<std::size_t>(i)]);
    return F;
  }

  void add(const Mat3<double>& corners, const Vec6<double>& whole, int depth) {
    Mat3<double> middles;
    for (int k = 0; k < 3; ++k) middles.col(k) = (corners.col((k + 1) % 3) + corners.col((k + 2) % 3)) / 2;
    std::array<Mat3<double>, 4> quarters;
    for (int k = 0; k < 3; ++k)
      quarters[static_cast<std::size_t>(k)] << corners.col(k), middles.col((k + 2) % 3),
          middles.col((k + 1) % 3);
    quarters[3] = middles;
    std::array<Vec6<double>, 4> parts;
    Vec6<double> sum = Vec6<double>::Zero();
    for (std::size_t k = 0; k < 4; ++k) sum += parts[k] = rule(quarters[k]);
    if (depth == 16 || (depth > 1 && (sum - whole).norm() < 1e-12)) {
      sum_ += sum;
      return;
    }
    for (std::size_t k = 0; k < 4; ++k) add(quarters[k], parts[k], depth + 1);
  }

  const Facet<double>& facet_;
  const RateLaw& law_;
  const Vec6<double>& V_;
  Vec6<double> sum_ = Vec6<double>::Zero();
};

// The greatest friction of a facet, N.
double greatest(const Facet<double>& facet, const RateLaw& law) {
  const auto m = contact::moments<false>(facet.polygon, facet.n);
  return law.friction * m.area * facet.pressure(middle_of(facet));
}

// The centre of rotation in the middle, on a corner, on an edge and outside; stiction far below and beyond
// the slip; with and without dissipation.
TEST(FacetSpin, ForceAndMomentAreTheIntegrals) {
  Random random(17);
  RateLaw law;
  law.friction = 0.7;
  double worst = 0;
  for (int i = 0; i < test::runs(24); ++i) {
    Facet<double> facet = random_facet(random);
    const Vec3<double> c = middle_of(facet), &corner = facet.polygon.corners[0],
                       edge = (corner + facet.polygon.corners[1]) / 2;
    const std::array<Vec3<double>, 4> centers = {c, corner, edge, c + random.uniform(1, 8) * (edge - c)};
    facet.damping = i % 3 == 0 ? 0 : 0.3;
    law.stiction_speed = std::pow(10, random.uniform(-4, 0));
    const double spin = random.uniform(0.5, 3) * (i % 2 == 0 ? 1 : -1);
    const Vec6<double> V =
        twist_about(facet, centers[static_cast<std::size_t>(i % 4)], spin, Vec3<double>::Zero(), random);
    const auto m = contact::moments<false>(facet.polygon, facet.n);
    const Vec6<double> F = contact::spinning_friction<double>(facet, m.turn, c, law, V),
                       G = Subdivided(facet, law, V).wrench();
    worst = test::worst_of(worst, (F - G).norm() / greatest(facet, law));
  }
  std::printf("closed form beside subdivision: largest difference %.1e of mu N\n", worst);
  EXPECT_LT(worst, 1e-12);
}

// The rule on undivided triangles takes over where the slip turns by less than 1/31 rad or so within the
// facet: there the two agree.
TEST(FacetSpin, NoJumpWhereTheRuleTakesOver) {
  Random random(18);
  RateLaw law;
  law.friction = 0.7;
  double worst = 0;
  for (int i = 0; i < 400; ++i) {
    Facet<double> facet = random_facet(random);
    facet.damping = i % 3 == 0 ? 0 : 0.3;
    law.stiction_speed = std::pow(10, random.uniform(-6, 0));
    const Vec3<double> c = middle_of(facet);
    const Vec3<double> slide =
        i % 5 == 0 ? Vec3<double>::Zero() : Vec3<double>(test::random_rotation(random).col(0));
    double reach = 0;
    for (int k = 0; k < facet.polygon.size; ++k)
      reach = std::max(reach, (facet.polygon.corners[k] - c).norm());
    const Vec3<double> in_plane = slide - facet.n.dot(slide) * facet.n;
    const double spin = std::sqrt(1e-3) * std::hypot(in_plane.norm(), law.stiction_speed) / reach;
    const Vec6<double> V = twist_about(facet, c, 1, slide, random);
    const auto at = [&](double w) -> Vec6<double> {
      Vec6<double> twist = V;
      twist.head<3>() += (w - 1) * facet.n;
      twist.tail<3>() -= (w - 1) * facet.n.cross(c);
      return twist;
    };
    const Vec6<double> below = at(spin * (1 - 1e-9)), above = at(spin * (1 + 1e-9));
    ASSERT_FALSE(contact::spins<double>(facet.polygon, c, facet.n, law, below));
    ASSERT_TRUE(contact::spins<double>(facet.polygon, c, facet.n, law, above));
    const Vec6<double> jump = contact::wrench_in_motion<double>(facet, law, above) -
                              contact::wrench_in_motion<double>(facet, law, below);
    worst = test::worst_of(worst, jump.norm() / greatest(facet, law));
  }
  std::printf("where the rule takes over: largest jump %.1e of mu N\n", worst);
  EXPECT_LT(worst, 1e-9);
}

}  // namespace
