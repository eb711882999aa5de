#include "preprocess/cli/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace abut::preprocess {
namespace {

constexpr int kDigits = 5;
constexpr double kLeast = 1e-6, kGreatest = 1e9;  // other numbers are written with an exponent

struct Unit {
  double from;  // least size, in SI, that is written in this unit
  double per_si;
  const char* name;
};

constexpr Unit kLengths[] = {{10, 1, "m"}, {1e-3, 1e3, "mm"}, {0, 1e6, "um"}};
constexpr Unit kAreas[] = {{10, 1, "m2"}, {1e-4, 1e4, "cm2"}, {0, 1e6, "mm2"}};
constexpr Unit kVolumes[] = {{1, 1, "m3"}, {1e-7, 1e6, "cm3"}, {0, 1e9, "mm3"}};

Figures figures_in(const Unit& unit, double size) {
  Figures result{unit.per_si, unit.name};
  const double number = std::abs(size) * unit.per_si;
  if (!(number > 0) || !std::isfinite(number)) return result;
  const bool plain = number >= kLeast && number < kGreatest;
  result.decimals = plain ? std::max(0, kDigits - 1 - static_cast<int>(std::floor(std::log10(number)))) : -1;
  return result;
}

Figures figures(std::span<const Unit> units, double size) {
  const Unit* unit = units.data();
  while (unit != &units.back() && !(std::abs(size) >= unit->from)) ++unit;
  return figures_in(*unit, size);
}

}  // namespace

std::string Figures::operator()(double si) const {
  return decimals < 0 ? fmt::format("{:.{}e}", si * per_si, kDigits - 1)
                      : fmt::format("{:.{}f}", si * per_si, decimals);
}

Figures length_figures(double metres) { return figures(kLengths, metres); }
Figures area_figures(double square_metres) { return figures(kAreas, square_metres); }
Figures volume_figures(double cubic_metres) { return figures(kVolumes, cubic_metres); }
Figures volume_figures_cm3(double cubic_metres) { return figures_in(kVolumes[1], cubic_metres); }

}  // namespace abut::preprocess
