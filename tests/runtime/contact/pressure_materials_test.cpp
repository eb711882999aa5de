// Rigid partners, dissipation and friction of the pressure-field model, by closed forms.
#include <gtest/gtest.h>

#include "preprocess/index/index.h"
#include "runtime/body/tessellation.h"
#include "runtime/contact/contact_mesh.h"
#include "runtime/contact/pressure_energy.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/core/error.h"
#include "tests/runtime/contact/pressure_pair.h"
#include "tests/runtime/contact/pressure_solids.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_data.h"

namespace {

using namespace abut;
using namespace abut::test;
using contact::kRigid;
using contact::PairWrench;
using contact::PressureFieldConfig;
using contact::Want;

const Vec6<double> kStill = Vec6<double>::Zero();
TEST(PressureMaterials, AnEverStifferBodyIsARigidOne) {
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.03, 0.02, 0.08}};
  const auto of = [&](double modulus_B) {
    return pressure_wrench(potato(), cube(), X_AB, moduli(1e6, modulus_B));
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
    const PairWrench w = pressure_wrench(cube(), half_space(), from_below(depth), config, V_B);
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
  const PairWrench w = pressure_wrench(cube(), half_space(), from_below(0.01), config, V_B);
  EXPECT_NEAR(w.F_BBo_B[3], -0.4 * normal * 0.02 / std::hypot(0.02, 1e-3), 1e-10 * normal);
  EXPECT_NEAR(w.F_BBo_B[5], -normal, 1e-11 * normal);
  EXPECT_NEAR(w.dF_dV_AB_B(4, 4), -0.4 * normal / std::hypot(0.02, 1e-3), 1e-9 * normal);
}

using Sums = contact::SurfaceSums<double>;

