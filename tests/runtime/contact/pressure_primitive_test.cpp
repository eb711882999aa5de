// Compliant primitives in pressure-field contact.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "runtime/contact/pressure_field.h"
#include "tests/runtime/contact/pressure_differences.h"
#include "tests/runtime/contact/pressure_pair.h"
#include "tests/runtime/contact/pressure_solids.h"
#include "tests/support/primitives.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using contact::kRigid;
using contact::PairWrench;
using contact::Want;
using test::moduli;
using test::pressure_wrench;

constexpr double kPi = std::numbers::pi;

// B, a half-space z <= 0, reaches `depth` above the lowest point of A, at z = -bottom.
Pose<double> under(double bottom, double depth) { return {Mat3<double>::Identity(), {0, 0, depth - bottom}}; }

// The pressure E (1 - r / R) over the level disc at the distance d = R - depth from the centre.
double force_of_ball(double modulus, double R, double depth) {
  const double d = R - depth, a2 = R * R - d * d;
  return 2 * kPi * modulus * (a2 / 2 - (R * R * R - d * d * d) / (3 * R));
}

TEST(PressurePrimitive, ABallOnAHalfSpaceConvergesToTheClosedForm) {
  const double R = 0.05, modulus = 2e6;
  for (const double depth : {0.002, 0.01}) {
    double last = 1;
    for (const double deviation : {1.6e-2, 4e-3, 1e-3}) {
      const body::Geometry ball(body::Sphere<double>{R}, deviation);
      const PairWrench w =
          pressure_wrench(ball, test::half_space(), under(R, depth), moduli(modulus, kRigid));
      const double expected = force_of_ball(modulus, R, depth),
                   error = std::abs(-w.F_BBo_B[5] / expected - 1);
      EXPECT_LT(error, 3 * deviation * R / depth) << depth << " " << deviation;
      EXPECT_LT(error, last) << depth << " " << deviation;
      last = error;
      EXPECT_LT(w.F_BBo_B.head<5>().norm(), 1e-3 * expected);
    }
    std::printf("ball of 50 mm, %g mm deep: error of the force %.1e\n", 1e3 * depth, last);
  }
}

// Upright on their flat ends: the pressure is E depth / greatest depth where the side is farther than that.
TEST(PressurePrimitive, ABoxAndACylinderOnAHalfSpaceByTheirClosedForms) {
  const double depth = 0.004, modulus = 2e6;
  const Vec3<double> half(0.05, 0.04, 0.03);
  const auto force = [&](const body::Primitive& primitive, double bottom, double deviation) {
    return -pressure_wrench(body::Geometry(primitive, deviation), test::half_space(), under(bottom, depth),
                            moduli(modulus, kRigid))
                .F_BBo_B[5];
  };
  // The integral of min(depth, distance from the rim): of the area farther in than s, over s.
  const double x = half.x(), y = half.y(), t = depth;
  const double box = modulus / half.z() * 4 * (x * y * t - (x + y) * t * t / 2 + t * t * t / 3);
  EXPECT_NEAR(force(body::Box<double>{half}, half.z(), 1e-3), box, 1e-12 * box);
  const double R = 0.03, h = 0.05, r = R - t;
  const double cylinder = modulus / R * kPi * t / 3 * (R * R + R * r + r * r);
  EXPECT_NEAR(force(body::Cylinder<double>{h, R}, h, 1e-4), cylinder, 1e-3 * cylinder);
}

// Two like balls meet in the plane between them, each with half of the depth: that of a rigid half-space
// there.
TEST(PressurePrimitive, TwoLikeBallsMeetHalfWay) {
  const double R = 0.05, depth = 0.004, modulus = 2e6;
  const body::Geometry ball(body::Sphere<double>{R}, 2e-3);
  const PairWrench w = pressure_wrench(ball, ball, {exp_rotation<double>({0, 0.3, 0}), {0, 0, 2 * R - depth}},
                                       moduli(modulus, modulus));
  const double expected = force_of_ball(modulus, R, depth / 2);
  EXPECT_NEAR(w.F_BBo_B.tail<3>().norm(), expected, 0.1 * expected);
}

