#include "preprocess/cli/summary.h"

#include <gtest/gtest.h>

namespace {

using namespace abut::preprocess;

TEST(StatusText, MendedIsSaidOfChangesOfTheSurfaceAlone) {
  ObjectResult object;
  object.status = ObjectStatus::kMade;
  object.measures["surface_changes"] = 0;
  object.warnings = {"volume 0: 1460 tetrahedra instead of 3000"};
  EXPECT_EQ(status_text(object), "ok");
  object.measures["surface_changes"] = 1;
  EXPECT_EQ(status_text(object), "ok, mended");
}

TEST(StatusText, PartsDroppedAreToldBesideAWrap) {
  ObjectResult object;
  object.status = ObjectStatus::kMade;
  object.measures["dropped_area_percent"] = 30;
  EXPECT_EQ(status_text(object), "ok, parts dropped");
  object.measures["wrapped"] = 1;
  EXPECT_EQ(status_text(object), "ok, wrapped, parts dropped");
  object.measures["thin_shell"] = 1;
  EXPECT_EQ(status_text(object), "ok, THIN SHELL, parts dropped");
  object.status = ObjectStatus::kUpToDate;
  EXPECT_EQ(status_text(object), "up to date, THIN SHELL, parts dropped");
  const std::string what = caution(object.measures);
  EXPECT_NE(what.find("thin shell"), what.npos) << what;
  EXPECT_NE(what.find("30 % of the area"), what.npos) << what;
}

TEST(StatusText, EverythingThatIsMissingIsTold) {
  ObjectResult object;
  object.status = ObjectStatus::kMade;
  object.measures = {{"volumes", 0}, {"surface_changes", 1}};
  EXPECT_EQ(status_text(object), "ok, no volume");
  object.measures["points"] = 0;
  EXPECT_EQ(status_text(object), "ok, no volume, no points");
  object.measures["dropped_volume_percent"] = 30;
  EXPECT_EQ(status_text(object), "ok, parts dropped, no volume, no points");
}

TEST(Caution, AClosedOpeningIsTold) {
  EXPECT_EQ(caution({{"closed_opening_m", 0.028}}), "taken for solid behind an opening 0.028 m across");
}

TEST(Caution, PointsThatAreTooFewAreTold) {
  std::map<std::string, double> measures = {{"points0_quads", 1972}, {"points0_sign_wrong_percent", 11.83}};
  EXPECT_EQ(caution(measures),
            "soft distances of its 1972 quads have the wrong sign at 12 % of places beside the surface: more "
            "quads (--quads auto) hold thinner walls");
  measures["grid_sign_wrong_percent"] = 0.02;
  EXPECT_NE(caution(measures).find("use its grid"), std::string::npos);
  measures["points0_sign_wrong_percent"] = 0.1;
  EXPECT_EQ(caution(measures), "");
}

TEST(Caution, ASizeThatHintsAtOtherUnitsIsTold) {
  EXPECT_EQ(caution({{"implausible_size_m", 96.436}}),
            "96.44 m across: are its units millimetres? Say so with --scale 0.001");
}

}  // namespace