// Calls case(name, ask), where ask<S>(X_AB, V, want) answers one kind of contact.
template <class Case>
void for_each_kind(Case&& test) {
  const body::Geometry &A = potato(), &B = cube();
  PressureFieldConfig rigid_A = rough(), rigid_B = rough();
  rigid_A.A.modulus = rigid_B.B.modulus = kRigid;
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.03, 0.02, 0.07}};
  PressureFieldConfig faded = rough();
  faded.fade_pulls = true;
  // Through the middle, where a part of the surface pulls.
  const Pose<double> through{exp_rotation<double>({0.3, -0.2, 0.5}), {0.011, 0.007, 0.03}};
  test("faded", through, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    contact::PressureFieldWorkspace<S> workspace;
    return contact::contact_surface<S>(A.volume(), B.volume(), X, V, faded, want, workspace);
  });
  test("compliant", X_AB, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    contact::PressureFieldWorkspace<S> workspace;
    return contact::contact_surface<S>(A.volume(), B.volume(), X, V, rough(), want, workspace);
  });
  test("rigid A", X_AB, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.surface(), B.volume(), X, V, rigid_A, want);
  });
  test("rigid B", X_AB, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.volume(), B.surface(), X, V, rigid_B, want);
  });
  const Pose<double> below{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.03}};
  test("half-space", below, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.volume(), body::HalfSpace<double>{}, X, V, rough(), want);
  });
  test("rigid half-space", below, [&]<class S>(const Pose<S>& X, const Vec6<S>& V, Want want) {
    return contact::contact_surface<S>(A.volume(), body::HalfSpace<double>{}, X, V, rigid_B, want);
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
  const PairWrench direct =
      pressure_wrench(potato(), cube(), X_AB, rough(), relative_twist<double>(X_AB, V_A, V_B));
  const PairWrench other = pressure_wrench(cube(), potato(), X_AB.inverse(), test::exchanged(rough()),
                                           relative_twist<double>(X_AB.inverse(), V_B, V_A));
  const Vec6<double> on_B = shift_wrench<double>(X_AB, direct.F_BBo_B);
  EXPECT_LT((other.F_BBo_B + on_B).norm(), 1e-10 * on_B.norm());
}

// Bodies with faces along one another: what the energy says, whichever way rounding falls.
TEST(PressureMaterials, AlignedCubes) {
  const auto model = contact::make_pressure_field_model();
  const body::Body body{cube(), {.modulus = 1e6}};
  const auto at = [&](double x, double y, double z) {
    return model->wrench({&body, &body, {Mat3<double>::Identity(), {x, y, z}}});
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
  EXPECT_EQ(at(0, 0, 0).status, Status::kClamped);
  EXPECT_EQ(at(0, 0, 2 * kHalf + 1e-9).status, Status::kNoOverlap);
}

// A body exactly in its own copy overlaps all of it: zero is the mean of forces in every direction, and the
// status does not say that nothing is in contact. Moved by little or much, there is a surface, or no overlap.
TEST(PressureMaterials, ABodyInItsOwnCopyIsToldAsSuch) {
  const auto model = contact::make_pressure_field_model();
  std::vector<body::Geometry> geometries = {cube(), potato(),
                                            body::Geometry(body::Sphere<double>{0.04}, 0.02),
                                            body::Geometry(body::Cylinder<double>{0.03, 0.02}, 0.02)};
  if (!read_pressure_field_queries().empty())
    for (const char* name : {"011_banana", "035_power_drill"}) {
      asset::Asset asset;
      asset.volumes = read_reference_volume(name, 1000).volumes;
      geometries.emplace_back(std::move(asset));
    }
  for (const body::Geometry& geometry : geometries) {
    const body::Body body{geometry, {.modulus = 1e6, .friction = 0.4}};
    const Pose<double> X{exp_rotation<double>({0.1, 0.2, 0.3}), {0, 0, 0}};
    const auto at = [&](const Vec3<double>& p) {
      return model->wrench({&body, &body, {Mat3<double>::Identity(), p}});
    };
    const PairWrench w = at({0, 0, 0});
    EXPECT_EQ(w.status, Status::kClamped) << geometry.name();
    EXPECT_EQ(w.F_BBo_B.norm(), 0);
    EXPECT_EQ(model->constraints({&body, &body, {}}, 0).status, Status::kClamped);
    EXPECT_EQ(at({1e-4, 2e-4, 1e-4}).status, Status::kOk) << geometry.name();
    EXPECT_EQ(at({1, 0, 0}).status, Status::kNoOverlap);
    EXPECT_EQ(model->wrench({&body, &body, X}).status, Status::kOk) << geometry.name();
  }
}

// What the softer body feels keeps its digits, whichever of the two is called A.
TEST(PressureMaterials, AFarStifferPartnerLosesNoDigits) {
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.03, 0.02, 0.07}};
  for (const double contrast : {1e3, 1e6, 1e9}) {
    for (const bool stiff_A : {false, true}) {
      const PressureFieldConfig config = stiff_A ? moduli(1e5 * contrast, 1e5) : moduli(1e5, 1e5 * contrast);
      const PairWrench direct = pressure_wrench(potato(), cube(), X_AB, config);
      const PairWrench other = pressure_wrench(cube(), potato(), X_AB.inverse(), test::exchanged(config));
      const Vec6<double> on_B = shift_wrench<double>(X_AB, direct.F_BBo_B);
      EXPECT_LT((other.F_BBo_B + on_B).norm(), 1e-10 * on_B.norm()) << contrast << stiff_A;
    }
  }
  // A soft half-space: its pressure is that of a liquid, modulus over thickness by depth.
  const double depth = 0.004, volume = 4 * kHalf * kHalf * depth;
  for (const double thickness : {1e4, 1e8, 1e12}) {
    const PairWrench w = pressure_wrench(cube(), half_space(thickness), from_below(depth), moduli(1e7, 1e7));
    const double expected = 1e7 / thickness * volume;
    EXPECT_NEAR(w.F_BBo_B[5], -expected, (1e-11 + 1 / thickness) * expected) << thickness;
  }
}

