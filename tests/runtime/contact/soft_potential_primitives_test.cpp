// The soft potential of primitives that meet at edges, rims and tips: their samples are in parts there.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "runtime/contact/model.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/core/random.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::contact;

constexpr double kPi = std::numbers::pi;

Mat3<double> frame(const Vec3<double>& x, const Vec3<double>& y) {
  Mat3<double> R;
  R << x, y, x.cross(y);
  return R;
}

// B with its edge or rim at `on_B`, whose outside is x and whose tangent y in the frame `R_B`, at that of A,
// turned by `angle` about x and `depth` deep (m).
Pose<double> crossing(const Vec3<double>& on_A, const Mat3<double>& R_A, const Vec3<double>& on_B,
                      const Mat3<double>& R_B, double angle, double depth) {
  const Vec3<double> out = R_A.col(0), along = std::cos(angle) * R_A.col(1) + std::sin(angle) * R_A.col(2);
  Pose<double> X;
  X.R = frame(-out, along) * R_B.transpose();
  X.p = on_A - depth * out - X.R * on_B;
  return X;
}

// In degrees, of the force on B, in A, and `out`.
double angle_of_force(Model& model, const body::Body& A, const body::Body& B, const Pose<double>& X,
                      const Vec3<double>& out) {
  const Vec3<double> f = X.R * model.wrench({&A, &B, X}, Want::kValue).F_BBo_B.tail<3>();
  return f.norm() > 0 ? 180 / kPi * std::acos(std::min(1.0, out.dot(f.normalized()))) : 180;
}

// Edges of boxes and rims of cylinders, in the middle of which the outside is the mean of both faces'.
TEST(SoftPotentialPrimitives, CrossingEdgesPushApart) {
  const body::Body bar{body::Geometry(body::Box<double>{{0.01, 0.01, 0.06}})},
      can{body::Geometry(body::Cylinder<double>{0.01, 0.03})};
  const Vec3<double> edge = Vec3<double>(1, 1, 0).normalized(), rim = Vec3<double>(1, 0, 1).normalized();
  const Mat3<double> of_edge = frame(edge, {0, 0, 1}), of_rim = frame(rim, {0, 1, 0});
  const auto model = make_model("soft_potential");
  Random random(53);
  double worst = 0, sum = 0;
  for (int i = 0; i < 300; ++i) {
    const double angle = random.uniform(kPi / 6, 5 * kPi / 6), depth = random.uniform(5e-5, 1e-3);
    const Vec3<double> on_A(0.01, 0.01, random.uniform(-0.04, 0.04)),
        on_B(0.01, 0.01, random.uniform(-0.04, 0.04));
    const double off =
        angle_of_force(*model, bar, bar, crossing(on_A, of_edge, on_B, of_edge, angle, depth), edge);
    worst = test::worst_of(worst, off);
    sum += off;
    const double turn = random.uniform(0, 2 * kPi);
    const Mat3<double> turned = exp_rotation<double>({0, 0, turn});
    const double of_can = angle_of_force(
        *model, bar, can,
        crossing(on_A, of_edge, turned * Vec3<double>(0.03, 0, 0.01), turned * of_rim, angle, depth), edge);
    EXPECT_LT(of_can, 30) << i << " rim";
  }
  std::printf("edges: mean %.1f, largest %.1f degrees\n", sum / 300, worst);
  EXPECT_LT(worst, 30);
}

// A box flat on a box, and upright cans: the law's even pressure on the common area, in its middle.
TEST(SoftPotentialPrimitives, FlatFacesCarryEvenly) {
  const auto model = make_model("soft_potential");
  const body::Body base{body::Geometry(body::Box<double>{{0.06, 0.05, 0.02}})};
  const struct {
    const char* name;
    body::Body body;
    double half_height, area;
  } tops[] = {{"box", body::Body{body::Geometry(body::Box<double>{{0.03, 0.03, 0.02}})}, 0.02, 0.0036},
              {"can", body::Body{body::Geometry(body::Cylinder<double>{0.02, 0.03})}, 0.02, kPi * 0.0009}};
  for (const auto& top : tops) {
    for (const double depth : {1e-4, 1.5e-3}) {
      for (const double x : {0.0, 0.003, 0.02}) {
        const Pose<double> X{Mat3<double>::Identity(), {x, -x / 3, 0.02 + top.half_height - depth}};
        const PotentialPair<double> pair = potential_pair({}, {&base, &top.body, X});
        const double u = depth / pair.law.eps3,
                     even = pair.law.stiffness * pair.law.eps3 * std::log1p(std::exp(u)) / (1 + std::exp(-u));
        const Vec6<double> F = model->wrench({&base, &top.body, X}, Want::kValue).F_BBo_B;
        const Vec3<double> p(0, 0, -top.half_height), moment = F.head<3>() - p.cross(F.tail<3>());
        const double spacing = top.body.geometry.points().spacing;
        EXPECT_NEAR(F[5], even * top.area, (depth < 1e-3 ? 0.02 : 0.05) * F[5]) << top.name << depth << x;
        EXPECT_LT(moment.head<2>().norm(), 0.1 * spacing * F[5]) << top.name << depth << x;
        EXPECT_LT(std::hypot(F[3], F[4]), 0.01 * F[5]) << top.name << depth << x;
      }
    }
  }
}

}  // namespace