// Jacobians of all pairs at rest and with friction, dissipation and fading, against differences in extended
// precision.
TEST(PressurePrimitive, JacobiansAreTheWrenchsOwn) {
  const std::vector<body::Primitive> primitives = test::solid_primitives();
  Random random(21);
  double largest = 0;
  int kinks = 0, columns = 0;
  for (std::size_t i = 0; i < primitives.size(); ++i) {
    const body::Geometry A(primitives[i], 0.1), B(primitives[(i + 1) % primitives.size()], 0.1);
    asset::AssetView a, b;
    a.volume = A.volume();
    b.volume = B.volume();
    const test::Law still{"rest", 0, 0, false};
    for (const test::Law& law : {still, test::kLaws[3]}) {
      const test::Contact ask{a, b, test::settings(law, 2e6, 3e6)};
      const auto V = law.mu > 0 ? test::random_twist(random) : Vec6<double>::Zero().eval();
      Pose<double> X_AB;
      do
        X_AB = {test::random_rotation(random),
                0.045 * Vec3<double>(random.normal(), random.normal(), random.normal()).normalized()};
      while (ask(X_AB, V, Want::kValue).polygons == 0);
      const test::Error error = test::error_of(ask, X_AB, V, 1e-8);
      largest = test::worst_of(largest, error.largest);
      kinks += error.kinks;
      columns += 12;
    }
  }
  EXPECT_LT(largest, 1e-8);
  EXPECT_LT(kinks, columns / 10);
}

// Friction of a box that spins, and slides, on a rigid half-space, beside a fine sum of the same law over the
// patch: force in the plane, N, and torque about the middle, N m.
TEST(PressurePrimitive, FrictionOfASpinningBoxIsTheIntegralOfItsLaw) {
  const Vec3<double> half(0.03, 0.02, 0.04);
  const double depth = 1e-3, modulus = 1e6, mu = 0.5, stiction = 1e-3;
  contact::PressureFieldConfig config = moduli(modulus, kRigid);
  config.A.friction = config.B.friction = mu;
  config.stiction_speed = stiction;
  const body::Geometry box(body::Box<double>{half});
  const Pose<double> X_AB = under(half.z(), depth);
  for (const double slide : {0.0, 0.05, 1.0}) {
    const double spin = 5;  // rad/s of the half-space, whose slip on the box is (slide - spin y, spin x)
    Vec6<double> V = Vec6<double>::Zero();
    V[2] = spin, V[3] = slide;
    const Vec6<double> F = pressure_wrench(box, test::half_space(), X_AB, config, V).F_BBo_B;
    constexpr int kCells = 400;  // along each side
    Vec3<double> sum = Vec3<double>::Zero();
    double normal = 0;
    for (int i = 0; i < kCells; ++i) {
      for (int k = 0; k < kCells; ++k) {
        const double x = half.x() * (2 * (i + 0.5) / kCells - 1), y = half.y() * (2 * (k + 0.5) / kCells - 1);
        const double extent = std::min({depth, half.x() - std::abs(x), half.y() - std::abs(y)});
        const double force = modulus * extent / half.minCoeff() * 4 * half.x() * half.y() / kCells / kCells;
        const double u = slide - spin * y, v = spin * x,
                     speed = std::sqrt(u * u + v * v + stiction * stiction);
        normal += force;
        sum -= mu * force / speed * Vec3<double>(u, v, x * v - y * u);
      }
    }
    EXPECT_NEAR(-F[5], normal, 1e-4 * normal);
    EXPECT_NEAR(F[3], sum[0], 1e-3 * mu * normal) << slide;
    EXPECT_NEAR(F[4], sum[1], 1e-3 * mu * normal) << slide;
    EXPECT_NEAR(F[2], sum[2], 1e-4 * mu * normal * half.head<2>().norm()) << slide;
  }
}

TEST(PressurePrimitive, ContactPointsAreNoDeeperThanTheBodies) {
  for (const body::Primitive& primitive : test::solid_primitives()) {
    const body::Body A{body::Geometry(primitive), {.modulus = 1e6}},
        B{body::Geometry(body::Box<double>{{0.02, 0.02, 0.02}}), {.modulus = 2e6}};
    const Pose<double> X_AB{exp_rotation<double>({0.3, 0.2, 0.1}), {0.01, 0.004, 0.02}};
    const auto points = contact::contact_points("pressure_field", {&A, &B, X_AB}, 0);
    for (const contact::ContactPoint& point : points) {
      EXPECT_LT(point.gap, 0) << primitive.index();
      EXPECT_GE(point.gap, -0.05) << primitive.index();  // the deepest of each, added up
    }
    EXPECT_FALSE(points.empty()) << primitive.index();
  }
}

