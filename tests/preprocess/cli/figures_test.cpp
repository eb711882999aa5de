#include "preprocess/cli/figures.h"

#include <gtest/gtest.h>

// Measures keep their digits whatever the size of the object.
namespace {

using namespace abut::preprocess;

std::string text(const Figures& figures, double si) {
  return figures(si) + (figures.unit.empty() ? "" : " " + figures.unit);
}

TEST(Figures, UnitsFollowTheSize) {
  const auto length = [](double m) { return text(length_figures(m), m); };
  EXPECT_EQ(length(25), "25.000 m");
  EXPECT_EQ(length(0.123456), "123.46 mm");
  EXPECT_EQ(length(1.5e-3), "1.5000 mm");
  EXPECT_EQ(length(1.5e-6), "1.5000 um");
  const auto volume = [](double m3) { return text(volume_figures(m3), m3); };
  EXPECT_EQ(volume(2), "2.0000 m3");
  EXPECT_EQ(volume(138.3491e-6), "138.35 cm3");
  EXPECT_EQ(volume(1e-9), "1.0000 mm3");
  EXPECT_EQ(volume(1e-12), "0.0010000 mm3");
  const auto area = [](double m2) { return text(area_figures(m2), m2); };
  EXPECT_EQ(area(0.0312), "312.00 cm2");
  EXPECT_EQ(area(6e-6), "6.0000 mm2");
}

TEST(Figures, OneUnitForAllOfAVector) {
  const Figures mm = length_figures(0.1);
  EXPECT_EQ(mm(1e-17), "0.00");
  EXPECT_EQ(mm(-0.05), "-50.00");
}

TEST(Figures, ColumnsAndExtremes) {
  EXPECT_EQ(volume_figures_cm3(1e-9)(1e-9), "0.0010000");
  EXPECT_EQ(volume_figures_cm3(6e-3)(6e-3), "6000.0");
  EXPECT_EQ(volume_figures_cm3(1e-15)(1e-15), "1.0000e-09");
  EXPECT_EQ(length_figures(1e12)(1e12), "1.0000e+12");
  EXPECT_EQ(volume_figures(0)(0), "0.00");
}

}  // namespace
