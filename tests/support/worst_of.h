#pragma once

#include <cmath>
#include <initializer_list>

namespace abut::test {

// The largest of some errors; NaN where one of them is NaN, which std::max passes over.
template <class S>
S worst_of(std::initializer_list<S> errors) {
  S worst = *errors.begin();
  for (const S error : errors)
    if (!(error <= worst) && !std::isnan(worst)) worst = error;
  return worst;
}
template <class S>
S worst_of(S worst, S error) {
  return worst_of({worst, error});
}

}  // namespace abut::test
