// Rigid partners, half-spaces, dissipation and friction of the pressure-field model, by closed forms.
#include <gtest/gtest.h>

#include "preprocess/index/index.h"
#include "runtime/contact/pressure_energy.h"
#include "runtime/contact/pressure_field.h"
#include "tests/runtime/contact/moduli.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_data.h"

namespace {

using namespace abut;
using contact::half_space_wrench;
using contact::HalfSpace;
using contact::kRigid;
using contact::PairWrench;
using contact::PressureFieldConfig;
using contact::Want;
using test::moduli;

const Vec6<double> kStill = Vec6<double>::Zero();
constexpr double kHalf = 0.05;  // of the cubes' sides, m

// A body of one tetrahedron per triangle of its hull, with its surface.
struct Body {
  asset::Asset asset;
  asset::AssetView view;
  explicit Body(const asset::ConvexPiece& hull) {
    asset.volumes.push_back(test::star_volume(asset::view(hull)));
    asset.surfaces.push_back(preprocess::build_surface(test::boundary(asset.volumes.front())));
    view = asset::view(asset);
  }
};

const Body& cube() {
  static const Body body(test::box_hull({kHalf, kHalf, kHalf}));
  return body;
}

const Body& potato() {
  static const Body body = [] {
    Random random(5);
    return Body(test::tessellated_ellipsoid(2, {0.06, 0.05, 0.04}, test::random_rotation(random)));
  }();
  return body;
}

// The pose of a half-space z <= 0 that reaches `depth` into the cube from below.
Pose<double> from_below(double depth) { return {Mat3<double>::Identity(), {0, 0, depth - kHalf}}; }

// At depth d a level cut of the cube has the pressure modulus / half * min(d, distance to the sides).
double frustum_force(double modulus, double d) {
  const double top = kHalf - d;
  return modulus / kHalf * d / 3 * 4 * (kHalf * kHalf + top * top + kHalf * top);
}

TEST(PressureHalfSpace, CutsTheCubeByTheClosedForm) {
  for (const double depth : {1e-6, 0.003, 0.02}) {
    const PairWrench w =
        half_space_wrench(cube().view, {}, from_below(depth), kStill, kStill, moduli(2e6, kRigid));
    const double expected = frustum_force(2e6, depth);
    EXPECT_NEAR(w.F_BBo_B[5], -expected, 1e-12 * expected);
    EXPECT_LT(w.F_BBo_B.head<5>().norm(), 1e-12 * expected);
    EXPECT_NEAR(w.area, 4 * kHalf * kHalf, 1e-14);
  }
  EXPECT_EQ(half_space_wrench(cube().view, {}, from_below(-1e-9), kStill, kStill).status, Status::kNoOverlap);
}

TEST(PressureHalfSpace, ACompliantOneSharesTheDepth) {
  // Bottom: modulus s / half = rise (depth - s), at the distance s from the cube's bottom.
  const double depth = 0.004, modulus = 2e6, rise = 3e6 / 0.01;
  const PairWrench w =
      half_space_wrench(cube().view, {0.01}, from_below(depth), kStill, kStill, moduli(modulus, 3e6));
  const double s = rise * depth / (modulus / kHalf + rise);
  // Its surface bends up along the sides, where the cube gives way; the force upward is that on the level
  // projection, lower there: between that of the flat cut and of the flat part alone.
  EXPECT_LT(-w.F_BBo_B[5], frustum_force(modulus, s) * (1 + 1e-12));
  EXPECT_GT(-w.F_BBo_B[5], modulus * s / kHalf * 4 * (kHalf - s) * (kHalf - s));
  // An ever stiffer half-space is a rigid one.
  const PairWrench rigid =
      half_space_wrench(cube().view, {}, from_below(depth), kStill, kStill, moduli(modulus, kRigid));
  const PairWrench stiff =
      half_space_wrench(cube().view, {}, from_below(depth), kStill, kStill, moduli(modulus, 1e15));
  EXPECT_LT((stiff.F_BBo_B - rigid.F_BBo_B).norm(), 1e-6 * rigid.F_BBo_B.norm());
  EXPECT_LT((stiff.dF_dxi_B - rigid.dF_dxi_B).norm(), 1e-5 * rigid.dF_dxi_B.norm());
}

TEST(PressureMaterials, AnEverStifferBodyIsARigidOne) {
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.03, 0.02, 0.08}};
  const auto of = [&](double modulus_B) {
    return contact::make_pressure_field_model(moduli(1e6, modulus_B))
        ->wrench({&potato().view, &cube().view, X_AB}, kStill, kStill);
  };
  const PairWrench rigid = of(kRigid), stiff = of(1e15);
  ASSERT_EQ(rigid.status, Status::kOk);
  EXPECT_LT((stiff.F_BBo_B - rigid.F_BBo_B).norm(), 1e-6 * rigid.F_BBo_B.norm());
  EXPECT_LT((stiff.dF_dxi_B - rigid.dF_dxi_B).norm(), 1e-4 * rigid.dF_dxi_B.norm());
}

