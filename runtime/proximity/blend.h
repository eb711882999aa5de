#pragma once

#include "runtime/core/settings.h"
#include "runtime/derivative/estimator.h"

// A witness blended over many, with its derivative. Of terms with distances d_i and weights w_i(v, d_i), the
// blended distance v is the one at which the weights sum to 1, and the points and the normal are the weighted
// means (n is normalised). With weights exp((v - d_i) / temperature),
//   v = -temperature ln sum of exp(-d_i / temperature).
namespace abut::proximity {

// Temperature of a blend where none is set, m.
inline constexpr double kDefaultTemperature = 2e-4;

// The setting `temperature` of a model that has a smoothed form, for its member of Config.
template <class Config, auto member>
inline constexpr Setting<Config> kTemperatureSetting = {
    "temperature", "m", from_to(1e-12, 1e12),
    "how far beyond the nearest a region or pair of pieces still counts, when smoothed",
    setting<Config, member>};

// A term's weight in the means, and how it changes.
struct Share {
  double weight;  // w
  double fall;    // -temperature dw/dd
  double rise;    // temperature dw/dv
};

// How far beyond the blended distance a term may have weight, in temperatures: at that distance its
// exponential is 2e-9.
inline constexpr double kReach = 20;

// Least fall of a term that matters in a derivative.
inline constexpr double kWeighing = 1e-9;

// Share of a term whose distance exceeds the blended distance by `beyond` temperatures (>= 0): exp(-beyond),
// which fades to 0 at kReach, so that terms come and go with two continuous derivatives.
Share fading_share(double beyond);

// The derivatives of the means are, with F = sum of rise_i,
//   dv = sum fall_i dd_i / F,   dx = sum w_i dx_i + (-fall_i dd_i + rise_i dv) (x_i - x) / temperature.
// Terms are given twice: all of them to add_mean(), then all of them to add_slope().
class Blend {
 public:
  // temperature: m, > 0.
  explicit Blend(double temperature);

  // Adds a term to the means.
  void add_mean(const Share& share, const witness::Witness<double>& term);

  // Adds a term to the derivatives; `kink`: its own derivative is one of several possible ones. Terms without
  // a derivative are left out.
  void add_slope(const Share& share, const witness::Witness<double>& term,
                 const derivative::WitnessDerivative<double>& derivative, bool kink);

  // Stores the blended witness of this distance (m) and status, and its derivative. The derivative is
  // kClamped where a term that weighs has a kink, and where the normals cancel.
  void finish(double distance, Status status, derivative::SmoothedPair& result);

 private:
  double temperature_;                             // m
  witness::Witness<double> mean_{};                // p1, p2 and n alone; n not normalised
  derivative::WitnessDerivative<double> slope_{};  // sums
  double rise_ = 0;                                // sum of rise_i
  // Sums of rise_i (x_i - x).
  Vec3<double> lean_p1_ = Vec3<double>::Zero(), lean_p2_ = Vec3<double>::Zero(),
               lean_n_ = Vec3<double>::Zero();
};

}  // namespace abut::proximity
