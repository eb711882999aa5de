// What friction is by every row of the table of contact models.
#include <gtest/gtest.h>

#include "runtime/contact/model.h"
#include "tests/contract/model_pairs.h"

namespace {

using namespace abut;
using contact::ModelRow;
using contact::PairWrench;
using contact::Want;

class ModelFriction : public testing::TestWithParam<ModelRow> {};

// Of a box pressed flat on a half-space: it has no friction while it moves along the normal, however fast and
// in either direction, and mu times the normal force against a slip far above the stiction speed.
TEST_P(ModelFriction, IsAgainstTheSlipAlone) {
  if (!GetParam().has_wrench || GetParam().name == "point") GTEST_SKIP() << "no wrench, or no friction";
  const auto model = contact::make_model(GetParam().name);
  constexpr double kFriction = 1.5;
  const double modulus = test::takes_volumes(GetParam()) ? body::kRigid : body::Material{}.modulus;
  const auto pressed = [&](double friction, const Vec3<double>& v_A) {
    const body::Body floor{body::Geometry(body::HalfSpace<double>{}), {modulus, 0, friction}},
        box{body::Geometry(body::Box<double>{{0.03, 0.02, 0.015}}), {.dissipation = 0, .friction = friction}};
    const Pose<double> X_AB{exp_rotation<double>({0, 0, 0.4}), {0.01, 0.02, 0.0146}};
    Vec6<double> V_AB_B;
    V_AB_B << 0, 0, 0, X_AB.R.transpose() * v_A;
    const PairWrench answer = model->wrench({&floor, &box, X_AB, V_AB_B}, Want::kValue);
    return Vec3<double>(X_AB.R * answer.F_BBo_B.tail<3>());
  };
  for (const double speed : {-1.0, -0.01, 0.01, 1.0}) {
    const Vec3<double> smooth = pressed(0, {0, 0, speed}), rough = pressed(kFriction, {0, 0, speed});
    EXPECT_TRUE(smooth.z() > 0 || speed == 1) << speed;  // damping lets go of what leaves fast
    EXPECT_LE((rough - smooth).norm(), 1e-12 * smooth.norm()) << speed << " m/s along the normal";
  }
  const Vec3<double> sliding = pressed(kFriction, {0.6, -0.8, 0});
  EXPECT_LT((sliding.head<2>() / (kFriction * sliding.z()) - Eigen::Vector2d(-0.6, 0.8)).norm(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Table, ModelFriction, testing::ValuesIn(contact::models()),
                         test::row_name<ModelRow>);

}  // namespace