// Approach at speed a raises the pressure where it grows upward, over the flat part of the cut, by chi a /
// half of itself; leaving fast, it cannot fall below zero.
TEST(PressureRates, DissipationByTheClosedForm) {
  const double depth = 0.01, modulus = 2e6, chi = 0.4;
  PressureFieldConfig config = moduli(modulus, kRigid);
  config.A.dissipation = chi;
  const double flat = modulus * depth / kHalf * 4 * (kHalf - depth) * (kHalf - depth);
  for (const double approach : {0.02, 0.0, -0.05, -1.0}) {
    Vec6<double> V_B = kStill;
    V_B[5] = approach;
    const PairWrench w = half_space_wrench(cube().view, {}, from_below(depth), kStill, V_B, config);
    const double expected = frustum_force(modulus, depth) + std::max(chi * approach / kHalf, -1.0) * flat;
    EXPECT_NEAR(-w.F_BBo_B[5], expected, 1e-11 * expected) << approach;
  }
}

TEST(PressureRates, FrictionByTheClosedForm) {
  PressureFieldConfig config = moduli(2e6, kRigid);
  config.A.friction = 0.3;
  config.B.friction = 0.6;  // of the pair: 0.4
  config.stiction_speed = 1e-3;
  Vec6<double> V_B = kStill;
  V_B[3] = 0.02;
  const double normal = frustum_force(2e6, 0.01);
  const PairWrench w = half_space_wrench(cube().view, {}, from_below(0.01), kStill, V_B, config);
  EXPECT_NEAR(w.F_BBo_B[3], -0.4 * normal * 0.02 / std::hypot(0.02, 1e-3), 1e-10 * normal);
  EXPECT_NEAR(w.F_BBo_B[5], -normal, 1e-11 * normal);
  EXPECT_NEAR(w.dF_dV_AB_B(4, 4), -0.4 * normal / std::hypot(0.02, 1e-3), 1e-9 * normal);
}

PressureFieldConfig rough() {
  PressureFieldConfig config = moduli(1e6, 4e6);
  config.A.dissipation = 0.2;
  config.B.dissipation = 0.5;
  config.A.friction = 0.5;
  config.B.friction = 0.8;
  config.stiction_speed = 0.05;
  return config;
}

using Sums = contact::SurfaceSums<double>;

// Calls case(name, ask), where ask<S>(X_AB, V, want) answers one kind of contact.
template <class Case>
void for_each_kind(Case&& test) {
  const asset::AssetView &A = potato().view, &B = cube().view;
  PressureFieldConfig rigid_A = rough(), rigid_B = rough();
  rigid_A.A.modulus = rigid_B.B.modulus = kRigid;
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.03, 0.02, 0.07}};
  PressureFieldConfig faded = rough();
  faded.fade_pulls = true;
  // Through the middle, where a part of the surface pulls.
  const Pose<double> through{exp_rotation<double>({0.3, -0.2, 0.5}), {0.011, 0.007, 0.03}};
  test("faded", through, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    contact::PressureFieldWorkspace<S> workspace;
    return contact::contact_surface<S>(A.volume, B.volume, X, V, faded, want, workspace);
  });
  test("compliant", X_AB, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    contact::PressureFieldWorkspace<S> workspace;
    return contact::contact_surface<S>(A.volume, B.volume, X, V, rough(), want, workspace);
  });
  test("rigid A", X_AB, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.surface, B.volume, X, V, rigid_A, want);
  });
  test("rigid B", X_AB, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.volume, B.surface, X, V, rigid_B, want);
  });
  const Pose<double> below{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.03}};
  test("half-space", below, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.volume, HalfSpace{}, X, V, rough(), want);
  });
  test("rigid half-space", below, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.volume, HalfSpace{}, X, V, rigid_B, want);
  });
}

