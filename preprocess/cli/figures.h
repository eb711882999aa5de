#pragma once

#include <string>

// Measures of objects for people: in a unit and with the decimals that suit the object's size, from
// micrometres to kilometres.
namespace abut::preprocess {

// How measures of about one size are written, so that the size itself has five digits.
struct Figures {
  double per_si = 1;  // units in one m, m^2 or m^3
  std::string unit;
  int decimals = 2;  // negative: with an exponent

  // Without the unit.
  std::string operator()(double si) const;
};

Figures length_figures(double metres);
Figures area_figures(double square_metres);
Figures volume_figures(double cubic_metres);

// For columns, whose unit is fixed.
Figures volume_figures_cm3(double cubic_metres);

}  // namespace abut::preprocess
