#include "runtime/proximity/pieces_smoothed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/proximity/blend.h"

namespace abut::proximity {
namespace {

using derivative::PairDerivative;

// How far the blended distance is below `least`, in temperatures: the root of sum of w - 1, which falls with
// it. Newton's method starts beyond the root, at the value without fading, as every weight is at most its
// exponential.
double blended_below(std::span<const PairDerivative> pairs, double least, double temperature) {
  constexpr int kMaxSteps = 50;
  constexpr double kConverged = 4 * std::numeric_limits<double>::epsilon();
  const auto beyond = [&](const PairDerivative& pair) {
    return (pair.witness.distance - least) / temperature;
  };
  double sum = 0;
  for (const PairDerivative& pair : pairs) sum += std::exp(-beyond(pair));
  double below = std::log(sum);
  for (int i = 0; i < kMaxSteps; ++i) {
    double weights = 0, fall = 0;
    for (const PairDerivative& pair : pairs) {
      const Share share = fading_share(beyond(pair) + below);
      weights += share.weight, fall += share.fall;
    }
    if (!(fall > 0)) {  // all have faded: nearer to the root
      below /= 2;
      continue;
    }
    const double step = (weights - 1) / fall;
    below = std::max(0.0, below + step);
    if (std::abs(step) <= kConverged * std::max(1.0, below)) break;
  }
  return below;
}

}  // namespace

void blend_pairs(std::span<const PairDerivative> pairs, double temperature,
                 derivative::SmoothedPair& result) {
  double least = std::numeric_limits<double>::infinity();
  for (const PairDerivative& pair : pairs) least = std::min(least, pair.witness.distance);
  const double below = blended_below(pairs, least, temperature);
  const auto share = [&](const PairDerivative& pair) {
    return fading_share((pair.witness.distance - least) / temperature + below);
  };
  Status status = result.exact.status;
  Blend mean(temperature);
  for (const PairDerivative& pair : pairs) {
    const Share of_pair = share(pair);
    mean.add_mean(of_pair, pair.witness);
    if (of_pair.weight > 0 && pair.witness.status == Status::kNotConverged) status = Status::kNotConverged;
  }
  for (const PairDerivative& pair : pairs) {
    const Share of_pair = share(pair);
    if (of_pair.weight > 0)
      mean.add_slope(of_pair, pair.witness, pair.derivative, pair.derivative.clamped_count > 0);
  }
  result.smoothed = result.exact;
  mean.finish(least - temperature * below, status, result);
}

}  // namespace abut::proximity
