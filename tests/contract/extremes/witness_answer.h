#pragma once

#include <cmath>

#include "runtime/witness/witness.h"
#include "tests/contract/extremes/query.h"

namespace abut::test {

// Numbers and bounds of one answer about witness points. False: there is none to compare.
inline bool judge_witness(const witness::Witness<double>& w, double length, Judge& judge) {
  const bool numbers = std::isfinite(w.distance) && w.p1.allFinite() && w.p2.allFinite() && w.n.allFinite();
  judge.holds("an answer", w.status != Status::kInvalidInput);
  judge.holds("finite numbers", numbers);
  if (!numbers) return false;
  if (w.status == Status::kNotConverged) {
    judge.open();
    return false;
  }
  judge.at_most("|n| - 1", std::abs(w.n.norm() - 1), 1e-12);
  judge.at_most("p2 - p1 - d n", (w.p2 - w.p1 - w.distance * w.n).stableNorm(), kShare * length);
  judge.at_most("gap of the bounds", w.upper_bound - w.lower_bound, kShare * length);
  judge.meets(w.distance <= 0);
  return true;
}

}  // namespace abut::test