// Force over modulus depends on the quotient of the moduli alone, for bodies of any size.
TEST(PressureMaterials, ForceIsProportionalToTheModuli) {
  for (const double size : {1e-6, 1e-3, 1.0, 1e3}) {
    const body::Geometry body = solid(test::box_hull({size, size, size}));
    const Pose<double> X_AB{exp_rotation<double>({0.1, 0.2, 0.3}), Vec3<double>(0.1, 0.2, 1.9) * size};
    const auto force = [&](double E_A, double E_B) -> Vec6<double> {
      return pressure_wrench(body, body, X_AB, moduli(E_A, E_B)).F_BBo_B / E_A;
    };
    const Vec6<double> expected = force(1, 10);
    EXPECT_GT(expected.norm(), 0);
    for (const double unit : {1e-18, 1e-9, 1e9, 1e17})
      EXPECT_LT((force(unit, 10 * unit) - expected).norm(), 1e-12 * expected.norm())
          << size << " m, " << unit;
  }
}

// A rigid primitive is its own triangles: as an asset of them, either way round.
TEST(PressureMaterials, ARigidPrimitiveIsItsTriangles) {
  const body::Primitive egg = body::Ellipsoid<double>{{0.03, 0.02, 0.015}};
  const body::Geometry primitive(egg, 1e-2);
  asset::Asset triangles;
  triangles.surfaces.push_back(body::tessellate(egg, 1e-2));
  const body::Geometry meshed(std::move(triangles));
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.01, 0.02, kHalf + 0.01}};
  const PressureFieldConfig config = moduli(1e6, kRigid);
  const PairWrench w = pressure_wrench(cube(), primitive, X_AB, config),
                   same = pressure_wrench(cube(), meshed, X_AB, config);
  ASSERT_EQ(w.status, Status::kOk);
  EXPECT_EQ(w.F_BBo_B, same.F_BBo_B);
  EXPECT_EQ(w.dF_dxi_B, same.dF_dxi_B);
  const PairWrench other = pressure_wrench(primitive, cube(), X_AB.inverse(), test::exchanged(config));
  EXPECT_LT((other.F_BBo_B + shift_wrench(X_AB, w.F_BBo_B)).norm(), 1e-10 * w.F_BBo_B.norm());
}

TEST(PressureMaterials, WhatWasNotAskedForIsNaN) {
  for (const double depth : {0.003, -0.003}) {
    const auto ask = [&](Want want) {
      return pressure_wrench(cube(), half_space(), from_below(depth), moduli(2e6, 3e6), kStill, want);
    };
    const PairWrench value = ask(Want::kValue), energy = ask(Want::kEnergy), both = ask(Want::kJacobian);
    for (const PairWrench* w : {&value, &energy}) {
      EXPECT_TRUE(w->F_BBo_B.allFinite());
      EXPECT_TRUE(w->dF_dxi_B.array().isNaN().all() && w->dF_dV_AB_B.array().isNaN().all());
    }
    EXPECT_TRUE(std::isnan(value.energy) && std::isnan(both.energy));
    EXPECT_TRUE(depth > 0 ? energy.energy > 0 : energy.energy == 0);
    EXPECT_TRUE(both.dF_dxi_B.allFinite() && both.dF_dV_AB_B.allFinite());
    EXPECT_EQ(both.dF_dxi_B.norm() > 0, depth > 0);
  }
}

