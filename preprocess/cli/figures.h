#pragma once

#include <string>

// Formats measures of objects for people: in a unit and with decimals suited to the object's size, from
// micrometres to kilometres.
namespace abut::preprocess {

// Format for measures of similar magnitude; the size that determined it has five digits.
struct Figures {
  double per_si = 1;  // units in one m, m^2 or m^3
  std::string unit;
  int decimals = 2;  // if negative, with an exponent

  // The number without the unit.
  std::string operator()(double si) const;
};

Figures length_figures(double metres);
Figures area_figures(double square_metres);
Figures volume_figures(double cubic_metres);

// For columns, which have a fixed unit.
Figures volume_figures_cm3(double cubic_metres);

}  // namespace abut::preprocess