TEST(PressureRates, JacobianIsTheWrenchsOwnForEveryKindOfContact) {
  Vec6<long double> V;
  V << 0.3L, -0.4L, 0.2L, 0.02L, -0.05L, 0.03L;
  for_each_kind([&](const char* name, const Pose<double>& X_AB, const auto& ask) {
    const Sums sums = ask(X_AB, Vec6<double>(V.cast<double>()), Want::kJacobian);
    ASSERT_GT(sums.polygons, 0) << name;
    for (int k = 0; k < 12; ++k) {
      const auto at = [&](long double h) {
        Vec6<long double> xi = Vec6<long double>::Zero(), dV = xi;
        (k < 6 ? xi : dV)[k % 6] = h;
        return ask(Pose<long double>(X_AB.template cast<long double>() * exp(xi)), Vec6<long double>(V + dV),
                   Want::kValue)
            .F_BBo_B;
      };
      const long double h = 1e-7L;
      const Vec6<long double> precise = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      const Vec6<double> expected = precise.cast<double>();
      const Vec6<double> found = k < 6 ? sums.dF_dxi_B.col(k) : sums.dF_dV_AB_B.col(k - 6);
      EXPECT_LT((found - expected).norm(), 1e-7 * expected.norm()) << name << ", column " << k;
    }
  });
}

TEST(PressureRates, MotionTakesEnergyOut) {
  Random random(8);
  for_each_kind([&](const char* name, const Pose<double>& X_AB, const auto& ask) {
    const Vec6<double> rest = ask(X_AB, kStill, Want::kValue).F_BBo_B;
    for (int i = 0; i < 20; ++i) {
      Vec6<double> V;
      for (int k = 0; k < 6; ++k) V[k] = random.uniform(-1, 1);
      const Vec6<double> F = ask(X_AB, V, Want::kValue).F_BBo_B;
      EXPECT_LT((F - rest).dot(V), 0) << name;
    }
  });
}

TEST(PressureMaterials, ExchangingTheBodiesChangesNothing) {
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.03, 0.02, 0.07}};
  Vec6<double> V_A, V_B;
  V_A << 0.3, -0.4, 0.2, 0.02, -0.05, 0.03;
  V_B << -0.1, 0.2, 0.5, 0.01, 0.04, -0.02;
  PressureFieldConfig swapped = rough();
  std::swap(swapped.A, swapped.B);
  const asset::AssetView &A = potato().view, &B = cube().view;
  const PairWrench direct = contact::make_pressure_field_model(rough())->wrench({&A, &B, X_AB}, V_A, V_B);
  const PairWrench other =
      contact::make_pressure_field_model(swapped)->wrench({&B, &A, X_AB.inverse()}, V_B, V_A);
  const Vec6<double> on_B = shift_wrench<double>(X_AB, direct.F_BBo_B);
  EXPECT_LT((other.F_BBo_B + on_B).norm(), 1e-10 * on_B.norm());
}

// Bodies with faces along one another: what the energy says, whichever way rounding falls.
TEST(PressureMaterials, AlignedCubes) {
  const auto model = contact::make_pressure_field_model(moduli(1e6, 1e6));
  const auto at = [&](double x, double y, double z) {
    return model->wrench({&cube().view, &cube().view, {Mat3<double>::Identity(), {x, y, z}}}, kStill, kStill);
  };
  // Stacked, overlapping by 2 s: each gives s. Identical side walls: equal pressures in a whole region.
  for (const double s : {1e-4, 0.003, 0.0171}) {
    const PairWrench w = at(0, 0, 2 * (kHalf - s));
    EXPECT_NEAR(w.F_BBo_B[5], frustum_force(1e6, s), 1e-10 * frustum_force(1e6, s)) << s;
    EXPECT_LT(w.F_BBo_B.head<5>().norm(), 1e-10 * frustum_force(1e6, s));
    // ... and the limit of poses that are not aligned. Sideways the energy has a kink there, |x| times the
    // gradient's integral over the region of equal pressures: the force is the mean of both sides.
    const PairWrench near = at(1e-9, -2e-9, 2 * (kHalf - s)), other = at(-1e-9, 2e-9, 2 * (kHalf - s));
    EXPECT_NEAR(near.F_BBo_B[5], w.F_BBo_B[5], 1e-5 * w.F_BBo_B[5]) << s;
    EXPECT_LT((near.F_BBo_B + other.F_BBo_B - 2 * w.F_BBo_B).norm(), 1e-5 * w.F_BBo_B.norm()) << s;
  }
  // Touching exactly: nothing. One inside its copy: fields that are the same have no surface between them.
  EXPECT_LT(at(0, 0, 2 * kHalf).F_BBo_B.norm(), 1e-12);
  EXPECT_EQ(at(0, 0, 0).F_BBo_B.norm(), 0);
  EXPECT_EQ(at(0, 0, 0).status, Status::kNoOverlap);
}