// What the model says of a pair that it refuses; "nothing" where it does not.
std::string refusal(const body::Geometry& A, const body::Geometry& B, const PressureFieldConfig& config) {
  const body::Body a{A, config.A}, b{B, config.B};
  const body::Pair pair{&a, &b, {}};
  const auto model = contact::make_pressure_field_model(config);
  std::string said = "nothing";
  try {
    model->require_valid(pair);
  } catch (const InvalidInput& error) {
    said = error.what();
  }
  const auto refuses = [&](const auto& call) {
    try {
      call();
    } catch (const InvalidInput& error) {
      EXPECT_EQ(error.what(), said);
      return true;
    }
    return false;
  };
  EXPECT_EQ(refuses([&] { model->wrench(pair); }), said != "nothing");
  EXPECT_EQ(refuses([&] { model->constraints(pair, 0); }), said != "nothing");
  return said;
}

TEST(PressureMaterials, SettingsOutOfRangeAreRefused) {
  const auto refused = [](const PressureFieldConfig& config) {
    EXPECT_NE(refusal(cube(), cube(), config), "nothing");
  };
  for (const double bad : {0.0, -1.0, -kRigid, std::nan("")}) {
    refused(moduli(bad, 1));
    refused(moduli(1, bad));
    contact::PressureFieldSettings settings;
    settings.stiction_speed = bad;
    EXPECT_THROW(contact::make_pressure_field_model(settings), InvalidInput);
    const body::Body body{cube(), {}};
    EXPECT_THROW(contact::contact_mesh({&body, &body, {}}, settings), InvalidInput);
    EXPECT_THROW(half_space(bad), InvalidInput);
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
  EXPECT_NE(refusal(cube(), cube(), moduli(kRigid, kRigid)).find("both bodies are rigid"), std::string::npos);
}

TEST(PressureMaterials, PartsThatTheMaterialsAskFor) {
  asset::Asset without_surface, without_volume;
  without_surface.name = "plain";
  without_volume.name = "hollow";
  without_surface.volumes.push_back(test::star_volume(asset::view(test::box_hull({kHalf, kHalf, kHalf}))));
  without_volume.surfaces.push_back(preprocess::build_surface(test::boundary(without_surface.volumes[0])));
  const body::Geometry volume_only(std::move(without_surface)), surface_only(std::move(without_volume));
  const PressureFieldConfig rigid_A = moduli(kRigid, 1), rigid_B = moduli(1, kRigid);
  const auto says = [](const std::string& said, const char* part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  says(refusal(cube(), volume_only, rigid_B), "body B ('plain') has no surface");
  says(refusal(surface_only, cube(), rigid_B), "body A ('hollow') has no tetrahedra");
  EXPECT_EQ(refusal(volume_only, surface_only, rigid_B), "nothing");
  EXPECT_EQ(refusal(surface_only, volume_only, rigid_A), "nothing");
  // A half-space takes a compliant partner only, whichever of the two is called A.
  says(refusal(surface_only, half_space(), {}), "body A ('hollow') has no tetrahedra");
  says(refusal(half_space(), surface_only, {}), "body B ('hollow') has no tetrahedra");
  says(refusal(cube(), half_space(), rigid_A), "a half-space has no rigid partner");
  says(refusal(half_space(), cube(), rigid_B), "a half-space has no rigid partner");
  says(refusal(half_space(), half_space(), {}), "two half-spaces have no contact");
  EXPECT_EQ(refusal(volume_only, half_space(), {}), "nothing");
  EXPECT_EQ(refusal(half_space(), volume_only, rigid_A), "nothing");
  // Primitives have both.
  const body::Geometry ball(body::Sphere<double>{0.01});
  EXPECT_EQ(refusal(volume_only, ball, {}), "nothing");
  EXPECT_EQ(refusal(ball, volume_only, rigid_A), "nothing");
}

TEST(PressureMaterials, MotionsThatAreNoneAreRefused) {
  Vec6<double> V_nan = kStill;
  V_nan[0] = std::nan("");
  EXPECT_THROW(pressure_wrench(cube(), half_space(), {}, {}, V_nan), InvalidInput);
  EXPECT_THROW(pressure_wrench(half_space(), cube(), {}, {}, V_nan), InvalidInput);
}

}  // namespace
