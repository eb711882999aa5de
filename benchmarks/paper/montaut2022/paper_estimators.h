#pragma once

#include "runtime/core/settings.h"
#include "runtime/derivative/contact_pose.h"

// The estimators of [Montaut2022] in the paper's own forms, for its tables: rows of the library with the
// settings that give the published form. Noise is on the unnormalised separation vector x*, in m; turns (rad)
// and shifts (m) have equal scales. Samples are drawn anew for each call, by (seed, iteration).
namespace abut::benchmarks {

using Differentiator = derivative::PoseDifferentiator;

Differentiator paper_finite_difference(double eps);  // central, M = 12
// Eq. 6. As printed it has no control variate: with one, the unmoved witness points are taken off the
// samples'.
Differentiator paper_zeroth_order(int samples, double eps, std::uint64_t seed, bool control_variate = true);
Differentiator paper_gaussian(int samples, double eps, std::uint64_t seed);  // Eq. 26
Differentiator paper_gumbel(int rings, double eps);                          // Eqs. 27 and 28

// An estimator of runtime/derivative by name.
Differentiator table_estimator(const char* name, const SettingValues& settings = {});

}  // namespace abut::benchmarks
