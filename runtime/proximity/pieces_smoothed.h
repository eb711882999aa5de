#pragma once

#include <span>

#include "runtime/derivative/estimator.h"

// A distance of two unions of convex pieces that is smooth where the nearest pair of pieces changes.
namespace abut::proximity {

// Blends pairs of pieces with signed distances d_i. The blended distance v solves
//   sum of w((d_i - v) / temperature) = 1,   w(x) = exp(-x), fading smoothly to 0 at x = kReach (blend.h),
// and is -temperature ln sum of exp(-d_i / temperature) but for this fading, which changes it by less than
// 1e-6 temperatures for every pair that has weight. It is at most the least d_i, and at least that minus
// temperature times ln of the number of pairs. Weights depend on v, not on which pair is nearest: pairs come
// and go with weight 0, so that the value has two continuous derivatives as a function of the d_i. p1, p2 and
// n are the weighted means (n is normalised).
//
// `pairs`: all pairs of pieces up to kReach temperatures beyond the nearest, at least one, with their
// derivatives. temperature: m, > 0. `result.exact` is kept; the status is kNotConverged if that of a pair
// with weight is. Apart, the value has kinks, and the means jump, only where a pair that weighs has parallel
// features; the derivative is kClamped there. In overlap the value stays continuous, but it has kinks, and
// the means jump, where the deepest direction of a pair that weighs changes.
void blend_pairs(std::span<const derivative::PairDerivative> pairs, double temperature,
                 derivative::SmoothedPair& result);

}  // namespace abut::proximity
