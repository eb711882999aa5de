// Settings by name: what command lines hand to contact models, estimators and soft distances.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/contact/point.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/core/error.h"
#include "runtime/derivative/contact_pose.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/derivative/gaussian.h"
#include "runtime/derivative/polytope.h"
#include "runtime/derivative/soft_bodies.h"
#include "runtime/derivative/zeroth_order.h"
#include "runtime/ssdf/kernel.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using test::refusal;

TEST(Settings, OfSoftMinimumContactReachTheirMembers) {
  const contact::SoftMinimumConfig c = contact::soft_minimum_config({{"eps1", "0.3"},
                                                                     {"eps2", "0.4"},
                                                                     {"eps3", "0.5"},
                                                                     {"load", "0.6"},
                                                                     {"penetration", "0.7"},
                                                                     {"dissipation", "0.9"},
                                                                     {"stiction", "1.1"},
                                                                     {"damping", "paper"},
                                                                     {"kernel", "wall"},
                                                                     {"tolerance", "1e-9"}});
  EXPECT_EQ(c.eps1, 0.3);
  EXPECT_EQ(c.eps2, 0.4);
  EXPECT_EQ(c.eps3, 0.5);
  EXPECT_EQ(c.load, 0.6);
  EXPECT_EQ(c.penetration, 0.7);
  EXPECT_EQ(c.dissipation, 0.9);
  EXPECT_EQ(c.stiction, 1.1);
  EXPECT_EQ(c.damping, contact::DampingLaw::kPaper);
  EXPECT_EQ(c.kernel, ssdf::KernelKind::kWall);
  EXPECT_EQ(c.tolerance, 1e-9);
  EXPECT_EQ(contact::soft_minimum_settings().size(), 10U);
}

TEST(Settings, OfPressureFieldContactReachTheirMembers) {
  const contact::PressureFieldSettings c =
      contact::pressure_field_config({{"stiction_speed", "0.02"}, {"fade_pulls", "yes"}});
  EXPECT_EQ(c.stiction_speed, 0.02);
  EXPECT_TRUE(c.fade_pulls);
  EXPECT_FALSE(contact::pressure_field_config({{"fade_pulls", "no"}}).fade_pulls);
  EXPECT_EQ(contact::pressure_field_settings().size(), 2U);
}

TEST(Settings, OfPointContactReachTheirMembers) {
  const contact::PointConfig c = contact::point_config({{"stiffness", "5"},
                                                        {"rings", "2"},
                                                        {"eps", "0.3"},
                                                        {"clamp_relative", "0.01"},
                                                        {"clamp_absolute", "1e-8"}});
  EXPECT_EQ(c.stiffness, 5);
  EXPECT_EQ(c.gumbel.rings, 2);
  EXPECT_EQ(c.gumbel.eps, 0.3);
  EXPECT_EQ(c.clamp.relative, 0.01);
  EXPECT_EQ(c.clamp.absolute, 1e-8);
}

TEST(Settings, OfEstimatorsReachTheirMembers) {
  const derivative::GumbelEstimatorConfig gumbel = derivative::gumbel_config({{"rings", "2"},
                                                                              {"eps", "0.5"},
                                                                              {"noise", "1e-4"},
                                                                              {"clamp_relative", "0.01"},
                                                                              {"clamp_absolute", "0.02"}});
  EXPECT_EQ(gumbel.curvature.rings, 2);
  EXPECT_EQ(gumbel.curvature.eps, 0.5);
  EXPECT_EQ(gumbel.noise, 1e-4);
  EXPECT_EQ(gumbel.clamp.relative, 0.01);
  EXPECT_EQ(gumbel.clamp.absolute, 0.02);
  const derivative::GaussianConfig gaussian = derivative::gaussian_config({{"eps", "2"},
                                                                           {"samples", "7"},
                                                                           {"noise", "1e-3"},
                                                                           {"seed", "18446744073709551615"},
                                                                           {"clamp_relative", "0.01"},
                                                                           {"clamp_absolute", "0.02"}});
  EXPECT_EQ(gaussian.eps, 2);
  EXPECT_EQ(gaussian.samples, 7);
  EXPECT_EQ(gaussian.noise, 1e-3);
  EXPECT_EQ(gaussian.seed, 18446744073709551615ULL);
  EXPECT_EQ(gaussian.clamp.relative, 0.01);
  EXPECT_EQ(gaussian.clamp.absolute, 0.02);
  const derivative::ZerothOrderConfig zeroth = derivative::zeroth_order_config(
      {{"samples", "9"}, {"angle", "0.1"}, {"length", "0.3"}, {"form", "published"}, {"seed", "3"}});
  EXPECT_EQ(zeroth.samples, 9);
  EXPECT_EQ(zeroth.angle, 0.1);
  EXPECT_EQ(zeroth.length, 0.3);
  EXPECT_EQ(zeroth.form, derivative::ZerothOrderForm::kPublished);
  EXPECT_EQ(zeroth.seed, 3U);
  const derivative::FiniteDifferenceConfig differences =
      derivative::finite_difference_config({{"angle", "1e-5"}, {"length", "1e-4"}});
  EXPECT_EQ(differences.angle, 1e-5);
  EXPECT_EQ(differences.length, 1e-4);
  const derivative::Clamp clamp =
      derivative::analytic_config({{"clamp_relative", "0.01"}, {"clamp_absolute", "0.02"}});
  EXPECT_EQ(clamp.relative, 0.01);
  EXPECT_EQ(clamp.absolute, 0.02);
}