// A box and a cylinder of one height and modulus on one level: over and under the middle their pressures are
// the same all over, and the force is the mean of those a little higher and lower.
TEST(PressurePrimitive, LikeBodiesOnOneLevelMeetAlikeInEitherOrder) {
  const body::Geometry box(body::Box<double>{{0.04, 0.04, 0.015}}),
      cylinder(body::Cylinder<double>{0.03, 0.015});
  Random random(8);
  double worst = 0;
  for (int i = 0; i < 60; ++i) {
    Pose<double> X_AB{exp_rotation<double>({0, 0, i == 0 ? 5.06807673936175 : random.uniform(0, 6.2)}),
                      {-0.02163812043440079, -0.016507672269542372, 0}};
    if (i > 0) X_AB.p = {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0};
    const PairWrench direct = pressure_wrench(box, cylinder, X_AB, moduli(1e6, 1e6)),
                     swapped = pressure_wrench(cylinder, box, X_AB.inverse(), moduli(1e6, 1e6));
    Pose<double> higher = X_AB, lower = X_AB;
    higher.p.z() += 1e-9, lower.p.z() -= 1e-9;
    const Vec6<double> mean = (pressure_wrench(box, cylinder, higher, moduli(1e6, 1e6)).F_BBo_B +
                               pressure_wrench(box, cylinder, lower, moduli(1e6, 1e6)).F_BBo_B) /
                              2;
    if (!(direct.area > 1e-5)) continue;
    const double scale = 1e6 * direct.area;
    worst = test::worst_of({worst, (swapped.F_BBo_B + shift_wrench(X_AB, direct.F_BBo_B)).norm() / scale,
                            (direct.F_BBo_B - mean).tail<3>().norm() / scale});
  }
  EXPECT_LT(worst, 1e-6);
}

// A ball and a box, each rigid or compliant: the bodies' names do not matter.
TEST(PressurePrimitive, ExchangeOfBodiesWhateverIsRigid) {
  const body::Geometry ball(body::Sphere<double>{0.03}, 5e-3), box(body::Box<double>{{0.02, 0.05, 0.03}});
  const Pose<double> X_AB{exp_rotation<double>({0.3, 0.2, 0.1}), {0.01, 0.01, 0.055}};
  for (const auto& [E_A, E_B] : {std::pair{2e6, 3e6}, {kRigid, 3e6}, {2e6, kRigid}}) {
    const PairWrench direct = pressure_wrench(ball, box, X_AB, moduli(E_A, E_B)),
                     swapped = pressure_wrench(box, ball, X_AB.inverse(), moduli(E_B, E_A));
    ASSERT_EQ(direct.status, Status::kOk);
    EXPECT_LT((swapped.F_BBo_B + shift_wrench(X_AB, direct.F_BBo_B)).norm(), 1e-11 * direct.F_BBo_B.norm());
    EXPECT_NEAR(direct.area, swapped.area, 1e-11 * direct.area);
  }
}

// Slopes of pressure whose squares, or which themselves, are no floats: the first answer, for which the
// search leaves no room, is that of later ones.
TEST(PressurePrimitive, TinyBallsMeetAtOnce) {
  const auto model = contact::make_model("pressure_field");
  const body::Material soft{.modulus = 1e6};
  const auto meet = [&](contact::Model& asked, double R) {
    const body::Body A{body::Geometry(body::Sphere<double>{R}, 0.1), soft}, B = A;
    const Pose<double> X{Mat3<double>::Identity(), {1.5 * R, 0, 0}};
    const PairWrench first = asked.wrench({&A, &B, X}), second = asked.wrench({&A, &B, X});
    EXPECT_EQ(first.status, Status::kOk) << R;
    EXPECT_EQ(second.status, Status::kOk) << R;
    EXPECT_LT((first.F_BBo_B - second.F_BBo_B).norm(), 1e-9 * second.F_BBo_B.norm()) << R;
    return first.F_BBo_B[3] / (R * R);
  };
  const double expected = meet(*model, 1);
  for (const double R : {1e-10, 1e-20, 1e-24, 1e-30, 1e-33, 1e-36})
    EXPECT_NEAR(meet(*model, R), expected, 1e-6 * expected) << R;
}

}  // namespace
