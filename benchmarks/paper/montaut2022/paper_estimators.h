#pragma once

#include "benchmarks/paper/montaut2022/contact_pose.h"

// The estimators of [Montaut2022] in the paper's own forms, for its tables: fixed noise on the unnormalised
// separation vector x*, which is eps / |d| on the unit normal; no whitening; equal scales for turns (rad) and
// shifts (m). Samples are drawn by (seed, stream, sample).
namespace abut::benchmarks {

Differentiator paper_finite_difference(double eps);  // central, M = 12
// Eq. 6. As printed it has no control variate: with one, the unmoved witness points are taken off the
// samples'.
Differentiator paper_zeroth_order(int samples, double eps, std::uint64_t seed, bool control_variate = true);
Differentiator paper_gaussian(int samples, double eps, std::uint64_t seed);  // Eq. 26
Differentiator paper_gumbel(int rings, double eps);                          // Eqs. 27 and 28

// An estimator of runtime/derivative by name, at its defaults.
Differentiator table_estimator(const char* name);

}  // namespace abut::benchmarks