TEST(Settings, OfSoftBodiesReachTheirMembers) {
  const derivative::SoftBodiesConfig c =
      derivative::soft_bodies_config({{"eps", "3"}, {"clamp_relative", "0.01"}, {"clamp_absolute", "0.02"}});
  EXPECT_EQ(c.eps, 3);
  EXPECT_EQ(c.clamp.relative, 0.01);
  EXPECT_EQ(c.clamp.absolute, 0.02);
}

TEST(Settings, OfContactPosesReachTheirMembers) {
  const derivative::ContactPoseConfig c = derivative::contact_pose_config({{"iterations", "7"},
                                                                           {"first_temperature", "2"},
                                                                           {"shrink", "0.5"},
                                                                           {"last_temperature", "0.01"},
                                                                           {"close", "1e-5"},
                                                                           {"score", "sets"},
                                                                           {"seed", "9"}});
  EXPECT_EQ(c.iterations, 7);
  EXPECT_EQ(c.first_temperature, 2);
  EXPECT_EQ(c.shrink, 0.5);
  EXPECT_EQ(c.last_temperature, 0.01);
  EXPECT_EQ(c.close, 1e-5);
  EXPECT_EQ(c.score, derivative::ContactPoseScore::kSets);
  EXPECT_EQ(c.seed, 9U);
  EXPECT_EQ(derivative::contact_pose_settings().size(), 7U);
}

TEST(Settings, OfSoftDistancesReachTheirMembers) {
  const ssdf::SoftDistanceConfig c =
      ssdf::soft_distance_config({{"eps1", "2"}, {"kernel", "compact"}, {"tolerance", "1e-6"}});
  EXPECT_EQ(c.eps1, 2);
  EXPECT_EQ(c.kernel, ssdf::KernelKind::kCompact);
  EXPECT_EQ(c.tolerance, 1e-6);
}