// What the softer body feels keeps its digits, whichever of the two is called A.
TEST(PressureMaterials, AFarStifferPartnerLosesNoDigits) {
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.03, 0.02, 0.07}};
  const asset::AssetView &A = potato().view, &B = cube().view;
  for (const double contrast : {1e3, 1e6, 1e9}) {
    for (const bool stiff_A : {false, true}) {
      const PressureFieldConfig config = stiff_A ? moduli(1e5 * contrast, 1e5) : moduli(1e5, 1e5 * contrast);
      PressureFieldConfig swapped = config;
      std::swap(swapped.A, swapped.B);
      const PairWrench direct =
          contact::make_pressure_field_model(config)->wrench({&A, &B, X_AB}, kStill, kStill);
      const PairWrench other =
          contact::make_pressure_field_model(swapped)->wrench({&B, &A, X_AB.inverse()}, kStill, kStill);
      const Vec6<double> on_B = shift_wrench<double>(X_AB, direct.F_BBo_B);
      EXPECT_LT((other.F_BBo_B + on_B).norm(), 1e-10 * on_B.norm()) << contrast << stiff_A;
    }
  }
  // A soft half-space: its pressure is that of a liquid, modulus over thickness by depth.
  const double depth = 0.004, volume = 4 * kHalf * kHalf * depth;
  for (const double thickness : {1e4, 1e8, 1e12}) {
    const PairWrench w =
        half_space_wrench(cube().view, {thickness}, from_below(depth), kStill, kStill, moduli(1e7, 1e7));
    const double expected = 1e7 / thickness * volume;
    EXPECT_NEAR(w.F_BBo_B[5], -expected, (1e-11 + 1 / thickness) * expected) << thickness;
  }
}

// Force over modulus depends on the quotient of the moduli alone, for bodies of any size.
TEST(PressureMaterials, ForceIsProportionalToTheModuli) {
  for (const double size : {1e-6, 1e-3, 1.0, 1e3}) {
    const Body body(test::box_hull({size, size, size}));
    const Pose<double> X_AB{exp_rotation<double>({0.1, 0.2, 0.3}), Vec3<double>(0.1, 0.2, 1.9) * size};
    const auto force = [&](double E_A, double E_B) -> Vec6<double> {
      const auto model = contact::make_pressure_field_model(moduli(E_A, E_B));
      return model->wrench({&body.view, &body.view, X_AB}, kStill, kStill).F_BBo_B / E_A;
    };
    const Vec6<double> expected = force(1, 10);
    EXPECT_GT(expected.norm(), 0);
    for (const double unit : {1e-18, 1e-9, 1e9, 1e17})
      EXPECT_LT((force(unit, 10 * unit) - expected).norm(), 1e-12 * expected.norm())
          << size << " m, " << unit;
  }
}

TEST(PressureMaterials, SettingsOutOfRangeAreRefused) {
  const auto refused = [](const PressureFieldConfig& config) {
    EXPECT_THROW(contact::make_pressure_field_model(config), InvalidInput);
  };
  for (const double bad : {0.0, -1.0, -kRigid, std::nan("")}) {
    refused(moduli(bad, 1));
    refused(moduli(1, bad));
    PressureFieldConfig config;
    config.stiction_speed = bad;
    refused(config);
    EXPECT_THROW(half_space_wrench(cube().view, {bad}, {}, kStill, kStill), InvalidInput);
  }
  refused(moduli(1e3, 1e13));
  refused(moduli(1e13, 1e3));
  for (const double bad : {-1.0, kRigid, std::nan("")}) {
    PressureFieldConfig config;
    config.B.friction = bad;
    refused(config);
    config = {};
    config.A.dissipation = bad;
    refused(config);
  }
  try {
    contact::make_pressure_field_model(moduli(kRigid, kRigid));
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("both bodies are rigid"), std::string::npos);
  }
  // Parts that the materials ask for.
  asset::AssetView volume_only = cube().view, surface_only = cube().view;
  volume_only.surface = {};
  surface_only.volume = {};
  const auto rigid_B = contact::make_pressure_field_model(moduli(1, kRigid));
  EXPECT_THROW(rigid_B->wrench({&cube().view, &volume_only, {}}, kStill, kStill), InvalidInput);
  EXPECT_THROW(rigid_B->wrench({&surface_only, &cube().view, {}}, kStill, kStill), InvalidInput);
  EXPECT_NO_THROW(rigid_B->wrench({&volume_only, &surface_only, {}}, kStill, kStill));
  EXPECT_THROW(half_space_wrench(surface_only, {}, {}, kStill, kStill), InvalidInput);
  EXPECT_THROW(half_space_wrench(cube().view, {}, {}, kStill, kStill, moduli(kRigid, 1)), InvalidInput);
  Vec6<double> V_nan = kStill;
  V_nan[0] = std::nan("");
  EXPECT_THROW(half_space_wrench(cube().view, {}, {}, kStill, V_nan), InvalidInput);
}

}  // namespace