// Every row: its default is in its own range, nonsense is refused in one message with name and range.
template <class Apply>
void check_rows(const std::vector<SettingInfo>& rows, Apply&& apply) {
  ASSERT_FALSE(rows.empty());
  for (const SettingInfo& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_NO_THROW(apply({{row.name, row.default_value}}));
    EXPECT_FALSE(row.help.empty());
    for (const char* bad : {"", "nan", "inf", "-1", "1e400", "0.5mm", "gauss"}) {
      const std::string said = refusal([&] { apply({{row.name, bad}}); });
      EXPECT_NE(said.find(row.name + " is '" + bad + "'"), std::string::npos) << said;
      EXPECT_NE(said.find("; it must be "), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
    }
  }
  const std::string said = refusal([&] { apply({{"colour", "1"}}); });
  EXPECT_NE(said.find("has no setting 'colour'; it has: " + rows.front().name), std::string::npos) << said;
}

TEST(Settings, EveryRowRefusesNonsenseInOneMessage) {
  check_rows(describe(contact::soft_minimum_settings()), contact::soft_minimum_config);
  check_rows(describe(contact::point_settings()), contact::point_config);
  check_rows(describe(contact::pressure_field_settings()), contact::pressure_field_config);
  check_rows(describe(ssdf::soft_distance_settings()), ssdf::soft_distance_config);
  check_rows(describe(derivative::contact_pose_settings()), derivative::contact_pose_config);
  for (const derivative::EstimatorRow& row : derivative::estimators())
    check_rows(row.settings(), [&](const SettingValues& values) { row.make(values); });
}

TEST(Settings, MayBeGivenAsNumbers) {
  const contact::PointConfig c = contact::point_config({{"stiffness", 2.5e3}, {"rings", 2}, {"eps", 1}});
  EXPECT_EQ(c.stiffness, 2500);
  EXPECT_EQ(c.gumbel.rings, 2);
  EXPECT_EQ(c.gumbel.eps, 1);
  const double third = 1.0 / 3;
  EXPECT_EQ(contact::point_config({{"eps", third}}).gumbel.eps, third);
  EXPECT_EQ(derivative::gaussian_config({{"seed", ~std::uint64_t{0}}}).seed, ~std::uint64_t{0});
  EXPECT_EQ(derivative::gaussian_config({{"samples", 1e5}}).samples, 100000);
  EXPECT_THROW(derivative::make_estimator("gaussian", {{"samples", 2}}), InvalidInput);
}

TEST(Settings, WhatIsRefusedChangesNothing) {
  struct Config {
    double length = 2;
  } config;
  const Setting<Config> rows[] = {{"length", "m", {0, 3}, "how long", &setting<Config, &Config::length>}};
  EXPECT_THROW(apply<Config>(rows, {{"length", "-1"}}, config, "test"), InvalidInput);
  EXPECT_EQ(config.length, 2);
  apply<Config>(rows, {{"length", "1"}}, config, "test");
  EXPECT_EQ(config.length, 1);
}

TEST(Settings, WholeNumbersMayBeWrittenLikeOthers) {
  const auto rings = [](const char* text) {
    return derivative::gumbel_config({{"rings", text}}).curvature.rings;
  };
  EXPECT_EQ(rings("1e9"), 1000000000);
  EXPECT_EQ(rings("3.0"), 3);
  for (const char* bad : {"1e10", "2.5", "0", "-1e1"}) EXPECT_THROW(rings(bad), InvalidInput) << bad;
}

TEST(Settings, MessagesHaveUnitAndRange) {
  EXPECT_EQ(refusal([] {
              contact::point_config({{"stiffness", "-3"}});
            }),
            "point contact: stiffness is '-3' N/m; it must be from 1e-12 to 1e+12");
  EXPECT_EQ(refusal([] {
              derivative::make_estimator("gaussian", {{"samples", "2"}});
            }),
            "estimator gaussian: samples is '2'; it must be a whole number from 3 to 1e+06");
  EXPECT_EQ(refusal([] {
              derivative::make_estimator("gumbel", {{"rings", "1.5"}});
            }),
            "estimator gumbel: rings is '1.5' edges; it must be a whole number, at least 1");
  EXPECT_EQ(refusal([] {
              contact::soft_minimum_config({{"kernel", "quad"}});
            }),
            "soft-minimum contact: kernel is 'quad'; it must be one of gaussian, wall");
  contact::SoftMinimumConfig config;
  config.kernel = ssdf::KernelKind::kQuad;
  EXPECT_EQ(refusal([&] { contact::make_soft_minimum_model(config); }),
            "soft-minimum contact: kernel is another one; it must be one of gaussian, wall");
  EXPECT_EQ(refusal([] {
              contact::make_model("pressure_field", {{"kernel", "wall"}});
            }),
            "pressure-field contact has no setting 'kernel'; it has: stiction_speed, fade_pulls");
  EXPECT_EQ(refusal([] {
              contact::make_model("soft_minimum", {{"friction", "0.5"}});  // a material's
            }),
            "soft-minimum contact has no setting 'friction'; it has: eps1, eps2, eps3, load, penetration, "
            "dissipation, stiction, damping, kernel, tolerance");
}

TEST(Settings, RangesInWords) {
  EXPECT_EQ(kPositive.words(), "positive");
  EXPECT_EQ(kNonNegative.words(), "0 or more");
  EXPECT_EQ(at_least(3).words(), "at least 3");
  EXPECT_EQ(between(0, 1).words(), "between 0 and 1");
  EXPECT_EQ(from_to(0, 1).words(), "from 0 to 1");
  EXPECT_FALSE(between(0, 1).contains(1));
  EXPECT_TRUE(from_to(0, 1).contains(1));
  EXPECT_FALSE(Range{}.contains(std::nan("")));
}

}  // namespace
